// @ts-check
// Messages for the reader. They disappear after a while, but not while the pointer or the focus is on them.

import { button, byId, el } from "./dom.js";

/** How long a message stays, in milliseconds. */
const STAY = 9000;

/**
 * Shows a message that a screen reader speaks when it is idle.
 * @param {string} sentence
 */
export const showNotice = (sentence) => show(sentence, "notice", "status");

/**
 * Shows an error, which interrupts a screen reader.
 * @param {unknown} error An `Error`, or the sentence itself.
 */
export const showError = (error) =>
  show(error instanceof Error ? error.message : String(error), "notice error", "alert");

/**
 * @param {string} sentence
 * @param {string} className
 * @param {"status" | "alert"} role
 */
function show(sentence, className, role) {
  const area = byId("notices");
  const same = [...area.children].find((notice) => notice.firstChild?.textContent === sentence);
  same?.remove();
  const notice = el("div", { class: className, role }, el("span", {}, sentence));
  notice.append(button("Dismiss", () => notice.remove(), { class: "small" }));
  area.append(notice);
  while (area.children.length > 4) area.firstElementChild?.remove();
  const leave = () => {
    if (notice.matches(":hover, :focus-within")) setTimeout(leave, STAY);
    else notice.remove();
  };
  setTimeout(leave, STAY);
}
