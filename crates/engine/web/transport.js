// @ts-check
// How the page reaches its session: by a socket to the server. The static page has a different version of this file.

import { SocketTransport } from "./socket-transport.js";

/** @returns {import("./connection.js").Transport} */
export const createTransport = () => new SocketTransport();
