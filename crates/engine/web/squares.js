// Squares and pieces as the page names them: squares are 0 (a1) to 63 (h8), pieces the letters of FEN.

const PIECE_NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

export const fileOf = (square) => square & 7;
export const rankOf = (square) => square >> 3;
export const nameOf = (square) => "abcdefgh"[fileOf(square)] + (rankOf(square) + 1);
export const isLight = (square) => ((fileOf(square) + rankOf(square)) & 1) === 1;

/** The square with this name, or `null`. */
export function squareOf(name) {
  return /^[a-h][1-8]$/.test(name) ? name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49) : null;
}

export const colorOf = (piece) => (piece === piece.toUpperCase() ? "white" : "black");
export const pieceName = (piece) => `${colorOf(piece)} ${PIECE_NAMES[piece.toLowerCase()]}`;
export const typeName = (piece) => PIECE_NAMES[piece.toLowerCase()];

/** The class that gives an element the picture of a piece: `wn` is the white knight. */
export const pieceClass = (piece) => `piece ${colorOf(piece)[0]}${piece.toLowerCase()}`;

/** Column and row of a square on the screen, counted from the upper left. */
export function place(square, flipped) {
  return flipped ? [7 - fileOf(square), rankOf(square)] : [fileOf(square), 7 - rankOf(square)];
}

/** The square at a column and row on the screen. */
export const squareAt = (column, row, flipped) => (flipped ? 7 - column + 8 * row : column + 8 * (7 - row));

/** The pieces of 64 letters, a1 first, with `.` for an empty square: a `Map` from squares to letters. */
export function piecesOnBoard(board) {
  return new Map([...board].flatMap((piece, square) => (piece === "." ? [] : [[square, piece]])));
}

/** The squares of a set of 64 bits, given as `BigInt`. */
export function squaresIn(bits) {
  const squares = [];
  for (let square = 0; square < 64; square++) if ((bits >> BigInt(square)) & 1n) squares.push(square);
  return squares;
}
