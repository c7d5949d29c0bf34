// What outlives the page: the game and the settings in the browser's storage, and whole games in links.
//
// A tab remembers its own game (`sessionStorage`), so that two tabs do not mix theirs; a new tab begins with the game
// that was saved last (`localStorage`).

const GAME = "ferz-game";
const PLACE = "ferz-place";
const SETTINGS = "ferz-settings";

function read(storage, name) {
  try {
    return JSON.parse(storage().getItem(name));
  } catch {
    // Storage may be forbidden, full or spoilt; the page works without.
    return null;
  }
}

function write(name, value) {
  const text = JSON.stringify(value);
  const kept = [ofTab, ofAll].map((storage) => {
    try {
      storage().setItem(name, text);
      return true;
    } catch {
      return false;
    }
  });
  return kept.includes(true);
}

const ofTab = () => sessionStorage;
const ofAll = () => localStorage;

/** The saved game: `{ pgn, path, play }`, or `null`. */
export function savedGame() {
  const storage = [ofTab, ofAll].find((one) => read(one, GAME));
  return storage ? { pgn: read(storage, GAME), ...read(storage, PLACE) } : null;
}

/** Saves the tree; says whether that was possible. */
export const saveGame = (pgn) => write(GAME, pgn);

/** Saves where one is in it and the game being played: little, because it changes with every step. */
export const savePlace = (path, play) => write(PLACE, { path, play });

/** Settings are merged with what is new since they were saved. */
export const savedSettings = (defaults) => ({ ...defaults, ...read(ofAll, SETTINGS), ...read(ofTab, SETTINGS) });

export const saveSettings = (settings) => write(SETTINGS, settings);

// ---- links ----

function toBase64Url(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

/** Sends bytes through a (de)compressor and gives what comes out, refusing more than `limit` bytes of it. */
async function through(transform, bytes, limit = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const chunks = [];
  let length = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    length += step.value.length;
    if (length > limit) throw new Error("The game in this link is too large.");
    chunks.push(step.value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** A link that holds the whole tree and the place in it. */
export async function linkTo(pgn, path) {
  const packed = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(pgn));
  const at = path ? `&at=${path.replaceAll(" ", ".")}` : "";
  return `${location.origin}${location.pathname}#pgn=${toBase64Url(packed)}${at}`;
}

/** The game in the fragment of the address: `{ pgn, path }` or `{ fen }`; `null` if there is none. */
export async function gameInLink(limit) {
  const fields = new Map(
    location.hash
      .slice(1)
      .split("&")
      .map((part) => part.split("=", 2)),
  );
  if (fields.has("fen")) return { fen: decodeURIComponent(fields.get("fen")).replaceAll("_", " ") };
  if (!fields.has("pgn")) return null;
  let bytes;
  try {
    bytes = await through(new DecompressionStream("deflate-raw"), fromBase64Url(fields.get("pgn")), limit);
  } catch {
    throw new Error("The game in this link cannot be read: the link is damaged or too long.");
  }
  return { pgn: new TextDecoder().decode(bytes), path: (fields.get("at") ?? "").replaceAll(".", " ") };
}

/** Takes the game out of the address: from now on it is the saved one that counts. */
export const forgetLink = () => history.replaceState(null, "", location.pathname);
