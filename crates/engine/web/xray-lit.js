// @ts-check
// The square under the pointer or the focus is lit on every board of the X-ray, and described in words.

import { el, write } from "./dom.js";
import { squareUnder } from "./little-board.js";
import { fileOf, nameOf, rankOf, squareOf } from "./squares.js";

/**
 * Lights squares inside a panel. Returns the element with the description.
 * @param {HTMLElement} panel
 */
export function mountLight(panel) {
  const readout = el("p", { class: "readout soft" });
  const light = (/** @type {number | null} */ square) => {
    panel.classList.toggle("has-lit", square !== null);
    readout.classList.toggle("mono", square !== null);
    for (const cell of panel.querySelectorAll("td.is-lit")) cell.classList.remove("is-lit");
    if (square === null) {
      write(readout, "Point at a square: it is lit on every board.");
      return;
    }
    panel.style.setProperty("--lit-x", `${fileOf(square)}px`);
    panel.style.setProperty("--lit-y", `${7 - rankOf(square)}px`);
    for (const cell of panel.querySelectorAll(`td[data-square="${nameOf(square)}"]`)) cell.classList.add("is-lit");
    const word = (1n << BigInt(square)).toString(16).padStart(16, "0").toUpperCase();
    write(readout, `${nameOf(square)} = bit ${square} = 8 · ${rankOf(square)} + ${fileOf(square)} = 0x${word}`);
  };
  const at = (/** @type {Event} */ event) => {
    if (!(event.target instanceof Element) || panel.hidden) return null;
    const cell = event.target.closest("[data-square]");
    if (cell instanceof HTMLElement && cell.dataset.square) return squareOf(cell.dataset.square);
    const board = event.target.closest(".little.set");
    return board && event instanceof PointerEvent ? squareUnder(board, event) : null;
  };
  // The big board lights squares too: it has the keys to walk over them.
  document.addEventListener("pointermove", (event) => {
    const square = at(event);
    if (square !== null || panel.contains(/** @type {Node} */ (event.target))) light(square);
  });
  document.addEventListener("focusin", (event) => {
    const square = at(event);
    if (square !== null) light(square);
  });
  light(null);
  return readout;
}
