// @ts-check
// The X-ray panel: the internal representation of the position, and what the last move changed in it.

import { byId, el, oncePerFrame } from "./dom.js";
import { boardSymbols } from "./little-board.js";
import { AccumulatorSection } from "./xray-accumulator.js";
import { AttackSection, MagicSection } from "./xray-attacks.js";
import { BitboardSection } from "./xray-bitboards.js";
import { CONTENTS, GROUPS, SECTIONS } from "./xray-contents.js";
import { languageChoice } from "./xray-copy.js";
import { FactSection, KeySection } from "./xray-key.js";
import { mountLight } from "./xray-lit.js";
import { MaskSection } from "./xray-masks.js";
import { ChosenMove, MoveSection, TimelineSection } from "./xray-moves.js";
import { PerftSection } from "./xray-perft.js";
import { Route } from "./xray-route.js";
import { ScratchSection } from "./xray-scratch.js";
import { SearchSection } from "./xray-search.js";
import { TableSection } from "./xray-table.js";
import { Tours } from "./xray-tours.js";
import { EvaluationSection, NetSection, PieceSquareSection } from "./xray-values.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./app.js").Values} Values */
/** @typedef {import("./protocol").MessageOf<"xray">} XrayMessage */
/** @typedef {import("./xray-contents.js").PlaceId} PlaceId */
/** @typedef {import("./xray-contents.js").SectionId} SectionId */

/** @typedef {{ element: HTMLElement, show?: (xray: XrayMessage, values: Values) => void }} Section */

/** @param {App} app */
export function mountXray(app) {
  const { store } = app;
  const panel = byId("panel-xray");
  const scratch = new ScratchSection();
  const chosen = new ChosenMove();
  /** @type {{ [id in SectionId]: Section }} */
  const sections = {
    bitboards: new BitboardSection(scratch),
    position: new FactSection(),
    scratch,
    attacks: new AttackSection(app, scratch),
    magic: new MagicSection(app, scratch),
    masks: new MaskSection(scratch),
    moves: new MoveSection(chosen),
    timeline: new TimelineSection(app, chosen),
    perft: new PerftSection(app),
    key: new KeySection(),
    table: new TableSection(app),
    evaluation: new EvaluationSection(),
    squares: new PieceSquareSection(),
    net: new NetSection(),
    accumulator: new AccumulatorSection(app),
    search: new SearchSection(app),
  };
  const tours = new Tours(app, (place) => route.go(place));
  const groups = GROUPS.map(([, ids]) =>
    el(
      "div",
      { class: "xray-group" },
      ids.map((id) => sections[id].element),
    ),
  );
  const contents = el("div", { class: "xray-group" }, contentsCard(), tours.list);
  const link = (/** @type {PlaceId} */ place, /** @type {string} */ text) => el("a", { href: `#xray/${place}` }, text);
  const groupLinks = [link(CONTENTS, "Contents"), ...GROUPS.map(([name, ids]) => link(ids[0], name))];
  const sectionLinks = el("div", { class: "section-links" });
  panel.append(
    boardSymbols(),
    el("h2", { class: "visually-hidden" }, "X-ray"),
    el("div", { class: "xray-links", role: "navigation", "aria-label": "X-ray" }, groupLinks, sectionLinks),
    el("div", { class: "xray-tools" }, mountLight(panel), languageChoice()),
    tours.card,
    contents,
    ...groups,
  );

  /** The group on display; -1 is the contents. */
  let open = 0;
  /**
   * The section that a link has opened. It stays in sight while answers arrive and change the heights of others, until
   * the reader does something.
   * @type {HTMLElement | null}
   */
  let wanted = null;
  const heights = new ResizeObserver(() => wanted?.scrollIntoView({ block: "start" }));
  for (const group of groups) heights.observe(group);
  for (const event of ["wheel", "pointerdown", "touchstart", "keydown"])
    addEventListener(event, () => (wanted = null), { passive: true, capture: true });
  // Positions may arrive faster than frames; only the last one is drawn, and only what can be seen.
  const draw = oncePerFrame(() => {
    const { xray, tab } = store.values;
    if (!xray || tab !== "xray") return;
    for (const id of GROUPS[open]?.[1] ?? []) sections[id].show?.(xray, store.values);
  });

  const route = new Route(app, (place, focus) => {
    open = GROUPS.findIndex(([, ids]) => ids.some((id) => id === place));
    contents.hidden = open >= 0;
    groups.forEach((group, index) => (group.hidden = index !== open));
    groupLinks.forEach((one, index) => mark(one, index === open + 1 ? "true" : null));
    sectionLinks.replaceChildren(...(GROUPS[open]?.[1] ?? []).map((id) => link(id, SECTIONS[id].title)));
    for (const one of sectionLinks.children)
      mark(one, one.getAttribute("href") === `#xray/${place}` ? "location" : null);
    const element = place === CONTENTS ? null : sections[place].element;
    // The first section of a group has the links above it: they stay in sight.
    const isFirst = GROUPS[open]?.[1][0] === place;
    wanted = isFirst ? panel : element;
    if (focus) element?.focus({ preventScroll: true });
    wanted?.scrollIntoView({ block: "start" });
    draw();
  });
  store.on(["xray", "tab", "inspected"], draw);
  tours.resume();
}

/**
 * @param {Element} link
 * @param {"true" | "location" | null} current
 */
function mark(link, current) {
  if (current) link.setAttribute("aria-current", current);
  else link.removeAttribute("aria-current");
}

/** The list of all sections. */
function contentsCard() {
  return el(
    "section",
    { class: "card xray-section" },
    el("h3", {}, "Contents"),
    GROUPS.map(([name, ids]) =>
      el(
        "div",
        { class: "contents-group" },
        el("h4", {}, name),
        el(
          "ul",
          {},
          ids.map((id) => {
            const { title, what } = SECTIONS[id];
            return el("li", {}, el("a", { href: `#xray/${id}` }, title), ` – ${what}`);
          }),
        ),
      ),
    ),
  );
}
