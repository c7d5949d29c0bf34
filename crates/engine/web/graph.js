// @ts-check
// The evaluation graph of the game, with the time per move below it; a click goes to that move.

import { el, set, svg, write } from "./dom.js";
import { moveText, scoreWords, whiteShare } from "./format.js";
import { JUDGEMENTS } from "./glyphs.js";
import { thinkingTimes, TimeGraph, timeWords } from "./time-graph.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./app.js").Tree} Tree */
/** @typedef {import("./protocol").NodeEntry} NodeEntry */

const WIDTH = 600;
const HEIGHT = 90;

/**
 * The nodes of the main line, the root first.
 * @param {Tree} tree
 */
export function mainLine({ nodes, root }) {
  /** @type {NodeEntry[]} */
  const line = [];
  for (let node = root ?? undefined; node; node = nodes.get(node.children[0])) line.push(node);
  return line;
}

/**
 * White's expected score at a node, from 0 to 1, or `null` if it is unknown. A mate needs no evaluation.
 * @param {NodeEntry} node
 */
function whiteShareOf(node) {
  if (node.san?.endsWith("#")) return node.color === "white" ? 1 : 0;
  return node.eval ? whiteShare(node.eval.score, node.color === "white" ? "black" : "white") : null;
}

export class Graph {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {NodeEntry[]} */
    this.line = [];
    /**
     * The tree that the curve shows.
     * @type {Tree | null}
     */
    this.tree = null;
    this.timeControl = "";
    this.area = svg("path", { class: "area" });
    this.curve = svg("path", { class: "curve" });
    this.here = svg("line", { class: "here", y1: 0, y2: HEIGHT });
    const middle = svg("line", { class: "middle", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 });
    this.picture = svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: "ground", width: WIDTH, height: HEIGHT }),
      this.area,
      middle,
      this.curve,
      this.here,
    );
    this.signs = el("div", { class: "graph-signs", "aria-hidden": "true" });
    this.plot = el("div", { class: "graph-curve" }, this.picture, this.signs);
    /** @type {(number | null)[]} */
    this.times = [];
    this.clocks = new TimeGraph(WIDTH);
    this.words = el("p", { class: "soft time-words" });
    this.element = el(
      "div",
      { class: "graph", role: "slider", tabindex: "0", "aria-label": "Evaluation graph", "aria-valuemin": "0" },
      this.plot,
      this.clocks.element,
    );
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      this.jump(event);
    });
    this.element.addEventListener("pointermove", (event) => event.buttons & 1 && this.jump(event));
    this.element.addEventListener("keydown", (event) => this.walk(event));
    app.store.on(["tree", "position"], () => this.draw());
  }

  draw() {
    const { tree, position } = this.app.store.values;
    if (!tree.root || !position) return;
    // The headers of a game come after its tree.
    const timeControl = new Map(position.headers).get("TimeControl") ?? "";
    if (this.tree !== tree || this.timeControl !== timeControl) this.drawCurve(tree, timeControl);
    this.tree = tree;
    this.timeControl = timeControl;
    const ply = this.line.findIndex((node) => node.id === position.node);
    this.here.classList.toggle("off", ply < 0);
    set(this.here, { x1: this.x(ply), x2: this.x(ply) });
    const node = this.line[ply];
    const words = node ? `${moveText(node)}, ${scoreWords(node.eval?.score)}` : "in a variation";
    set(this.element, {
      "aria-valuemax": this.line.length - 1,
      "aria-valuenow": Math.max(0, ply),
      "aria-valuetext": words,
    });
    this.words.hidden = this.clocks.element.classList.contains("off");
    write(this.words, this.words.hidden ? "" : timeWords(this.line, this.times, ply));
  }

  /**
   * @param {Tree} tree
   * @param {string} timeControl
   */
  drawCurve(tree, timeControl) {
    this.line = mainLine(tree);
    this.times = thinkingTimes(this.line, timeControl);
    const hasClocks = this.clocks.draw(this.line, this.times, (ply) => this.x(ply));
    const shares = this.line.map(whiteShareOf);
    const known = shares.flatMap((share) => (share === null ? [] : [share]));
    // Without an evaluation the curve keeps its last value; it starts with the first known one.
    let last = known[0] ?? 0.5;
    const points = shares.map((share, ply) => {
      last = share ?? last;
      return [this.x(ply), HEIGHT * (1 - last)];
    });
    this.plot.hidden = known.length < 2;
    this.element.hidden = this.plot.hidden && !hasClocks;
    if (this.plot.hidden) return;
    const text = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
    set(this.curve, { d: `M${text}` });
    set(this.area, { d: `M0 ${HEIGHT}L${text}L${WIDTH} ${HEIGHT}z` });
    // The signs are text above the picture, because the picture is stretched.
    this.signs.replaceChildren(
      ...this.line.flatMap((node, ply) => {
        const kind = node.review && JUDGEMENTS.get(node.review.judgement);
        const share = shares[ply];
        if (!kind || share === null || !["doubt", "bad", "worst"].includes(kind.tone)) return [];
        const sign = el("span", { class: `sign tone-${kind.tone}` }, kind.sign);
        sign.style.left = `${(100 * this.x(ply)) / WIDTH}%`;
        sign.style.top = `${Math.min(86, Math.max(8, 100 * (1 - share)))}%`;
        return [sign];
      }),
    );
  }

  /** @param {number} ply */
  x(ply) {
    return (WIDTH * Math.max(0, ply)) / Math.max(1, this.line.length - 1);
  }

  /** @param {PointerEvent} event */
  jump(event) {
    const box = this.element.getBoundingClientRect();
    const ply = Math.round(((event.clientX - box.left) / box.width) * (this.line.length - 1));
    this.goTo(Math.max(0, Math.min(this.line.length - 1, ply)));
  }

  /** @param {number} ply */
  goTo(ply) {
    const node = this.line[ply];
    if (node && node.id !== this.app.store.get("position")?.node) this.app.do({ type: "go", node: node.id });
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    const at = Number(this.element.getAttribute("aria-valuenow"));
    const targets = new Map([
      ["ArrowLeft", at - 1],
      ["ArrowRight", at + 1],
      ["Home", 0],
      ["End", this.line.length - 1],
      ["PageUp", at - 10],
      ["PageDown", at + 10],
    ]);
    const to = targets.get(event.key);
    if (to === undefined) return;
    event.preventDefault();
    this.goTo(Math.max(0, Math.min(this.line.length - 1, to)));
  }
}
