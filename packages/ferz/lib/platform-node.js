// node: files and worker threads.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

export async function compile(source = new URL("../ferz.wasm", import.meta.url)) {
  if (typeof Response === "function" && source instanceof Response) {
    return WebAssembly.compile(await source.arrayBuffer());
  }
  const path = String(source).startsWith("file:") ? fileURLToPath(source) : source;
  return WebAssembly.compile(await readFile(path));
}

/** The search recurses deeply. */
const STACK_MEBIBYTES = 16;

export function startWorker(onMessage, onError) {
  const worker = new Worker(new URL("../worker-node.js", import.meta.url), {
    // Options such as --input-type are for the program, not for its workers.
    execArgv: [],
    resourceLimits: { stackSizeMb: STACK_MEBIBYTES },
  });
  worker.on("message", onMessage);
  worker.on("error", onError);
  return {
    post: (message) => worker.postMessage(message),
    // An idle worker must not keep the program running.
    setBusy: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    terminate: () => void worker.terminate(),
  };
}
