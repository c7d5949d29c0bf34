// A worker that calls exports of the engine for figures and limits. A message names the export and its arguments, and
// the way in which the engine hears the page: "jspi" suspends it in every poll, "ring" hears a message in every poll,
// "slices" does nothing there.
const WASM = "../ferz-browser.wasm";

onmessage = async ({ data: { way, name, values } }) => {
  let trouble = "";
  try {
    const nothing = new TextEncoder().encode('{"type":"step","to":"first"}');
    let exports;
    const bytes = () => new Uint8Array(exports.memory.buffer);
    // A timer would wait.
    const bell = new MessageChannel();
    const turn = () =>
      new Promise((resolve) => {
        bell.port1.onmessage = resolve;
        bell.port2.postMessage(null);
      });
    const hear = () => {
      const pointer = exports.input(nothing.length);
      bytes().set(nothing, pointer);
      exports.hear();
    };
    const poll = { jspi: () => new WebAssembly.Suspending(turn), ring: () => hear, slices: () => () => {} }[way]();
    const panicked = (pointer, length) => {
      trouble = new TextDecoder().decode(bytes().slice(pointer, pointer + length));
    };
    const ferz = { now: () => performance.now(), say() {}, poll, panicked };
    ({ exports } = (await WebAssembly.instantiateStreaming(fetch(WASM), { ferz })).instance);
    if (way === "ring") exports.open(1, 2, 16, 1);
    const start = performance.now();
    const call = way === "jspi" ? WebAssembly.promising(exports[name]) : exports[name];
    const result = await call(...values);
    postMessage({ result, milliseconds: performance.now() - start });
  } catch (error) {
    postMessage({ trouble: `${error} ${trouble}` });
  }
};
