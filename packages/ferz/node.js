// The entry for node.
import { setPlatform } from "./lib/instance.js";
import * as platform from "./lib/platform-node.js";

setPlatform(platform);

export * from "./lib/api.js";
