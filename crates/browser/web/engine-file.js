// @ts-check
// Which build of the engine this browser can run. The service worker gets a copy of this file.

/** A module with one instruction of `simd128`: `i32.const 0; i8x16.splat`. */
const VECTORS = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11,
]);

export const ENGINE_FILE =
  typeof WebAssembly === "object" && WebAssembly.validate(VECTORS) ? "ferz-browser.wasm" : "ferz-browser-scalar.wasm";
