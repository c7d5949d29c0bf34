// `import … from "ferz/ready"` in browsers: loaded when the import is done.
import { load } from "./index.js";

await load();

export * from "./index.js";
