// @ts-check
// The search, iteration by iteration: small plots and a table.

import { switchButton } from "./controls.js";
import { el, svg, write } from "./dom.js";
import { scoreText, short, whiteShare } from "./format.js";
import { section, table } from "./xray-parts.js";

const WIDTH = 220;
const HEIGHT = 70;

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").DepthEntry} DepthEntry */

/** @typedef {[low: number, high: number]} Range */
/** @typedef {(entry: DepthEntry) => number} ValueOf */
/** @typedef {(entry: DepthEntry) => string} TextOf */

/**
 * The plots: name, value of an entry, its text, and a fixed range if there is one.
 * @type {[name: string, value: ValueOf, text: TextOf, range: Range | null][]}
 */
const PLOTS = [
  [
    "Score (White's expected score)",
    (entry) => 100 * whiteShare(entry.score, "white"),
    (entry) => scoreText(entry.score),
    [0, 100],
  ],
  ["Nodes (logarithmic)", (entry) => Math.log10(Math.max(1, entry.nodes)), (entry) => short(entry.nodes), null],
  ["Hash table fill", (entry) => entry.hashfull / 10, (entry) => `${(entry.hashfull / 10).toFixed(1)} %`, [0, 100]],
  ["First-move cutoffs", (entry) => rate(entry) ?? 0, (entry) => rateText(entry), [50, 100]],
];

/**
 * How many of the cutoffs came from the first move, in per cent.
 * @param {DepthEntry} entry
 */
const rate = ({ cutoffs, first_cutoffs: first }) => (cutoffs > 0 ? (100 * first) / cutoffs : null);
/** @param {DepthEntry} entry */
const rateText = (entry) => {
  const percent = rate(entry);
  return percent === null ? "–" : `${percent.toFixed(1)} %`;
};

export class SearchSection {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** How many iterations the table shows. */
    this.drawn = -1;
    this.status = el("p", { class: "soft tabular" });
    this.plots = PLOTS.map((plot) => new Plot(...plot));
    this.rows = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Iterations of the search" });
    this.line = el("p", { class: "best-line" });
    this.element = section(
      "search",
      () => [
        { name: "depths", type: "u16", value: this.history().map(({ depth }) => depth) },
        { name: "nodes", type: "u64", value: this.history().map(({ nodes }) => nodes) },
      ],
      el("div", { class: "row-of" }, switchButton(app, "engine", "Engine"), this.status),
      this.line,
      el(
        "div",
        { class: "plots" },
        this.plots.map(({ element }) => element),
      ),
      this.rows,
    );
    app.store.on(["analysis", "tab", "engine"], () => this.draw());
  }

  history() {
    return this.app.store.get("analysis")?.history ?? [];
  }

  draw() {
    const { analysis, tab, engine } = this.app.store.values;
    if (tab !== "xray") return;
    const history = this.history();
    write(
      this.status,
      engine
        ? analysis
          ? `depth ${analysis.depth}/${analysis.selective_depth}, ${short(analysis.nodes)} nodes, ${short(analysis.nps)}/s`
          : "starting…"
        : "Turn the engine on to watch it search.",
    );
    write(this.line, analysis?.lines[0] ? `Best line: ${analysis.lines[0].san.join(" ")}` : "");
    for (const plot of this.plots) plot.show(history);
    if (this.drawn === history.length && history.length > 0) return;
    this.drawn = history.length;
    const rows = history.map((entry, index) => [
      String(entry.depth),
      entry.best,
      scoreText(entry.score),
      short(entry.nodes),
      branching(history, index),
      `${entry.time_ms} ms`,
      `${(entry.hashfull / 10).toFixed(1)} %`,
      rateText(entry),
    ]);
    this.rows.replaceChildren(
      table(
        ["Depth", "Best", "Score", "Nodes", "Branching", "Time", "Hash", "First-move cutoffs"],
        rows.reverse(),
        "depths",
      ),
    );
  }
}

/**
 * The effective branching factor: the nodes of this iteration divided by those of the one before.
 * @param {DepthEntry[]} history
 * @param {number} index
 */
function branching(history, index) {
  const spent = (/** @type {number} */ i) => (i < 0 ? 0 : history[i].nodes - (i > 0 ? history[i - 1].nodes : 0));
  return index > 0 && spent(index - 1) > 0 ? `× ${(spent(index) / spent(index - 1)).toFixed(2)}` : "–";
}

class Plot {
  /**
   * @param {string} name
   * @param {ValueOf} value
   * @param {TextOf} text
   * @param {Range | null} range
   */
  constructor(name, value, text, range) {
    this.value = value;
    this.text = text;
    this.range = range;
    this.curve = svg("path", { class: "curve" });
    this.dots = svg("path", { class: "dots" });
    this.last = el("b", {});
    this.caption = el("figcaption", {}, `${name} `, this.last);
    this.element = el(
      "figure",
      { class: "plot" },
      this.caption,
      svg(
        "svg",
        { viewBox: `0 -4 ${WIDTH} ${HEIGHT + 8}`, preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("path", { class: "axis", d: `M0 ${HEIGHT}H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 0H${WIDTH}` }),
        this.curve,
        this.dots,
      ),
    );
  }

  /** @param {DepthEntry[]} history */
  show(history) {
    const values = history.map(this.value);
    const [low, high] = this.range ?? [Math.min(0, ...values), Math.max(1, ...values)];
    const points = values.map((value, index) => {
      const x = (WIDTH * (index + 0.5)) / Math.max(values.length, 12);
      const y = HEIGHT * (1 - (Math.min(high, Math.max(low, value)) - low) / (high - low));
      return `${x.toFixed(1)} ${y.toFixed(1)}`;
    });
    this.curve.setAttribute("d", points.length > 0 ? `M${points.join("L")}` : "");
    // Points are lines of length zero; their round caps stay dots when the picture is stretched.
    this.dots.setAttribute("d", points.map((point) => `M${point}h0`).join(""));
    const last = history.at(-1);
    write(this.last, last ? this.text(last) : "");
  }
}
