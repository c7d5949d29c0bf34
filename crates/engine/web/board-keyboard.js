// @ts-check
// Keyboard input on the board: arrow keys move a cursor, Enter picks up and puts down.

import { fileOf, rankOf, squareAt } from "./squares.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {[right: number, up: number]} Direction */

/** @type {{ [key: string]: Direction }} */
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/**
 * Connects the keyboard to a board; keys without a meaning here are left to the page.
 * @param {Board} board
 */
export function followKeys(board) {
  /**
   * The first square of an arrow that is being drawn.
   * @type {number | null}
   */
  let arrowFrom = null;

  board.grid.addEventListener("focusin", (event) => {
    const index = board.cells.findIndex((cell) => cell === event.target);
    if (index >= 0) board.moveCursor(squareOfCell(board, index), false);
  });

  // This is the click of assistive technology; board-pointer.js handles the pointer.
  board.grid.addEventListener("click", (event) => {
    const index = board.cells.findIndex((cell) => cell === event.target);
    if (index >= 0 && event.detail === 0) board.press(squareOfCell(board, index));
  });

  board.grid.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const square = board.cursor;
    const step = STEPS[event.key];
    if (board.hands.type?.(square, event.key)) {
      // The key placed or removed a piece.
    } else if (step) board.moveCursor(neighbour(square, step, board.flipped));
    else if (event.key === "Home") board.moveCursor(square - fileOf(square));
    else if (event.key === "End") board.moveCursor(square - fileOf(square) + 7);
    else if (event.key === "Enter" || event.key === " ") board.press(square);
    else if (event.key === "Escape" && board.selected !== null) board.select(null);
    else if (event.key === "o") board.hands.draw?.(square, square, "green");
    else if (event.key === "v" && board.hands.draw) {
      if (arrowFrom === null) arrowFrom = square;
      else {
        board.hands.draw(arrowFrom, square, "green");
        arrowFrom = null;
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/**
 * @param {Board} board
 * @param {number} index
 */
function squareOfCell(board, index) {
  return squareAt(index % 8, index >> 3, board.flipped);
}

/**
 * The next square in a direction of the screen; at the edge the cursor stays.
 * @param {number} square
 * @param {Direction} direction
 * @param {boolean} flipped
 */
function neighbour(square, [right, up], flipped) {
  const sign = flipped ? -1 : 1;
  const file = Math.min(7, Math.max(0, fileOf(square) + sign * right));
  const rank = Math.min(7, Math.max(0, rankOf(square) + sign * up));
  return file + 8 * rank;
}
