// Sentences for the reader: errors and things worth knowing. They go away by themselves, but not while being read.

import { button, byId, el } from "./dom.js";

const STAY = 9000;

/** Shows a sentence; an error interrupts a screen reader, a remark waits. */
export function tell(sentence, { error = false } = {}) {
  const area = byId("notices");
  const same = [...area.children].find((notice) => notice.firstChild.textContent === sentence);
  same?.remove();
  const words = el("span", {}, sentence);
  const notice = el("div", { class: error ? "notice error" : "notice", role: error ? "alert" : "status" }, words);
  notice.append(button("Dismiss", () => notice.remove(), { class: "small" }));
  area.append(notice);
  while (area.children.length > 4) area.firstChild.remove();
  const leave = () => (notice.matches(":hover, :focus-within") ? setTimeout(leave, STAY) : notice.remove());
  setTimeout(leave, STAY);
}

/** Says that something went wrong. */
export const complain = (error) => tell(error.message, { error: true });
