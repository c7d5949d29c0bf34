// @ts-check
// The bitboards of the position: twelve of pieces, two of colours, and the occupied squares.

import { el, write } from "./dom.js";
import { binary, binaryLine, hex, section, WordBoard } from "./xray-parts.js";

/** @typedef {import("./protocol").Difference} Difference */
/** @typedef {import("./xray-scratch.js").ScratchSection} ScratchSection */
/** @typedef {import("./protocol").MessageOf<"xray">} XrayMessage */

const TYPES = ["pawn", "knight", "bishop", "rook", "queen", "king"];
const NAMES = [
  ...["white", "black"].flatMap((color) => TYPES.map((type) => `${color}_${type}`)),
  "white",
  "black",
  "occupied",
];
/** @param {string} name */
const label = (name) => name.replace("_", " ");

export class BitboardSection {
  /** @param {ScratchSection} scratch */
  constructor(scratch) {
    /** @type {Map<string, WordBoard>} */
    this.boards = new Map();
    for (const name of NAMES) this.boards.set(name, new WordBoard(label(name), scratch));
    this.change = el("p", { class: "soft", "aria-live": "off" });
    this.bits = el("dl", { class: "bit-list mono" });
    this.element = section(
      "bitboards",
      () => [...this.boards.values()].map((board) => board.literal()),
      this.change,
      el(
        "div",
        { class: "word-grid" },
        [...this.boards.values()].map(({ element }) => element),
      ),
      el("details", { class: "bits" }, el("summary", {}, "In binary"), this.bits),
    );
  }

  /** @param {XrayMessage} xray */
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

/** @param {Difference | null} diff */
function changeText(diff) {
  if (!diff) return "This is the start of the game. After each move, frames show the toggled bits.";
  const names = Object.keys(diff.boards).map(label);
  return `${diff.san} toggled bits in ${names.length} bitboards (framed): ${names.join(", ")}.`;
}
