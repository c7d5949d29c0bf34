// @ts-check
// Shows what is being loaded, and that the connection to the session is lost.

import { byId, el, write } from "./dom.js";

/** Shorter interruptions are not shown, in milliseconds. */
const PATIENCE = 600;

/** @param {import("./app.js").App} app */
export function mountStatus(app) {
  const { store } = app;
  const words = el("span");
  const bar = el("progress", { "aria-label": "Loaded" });
  const box = el("div", { class: "away", hidden: true }, el("p", { role: "status" }, words), bar);
  byId("notices").before(box);
  /** @type {number | undefined} */
  let timer;
  store.on(["connection", "loading", "position"], () => {
    const { connection, loading, position } = store.values;
    const isOpen = connection === "open";
    document.documentElement.classList.toggle("is-away", !isOpen || !position);
    if (isOpen) {
      clearTimeout(timer);
      timer = undefined;
      box.hidden = true;
      return;
    }
    write(words, loading?.text ?? app.connection.words.away);
    bar.hidden = !loading;
    if (loading) Object.assign(bar, { max: loading.total, value: loading.done });
    timer ??= setTimeout(() => (box.hidden = false), PATIENCE);
  });
}
