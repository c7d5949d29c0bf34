// `../build-static` puts these in front of `service-worker.js`.

/** The files of the page and the hashes of their contents. */
declare const FILES: { readonly [path: string]: string };
/** The build of the engine that this browser can run. */
declare const ENGINE_FILE: string;
