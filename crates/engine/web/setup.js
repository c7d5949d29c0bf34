// @ts-check
// The Set up panel: edits a position on the main board. The server checks it.

import { button, byId, choice, el, field, write } from "./dom.js";
import { followBrush, makeDraggable } from "./editor-pointer.js";
import { sentence } from "./format.js";
import { savedDraft, saveDraft } from "./memory.js";
import { showError } from "./notices.js";
import { pieceClass, pieceName, piecesOnBoard, squareOf } from "./squares.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./protocol").ColorName} ColorName */
/** @typedef {import("./protocol").SetupAnswer} SetupAnswer */

/** @typedef {"turn" | "castling" | "en_passant" | "halfmove" | "fullmove" | "chess960"} PartName */
/**
 * The parts of the position being set up.
 * @typedef {Pick<SetupAnswer, PartName> & { board: string }} Parts
 */

/**
 * What the server is asked about: the parts, a text with a FEN, or a Chess960 start position.
 * @typedef {Parts | { fen: string, chess960?: boolean | null } | { start: number }} Question
 */
/**
 * A position that was edited and not used yet. `text` is a FEN that cannot be read or was not
 * checked yet, as it was typed.
 * @typedef {{ parts: Parts, text: string | null }} Draft
 */

const START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
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
  const trainer = el(
    "div",
    { class: "card stack tight" },
    el("h2", {}, "Coordinate trainer"),
    el("p", { class: "soft" }, "Find squares by their names, 30 seconds a round."),
    el("div", {}, button("Open the trainer", startTrainer, { id: "open-trainer" })),
  );
  byId("panel-setup").append(editor.element, trainer);
  app.store.on(["tab", "position"], () => {
    const open = app.store.get("tab") === "setup";
    const isEditing = Boolean(app.store.get("draft"));
    if (open && !isEditing && app.store.get("position")) editor.open();
    else if (open && isEditing) editor.follow();
    else if (!open && isEditing) editor.close();
  });
}

/** Opens the coordinate trainer; most visits do without it. */
export async function startTrainer() {
  try {
    (await import("./trainer.js")).openTrainer();
  } catch (error) {
    showError(error);
  }
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
    /** Whether the position was edited and not used yet. */
    this.edited = false;
    /** The position of the game that the editor started from. */
    this.source = "";
    /** The FEN of the last answer; empty if the text could not be read. */
    this.written = "";
    followBrush(board, this);
    this.brushes = [
      this.brushButton(null, "✥", "Move pieces"),
      ...PALETTE.map((piece) =>
        this.brushButton(piece, el("span", { class: pieceClass(piece) }), `Place a ${pieceName(piece)}`),
      ),
      this.brushButton(".", "⌫", "Remove pieces"),
    ];
    this.fen = el("input", { class: "mono", id: "setup-fen", spellcheck: "false", autocomplete: "off" });
    this.fen.addEventListener("input", () => this.edit({ fen: this.fen.value }));
    // A FEN in a different spelling is written out when the reader is done.
    this.fen.addEventListener("change", () => {
      if (this.written) this.fen.value = this.written;
    });
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
    /**
     * Chess960 rights of rooks that are not the outermost ones; their letters are files.
     * @type {HTMLInputElement[]}
     */
    this.innerRights = [];
    this.inner = el("span", { class: "row-of" });
    this.chess960 = el("input", { type: "checkbox", id: "setup-chess960" });
    this.chess960.addEventListener("change", () => this.change({ chess960: this.chess960.checked }));
    this.enPassant = choice([["", "none"]], "", (square) => this.change({ en_passant: square || null }));
    this.halfmove = numberInput(0, 999, (halfmove) => this.change({ halfmove }));
    this.fullmove = numberInput(1, 9999, (fullmove) => this.change({ fullmove }));
    this.problems = el("ul", { class: "problems", id: "setup-problems" });
    this.verdict = el("p", { class: "verdict", role: "status" });
    this.kept = el("p", { class: "soft", id: "setup-kept" });
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
    const start960 = () => {
      const number = Math.min(959, Math.max(0, Math.round(Number(this.number960.value))));
      this.number960.value = String(number);
      this.edit({ start: number });
    };
    const random960 = () => {
      this.number960.value = String(Math.floor(960 * Math.random()));
      start960();
    };
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
          this.inner,
        ),
        el("label", { class: "tick" }, this.chess960, "Chess960: kings and rooks castle from any square"),
      ),
      this.verdict,
      this.problems,
      el("div", { class: "row-of" }, this.accept, this.kept),
      el(
        "fieldset",
        {},
        el("legend", {}, "Fill the board"),
        el(
          "div",
          { class: "row-of" },
          button("Start position", () => this.edit({ fen: START_FEN })),
          button("Empty board", () => this.change({ board: EMPTY, castling: "-", en_passant: null })),
          button("Position of the game", () => this.takeFromGame(), { id: "from-game" }),
        ),
      ),
      el(
        "fieldset",
        {},
        el("legend", {}, "Chess960 start position, 0 to 959"),
        el(
          "div",
          { class: "row-of" },
          this.number960,
          button("Set up this number", start960),
          button("Random", random960),
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
    if (piece && piece !== ".") makeDraggable(toggle, piece, this.board, this);
    return toggle;
  }

  /** @param {string | null} brush */
  choose(brush) {
    this.brush = brush;
    this.board.root.classList.toggle("painting", brush !== null && this.isOpen());
    for (const toggle of this.brushes)
      toggle.setAttribute("aria-pressed", String(toggle.dataset.brush === (brush ?? "move")));
  }

  isOpen() {
    return Boolean(this.app.store.get("draft"));
  }

  /** Starts with the draft, if there is one, or with the position of the game. */
  open() {
    this.board.hands = this.hands();
    this.app.store.set({ draft: { wrong: [] } });
    this.choose(null);
    const draft = savedDraft();
    if (draft) this.resume(draft);
    else this.takeFromGame();
  }

  close() {
    this.app.store.set({ draft: null });
    this.choose(null);
  }

  /** @param {Draft} draft */
  async resume({ parts, text }) {
    this.parts = { ...this.parts, ...parts };
    this.edited = true;
    this.board.show(piecesOnBoard(this.parts.board), { glide: false });
    await this.check(this.parts);
    if (text === null || !this.isOpen()) return;
    this.fen.value = text;
    await this.check({ fen: text });
  }

  takeFromGame() {
    this.forget();
    this.follow();
  }

  /** Shows the position of the game, unless a different one is being set up. */
  follow() {
    const position = this.app.store.get("position");
    if (!position || this.edited || this.source === position.fen) return;
    this.source = position.fen;
    this.check({ fen: position.fen, chess960: position.chess960 || null });
  }

  /** Forgets the draft. */
  forget() {
    this.edited = false;
    this.source = "";
    saveDraft(null);
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
        .map(({ box }) => box)
        .concat(this.innerRights)
        .filter((box) => box.checked)
        .map((box) => box.value)
        .join("") || "-"
    );
  }

  /** @param {Partial<Parts>} parts */
  change(parts) {
    this.parts = { ...this.parts, ...parts };
    // The board shows the change at once; the server's answer follows.
    this.board.show(piecesOnBoard(this.parts.board), { glide: false });
    this.edit(this.parts);
  }

  /** @param {Question} question */
  edit(question) {
    this.edited = true;
    // A text is kept as it is typed, whenever the answer comes.
    if ("fen" in question) saveDraft({ parts: this.parts, text: question.fen });
    this.check(question);
  }

  /**
   * Asks the server to check a position.
   * @param {Question} question
   */
  async check(question) {
    const asked = (this.asked = Symbol("setup"));
    this.written = "";
    const answer = await this.app.do({ type: "setup", ...question });
    // Only the last question counts.
    if (answer && this.asked === asked) this.show(answer, "fen" in question);
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
        ? `✓ This position is legal${answer.chess960 ? " in Chess960" : ""}.`
        : `✗ This position is not legal (${problems.length === 1 ? "one reason" : `${problems.length} reasons`}):`,
    );
    this.problems.replaceChildren(
      ...problems.map(({ message, squares }) => {
        const where =
          isSpecific(squares) && !squares.every((square) => message.includes(square)) ? ` (${squares.join(", ")})` : "";
        return el("li", {}, sentence(message + where));
      }),
    );
    write(
      this.kept,
      this.edited
        ? "It starts a new game. Until then your game stays as it is, and this draft is kept."
        : "This is the position of your game.",
    );
    this.written = answer.board ? answer.fen : "";
    // An invalid FEN leaves the board as it is.
    if (!answer.board) {
      if (this.edited) saveDraft({ parts: this.parts, text: this.fen.value });
      this.app.store.set({ draft: { wrong: [] } });
      return;
    }
    const { board, turn, castling, en_passant, halfmove, fullmove, chess960 } = answer;
    this.parts = { board, turn, castling, en_passant, halfmove, fullmove, chess960 };
    if (this.edited) saveDraft({ parts: this.parts, text: null });
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
      element.classList.toggle("off", box.disabled);
    }
    this.chess960.checked = chess960;
    const files = [...castling].filter((letter) => /[a-h]/i.test(letter));
    this.innerRights = files.map((letter) => el("input", { type: "checkbox", value: letter, checked: true }));
    this.inner.replaceChildren(
      ...this.innerRights.map((box) => {
        box.addEventListener("change", () => this.change({ castling: this.chosenRights() }));
        const side = box.value === box.value.toUpperCase() ? "White" : "Black";
        return el("label", { class: "tick" }, box, `${side}, rook on the ${box.value.toLowerCase()}-file`);
      }),
    );
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
    if (!answer?.ok) return;
    this.forget();
    this.app.store.set({ tab: "analyse" });
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
