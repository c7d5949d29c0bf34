// What a screen reader says: moves, results and the engine's opinion. Two voices, so that one does not swallow the other.

import { byId, write } from "./dom.js";
import { scoreWords } from "./format.js";
import { typeName } from "./squares.js";

/** The engine speaks at most this often. */
const ENGINE_PAUSE = 6000;

/** A move in SAN as one would say it: `Nxf3+` is “knight takes f3, check”. */
export function spokenMove(san) {
  if (!san) return "";
  if (san === "--") return "pass";
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

export function mountVoice(app) {
  const { store } = app;
  let last = null;
  store.on(["position"], () => {
    const position = store.get("position");
    const node = app.node();
    if (!position || !node) return;
    const over = position.play?.over ?? position.outcome;
    const told = `${node.id} ${over?.text ?? ""}`;
    if (last !== null && told !== last) {
      const move = node.san
        ? `${node.color === "white" ? "White" : "Black"}: ${spokenMove(node.san)}.`
        : "Start of the game.";
      write(byId("spoken-moves"), `${move} ${over ? `${over.text}.` : ""}`);
    }
    last = told;
  });

  let spoken = { at: 0, words: "" };
  store.on(["analysis"], () => {
    const analysis = store.get("analysis");
    const line = analysis?.lines[0];
    if (!line || (analysis.depth < 10 && analysis.status !== "done")) return;
    const words = `${scoreWords(line.score)}, best move ${spokenMove(line.san[0])}.`;
    if (words === spoken.words || performance.now() - spoken.at < ENGINE_PAUSE) return;
    spoken = { at: performance.now(), words };
    write(byId("spoken-engine"), `Depth ${line.depth}: ${words}`);
  });
}

/** Says something right away, in the voice of the moves. */
export const say = (words) => write(byId("spoken-moves"), words);
