// The board: 64 named squares that can be reached by keyboard, a layer of pieces that glide, a layer of drawings.
//
// The board knows no rules. Its `hands` tell what may be lifted and where it may go, and hear what was done:
//   targetsFrom(square)   squares a piece there may go to; none if it may not be lifted
//   drop(from, to)        a piece was put down; `to` is null beside the board
//   tap(square)           a square was pressed that lifts nothing
//   type(square, key)     a key was pressed on a square; true if it meant something
//   touch(square)         any square was pressed or reached by the cursor
//   draw(from, to, color) the right button drew an arrow, or a circle if both squares are one

import { el, set } from "./dom.js";
import { isLight, nameOf, pieceClass, pieceName, place, squareAt } from "./squares.js";
import { Overlay } from "./board-overlay.js";
import { followPointer } from "./board-pointer.js";
import { followKeys } from "./board-keyboard.js";

/** What each mark on a square is called by a screen reader. */
const SPOKEN_MARKS = [
  ["check", "in check"],
  ["wrong", "not legal"],
  ["last", "last move"],
  ["target", "can move here"],
  ["attacked", "attacked"],
];

export class Board {
  constructor(root, hands) {
    this.root = root;
    this.hands = hands;
    this.pieces = new Map();
    this.marks = new Map();
    this.flipped = false;
    /** The square of the piece that was lifted by a click or a key. */
    this.selected = null;
    /** The one square that the Tab key reaches. */
    this.cursor = 4;
    /** Elements in the layer of pieces, by square. */
    this.men = new Map();

    this.grid = el("div", { class: "squares", role: "grid", "aria-label": "Chess board" });
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

  /** Shows pieces (a `Map` from squares to letters); those that moved glide unless told otherwise. */
  show(pieces, { glide = true } = {}) {
    const kept = new Map();
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

  /** Turns the board so that Black (or White) is at the bottom. */
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

  /** Marks squares: a `Map` from names of marks (`last`, `check`, `attacked` …) to lists of squares. */
  mark(marks) {
    this.marks = marks;
    this.paint();
  }

  /** Lifts a piece, or puts it back with `null`. */
  select(square) {
    this.selected = square;
    this.paint();
  }

  /** Somebody pressed a square with the pointer or a key: the second of two presses is a move. */
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

  targets(square) {
    return this.hands.targetsFrom(square);
  }

  /** Moves the keyboard's square; the rest of the board stays out of the order of tabs. */
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

  /** The element of a square. */
  cell(square) {
    const [column, row] = place(square, this.flipped);
    return this.cells[8 * row + column];
  }

  /** The square under a point of the window, or `null`. */
  squareAtPoint(x, y) {
    const box = this.root.getBoundingClientRect();
    const column = Math.floor((8 * (x - box.left)) / box.width);
    const row = Math.floor((8 * (y - box.top)) / box.height);
    return column >= 0 && column < 8 && row >= 0 && row < 8 ? squareAt(column, row, this.flipped) : null;
  }

  /** Writes the parts of the squares that change only when the board is turned. */
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

  /** Gives every square its classes and its name. */
  paint() {
    const targets = new Set(this.selected === null || this.hands.quiet ? [] : this.targets(this.selected));
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

  newMan(piece, square) {
    const element = el("div", { class: pieceClass(piece) });
    const man = { piece, element, at: null };
    this.withoutGliding(man);
    this.putMan(man, square);
    this.layer.append(element);
    return man;
  }

  putMan(man, square) {
    const [column, row] = place(square, this.flipped);
    man.at = square;
    man.element.style.transform = `translate(${100 * column}%, ${100 * row}%)`;
  }

  /** The next change of place happens at once; the one after it glides again. */
  withoutGliding(man) {
    man.element.classList.add("still");
    requestAnimationFrame(() => requestAnimationFrame(() => man.element.classList.remove("still")));
  }
}

/** Takes the man of this kind that stands nearest to a square. */
function takeNearest(men, piece, square) {
  let best = null;
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
