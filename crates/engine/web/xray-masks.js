// @ts-check
// The masks of the move generator, and the sets that unite to the legal moves, one after the other.

import { el, write } from "./dom.js";
import { nameOf, squaresIn } from "./squares.js";
import { section, WordBoard } from "./xray-parts.js";
import { Stepper } from "./xray-stepper.js";

/** @typedef {import("./protocol").Masks} Masks */
/** @typedef {import("./protocol").MessageOf<"xray">} XrayMessage */
/** @typedef {import("./protocol").TargetKind} TargetKind */
/** @typedef {import("./protocol").TargetSet} TargetSet */
/** @typedef {import("./xray-scratch.js").ScratchSection} ScratchSection */

/**
 * How each set is computed.
 * @type {{ [kind in TargetKind]: string }}
 */
const FORMULAS = {
  king: "king attacks ∖ own pieces ∖ danger. The king needs no other mask.",
  knight: "knight attacks ∩ check mask ∖ own pieces. A pinned knight never moves.",
  bishop: "bishop attacks ∩ check mask ∖ own pieces; a pinned bishop stays on its diagonal.",
  rook: "rook attacks ∩ check mask ∖ own pieces; a pinned rook stays on its rank or file.",
  queen: "queen attacks ∩ check mask ∖ own pieces; a pinned queen stays on the line of the pin.",
  step: "pawns shifted by one rank ∖ occupied ∩ check mask; of the pinned pawns only those pinned along the file.",
  double_step: "single steps to the third rank, shifted again ∖ occupied ∩ check mask.",
  capture_west: "pawns shifted towards the a-file ∩ enemy pieces ∩ check mask; pinned pawns stay on their diagonal.",
  capture_east: "pawns shifted towards the h-file ∩ enemy pieces ∩ check mask; pinned pawns stay on their diagonal.",
  en_passant: "both pawns leave their squares; no slider may attack the king then. The masks alone do not show that.",
  castling: "the way of the king ∩ danger = ∅, the way of both ∩ occupied = ∅. The target is the rook’s square.",
};

/** @param {TargetSet} set */
function setName({ kind, from }) {
  const name = kind.replace("_", " ");
  const isPawns = ["step", "double_step", "capture_west", "capture_east"].includes(kind);
  return isPawns ? `pawns: ${name}` : `${name} ${squaresIn(BigInt(from)).map(nameOf)}`;
}

export class MaskSection {
  /** @param {ScratchSection} scratch */
  constructor(scratch) {
    /** @type {XrayMessage | null} */
    this.xray = null;
    this.masks = {
      checkers: new WordBoard("checkers", scratch),
      check_mask: new WordBoard("check mask", scratch),
      straight_pins: new WordBoard("straight pins", scratch),
      diagonal_pins: new WordBoard("diagonal pins", scratch),
      danger: new WordBoard("danger", scratch),
      own: new WordBoard("own pieces", scratch),
    };
    this.from = new WordBoard("from", scratch);
    this.targets = new WordBoard("targets", scratch);
    this.union = new WordBoard("all targets so far", scratch);
    this.reading = el("p", { class: "soft" });
    this.formula = el("p", { role: "status" });
    this.sum = el("p", { class: "mono mask-sum" });
    this.stepper = new Stepper("sets of moves", (step) => this.draw(step));
    const boards = [...Object.values(this.masks), this.from, this.targets, this.union];
    this.element = section(
      "masks",
      () => boards.map((board) => board.literal()),
      el("h4", {}, "1. What is known before the first move"),
      this.reading,
      el(
        "div",
        { class: "word-grid" },
        Object.values(this.masks).map(({ element }) => element),
      ),
      el("h4", {}, "2. The sets of moves, one by one"),
      this.stepper.element,
      this.formula,
      el("div", { class: "word-grid" }, this.from.element, this.targets.element, this.union.element),
      this.sum,
    );
  }

  /** @param {XrayMessage} xray */
  show(xray) {
    if (this.xray === xray) return;
    // The same position is sent again when something else about it changes.
    const step = this.xray?.fen === xray.fen ? this.stepper.step : 0;
    this.xray = xray;
    const { masks } = xray;
    for (const name of /** @type {(keyof MaskSection["masks"])[]} */ (Object.keys(this.masks)))
      this.masks[name].show(masks[name]);
    write(this.reading, reading(masks));
    this.stepper.reset(masks.sets.length, step);
  }

  /** @param {number} step */
  draw(step) {
    if (!this.xray) return;
    const { masks, moves } = this.xray;
    const shown = masks.sets.slice(0, step + 1);
    const set = shown.at(-1);
    const union = shown.reduce((all, { targets }) => all | BigInt(targets), 0n);
    const before = shown.slice(0, -1).reduce((all, { targets }) => all | BigInt(targets), 0n);
    const count = shown.reduce((all, one) => all + one.moves, 0);
    this.from.show(set?.from ?? 0n);
    this.targets.show(set?.targets ?? 0n);
    this.union.show(union, union & ~before);
    write(this.formula, set ? `${setName(set)}: ${FORMULAS[set.kind]}` : "There is no legal move.");
    const isLast = step === Math.max(0, masks.sets.length - 1);
    const verdict = count === moves.length ? "✓ these are all legal moves" : "✗ not the legal moves";
    write(this.sum, `${set?.moves ?? 0} moves here, ${count} of ${moves.length} so far${isLast ? `: ${verdict}` : ""}`);
  }
}

/**
 * The masks in words.
 * @param {Masks} masks
 */
function reading({ checkers, check_mask: answers, straight_pins: straight, diagonal_pins: diagonal }) {
  const names = (/** @type {string} */ word) => squaresIn(BigInt(word)).map(nameOf).join(" ");
  const check =
    BigInt(checkers) === 0n
      ? "No check: a piece may go anywhere."
      : BigInt(answers) === 0n
        ? `Double check from ${names(checkers)}: only the king can move.`
        : `Check from ${names(checkers)}: other pieces must go to ${names(answers)}.`;
  const pins = BigInt(straight) | BigInt(diagonal);
  const pinText = pins === 0n ? "No pins." : "A pin covers the pinner, the pinned piece and the squares up to the king.";
  return `${check} ${pinText}`;
}
