// @ts-check
// The Review panel: a judgement for every move, the evaluation graph, and the accuracy of both sides.

import { segments } from "./controls.js";
import { button, byId, el, hidden, set, write } from "./dom.js";
import { JUDGEMENTS } from "./glyphs.js";
import { Graph } from "./graph.js";
import { importBox } from "./import.js";
import { copyExport, saveExport } from "./share.js";
import { mountVerdict } from "./verdict.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./protocol").Judgement} Judgement */
/** @typedef {import("./protocol").ReviewDepth} ReviewDepth */
/** @typedef {import("./protocol").ReviewProgress} ReviewProgress */
/** @typedef {import("./protocol").SideReview} SideReview */

/** @type {[value: ReviewDepth, text: string][]} */
const DEPTHS = [
  ["quick", "Quick"],
  ["normal", "Normal"],
  ["deep", "Deep"],
];
/**
 * Judgements that the summary lists even if there were none.
 * @type {Judgement[]}
 */
const ALWAYS_LISTED = ["mistake", "blunder"];

/**
 * @param {App} app
 * @param {Board} board
 */
export function mountReview(app, board) {
  const graph = new Graph(app);
  byId("panel-review").append(
    el(
      "div",
      { class: "card stack review-card" },
      el("h2", { class: "visually-hidden" }, "Review"),
      mountVerdict(app, board),
      graph.element,
      graph.words,
      summary(app),
      controls(app),
    ),
    importCard(app),
  );
}

/**
 * The card to load games from; it closes once there is a game.
 * @param {App} app
 */
function importCard(app) {
  const card = el("details", { class: "card import-card" }, el("summary", {}, "Load a game"), importBox(app));
  const { store } = app;
  let isNew = true;
  store.on(["tree"], () => {
    const { root } = store.get("tree");
    if (isNew && root) card.open = root.children.length === 0;
    isNew &&= !root;
  });
  store.on(["games"], () => {
    card.open ||= Boolean(store.get("games"));
  });
  store.on(["loaded"], () => {
    if (!store.get("loaded")) return;
    const hadFocus = card.contains(document.activeElement);
    card.open = false;
    if (hadFocus) card.querySelector("summary")?.focus();
  });
  return card;
}

/** @param {App} app */
function controls(app) {
  const { store } = app;
  const bar = el("progress", { max: "1", "aria-label": "Progress of the review" });
  const words = el("p", { class: "soft" });
  const start = button("Review this game", () => app.do({ type: "review", depth: store.get("depth") }), {
    id: "start-review",
    class: "primary",
  });
  const stop = button("Stop", () => app.do({ type: "review_stop" }));
  const depth = segments(app, "Depth", "depth", DEPTHS);

  store.on(["review", "position", "tree"], () => {
    const { review, position, tree } = store.values;
    const running = Boolean(position?.reviewing) || review?.status === "running" || review?.status === "waiting";
    bar.hidden = stop.hidden = !running;
    start.hidden = running;
    write(start, review?.white ? "Review again" : "Review this game");
    start.disabled = !tree.root || tree.root.children.length === 0 || Boolean(app.playing());
    if (running && review) set(bar, { max: review.total || 1, value: review.done });
    write(words, reviewWords(review, running, start.disabled));
  });
  return el(
    "div",
    { class: "stack tight review-controls" },
    el("div", { class: "row-of end" }, depth, start, stop),
    bar,
    words,
  );
}

/**
 * @param {ReviewProgress | null} review
 * @param {boolean} running
 * @param {boolean} empty
 */
function reviewWords(review, running, empty) {
  if (running && review?.status === "waiting")
    return `All engines are busy. Requests ahead of yours: ${review.waiting}.`;
  if (running && review) return `${review.done} of ${review.total} moves`;
  if (empty) return "There is nothing to review yet. Load a game below or play some moves.";
  if (review?.status === "stopped") return "The review was stopped.";
  return "";
}

/**
 * The accuracy of both sides; unfolded, the number of moves per judgement and the annotated game.
 * @param {App} app
 */
function summary(app) {
  const table = el("table", { class: "summary" });
  const files = el(
    "div",
    { class: "row-of" },
    button("Copy annotated PGN", () => copyExport(app, "pgn", "PGN")),
    button("Save annotated PGN", () => saveExport(app, "pgn")),
  );
  const accuracies = el("span", { class: "accuracies" });
  const content = el("div", { class: "stack" }, table, files);
  const root = el("details", { class: "counts" }, el("summary", {}, accuracies), content);
  app.store.on(["review"], () => {
    const review = app.store.get("review");
    root.hidden = !review?.white;
    if (!review?.white || !review.black) return;
    const { white, black } = review;
    /** @type {(head: import("./dom.js").Child, one: string, two: string, className?: string) => HTMLElement} */
    const row = (head, one, two, className = "") =>
      el("tr", { class: className }, el("th", { scope: "row" }, head), el("td", {}, one), el("td", {}, two));
    const percent = (/** @type {SideReview} */ { accuracy }) =>
      accuracy === null ? "–" : `${accuracy.toFixed(1)} %`;
    const pawns = (/** @type {SideReview} */ { loss }) => `${(loss / 100).toFixed(2)} pawns`;
    accuracies.replaceChildren(
      "Accuracy: ",
      el("span", {}, `White ${percent(white)}`),
      ", ",
      el("span", {}, `Black ${percent(black)}`),
    );
    const judgements = [...JUDGEMENTS].filter(
      ([name]) => (white.counts[name] ?? 0) + (black.counts[name] ?? 0) > 0 || ALWAYS_LISTED.includes(name),
    );
    table.replaceChildren(
      el("caption", { class: "visually-hidden" }, "Accuracy and judgements of moves"),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, hidden("What")),
          el("th", { scope: "col" }, "White"),
          el("th", { scope: "col" }, "Black"),
        ),
      ),
      el(
        "tbody",
        {},
        row("Accuracy", percent(white), percent(black), "accuracy"),
        row("Average loss", pawns(white), pawns(black)),
        ...judgements.map(([name, { sign, name: word, tone }]) =>
          row(
            [el("span", { class: `sign tone-${tone}`, "aria-hidden": "true" }, sign), ` ${word}`],
            String(white.counts[name] ?? 0),
            String(black.counts[name] ?? 0),
          ),
        ),
      ),
    );
  });
  return root;
}
