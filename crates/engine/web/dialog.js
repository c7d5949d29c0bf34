// @ts-check
// Modal dialogs. The browser's own element keeps the focus inside and restores it afterwards.

import { button, byId, el } from "./dom.js";

/**
 * Opens a dialog with a heading; it is removed when it closes.
 * @param {string} heading
 * @param {...import("./dom.js").Child} content
 */
export function openDialog(heading, ...content) {
  const id = `dialog-${heading.toLowerCase().replace(/\W+/g, "-")}`;
  if (document.getElementById(id)) return;
  const close = button("Close", () => dialog.close(), { class: "small" });
  const head = el("div", { class: "dialog-head" }, el("h2", { id: `${id}-title` }, heading), close);
  const dialog = el("dialog", { id, "aria-labelledby": `${id}-title` }, head, ...content);
  dialog.addEventListener("close", () => {
    const notices = byId("notices");
    if (dialog.contains(notices)) document.body.append(notices);
    dialog.remove();
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}
