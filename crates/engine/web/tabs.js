// The tabs at the top: one panel is open at a time, and what is open decides what the board and the server do.

import { byId } from "./dom.js";

export const TABS = ["play", "analyse", "review", "setup", "xray"];

export function mountTabs(app) {
  const { store } = app;
  const tabs = TABS.map((name) => byId(`tab-${name}`));
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => store.set({ tab: TABS[index] }));
    // A press of the mouse leaves the focus where it is: the arrow keys should go through the game, not the tabs.
    tab.addEventListener("mousedown", (event) => event.preventDefault());
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const next = { Home: 0, End: TABS.length - 1 }[event.key] ?? (step && (index + step + TABS.length) % TABS.length);
      if (next === undefined) return;
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
    document.querySelector("main").dataset.tab = chosen;
    if (store.get("connection") === "open") app.do({ type: "xray", on: chosen === "xray" });
  });
}
