// @ts-check
// The Puzzles panel: mistakes of reviewed games and puzzles from files, to be solved on the board.

import { button, byId, el, write } from "./dom.js";
import { PuzzleBox } from "./puzzle-box.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").PuzzleEntry} PuzzleEntry */
/** @typedef {import("./puzzle-box.js").Card} Card */

const PIECES = new Map([
  ["p", "pawn"],
  ["n", "knight"],
  ["b", "bishop"],
  ["r", "rook"],
  ["q", "queen"],
  ["k", "king"],
]);

/** @param {App} app */
export function mountPuzzles(app) {
  const panel = new PuzzlePanel(app);
  byId("panel-puzzles").append(panel.root);
}

class PuzzlePanel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.box = new PuzzleBox();
    /** @type {Card | null} */
    this.card = null;
    /** Whether the reader has asked for help with this puzzle. */
    this.isHelped = false;
    this.isNoted = false;
    /**
     * Whether the board was flipped before the puzzles.
     * @type {boolean | null}
     */
    this.wasFlipped = null;
    this.count = el("p", { id: "puzzle-count" });
    this.news = el("p", { id: "puzzle-news", role: "status" });
    this.start = button("Solve", () => this.next(), { id: "puzzle-start", class: "primary" });
    this.learn = button("Learn from this game", () => this.collect(null), { id: "puzzle-learn" });
    this.title = el("h2", { id: "puzzle-title" });
    this.source = el("p", { class: "soft" });
    this.status = el("p", { id: "puzzle-status", class: "puzzle-status", role: "status" });
    this.hint = button("Hint", () => this.help(), { id: "puzzle-hint" });
    this.solution = button("Show the solution", () => this.showSolution(), { id: "puzzle-solution" });
    this.again = button("Try again", () => this.begin(this.card), { id: "puzzle-again" });
    this.nextButton = button("Next puzzle", () => this.next(), { id: "puzzle-next", class: "primary" });
    this.remove = button("Remove this puzzle", () => this.discard(), { id: "puzzle-remove" });
    this.collection = this.makeCollection();
    this.task = this.makeTask();
    this.root = el("div", { class: "stack" }, this.collection, this.task);
    const { store } = app;
    store.on(["position", "tab", "review", "tree"], () => this.show());
    addEventListener("storage", () => {
      this.box.reload();
      this.show();
    });
  }

  makeCollection() {
    const file = el("input", {
      type: "file",
      accept: ".pgn,.txt,application/x-chess-pgn,text/plain",
      class: "visually-hidden",
      tabindex: "-1",
      id: "puzzle-file",
      "aria-label": "File with puzzles",
    });
    file.addEventListener("change", async () => {
      const text = await file.files?.[0]?.text();
      file.value = "";
      if (text) this.collect(text);
    });
    const open = button("Open a file of puzzles…", () => file.click());
    return el(
      "div",
      { class: "card stack" },
      el("h2", {}, "Puzzles"),
      this.count,
      this.news,
      el(
        "p",
        { class: "soft" },
        "Review a game and learn from its mistakes, or open a file that ",
        el("code", {}, "ferz puzzles games.pgn"),
        " has made. A solved puzzle comes back after days, then after weeks.",
      ),
      el("div", { class: "row-of" }, this.start, this.learn, open, file),
    );
  }

  makeTask() {
    const back = button("Back to my game", () => this.app.do({ type: "puzzle_end" }), { id: "puzzle-end" });
    return el(
      "div",
      { class: "card stack puzzle", hidden: true },
      this.title,
      this.source,
      this.status,
      el("div", { class: "row-of" }, this.nextButton, this.hint, this.solution, this.again),
      el("div", { class: "row-of" }, back, this.remove),
    );
  }

  /**
   * Collects puzzles from a text, or from the review of the current game.
   * @param {string | null} text
   */
  async collect(text) {
    const answer = await this.app.do({ type: "puzzles", text }, text === null ? null : "text");
    if (!answer) return;
    const added = this.box.add(answer.puzzles);
    const old = answer.puzzles.length - added;
    const parts = [added === 1 ? "1 new puzzle." : `${added} new puzzles.`];
    if (old > 0) parts.push(`Already here: ${old}.`);
    if (answer.count > answer.puzzles.length) parts.push(`Only the first ${answer.puzzles.length} were read.`);
    if (answer.problems > 0) parts.push(`Problems in the text: ${answer.problems}.`);
    if (!this.box.isKept) parts.push("This browser does not let the page keep puzzles.");
    write(this.news, parts.join(" "));
    this.show();
    if (text === null && added > 0) this.next();
  }

  next() {
    const due = this.box.due();
    const others = this.box.cards.filter((card) => card !== this.card);
    const card = due.find((one) => one !== this.card) ?? due[0] ?? others.sort((a, b) => a.due - b.due)[0] ?? this.card;
    this.begin(card);
  }

  /** @param {Card | null} card */
  async begin(card) {
    if (!card) return;
    const { fen, moves, strict, chess960 } = card;
    this.card = card;
    write(this.news, "");
    this.isHelped = false;
    // The puzzle before may still be on the board.
    this.isNoted = true;
    write(this.hint, "Hint");
    const state = await this.app.do({ type: "puzzle", fen, moves, strict, chess960 });
    if (!state) return;
    this.wasFlipped ??= this.app.store.get("flipped");
    this.app.store.set({ tab: "puzzles", flipped: state.puzzle?.color === "black" });
  }

  /** Names the piece, then shows the move. */
  help() {
    const { position } = this.app.store.values;
    const move = position?.puzzle && this.card?.moves[2 * position.puzzle.found];
    if (!move || !position) return;
    const square = move.slice(0, 2);
    if (this.isHelped) {
      const meant = position.moves[square]?.find((one) => one.uci === move);
      if (meant) this.say(`The move is ${meant.san}.`);
      return;
    }
    const index = 8 * (Number(square[1]) - 1) + square.charCodeAt(0) - 97;
    const piece = PIECES.get(position.board[index].toLowerCase()) ?? "piece";
    this.isHelped = true;
    write(this.hint, "Another hint");
    this.say(`Move the ${piece} on ${square}.`);
  }

  showSolution() {
    this.isHelped = true;
    this.app.do({ type: "puzzle_show" });
  }

  discard() {
    if (!this.card) return;
    this.box.remove(this.card);
    this.card = null;
    if (this.box.cards.length > 0) this.next();
    else this.app.do({ type: "puzzle_end" });
  }

  /** @param {string} text */
  say(text) {
    write(this.status, text);
  }

  show() {
    const { position } = this.app.store.values;
    const puzzle = position?.puzzle ?? null;
    this.task.hidden = !puzzle;
    this.collection.hidden = Boolean(puzzle);
    if (puzzle) {
      this.showTask(puzzle);
      return;
    }
    this.showCollection();
    if (this.wasFlipped !== null) {
      const flipped = this.wasFlipped;
      this.wasFlipped = null;
      this.app.store.set({ flipped });
    }
  }

  showCollection() {
    const { review } = this.app.store.values;
    const { cards } = this.box;
    const due = this.box.due().length;
    write(this.count, countText(cards.length, due, this.box.nextDue()));
    this.start.hidden = cards.length === 0;
    this.start.disabled = Boolean(this.app.playing());
    write(this.start, due > 0 ? "Solve" : "Solve some anyway");
    const errors = [review?.white, review?.black].flatMap((side) => (side ? [side.counts] : []));
    const isWrong = errors.some(({ inaccuracy = 0, mistake = 0, blunder = 0 }) => inaccuracy + mistake + blunder > 0);
    this.learn.hidden = !isWrong;
    this.learn.classList.toggle("primary", cards.length === 0);
  }

  /** @param {PuzzleEntry} puzzle */
  showTask(puzzle) {
    const { card } = this;
    const color = puzzle.color === "white" ? "White" : "Black";
    write(this.title, card?.title ?? `${color} to move`);
    write(this.source, card?.source ?? "");
    this.source.hidden = !card?.source;
    this.task.dataset.state = puzzle.solved ? (puzzle.shown ? "shown" : "solved") : puzzle.wrong ? "wrong" : "open";
    this.hint.hidden = this.solution.hidden = puzzle.solved;
    this.again.hidden = !puzzle.solved;
    this.nextButton.hidden = !puzzle.solved;
    this.remove.hidden = !card;
    this.say(statusText(puzzle, this.isHelped));
    if (!puzzle.solved) this.isNoted = false;
    else if (card && !this.isNoted) {
      this.isNoted = true;
      this.box.note(card, puzzle.mistakes === 0 && !this.isHelped && !puzzle.shown);
    }
  }
}

/**
 * @param {number} count
 * @param {number} due
 * @param {number | null} next
 */
function countText(count, due, next) {
  if (count === 0 || next === null) return "There are no puzzles yet.";
  const all = count === 1 ? "1 puzzle" : `${count} puzzles`;
  if (due > 0) return `${all}, ${due} to solve now.`;
  const days = Math.ceil((next - Date.now()) / 86_400_000);
  return `${all}. The next one is due ${days <= 1 ? "within a day" : `in ${days} days`}.`;
}

/**
 * @param {PuzzleEntry} puzzle
 * @param {boolean} isHelped
 */
function statusText({ solved, shown, wrong, judging, found, moves, mistakes }, isHelped) {
  if (shown) return "This is the solution. The puzzle will come back soon.";
  if (solved && mistakes === 0 && !isHelped) return "Solved on the first try.";
  if (solved) return "Solved. The puzzle will come back soon.";
  if (judging) return "This is not the expected move. The engine is checking it…";
  if (wrong) return `${wrong} is not the move. Try again.`;
  if (found > 0) return `Right. ${moves - found === 1 ? "One more move." : `${moves - found} more moves.`}`;
  return moves === 1 ? "Find the best move." : `Find the best moves: there are ${moves}.`;
}
