// @ts-check
// A bitboard to experiment with: a click on any bitboard of the X-ray combines it with this one.

import { button, el, field, write } from "./dom.js";
import { SetBoard } from "./little-board.js";
import { nameOf, squaresIn } from "./squares.js";
import { binary, hex, members, section } from "./xray-parts.js";

const ALL = (1n << 64n) - 1n;
const A_FILE = 0x0101010101010101n;
const H_FILE = A_FILE << 7n;

/** @typedef {[text: string, combine: (own: bigint, other: bigint) => bigint]} Operation */

/**
 * The operations that combine a bitboard with this one.
 * @type {Operation[]}
 */
const COMBINE = [
  ["= set", (_, other) => other],
  ["∪ or", (own, other) => own | other],
  ["∩ and", (own, other) => own & other],
  ["∖ and not", (own, other) => own & ~other],
  ["⊕ xor", (own, other) => own ^ other],
];

/** @type {[text: string, label: string, change: (own: bigint) => bigint][]} */
const CHANGE = [
  ["¬ not", "Complement", (own) => ~own],
  ["↑", "One rank up", (own) => own << 8n],
  ["↓", "One rank down", (own) => own >> 8n],
  ["→", "One file to the right", (own) => (own & ~H_FILE) << 1n],
  ["←", "One file to the left", (own) => (own & ~A_FILE) >> 1n],
  ["⇅", "Flip vertically: rank 1 becomes rank 8", flipRanks],
  ["− lowest", "Remove the lowest bit", (own) => own & (own - 1n)],
  ["clear", "Empty", () => 0n],
];

/** @param {bigint} word */
function flipRanks(word) {
  let flipped = 0n;
  for (let rank = 0n; rank < 8n; rank++) flipped |= ((word >> (8n * rank)) & 0xffn) << (56n - 8n * rank);
  return flipped;
}

/** @type {{ [key: string]: number }} */
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 };

export class ScratchSection {
  constructor() {
    this.word = 0n;
    /** @type {bigint[]} */
    this.past = [];
    this.combine = COMBINE[0];
    this.board = new SetBoard();
    this.cells = Array.from({ length: 64 }, (_, index) => {
      const square = 8 * (7 - (index >> 3)) + (index % 8);
      return button("", () => this.put(this.word ^ (1n << BigInt(square)), `toggle ${nameOf(square)}`), {
        class: "scratch-cell",
        tabindex: index === 0 ? "0" : "-1",
        dataset: { square: nameOf(square) },
      });
    });
    const grid = el(
      "div",
      { class: "scratch-board", role: "group", "aria-label": "Scratch bitboard; arrow keys move the focus" },
      this.board.element,
      el("div", { class: "scratch-cells" }, this.cells),
    );
    grid.addEventListener("keydown", (event) => this.walk(event));

    this.hex = el("input", { class: "mono", id: "scratch-hex", spellcheck: "false", autocomplete: "off" });
    this.hex.addEventListener("change", () => this.typed());
    this.operations = COMBINE.map((operation) =>
      button(operation[0], () => this.choose(operation), { class: "small" }),
    );
    const changes = CHANGE.map(([text, label, change]) => {
      // A sign needs an accessible name; a word is one.
      const name = /[a-z]/.test(text) ? {} : { "aria-label": label };
      return button(text, () => this.put(change(this.word) & ALL, label), { class: "small", title: label, ...name });
    });
    this.undo = button("Undo", () => this.back(), { class: "small" });
    this.bits = el("pre", { class: "mono" });
    this.history = el("p", { class: "soft", role: "status" });
    this.element = section(
      "scratch",
      () => [{ name: "scratch", type: "u64", value: this.word }],
      el(
        "div",
        { class: "scratch" },
        grid,
        el(
          "div",
          { class: "stack tight" },
          field("Word", this.hex),
          el(
            "div",
            { class: "row-of", role: "group", "aria-label": "How a clicked bitboard is combined with this one" },
            this.operations,
          ),
          el("div", { class: "row-of", role: "group", "aria-label": "Change the set" }, changes, this.undo),
          this.history,
        ),
      ),
      el("details", {}, el("summary", {}, "In binary"), this.bits),
    );
    this.choose(COMBINE[0]);
    this.draw("");
  }

  /** The scratch bitboard does not depend on the position. */
  show() {}

  /** @param {Operation} operation */
  choose(operation) {
    this.combine = operation;
    this.operations.forEach((toggle, index) =>
      toggle.setAttribute("aria-pressed", String(COMBINE[index] === operation)),
    );
  }

  /**
   * A bitboard was clicked.
   * @param {bigint} word
   * @param {string} name
   */
  take(word, name) {
    const [text, combine] = this.combine;
    this.put(combine(this.word, word) & ALL, `${text} ${name}`);
  }

  /**
   * @param {bigint} word
   * @param {string} why
   */
  put(word, why) {
    this.past.push(this.word);
    if (this.past.length > 100) this.past.shift();
    this.word = word;
    this.draw(why);
  }

  back() {
    const before = this.past.pop();
    if (before === undefined) return;
    this.word = before;
    this.draw("undone");
  }

  typed() {
    try {
      const word = BigInt(this.hex.value.trim().replace(/_/g, "") || 0);
      if (word < 0n || word > ALL) throw new RangeError();
      this.put(word, "typed");
    } catch {
      write(this.history, "Not a 64-bit number. Write 0x and up to 16 hexadecimal digits, or a decimal number.");
    }
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    const at = this.cells.findIndex((cell) => cell === document.activeElement);
    const step = STEPS[event.key];
    if (at < 0 || !step) return;
    event.preventDefault();
    event.stopPropagation();
    const next = this.cells[at + step];
    if (!next || (Math.abs(step) === 1 && at >> 3 !== (at + step) >> 3)) return;
    this.cells[at].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  /** @param {string} why */
  draw(why) {
    const squares = squaresIn(this.word);
    this.board.show(squares);
    const inside = new Set(squares.map(nameOf));
    for (const cell of this.cells) {
      const { square = "" } = cell.dataset;
      cell.setAttribute("aria-label", square);
      cell.setAttribute("aria-pressed", String(inside.has(square)));
    }
    this.hex.value = hex(this.word);
    write(this.bits, binary(this.word));
    write(this.history, `${why ? `${why}: ` : ""}${squares.length} bits, ${members(this.word)}`);
    this.undo.disabled = this.past.length === 0;
  }
}
