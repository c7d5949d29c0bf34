// Browsers: fetch and Web Workers.

export async function compile(source = new URL("../ferz.wasm", import.meta.url)) {
  const response = source instanceof Response ? source : await fetch(source);
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${response.statusText}`);
  // Streaming needs the right content type, which not every server sends.
  const isTyped = response.headers.get("Content-Type")?.startsWith("application/wasm");
  return isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

export function startWorker(onMessage, onError) {
  const worker = new Worker(new URL("../worker.js", import.meta.url), { type: "module" });
  worker.onmessage = (event) => onMessage(event.data);
  worker.onerror = (event) => {
    event.preventDefault();
    onError(event.error ?? new Error(event.message || "the worker could not be started"));
  };
  return {
    post: (message) => worker.postMessage(message),
    setBusy() {},
    terminate: () => worker.terminate(),
  };
}
