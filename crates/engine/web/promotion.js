// @ts-check
// The choice of a piece when a pawn promotes.

import { button, byId, el } from "./dom.js";
import { pieceClass, place, typeName } from "./squares.js";

/** @typedef {import("./protocol").MoveEntry} MoveEntry */

/**
 * Asks which of these promotions is meant; `null` if the reader cancels.
 * @param {MoveEntry[]} moves
 * @param {number} to
 * @param {boolean} flipped
 * @returns {Promise<MoveEntry | null>}
 */
export function choosePromotion(moves, to, flipped) {
  const board = byId("board");
  const before = document.activeElement;
  const isWhite = to >= 56;
  const [column, row] = place(to, flipped);

  return new Promise((resolve) => {
    const finish = (/** @type {MoveEntry | null} */ move) => {
      menu.remove();
      removeEventListener("pointerdown", outside, true);
      if (before instanceof HTMLElement && board.contains(before)) before.focus();
      resolve(move);
    };
    const outside = (/** @type {Event} */ event) => {
      if (!menu.contains(/** @type {Node} */ (event.target))) finish(null);
    };
    const choices = moves.map((move) => {
      const letter = isWhite ? (move.promotion ?? "").toUpperCase() : (move.promotion ?? "");
      const label = `Promote to a ${typeName(letter)}`;
      return button(el("span", { class: pieceClass(letter) }), () => finish(move), {
        "aria-label": label,
        title: label,
      });
    });
    const menu = el("div", { class: "promotion", role: "menu", "aria-label": "Promote to" }, choices);
    for (const choice of choices) choice.setAttribute("role", "menuitem");
    menu.style.left = `${12.5 * column}%`;
    // The first choice is on the promotion square, under the pointer.
    const isAtTop = row === 0;
    menu.style[isAtTop ? "top" : "bottom"] = "0";
    menu.style.flexDirection = isAtTop ? "column" : "column-reverse";
    const down = isAtTop ? 1 : -1;
    const steps = new Map([
      ["ArrowDown", down],
      ["ArrowRight", 1],
      ["ArrowUp", -down],
      ["ArrowLeft", -1],
    ]);
    menu.addEventListener("keydown", (event) => {
      const at = choices.findIndex((choice) => choice === document.activeElement);
      const step = steps.get(event.key);
      if (step) choices[(at + step + choices.length) % choices.length].focus();
      else if (event.key === "Escape") finish(null);
      else if (event.key === "Tab") event.preventDefault();
      else {
        const typed = moves.find((move) => move.promotion === event.key.toLowerCase());
        if (!typed) return;
        finish(typed);
      }
      event.preventDefault();
      event.stopPropagation();
    });
    board.append(menu);
    choices[0].focus();
    addEventListener("pointerdown", outside, true);
  });
}
