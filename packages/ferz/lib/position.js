// Positions.
import { FenError, MoveError } from "./errors.js";
import {
  held,
  MOVES,
  numbers,
  PACKED,
  readError,
  readOutput,
  SANS,
  SLOTS,
  u8,
  u16,
  u32,
  wasm,
  writeText,
} from "./instance.js";
import { bitsOf, moveOf, sanOf, squareIndex, squareName, squaresOf } from "./move.js";

const SECRET = Symbol("ferz");
const PIECE_TYPES = ["p", "n", "b", "r", "q", "k", "r"];
/** No FEN and no move is as long; what is longer is wrong anyway. */
const MAX_TEXT = 1000;
const CASTLING_ROOK = 6;
const NO_SQUARE = 64;
const OUTCOMES = [
  undefined,
  "checkmate",
  "stalemate",
  "insufficient-material",
  "fivefold-repetition",
  "seventy-five-moves",
];

/** The outcome with this code, if the game is over. */
export function outcomeOf(code, turn) {
  const reason = OUTCOMES[code];
  if (reason === undefined) return undefined;
  if (reason !== "checkmate") return { reason, winner: undefined, result: "1/2-1/2" };
  return turn === "white" ? { reason, winner: "black", result: "0-1" } : { reason, winner: "white", result: "1-0" };
}

function fenError(length, fen) {
  const [code, message, field, column, ...lines] = readError(length);
  const violations = lines.map((line) => {
    const [rule, squares, text] = line.split("\t");
    return { rule, squares: squares === "" ? [] : squares.split(" "), message: text };
  });
  return new FenError(code, message, fen, field || undefined, column ? Number(column) : undefined, violations);
}

/** The packed bytes of a position, for the other modules. */
export let packedOf;

/** A legal position. It never changes: playing a move makes a new one. */
export class Position {
  /** 32 bytes as ferz-board packs them. */
  #packed;
  #slot = 0;
  #status = -1;

  static {
    packedOf = (position) => position.#packed;
  }

  constructor(secret, packed) {
    if (secret !== SECRET) throw new TypeError("use Position.start() or Position.fromFen()");
    this.#packed = packed;
  }

  /** The position that the instance has made in the next slot. */
  static #made() {
    const position = new Position(SECRET, u8().slice(PACKED, PACKED + 32));
    position.#own();
    return position;
  }

  /** The slot for a position that is about to be made. Whatever happens now, nobody owns it. */
  static #freeSlot() {
    held.owners[held.next] = undefined;
    held.position = undefined;
    return held.next;
  }

  /** Notes that this is the position in the next slot, and the current one. */
  #own() {
    this.#slot = held.next;
    held.owners[held.next] = this;
    held.next = (held.next + 1) % SLOTS;
    held.position = this;
  }

  static start() {
    return Position.chess960(518);
  }

  static chess960(number) {
    if (!Number.isInteger(number) || !wasm.chess960_start(number, Position.#freeSlot())) {
      throw new RangeError("the start positions of Chess960 have the numbers 0 to 959");
    }
    return Position.#made();
  }

  static fromFen(fen, { chess960 = false, lenient = false } = {}) {
    if (typeof fen !== "string") throw new TypeError("a FEN is a string");
    const error = wasm.from_fen(
      writeText(fen.slice(0, MAX_TEXT)),
      lenient ? 2 : chess960 ? 1 : 0,
      Position.#freeSlot(),
    );
    if (error !== 0) throw fenError(error, fen);
    return Position.#made();
  }

  /** The position of 32 bytes from `packed()`. */
  static fromPacked(bytes) {
    if (!(bytes instanceof Uint8Array) || bytes.length !== 32) throw new TypeError("a packed position is 32 bytes");
    u8().set(bytes, PACKED);
    if (!wasm.load(Position.#freeSlot())) throw new FenError("packed", "the bytes are not a packed position");
    return Position.#made();
  }

  /** Makes this the current position of the instance. */
  #load() {
    if (held.position === this) return;
    if (held.owners[this.#slot] === this) {
      wasm.select(this.#slot);
      held.position = this;
    } else {
      u8().set(this.#packed, PACKED);
      wasm.load(Position.#freeSlot());
      this.#own();
    }
  }

  #getStatus() {
    if (this.#status < 0) {
      this.#load();
      this.#status = wasm.status();
    }
    return this.#status;
  }

  packed() {
    return this.#packed.slice();
  }

  get turn() {
    return this.#packed[24] & 128 ? "black" : "white";
  }

  /** The square that a double step has skipped. */
  get enPassant() {
    const square = this.#packed[24] & 127;
    return square === NO_SQUARE ? undefined : squareName(square);
  }

  get halfmoveClock() {
    return this.#packed[25] | (this.#packed[26] << 8);
  }

  get fullmoveNumber() {
    const [a, b, c, d] = this.#packed.subarray(27, 31);
    return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
  }

  /** Whether castling is that of Chess960: a king or rook with the right to castle is not at its usual place. */
  get isChess960() {
    return (this.#getStatus() & 2) !== 0;
  }

  get key() {
    this.#load();
    return BigInt.asUintN(64, wasm.key());
  }

  get repetitionKey() {
    this.#load();
    return BigInt.asUintN(64, wasm.repetition_key());
  }

  fen({ enPassant = "legal" } = {}) {
    this.#load();
    return readOutput(wasm.fen(enPassant === "always" ? 1 : 0));
  }

  toString() {
    return this.fen();
  }

  toJSON() {
    return this.fen();
  }

  equals(other) {
    return other instanceof Position && this.#packed.every((byte, index) => byte === other.#packed[index]);
  }

  /** Calls a function with the square, piece type and colour of each piece, from a1 to h8. */
  #forEachPiece(visit) {
    const packed = this.#packed;
    let piece = 16;
    for (let square = 0; square < 64; square++) {
      if ((packed[square >> 3] >> (square & 7)) & 1) {
        const nibble = (packed[piece >> 1] >> (4 * (piece & 1))) & 15;
        visit(square, nibble & 7, nibble & 8 ? "black" : "white");
        piece += 1;
      }
    }
  }

  /** The pieces, from a1 to h8. */
  pieces() {
    const pieces = [];
    this.#forEachPiece((square, type, color) => {
      pieces.push({ square: squareName(square), color, type: PIECE_TYPES[type] });
    });
    return pieces;
  }

  /** Eight rows of eight squares, the eighth rank first; empty squares are null. */
  board() {
    const rows = Array.from({ length: 8 }, () => new Array(8).fill(null));
    for (const piece of this.pieces()) {
      const square = squareIndex(piece.square);
      rows[7 - (square >> 3)][square & 7] = piece;
    }
    return rows;
  }

  pieceAt(square) {
    squareIndex(square);
    return this.pieces().find((piece) => piece.square === square);
  }

  /** The rooks that may still castle. */
  castlingRooks() {
    const rooks = [];
    this.#forEachPiece((square, type) => {
      if (type === CASTLING_ROOK) rooks.push(squareName(square));
    });
    return rooks;
  }

  /** The squares of the pieces that attack a square, of both colours or of one. */
  attackers(square, color) {
    this.#load();
    const squares = squaresOf(wasm.attackers(squareIndex(square)));
    return color === undefined ? squares : squares.filter((from) => this.pieceAt(from)?.color === color);
  }

  legalMoves(from) {
    const isChess960 = this.isChess960;
    this.#load();
    const count = wasm.legal_moves();
    const bits = u16();
    const first = MOVES / 2;
    const moves = [];
    const origin = from === undefined ? -1 : squareIndex(from);
    for (let at = first; at < first + count; at++) {
      if (origin < 0 || (bits[at] & 63) === origin) moves.push(moveOf(bits[at], isChess960));
    }
    return moves;
  }

  /** The legal moves as SAN. */
  legalSans() {
    this.#load();
    const count = wasm.legal_sans();
    const words = u32();
    const sans = [];
    for (let at = SANS / 4; at < SANS / 4 + 2 * count; at += 2) sans.push(sanOf(words[at], words[at + 1]));
    return sans;
  }

  /** Reads a move: SAN, UCI, `{ from, to, promotion }`, or a `Move`. Throws unless it is legal. */
  move(move) {
    return moveOf(this.#legalBits(move), this.isChess960);
  }

  /** The bits of a legal move, or the length of an error below zero. */
  #find(move) {
    this.#load();
    const bits = bitsOf(move);
    if (bits !== undefined && wasm.is_legal(bits)) return bits;
    const text = moveText(move).slice(0, MAX_TEXT);
    const found = wasm.parse_move(writeText(text));
    // Pages ask for a queen with every move that is dropped on a square.
    const hasPromotion = found < 0 && typeof move === "object" && move.promotion;
    if (hasPromotion && readError(-found)[0] === "promotion-impossible") {
      return wasm.parse_move(writeText(text.slice(0, 4)));
    }
    return found;
  }

  #legalBits(move) {
    const found = this.#find(move);
    if (found > 0) return found;
    const [code, message] = readError(-found);
    throw new MoveError(code, message, moveText(move), this.fen());
  }

  /** Whether a move is legal here, in any of the forms that `move` reads. */
  isLegal(move) {
    return this.#find(move) > 0;
  }

  /** The position after a move. */
  play(move) {
    const bits = bitsOf(move) ?? 0;
    this.#load();
    if (bits === 0 || !wasm.play(bits, Position.#freeSlot())) wasm.play(this.#legalBits(move), Position.#freeSlot());
    return Position.#made();
  }

  /** The position with the other side to move; undefined in check. */
  nullMove() {
    this.#load();
    return wasm.null_move(Position.#freeSlot()) ? Position.#made() : undefined;
  }

  /** The move in SAN. */
  san(move) {
    const bits = this.#legalBits(move);
    wasm.san(bits);
    const words = u32();
    return sanOf(words[SANS / 4], words[SANS / 4 + 1]);
  }

  /** The moves of a line in SAN. */
  sanLine(moves) {
    let position = this;
    return Array.from(moves, (move) => {
      const san = position.san(move);
      position = position.play(move);
      return san;
    });
  }

  /** The piece that a move captures. */
  captured(move) {
    const legal = this.move(move);
    if (legal.kind === "castling") return undefined;
    return this.pieceAt(legal.kind === "en-passant" ? legal.to[0] + legal.from[1] : legal.to);
  }

  isCheck() {
    return (this.#getStatus() & 1) !== 0;
  }

  isCheckmate() {
    return this.outcome?.reason === "checkmate";
  }

  isStalemate() {
    return this.outcome?.reason === "stalemate";
  }

  /** How the game is over by this position alone; undefined while it goes on. */
  get outcome() {
    return outcomeOf((this.#getStatus() >> 8) & 255, this.turn);
  }

  /** The number of move sequences of this length. */
  perft(depth) {
    if (!Number.isInteger(depth) || depth < 0 || depth > 30) throw new RangeError("a depth is an integer from 0 to 30");
    this.#load();
    return wasm.perft(depth);
  }

  /** `perft` by first move, in UCI notation. */
  divide(depth) {
    if (!Number.isInteger(depth) || depth < 1 || depth > 30) throw new RangeError("a depth is an integer from 1 to 30");
    const isChess960 = this.isChess960;
    this.#load();
    const count = wasm.divide(depth);
    const [bits, counts] = [u16(), numbers()];
    return new Map(
      Array.from({ length: count }, (_, index) => [moveOf(bits[MOVES / 2 + index], isChess960).uci, counts[index]]),
    );
  }

  /** The static evaluation of the net, without a search. */
  evaluate() {
    this.#load();
    wasm.evaluate();
    const [cp, win, draw, loss] = numbers();
    return { cp, whiteCp: this.turn === "white" ? cp : 0 - cp, wdl: { win, draw, loss } };
  }
}

/** The text of a move in one of its other forms. */
function moveText(move) {
  if (typeof move === "string") return move;
  if (typeof move === "object" && move !== null && "from" in move && "to" in move) {
    const { from, to, promotion } = move;
    squareIndex(from);
    squareIndex(to);
    return from + to + String(promotion ?? "").toLowerCase();
  }
  throw new TypeError("a move is SAN, UCI notation, { from, to, promotion } or a Move");
}

/** The same as `position.evaluate()`. */
export function evaluate(position) {
  return position.evaluate();
}
