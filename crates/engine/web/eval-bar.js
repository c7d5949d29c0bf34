// @ts-check
// The evaluation bar beside the board.

import { byId, el, set, write } from "./dom.js";
import { scoreText, scoreWords, whiteShare } from "./format.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").ScoreEntry} ScoreEntry */

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
  const narrow = matchMedia("(max-width: 859px)");

  const draw = () => {
    const position = store.get("position");
    // During a game the bar would give hints.
    const score = app.playing() ? null : currentScore(app);
    root.classList.toggle("silent", Boolean(app.playing()) || store.get("draft") !== null);
    root.classList.toggle("flipped", store.get("flipped"));
    // Between two positions the old value stays until the engine has a new one.
    if (!position || (!score && store.get("engine"))) return;
    const share = score ? whiteShare(score, position.turn) : 0.5;
    white.style.transform = narrow.matches ? `scaleX(${share})` : `scaleY(${share})`;
    white.style.transformOrigin = narrow.matches ? "left" : "";
    value.className = share >= 0.5 ? "value for-white" : "value for-black";
    write(value, score ? barText(score) : "");
    set(root, { "aria-label": `Evaluation: ${scoreWords(score)}`, title: scoreWords(score) });
  };
  narrow.addEventListener("change", draw);
  store.on(["position", "tree", "analysis", "flipped", "engine", "draft"], draw);
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
