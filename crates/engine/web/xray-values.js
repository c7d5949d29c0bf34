// @ts-check
// The evaluation: piece-square tables, the terms of the classical evaluation, the network's value of each piece.

import { el } from "./dom.js";
import { signed } from "./format.js";
import { numberBoard } from "./little-board.js";
import { squareOf } from "./squares.js";
import { facts, section, table } from "./xray-parts.js";

/** @typedef {import("./protocol").MessageOf<"xray">} XrayMessage */
/** @typedef {[middle: number, end: number]} Tapered */

/** @param {number} cp */
const pawns = (cp) => signed(cp / 100, 2);

export class PieceSquareSection {
  constructor() {
    this.body = el("div", { class: "stack tight" });
    /** @type {import("./xray-copy.js").Literal[]} */
    this.literals = [];
    this.element = section("squares", () => this.literals, this.body);
  }

  /** @param {XrayMessage} xray */
  show({ piece_squares: { middle, end, phase, full_phase: full, pieces }, diff }) {
    this.literals = [
      { name: "piece_square_sum_middlegame", type: "i16", value: middle },
      { name: "piece_square_sum_endgame", type: "i16", value: end },
      { name: "phase", type: "i16", value: phase },
    ];
    const change = diff?.piece_squares;
    const delta = (/** @type {number | undefined} */ n) =>
      diff && n !== undefined ? ` (${signed(n)} by ${diff.san})` : "";
    const blend = full > 0 ? Math.min(phase, full) / full : 0;
    /** @type {{ text: string, piece: string, tone: string }[]} */
    const values = [];
    const changed = new Set(diff?.squares ?? []);
    for (const { square, piece, middle: m, end: e } of pieces) {
      values[squareOf(square)] = {
        piece,
        text: signed(Math.round(m * blend + e * (1 - blend))),
        tone: changed.has(square) ? "is-changed" : "",
      };
    }
    this.body.replaceChildren(
      facts([
        ["Middlegame", `${signed(middle)}${delta(change?.middle)}`],
        ["Endgame", `${signed(end)}${delta(change?.end)}`],
        ["Phase", `${phase} of ${full}${delta(change?.phase)}: ${Math.round(100 * blend)} % middlegame`],
      ]),
      el("p", { class: "soft" }, "The value of each piece for White, in centipawns, interpolated by the game phase:"),
      numberBoard(values, "Value of each piece on its square"),
    );
  }
}

export class EvaluationSection {
  constructor() {
    this.body = el("div", { class: "stack tight" });
    /** @type {import("./xray-copy.js").Literal[]} */
    this.literals = [];
    this.element = section("evaluation", () => this.literals, this.body);
  }

  /** @param {XrayMessage} xray */
  show({ evaluation: { value, phase, full_phase: full, scale, full_scale: fullScale, terms } }) {
    this.literals = [
      { name: "value_for_white", type: "i16", value },
      ...terms.map(({ name, white, black }) => {
        /** @type {import("./xray-copy.js").Literal} */
        const literal = { name, type: "i16", value: [...white, ...black] };
        return literal;
      }),
    ];
    const blend = full > 0 ? Math.min(phase, full) / full : 0;
    const tapered = (/** @type {Tapered} */ [mid, end]) => mid * blend + end * (1 - blend);
    const widest = Math.max(1, ...terms.map(({ white, black }) => Math.abs(tapered(white) - tapered(black))));
    const pair = (/** @type {Tapered} */ [mid, end]) => `${signed(mid)} / ${signed(end)}`;
    const rows = terms.map(({ name, white, black }) => {
      const total = tapered(white) - tapered(black);
      return [name, pair(white), pair(black), el("span", { class: "mono" }, pawns(total)), bar(total / widest)];
    });
    const scaled = scale === fullScale ? "" : `, endgame value scaled by ${scale}/${fullScale}`;
    this.body.replaceChildren(
      el("p", {}, el("b", {}, pawns(value)), ` for White; phase ${phase} of ${full}${scaled}`),
      terms.length === 0
        ? el("p", { class: "soft" }, "This endgame has a special evaluation without terms.")
        : el(
            "div",
            { class: "scroll", tabindex: "0", role: "region", "aria-label": "Terms of the evaluation" },
            table(["Term", "White mid / end", "Black mid / end", "Sum", "Balance"], rows, "terms"),
          ),
    );
  }
}

/**
 * A bar to the right for White, to the left for Black.
 * @param {number} share
 */
function bar(share) {
  const fill = el("span", { class: share < 0 ? "fill black" : "fill white" });
  fill.style.width = `${50 * Math.abs(share)}%`;
  return el("span", { class: "term-bar", "aria-hidden": "true" }, fill);
}

export class NetSection {
  constructor() {
    this.body = el("div", { class: "stack tight" });
    /** @type {import("./xray-copy.js").Literal[]} */
    this.literals = [];
    this.element = section("net", () => this.literals, this.body);
  }

  /** @param {XrayMessage} xray */
  show({ net, pieces }) {
    if (!net) {
      this.body.replaceChildren(
        el("p", { class: "soft" }, "No network is loaded. The engine uses the classical evaluation."),
      );
      return;
    }
    this.literals = [
      { name: "value_for_white", type: "i16", value: net.value },
      { name: "piece_values", type: "i16", value: net.pieces.map((value) => value ?? 0) },
    ];
    const values = net.pieces.map((value, square) =>
      value === null ? undefined : { piece: pieces[square], text: signed(value) },
    );
    this.body.replaceChildren(
      el("p", {}, el("b", {}, pawns(net.value)), ` for White, by ${net.name}`),
      el("p", { class: "soft" }, "How much White would lose without the piece, in centipawns:"),
      numberBoard(values, "The network's value of each piece"),
    );
  }
}
