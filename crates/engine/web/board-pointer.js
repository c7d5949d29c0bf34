// @ts-check
// Mouse, pen and touch on the board: dragging a piece, clicking two squares, drawing with the right button.

import { closest } from "./dom.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./board.js").Man} Man */

/** @typedef {{ kind: "draw", from: number }} Drawing */
/**
 * A press on a square, which becomes a drag when the pointer moves.
 * @typedef {object} Press
 * @property {"press"} kind
 * @property {number} from
 * @property {Man | null} man The piece to drag; `null` if it must not move.
 * @property {number} x
 * @property {number} y
 * @property {boolean} dragging
 * @property {number | null} over The square under the dragged piece.
 */

/** A pointer that moves less than this many pixels is a click, not a drag. */
const SLACK = 5;

/**
 * The colour of a drawing: the modifier keys select it, as on other chess sites.
 * @param {PointerEvent} event
 */
function drawingColor(event) {
  if (event.shiftKey) return "red";
  if (event.altKey) return "blue";
  return event.ctrlKey || event.metaKey ? "yellow" : "green";
}

/**
 * Connects the pointer to a board.
 * @param {Board} board
 */
export function followPointer(board) {
  /**
   * What the pressed pointer is doing.
   * @type {Drawing | Press | null}
   */
  let gesture = null;

  const { root } = board;
  root.addEventListener("contextmenu", (event) => event.preventDefault());

  root.addEventListener("pointerdown", (event) => {
    const square = board.squareAtPoint(event.clientX, event.clientY);
    if (square === null || gesture || closest(event, ".promotion")) return;
    // The focus stays where it is: the arrow keys step through the game unless the board has the focus.
    event.preventDefault();
    const focused = document.activeElement;
    if (focused instanceof HTMLElement && board.grid.contains(focused)) focused.blur();
    if (event.button === 2 && board.hands.cancel?.()) return;
    if (event.button === 2) gesture = { kind: "draw", from: square };
    else if (event.button === 0) gesture = startPress(board, square, event);
    if (gesture) root.setPointerCapture(event.pointerId);
  });

  root.addEventListener("pointermove", (event) => {
    if (gesture?.kind === "draw" && board.hands.draw) {
      const to = board.squareAtPoint(event.clientX, event.clientY);
      board.overlay.draw("preview", to === null ? [] : [{ from: gesture.from, to, kind: drawingColor(event) }]);
    }
    if (gesture?.kind !== "press" || !gesture.man) return;
    if (!gesture.dragging) {
      if (Math.hypot(event.clientX - gesture.x, event.clientY - gesture.y) < SLACK) return;
      gesture.dragging = true;
      gesture.man.element.classList.add("dragging");
      board.select(gesture.from);
    }
    const over = board.squareAtPoint(event.clientX, event.clientY);
    hover(board, gesture, over);
    follow(board, gesture.man, event);
  });

  root.addEventListener("pointerup", (event) => {
    const done = gesture;
    gesture = null;
    board.overlay.draw("preview", []);
    if (!done) return;
    const square = board.squareAtPoint(event.clientX, event.clientY);
    if (done.kind === "draw") {
      if (square !== null) board.hands.draw?.(done.from, square, drawingColor(event));
    } else if (done.dragging) finishDrag(board, done, square);
    else if (square === done.from) board.press(square);
  });

  root.addEventListener("pointercancel", () => {
    if (gesture?.kind === "press" && gesture.dragging) finishDrag(board, gesture, gesture.from);
    gesture = null;
    board.overlay.draw("preview", []);
  });
}

/**
 * @param {Board} board
 * @param {number} square
 * @param {PointerEvent} event
 * @returns {Press}
 */
function startPress(board, square, event) {
  const man = (board.targets(square).length > 0 && board.men.get(square)) || null;
  return { kind: "press", from: square, man, x: event.clientX, y: event.clientY, dragging: false, over: null };
}

/**
 * Keeps the centre of a piece under the pointer.
 * @param {Board} board
 * @param {Man} man
 * @param {PointerEvent} event
 */
function follow(board, man, event) {
  const box = board.root.getBoundingClientRect();
  const half = box.width / 16;
  const x = event.clientX - box.left - half;
  const y = event.clientY - box.top - half;
  man.element.style.transform = `translate(${x}px, ${y}px)`;
}

/**
 * Frames the square under a dragged piece.
 * @param {Board} board
 * @param {Press} gesture
 * @param {number | null} square
 */
function hover(board, gesture, square) {
  if (gesture.over === square) return;
  if (gesture.over !== null) board.cell(gesture.over).classList.remove("over");
  if (square !== null) board.cell(square).classList.add("over");
  gesture.over = square;
}

/**
 * @param {Board} board
 * @param {Press} gesture
 * @param {number | null} square
 */
function finishDrag(board, gesture, square) {
  const { man, from } = gesture;
  hover(board, gesture, null);
  if (!man) return;
  man.element.classList.remove("dragging");
  const isMove = square !== from && (square === null ? board.hands.mayLeave : board.targets(from).includes(square));
  board.select(null);
  if (!isMove) {
    board.putMan(man, from);
    if (square === from) board.select(from);
    return;
  }
  // The piece stays where it was dropped; the next position confirms that or puts it back.
  board.withoutGliding(man);
  if (square !== null) board.putMan(man, square);
  board.hands.drop(from, square);
  if (square !== null) board.hands.touch?.(square);
}
