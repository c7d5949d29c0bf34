// @ts-check
// The X-ray panel: the internal representation of the position, and what the last move changed in it.

import { byId, el, oncePerFrame } from "./dom.js";
import { BitboardSection } from "./xray-bitboards.js";
import { AttackSection, MagicSection } from "./xray-attacks.js";
import { FactSection, KeySection } from "./xray-key.js";
import { EvaluationSection, NetSection, PieceSquareSection } from "./xray-values.js";
import { ScratchSection } from "./xray-scratch.js";
import { SearchSection } from "./xray-search.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./app.js").Values} Values */
/** @typedef {import("./protocol").MessageOf<"xray">} XrayMessage */

/** @typedef {{ element: HTMLElement, show: (xray: XrayMessage, values: Values) => void }} Section */

/** @param {App} app */
export function mountXray(app) {
  const { store } = app;
  const scratch = new ScratchSection();
  const bitboards = new BitboardSection(scratch);
  /** @type {Section[]} */
  const columns = [
    new FactSection(),
    scratch,
    new AttackSection(app, scratch),
    new MagicSection(app, scratch),
    new KeySection(),
    new EvaluationSection(),
    new PieceSquareSection(),
    new NetSection(),
  ];
  const sections = [bitboards, ...columns];
  byId("panel-xray").append(
    el("h2", { class: "visually-hidden" }, "X-ray"),
    bitboards.element,
    el(
      "div",
      { class: "xray-columns" },
      columns.map(({ element }) => element),
    ),
    new SearchSection(app).element,
  );

  // Positions may arrive faster than frames; only the last one is drawn.
  const draw = oncePerFrame(() => {
    const { xray, tab } = store.values;
    if (!xray || tab !== "xray") return;
    for (const section of sections) section.show(xray, store.values);
  });
  store.on(["xray", "tab", "inspected"], draw);
}
