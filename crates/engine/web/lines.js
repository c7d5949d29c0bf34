// Lines of moves that can be looked at on a little board, and played by a click.

import { el, write } from "./dom.js";
import { Preview } from "./little-board.js";
import { piecesOnBoard, squareOf } from "./squares.js";

/** As many moves of a line as fit on a row or two. */
const SHOWN_MOVES = 14;

/**
 * The rows of moves inside an element. Their elements stay while their text changes, so that pointer and focus are not
 * lost ten times a second.
 */
export class Lines {
  constructor(app, element) {
    this.app = app;
    this.rows = [];
    this.preview = new Preview();
    this.preview.element.hidden = true;
    document.body.append(this.preview.element);
    element.addEventListener("pointerover", (event) => this.look(event.target));
    element.addEventListener("focusin", (event) => this.look(event.target));
    element.addEventListener("pointerleave", () => this.lookAway());
    element.addEventListener("focusout", () => this.lookAway());
    element.addEventListener("click", (event) => this.play(event.target));
    element.addEventListener("keydown", (event) => this.walk(event));
  }

  /** A row without moves yet; its element is for the caller to put somewhere. */
  addRow() {
    const moves = Array.from({ length: SHOWN_MOVES }, () =>
      el("button", { type: "button", class: "move", tabindex: "-1" }),
    );
    moves[0].tabIndex = 0;
    const row = { element: el("span", { class: "line-moves" }, moves), moves, line: null, node: null };
    this.rows.push(row);
    return row;
  }

  /** Forgets all rows. */
  clear() {
    this.rows = [];
    this.lookAway();
  }

  /** Shows a line, or none, that begins at a node: there it is the turn of `turn`, with move `number`. */
  draw(row, line, { node, number, turn }) {
    row.line = line ?? null;
    row.node = node;
    row.moves.forEach((move, index) => {
      const san = line?.san[index];
      move.hidden = !san;
      if (!san) return;
      const ply = index + (turn === "black" ? 1 : 0);
      const prefix = ply % 2 === 0 ? `${number + ply / 2}. ` : index === 0 ? `${number}… ` : "";
      write(move, prefix + san);
    });
  }

  /** The row and move under an element. */
  find(target) {
    const button = target.closest?.("button.move");
    const row = button && this.rows.find(({ moves }) => moves.includes(button));
    return row?.line ? { row, index: row.moves.indexOf(button), button } : null;
  }

  play(target) {
    const found = this.find(target);
    if (!found) return;
    const { node, line } = found.row;
    this.lookAway();
    this.app.do({ type: "line", node, moves: line.uci.slice(0, found.index + 1), go: true });
  }

  /** Arrow keys go along the line. */
  walk(event) {
    const found = this.find(event.target);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!found || !step) return;
    event.preventDefault();
    event.stopPropagation();
    const next = found.row.moves[found.index + step];
    if (next && !next.hidden) next.focus();
  }

  async look(target) {
    const found = this.find(target);
    if (!found) return;
    const { node, line } = found.row;
    const asked = (this.asked = Symbol("preview"));
    const moves = line.uci.slice(0, found.index + 1);
    const answer = await this.app.session.ask({ type: "preview", node, moves }).catch(() => null);
    // The pointer may have gone on in the meantime.
    if (!answer || this.asked !== asked) return;
    this.preview.show(piecesOnBoard(answer.board), (answer.last ?? []).map(squareOf), this.app.store.get("flipped"));
    const box = found.button.getBoundingClientRect();
    const { style } = this.preview.element;
    this.preview.element.hidden = false;
    const size = this.preview.element.offsetWidth;
    style.left = `${Math.max(4, Math.min(box.left, innerWidth - size - 4))}px`;
    style.top = `${box.bottom + size + 12 < innerHeight ? box.bottom + 6 : box.top - size - 6}px`;
  }

  lookAway() {
    this.asked = null;
    this.preview.element.hidden = true;
  }
}
