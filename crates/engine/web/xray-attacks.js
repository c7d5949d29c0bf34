// @ts-check
// Attacks from and to any square, and the magic lookup of a sliding piece.

import { choice, el, field, write } from "./dom.js";
import { nameOf, pieceName, squareOf } from "./squares.js";
import { facts, hex, section, WordBoard } from "./xray-parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./xray-scratch.js").ScratchSection} ScratchSection */
/** @typedef {import("./app.js").Values} Values */
/** @typedef {import("./protocol").MessageOf<"xray">} XrayMessage */
/** @typedef {import("./protocol").SliderName} SliderName */

/** @type {[value: number, text: string][]} */
const SQUARES = Array.from({ length: 64 }, (_, square) => [square, nameOf(square)]);
/** The square that is shown before the reader chooses one: d4. */
const START = 27;

export class AttackSection {
  /**
   * @param {App} app
   * @param {ScratchSection} scratch
   */
  constructor(app, scratch) {
    this.square = choice(SQUARES, START, (square) => app.store.set({ inspected: Number(square) }));
    this.from = new WordBoard("attacks from", scratch);
    this.to = new WordBoard("attackers of", scratch);
    this.white = new WordBoard("attacked by White", scratch);
    this.black = new WordBoard("attacked by Black", scratch);
    this.checkers = new WordBoard("checkers", scratch);
    this.pinnedWhite = new WordBoard("pinned, White", scratch);
    this.pinnedBlack = new WordBoard("pinned, Black", scratch);
    const boards = [this.from, this.to, this.white, this.black, this.checkers, this.pinnedWhite, this.pinnedBlack];
    this.element = section(
      "attacks",
      () => boards.map((board) => board.literal()),
      el("div", { class: "row-of end" }, field("Square (or click one on the board)", this.square)),
      el(
        "div",
        { class: "word-grid" },
        boards.map(({ element }) => element),
      ),
    );
  }

  /**
   * @param {XrayMessage} xray
   * @param {Values} values
   */
  show({ attacks, checkers, pinned, pieces }, { inspected }) {
    const square = inspected ?? START;
    this.square.value = String(square);
    const piece = pieces[square] === "." ? "" : `${pieceName(pieces[square])} `;
    this.from.rename(piece ? `attacks of ${piece}${nameOf(square)}` : `from ${nameOf(square)}: empty`);
    this.to.rename(`attackers of ${nameOf(square)}`);
    this.from.show(attacks.from[square] ?? 0n);
    this.to.show(attacks.to[square]);
    this.white.show(attacks.white);
    this.black.show(attacks.black);
    this.checkers.show(checkers);
    this.pinnedWhite.show(pinned.white);
    this.pinnedBlack.show(pinned.black);
  }
}

export class MagicSection {
  /**
   * @param {App} app
   * @param {ScratchSection} scratch
   */
  constructor(app, scratch) {
    this.app = app;
    /** @type {SliderName} */
    this.slider = "rook";
    /** @type {import("./xray-copy.js").Literal[]} */
    this.literals = [];
    /** What the answer on display is about. */
    this.question = "";
    this.square = choice(SQUARES, START, (square) => app.store.set({ inspected: Number(square) }));
    const slider = choice(
      [
        ["rook", "rook"],
        ["bishop", "bishop"],
      ],
      this.slider,
      (kind) => {
        this.slider = /** @type {SliderName} */ (kind);
        this.ask(app.store.get("position")?.node ?? null, app.store.get("inspected") ?? START);
      },
    );
    this.mask = new WordBoard("mask", scratch);
    this.blockers = new WordBoard("blockers", scratch);
    this.attacks = new WordBoard("attacks", scratch);
    this.sum = el("pre", { class: "mono update" });
    this.facts = el("div", {});
    this.element = section(
      "magic",
      () => this.literals,
      el("div", { class: "row-of end" }, field("Piece", slider), field("Square", this.square)),
      el(
        "div",
        { class: "word-grid" },
        [this.mask, this.blockers, this.attacks].map(({ element }) => element),
      ),
      this.sum,
      this.facts,
    );
  }

  /**
   * @param {XrayMessage} xray
   * @param {Values} values
   */
  show({ node, pieces }, { inspected }) {
    const square = inspected ?? START;
    this.square.value = String(square);
    const question = `${node} ${square} ${this.slider} ${pieces}`;
    if (this.question !== question) this.ask(node, square);
    this.question = question;
  }

  /**
   * @param {number | null} node
   * @param {number} square
   */
  async ask(node, square) {
    const answer = await this.app.do({ type: "magic", node, square: nameOf(square), slider: this.slider });
    if (!answer) return;
    this.mask.show(answer.mask);
    this.blockers.show(answer.blockers);
    this.attacks.show(answer.attacks);
    const { blockers, multiplier, product, shift, offset, index, pext } = answer;
    const name = `${answer.slider}_${answer.square}`;
    this.literals = [
      { name: `${name}_mask`, type: "u64", value: answer.mask },
      { name: `${name}_magic`, type: "u64", value: multiplier },
      { name: `${name}_shift`, type: "u16", value: shift },
      { name: `${name}_blockers`, type: "u64", value: blockers },
      { name: `${name}_attacks`, type: "u64", value: answer.attacks },
    ];
    write(
      this.sum,
      [
        `  ${hex(blockers)}  blockers = occupied ∩ mask`,
        `× ${hex(multiplier)}  multiplier`,
        `= ${hex(product)}  product, modulo 2⁶⁴`,
        `≫ ${shift} = ${index - offset}, + offset ${offset} = index ${index}`,
      ].join("\n"),
    );
    this.facts.replaceChildren(
      facts([
        ["PEXT", `index ${pext.index}, ${pext.in_use ? "used by this build" : "not used by this build"}`],
        ["Square", `${answer.square} = ${squareOf(answer.square)}`],
      ]),
    );
  }
}
