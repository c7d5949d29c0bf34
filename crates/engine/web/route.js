// @ts-check
// The open tab in the address: `#review`. Back and Forward lead from tab to tab.

import { hasLink } from "./memory.js";
import { TABS } from "./tabs.js";

/** @typedef {import("./app.js").App} App */

/**
 * The tab that the address names; `null` if it names none. An X-ray address goes on: `#xray/masks`.
 * @returns {import("./tabs.js").Tab | null}
 */
function tabInAddress() {
  const names = location.hash
    .slice(1)
    .split("&")
    .map((part) => part.split("/", 1)[0]);
  return TABS.find((tab) => names.includes(tab)) ?? null;
}

/** @param {App} app */
export function mountRoute({ store }) {
  const first = tabInAddress();
  if (first) store.set({ tab: first });
  // A game in the address is read later, so the address stays as it is until then.
  else if (!hasLink()) history.replaceState(null, "", `#${store.get("tab")}`);
  addEventListener("popstate", () => {
    const tab = tabInAddress();
    if (tab) store.set({ tab });
  });
  store.on(["tab"], () => {
    const tab = store.get("tab");
    if (tabInAddress() !== tab && !hasLink()) history.pushState(null, "", `#${tab}`);
  });
}
