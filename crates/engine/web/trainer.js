// @ts-check
// The coordinate trainer: find the square with a name, as often as possible in half a minute.

import { button, el, write } from "./dom.js";
import { openDialog } from "./dialog.js";
import { savedScores, saveScores } from "./memory.js";
import { isLight, nameOf, squareAt } from "./squares.js";

/** @typedef {import("./protocol").ColorName} ColorName */
/**
 * The best round and the last ones, for each side of the board.
 * @typedef {{ [side in ColorName]?: { best: number, last: number[] } }} Scores
 */

/** Length of a round in milliseconds, and how long a pressed square shows its colour. */
const ROUND = 30000;
const FLASH = 300;
/** Rounds that are remembered. */
const KEPT = 10;

/** @type {{ [key: string]: [column: number, row: number] }} */
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export const openTrainer = () => openDialog("Coordinate trainer", new Trainer().element);

class Trainer {
  constructor() {
    /** @type {ColorName} */
    this.side = "white";
    this.target = -1;
    this.found = 0;
    this.missed = 0;
    /** When the round ends; 0 between rounds. */
    this.end = 0;
    /** The column and row that the Tab key reaches. */
    this.cursor = 28;
    this.cells = Array.from({ length: 64 }, (_, index) => this.cell(index));
    const rows = Array.from({ length: 8 }, (_, row) =>
      el("div", { role: "row", class: "row" }, this.cells.slice(8 * row, 8 * row + 8)),
    );
    this.grid = el("div", { class: "trainer-board", role: "grid", "aria-label": "Board without names" }, rows);
    this.grid.addEventListener("keydown", (event) => this.moveCursor(event));
    this.name = el("p", { class: "trainer-target", role: "status", id: "trainer-target" });
    this.score = el("p", { class: "trainer-score", id: "trainer-score" });
    this.time = el("progress", { max: ROUND, value: ROUND, "aria-label": "Time left" });
    this.records = el("p", { class: "soft", id: "trainer-records" });
    this.start = button("Start", () => this.begin(), { class: "primary", id: "trainer-start" });
    const sides = /** @type {ColorName[]} */ (["white", "black"]).map((side) => {
      const radio = el("input", { type: "radio", name: "trainer-side", value: side, checked: side === this.side });
      radio.addEventListener("change", () => this.turn(side));
      return el("label", {}, radio, side === "white" ? "White" : "Black");
    });
    this.sides = el("fieldset", {}, el("legend", {}, "At the bottom"), el("span", { class: "segments" }, sides));
    this.element = el(
      "div",
      { class: "trainer" },
      this.grid,
      el(
        "div",
        { class: "stack trainer-side" },
        this.name,
        this.time,
        this.score,
        el("div", { class: "row-of end" }, this.start, this.sides),
        this.records,
      ),
    );
    this.turn("white");
    write(this.score, "Press Start, then press the squares that are named.");
  }

  /**
   * A square. Its name for screen readers says where it is, not what it is called: that is the exercise.
   * @param {number} index
   */
  cell(index) {
    const [column, row] = [(index % 8) + 1, 8 - (index >> 3)];
    const ground = isLight(squareAt(index % 8, index >> 3, false)) ? "light" : "dark";
    return button("", () => this.press(index), {
      class: `square ${ground}`,
      role: "gridcell",
      tabindex: index === this.cursor ? "0" : "-1",
      "aria-label": `column ${column} from the left, row ${row} from the bottom`,
    });
  }

  /** @param {KeyboardEvent} event */
  moveCursor(event) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const at = this.cells.findIndex((cell) => cell === event.target);
    const column = Math.min(7, Math.max(0, (at % 8) + step[0]));
    const row = Math.min(7, Math.max(0, (at >> 3) + step[1]));
    this.cells[this.cursor].tabIndex = -1;
    this.cursor = 8 * row + column;
    this.cells[this.cursor].tabIndex = 0;
    this.cells[this.cursor].focus();
  }

  /** @param {ColorName} side */
  turn(side) {
    this.side = side;
    const { best, last } = savedScores()?.[side] ?? { best: 0, last: [] };
    const name = side === "white" ? "White" : "Black";
    write(
      this.records,
      last.length > 0
        ? `With ${name} at the bottom: best ${best}, last ${last.join(", ")}.`
        : `No round with ${name} yet.`,
    );
  }

  begin() {
    this.found = this.missed = 0;
    this.end = performance.now() + ROUND;
    this.sides.disabled = true;
    this.start.textContent = "Start again";
    this.cells[this.cursor].focus();
    this.next();
    this.tick();
  }

  next() {
    const before = this.target;
    while (this.target === before) this.target = Math.floor(64 * Math.random());
    write(this.name, nameOf(this.target));
    write(this.score, `${this.found} found, ${this.missed} missed`);
  }

  tick() {
    if (this.end === 0 || !this.element.isConnected) return;
    const left = this.end - performance.now();
    this.time.value = Math.max(0, left);
    if (left <= 0) this.finish();
    else requestAnimationFrame(() => this.tick());
  }

  /** @param {number} index */
  press(index) {
    if (this.end === 0) return;
    const isRight = squareAt(index % 8, index >> 3, this.side === "black") === this.target;
    const { classList } = this.cells[index];
    const mark = isRight ? "right" : "missed";
    classList.add(mark);
    setTimeout(() => classList.remove(mark), FLASH);
    if (isRight) {
      this.found++;
      this.next();
    } else {
      this.missed++;
      write(this.score, `${this.found} found, ${this.missed} missed`);
    }
  }

  finish() {
    this.end = 0;
    this.sides.disabled = false;
    const scores = savedScores() ?? {};
    const { best, last } = scores[this.side] ?? { best: 0, last: [] };
    const isRecord = this.found > best;
    scores[this.side] = { best: Math.max(best, this.found), last: [...last, this.found].slice(-KEPT) };
    saveScores(scores);
    write(this.name, isRecord ? "★" : "–");
    write(this.score, `Time is up: ${this.found} found, ${this.missed} missed.${isRecord ? " Your best round." : ""}`);
    this.turn(this.side);
    this.start.focus();
  }
}
