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

/** A board that shows a set of squares and those that changed. */
export class SetBoard {
  constructor() {
    this.members = svg("path", { class: "members" });
    this.changed = svg("path", { class: "changed" });
    const ground = [
      svg("rect", { class: "light-squares", width: 8, height: 8 }),
      svg("path", { class: "dark-squares", d: DARK_SQUARES }),
    ];
    this.element = svg(
      "svg",
      { class: "little set", viewBox: "0 0 8 8", "aria-hidden": "true" },
      ...ground,
      this.members,
      this.changed,
    );
  }

  /**
   * @param {number[]} squares
   * @param {number[]} [changed]
   */
  show(squares, changed = []) {
    set(this.members, { d: path(squares, 0.12) });
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
        el("td", { class: `${isLight(square) ? "light" : "dark"} ${tone}` }, content, el("span", { class: "n" }, text)),
      );
    }
    rows.push(el("tr", {}, cells));
  }
  return el("table", { class: "number-board", "aria-label": label }, el("tbody", {}, rows));
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
