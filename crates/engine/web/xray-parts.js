// @ts-check
// Shared parts of the X-ray: sections, 64-bit words, and boards that show them.

import { button, el, hidden, write } from "./dom.js";
import { SetBoard } from "./little-board.js";
import { nameOf, squaresIn } from "./squares.js";
import { SECTIONS } from "./xray-contents.js";
import { copyButton, copyLiterals } from "./xray-copy.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {string | bigint} Word 64 bits, as the protocol writes them or as a number. */

/**
 * A section with a heading, a link to it, and a paragraph that explains it.
 * @param {import("./xray-contents.js").SectionId} id
 * @param {() => import("./xray-copy.js").Literal[]} literals What the section shows, to be copied.
 * @param {...Child} content
 */
export function section(id, literals, ...content) {
  const { title, what, why, cost } = SECTIONS[id];
  const lead = (/** @type {string} */ word) => el("b", {}, word);
  return el(
    "section",
    { class: "card xray-section", id: `xray-${id}`, tabindex: "-1", "aria-labelledby": `xray-${id}-title` },
    el(
      "div",
      { class: "xray-head" },
      el("h3", { id: `xray-${id}-title` }, title),
      el("a", { href: `#xray/${id}`, "aria-label": `Link to ${title}`, title: "Link to this section" }, "#"),
      copyButton(title, literals),
    ),
    el("p", { class: "about" }, lead("What: "), what, lead(" Why: "), why, lead(" Cost: "), cost),
    ...content,
  );
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

/** A bitboard with its name and value. A click on it sends it to the scratch bitboard, one on the value copies it. */
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
    this.hex = button(
      [this.halves[0], el("wbr"), this.halves[1]],
      () => copyLiterals([this.literal()], this.name),
      { class: "mono word", title: "Copy" },
    );
    this.count = el("span", { class: "count" });
    this.title = el("span", { class: "word-name" }, name);
    this.spoken = hidden(name);
    this.send = button([this.board.element, this.spoken], () => scratch.take(this.word, this.name), {
      class: "word-send",
    });
    this.element = el(
      "div",
      { class: "word-board" },
      el("div", { class: "word-head" }, this.title, this.count),
      this.send,
      this.hex,
    );
    this.word = 0n;
  }

  /** @returns {import("./xray-copy.js").Literal} */
  literal() {
    return { name: this.name, type: "u64", value: this.word };
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
    write(this.spoken, `${this.name}: ${members(this.word)}${changed}. Send to the scratch bitboard`);
    this.send.title = `${members(this.word)}${changed}`;
    this.hex.setAttribute("aria-label", `Copy ${this.name}, ${text}`);
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
