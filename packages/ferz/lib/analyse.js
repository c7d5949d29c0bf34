// Searches in a worker: the calling thread goes on.
import { checkHash, checkLimits, positionOf, presentLine, presentResult } from "./engine.js";
import { EngineError, InstanceError } from "./errors.js";
import { Game } from "./game.js";
import { compiledModule, getPlatform } from "./instance.js";
import { bitsOf } from "./move.js";

/** A signal that the worker can see while it searches; without it, the worker is ended instead. */
function stopSignal() {
  return typeof SharedArrayBuffer === "function" ? new Int32Array(new SharedArrayBuffer(4)) : undefined;
}

/** An engine in a worker of its own. Its transposition table is kept from one analysis to the next. */
export class EngineWorker {
  #hash;
  #worker;
  /** The search that runs. */
  #task;
  #searches = 0;
  /** Done when the searches before are. */
  #queue = Promise.resolve();
  #isClosed = false;

  constructor({ hash = 16 } = {}) {
    this.#hash = checkHash(hash);
  }

  async #start() {
    if (this.#worker !== undefined) return this.#worker;
    const module = await compiledModule();
    if (this.#isClosed) throw new EngineError("closed", "the engine was closed");
    const worker = getPlatform().startWorker(
      (message) => this.#receive(message),
      (error) => this.#fail(new InstanceError("worker", `the worker has ended: ${error.message}`, { cause: error })),
    );
    worker.post({ type: "open", module, hash: this.#hash });
    this.#worker = worker;
    return worker;
  }

  #receive({ type, id, line, result, error }) {
    const task = this.#task;
    // A search that was given up may still have something to say.
    if (task === undefined || task.id !== id) return;
    if (type === "line") task.onLine(line);
    else if (type === "result") task.resolve(result);
    else this.#fail(new InstanceError(error.code, error.message));
  }

  /** The worker is of no use any more; the next search starts another. */
  #fail(error) {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#task?.reject(error);
  }

  /**
   * Analyses a position or a game. `onLine` gets every line that is found. The promise has the result; `stop()` ends
   * the search, and the result is what was found. If the worker is busy, the analysis begins after the one before.
   */
  analyse(game, limits, onLine = () => {}) {
    const position = positionOf(game);
    const checked = checkLimits(game, limits);
    const { signal } = limits;
    const root = game instanceof Game ? game : { start: position, moves: [] };
    const message = {
      type: "search",
      id: ++this.#searches,
      start: root.start.packed(),
      moves: root.moves.map(bitsOf),
      checked,
      stop: stopSignal(),
    };
    let isStopped = false;
    let stopNow = () => {};
    const stop = () => {
      isStopped = true;
      stopNow();
    };
    const search = async () => {
      signal?.throwIfAborted();
      if (this.#isClosed) throw new EngineError("closed", "the engine was closed");
      signal?.addEventListener("abort", stop, { once: true });
      try {
        const worker = await this.#start();
        const raw = await new Promise((resolve, reject) => {
          let last = [];
          this.#task = {
            id: message.id,
            resolve,
            reject,
            onLine: (line) => {
              last = line.rank === 1 ? [line] : [...last.filter(({ rank }) => rank < line.rank), line];
              try {
                onLine(presentLine(line, position));
              } catch (error) {
                reject(error);
                stop();
              }
              // Without a signal there is a result only when there is a line.
              if (isStopped) stopNow();
            },
          };
          stopNow = () => {
            if (message.stop !== undefined) {
              Atomics.store(message.stop, 0, 1);
            } else if (last.length > 0) {
              this.#worker?.terminate();
              this.#worker = undefined;
              const [{ moves, nodes, time }] = last;
              resolve({ best: moves[0] ?? 0, ponder: moves[1] ?? 0, lines: last, nodes, time });
            }
          };
          worker.setBusy(true);
          worker.post(message);
          if (isStopped) stopNow();
        });
        signal?.throwIfAborted();
        return presentResult(raw, position);
      } finally {
        signal?.removeEventListener("abort", stop);
        stopNow = () => {};
        this.#task = undefined;
        this.#worker?.setBusy(false);
      }
    };
    const promise = this.#queue.then(search);
    this.#queue = promise.catch(() => {});
    promise.stop = stop;
    return promise;
  }

  /** Forgets everything: the next analysis is like the first. */
  clear() {
    this.#queue = this.#queue.then(() => this.#worker?.post({ type: "clear" }));
  }

  /** Ends the worker. A running analysis is rejected. */
  close() {
    this.#isClosed = true;
    this.#fail(new EngineError("closed", "the engine was closed"));
  }
}

if (Symbol.dispose) EngineWorker.prototype[Symbol.dispose] = EngineWorker.prototype.close;

/** Analyses a position or a game in a worker that ends with the analysis. */
export function analyse(game, limits, onLine) {
  const worker = new EngineWorker({ hash: limits?.hash });
  const running = worker.analyse(game, limits, onLine);
  const promise = running.finally(() => worker.close());
  promise.stop = () => running.stop();
  return promise;
}
