// `import … from "ferz/ready"` in node: loaded when the import is done.
import { load } from "./node.js";

await load();

export * from "./node.js";
