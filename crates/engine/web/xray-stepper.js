// @ts-check
// Buttons that step through a list, forth and back.

import { button, el, write } from "./dom.js";

export class Stepper {
  /**
   * @param {string} label
   * @param {(step: number) => void} onstep
   */
  constructor(label, onstep) {
    this.onstep = onstep;
    this.count = 1;
    this.step = 0;
    const control = (/** @type {string} */ text, /** @type {string} */ name, /** @type {() => number} */ to) =>
      button(text, () => this.go(to()), { class: "small", "aria-label": `${name} (${label})`, title: name });
    this.first = control("«", "First step", () => 0);
    this.back = control("◀ Back", "One step back", () => this.step - 1);
    this.next = control("Next ▶", "One step forward", () => this.step + 1);
    this.last = control("»", "Last step", () => this.count - 1);
    this.where = el("span", { class: "soft tabular" });
    this.element = el(
      "div",
      { class: "row-of stepper", role: "group", "aria-label": label },
      [this.first, this.back, this.next, this.last, this.where],
    );
  }

  /**
   * A new list.
   * @param {number} count
   * @param {number} [step]
   */
  reset(count, step = 0) {
    this.count = Math.max(1, count);
    this.go(step);
  }

  /** @param {number} step */
  go(step) {
    this.step = Math.min(Math.max(step, 0), this.count - 1);
    // A disabled button loses the focus, so the buttons stay enabled.
    for (const [control, off] of /** @type {[HTMLElement, boolean][]} */ ([
      [this.first, this.step === 0],
      [this.back, this.step === 0],
      [this.next, this.step === this.count - 1],
      [this.last, this.step === this.count - 1],
    ])) {
      control.setAttribute("aria-disabled", String(off));
    }
    write(this.where, `step ${this.step + 1} of ${this.count}`);
    this.onstep(this.step);
  }
}
