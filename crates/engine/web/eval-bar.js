// @ts-check
// The evaluation bar beside the board.

import { byId, el, set, write } from "./dom.js";
import { scoreText, scoreWords, whiteShare } from "./format.js";
import { ONE_COLUMN } from "./layout.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").ColorName} ColorName */
/** @typedef {import("./protocol").ScoreEntry} ScoreEntry */
/** @typedef {import("./protocol").State} State */

/**
 * The score of the current position: the engine's, or the one in the game.
 * @param {App} app
 */
export function currentScore(app) {
  return app.store.get("analysis")?.lines[0]?.score ?? app.node()?.eval?.score ?? null;
}

/** @param {App} app */
export function mountEvalBar(app) {
  const { store } = app;
  const root = byId("eval-bar");
  const white = el("div", { class: "white" });
  const value = el("span", { class: "value" });
  root.append(white, el("div", { class: "middle" }), value);
  const narrow = matchMedia(ONE_COLUMN);
  root.classList.add("silent");

  const draw = () => {
    const { position, flipped, draft, engine } = store.values;
    // During a game the bar would give hints.
    const isSilent = !position || Boolean(app.playing()) || draft !== null;
    const shown = isSilent ? null : (barOfEnd(position) ?? barOfScore(currentScore(app), position.turn));
    root.classList.toggle("flipped", flipped);
    if (!shown) {
      // Between two positions the old value stays until the engine has a new one. Otherwise there is no bar: an empty
      // one would say that the position is equal.
      if (isSilent || !engine) root.classList.add("silent");
      return;
    }
    root.classList.remove("silent");
    const { share, text, words } = shown;
    white.style.transform = narrow.matches ? `scaleX(${share})` : `scaleY(${share})`;
    white.style.transformOrigin = narrow.matches ? "left" : "";
    value.className = share >= 0.5 ? "value for-white" : "value for-black";
    write(value, text);
    set(root, { "aria-label": `Evaluation: ${words}`, title: words });
  };
  narrow.addEventListener("change", draw);
  store.on(["position", "tree", "analysis", "flipped", "engine", "draft"], draw);
}

/**
 * The bar of a game that is over by mate or drawn: full for the winner, half for a draw.
 * @param {State} position
 */
function barOfEnd({ outcome, play, node }) {
  const over = outcome ?? (play?.head === node ? play.over : null);
  if (over?.result === "1/2-1/2") return { share: 0.5, text: "½", words: "draw" };
  if (over?.reason !== "checkmate") return null;
  return { share: over.result === "1-0" ? 1 : 0, text: over.result, words: over.text };
}

/**
 * The bar of a position with an evaluation.
 * @param {ScoreEntry | null} score
 * @param {ColorName} turn
 */
function barOfScore(score, turn) {
  return score && { share: whiteShare(score, turn), text: barText(score), words: scoreWords(score) };
}

/**
 * The bar is narrow: one decimal, no sign.
 * @param {ScoreEntry} score
 */
function barText(score) {
  if ("mate" in score) return scoreText(score).replace("−", "");
  return Math.abs(score.cp) >= 1000
    ? String(Math.round(Math.abs(score.cp) / 100))
    : (Math.abs(score.cp) / 100).toFixed(1);
}
