// @ts-check
// The end of a game against the engine: the result in the reader's words, and what can be done next.

import { button, byId, el, write } from "./dom.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").EndReason} EndReason */
/** @typedef {import("./protocol").OverEntry} OverEntry */
/** @typedef {import("./protocol").PlayEntry} PlayEntry */
/** @typedef {import("./protocol").PlayFrom} PlayFrom */
/** @typedef {import("./protocol").State} State */

/** @type {{ [reason in EndReason]: string }} */
const REASONS = {
  checkmate: "by checkmate",
  stalemate: "by stalemate",
  insufficient_material: "by insufficient material",
  fivefold_repetition: "by fivefold repetition",
  seventy_five_moves: "by the 75-move rule",
  dead_position: "by dead position",
  resignation: "by resignation",
  agreement: "by agreement",
  threefold_repetition: "by threefold repetition",
  fifty_moves: "by the 50-move rule",
  time: "on time",
  time_insufficient_material: "",
};

/**
 * The end as a phrase: “You won by checkmate”.
 * @param {PlayEntry} play
 * @param {OverEntry} over
 */
export function endText({ color }, over) {
  if (over.reason === "time_insufficient_material") {
    const isReader = over.text.toLowerCase().startsWith(color);
    return isReader ? "Draw: your time is up, but Ferz cannot mate" : "Draw: Ferz's time is up, but you cannot mate";
  }
  if (over.result === "1/2-1/2") return `Draw ${REASONS[over.reason]}`;
  return `You ${isWon(color, over) ? "won" : "lost"} ${REASONS[over.reason]}`;
}

/**
 * @param {PlayEntry["color"]} color
 * @param {OverEntry} over
 */
const isWon = (color, over) => over.result === (color === "white" ? "1-0" : "0-1");

/**
 * Where a rematch starts: as the game did. From a position that was set up, it becomes a variation.
 * @param {State} position
 * @param {PlayEntry} play
 * @returns {PlayFrom}
 */
function startOf({ chess960, headers, start_number: number }, { from_ply: ply }) {
  if (ply > 0) return "here";
  if (chess960) return number === null ? "here" : "chess960";
  return headers.some(([name]) => name === "FEN") ? "here" : "start";
}

/**
 * Starts the same game again with the colours swapped.
 * @param {App} app
 */
async function rematch(app) {
  const position = app.store.get("position");
  const play = position?.play;
  if (!position || !play) return;
  const from = startOf(position, play);
  if (from === "here" && !(await app.do({ type: "go", node: play.from }))) return;
  const { level, clock, book } = play;
  const answer = await app.do({
    type: "play",
    color: play.color === "white" ? "black" : "white",
    level,
    clock: clock && { initial_ms: clock.initial_ms, increment_ms: clock.increment_ms },
    from,
    book,
  });
  // The button with the focus is gone; from the board the arrow keys step through the game.
  if (answer) byId("board").focus();
}

/**
 * The card of a finished game.
 * @param {App} app
 */
export function mountGameEnd(app) {
  const { store } = app;
  const title = el("h2", { class: "game-status" });
  const against = el("p", { class: "soft" });
  const again = button("Rematch", () => rematch(app), { class: "primary", id: "rematch" });
  const review = button("Review the game", () => {
    store.set({ tab: "review" });
    app.do({ type: "review", depth: store.get("depth") });
  });
  const leave = button("New game", () => app.do({ type: "leave" }), { id: "new-game" });
  const card = el(
    "div",
    { class: "card stack game-end", id: "game-end" },
    title,
    against,
    el("div", { class: "row-of close" }, again, review, leave),
  );
  store.on(["position", "welcome"], () => {
    const position = store.get("position");
    const play = position?.play;
    const over = play?.over;
    card.hidden = !over;
    if (!position || !over) return;
    write(title, endText(play, over));
    const isDraw = over.result === "1/2-1/2";
    card.dataset.end = isDraw ? "draw" : isWon(play.color, over) ? "won" : "lost";
    const level = store.get("welcome")?.levels.find(({ id }) => id === play.level);
    write(against, level ? `Against Ferz, ${level.name}${level.elo === null ? "" : ` (${level.elo})`}` : "");
    again.title = `The same game as ${play.color === "white" ? "Black" : "White"}`;
  });
  return card;
}
