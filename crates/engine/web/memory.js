// @ts-check
// What outlives the page: the game and the settings in the browser's storage, and whole games in links.
//
// A tab remembers its own game (`sessionStorage`), so that two tabs do not mix theirs. A new tab starts with the game
// that was saved last (`localStorage`).

/**
 * A game as the page keeps it; a link holds a part of it.
 * @typedef {object} SavedGame
 * @property {string} [pgn]
 * @property {string} [path]
 * @property {string | null} [fen]
 * @property {import("./protocol").SavedPlay | null} [play]
 * @property {number | null} [library] Its number in the library.
 * @property {string} [board] The current position, to be shown before there is a session.
 */

/**
 * The version of what is saved: `{ version, data }`. Data without a version is older, and is read as it is. Data of a
 * newer version is neither read nor overwritten.
 */
const VERSION = 1;

const GAME = "ferz-game";
const PLACE = "ferz-place";
const SETTINGS = "ferz-settings";
const PUZZLES = "ferz-puzzles";
const DRAFT = "ferz-draft";
const SCORES = "ferz-coordinates";

/** @typedef {() => Storage} OpenStorage Opening a storage fails where the browser forbids it. */
/** @type {OpenStorage} */
const ofTab = () => sessionStorage;
/** @type {OpenStorage} */
const ofAllTabs = () => localStorage;

/**
 * @param {OpenStorage} storage
 * @param {string} name
 * @returns {{ version: number, data: any }}
 */
function readVersioned(storage, name) {
  try {
    const kept = JSON.parse(storage().getItem(name) ?? "null");
    return typeof kept?.version === "number" ? kept : { version: 0, data: kept };
  } catch {
    // Storage may be forbidden or damaged; the page works without it.
    return { version: 0, data: null };
  }
}

/**
 * @param {OpenStorage} storage
 * @param {string} name
 * @returns {any}
 */
function read(storage, name) {
  const { version, data } = readVersioned(storage, name);
  return version <= VERSION ? data : null;
}

/** Whether a newer version of the page has saved something that this one does not understand. */
export const isKeptByNewerPage = () =>
  [ofTab, ofAllTabs].some((storage) =>
    [GAME, PLACE, SETTINGS, PUZZLES].some((name) => readVersioned(storage, name).version > VERSION),
  );

/**
 * Returns whether at least one storage accepted the value.
 * @param {string} name
 * @param {unknown} value
 */
function write(name, value) {
  return writeTo([ofTab, ofAllTabs], name, value);
}

/**
 * Returns whether at least one of these storages accepted the value.
 * @param {OpenStorage[]} storages
 * @param {string} name
 * @param {unknown} value
 */
function writeTo(storages, name, value) {
  const text = JSON.stringify({ version: VERSION, data: value });
  const kept = storages.map((storage) => {
    if (readVersioned(storage, name).version > VERSION) return false;
    try {
      storage().setItem(name, text);
      return true;
    } catch {
      return false;
    }
  });
  return kept.includes(true);
}

/** @returns {SavedGame | null} */
export function savedGame() {
  const storage = [ofTab, ofAllTabs].find((one) => read(one, GAME));
  return storage ? { pgn: read(storage, GAME), ...read(storage, PLACE) } : null;
}

/**
 * Saves the tree. Returns whether that was possible.
 * @param {string} pgn
 */
export const saveGame = (pgn) => write(GAME, pgn);

/**
 * Saves the current position and the game being played. This is small, because it changes with every step.
 * @param {import("./protocol").State} position
 * @param {number | null} [library] The number of the game in the library.
 */
export const savePlace = ({ path, play, board }, library = null) => write(PLACE, { path, play, board, library });

/**
 * The saved settings; those that were not saved have their defaults.
 * @template {object} T
 * @param {T} defaults
 * @returns {T}
 */
export const savedSettings = (defaults) => ({ ...defaults, ...read(ofAllTabs, SETTINGS), ...read(ofTab, SETTINGS) });

/** @param {object} settings */
export const saveSettings = (settings) => write(SETTINGS, settings);

/**
 * The puzzles of all tabs.
 * @returns {import("./puzzle-box.js").Card[]}
 */
export function savedPuzzles() {
  const cards = read(ofAllTabs, PUZZLES);
  return Array.isArray(cards) ? cards : [];
}

/**
 * Saves the puzzles for all tabs. Returns whether that was possible.
 * @param {import("./puzzle-box.js").Card[]} cards
 */
export const savePuzzles = (cards) => writeTo([ofAllTabs], PUZZLES, cards);

/** @typedef {import("./setup.js").Draft} Draft */

/**
 * The position that is being set up in this tab.
 * @returns {Draft | null}
 */
export const savedDraft = () => read(ofTab, DRAFT);

/** @param {Draft | null} draft */
export function saveDraft(draft) {
  try {
    sessionStorage.setItem(DRAFT, JSON.stringify({ version: VERSION, data: draft }));
  } catch {
    // Without storage the draft lives as long as the page.
  }
}

/**
 * Scores of the coordinate trainer.
 * @returns {import("./trainer.js").Scores | null}
 */
export const savedScores = () => read(ofAllTabs, SCORES);

/** @param {import("./trainer.js").Scores} scores */
export const saveScores = (scores) => write(SCORES, scores);

// ---- links ----

/**
 * @typedef {new (format: "deflate-raw") => ReadableWritablePair<Uint8Array, Uint8Array>} Compressor
 * @typedef {{ CompressionStream: Compressor, DecompressionStream: Compressor }} Compressors
 */

/** The type definitions of TypeScript 4.8 do not have these classes. */
const compressors = /** @type {Compressors} */ (/** @type {unknown} */ (globalThis));

/** @param {Uint8Array} bytes */
function toBase64Url(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} text */
function fromBase64Url(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

/**
 * Compresses or decompresses bytes. Throws if the output exceeds `limit` bytes.
 * @param {ReadableWritablePair<Uint8Array, Uint8Array>} transform
 * @param {Uint8Array} bytes
 */
async function through(transform, bytes, limit = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const chunks = [];
  let length = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    length += step.value.length;
    if (length > limit) throw new Error("The output is too long.");
    chunks.push(step.value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/**
 * A link that holds the whole tree and the current position.
 * @param {string} pgn
 * @param {string} path
 */
export async function linkTo(pgn, path) {
  const packed = await through(new compressors.CompressionStream("deflate-raw"), new TextEncoder().encode(pgn));
  const at = path ? `&at=${path.replaceAll(" ", ".")}` : "";
  return `${location.origin}${location.pathname}#pgn=${toBase64Url(packed)}${at}`;
}

/** The fields in the fragment of the address. */
function linkFields() {
  /** @type {Map<string, string>} */
  const fields = new Map();
  for (const part of location.hash.slice(1).split("&")) {
    const [name, value = ""] = part.split("=", 2);
    fields.set(name, value);
  }
  return fields;
}

/** Whether there is a game in the address. */
export const hasLink = () => ["fen", "pgn"].some((name) => linkFields().has(name));

/**
 * The game in the fragment of the address, or `null` if there is none.
 * @param {number} limit Bytes of PGN.
 * @returns {Promise<SavedGame | null>}
 */
export async function gameInLink(limit) {
  const fields = linkFields();
  const fen = fields.get("fen");
  if (fen !== undefined) return { fen: decodeURIComponent(fen).replaceAll("_", " ") };
  const packed = fields.get("pgn");
  if (packed === undefined) return null;
  let bytes;
  try {
    bytes = await through(new compressors.DecompressionStream("deflate-raw"), fromBase64Url(packed), limit);
  } catch {
    throw new Error("The game in this link cannot be read. The link is damaged or too long.");
  }
  return { pgn: new TextDecoder().decode(bytes), path: (fields.get("at") ?? "").replaceAll(".", " ") };
}

/**
 * Removes the game from the address: from now on the saved game counts. The tab stays there, or a section of the X-ray.
 * @param {string} tab
 */
export function forgetLink(tab) {
  const place = location.hash
    .slice(1)
    .split("&")
    .find((part) => part !== "" && !part.includes("="));
  history.replaceState(null, "", `${location.pathname}${location.search}#${place ?? tab}`);
}
