// What the sections of the X-ray have in common: cards, words of 64 bits, and boards of them.

import { button, el, hidden, write } from "./dom.js";
import { SetBoard } from "./little-board.js";
import { nameOf, squaresIn } from "./squares.js";

/** A section with a heading that can be closed. */
export function section(heading, ...content) {
  return el("details", { class: "card xray-section", open: "" }, el("summary", {}, el("h3", {}, heading)), ...content);
}

/** A word as 16 digits. */
export const hex = (word) => `0x${BigInt(word).toString(16).padStart(16, "0").toUpperCase()}`;

/** The 64 bits as eight lines, rank 8 first and the a-file on the left, as the board lies. */
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

/** The bits as one number, the highest first: 64 digits in bytes. */
export const binaryLine = (word) => BigInt(word).toString(2).padStart(64, "0").match(/.{8}/g).join(" ");

/** The members of a set in words. */
export function members(word) {
  const squares = squaresIn(BigInt(word)).map(nameOf);
  return squares.length === 0 ? "empty" : squares.join(" ");
}

/** A board of a word with its name and value; pressing it sends the word to the scratch board. */
export class WordBoard {
  constructor(name, scratch) {
    this.name = name;
    this.board = new SetBoard();
    // Where there is no room for the whole word it breaks in the middle.
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

  rename(name) {
    this.name = name;
    write(this.title, name);
  }

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
    write(this.spoken, `: ${members(this.word)}${changed}. Send to the scratch board`);
    this.element.title = `${members(this.word)}${changed}`;
  }
}

/** A list of names and values. */
export function facts(rows) {
  return el(
    "dl",
    { class: "fact-list" },
    rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
  );
}

/** A table with a heading row. */
export function table(head, rows, attributes = {}) {
  return el(
    "table",
    attributes,
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
