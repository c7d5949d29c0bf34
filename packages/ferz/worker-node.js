// The worker thread of EngineWorker.
import { parentPort } from "node:worker_threads";
import { setPlatform } from "./lib/instance.js";
import * as platform from "./lib/platform-node.js";
import { serve } from "./lib/serve.js";

setPlatform(platform);
const answer = serve((message) => parentPort.postMessage(message));
parentPort.on("message", answer);
