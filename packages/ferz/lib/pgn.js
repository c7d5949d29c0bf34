// PGN: reading and writing games.
import { PgnError } from "./errors.js";
import {
  decodeText,
  generation,
  hooks,
  isCurrent,
  readError,
  readOutput,
  releaseInput,
  u8,
  u32,
  wasm,
  writeText,
} from "./instance.js";
import { moveOf, sanOf } from "./move.js";
import { Position } from "./position.js";

const RESULTS = ["*", "1-0", "0-1", "1/2-1/2"];
const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/** The events of crates/javascript/src/pgn.rs. */
const TAG_NAME = 0;
const STARTED = 2;
const MOVE = 3;
const COMMENT = 4;
const NAG = 5;
const BEGIN_VARIATION = 6;
const END_VARIATION = 7;
const UNREAD = 8;
const PROBLEM = 9;
const END_GAME = 11;
const CUT = 12;

class PgnGame {
  headers = new Map();
  /** The FEN of the start position; undefined if it is not known. */
  start = undefined;
  moves = [];
  comments = undefined;
  unread = undefined;
  result = "*";
  diagnostics = [];
}

class PgnMove {
  constructor(san, move) {
    this.san = san;
    this.uci = move === undefined ? "0000" : move.uci;
    this.move = move;
    this.comments = undefined;
    this.commentsBefore = undefined;
    this.nags = undefined;
    this.variations = undefined;
    this.unread = undefined;
  }
}

/** The games of a batch of events, and the problems behind the last one. */
function decodeBatch(handle) {
  const length = wasm.pgn_events_length(handle);
  const first = wasm.pgn_events_address(handle) / 4;
  const text = decodeText(wasm.pgn_text_address(handle), wasm.pgn_text_length(handle));
  const words = u32();
  const games = [];
  let game = new PgnGame();
  /** The present line, and those around it. */
  let line = game.moves;
  let outer = [];
  /** What comes before the first move of a variation. */
  let commentsBefore;
  let nagsBefore;
  let at = first;
  let textAt = 0;
  const takeText = () => {
    at += 2;
    const start = textAt;
    textAt += words[at - 1];
    return text.substring(start, textAt);
  };
  while (at < first + length) {
    switch (words[at]) {
      case TAG_NAME: {
        const name = takeText();
        const value = takeText();
        if (!game.headers.has(name)) game.headers.set(name, value);
        break;
      }
      case STARTED:
        game.start = takeText() || START;
        break;
      case MOVE: {
        const bits = words[at + 1];
        const san = sanOf(words[at + 2], words[at + 3]);
        const move = new PgnMove(san, bits === 0 ? undefined : moveOf(bits & 0xffff, bits > 0xffff));
        if (commentsBefore !== undefined) {
          move.commentsBefore = commentsBefore;
          commentsBefore = undefined;
        }
        if (nagsBefore !== undefined) {
          move.nags = nagsBefore;
          nagsBefore = undefined;
        }
        line.push(move);
        at += 4;
        break;
      }
      case COMMENT: {
        const comment = takeText();
        if (line.length > 0) (line[line.length - 1].comments ??= []).push(comment);
        else if (outer.length > 0) (commentsBefore ??= []).push(comment);
        else (game.comments ??= []).push(comment);
        break;
      }
      case NAG: {
        const nag = words[at + 1];
        if (line.length > 0) (line[line.length - 1].nags ??= []).push(nag);
        else if (outer.length > 0) (nagsBefore ??= []).push(nag);
        at += 2;
        break;
      }
      case BEGIN_VARIATION: {
        const variation = [];
        (line[line.length - 1].variations ??= []).push(variation);
        outer.push(line);
        line = variation;
        at += 1;
        break;
      }
      case END_VARIATION: {
        const isEmpty = line.length === 0;
        line = outer.pop();
        const replaced = line[line.length - 1];
        if (isEmpty) {
          replaced.variations.pop();
          if (replaced.variations.length === 0) replaced.variations = undefined;
          if (commentsBefore !== undefined) (replaced.comments ??= []).push(...commentsBefore);
          if (nagsBefore !== undefined) (replaced.nags ??= []).push(...nagsBefore);
          commentsBefore = nagsBefore = undefined;
        }
        at += 1;
        break;
      }
      case UNREAD: {
        const unread = takeText();
        const place = line[line.length - 1] ?? outer[outer.length - 1]?.at(-1) ?? game;
        (place.unread ??= []).push(unread);
        break;
      }
      case PROBLEM: {
        const [, lineNumber, column, low, high, number, ply] = words.subarray(at, at + 7);
        at += 7;
        const [code, message, token] = [takeText(), takeText(), takeText()];
        const byte = high * 2 ** 32 + low;
        game.diagnostics.push({ code, message, line: lineNumber, column, byte, game: number, ply, token });
        break;
      }
      case CUT:
        game.diagnostics.push({
          code: "too-large",
          message: "the game is too large; its end is missing",
          line: 0,
          column: 0,
          byte: 0,
          game: 0,
          ply: 0,
          token: "",
        });
        at += 1;
        break;
      case END_GAME:
        game.result = RESULTS[words[at + 1]];
        at += 2;
        games.push(game);
        game = new PgnGame();
        line = game.moves;
        outer = [];
        commentsBefore = nagsBefore = undefined;
        break;
      default:
        throw new Error(`unknown event ${words[at]}`);
    }
  }
  return { games, trailing: game.diagnostics };
}

/** The sources of open readers, by handle. */
const sources = new Map();

hooks.read = (handle, address, length) => {
  const source = sources.get(handle);
  try {
    return source.read(address, length);
  } catch (error) {
    source.error = error;
    return -1;
  }
};

const encoder = new TextEncoder();

/** Copies chunks of text and bytes into the instance, a part at a time. */
class Source {
  constructor(chunks) {
    this.chunks = chunks[Symbol.iterator]();
    this.chunk = "";
    this.error = undefined;
  }

  read(address, length) {
    while (this.chunk.length === 0) {
      const { done, value } = this.chunks.next();
      if (done) return 0;
      if (typeof value !== "string" && !(value instanceof Uint8Array)) {
        throw new TypeError("PGN is text or bytes (Uint8Array)");
      }
      this.chunk = value;
    }
    // The chunks may have come from code that made the memory grow.
    const target = u8().subarray(address, address + length);
    if (typeof this.chunk === "string") {
      const { read, written } = encoder.encodeInto(this.chunk, target);
      this.chunk = this.chunk.substring(read);
      return written;
    }
    const part = this.chunk.subarray(0, length);
    target.set(part);
    this.chunk = this.chunk.subarray(part.length);
    return part.length;
  }
}

function chunksOf(source) {
  if (typeof source === "string" || source instanceof Uint8Array) return [source];
  if (source instanceof ArrayBuffer) return [new Uint8Array(source)];
  if (typeof source?.[Symbol.iterator] === "function") return source;
  throw new TypeError("PGN is text, bytes (Uint8Array), or an iterable of such parts");
}

/** Closes readers that were garbage-collected before their end. */
const forgotten = new FinalizationRegistry(({ handle, born }) => close(handle, born));

function close(handle, born) {
  if (isCurrent(born) && sources.delete(handle)) wasm.pgn_close(handle);
}

/**
 * Reads games one after the other: `for (const game of readPgn(text))`. The source is text, bytes, or an iterable of
 * such parts; memory is that of one part and some games.
 */
export function* readPgn(source) {
  const handle = wasm.pgn_open();
  const born = generation;
  const own = new Source(chunksOf(source));
  sources.set(handle, own);
  const token = {};
  forgotten.register(token, { handle, born }, token);
  try {
    /** The last game, which also gets the problems behind it. */
    let last;
    for (let more = true; more;) {
      const status = wasm.pgn_read(handle);
      if (own.error !== undefined) throw own.error;
      if (status > 1) throw new PgnError("busy", "the source of a reader reads from the same reader");
      more = status === 1;
      const { games, trailing } = decodeBatch(handle);
      for (const game of games) {
        if (last !== undefined) yield last;
        last = game;
      }
      if (trailing.length > 0) {
        if (last === undefined) throw new PgnError(trailing[0].code, trailing[0].message, trailing);
        last.diagnostics.push(...trailing);
      }
    }
    if (last !== undefined) yield last;
  } finally {
    forgotten.unregister(token);
    close(handle, born);
  }
}

/** All games of a text. */
export function parsePgn(source) {
  return [...readPgn(source)];
}

const EVENT_TAG = '[Event "';

/** Where the last game begins that surely begins in these bytes: behind an empty line, with an Event tag. */
function lastGameStart(bytes) {
  for (let at = bytes.length - EVENT_TAG.length; at >= 2; at--) {
    if (bytes[at] !== 91) continue;
    let isTag = true;
    for (let index = 1; isTag && index < EVENT_TAG.length; index++) {
      isTag = bytes[at + index] === EVENT_TAG.charCodeAt(index);
    }
    if (!isTag || bytes[at - 1] !== 10) continue;
    if (bytes[at - 2] === 10 || (bytes[at - 2] === 13 && bytes[at - 3] === 10)) return at;
  }
  return 0;
}

/** Waits for this much before it looks for the end of a game. */
const PART = 1 << 18;

/** Reads games from a stream: `for await (const game of readPgnStream(response.body))`. */
export async function* readPgnStream(stream) {
  /** What was read before the present part. */
  let [games, lines, bytes] = [0, 0, 0];
  let kept = new Uint8Array();
  let parts = [];
  let size = 0;
  function* readPart(end) {
    const part = new Uint8Array(kept.length + size);
    let at = 0;
    for (const piece of [kept, ...parts]) {
      part.set(piece, at);
      at += piece.length;
    }
    const cut = end ? part.length : lastGameStart(part);
    kept = part.subarray(cut);
    parts = [];
    size = 0;
    if (cut === 0) return;
    const whole = part.subarray(0, cut);
    let count = 0;
    for (const game of readPgn(whole)) {
      count += 1;
      for (const problem of game.diagnostics) {
        problem.game += games;
        problem.line += lines;
        problem.byte += bytes;
      }
      yield game;
    }
    games += count;
    bytes += cut;
    for (const byte of whole) if (byte === 10) lines += 1;
  }
  for await (const chunk of chunksOfStream(stream)) {
    const piece = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
    if (!(piece instanceof Uint8Array)) throw new TypeError("PGN is text or bytes (Uint8Array)");
    parts.push(piece);
    size += piece.length;
    // What is kept may be one large game: look again only when there is twice as much.
    if (size >= Math.max(PART, kept.length)) yield* readPart(false);
  }
  yield* readPart(true);
}

/** Not every browser can iterate over a ReadableStream. */
async function* chunksOfStream(stream) {
  if (typeof stream?.getReader !== "function") return yield* stream;
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

/** What could be a move. The reader decides, but must not find anything else in the text. */
const MOVE_TOKEN = /^(?:[a-zA-Z][a-zA-Z0-9=+#:/()-]{0,15}|0-0(?:-0)?[+#]?|0000|--)$/;
const TAG = /^[A-Za-z0-9_]{1,255}$/;

function tagText(name, value) {
  if (!TAG.test(name)) throw new PgnError("bad-tag", `not the name of a tag: ${JSON.stringify(name)}`);
  const text = String(value)
    .replace(/[\r\n]+/g, " ")
    .replace(/["\\]/g, "\\$&");
  return `[${name} "${text}"]\n`;
}

function commentText(comment) {
  return ` {${String(comment)
    .replaceAll("}", ")")
    .replace(/[\r\n]+/g, " ")}}`;
}

/** A move with everything that belongs to it, except its variations. */
function moveText(move) {
  if (typeof move === "string") move = { san: move };
  const token = move.san ?? move.uci ?? move.move?.uci;
  if (typeof token !== "string" || !MOVE_TOKEN.test(token)) {
    throw new PgnError("not-a-move", `not a move: ${JSON.stringify(token ?? null)}`);
  }
  let text = (move.commentsBefore ?? []).map(commentText).join("");
  text += ` ${token}`;
  for (const nag of move.nags ?? []) {
    if (!Number.isInteger(nag) || nag < 0 || nag > 255)
      throw new PgnError("bad-nag", "a NAG is a number from 0 to 255");
    text += ` $${nag}`;
  }
  return text + (move.comments ?? []).map(commentText).join("");
}

/** The text of a game as the reader takes it. Variations may be nested deeply, so nothing recurses. */
function roughText(game) {
  const headers = new Map(game.headers instanceof Map ? game.headers : Object.entries(game.headers ?? {}));
  const result = game.result ?? headers.get("Result") ?? "*";
  if (!RESULTS.includes(result)) throw new PgnError("result", `not a result: ${JSON.stringify(result)}`);
  headers.set("Result", result);
  const start = typeof game.start === "string" ? Position.fromFen(game.start, { lenient: true }) : game.start;
  if (start !== undefined && start.fen() !== START && !headers.has("FEN")) {
    if (start.isChess960) headers.set("Variant", "Chess960");
    headers.set("SetUp", "1");
    headers.set("FEN", start.fen({ enPassant: "always" }));
  }
  const parts = [...headers].map(([name, value]) => tagText(name, value));
  parts.push("\n", ...(game.comments ?? []).map(commentText));
  let hasUnread = false;
  const putUnread = (texts) => {
    for (const text of texts ?? []) {
      hasUnread = true;
      parts.push(` ${text}`);
    }
  };
  putUnread(game.unread);
  const lines = [(game.moves ?? [])[Symbol.iterator]()];
  /** The variations of the last move of each line that are not written yet. */
  const pending = [[]];
  while (lines.length > 0) {
    const variation = pending.at(-1).shift();
    if (variation !== undefined) {
      parts.push(" (");
      lines.push(variation[Symbol.iterator]());
      pending.push([]);
      continue;
    }
    const { done, value } = lines.at(-1).next();
    if (done) {
      lines.pop();
      pending.pop();
      if (lines.length > 0) parts.push(")");
      continue;
    }
    parts.push(moveText(value));
    putUnread(value.unread);
    pending[pending.length - 1] = [...(value.variations ?? [])];
  }
  parts.push(` ${result}\n`);
  return { text: parts.join(""), hasUnread };
}

/** Games in the export format of PGN. */
export function writePgn(games, options = {}) {
  const { lineWidth = 79, comments = true, variations = true, nags = true, symbols = false, roster = true } = options;
  if (!Number.isInteger(lineWidth) || lineWidth < 1) throw new RangeError("a line width is a positive integer");
  const list = Array.isArray(games) ? games : [games];
  const texts = list.map((game) => {
    const { text, hasUnread } = roughText(game);
    const flags = [comments, variations, nags, symbols, roster, hasUnread];
    const bits = flags.reduce((sum, flag, index) => sum | (flag ? 1 << index : 0), 0);
    const length = wasm.pgn_write(writeText(text), Math.min(lineWidth, 1e9), bits);
    try {
      if (length >= 0) return readOutput(length);
      const [code, message, ply] = readError(length & 0x7fffffff);
      throw new PgnError(code, ply === undefined ? message : `${message} (after ply ${ply})`);
    } finally {
      releaseInput();
    }
  });
  return texts.join("\n");
}
