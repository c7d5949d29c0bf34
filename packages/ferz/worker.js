// The Web Worker of EngineWorker.
import { setPlatform } from "./lib/instance.js";
import * as platform from "./lib/platform-browser.js";
import { serve } from "./lib/serve.js";

setPlatform(platform);
const answer = serve((message) => postMessage(message));
onmessage = (event) => answer(event.data);
