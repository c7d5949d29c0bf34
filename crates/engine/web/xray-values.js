// What the position is worth: piece squares, the terms of the evaluation, the net's value by piece.

import { el } from "./dom.js";
import { signed } from "./format.js";
import { numberBoard } from "./little-board.js";
import { squareOf } from "./squares.js";
import { facts, section, table } from "./xray-parts.js";

const pawns = (cp) => signed(cp / 100, 2);

export class PieceSquareSection {
  constructor() {
    this.body = el("div", { class: "stack tight" });
    this.element = section("Piece squares and phase", this.body);
  }

  show({ piece_squares: { middle, end, phase, full_phase: full, pieces }, diff }) {
    const change = diff?.piece_squares;
    const delta = (n) => (change ? ` (${signed(n)} by ${diff.san})` : "");
    const blend = full > 0 ? Math.min(phase, full) / full : 0;
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
        ["Middle game", `${signed(middle)}${delta(change?.middle)}`],
        ["End game", `${signed(end)}${delta(change?.end)}`],
        ["Phase", `${phase} of ${full}${delta(change?.phase)}: ${Math.round(100 * blend)} % middle game`],
      ]),
      el("p", { class: "soft" }, "What every piece adds for White, in centipawns, blended by the phase:"),
      numberBoard(values, "Value of every piece on its square"),
    );
  }
}

export class EvaluationSection {
  constructor() {
    this.body = el("div", { class: "stack tight" });
    this.element = section("Evaluation, term by term", this.body);
  }

  show({ evaluation: { value, phase, full_phase: full, scale, full_scale: fullScale, terms } }) {
    const blend = full > 0 ? Math.min(phase, full) / full : 0;
    const tapered = ([mid, end]) => mid * blend + end * (1 - blend);
    const widest = Math.max(1, ...terms.map(({ white, black }) => Math.abs(tapered(white) - tapered(black))));
    const pair = ([mid, end]) => `${signed(mid)} / ${signed(end)}`;
    const rows = terms.map(({ name, white, black }) => {
      const total = tapered(white) - tapered(black);
      return [name, pair(white), pair(black), el("span", { class: "mono" }, pawns(total)), bar(total / widest)];
    });
    const scaled = scale === fullScale ? "" : `, end game scaled by ${scale}/${fullScale}`;
    this.body.replaceChildren(
      el("p", {}, el("b", {}, pawns(value)), ` for White; phase ${phase} of ${full}${scaled}`),
      terms.length === 0
        ? el("p", { class: "soft" }, "This ending is known: it has a value of its own, without terms.")
        : el(
            "div",
            { class: "scroll", tabindex: "0", role: "region", "aria-label": "Terms of the evaluation" },
            table(["Term", "White mid / end", "Black mid / end", "Sum", "Balance"], rows, { class: "terms" }),
          ),
    );
  }
}

/** A bar to the right for White, to the left for Black. */
function bar(share) {
  const fill = el("span", { class: share < 0 ? "fill black" : "fill white" });
  fill.style.width = `${50 * Math.abs(share)}%`;
  return el("span", { class: "term-bar", "aria-hidden": "true" }, fill);
}

export class NetSection {
  constructor() {
    this.body = el("div", { class: "stack tight" });
    this.element = section("Neural network", this.body);
  }

  show({ net, pieces }) {
    if (!net) {
      this.body.replaceChildren(el("p", { class: "soft" }, "No net is loaded; the classical evaluation is at work."));
      return;
    }
    const values = net.pieces.map((value, square) =>
      value === null ? undefined : { piece: pieces[square], text: signed(value) },
    );
    this.body.replaceChildren(
      el("p", {}, el("b", {}, pawns(net.value)), ` for White, by ${net.name}`),
      el("p", { class: "soft" }, "How much White would lose if the piece vanished, in centipawns:"),
      numberBoard(values, "The net's value of every piece"),
    );
  }
}
