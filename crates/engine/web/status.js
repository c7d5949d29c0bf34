// Whether the server is there. It says nothing as long as all is well.

import { byId, el } from "./dom.js";

/** A short interruption is nobody's business. */
const PATIENCE = 600;

export function mountStatus(app) {
  const words = el("p", { class: "away", role: "status", hidden: true });
  byId("notices").before(words);
  let timer = null;
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
      words.textContent = "The server is away. Your game is safe in this browser; the page connects again by itself.";
    }, PATIENCE);
  });
}
