// @ts-check
// The session and its engine in a worker: what the server does for a tab.

import { Ring } from "./ring.js";

/**
 * The first message from the page. Later ones are intents as text, or `null`: there is something in the ring.
 * @typedef {object} Start
 * @property {WebAssembly.Module} module
 * @property {import("./hearing.js").Hearing} hearing
 * @property {SharedArrayBuffer | null} ring
 * @property {number} hashMib The size of the transposition table.
 */

/**
 * What is sent to the page: a message of the session as text, or news of the worker itself.
 * @typedef {string | { news: "ready" } | { news: "stopped", reason: string }} ToPage
 */

/**
 * The exports of `ferz-browser.wasm`; `crates/browser/README.md` describes them.
 * @typedef {object} Engine
 * @property {WebAssembly.Memory} memory
 * @property {(seedLow: number, seedHigh: number, hashMib: number, hearing: number) => void} open
 * @property {(length: number) => number} input
 * @property {() => void} hear
 * @property {() => number} next_wake
 * @property {() => void} wake
 * @property {() => number} work
 */

/**
 * The type definitions of TypeScript 4.8 do not have JSPI.
 * @typedef {object} Jspi
 * @property {new (imported: () => void | Promise<void>) => WebAssembly.ImportValue} Suspending
 * @property {(exported: () => number) => () => Promise<number>} promising
 */
const jspi = /** @type {Jspi} */ (/** @type {unknown} */ (WebAssembly));

/** With JSPI a search is suspended after this time, in milliseconds. */
const BREATH = 15;

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const bell = new MessageChannel();

/** @param {ToPage} message */
const tell = (message) => postMessage(message);

/** A turn of the event loop, without the delay of a timer. */
const nextTurn = () =>
  new Promise((/** @type {(_: void) => void} */ resolve) => {
    bell.port1.onmessage = () => resolve();
    bell.port2.postMessage(null);
  });

class Host {
  /** @param {Start} start */
  constructor({ module, hearing, ring, hashMib }) {
    this.hearing = hearing;
    this.ring = ring && new Ring(ring);
    /** @type {number | undefined} */
    this.timer = undefined;
    this.isWorking = false;
    /** Whether there may be a new job since `work` was last called. */
    this.hasNews = false;
    this.suspendedAt = 0;
    this.panic = "";

    const poll = () => this.poll();
    const imports = {
      now: () => performance.now(),
      say: (/** @type {number} */ at, /** @type {number} */ length) => tell(this.text(at, length)),
      poll: hearing === "jspi" ? new jspi.Suspending(poll) : poll,
      panicked: (/** @type {number} */ at, /** @type {number} */ length) => {
        this.panic = this.text(at, length);
      },
    };
    const instance = new WebAssembly.Instance(module, { ferz: imports });
    this.engine = /** @type {Engine} */ (/** @type {unknown} */ (instance.exports));
    this.work = hearing === "jspi" ? jspi.promising(this.engine.work) : this.engine.work;
    const [low, high] = crypto.getRandomValues(new Uint32Array(2));
    this.engine.open(low, high, hashMib, hearing === "slices" ? 0 : 1);
  }

  /**
   * A text in the memory of the engine. The buffer is replaced when the memory grows, so no view is kept.
   * @param {number} at
   * @param {number} length
   */
  text(at, length) {
    return decoder.decode(new Uint8Array(this.engine.memory.buffer, at, length));
  }

  /** @param {string} text */
  hear(text) {
    const bytes = encoder.encode(text);
    const at = this.engine.input(bytes.length);
    new Uint8Array(this.engine.memory.buffer, at, bytes.length).set(bytes);
    this.engine.hear();
    this.plan();
    this.run();
  }

  hearRing() {
    if (!this.ring) return;
    for (let text = this.ring.take(); text !== null; text = this.ring.take()) this.hear(text);
  }

  /** Called from inside a search. With JSPI, messages arrive while the search is suspended. */
  poll() {
    this.hearRing();
    if (this.hearing !== "jspi" || performance.now() - this.suspendedAt < BREATH) return undefined;
    return nextTurn().then(() => {
      this.suspendedAt = performance.now();
    });
  }

  wake() {
    this.engine.wake();
    this.plan();
    this.run();
  }

  /** Sets the timer for the next `wake`. During a job the session wakes by itself. */
  plan() {
    clearTimeout(this.timer);
    const wait = this.engine.next_wake();
    if (wait >= 0) this.timer = setTimeout(() => attempt(() => this.wake()), wait);
  }

  /** Carries out all jobs. */
  async run() {
    this.hasNews = true;
    if (this.isWorking) return;
    this.isWorking = true;
    try {
      // Intents that arrived together are heard before the first job starts.
      await nextTurn();
      while (this.hasNews) {
        this.hasNews = false;
        while (await this.work()) await nextTurn();
      }
      this.plan();
    } catch (error) {
      stop(error);
    }
    this.isWorking = false;
  }
}

/** @type {Host | null} */
let host = null;
let hasStopped = false;

/**
 * After a panic the instance is unusable; the page starts a new worker.
 * @param {unknown} error
 */
function stop(error) {
  if (hasStopped) return;
  hasStopped = true;
  tell({ news: "stopped", reason: host?.panic || String(error) });
}

/** @param {() => void} action */
function attempt(action) {
  if (hasStopped) return;
  try {
    action();
  } catch (error) {
    stop(error);
  }
}

onmessage = ({ data }) =>
  attempt(() => {
    if (!host) {
      host = new Host(data);
      tell({ news: "ready" });
    } else if (data === null) host.hearRing();
    else host.hear(data);
  });
