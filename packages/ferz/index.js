// The entry for browsers and bundlers.
import { setPlatform } from "./lib/instance.js";
import * as platform from "./lib/platform-browser.js";

setPlatform(platform);

export * from "./lib/api.js";
