// `engine-sizes.js` is made by `../build-static`.

/** The size of each build of the engine in bytes, by file name. */
export const SIZES: { readonly [file: string]: number };
