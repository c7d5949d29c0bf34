// Moves and squares.

const SQUARES = Array.from({ length: 64 }, (_, index) => "abcdefgh"[index % 8] + "12345678"[index >> 3]);
const SQUARE_INDEX = new Map(SQUARES.map((name, index) => [name, index]));
const KINDS = ["normal", "double-step", "castling", "en-passant"];
const PROMOTIONS = ["n", "b", "r", "q"];
const CASTLING = 2;
const PROMOTION = 4;

export function squareName(index) {
  return SQUARES[index];
}

export function squareIndex(name) {
  const index = SQUARE_INDEX.get(name);
  if (index === undefined) throw new TypeError(`expected a square such as "e4", not ${JSON.stringify(name)}`);
  return index;
}

/** The squares of a bitboard. */
export function squaresOf(bitboard) {
  const bits = BigInt.asUintN(64, bitboard);
  return SQUARES.filter((_, index) => (bits >> BigInt(index)) & 1n);
}

const SECRET = Symbol("ferz");

/** The sixteen bits of a move; undefined for anything else. */
export let bitsOf;

/** A move, which does not depend on a position. Equal moves are the same object. */
export class Move {
  #bits;

  static {
    bitsOf = (value) => (typeof value === "object" && value !== null && #bits in value ? value.#bits : undefined);
  }

  constructor(secret, bits, isChess960) {
    if (secret !== SECRET) throw new TypeError("moves come from a position: legalMoves() or move()");
    const [from, kind] = [bits & 63, bits >> 12];
    let to = (bits >> 6) & 63;
    this.castling = undefined;
    if (kind === CASTLING) {
      const isKingside = to > from;
      this.castling = isKingside ? "king" : "queen";
      if (!isChess960) to = (from & 56) | (isKingside ? 6 : 2);
    }
    this.#bits = bits;
    this.from = SQUARES[from];
    this.to = SQUARES[to];
    this.promotion = kind >= PROMOTION ? PROMOTIONS[kind - PROMOTION] : undefined;
    this.kind = kind >= PROMOTION ? "promotion" : KINDS[kind];
    this.uci = this.from + this.to + (this.promotion ?? "");
    Object.freeze(this);
  }

  toString() {
    return this.uci;
  }
}

/** Every move that was needed so far, by its fifteen bits; castling in Chess960 has the sixteenth. Filled at once, or
 * it would be a slow sparse array. */
const interned = new Array(1 << 16).fill(undefined);
const CHESS960 = 1 << 15;

/** The move with these bits, written as in Chess960 or not. */
export function moveOf(bits, isChess960 = false) {
  const key = isChess960 && bits >> 12 === CASTLING ? bits | CHESS960 : bits;
  return (interned[key] ??= new Move(SECRET, bits, isChess960));
}

/** SAN by its eight bytes, as two words. A small cache: most moves are written often. */
const SLOTS = 1 << 12;
const lows = new Uint32Array(SLOTS);
const highs = new Uint32Array(SLOTS);
const sans = new Array(SLOTS).fill("");

export function sanOf(low, high) {
  const slot = (Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca77)) >>> 20;
  if (lows[slot] !== low || highs[slot] !== high) {
    let text = "";
    for (const word of [low, high]) {
      for (let rest = word; rest !== 0; rest >>>= 8) text += String.fromCharCode(rest & 255);
    }
    lows[slot] = low;
    highs[slot] = high;
    sans[slot] = text;
  }
  return sans[slot];
}
