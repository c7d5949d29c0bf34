// @ts-check
// Shared parts of the X-ray: sections, 64-bit words, and boards that show them.

import { button, el, hidden, write } from "./dom.js";
import { SetBoard } from "./little-board.js";
import { nameOf, squaresIn } from "./squares.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {string | bigint} Word 64 bits, as the protocol writes them or as a number. */

/**
 * A section with a heading that can be closed.
 * @param {string} heading
 * @param {...Child} content
 */
export function section(heading, ...content) {
  return el("details", { class: "card xray-section", open: "" }, el("summary", {}, el("h3", {}, heading)), ...content);
}

/**
 * A word as 16 hexadecimal digits.
 * @param {Word} word
 */
export const hex = (word) => `0x${BigInt(word).toString(16).padStart(16, "0").toUpperCase()}`;

/**
 * The 64 bits as a board: eight lines, rank 8 first, the a-file on the left.
 * @param {Word} word
 */
export function binary(word) {
  const bits = BigInt(word);
  const rows = [];
  for (let rank = 7; rank >= 0; rank--) {
    let row = "";
    for (let file = 0; file < 8; file++) row += (bits >> BigInt(8 * rank + file)) & 1n ? "1" : "0";
    rows.push(row);
  }
  return rows.join("\n");
}

/**
 * The bits as one binary number, the highest first, in groups of eight.
 * @param {Word} word
 */
export const binaryLine = (word) => BigInt(word).toString(2).padStart(64, "0").replace(/.{8}(?=.)/g, "$& ");

/**
 * The squares of a set as text.
 * @param {Word} word
 */
export function members(word) {
  const squares = squaresIn(BigInt(word)).map(nameOf);
  return squares.length === 0 ? "empty" : squares.join(" ");
}

/** A bitboard with its name and value; a click sends it to the scratch bitboard. */
export class WordBoard {
  /**
   * @param {string} name
   * @param {import("./xray-scratch.js").ScratchSection} scratch
   */
  constructor(name, scratch) {
    this.name = name;
    this.board = new SetBoard();
    // In a narrow column the word breaks in the middle.
    this.halves = [el("span"), el("span")];
    this.hex = el("span", { class: "mono word" }, this.halves[0], el("wbr"), this.halves[1]);
    this.count = el("span", { class: "count" });
    this.title = el("span", { class: "word-name" }, name);
    this.spoken = hidden("");
    this.element = button(
      [el("span", { class: "word-head" }, this.title, this.count), this.board.element, this.hex, this.spoken],
      () => scratch.take(this.word, this.name),
      { class: "word-board" },
    );
    this.word = 0n;
  }

  /** @param {string} name */
  rename(name) {
    this.name = name;
    write(this.title, name);
  }

  /**
   * @param {Word} word
   * @param {Word} [toggled]
   */
  show(word, toggled = 0n) {
    this.word = BigInt(word);
    const bits = BigInt(toggled);
    const squares = squaresIn(this.word);
    this.board.show(squares, squaresIn(bits));
    const text = hex(this.word);
    write(this.halves[0], text.slice(0, 10));
    write(this.halves[1], text.slice(10));
    write(this.count, String(squares.length));
    this.element.classList.toggle("is-changed", bits !== 0n);
    const changed = bits === 0n ? "" : `; changed: ${members(bits)}`;
    write(this.spoken, `: ${members(this.word)}${changed}. Send to the scratch bitboard`);
    this.element.title = `${members(this.word)}${changed}`;
  }
}

/**
 * A list of names and values.
 * @param {[name: string, value: Child][]} rows
 */
export function facts(rows) {
  return el(
    "dl",
    { class: "fact-list" },
    rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
  );
}

/**
 * A table with a heading row.
 * @param {string[]} head
 * @param {Child[][]} rows
 * @param {string} className
 */
export function table(head, rows, className) {
  return el(
    "table",
    { class: className },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        head.map((text) => el("th", { scope: "col" }, text)),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map(([first, ...rest]) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, first),
          rest.map((cell) => el("td", {}, cell)),
        ),
      ),
    ),
  );
}
