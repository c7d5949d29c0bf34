// @ts-check
// The board: 64 named squares that the keyboard can reach, a layer of pieces that glide, a layer of drawings. The board
// does not know the rules of chess.

import { el, set } from "./dom.js";
import { isLight, nameOf, pieceClass, pieceName, place, squareAt } from "./squares.js";
import { Overlay } from "./board-overlay.js";
import { followPointer } from "./board-pointer.js";
import { followKeys } from "./board-keyboard.js";

/**
 * Decides which pieces may move, and acts on the reader's input.
 * @typedef {object} Hands
 * @property {(square: number) => number[]} targetsFrom Squares to which a piece may move; none if it must not move.
 * @property {(from: number, to: number | null) => void} drop A piece was put down; `to` is null beside the board.
 * @property {(square: number) => void} [tap] A square was pressed whose piece must not move.
 * @property {(square: number, key: string) => boolean} [type] A key was pressed; returns whether it was used.
 * @property {(square: number) => void} [touch] A square was pressed or reached by the cursor.
 * @property {(from: number, to: number, color: ShapeColor) => void} [draw] An arrow or a circle was drawn.
 * @property {() => boolean} [cancel] The right button was pressed; returns whether that cancelled something.
 * @property {boolean} [quiet] Do not mark the target squares.
 * @property {boolean} [mayLeave] Pieces may be dropped beside the board.
 */

/** @typedef {import("./protocol").ShapeColor} ShapeColor */

/**
 * A piece in the layer of pieces.
 * @typedef {{ piece: string, element: HTMLElement, at: number }} Man
 */

/**
 * The names of marks for screen readers.
 * @type {[mark: string, words: string][]}
 */
const SPOKEN_MARKS = [
  ["check", "in check"],
  ["wrong", "not legal"],
  ["premove", "premove"],
  ["last", "last move"],
  ["target", "can move here"],
  ["attacked", "attacked"],
];

export class Board {
  /**
   * @param {HTMLElement} root
   * @param {Hands} hands
   */
  constructor(root, hands) {
    this.root = root;
    /** @type {Hands} */
    this.hands = hands;
    /** @type {Map<number, string>} */
    this.pieces = new Map();
    /** @type {Map<string, number[]>} */
    this.marks = new Map();
    this.flipped = false;
    /**
     * The square of the piece that was picked up with a click or a key.
     * @type {number | null}
     */
    this.selected = null;
    /** The one square that the Tab key reaches. */
    this.cursor = 4;
    /**
     * The layer of pieces, by square.
     * @type {Map<number, Man>}
     */
    this.men = new Map();

    this.grid = el("div", { class: "squares", role: "grid", "aria-label": "Chess board" });
    /** @type {HTMLButtonElement[]} */
    this.cells = [];
    for (let row = 0; row < 8; row++) {
      const cells = Array.from({ length: 8 }, () => el("button", { type: "button", role: "gridcell" }));
      this.cells.push(...cells);
      this.grid.append(el("div", { role: "row", class: "row" }, cells));
    }
    this.layer = el("div", { class: "men", "aria-hidden": "true" });
    this.overlay = new Overlay();
    root.append(this.grid, this.layer, this.overlay.element);
    this.labelCells();
    followPointer(this);
    followKeys(this);
  }

  /**
   * Shows pieces (FEN letters by square). Moved pieces glide unless `glide` is false.
   * @param {Map<number, string>} pieces
   */
  show(pieces, { glide = true } = {}) {
    const kept = new Map();
    /** @type {[square: number, piece: string][]} */
    const arriving = [];
    for (const [square, piece] of pieces) {
      const man = this.men.get(square);
      if (man?.piece === piece) {
        kept.set(square, man);
        this.men.delete(square);
        if (man.at !== square) this.putMan(man, square);
      } else arriving.push([square, piece]);
    }
    for (const [square, piece] of arriving) {
      const man = takeNearest(this.men, piece, square) ?? this.newMan(piece, square);
      if (!glide) this.withoutGliding(man);
      this.putMan(man, square);
      kept.set(square, man);
    }
    for (const man of this.men.values()) man.element.remove();
    this.men = kept;
    this.pieces = new Map(pieces);
    if (this.selected !== null && this.targets(this.selected).length === 0) this.selected = null;
    this.paint();
  }

  /** Puts every piece back on its square, if one was dropped elsewhere. */
  settle() {
    for (const [square, man] of this.men) this.putMan(man, square);
  }

  /**
   * Turns the board: flipped, Black is at the bottom.
   * @param {boolean} flipped
   */
  flip(flipped) {
    if (this.flipped === flipped) return;
    const hadFocus = this.grid.contains(document.activeElement);
    this.flipped = flipped;
    this.overlay.flip(flipped);
    this.labelCells();
    for (const [square, man] of this.men) {
      this.withoutGliding(man);
      this.putMan(man, square);
    }
    this.paint();
    if (hadFocus) this.cell(this.cursor).focus();
  }

  /**
   * Marks squares, by the name of the mark (`last`, `check`, `attacked` …).
   * @param {Map<string, number[]>} marks
   */
  mark(marks) {
    this.marks = marks;
    this.paint();
  }

  /**
   * Picks up a piece, or with `null` puts it back.
   * @param {number | null} square
   */
  select(square) {
    this.selected = square;
    this.paint();
  }

  /**
   * A square was pressed with the pointer or a key. The second of two presses is a move.
   * @param {number} square
   */
  press(square) {
    const from = this.selected;
    if (from !== null && from !== square && this.targets(from).includes(square)) {
      this.select(null);
      this.hands.drop(from, square);
    } else if (from === square) this.select(null);
    else if (this.targets(square).length > 0) this.select(square);
    else {
      this.select(null);
      this.hands.tap?.(square);
    }
    this.hands.touch?.(square);
  }

  /** @param {number} square */
  targets(square) {
    return this.hands.targetsFrom(square);
  }

  /**
   * Moves the keyboard cursor; the Tab key skips the other squares.
   * @param {number} square
   */
  moveCursor(square, focus = true) {
    this.cell(this.cursor).tabIndex = -1;
    this.cursor = square;
    const cell = this.cell(square);
    cell.tabIndex = 0;
    if (focus) {
      cell.focus();
      this.hands.touch?.(square);
    }
  }

  /**
   * The element of a square.
   * @param {number} square
   */
  cell(square) {
    const [column, row] = place(square, this.flipped);
    return this.cells[8 * row + column];
  }

  /**
   * The square under a point of the window, or `null`.
   * @param {number} x
   * @param {number} y
   */
  squareAtPoint(x, y) {
    const box = this.root.getBoundingClientRect();
    const column = Math.floor((8 * (x - box.left)) / box.width);
    const row = Math.floor((8 * (y - box.top)) / box.height);
    return column >= 0 && column < 8 && row >= 0 && row < 8 ? squareAt(column, row, this.flipped) : null;
  }

  /** Updates the attributes that change only when the board is turned. */
  labelCells() {
    this.cells.forEach((cell, index) => {
      const square = squareAt(index % 8, index >> 3, this.flipped);
      const name = nameOf(square);
      set(cell, { dataset: { square: name }, "data-file": null, "data-rank": null });
      if (index >= 56) cell.dataset.file = name[0];
      if (index % 8 === 0) cell.dataset.rank = name[1];
      cell.tabIndex = square === this.cursor ? 0 : -1;
    });
  }

  /** Updates the classes and the accessible names of all squares. */
  paint() {
    const targets = new Set(this.selected === null || this.hands.quiet ? [] : this.targets(this.selected));
    /** @type {Map<number, string[]>} */
    const marksOf = new Map();
    for (const [mark, squares] of this.marks) {
      for (const square of squares) marksOf.set(square, [...(marksOf.get(square) ?? []), mark]);
    }
    for (let square = 0; square < 64; square++) {
      const cell = this.cell(square);
      const piece = this.pieces.get(square);
      const marks = [...(marksOf.get(square) ?? [])];
      if (targets.has(square)) marks.push("target");
      const classes = ["square", isLight(square) ? "light" : "dark", ...marks];
      if (piece) classes.push("occupied");
      if (this.targets(square).length > 0) classes.push("liftable");
      if (square === this.selected) classes.push("selected");
      set(cell, { class: classes.join(" "), "aria-selected": String(square === this.selected) });
      const spoken = SPOKEN_MARKS.filter(([mark]) => marks.includes(mark)).map(([, words]) => words);
      set(cell, { "aria-label": [nameOf(square), piece ? pieceName(piece) : "empty", ...spoken].join(", ") });
    }
  }

  /**
   * @param {string} piece
   * @param {number} square
   * @returns {Man}
   */
  newMan(piece, square) {
    const element = el("div", { class: pieceClass(piece) });
    const man = { piece, element, at: square };
    this.withoutGliding(man);
    this.putMan(man, square);
    this.layer.append(element);
    return man;
  }

  /**
   * @param {Man} man
   * @param {number} square
   */
  putMan(man, square) {
    const [column, row] = place(square, this.flipped);
    man.at = square;
    man.element.style.transform = `translate(${100 * column}%, ${100 * row}%)`;
  }

  /**
   * The next move of a piece is not animated.
   * @param {Man} man
   */
  withoutGliding(man) {
    man.element.classList.add("still");
    requestAnimationFrame(() => requestAnimationFrame(() => man.element.classList.remove("still")));
  }
}

/**
 * Removes and returns the nearest piece of this kind.
 * @param {Map<number, Man>} men
 * @param {string} piece
 * @param {number} square
 */
function takeNearest(men, piece, square) {
  let best = -1;
  let least = Infinity;
  for (const [from, man] of men) {
    const distance = Math.hypot((from & 7) - (square & 7), (from >> 3) - (square >> 3));
    if (man.piece === piece && distance < least) {
      least = distance;
      best = from;
    }
  }
  const man = men.get(best);
  men.delete(best);
  return man;
}
