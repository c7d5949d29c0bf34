// @ts-check
// The accumulators of the network: rows that enter and leave, and the sum that is the evaluation.

import { el, hidden } from "./dom.js";
import { signed } from "./format.js";
import { pieceName } from "./squares.js";
import { section } from "./xray-parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").Accumulator} Accumulator */
/** @typedef {import("./protocol").FeatureRow} FeatureRow */
/** @typedef {import("./protocol").NetTrace} NetTrace */
/** @typedef {import("./protocol").MessageOf<"xray">} XrayMessage */

/** Numbers in a row of a picture. */
const COLUMNS = 64;
/** Positive and negative numbers, readable on light and dark ground. */
const POSITIVE = [20, 140, 125];
const NEGATIVE = [205, 80, 45];

/**
 * Numbers as a picture: one point each, stronger for larger ones.
 * @param {number[]} numbers
 * @param {number} full The number with the full colour.
 * @param {string} label
 */
function picture(numbers, full, label) {
  const height = Math.ceil(numbers.length / COLUMNS);
  const canvas = el("canvas", { class: "numbers", width: COLUMNS, height, role: "img", "aria-label": label });
  const pen = canvas.getContext("2d");
  if (!pen) return canvas;
  const image = pen.createImageData(COLUMNS, height);
  numbers.forEach((number, at) => {
    const strength = Math.min(1, Math.abs(number) / full);
    image.data.set([...(number < 0 ? NEGATIVE : POSITIVE), 255 * strength], 4 * at);
  });
  pen.putImageData(image, 0, 0);
  return canvas;
}

export class AccumulatorSection {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.question = "";
    /** @type {NetTrace | null} */
    this.trace = null;
    this.body = el("div", { class: "stack tight" });
    this.element = section(
      "accumulator",
      () =>
        (this.trace?.accumulators ?? []).map(
          ({ perspective, numbers }) =>
            /** @type {const} */ ({ name: `accumulator_${perspective}`, type: "i16", value: numbers }),
        ),
      this.body,
    );
  }

  /** @param {XrayMessage} xray */
  async show({ node, fen, net }) {
    const question = `${node} ${fen}`;
    if (question === this.question) return;
    this.question = question;
    const answer = await this.app.do({ type: "accumulators", node });
    if (!answer || this.question !== question) return;
    this.trace = answer.trace;
    if (!answer.trace) {
      const text = net ? "This network has more layers; only its value is shown." : "No network is loaded.";
      this.body.replaceChildren(el("p", { class: "soft" }, text));
      return;
    }
    this.body.replaceChildren(...answer.trace.accumulators.map(accumulatorView), sumView(answer.trace, net?.value));
  }
}

/** @param {Accumulator} accumulator */
function accumulatorView(accumulator) {
  const { perspective, mirrored, king_bucket: kingBucket, refreshed, features, numbers, added, removed, sum } = accumulator;
  const side = perspective === "white" ? "White" : "Black";
  const row = (/** @type {FeatureRow} */ { piece, square, index, weights }, /** @type {boolean} */ came) =>
    el(
      "li",
      {},
      el("span", { class: came ? "came" : "went" }, came ? "+ added" : "− removed"),
      ` ${pieceName(piece)} ${square}, row ${index}`,
      picture(weights, 60, `The ${weights.length} weights of this row`),
    );
  const mirror = mirrored ? ", mirrored, because the king is on the files e to h" : "";
  const bucket = kingBucket === null ? "" : `, king bucket ${kingBucket}`;
  return el(
    "div",
    { class: "accumulator" },
    el("h4", {}, `Seen by ${side}${mirror}${bucket}`),
    picture(numbers, 255, `The ${numbers.length} numbers of ${side}’s accumulator`),
    el(
      "p",
      { class: "soft" },
      refreshed
        ? `Computed anew: the bias and ${features} rows.`
        : `Updated from the position before. Rows added: ${added.length}, removed: ${removed.length}.`,
    ),
    el("ul", { class: "rows" }, removed.map((one) => row(one, false)), added.map((one) => row(one, true))),
    el("p", { class: "mono" }, `Σ clip(number, 0, 255)² · output weight = ${sum}`, hidden(` for ${side}`)),
  );
}

/**
 * @param {NetTrace} trace
 * @param {number | undefined} expected The evaluation by the search's own code.
 */
function sumView(trace, expected) {
  const { accumulators, unit, bucket, sum, output_bias: bias, scale, output_unit: outputUnit, value, white } = trace;
  const lines = [
    ...accumulators.map(({ perspective, sum: part }, at) => `${at === 0 ? " " : "+"} ${part}  ${perspective}`),
    `= ${sum}`,
    `÷ ${unit} = ${Math.trunc(sum / unit)}`,
    `+ ${bias}  bias of output bucket ${bucket}`,
    `× ${scale} ÷ ${outputUnit} = ${value} centipawns for the side to move`,
    `${white === expected ? "✓ equals" : "✗ differs from"} the evaluation: ${signed(white)} for White`,
  ];
  return el("pre", { class: "mono update accumulator-sum" }, lines.join("\n"));
}
