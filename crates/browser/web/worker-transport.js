// @ts-check
// The session in a worker. It loads the engine once and starts a new worker when one fails.

import { ENGINE_FILE } from "./engine-file.js";
import { SIZES } from "./engine-sizes.js";
import { bestHearing } from "./hearing.js";
import { isOutdated, startAgain } from "./offline.js";
import { newRing, Ring } from "./ring.js";

/** @typedef {import("./connection.js").Transport} Transport */
/** @typedef {import("./connection.js").TransportState} TransportState */
/** @typedef {import("./connection.js").TransportWords} TransportWords */
/** @typedef {import("./engine-worker.js").Start} Start */
/** @typedef {import("./engine-worker.js").ToPage} ToPage */
/** @typedef {import("./protocol").Envelope} Envelope */
/** @typedef {import("./protocol").Outgoing} Outgoing */

const FIRST_DELAY = 100;
const LONGEST_DELAY = 5000;
/** A worker that ran this long is restarted without a delay, in milliseconds. */
const STEADY = 10000;
/** How long to wait when the ring is full, in milliseconds. */
const RING_DELAY = 5;

/** @type {TransportWords} */
const STARTING = {
  away: "The engine is starting.",
  awayInShort: "The engine is starting…",
  refused: "The engine is not running yet.",
  lost: "The engine stopped before it answered.",
  busy: () => "The analysis continues after the review.",
};
/** @type {TransportWords} */
const STOPPED = {
  ...STARTING,
  away: "The engine stopped. Your game is saved here, and the engine is starting again.",
  awayInShort: "The engine stopped. Starting it again…",
  refused: "The engine stopped. It is starting again.",
};
/** @type {TransportWords} */
const NOT_LOADED = {
  ...STARTING,
  away: "The engine could not be loaded. Check the connection; the page tries again.",
  awayInShort: "The engine could not be loaded. Trying again…",
  refused: "The engine could not be loaded. The page tries again.",
};
const UNSUPPORTED = "This browser cannot run the engine. Use a newer one: it needs WebAssembly and module workers.";

/** @type {TransportWords} */
const NEVER = { ...STARTING, away: UNSUPPORTED, awayInShort: UNSUPPORTED, refused: UNSUPPORTED };

/** @implements {Transport} */
export class WorkerTransport {
  constructor() {
    /** @type {TransportState} */
    this.state = "connecting";
    this.words = STARTING;
    /** @type {Transport["onmessage"]} */
    this.onmessage = () => {};
    /** @type {Transport["onstate"]} */
    this.onstate = () => {};
    /** @type {Transport["onloading"]} */
    this.onloading = () => {};
    this.hearing = bestHearing();
    /** @type {() => void} */
    this.start = () => {};
    /** Resolves when the page has a game and has saved it. */
    this.started = new Promise((/** @type {(_: void) => void} */ resolve) => (this.start = resolve));
    /** @type {Worker | null} */
    this.worker = null;
    /** @type {Ring | null} */
    this.ring = null;
    /**
     * Messages that did not fit into the ring yet.
     * @type {string[]}
     */
    this.unsent = [];
    this.openedAt = 0;
    this.delay = FIRST_DELAY;
    /** @type {number | undefined} */
    this.timer = undefined;
    /**
     * The engine, which every worker uses.
     * @type {Promise<WebAssembly.Module> | null}
     */
    this.module = null;
    this.done = 0;
    this.load();
    addEventListener("online", () => {
      if (this.words === NOT_LOADED && this.state === "lost") this.connect();
    });
  }

  /** Loads the engine, unless that has been done. */
  load() {
    this.module ??= loadEngine((done) => this.showProgress(done));
    this.module.catch(() => {});
    return this.module;
  }

  /** @param {number} done Bytes of the engine that are loaded. */
  showProgress(done) {
    const total = SIZES[ENGINE_FILE];
    this.done = done;
    this.onloading({ text: `Loading the engine (${(total / 1e6).toFixed(1)} MB).`, done, total });
  }

  async connect() {
    clearTimeout(this.timer);
    // The files in the cache are newer than this page.
    if (isOutdated()) return startAgain();
    this.change("connecting");
    try {
      // The worker loads its own files at the same time.
      const worker = this.startWorker();
      const ring = this.hearing === "ring" ? newRing() : null;
      this.ring = ring && new Ring(ring);
      const loading = this.load();
      // When the first load began, nobody listened yet.
      if (this.done < SIZES[ENGINE_FILE]) this.showProgress(this.done);
      const module = await loading;
      this.onloading(null);
      /** @type {Start} */
      const start = { module, hearing: this.hearing, ring, hashMib: hashMib() };
      worker.postMessage(start);
    } catch (error) {
      this.module = null;
      this.onloading(null);
      this.endWorker();
      console.error(error);
      // Anything but a failed download means that the browser lacks something.
      const canRetry = error instanceof LoadError;
      this.lost(canRetry ? NOT_LOADED : NEVER, canRetry);
    }
    return undefined;
  }

  startWorker() {
    const worker = new Worker(new URL("engine-worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => this.received(data);
    worker.onerror = (event) => this.failed(event.message ?? "The worker could not be loaded.");
    this.worker = worker;
    return worker;
  }

  endWorker() {
    this.worker?.terminate();
    this.worker = null;
    this.ring = null;
    this.unsent = [];
  }

  /** @param {Envelope} message */
  send(message) {
    const text = JSON.stringify(message);
    if (this.ring) {
      this.unsent.push(text);
      this.fillRing();
    } else this.worker?.postMessage(text);
  }

  fillRing() {
    while (this.unsent.length > 0 && this.ring?.put(this.unsent[0])) this.unsent.shift();
    // A worker that is not searching waits for a message.
    this.worker?.postMessage(null);
    if (this.unsent.length > 0) setTimeout(() => this.fillRing(), RING_DELAY);
  }

  /** @param {ToPage} message */
  received(message) {
    if (typeof message === "string") {
      const outgoing = JSON.parse(message);
      this.onmessage(outgoing);
      if (outgoing.type === "save") this.start();
    } else if (message.news === "ready") {
      this.openedAt = performance.now();
      this.change("open");
    } else this.failed(message.reason);
  }

  /** @param {string} reason */
  failed(reason) {
    console.error(`The engine stopped: ${reason}`);
    this.endWorker();
    if (this.state === "open" && performance.now() - this.openedAt > STEADY) this.delay = FIRST_DELAY;
    this.lost(STOPPED, true);
  }

  /**
   * @param {TransportWords} words
   * @param {boolean} canRetry
   */
  lost(words, canRetry) {
    this.words = words;
    this.change("lost");
    if (!canRetry) return;
    this.timer = setTimeout(() => this.connect(), this.delay);
    this.delay = Math.min(2 * this.delay, LONGEST_DELAY);
  }

  /** @param {TransportState} state */
  change(state) {
    this.state = state;
    this.onstate(state);
  }
}

/** The download failed: it may work later. */
class LoadError extends Error {}

/**
 * Downloads and compiles the engine.
 * @param {(done: number) => void} progress Gets the number of bytes so far.
 */
async function loadEngine(progress) {
  if (typeof WebAssembly !== "object" || typeof Worker !== "function") throw new Error(UNSUPPORTED);
  let done = 0;
  progress(done);
  const counter = new TransformStream({
    transform(/** @type {Uint8Array} */ bytes, controller) {
      done += bytes.length;
      progress(done);
      controller.enqueue(bytes);
    },
  });
  try {
    const response = await fetch(new URL(ENGINE_FILE, import.meta.url));
    if (!response.ok || !response.body) throw new Error(`${ENGINE_FILE}: ${response.status}`);
    // Some servers do not know the type of the file.
    const headers = { "content-type": "application/wasm" };
    return await WebAssembly.compileStreaming(new Response(response.body.pipeThrough(counter), { headers }));
  } catch (error) {
    throw done < SIZES[ENGINE_FILE] ? new LoadError(String(error)) : error;
  }
}

/** The size of the transposition table, by what the browser tells of the device. */
function hashMib() {
  const { deviceMemory = 4 } = /** @type {{ deviceMemory?: number }} */ (navigator);
  return deviceMemory >= 4 ? 32 : 16;
}
