// @ts-check
// Guided tours: a few steps, each with a position, a section of the X-ray and a paragraph.

import { button, el, write } from "./dom.js";
import { showError } from "./notices.js";
import { squareOf } from "./squares.js";
import { SECTIONS } from "./xray-contents.js";
import { Stepper } from "./xray-stepper.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./memory.js").SavedGame} SavedGame */
/** @typedef {import("./xray-contents.js").SectionId} SectionId */

/**
 * @typedef {object} TourStep
 * @property {SectionId} section
 * @property {SavedGame} [game] The position; without one, that of the step before.
 * @property {string} [square] The square to inspect.
 * @property {string} text
 */

/** @typedef {{ title: string, steps: TourStep[] }} Tour */

/** The tour in progress, so that a reload does not lose the reader's game. */
const KEY = "ferz-tour";

/** @type {Tour[]} */
const TOURS = [
  {
    title: "A rook’s attacks in five steps",
    steps: [
      {
        section: "bitboards",
        game: { fen: "4k3/3p4/8/8/1P1R2p1/8/8/4K3 w - - 0 1" },
        square: "d4",
        text: "The white rook on d4 is one bit: number 27. Its bitboard is 0x0000000008000000. The bitboard “occupied” has all pieces that can stand in its way.",
      },
      {
        section: "magic",
        square: "d4",
        text: "The mask has the squares on which a piece can block the rook. The edge is not among them: the rook stops there anyway.",
      },
      {
        section: "magic",
        square: "d4",
        text: "Blockers = occupied ∩ mask: here b4, g4 and d7. All else on the board does not matter to this rook.",
      },
      {
        section: "magic",
        square: "d4",
        text: "The blockers times a magic number bring the bits that matter to the top. Shifted to the bottom they are an index: different blockers give different entries, or entries with the same attacks.",
      },
      {
        section: "attacks",
        square: "d4",
        text: "The table entry is the answer: the squares up to and including the first piece on each side. The own pawn on b4 is attacked too. The move generator removes own pieces: see the masks.",
      },
    ],
  },
  {
    title: "Why en passant is tricky",
    steps: [
      {
        section: "position",
        game: { fen: "8/8/8/8/1k1Pp2R/8/8/4K3 b - d3 0 1" },
        square: "d3",
        text: "White has just played d2–d4. There are three answers to “is there en passant?”: d3 was skipped; a black pawn stands ready on e4; but the capture is not legal.",
      },
      {
        section: "masks",
        square: "e4",
        text: "Why not? No check, and no pin: two pawns stand between the rook on h4 and the king on b4. By the masks, the pawn on e4 is free.",
      },
      {
        section: "masks",
        square: "d4",
        text: "But exd3 takes both pawns off the fourth rank at once, and the rook sees the king. So the generator lifts both and looks along the lines. No set with en passant appears.",
      },
      {
        section: "masks",
        game: { fen: "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1" },
        square: "d3",
        text: "Now the pawn on d4 gives check. The check mask is d4 alone, and d3 is not in it. Yet exd3 removes the checker: it is legal, and the last set shows it. A generator that only uses masks misses it.",
      },
      {
        section: "timeline",
        game: { fen: "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1" },
        square: "d4",
        text: "Choose exd3 and step through it. The captured pawn is not on the target square, so make and unmake treat it on its own, and the undo record keeps the old en passant square.",
      },
    ],
  },
  {
    title: "What a key is",
    steps: [
      {
        section: "key",
        game: { fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" },
        text: "The key of the start position is the exclusive or of 37 random numbers: 32 pieces on their squares, four castling rights and White’s turn.",
      },
      {
        section: "key",
        game: { pgn: "1. e4 *", path: "e2e4" },
        text: "After 1. e4 three parts have changed: the pawn left e2, it came to e4, and it is no longer White’s turn. a ⊕ b ⊕ b = a, so the same operation adds and removes.",
      },
      {
        section: "key",
        game: { pgn: "1. e4 a6 2. e5 d5 *", path: "e2e4 a7a6 e4e5 d7d5" },
        text: "After 2... d5 there is a part for en passant on the d-file, because the pawn on e5 stands ready. After 1. e4 there was none: nobody could capture, and the key must not differ from the same position without the double step.",
      },
      {
        section: "key",
        game: { pgn: "1. Nf3 Nf6 2. Ng1 Ng8 *", path: "g1f3 g8f6 f3g1 f6g8" },
        text: "After four knight moves the key is that of the start again, 0x463B96181691FC9C. This is how repetitions are found. The clocks are not part of the key.",
      },
      {
        section: "table",
        text: "The transposition table is addressed by the key. Turn the engine on: the high bits choose a cluster, 21 low bits recognise the entry.",
      },
    ],
  },
];

export class Tours {
  /**
   * @param {App} app
   * @param {(section: SectionId) => void} open
   */
  constructor(app, open) {
    this.app = app;
    this.open = open;
    /** @type {Tour | null} */
    this.tour = null;
    /** What is kept where the browser forbids storage. */
    this.memory = null;
    /** The game on display, as text. */
    this.shown = "";
    this.title = el("h3", {});
    this.text = el("p", { role: "status" });
    this.stepper = new Stepper("tour", (step) => this.show(step));
    this.card = el(
      "section",
      { class: "card tour", "aria-label": "Guided tour", hidden: true },
      this.title,
      this.text,
      el(
        "div",
        { class: "row-of" },
        this.stepper.element,
        button("Back to my game", () => this.end(), { class: "small" }),
      ),
    );
    this.list = el(
      "section",
      { class: "card xray-section" },
      el("h3", {}, "Guided tours"),
      el("p", { class: "soft" }, "A tour sets up positions of its own. Your game comes back at the end."),
      el(
        "ul",
        { class: "tours" },
        TOURS.map((tour) => el("li", {}, button(tour.title, () => this.start(tour)))),
      ),
    );
  }

  /** @param {Tour} tour */
  start(tour) {
    if (this.app.playing()) {
      showError("A game against the engine is in progress. Finish it or resign before you start a tour.");
      return;
    }
    // The game before an earlier tour that was not ended is still the reader's.
    this.keep({ ...this.kept(), game: this.kept()?.game ?? this.app.opening, tour: TOURS.indexOf(tour) });
    this.begin(tour, 0);
  }

  /** Continues a tour after a reload. */
  resume() {
    const kept = this.kept();
    if (!kept) return;
    const tour = TOURS[kept.tour] ?? TOURS[0];
    // The position of the step is the saved game.
    this.tour = tour;
    this.shown = JSON.stringify(gameAt(tour, kept.step ?? 0));
    this.begin(tour, kept.step ?? 0);
  }

  /**
   * @param {Tour} tour
   * @param {number} step
   */
  begin(tour, step) {
    this.tour = tour;
    this.card.hidden = false;
    write(this.title, `Tour: ${tour.title}`);
    this.stepper.reset(tour.steps.length, step);
  }

  /** @param {number} step */
  show(step) {
    if (!this.tour) return;
    const { section, square, text } = this.tour.steps[step];
    write(this.text, `${SECTIONS[section].title}: ${text}`);
    this.keep({ ...this.kept(), step });
    const game = gameAt(this.tour, step);
    if (JSON.stringify(game) !== this.shown) {
      this.shown = JSON.stringify(game);
      this.load(game);
    }
    if (square) this.app.store.set({ inspected: squareOf(square) });
    this.open(section);
    this.card.scrollIntoView({ block: "nearest" });
  }

  end() {
    const game = this.kept()?.game;
    this.tour = null;
    this.shown = "";
    this.card.hidden = true;
    try {
      sessionStorage.removeItem(KEY);
    } catch {
      // Storage may be forbidden.
    }
    this.load(game ?? {});
  }

  /** @param {SavedGame} game */
  load(game) {
    this.app.opening = game;
    const { intent, longText } = this.app.greeting();
    this.app.do(intent, longText);
  }

  /** @returns {{ game?: SavedGame, tour: number, step?: number } | null} */
  kept() {
    try {
      return JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    } catch {
      return this.memory ?? null;
    }
  }

  /** @param {object} value */
  keep(value) {
    this.memory = /** @type {any} */ (value);
    try {
      sessionStorage.setItem(KEY, JSON.stringify(value));
    } catch {
      // Storage may be forbidden; the tour works without it.
    }
  }
}

/**
 * The game of a step.
 * @param {Tour} tour
 * @param {number} step
 * @returns {SavedGame}
 */
const gameAt = (tour, step) =>
  tour.steps
    .slice(0, step + 1)
    .reverse()
    .find(({ game }) => game)?.game ?? {};
