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
 * Shows a message with a button. It stays until the reader presses the button or dismisses it.
 * @param {string} sentence
 * @param {string} label
 * @param {() => void} action
 */
export const showOffer = (sentence, label, action) => show(sentence, "notice", "status", { label, action });

/**
 * Shows a message that can be taken back for a while.
 * @param {string} sentence
 * @param {() => void} action
 */
export const showUndo = (sentence, action) => show(sentence, "notice", "status", { label: "Undo", action, leaves: true });

/**
 * @param {string} sentence
 * @param {string} className
 * @param {"status" | "alert"} role
 * @param {{ label: string, action: () => void, leaves?: boolean }} [offer]
 */
function show(sentence, className, role, offer) {
  const area = byId("notices");
  // Behind a modal dialog a message would be dim, and its buttons dead.
  const place = document.querySelector("dialog[open]") ?? document.body;
  if (area.parentElement !== place) place.append(area);
  const same = [...area.children].find((notice) => notice.firstChild?.textContent === sentence);
  same?.remove();
  const notice = el("div", { class: className, role }, el("span", {}, sentence));
  if (offer) {
    const accept = () => {
      notice.remove();
      offer.action();
    };
    notice.append(button(offer.label, accept, { class: "small primary" }));
  }
  notice.append(button("Dismiss", () => notice.remove(), { class: "small" }));
  area.append(notice);
  while (area.children.length > 4) area.firstElementChild?.remove();
  if (offer && !offer.leaves) return;
  const leave = () => {
    if (notice.matches(":hover, :focus-within")) setTimeout(leave, STAY);
    else notice.remove();
  };
  setTimeout(leave, STAY);
}
