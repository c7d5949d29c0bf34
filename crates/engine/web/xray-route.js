// @ts-check
// The address of the X-ray: `#xray/masks` opens the X-ray at the masks. Back and Forward lead from place to place.

import { closest } from "./dom.js";
import { placeId } from "./xray-contents.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./xray-contents.js").PlaceId} PlaceId */

/**
 * The place in the address; `null` if it does not name the X-ray.
 * @returns {PlaceId | "" | null}
 */
function placeInAddress() {
  for (const part of location.hash.slice(1).split("&")) {
    const [tab, place] = part.split("/", 2);
    if (tab === "xray") return placeId(place) ?? "";
  }
  return null;
}

export class Route {
  /**
   * @param {App} app
   * @param {(place: PlaceId, focus: boolean) => void} open Opens a place of the X-ray.
   */
  constructor(app, open) {
    this.app = app;
    this.open = open;
    /** @type {PlaceId} */
    this.place = "bitboards";
    this.follows = true;
    if (placeInAddress() !== null) this.follow(false);
    else this.open(this.place, false);
    history.replaceState({ tab: app.store.get("tab") }, "");
    addEventListener("popstate", (event) => {
      if (placeInAddress() !== null) this.follow(true);
      else if (event.state?.tab) this.quietly(() => app.store.set({ tab: event.state.tab }));
    });
    document.addEventListener("click", (event) => {
      const link = closest(event, 'a[href^="#xray/"]');
      const place = placeId(link?.getAttribute("href")?.slice("#xray/".length));
      if (!place || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.go(place);
    });
    // A game in the address is read later, so the address stays as it is until the tab changes.
    this.quietly(() => app.store.on(["tab"], () => this.tabChanged()));
  }

  /** @param {PlaceId} place */
  go(place) {
    this.place = place;
    this.quietly(() => this.app.store.set({ tab: "xray" }));
    const address = `#xray/${place}`;
    if (location.hash !== address) history.pushState({ tab: "xray" }, "", address);
    this.open(place, true);
  }

  /**
   * Opens the place in the address.
   * @param {boolean} focus
   */
  follow(focus) {
    this.place = placeInAddress() || this.place;
    this.quietly(() => this.app.store.set({ tab: "xray" }));
    this.open(this.place, focus);
  }

  /**
   * Changes the tab without a new entry in the history.
   * @param {() => void} change
   */
  quietly(change) {
    this.follows = false;
    change();
    this.follows = true;
  }

  tabChanged() {
    if (!this.follows) return;
    const tab = this.app.store.get("tab");
    const isHere = placeInAddress() !== null;
    if (tab === "xray") {
      if (!isHere) history.pushState({ tab }, "", `#xray/${this.place}`);
    } else if (isHere) history.pushState({ tab }, "", location.pathname + location.search);
    else if (history.state?.tab !== tab)
      history.replaceState({ tab }, "", location.hash || location.pathname + location.search);
  }
}
