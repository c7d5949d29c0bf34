// The sets that make up the position: twelve of pieces, three of colours, and one of them large with its bits.

import { el, write } from "./dom.js";
import { binary, binaryLine, hex, section, WordBoard } from "./xray-parts.js";

const TYPES = ["pawn", "knight", "bishop", "rook", "queen", "king"];
const NAMES = [
  ...["white", "black"].flatMap((color) => TYPES.map((type) => `${color}_${type}`)),
  "white",
  "black",
  "occupied",
];
const label = (name) => name.replace("_", " ");

export class BitboardSection {
  constructor(scratch) {
    this.boards = new Map(NAMES.map((name) => [name, new WordBoard(label(name), scratch)]));
    this.change = el("p", { class: "soft", "aria-live": "off" });
    this.bits = el("dl", { class: "bit-list mono" });
    this.element = section(
      "Bitboards",
      this.change,
      el(
        "div",
        { class: "word-grid by-kind" },
        [...this.boards.values()].map(({ element }) => element),
      ),
      el("details", { class: "bits" }, el("summary", {}, "In binary"), this.bits),
    );
  }

  show({ boards, diff }) {
    for (const [name, board] of this.boards) board.show(boards[name], diff?.boards[name] ?? 0n);
    write(this.change, changeText(diff));
    this.bits.replaceChildren(
      ...NAMES.flatMap((name) => [
        el("dt", {}, `${label(name)} `, el("span", { class: "soft" }, hex(boards[name]))),
        el("dd", {}, el("span", { class: "bit-line" }, binaryLine(boards[name])), el("pre", {}, binary(boards[name]))),
      ]),
    );
  }
}

function changeText(diff) {
  if (!diff) return "This is the start: nothing has changed yet. Toggled bits are framed after each move.";
  const names = Object.keys(diff.boards).map(label);
  return `${diff.san} toggled bits in ${names.length} boards (framed): ${names.join(", ")}.`;
}
