// @ts-check
// Perft with divide, and the comparison with the divide of a different program.

import { button, choice, el, field, write } from "./dom.js";
import { section, table } from "./xray-parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").Comparison} Comparison */
/** @typedef {import("./protocol").MessageOf<"perft">} PerftMessage */
/** @typedef {import("./protocol").MessageOf<"xray">} XrayMessage */

const number = (/** @type {number | null} */ count) => count?.toLocaleString("en-GB") ?? "–";

export class PerftSection {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {PerftMessage | null} */
    this.answer = null;
    this.fen = "";
    this.depth = choice(
      [1, 2, 3, 4, 5, 6].map((depth) => [depth, String(depth)]),
      3,
      () => {},
      { id: "perft-depth" },
    );
    this.paste = el("textarea", {
      id: "perft-paste",
      class: "mono",
      rows: "5",
      spellcheck: "false",
      placeholder: "a2a3: 380\na2a4 420\nb2b3 - 420",
    });
    this.status = el("p", { role: "status", class: "perft-status" });
    this.comparison = el("div", { class: "stack tight" });
    this.moves = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Leaves below each move" });
    this.element = section(
      "perft",
      () => [
        { name: "perft_depth", type: "u16", value: this.answer?.depth ?? 0 },
        { name: "perft_total", type: "u64", value: this.answer?.total ?? 0 },
        { name: "divide_moves", type: "text", value: this.answer?.moves.map(({ uci }) => uci) ?? [] },
        { name: "divide_counts", type: "u64", value: this.answer?.moves.map(({ count }) => count) ?? [] },
      ],
      el(
        "div",
        { class: "row-of end" },
        field("Depth", this.depth),
        button("Count", () => this.ask(), { id: "perft-count" }),
      ),
      field("Paste the divide of your program to compare (a move and its count on each line)", this.paste),
      this.status,
      this.comparison,
      this.moves,
    );
  }

  /** @param {XrayMessage} xray */
  show({ fen }) {
    if (fen === this.fen) return;
    this.fen = fen;
    this.answer = null;
    write(this.status, "Choose a depth and count.");
    this.comparison.replaceChildren();
    this.moves.replaceChildren();
  }

  async ask() {
    const compare = this.paste.value.trim() ? this.paste.value : null;
    const fen = this.fen;
    write(this.status, "Counting…");
    try {
      this.answer = await this.app.connection.ask({ type: "perft", depth: Number(this.depth.value), compare });
    } catch (error) {
      write(this.status, error instanceof Error ? error.message : String(error));
      return;
    }
    if (fen !== this.fen) return;
    const { depth, total, moves, comparison } = this.answer;
    write(this.status, `${number(total)} leaves at depth ${depth}, below ${moves.length} moves.`);
    this.comparison.replaceChildren(...(comparison ? compared(comparison) : []));
    this.moves.replaceChildren(
      table(
        ["Move", "SAN", "Leaves"],
        moves.map(({ uci, san, count }) => [uci, san, number(count)]),
        "parts",
      ),
    );
  }
}

/** @param {Comparison} comparison */
function compared({ equal, differences, problem }) {
  const summary = (/** @type {string} */ text) => el("p", { class: "perft-verdict" }, el("b", {}, text));
  if (problem) return [summary(`The list cannot be read: ${problem}.`)];
  if (differences.length === 0) return [summary(`✓ All ${equal} moves agree.`)];
  const cells = differences.map(({ uci, ours, theirs, text }) => [uci ?? "total", number(ours), number(theirs), text]);
  return [
    summary(`✗ ${differences.length} differences, ${equal} moves agree.`),
    table(["Move", "Ferz", "Yours", "Difference"], cells, "parts wrapped"),
    el("p", {}, "If only counts differ, play such a move and compare one depth less."),
  ];
}
