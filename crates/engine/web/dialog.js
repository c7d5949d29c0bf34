// Windows over the page. The browser's own element keeps the focus inside, and gives it back.

import { button, el } from "./dom.js";

/** Opens a window with a heading; it is forgotten when it closes. */
export function openDialog(heading, ...content) {
  const id = `dialog-${heading.toLowerCase().replace(/\W+/g, "-")}`;
  if (document.getElementById(id)) return null;
  const close = button("Close", () => dialog.close(), { class: "small" });
  const head = el("div", { class: "dialog-head" }, el("h2", { id: `${id}-title` }, heading), close);
  const dialog = el("dialog", { id, "aria-labelledby": `${id}-title` }, head, ...content);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
