// @ts-check
// Small boards: a position or a set of squares. There are many of them, so each is drawn with few paths.

import { el, hidden, set, svg } from "./dom.js";
import { fileOf, isLight, nameOf, pieceClass, place, rankOf } from "./squares.js";

const DARK_SQUARES = path(Array.from({ length: 64 }, (_, square) => square).filter((square) => !isLight(square)));

/**
 * Squares as one SVG path, one unit per square; with an inset they do not touch.
 * @param {number[]} squares
 */
function path(squares, inset = 0) {
  const size = 1 - 2 * inset;
  return squares
    .map((square) => {
      const [x, y] = [fileOf(square) + inset, 7 - rankOf(square) + inset];
      return `M${x} ${y}h${size}v${size}h${-size}z`;
    })
    .join("");
}

/** The room for coordinates to the left of a board and below it. */
const MARGIN = 0.8;

/**
 * @param {number} x
 * @param {number} y
 * @param {string | number} text
 */
const label = (x, y, text) => svg("text", { x, y }, String(text));
/** @param {number} square */
const bitNumber = (square) => label(fileOf(square) + 0.5, 7.66 - rankOf(square), square);

/**
 * What all boards of sets share: coordinates at the edge and a bit number on each square. The page has it once.
 */
export function boardSymbols() {
  const coordinates = svg("g", { id: "board-coordinates" });
  for (let i = 0; i < 8; i++) {
    coordinates.append(label(i + 0.5, 8 + 0.65 * MARGIN, "abcdefgh"[i]), label(-MARGIN / 2, 7.7 - i, i + 1));
  }
  const numbers = svg("g", { id: "bit-numbers" });
  for (let square = 0; square < 64; square++) numbers.append(bitNumber(square));
  return svg("svg", { class: "symbols", "aria-hidden": "true" }, svg("defs", {}, coordinates, numbers));
}

/**
 * The square of a board of a set under the pointer.
 * @param {Element} board
 * @param {{ clientX: number, clientY: number }} point
 */
export function squareUnder(board, { clientX, clientY }) {
  const box = board.getBoundingClientRect();
  const unit = box.width / (8 + MARGIN);
  const [file, row] = [Math.floor((clientX - box.left) / unit - MARGIN), Math.floor((clientY - box.top) / unit)];
  return file >= 0 && file < 8 && row >= 0 && row < 8 ? 8 * (7 - row) + file : null;
}

/** A board that shows a set of squares and those that changed. */
export class SetBoard {
  constructor() {
    this.members = svg("path", { class: "members" });
    // The numbers of the members stand on a different ground.
    this.numbers = svg("g", { class: "member-numbers" });
    this.changed = svg("path", { class: "changed" });
    const ground = [
      svg("rect", { class: "light-squares", width: 8, height: 8 }),
      svg("path", { class: "dark-squares", d: DARK_SQUARES }),
    ];
    this.element = svg(
      "svg",
      { class: "little set", viewBox: `${-MARGIN} 0 ${8 + MARGIN} ${8 + MARGIN}`, "aria-hidden": "true" },
      ...ground,
      svg("use", { href: "#bit-numbers" }),
      this.members,
      this.numbers,
      svg("use", { href: "#board-coordinates" }),
      this.changed,
      svg("rect", { class: "lit", width: 1, height: 1 }),
    );
  }

  /**
   * @param {number[]} squares
   * @param {number[]} [changed]
   */
  show(squares, changed = []) {
    set(this.members, { d: path(squares, 0.05) });
    this.numbers.replaceChildren(...squares.map(bitNumber));
    set(this.changed, { d: path(changed, 0.06) });
  }
}

/**
 * A board with a number on each square.
 * @param {({ text: string, piece: string, tone?: string } | undefined)[]} values
 * @param {string} label
 */
export function numberBoard(values, label) {
  const rows = [];
  for (let row = 0; row < 8; row++) {
    const cells = [];
    for (let column = 0; column < 8; column++) {
      const square = 8 * (7 - row) + column;
      const { text = "", piece = "", tone = "" } = values[square] ?? {};
      const content = piece
        ? [el("span", { class: pieceClass(piece), "aria-hidden": "true" }), hidden(`${nameOf(square)} `)]
        : [];
      cells.push(
        el(
          "td",
          { class: `${isLight(square) ? "light" : "dark"} ${tone}`, dataset: { square: nameOf(square) } },
          content,
          el("span", { class: "bit", "aria-hidden": "true" }, String(square)),
          el("span", { class: "n" }, text),
        ),
      );
    }
    rows.push(el("tr", {}, el("th", { scope: "row" }, String(8 - row)), cells));
  }
  const files = [..."abcdefgh"].map((file) => el("th", { scope: "col" }, file));
  return el(
    "table",
    { class: "number-board", "aria-label": label },
    el("tbody", {}, rows, el("tr", {}, el("td", {}), files)),
  );
}

/** A small picture of a position. */
export class Preview {
  constructor() {
    this.men = el("div", { class: "men" });
    this.last = svg("path", { class: "last" });
    const ground = [
      svg("rect", { class: "light-squares", width: 8, height: 8 }),
      svg("path", { class: "dark-squares", d: DARK_SQUARES }),
      this.last,
    ];
    this.squares = svg("svg", { class: "little", viewBox: "0 0 8 8" }, ...ground);
    this.element = el("div", { class: "preview", "aria-hidden": "true" }, this.squares, this.men);
  }

  /**
   * @param {Map<number, string>} pieces
   * @param {number[]} lastMove
   * @param {boolean} flipped
   */
  show(pieces, lastMove, flipped) {
    this.men.replaceChildren(
      ...[...pieces].map(([square, piece]) => {
        const man = el("div", { class: pieceClass(piece) });
        const [column, row] = place(square, flipped);
        man.style.transform = `translate(${100 * column}%, ${100 * row}%)`;
        return man;
      }),
    );
    // The light and dark squares look the same from both sides; only the marks turn.
    set(this.last, { d: path(lastMove.map((square) => (flipped ? 63 - square : square))) });
  }
}
