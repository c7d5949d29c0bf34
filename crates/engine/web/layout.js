// @ts-check
// What the layout needs to know beyond the size of the window: the state of the game, and where the moves are.

import { byId, oncePerFrame } from "./dom.js";

/** @typedef {import("./app.js").App} App */

/** Two columns: the window is wide, or wider than it is high. The style sheets have the same condition. */
const TWO_COLUMNS = "(min-width: 860px) or ((min-width: 560px) and (orientation: landscape))";
export const ONE_COLUMN = `not (${TWO_COLUMNS})`;

/** @param {App} app */
export function mountLayout(app) {
  const { store } = app;
  const main = byId("main");
  const notebook = byId("notebook");
  const side = notebook.parentElement;
  const wide = matchMedia(TWO_COLUMNS);

  const arrange = () => {
    const { tab, tree, position } = store.values;
    const isEmpty = !tree.root || tree.root.children.length === 0;
    const empty = position?.puzzle ? "puzzle" : "none";
    main.dataset.game = app.playing() ? "live" : position?.play ? "over" : isEmpty ? empty : "moves";
    // In a review the moves come first; on a phone an empty notebook invites right below the board.
    const comesFirst = wide.matches ? tab === "review" : main.dataset.game === "none" && tab === "analyse";
    if (!side || (side.firstElementChild === notebook) === comesFirst) return;
    const list = notebook.querySelector(".moves");
    const scrolled = list?.scrollTop ?? 0;
    const focused = notebook.contains(document.activeElement) ? document.activeElement : null;
    if (comesFirst) side.prepend(notebook);
    else side.append(notebook);
    // An element that moves in the document loses its place and the focus.
    if (list) list.scrollTop = scrolled;
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  };
  store.on(["tab", "tree", "position"], arrange);
  store.on(["tab", "level", "welcome"], showLevel);
  addEventListener("resize", () => {
    arrange();
    showLevel();
  });
}

/** Where the levels are one row, the chosen one must be in sight. */
const showLevel = oncePerFrame(() => {
  const chosen = document.querySelector(".level:has(:checked)");
  const row = chosen?.parentElement;
  if (!chosen || !row) return;
  const [box, frame] = [chosen.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += box.left - frame.left - (frame.width - box.width) / 2;
});
