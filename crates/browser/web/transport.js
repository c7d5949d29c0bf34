// @ts-check
// How the page reaches its session: in a worker of its own. The server's page has a different version of this file.

import { keepOffline } from "./offline.js";
import { WorkerTransport } from "./worker-transport.js";

/** @returns {import("./connection.js").Transport} */
export function createTransport() {
  const transport = new WorkerTransport();
  // Filling the cache must not delay the engine.
  transport.started.then(() => keepOffline(transport.hearing));
  return transport;
}
