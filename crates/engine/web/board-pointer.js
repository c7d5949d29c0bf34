// Mouse, pen and finger on the board: dragging pieces, two presses, drawing with the right button.

/** A pointer that moves less than this many pixels between press and release has pressed, not dragged. */
const SLACK = 5;

/** The colour of a drawing, from the keys held down, as on other boards. */
function drawingColor(event) {
  if (event.shiftKey) return "red";
  if (event.altKey) return "blue";
  return event.ctrlKey || event.metaKey ? "yellow" : "green";
}

/** Connects the pointer with a board. */
export function followPointer(board) {
  /** What the pressed pointer is doing, or `null`. */
  let gesture = null;

  const { root } = board;
  root.addEventListener("contextmenu", (event) => event.preventDefault());

  root.addEventListener("pointerdown", (event) => {
    const square = board.squareAtPoint(event.clientX, event.clientY);
    if (square === null || gesture || event.target.closest(".promotion")) return;
    // Keeps the focus where it is: the arrow keys go through the game until someone tabs to the board.
    event.preventDefault();
    if (board.grid.contains(document.activeElement)) document.activeElement.blur();
    if (event.button === 2) gesture = { kind: "draw", from: square };
    else if (event.button === 0) gesture = startPress(board, square, event);
    if (gesture) root.setPointerCapture(event.pointerId);
  });

  root.addEventListener("pointermove", (event) => {
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
    if (!done) return;
    const square = board.squareAtPoint(event.clientX, event.clientY);
    if (done.kind === "draw") {
      if (square !== null) board.hands.draw?.(done.from, square, drawingColor(event));
    } else if (done.dragging) finishDrag(board, done, square);
    else if (square === done.from) board.press(square);
  });

  root.addEventListener("pointercancel", () => {
    if (gesture?.dragging) finishDrag(board, gesture, gesture.from);
    gesture = null;
  });
}

function startPress(board, square, event) {
  const man = board.targets(square).length > 0 ? board.men.get(square) : null;
  return { kind: "press", from: square, man, x: event.clientX, y: event.clientY, dragging: false, over: null };
}

/** Keeps the middle of a piece under the pointer. */
function follow(board, man, event) {
  const box = board.root.getBoundingClientRect();
  const half = box.width / 16;
  const x = event.clientX - box.left - half;
  const y = event.clientY - box.top - half;
  man.element.style.transform = `translate(${x}px, ${y}px)`;
}

/** Frames the square under a dragged piece. */
function hover(board, gesture, square) {
  if (gesture.over === square) return;
  if (gesture.over !== null) board.cell(gesture.over).classList.remove("over");
  if (square !== null) board.cell(square).classList.add("over");
  gesture.over = square;
}

function finishDrag(board, gesture, square) {
  const { man, from } = gesture;
  hover(board, gesture, null);
  man.element.classList.remove("dragging");
  const isMove = square !== from && (square === null ? board.hands.mayLeave : board.targets(from).includes(square));
  board.select(null);
  if (!isMove) {
    board.putMan(man, from);
    if (square === from) board.select(from);
    return;
  }
  // Where it was dropped it stays; the new position either confirms that or puts it back.
  board.withoutGliding(man);
  if (square !== null) board.putMan(man, square);
  board.hands.drop(from, square);
  if (square !== null) board.hands.touch?.(square);
}
