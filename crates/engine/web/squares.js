// @ts-check
// Squares and pieces: squares are numbers from 0 (a1) to 63 (h8), pieces are FEN letters.

/** @typedef {import("./protocol").ColorName} ColorName */
/** @typedef {import("./protocol").SquareName} SquareName */

/** @type {{ [letter: string]: string }} */
const PIECE_NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

/** @param {number} square */
export const fileOf = (square) => square & 7;
/** @param {number} square */
export const rankOf = (square) => square >> 3;
/**
 * @param {number} square
 * @returns {SquareName}
 */
export const nameOf = (square) => "abcdefgh"[fileOf(square)] + (rankOf(square) + 1);
/** @param {number} square */
export const isLight = (square) => ((fileOf(square) + rankOf(square)) & 1) === 1;

/**
 * The number of a square.
 * @param {SquareName} name
 */
export const squareOf = (name) => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);

/**
 * @param {string} piece
 * @returns {ColorName}
 */
export const colorOf = (piece) => (piece === piece.toUpperCase() ? "white" : "black");
/** @param {string} piece */
export const typeName = (piece) => PIECE_NAMES[piece.toLowerCase()];
/** @param {string} piece */
export const pieceName = (piece) => `${colorOf(piece)} ${typeName(piece)}`;

/**
 * The CSS class with the picture of a piece: `wn` is the white knight.
 * @param {string} piece
 */
export const pieceClass = (piece) => `piece ${colorOf(piece)[0]}${piece.toLowerCase()}`;

/**
 * Column and row of a square on the screen, counted from the top left.
 * @param {number} square
 * @param {boolean} flipped
 * @returns {[column: number, row: number]}
 */
export function place(square, flipped) {
  return flipped ? [7 - fileOf(square), rankOf(square)] : [fileOf(square), 7 - rankOf(square)];
}

/**
 * The square at a column and row on the screen.
 * @param {number} column
 * @param {number} row
 * @param {boolean} flipped
 */
export const squareAt = (column, row, flipped) => (flipped ? 7 - column + 8 * row : column + 8 * (7 - row));

/**
 * The pieces of a board given as 64 letters, a1 first, with `.` for an empty square: a map from squares to letters.
 * @param {string} board
 * @returns {Map<number, string>}
 */
export function piecesOnBoard(board) {
  const pieces = new Map();
  [...board].forEach((piece, square) => piece !== "." && pieces.set(square, piece));
  return pieces;
}

/**
 * The squares of a bitboard.
 * @param {bigint} bits
 */
export function squaresIn(bits) {
  const squares = [];
  for (let square = 0; square < 64; square++) if ((bits >> BigInt(square)) & 1n) squares.push(square);
  return squares;
}
