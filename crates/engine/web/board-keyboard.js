// The keyboard on the board: a cursor that goes from square to square, Enter to lift and to put down.

import { fileOf, rankOf, squareAt } from "./squares.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Connects the keyboard with a board; keys that mean nothing here are left to the page. */
export function followKeys(board) {
  /** Where an arrow that is being drawn began, or `null`. */
  let arrowFrom = null;

  board.grid.addEventListener("focusin", (event) => {
    const square = board.cells.indexOf(event.target);
    if (square >= 0) board.moveCursor(squareOfCell(board, square), false);
  });

  // A press of the pointer is handled elsewhere; this is the click that assistive technology makes.
  board.grid.addEventListener("click", (event) => {
    const index = board.cells.indexOf(event.target);
    if (index >= 0 && event.detail === 0) board.press(squareOfCell(board, index));
  });

  board.grid.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const square = board.cursor;
    const step = STEPS[event.key];
    if (board.hands.type?.(square, event.key)) {
      // A letter put a piece there.
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

function squareOfCell(board, index) {
  return squareAt(index % 8, index >> 3, board.flipped);
}

/** The next square in a direction of the screen; at the edge the cursor stays. */
function neighbour(square, [right, up], flipped) {
  const sign = flipped ? -1 : 1;
  const file = Math.min(7, Math.max(0, fileOf(square) + sign * right));
  const rank = Math.min(7, Math.max(0, rankOf(square) + sign * up));
  return file + 8 * rank;
}
