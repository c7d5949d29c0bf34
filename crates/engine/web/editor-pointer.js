// @ts-check
// The pointer while a position is set up: a brush paints, the right button erases, pieces are dragged from the palette.

import { el } from "./dom.js";
import { pieceClass } from "./squares.js";

/** @typedef {import("./board.js").Board} Board */

/**
 * What the pointer works on.
 * @typedef {object} Canvas
 * @property {string | null} brush What a press places: a piece, `.` to remove one, or `null` to move pieces.
 * @property {() => boolean} isOpen Whether a position is being set up.
 * @property {(changes: [square: number, letter: string][]) => void} put
 */

/** A pointer that moves less than this many pixels is a click, not a drag. */
const SLACK = 5;

/**
 * Connects a board to the brush. The events are taken before board-pointer.js sees them.
 * @param {Board} board
 * @param {Canvas} canvas
 */
export function followBrush(board, canvas) {
  /**
   * The letter that the pressed pointer leaves on every square, and where the pointer was last.
   * @type {{ letter: string, x: number, y: number } | null}
   */
  let stroke = null;

  /**
   * @param {number} x
   * @param {number} y
   */
  const paint = (x, y) => {
    if (!stroke) return;
    const { letter } = stroke;
    // A fast pointer skips squares.
    const steps = Math.ceil((16 * Math.hypot(x - stroke.x, y - stroke.y)) / board.root.clientWidth) || 1;
    /** @type {Map<number, string>} */
    const changes = new Map();
    for (let step = 1; step <= steps; step++) {
      const share = step / steps;
      const square = board.squareAtPoint(stroke.x + share * (x - stroke.x), stroke.y + share * (y - stroke.y));
      if (square !== null && (board.pieces.get(square) ?? ".") !== letter) changes.set(square, letter);
    }
    stroke = { letter, x, y };
    if (changes.size > 0) canvas.put([...changes]);
  };

  /** @type {{ [type: string]: (event: PointerEvent) => void }} */
  const listeners = {
    pointerdown: (event) => {
      const square = board.squareAtPoint(event.clientX, event.clientY);
      if (!canvas.isOpen() || stroke || square === null) return;
      const letter = event.button === 2 ? "." : event.button === 0 ? canvas.brush : null;
      if (letter === null) return;
      event.preventDefault();
      event.stopPropagation();
      // A second press with the same brush takes the piece away again.
      const isThere = board.pieces.get(square) === letter;
      stroke = { letter: isThere ? "." : letter, x: event.clientX, y: event.clientY };
      board.root.setPointerCapture(event.pointerId);
      paint(event.clientX, event.clientY);
    },
    pointermove: (event) => {
      if (!stroke) return;
      event.stopPropagation();
      paint(event.clientX, event.clientY);
    },
    pointerup: (event) => {
      if (!stroke) return;
      event.stopPropagation();
      // The last move may not have been reported.
      paint(event.clientX, event.clientY);
      stroke = null;
    },
    pointercancel: () => {
      stroke = null;
    },
  };
  const around = board.root.parentElement ?? board.root;
  for (const [type, listener] of Object.entries(listeners))
    around.addEventListener(type, /** @type {EventListener} */ (listener), { capture: true });
  // A stroke is not a fling, which would swallow the next tap.
  around.addEventListener("touchmove", (event) => stroke && event.preventDefault(), { passive: false });
}

/**
 * Lets a piece of the palette be dragged onto the board.
 * @param {HTMLElement} source
 * @param {string} piece
 * @param {Board} board
 * @param {Canvas} canvas
 */
export function makeDraggable(source, piece, board, canvas) {
  /** @type {{ x: number, y: number } | null} */
  let pressed = null;
  /** @type {HTMLElement | null} */
  let carried = null;
  /** @type {HTMLElement | null} */
  let over = null;
  let wasDragged = false;

  /** @param {HTMLElement | null} cell */
  const hover = (cell) => {
    if (over === cell) return;
    over?.classList.remove("over");
    cell?.classList.add("over");
    over = cell;
  };
  const stop = () => {
    hover(null);
    carried?.remove();
    pressed = carried = null;
  };

  source.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    pressed = { x: event.clientX, y: event.clientY };
    wasDragged = false;
    source.setPointerCapture(event.pointerId);
  });
  source.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (!pressed) return;
    if (!carried) {
      if (Math.hypot(clientX - pressed.x, clientY - pressed.y) < SLACK) return;
      wasDragged = true;
      carried = el("div", { class: `${pieceClass(piece)} carried`, "aria-hidden": "true" });
      carried.style.width = carried.style.height = `${board.root.clientWidth / 8}px`;
      document.body.append(carried);
    }
    carried.style.left = `${clientX}px`;
    carried.style.top = `${clientY}px`;
    const square = board.squareAtPoint(clientX, clientY);
    hover(square === null ? null : board.cell(square));
  });
  source.addEventListener("pointerup", ({ clientX, clientY }) => {
    const square = carried && board.squareAtPoint(clientX, clientY);
    stop();
    if (square !== null) canvas.put([[square, piece]]);
  });
  source.addEventListener("pointercancel", stop);
  // A drag is not a fling, which would swallow the next tap.
  source.addEventListener("touchmove", (event) => carried && event.preventDefault(), { passive: false });
  // The click at the end of a drag does not choose the brush.
  source.addEventListener(
    "click",
    (event) => {
      if (wasDragged) event.stopImmediatePropagation();
      wasDragged = false;
    },
    { capture: true },
  );
}
