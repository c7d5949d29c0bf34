// @ts-check
// The collected puzzles, and when each is to be solved again (spaced repetition).

import { savedPuzzles, savePuzzles } from "./memory.js";

/** @typedef {import("./protocol").PuzzleText} PuzzleText */

/**
 * A puzzle and what the reader has done with it.
 * @typedef {object} CardState
 * @property {number} box How often it was solved at the first try since the last failure.
 * @property {number} due When to solve it again: milliseconds since 1970.
 * @property {number} tries
 * @typedef {PuzzleText & CardState} Card
 */

const DAY = 86_400_000;
/** The days until a puzzle comes again, by its box. */
const DAYS = [0, 1, 3, 7, 16, 35, 90];
/** A puzzle that was not solved comes again after this time, and not before the others that are due. */
const SOON = 10 * 60_000;
/** The most puzzles that are kept. The oldest solved ones make room. */
const MOST = 2_000;

export class PuzzleBox {
  constructor() {
    this.cards = savedPuzzles().filter(isCard);
  }

  /** Another tab may have changed what is kept. */
  reload() {
    this.cards = savedPuzzles().filter(isCard);
  }

  /**
   * Adds puzzles that are not there yet. Returns how many.
   * @param {PuzzleText[]} puzzles
   */
  add(puzzles) {
    const known = new Set(this.cards.map(nameOf));
    const added = puzzles.filter((puzzle) => !known.has(nameOf(puzzle)) && known.add(nameOf(puzzle)));
    // All are due, in their order.
    const first = Date.now() - added.length;
    this.cards.push(...added.map((puzzle, index) => ({ ...puzzle, box: 0, due: first + index, tries: 0 })));
    if (this.cards.length > MOST) {
      this.cards.sort((one, other) => one.due - other.due);
      this.cards.length = MOST;
    }
    this.save();
    return added.length;
  }

  /** @param {number} [now] */
  due(now = Date.now()) {
    return this.cards.filter((card) => card.due <= now).sort((one, other) => one.due - other.due);
  }

  /** When the next puzzle is due, or `null` without puzzles. */
  nextDue() {
    return this.cards.length > 0 ? Math.min(...this.cards.map((card) => card.due)) : null;
  }

  /**
   * Notes how an attempt ended.
   * @param {Card} card
   * @param {boolean} isSolved At the first try and without help.
   */
  note(card, isSolved) {
    card.tries += 1;
    card.box = isSolved ? Math.min(card.box + 1, DAYS.length - 1) : 0;
    card.due = Date.now() + (isSolved ? DAYS[card.box] * DAY : SOON);
    this.save();
  }

  /** @param {Card} card */
  remove(card) {
    this.cards = this.cards.filter((one) => one !== card);
    this.save();
  }

  clear() {
    this.cards = [];
    this.save();
  }

  /** Whether the browser keeps the puzzles. */
  save() {
    this.isKept = savePuzzles(this.cards);
  }
}

/**
 * Two puzzles with the same name are the same.
 * @param {PuzzleText} puzzle
 */
const nameOf = ({ fen, moves }) => `${fen} ${moves[0]}`;

/**
 * What is kept may be damaged.
 * @param {any} card
 */
const isCard = (card) =>
  typeof card?.fen === "string" &&
  Array.isArray(card.moves) &&
  card.moves.length > 0 &&
  card.moves.every((/** @type {unknown} */ move) => typeof move === "string") &&
  typeof card.title === "string" &&
  [card.box, card.due, card.tries].every(Number.isFinite) &&
  card.box in DAYS;
