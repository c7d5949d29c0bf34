// @ts-check
// Lines of moves: a small board shows a move on hover, a click plays it.

import { closest, el, write } from "./dom.js";
import { sanText } from "./figurines.js";
import { Preview } from "./little-board.js";
import { piecesOnBoard, squareOf } from "./squares.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").ColorName} ColorName */
/** @typedef {import("./protocol").MovesEntry} MovesEntry */

/**
 * The elements of a line, and the line that they show.
 * @typedef {object} Row
 * @property {HTMLElement} element
 * @property {HTMLButtonElement[]} moves
 * @property {MovesEntry | null} line
 * @property {number} node Where the line starts.
 * @property {boolean} isOpen Whether all of its moves are shown.
 */

/** As many moves of a line as fit on a row or two. */
const SHOWN_MOVES = 14;
/** As many moves of an unfolded line. */
const MOST_MOVES = 60;

const moveButton = () => el("button", { type: "button", class: "move", tabindex: "-1" });

/**
 * The rows of moves inside an element. Only their text changes, so that a move keeps the focus and the pointer when the
 * engine updates the lines.
 */
export class Lines {
  /**
   * @param {App} app
   * @param {HTMLElement} element
   */
  constructor(app, element) {
    this.app = app;
    /** @type {Row[]} */
    this.rows = [];
    /**
     * The last request for a preview.
     * @type {symbol | null}
     */
    this.asked = null;
    this.preview = new Preview();
    this.preview.element.hidden = true;
    document.body.append(this.preview.element);
    element.addEventListener("pointerover", (event) => this.showPreview(event));
    element.addEventListener("focusin", (event) => this.showPreview(event));
    element.addEventListener("pointerleave", () => this.hidePreview());
    element.addEventListener("focusout", () => this.hidePreview());
    element.addEventListener("click", (event) => this.play(event));
    element.addEventListener("keydown", (event) => this.walk(event));
  }

  /**
   * A row without moves; the caller puts its element on the page.
   * @param {number} [length] The most moves that it shows.
   * @returns {Row}
   */
  addRow(length = SHOWN_MOVES) {
    const moves = Array.from({ length }, moveButton);
    moves[0].tabIndex = 0;
    const row = { element: el("span", { class: "line-moves" }, moves), moves, line: null, node: 0, isOpen: false };
    this.rows.push(row);
    return row;
  }

  /**
   * Unfolds a row, or folds it.
   * @param {Row} row
   */
  toggle(row) {
    row.isOpen = !row.isOpen;
    const more = Array.from({ length: MOST_MOVES - row.moves.length }, moveButton);
    row.moves.push(...more);
    row.element.append(...more);
  }

  /** Removes all rows. */
  clear() {
    this.rows = [];
    this.hidePreview();
  }

  /**
   * Shows a line that starts at a node, where `turn` plays move `number`.
   * @param {Row} row
   * @param {MovesEntry | undefined} line
   * @param {{ node: number, number: number, turn: ColorName }} start
   */
  draw(row, line, { node, number, turn }) {
    row.line = line ?? null;
    row.node = node;
    row.moves.forEach((move, index) => {
      const san = index < SHOWN_MOVES || row.isOpen ? line?.san[index] : undefined;
      move.hidden = !san;
      if (!san) return;
      const ply = index + (turn === "black" ? 1 : 0);
      const prefix = ply % 2 === 0 ? `${number + ply / 2}. ` : index === 0 ? `${number}… ` : "";
      write(move, prefix + sanText(san));
    });
  }

  /**
   * The row and move of an event, and the moves up to there.
   * @param {Event} event
   */
  find(event) {
    const button = closest(event, "button.move");
    for (const row of this.rows) {
      const index = row.moves.findIndex((move) => move === button);
      if (index >= 0 && row.line) return { row, index, moves: row.line.uci.slice(0, index + 1) };
    }
    return null;
  }

  /** @param {Event} event */
  play(event) {
    const found = this.find(event);
    if (!found) return;
    this.hidePreview();
    this.app.do({ type: "line", node: found.row.node, moves: found.moves, go: true });
  }

  /**
   * Arrow keys move the focus along the line.
   * @param {KeyboardEvent} event
   */
  walk(event) {
    const found = this.find(event);
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (!found || !step) return;
    event.preventDefault();
    event.stopPropagation();
    const next = found.row.moves[found.index + step];
    if (next && !next.hidden) next.focus();
  }

  /** @param {Event} event */
  async showPreview(event) {
    const found = this.find(event);
    if (!found) return;
    const { row, index, moves } = found;
    const asked = (this.asked = Symbol("preview"));
    const answer = await this.app.connection.ask({ type: "preview", node: row.node, moves }).catch(() => null);
    // The pointer may have moved on in the meantime.
    if (!answer || this.asked !== asked) return;
    this.preview.show(piecesOnBoard(answer.board), (answer.last ?? []).map(squareOf), this.app.store.get("flipped"));
    const box = row.moves[index].getBoundingClientRect();
    const { style } = this.preview.element;
    this.preview.element.hidden = false;
    const size = this.preview.element.offsetWidth;
    style.left = `${Math.max(4, Math.min(box.left, innerWidth - size - 4))}px`;
    style.top = `${box.bottom + size + 12 < innerHeight ? box.bottom + 6 : box.top - size - 6}px`;
  }

  hidePreview() {
    this.asked = null;
    this.preview.element.hidden = true;
  }
}
