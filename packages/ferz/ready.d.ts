/** The same as `ferz`, loaded when the import is done. */
export * from "./index.js";
