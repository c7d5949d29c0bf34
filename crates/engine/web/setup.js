// Setting up a position: the same board, but with hands that know no rules. The server says what is wrong with it.

import { button, byId, choice, el, field, write } from "./dom.js";
import { sentence } from "./format.js";
import { pieceClass, pieceName, piecesOnBoard, squareOf } from "./squares.js";

const PALETTE = ["K", "Q", "R", "B", "N", "P", "k", "q", "r", "b", "n", "p"];
const EMPTY = ".".repeat(64);
const RIGHTS = [
  ["K", "White kingside"],
  ["Q", "White queenside"],
  ["k", "Black kingside"],
  ["q", "Black queenside"],
];

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
  constructor(app, board) {
    this.app = app;
    this.board = board;
    /** The piece that a press puts down: a letter, `.` to take away, or `null` to move pieces about. */
    this.brush = null;
    this.build();
  }

  build() {
    this.brushes = [
      this.brushButton(null, "✥", "Move pieces about"),
      ...PALETTE.map((piece) =>
        this.brushButton(piece, el("span", { class: pieceClass(piece) }), `Put down a ${pieceName(piece)}`),
      ),
      this.brushButton(".", "⌫", "Take pieces away"),
    ];
    this.fen = el("input", { class: "mono", id: "setup-fen", spellcheck: "false", autocomplete: "off" });
    this.fen.addEventListener("input", () => this.check({ fen: this.fen.value }));
    this.turn = choice(
      [
        ["white", "White"],
        ["black", "Black"],
      ],
      "white",
      (turn) => this.change({ turn }),
    );
    this.rights = RIGHTS.map(([right, label]) => {
      const box = el("input", { type: "checkbox", value: right });
      box.addEventListener("change", () => this.change({ castling: this.chosenRights() }));
      return { right, box, element: el("label", { class: "tick" }, box, label) };
    });
    this.enPassant = choice([["", "none"]], "", (square) => this.change({ en_passant: square || null }));
    this.halfmove = this.number("halfmove", 0, 999);
    this.fullmove = this.number("fullmove", 1, 9999);
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
    const start960 = (chess960) => this.start({ type: "new", chess960 });
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
        button("Start position", () => this.start({ type: "new" })),
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
          button("Start with this number", () => start960(Number(this.number960.value))),
          button("Random", () => start960("random")),
        ),
      ),
    );
  }

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

  number(name, min, max) {
    const input = el("input", { type: "number", min, max, class: "number" });
    input.addEventListener(
      "input",
      () =>
        input.value !== "" && this.change({ [name]: Math.min(max, Math.max(min, Math.round(Number(input.value)))) }),
    );
    return input;
  }

  choose(brush) {
    this.brush = brush;
    for (const toggle of this.brushes)
      toggle.setAttribute("aria-pressed", String(toggle.dataset.brush === (brush ?? "move")));
  }

  /** Begins with the position on the board. */
  open() {
    this.choose(null);
    this.board.hands = this.hands();
    this.app.store.set({ draft: { wrong: [] } });
    this.check({ fen: this.app.store.get("position").fen });
  }

  close() {
    this.app.store.set({ draft: null });
  }

  hands() {
    const everywhere = Array.from({ length: 64 }, (_, square) => square);
    return {
      // Dots on every square would say nothing.
      quiet: true,
      mayLeave: true,
      targetsFrom: (square) => (this.brush === null && this.board.pieces.has(square) ? everywhere : []),
      drop: (from, to) => {
        const piece = this.board.pieces.get(from);
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

  change(parts) {
    this.parts = { ...this.parts, ...parts };
    // What was pressed is seen at once; the server's word follows.
    this.board.show(piecesOnBoard(this.parts.board), { glide: false });
    this.check(this.parts);
  }

  /** Asks the server what it thinks of the parts or of a FEN. */
  async check(question) {
    const asked = (this.asked = Symbol("setup"));
    const answer = await this.app.do({ type: "setup", ...question });
    // Only the last question counts.
    if (answer && this.asked === asked) this.show(answer, question.fen !== undefined);
  }

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
          isTelling(squares) && !squares.every((square) => message.includes(square)) ? ` (${squares.join(", ")})` : "";
        return el("li", {}, sentence(message + where));
      }),
    );
    // A text that cannot be read leaves the board as it is.
    if (!answer.board) return this.app.store.set({ draft: { wrong: [] } });
    const { board, turn, castling, en_passant, halfmove, fullmove, chess960 } = answer;
    this.parts = { board, turn, castling, en_passant, halfmove, fullmove, chess960 };
    if (!fromText || document.activeElement !== this.fen) this.fen.value = answer.fen;
    this.turn.value = turn;
    this.halfmove.value = halfmove;
    this.fullmove.value = fullmove;
    this.showRights(answer);
    this.showEnPassant(answer);
    this.board.show(piecesOnBoard(board), { glide: false });
    return this.app.store.set({
      draft: { wrong: problems.flatMap(({ squares }) => (isTelling(squares) ? squares.map(squareOf) : [])) },
    });
  }

  showRights({ castling, castling_possible: possible, chess960 }) {
    for (const { right, box, element } of this.rights) {
      box.checked = castling.includes(right);
      box.disabled = !possible.includes(right) && !box.checked;
      // In Chess960 the letters are files; those are written in the FEN.
      element.hidden = chess960;
    }
  }

  showEnPassant({ en_passant: chosen, en_passant_possible: possible }) {
    const squares = [...new Set([...possible, chosen].filter(Boolean))];
    this.enPassant.replaceChildren(
      ...["", ...squares].map((square) => el("option", { value: square }, square || "none")),
    );
    this.enPassant.value = chosen ?? "";
  }

  async finish() {
    const answer = await this.app.do({ type: "setup", ...this.parts, accept: true });
    if (answer?.ok) this.app.store.set({ tab: "analyse" });
  }

  async start(message) {
    if (!(await this.app.do(message))) return;
    this.check({ fen: this.app.store.get("position").fen });
  }
}

/** A reason that names half the board names nothing. */
const isTelling = (squares) => squares.length > 0 && squares.length <= 8;
