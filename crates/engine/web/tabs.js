// @ts-check
// The tabs at the top. One panel is open at a time, and it decides what the board and the server do.

import { byId } from "./dom.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {"play" | "analyse" | "review" | "setup" | "xray"} Tab */

/** @type {Tab[]} */
export const TABS = ["play", "analyse", "review", "setup", "xray"];

/** @param {App} app */
export function mountTabs(app) {
  const { store } = app;
  const tabs = TABS.map((name) => byId(`tab-${name}`));
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => store.set({ tab: TABS[index] }));
    // The mouse leaves the focus where it is: the arrow keys should step through the game, not through the tabs.
    tab.addEventListener("mousedown", (event) => event.preventDefault());
    tab.addEventListener("keydown", (event) => {
      const next = nextTab(index, event.key);
      if (next === null) return;
      event.preventDefault();
      event.stopPropagation();
      store.set({ tab: TABS[next] });
      tabs[next].focus();
    });
  });

  store.on(["tab"], () => {
    const chosen = TABS.includes(store.get("tab")) ? store.get("tab") : "analyse";
    TABS.forEach((name, index) => {
      tabs[index].setAttribute("aria-selected", String(name === chosen));
      tabs[index].tabIndex = name === chosen ? 0 : -1;
      byId(`panel-${name}`).hidden = name !== chosen;
    });
    byId("main").dataset.tab = chosen;
    if (store.get("connection") === "open") app.do({ type: "xray", on: chosen === "xray" });
  });
}

/**
 * The tab that a key leads to.
 * @param {number} index
 * @param {string} key
 */
function nextTab(index, key) {
  switch (key) {
    case "ArrowRight":
      return (index + 1) % TABS.length;
    case "ArrowLeft":
      return (index - 1 + TABS.length) % TABS.length;
    case "Home":
      return 0;
    case "End":
      return TABS.length - 1;
    default:
      return null;
  }
}
