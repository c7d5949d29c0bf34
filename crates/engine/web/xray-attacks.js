// Attacks of any square, and how a slider's are looked up.

import { choice, el, field, write } from "./dom.js";
import { nameOf, pieceName, squareOf } from "./squares.js";
import { facts, hex, section, WordBoard } from "./xray-parts.js";

const SQUARES = Array.from({ length: 64 }, (_, square) => [square, nameOf(square)]);
const START = 27;

export class AttackSection {
  constructor(app, scratch) {
    this.square = choice(SQUARES, START, (square) => app.store.set({ inspected: Number(square) }));
    const names = [
      "attacks from",
      "attackers of",
      "all of White",
      "all of Black",
      "checkers",
      "pinned, White",
      "pinned, Black",
    ];
    [this.from, this.to, this.white, this.black, this.checkers, this.pinnedWhite, this.pinnedBlack] = names.map(
      (name) => new WordBoard(name, scratch),
    );
    const boards = [this.from, this.to, this.white, this.black, this.checkers, this.pinnedWhite, this.pinnedBlack];
    this.element = section(
      "Attacks and pins",
      el("div", { class: "row-of end" }, field("Square (or press one on the board)", this.square)),
      el(
        "div",
        { class: "word-grid" },
        boards.map(({ element }) => element),
      ),
    );
  }

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
  constructor(app, scratch) {
    this.app = app;
    this.slider = "rook";
    this.square = choice(SQUARES, START, (square) => app.store.set({ inspected: Number(square) }));
    const slider = choice(
      [
        ["rook", "rook"],
        ["bishop", "bishop"],
      ],
      this.slider,
      (kind) => {
        this.slider = kind;
        this.ask();
      },
    );
    this.boards = ["mask", "blockers", "attacks"].map((name) => new WordBoard(name, scratch));
    this.sum = el("pre", { class: "mono update" });
    this.facts = el("div", {});
    this.element = section(
      "Magic lookup of a slider",
      el("div", { class: "row-of end" }, field("Slider", slider), field("Square", this.square)),
      el(
        "div",
        { class: "word-grid" },
        this.boards.map(({ element }) => element),
      ),
      this.sum,
      this.facts,
    );
  }

  show({ node, pieces }, { inspected }) {
    const square = inspected ?? START;
    this.square.value = String(square);
    const question = `${node} ${square} ${this.slider} ${pieces}`;
    if (this.question !== question) this.ask(node, square);
    this.question = question;
  }

  async ask(node = this.app.store.get("position").node, square = this.app.store.get("inspected") ?? START) {
    const answer = await this.app.do({ type: "magic", node, square: nameOf(square), slider: this.slider });
    if (!answer) return;
    this.boards.forEach((board) => board.show(answer[board.name]));
    const { blockers, multiplier, product, shift, offset, index, pext } = answer;
    write(
      this.sum,
      [
        `  ${hex(blockers)}  blockers = occupied ∩ mask`,
        `× ${hex(multiplier)}  multiplier`,
        `= ${hex(product)}  product, cut to 64 bits`,
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
