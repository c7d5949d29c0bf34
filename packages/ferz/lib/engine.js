// The engine: searches on the calling thread.
import { EngineError } from "./errors.js";
import { Game, loadGame } from "./game.js";
import { generation, hooks, isCurrent, MOVES, numbers, u16, wasm, writeMoves } from "./instance.js";
import { bitsOf, moveOf } from "./move.js";
import { Position } from "./position.js";

const BOUNDS = ["exact", "lower", "upper"];
const MAX_HASH = 1024;

/** Frees engines that were garbage-collected. */
const forgotten = new FinalizationRegistry(({ handle, born }) => {
  if (isCurrent(born)) wasm.engine_free(handle);
});

export function checkHash(hash) {
  if (!Number.isInteger(hash) || hash < 1 || hash > MAX_HASH) {
    throw new RangeError(`the hash size is an integer from 1 to ${MAX_HASH}, in MiB`);
  }
  return hash;
}

function checkNumber(name, value, isInteger, least, most) {
  const isGood =
    typeof value === "number" && value >= least && value <= most && (!isInteger || Number.isInteger(value));
  if (!isGood) throw new RangeError(`${name} is ${isInteger ? "an integer" : "a number"} from ${least} to ${most}`);
}

/** Limits and options in the form that the instance and workers take; throws unless they are good. */
export function checkLimits(game, limits) {
  if (typeof limits !== "object" || limits === null)
    throw new TypeError("a search needs limits, such as { depth: 12 }");
  const { depth, nodes, movetime, mate, infinite, lines = 1, elo, seed, moves = [] } = limits;
  const isLimited = [depth, nodes, movetime, mate].some((limit) => limit !== undefined);
  if (!isLimited && infinite !== true) {
    throw new TypeError("a search needs a limit: depth, nodes, movetime, mate or infinite");
  }
  if (depth !== undefined) checkNumber("depth", depth, true, 1, 245);
  if (nodes !== undefined) checkNumber("nodes", nodes, true, 1, Number.MAX_SAFE_INTEGER);
  if (movetime !== undefined) checkNumber("movetime", movetime, false, 1, 1e9);
  if (mate !== undefined) checkNumber("mate", mate, true, 1, 122);
  checkNumber("lines", lines, true, 1, 256);
  if (elo !== undefined) checkNumber("elo", elo, true, 100, 2800);
  if (seed !== undefined) checkNumber("seed", seed, true, 0, Number.MAX_SAFE_INTEGER);
  const position = positionOf(game);
  return {
    numbers: [
      depth ?? 0,
      nodes ?? 0,
      movetime ?? 0,
      mate ?? 0,
      lines,
      elo ?? 0,
      seed ?? Math.floor(Math.random() * Number.MAX_SAFE_INTEGER),
    ],
    moves: Array.from(moves, (move) => bitsOf(position.move(move))),
  };
}

/** The position to search. */
export function positionOf(game) {
  if (game instanceof Position) return game;
  if (game instanceof Game) return game.position;
  throw new TypeError("a search needs a Position or a Game");
}

/** A line in the form that can be sent from a worker. */
function takeLine() {
  const [depth, selectiveDepth, rank, isMate, score, bound, win, draw, loss, nodes, hashfull, time, length] = numbers();
  const moves = Array.from(u16().subarray(MOVES / 2, MOVES / 2 + length));
  return { depth, selectiveDepth, rank, isMate, score, bound, win, draw, loss, nodes, hashfull, time, moves };
}

/** A line as users get it. */
export function presentLine(raw, position) {
  const { depth, selectiveDepth, rank, nodes, hashfull, time, win, draw, loss } = raw;
  // Not minus zero.
  const white = position.turn === "white" ? raw.score : 0 - raw.score;
  return {
    depth,
    selectiveDepth,
    rank,
    score: raw.isMate ? { mate: raw.score } : { cp: raw.score },
    whiteScore: raw.isMate ? { mate: white } : { cp: white },
    bound: BOUNDS[raw.bound],
    wdl: { win, draw, loss },
    nodes,
    time,
    hashfull,
    moves: raw.moves.map((bits) => moveOf(bits, position.isChess960)),
  };
}

/** A result as users get it. */
export function presentResult(raw, position) {
  const move = (bits) => (bits === 0 ? undefined : moveOf(bits, position.isChess960));
  return {
    best: move(raw.best),
    ponder: move(raw.ponder),
    lines: raw.lines.map((line) => presentLine(line, position)),
    nodes: raw.nodes,
    time: raw.time,
  };
}

/** Searches with everything in the form for workers. */
export let rawSearch;

/** Searches positions on the calling thread, which waits: for programs with a worker of their own. */
export class Engine {
  #handle;
  #born = generation;
  #isSearching = false;

  static {
    rawSearch = (engine, load, checked, onLine, isStopped) => engine.#search(load, checked, onLine, isStopped);
  }

  /** An engine with a transposition table of `hash` MiB. */
  constructor({ hash = 16 } = {}) {
    this.#handle = wasm.engine_new(checkHash(hash));
    if (this.#handle < 0) throw new EngineError("out-of-memory", `no memory for a hash table of ${hash} MiB`);
    this.#born = generation;
    forgotten.register(this, { handle: this.#handle, born: this.#born }, this);
  }

  #checkFree() {
    if (this.#handle < 0) throw new EngineError("freed", "the engine was freed");
    if (this.#born !== generation) throw new EngineError("lost", "the engine ended with its instance: make a new one");
    if (this.#isSearching) throw new EngineError("busy", "the engine is searching");
  }

  #search(load, checked, onLine, isStopped) {
    this.#checkFree();
    const outer = { poll: hooks.poll, report: hooks.report };
    const lines = [];
    let failure;
    const attempt = (call, fallback) => {
      if (failure !== undefined) return fallback;
      try {
        return call();
      } catch (error) {
        // Through the instance no exception may pass.
        failure = { error };
        return fallback;
      }
    };
    this.#isSearching = true;
    try {
      load();
      writeMoves(checked.moves);
      numbers().set(checked.numbers);
      hooks.poll = () => (attempt(isStopped, true) || failure !== undefined ? 1 : 0);
      hooks.report = (kind) => {
        const line = takeLine();
        if (kind === 1) lines.push(line);
        else attempt(() => onLine(line));
      };
      wasm.engine_search(this.#handle, checked.moves.length);
    } finally {
      Object.assign(hooks, outer);
      this.#isSearching = false;
    }
    if (failure !== undefined) throw failure.error;
    const [best, ponder, nodes, time] = numbers();
    return { best, ponder, lines, nodes, time };
  }

  /**
   * Searches a position or a game. `onLine` gets every line that is found; `limits.stop` is asked about every
   * millisecond whether the search is to end.
   */
  search(game, limits, onLine = () => {}) {
    const position = positionOf(game);
    const checked = checkLimits(game, limits);
    const present = (line) => onLine(presentLine(line, position));
    const raw = this.#search(() => loadGame(game), checked, present, limits.stop ?? (() => false));
    return presentResult(raw, position);
  }

  /** Forgets everything: the next search is like the first. */
  clear() {
    this.#checkFree();
    wasm.engine_clear(this.#handle);
  }

  /** Gives the memory back at once; otherwise that happens when the engine is garbage. */
  free() {
    if (this.#handle < 0) return;
    if (this.#isSearching) throw new EngineError("busy", "the engine is searching");
    forgotten.unregister(this);
    if (isCurrent(this.#born)) wasm.engine_free(this.#handle);
    this.#handle = -1;
  }
}

// `using engine = new Engine()`
if (Symbol.dispose) Engine.prototype[Symbol.dispose] = Engine.prototype.free;
