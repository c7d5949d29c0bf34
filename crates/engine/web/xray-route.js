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
    this.place = placeInAddress() || "bitboards";
    this.open(this.place, false);
    addEventListener("popstate", () => {
      if (placeInAddress() === null) return;
      this.place = placeInAddress() || this.place;
      this.open(this.place, true);
    });
    document.addEventListener("click", (event) => {
      const link = closest(event, 'a[href^="#xray/"]');
      const place = placeId(link?.getAttribute("href")?.slice("#xray/".length));
      if (!place || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.go(place);
    });
    // route.js writes the tab into the address; the place follows.
    app.store.on(["tab"], () => {
      if (placeInAddress() === "") history.replaceState(null, "", `#xray/${this.place}`);
    });
  }

  /** @param {PlaceId} place */
  go(place) {
    this.place = place;
    const address = `#xray/${place}`;
    if (location.hash !== address) history.pushState(null, "", address);
    this.app.store.set({ tab: "xray" });
    this.open(place, true);
  }
}
