// @ts-check
// The Set up panel: edits a position on the main board. The server checks it.

import { button, byId, choice, el, field, write } from "./dom.js";
import { sentence } from "./format.js";
import { pieceClass, pieceName, piecesOnBoard, squareOf } from "./squares.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./protocol").ColorName} ColorName */
/** @typedef {import("./protocol").GameStart} GameStart */
/** @typedef {import("./protocol").SetupAnswer} SetupAnswer */

/** @typedef {"turn" | "castling" | "en_passant" | "halfmove" | "fullmove" | "chess960"} PartName */
/**
 * The parts of the position being set up.
 * @typedef {Pick<SetupAnswer, PartName> & { board: string }} Parts
 */

const PALETTE = ["K", "Q", "R", "B", "N", "P", "k", "q", "r", "b", "n", "p"];
const EMPTY = ".".repeat(64);
const RIGHTS = [
  ["K", "White kingside"],
  ["Q", "White queenside"],
  ["k", "Black kingside"],
  ["q", "Black queenside"],
];

/**
 * @param {App} app
 * @param {Board} board
 */
export function mountSetup(app, board) {
  const editor = new Editor(app, board);
  byId("panel-setup").append(editor.element);
  app.store.on(["tab", "position"], () => {
    const open = app.store.get("tab") === "setup";
    if (open && !app.store.get("draft") && app.store.get("position")) editor.open();
    else if (!open && app.store.get("draft")) editor.close();
  });
}

class Editor {
  /**
   * @param {App} app
   * @param {Board} board
   */
  constructor(app, board) {
    this.app = app;
    this.board = board;
    /**
     * What a click places: a piece, `.` to remove one, or `null` to move pieces.
     * @type {string | null}
     */
    this.brush = null;
    /** @type {Parts} */
    this.parts = {
      board: EMPTY,
      turn: "white",
      castling: "-",
      en_passant: null,
      halfmove: 0,
      fullmove: 1,
      chess960: false,
    };
    /**
     * The last question to the server.
     * @type {symbol | null}
     */
    this.asked = null;
    this.brushes = [
      this.brushButton(null, "✥", "Move pieces"),
      ...PALETTE.map((piece) =>
        this.brushButton(piece, el("span", { class: pieceClass(piece) }), `Place a ${pieceName(piece)}`),
      ),
      this.brushButton(".", "⌫", "Remove pieces"),
    ];
    this.fen = el("input", { class: "mono", id: "setup-fen", spellcheck: "false", autocomplete: "off" });
    this.fen.addEventListener("input", () => this.check({ fen: this.fen.value }));
    this.turn = choice(
      [
        ["white", "White"],
        ["black", "Black"],
      ],
      "white",
      (turn) => this.change({ turn: /** @type {ColorName} */ (turn) }),
    );
    this.rights = RIGHTS.map(([right, label]) => {
      const box = el("input", { type: "checkbox", value: right });
      box.addEventListener("change", () => this.change({ castling: this.chosenRights() }));
      return { right, box, element: el("label", { class: "tick" }, box, label) };
    });
    this.enPassant = choice([["", "none"]], "", (square) => this.change({ en_passant: square || null }));
    this.halfmove = numberInput(0, 999, (halfmove) => this.change({ halfmove }));
    this.fullmove = numberInput(1, 9999, (fullmove) => this.change({ fullmove }));
    this.problems = el("ul", { class: "problems", id: "setup-problems" });
    this.verdict = el("p", { class: "verdict", role: "status" });
    this.accept = button("Use this position", () => this.finish(), { class: "primary", id: "use-position" });
    this.number960 = el("input", {
      type: "number",
      min: "0",
      max: "959",
      class: "number",
      id: "number-960",
      "aria-label": "Number of the Chess960 position",
    });
    this.number960.value = "518";
    const start960 = (/** @type {number | string} */ chess960) => this.start({ chess960 });
    this.element = el(
      "div",
      { class: "card stack" },
      el("h2", {}, "Set up a position"),
      el("div", { class: "palette", role: "group", "aria-label": "Pieces" }, this.brushes),
      field("FEN", this.fen),
      el(
        "div",
        { class: "row-of end" },
        field("To move", this.turn),
        field("En passant", this.enPassant),
        field("Half-move clock", this.halfmove),
        field("Move number", this.fullmove),
      ),
      el(
        "fieldset",
        {},
        el("legend", {}, "Castling"),
        el(
          "div",
          { class: "row-of" },
          this.rights.map(({ element }) => element),
        ),
      ),
      this.verdict,
      this.problems,
      el(
        "div",
        { class: "row-of" },
        this.accept,
        button("Start position", () => this.start({})),
        button("Empty board", () => this.change({ board: EMPTY, castling: "-", en_passant: null })),
      ),
      el(
        "fieldset",
        {},
        el("legend", {}, "Chess960"),
        el(
          "div",
          { class: "row-of" },
          this.number960,
          button("Start from this number", () => start960(Number(this.number960.value))),
          button("Start from a random one", () => start960("random")),
        ),
      ),
    );
  }

  /**
   * @param {string | null} piece
   * @param {Node | string} content
   * @param {string} label
   */
  brushButton(piece, content, label) {
    const toggle = button(content, () => this.choose(piece), {
      class: "brush",
      "aria-label": label,
      title: label,
      "aria-pressed": "false",
    });
    toggle.dataset.brush = piece ?? "move";
    return toggle;
  }

  /** @param {string | null} brush */
  choose(brush) {
    this.brush = brush;
    for (const toggle of this.brushes)
      toggle.setAttribute("aria-pressed", String(toggle.dataset.brush === (brush ?? "move")));
  }

  /** Starts with the current position. */
  open() {
    this.choose(null);
    this.board.hands = this.hands();
    this.app.store.set({ draft: { wrong: [] } });
    this.checkCurrent();
  }

  close() {
    this.app.store.set({ draft: null });
  }

  /** @returns {import("./board.js").Hands} */
  hands() {
    const everywhere = Array.from({ length: 64 }, (_, square) => square);
    return {
      // Every square is a target, so marking them would be noise.
      quiet: true,
      mayLeave: true,
      targetsFrom: (square) => (this.brush === null && this.board.pieces.has(square) ? everywhere : []),
      drop: (from, to) => {
        const piece = this.board.pieces.get(from) ?? ".";
        this.put(
          to === null
            ? [[from, "."]]
            : [
                [from, "."],
                [to, piece],
              ],
        );
      },
      tap: (square) => {
        if (this.brush === null) return;
        const same = this.board.pieces.get(square) === this.brush;
        this.put([[square, same ? "." : this.brush]]);
      },
      type: (square, key) => {
        const letter = key === "Delete" || key === "Backspace" ? "." : key;
        if (letter !== "." && !PALETTE.includes(letter)) return false;
        this.put([[square, letter]]);
        return true;
      },
    };
  }

  /** @param {[square: number, letter: string][]} changes */
  put(changes) {
    const letters = [...this.parts.board];
    for (const [square, letter] of changes) letters[square] = letter;
    this.change({ board: letters.join("") });
  }

  chosenRights() {
    return (
      this.rights
        .filter(({ box }) => box.checked)
        .map(({ right }) => right)
        .join("") || "-"
    );
  }

  /** @param {Partial<Parts>} parts */
  change(parts) {
    this.parts = { ...this.parts, ...parts };
    // The board shows the change at once; the server's answer follows.
    this.board.show(piecesOnBoard(this.parts.board), { glide: false });
    this.check(this.parts);
  }

  /**
   * Asks the server to check the parts or a FEN.
   * @param {Parts | { fen: string }} question
   */
  async check(question) {
    const asked = (this.asked = Symbol("setup"));
    const answer = await this.app.do({ type: "setup", ...question });
    // Only the last question counts.
    if (answer && this.asked === asked) this.show(answer, "fen" in question);
  }

  checkCurrent() {
    const position = this.app.store.get("position");
    if (position) this.check({ fen: position.fen });
  }

  /**
   * @param {SetupAnswer} answer
   * @param {boolean} fromText Whether a FEN was checked.
   */
  show(answer, fromText) {
    const { ok, problems } = answer;
    this.accept.disabled = !ok;
    write(
      this.verdict,
      ok
        ? "✓ This position is legal."
        : `✗ This position is not legal (${problems.length === 1 ? "one reason" : `${problems.length} reasons`}):`,
    );
    this.problems.replaceChildren(
      ...problems.map(({ message, squares }) => {
        const where =
          isSpecific(squares) && !squares.every((square) => message.includes(square)) ? ` (${squares.join(", ")})` : "";
        return el("li", {}, sentence(message + where));
      }),
    );
    // An invalid FEN leaves the board as it is.
    if (!answer.board) {
      this.app.store.set({ draft: { wrong: [] } });
      return;
    }
    const { board, turn, castling, en_passant, halfmove, fullmove, chess960 } = answer;
    this.parts = { board, turn, castling, en_passant, halfmove, fullmove, chess960 };
    if (!fromText || document.activeElement !== this.fen) this.fen.value = answer.fen;
    this.turn.value = turn;
    this.halfmove.value = String(halfmove);
    this.fullmove.value = String(fullmove);
    this.showRights(answer);
    this.showEnPassant(answer);
    this.board.show(piecesOnBoard(board), { glide: false });
    this.app.store.set({
      draft: { wrong: problems.flatMap(({ squares }) => (isSpecific(squares) ? squares.map(squareOf) : [])) },
    });
  }

  /** @param {SetupAnswer} answer */
  showRights({ castling, castling_possible: possible, chess960 }) {
    for (const { right, box, element } of this.rights) {
      box.checked = castling.includes(right);
      box.disabled = !possible.includes(right) && !box.checked;
      // In Chess960 the letters are files; they can be edited in the FEN.
      element.hidden = chess960;
    }
  }

  /** @param {SetupAnswer} answer */
  showEnPassant({ en_passant: chosen, en_passant_possible: possible }) {
    const squares = [...new Set(chosen ? [...possible, chosen] : possible)];
    this.enPassant.replaceChildren(
      ...["", ...squares].map((square) => el("option", { value: square }, square || "none")),
    );
    this.enPassant.value = chosen ?? "";
  }

  async finish() {
    const answer = await this.app.do({ type: "setup", ...this.parts, accept: true });
    if (answer?.ok) this.app.store.set({ tab: "analyse" });
  }

  /** @param {GameStart} start */
  async start(start) {
    if (await this.app.do({ type: "new", ...start })) this.checkCurrent();
  }
}

/**
 * @param {number} min
 * @param {number} max
 * @param {(value: number) => void} changed
 */
function numberInput(min, max, changed) {
  const input = el("input", { type: "number", min, max, class: "number" });
  input.addEventListener("input", () => {
    if (input.value !== "") changed(Math.min(max, Math.max(min, Math.round(Number(input.value)))));
  });
  return input;
}

/**
 * Whether a problem is about a few squares; naming half the board does not help.
 * @param {string[]} squares
 */
const isSpecific = (squares) => squares.length > 0 && squares.length <= 8;
