// @ts-check
// What the transposition table has for the position.

import { switchButton } from "./controls.js";
import { el } from "./dom.js";
import { signed } from "./format.js";
import { facts, hex, section, table } from "./xray-parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").TtView} TtView */

const BOUNDS = { exact: "exact", lower: "at least", upper: "at most" };
const bits21 = (/** @type {number} */ bits) => `0x${bits.toString(16).padStart(6, "0").toUpperCase()}`;

export class TableSection {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.body = el("div", { class: "stack tight" });
    this.element = section(
      "table",
      () => this.literals(),
      el("div", { class: "row-of" }, switchButton(app, "engine", "Engine")),
      this.body,
    );
    app.store.on(["analysis", "tab"], () => this.draw());
  }

  /** @returns {import("./xray-copy.js").Literal[]} */
  literals() {
    const tt = this.app.store.get("analysis")?.tt;
    if (!tt) return [];
    return [
      { name: "tt_key", type: "u64", value: tt.key },
      { name: "tt_clusters", type: "u64", value: tt.clusters },
      { name: "tt_index", type: "u64", value: tt.index },
      { name: "tt_data", type: "u64", value: tt.slots.map((slot) => slot?.data ?? 0) },
    ];
  }

  draw() {
    const { analysis, tab } = this.app.store.values;
    if (tab !== "xray") return;
    const tt = analysis?.tt;
    this.body.replaceChildren(
      ...(tt ? probe(tt) : [el("p", { class: "soft" }, "Turn the engine on. Its table fills while it searches.")]),
    );
  }
}

/** @param {TtView} tt */
function probe({ key, clusters, index, key_part: part, generation, slots, hit }) {
  const rows = slots.map((slot, number) => {
    const mark = number === hit ? el("span", { class: "came" }, "✓ this position") : slot ? "different key" : "empty";
    if (!slot) return [String(number), mark, ...Array(9).fill("")];
    return [
      String(number),
      mark,
      slot.uci ?? "–",
      slot.bound ? BOUNDS[slot.bound] : "–",
      slot.bound ? signed(slot.value) : "–",
      slot.eval === null ? "–" : signed(slot.eval),
      String(slot.depth),
      slot.pv ? "yes" : "no",
      String(slot.age),
      el("span", { class: "mono" }, bits21(slot.signature)),
      el("span", { class: "mono" }, hex(slot.data)),
    ];
  });
  const mono = (/** @type {string} */ text) => el("span", { class: "mono" }, text);
  return [
    facts([
      ["Key", mono(hex(key))],
      ["Cluster", mono(`${hex(key)} · ${clusters} ≫ 64 = ${index}`)],
      ["Key part", mono(`lowest 21 bits = ${bits21(part)}, mixed with the data of an entry`)],
      ["Generation", `search ${generation} (modulo 32); the age of an entry is the number of searches since`],
      ["Result", hit === null ? "no entry for this position" : `hit in entry ${hit}`],
    ]),
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Entries of the cluster" },
      table(
        ["Entry", "Key", "Move", "Bound", "Value", "Evaluation", "Depth", "PV", "Age", "Signature", "Data"],
        rows,
        "parts",
      ),
    ),
    el("p", { class: "soft" }, "Data, from bit 0: move 16, value 16, evaluation 16, depth 8, bound 2, PV 1, generation 5."),
  ];
}
