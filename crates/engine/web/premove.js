// @ts-check
// Premoves: a move made while the engine thinks. It is played at once if it is legal then, otherwise it is dropped.

import { colorOf, fileOf, piecesOnBoard, rankOf } from "./squares.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {{ from: number, to: number }} Premove */

/** @typedef {[file: number, rank: number]} Step */

/** @type {Step[]} */
const STRAIGHT = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
];
/** @type {Step[]} */
const DIAGONAL = [
  [1, 1],
  [1, -1],
  [-1, 1],
  [-1, -1],
];
/** @type {Step[]} */
const KNIGHT = [
  [1, 2],
  [2, 1],
  [2, -1],
  [1, -2],
  [-1, -2],
  [-2, -1],
  [-2, 1],
  [-1, 2],
];

/**
 * Whether the reader may make a premove: the engine thinks, and the board shows the end of the game.
 * @param {App} app
 */
export function mayPremove(app) {
  const position = app.store.get("position");
  const play = app.playing();
  return Boolean(position && play && play.thinking && position.node === play.head && position.turn !== play.color);
}

/**
 * The squares that the piece on a square could reach on an otherwise empty board: the opponent's move may open any
 * line.
 * @param {App} app
 * @param {number} square
 * @returns {number[]}
 */
export function premoveTargets(app, square) {
  const position = app.store.get("position");
  const pieces = position ? piecesOnBoard(position.board) : new Map();
  const piece = pieces.get(square);
  if (!piece || colorOf(piece) !== app.playing()?.color) return [];
  const up = colorOf(piece) === "white" ? 1 : -1;
  const home = up === 1 ? 0 : 7;
  switch (piece.toLowerCase()) {
    case "p": {
      const isFirst = rankOf(square) === home + up;
      return [0, 1, -1].flatMap((file) => reach(square, [file, up], 1)).concat(isFirst ? [square + 16 * up] : []);
    }
    case "n":
      return KNIGHT.flatMap((step) => reach(square, step, 1));
    case "b":
      return DIAGONAL.flatMap((step) => reach(square, step, 7));
    case "r":
      return STRAIGHT.flatMap((step) => reach(square, step, 7));
    case "q":
      return [...STRAIGHT, ...DIAGONAL].flatMap((step) => reach(square, step, 7));
    default: {
      const steps = [...STRAIGHT, ...DIAGONAL].flatMap((step) => reach(square, step, 1));
      if (rankOf(square) !== home) return steps;
      const rook = up === 1 ? "R" : "r";
      const row = Array.from({ length: 8 }, (_, file) => 8 * home + file);
      const castling = row.filter((to) => to !== square && (pieces.get(to) === rook || [2, 6].includes(fileOf(to))));
      return [...new Set([...steps, ...castling])];
    }
  }
}

/**
 * The squares in one direction, up to a number of steps.
 * @param {number} square
 * @param {Step} direction
 * @param {number} most
 */
function reach(square, [right, up], most) {
  const squares = [];
  for (let i = 1; i <= most; i++) {
    const [file, rank] = [fileOf(square) + i * right, rankOf(square) + i * up];
    if (file < 0 || file > 7 || rank < 0 || rank > 7) break;
    squares.push(8 * rank + file);
  }
  return squares;
}

/**
 * Plays the premove when it is the reader's turn, and lets Escape cancel it.
 * @param {App} app
 * @param {(premove: Premove) => void} move Plays it if it is legal.
 */
export function mountPremove(app, move) {
  const { store } = app;
  store.on(["position"], () => {
    const { premove, position } = store.values;
    if (!premove || mayPremove(app)) return;
    store.set({ premove: null });
    const play = app.playing();
    if (play && position?.node === play.head && position.turn === play.color) move(premove);
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !store.get("premove")) return;
    event.preventDefault();
    store.set({ premove: null });
  });
}
