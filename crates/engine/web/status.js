// @ts-check
// Shows that the connection to the server is lost.

import { byId, el } from "./dom.js";

/** Shorter interruptions are not shown, in milliseconds. */
const PATIENCE = 600;

/** @param {import("./app.js").App} app */
export function mountStatus(app) {
  const words = el("p", { class: "away", role: "status", hidden: true });
  byId("notices").before(words);
  /** @type {number | undefined} */
  let timer;
  app.store.on(["connection"], () => {
    const isOpen = app.store.get("connection") === "open";
    document.documentElement.classList.toggle("is-away", !isOpen);
    clearTimeout(timer);
    if (isOpen) {
      words.hidden = true;
      return;
    }
    timer = setTimeout(() => {
      words.hidden = false;
      words.textContent = "The server is not responding. Your game is saved here, and the page is reconnecting.";
    }, PATIENCE);
  });
}
