// @ts-check
// The tabs at the top. One panel is open at a time, and it decides what the board and the server do.

import { byId } from "./dom.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {"play" | "analyse" | "review" | "puzzles" | "library" | "setup" | "xray"} Tab */

/** @type {Tab[]} */
export const TABS = ["play", "analyse", "review", "puzzles", "library", "setup", "xray"];

/**
 * The tabs that the reader can open: only some hosts have a library.
 * @param {App} app
 */
export function openableTabs({ store }) {
  const { welcome, tab } = store.values;
  const hasLibrary = welcome ? Boolean(welcome.library) : tab === "library";
  return TABS.filter((name) => name !== "library" || hasLibrary);
}

/** @param {App} app */
export function mountTabs(app) {
  const { store } = app;
  const tabs = TABS.map((name) => byId(`tab-${name}`));
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => store.set({ tab: TABS[index] }));
    // The mouse leaves the focus where it is: the arrow keys should step through the game, not through the tabs.
    tab.addEventListener("mousedown", (event) => event.preventDefault());
    tab.addEventListener("keydown", (event) => {
      const openable = openableTabs(app);
      const next = nextTab(openable.indexOf(TABS[index]), openable.length, event.key);
      if (next === null) return;
      event.preventDefault();
      event.stopPropagation();
      store.set({ tab: openable[next] });
      byId(`tab-${openable[next]}`).focus();
    });
  });

  store.on(["welcome"], () => {
    const openable = openableTabs(app);
    byId("tab-library").hidden = !openable.includes("library");
    if (!openable.includes(store.get("tab"))) store.set({ tab: "analyse" });
  });
  store.on(["tab"], () => {
    const chosen = TABS.includes(store.get("tab")) ? store.get("tab") : "analyse";
    TABS.forEach((name, index) => {
      tabs[index].setAttribute("aria-selected", String(name === chosen));
      tabs[index].tabIndex = name === chosen ? 0 : -1;
      byId(`panel-${name}`).hidden = name !== chosen;
    });
    byId("main").dataset.tab = chosen;
    // On a phone the tabs may be wider than the screen.
    const [tab, list] = [byId(`tab-${chosen}`), byId(`tab-${chosen}`).parentElement];
    if (list) list.scrollLeft = tab.offsetLeft - list.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2;
    if (store.get("connection") === "open") app.do({ type: "xray", on: chosen === "xray" });
  });
}

/**
 * The tab that a key leads to.
 * @param {number} index
 * @param {number} count
 * @param {string} key
 */
function nextTab(index, count, key) {
  switch (key) {
    case "ArrowRight":
      return (index + 1) % count;
    case "ArrowLeft":
      return (index - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}
