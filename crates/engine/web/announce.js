// @ts-check
// Announcements for screen readers: moves, results and the engine's evaluation. There are two live regions, so that one
// does not cut off the other.

import { byId, write } from "./dom.js";
import { scoreWords } from "./format.js";
import { typeName } from "./squares.js";

/** @typedef {import("./app.js").App} App */

/** The shortest time between two announcements of the engine, in milliseconds. */
const ENGINE_PAUSE = 6000;

/**
 * A SAN move as it is spoken: `Nxf3+` is “knight takes f3, check”.
 * @param {string | null | undefined} san
 */
export function spokenMove(san) {
  if (!san) return "";
  if (san === "--") return "null move";
  const ending = san.endsWith("#") ? ", checkmate" : san.endsWith("+") ? ", check" : "";
  const bare = san.replace(/[+#]$/, "");
  if (bare === "O-O") return `castles kingside${ending}`;
  if (bare === "O-O-O") return `castles queenside${ending}`;
  const [move, promotion] = bare.split("=");
  const piece = /^[NBRQK]/.test(move) ? `${typeName(move[0])} ` : "";
  const rest = move
    .slice(piece ? 1 : 0)
    .replace("x", " takes ")
    .trim();
  return `${piece}${rest}${promotion ? ` promotes to ${typeName(promotion)}` : ""}${ending}`;
}

/** @param {App} app */
export function mountVoice(app) {
  const { store } = app;
  /** @type {string | null} */
  let last = null;
  store.on(["position"], () => {
    const position = store.get("position");
    const node = app.node();
    if (!position || !node) return;
    const over = position.play?.over ?? position.outcome;
    const announced = `${node.id} ${over?.text ?? ""}`;
    if (last !== null && announced !== last) {
      const move = node.san
        ? `${node.color === "white" ? "White" : "Black"}: ${spokenMove(node.san)}.`
        : "Start of the game.";
      write(byId("spoken-moves"), `${move} ${over ? `${over.text}.` : ""}`);
    }
    last = announced;
  });

  let spoken = { at: 0, words: "" };
  store.on(["analysis"], () => {
    const analysis = store.get("analysis");
    const line = analysis?.lines[0];
    if (!analysis || !line || (analysis.depth < 10 && analysis.status !== "done")) return;
    const words = `${scoreWords(line.score)}, best move ${spokenMove(line.san[0])}.`;
    if (words === spoken.words || performance.now() - spoken.at < ENGINE_PAUSE) return;
    spoken = { at: performance.now(), words };
    write(byId("spoken-engine"), `Depth ${line.depth}: ${words}`);
  });
}

/**
 * Announces something at once, in the live region of the moves.
 * @param {string} words
 */
export const say = (words) => write(byId("spoken-moves"), words);
