// Works with TypeScript 4.8 and later, with or without the DOM library.

declare global {
  // TypeScript before 5.2 does not know it.
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
}

export type Color = "white" | "black";
/** Pawn, knight, bishop, rook, queen, king. */
export type PieceType = "p" | "n" | "b" | "r" | "q" | "k";
export type PromotionType = "n" | "b" | "r" | "q";
/** A square by its name: `e4`. */
export type Square = string;

export interface Piece {
  square: Square;
  color: Color;
  type: PieceType;
}

/** Loads the engine; everything else needs it. Calling it again does nothing, except after an internal error.
 *
 * Without an argument it takes `ferz.wasm` beside the package's files. Otherwise the source is a URL or path, a
 * `Response` or a promise of one, the bytes, or a compiled `WebAssembly.Module`. */
export function load(source?: string | object): Promise<void>;
/** Whether `load` is done. */
export function isLoaded(): boolean;

/** A move. It does not depend on a position; equal moves are the same object. */
export class Move {
  private constructor();
  readonly from: Square;
  /** Where the piece goes. Castling in standard chess names the king's new square (`e1g1`), in Chess960 the rook's
   * square (`e1h1`). */
  readonly to: Square;
  readonly promotion: PromotionType | undefined;
  /** The side to which the king castles. */
  readonly castling: "king" | "queen" | undefined;
  readonly kind: "normal" | "double-step" | "castling" | "en-passant" | "promotion";
  /** UCI notation: `e2e4`, `e7e8q`. */
  readonly uci: string;
  /** The same as `uci`. */
  toString(): string;
}

/** A move in any form: SAN or UCI notation, squares, or a `Move`. A promotion is ignored where no pawn promotes. */
export type MoveLike = string | Move | { from: Square; to: Square; promotion?: string | undefined };

export interface Outcome {
  reason: "checkmate" | "stalemate" | "insufficient-material" | "fivefold-repetition" | "seventy-five-moves";
  /** Undefined for a draw. */
  winner: Color | undefined;
  result: "1-0" | "0-1" | "1/2-1/2";
}

export interface Evaluation {
  /** Hundredths of a pawn for the side to move; 100 means a win probability of 50 %. */
  cp: number;
  /** The same for White. */
  whiteCp: number;
  wdl: WinDrawLoss;
}

/** A legal position. It never changes: playing a move makes a new one. There is nothing to free. */
export class Position {
  private constructor();
  /** The start position. */
  static start(): Position;
  /** Reads a FEN; throws a `FenError`. Strict unless `lenient`, which repairs what can be repaired. */
  static fromFen(fen: string, options?: { chess960?: boolean; lenient?: boolean }): Position;
  /** A start position of Chess960 by its number, 0 to 959; 518 is the usual one. */
  static chess960(number: number): Position;
  /** Reads the 32 bytes of `packed()`. */
  static fromPacked(bytes: Uint8Array): Position;

  readonly turn: Color;
  /** The square that a double step has skipped. */
  readonly enPassant: Square | undefined;
  readonly halfmoveClock: number;
  readonly fullmoveNumber: number;
  /** Whether castling rights are those of Chess960. */
  readonly isChess960: boolean;
  /** The Zobrist key, as Polyglot books have it. */
  readonly key: bigint;
  /** The key by which repetitions are recognised. */
  readonly repetitionKey: bigint;
  /** How the game is over by this position alone; undefined while it goes on. See also `Game.outcome`. */
  readonly outcome: Outcome | undefined;

  /** The FEN; its en-passant square is there if a capture is legal, or after every double step. */
  fen(options?: { enPassant?: "legal" | "always" }): string;
  toString(): string;
  toJSON(): string;
  /** The position in 32 bytes, for files and messages. */
  packed(): Uint8Array;
  equals(other: unknown): boolean;

  /** The pieces from a1 to h8. */
  pieces(): Piece[];
  /** Eight rows of eight squares, the eighth rank first; empty squares are null. */
  board(): (Piece | null)[][];
  pieceAt(square: Square): Piece | undefined;
  /** The rooks that may still castle. */
  castlingRooks(): Square[];
  /** The squares of the pieces that attack a square, of both colours or of one. */
  attackers(square: Square, color?: Color): Square[];

  /** All legal moves, or those from one square. */
  legalMoves(from?: Square): Move[];
  /** All legal moves as SAN, in the order of `legalMoves`. */
  legalSans(): string[];
  /** Reads a move; throws a `MoveError` unless it is legal. */
  move(move: MoveLike): Move;
  isLegal(move: MoveLike): boolean;
  /** The position after a move; throws a `MoveError` unless it is legal. */
  play(move: MoveLike): Position;
  /** The position with the other side to move; undefined in check. */
  nullMove(): Position | undefined;
  /** The move in SAN. */
  san(move: MoveLike): string;
  /** The moves of a line in SAN. */
  sanLine(moves: Iterable<MoveLike>): string[];
  /** The piece that a move captures. */
  captured(move: MoveLike): Piece | undefined;

  isCheck(): boolean;
  isCheckmate(): boolean;
  isStalemate(): boolean;

  /** The number of move sequences of this length. */
  perft(depth: number): number;
  /** `perft` by first move, in UCI notation. */
  divide(depth: number): Map<string, number>;
  /** The static evaluation of the net, without a search. */
  evaluate(): Evaluation;
}

/** The same as `position.evaluate()`. */
export function evaluate(position: Position): Evaluation;

/** A game: moves can be played and taken back, and the rules about repetition and 50 moves hold. */
export class Game {
  /** A game from the start position, from a position or from a FEN. */
  constructor(start?: Position | string);
  /** The main line of the first game in a PGN text; throws a `PgnError` if it cannot be read to its end. */
  static fromPgn(text: PgnSource): Game;

  /** The tags of the PGN. */
  headers: Map<string, string>;
  readonly position: Position;
  readonly start: Position;
  /** All positions, from the start to the present one. */
  readonly positions: Position[];
  readonly moves: Move[];
  readonly turn: Color;
  /** How often the present position has stood on the board. */
  readonly repetitions: number;
  /** How the game is over by the rules alone, without a claim; undefined while it goes on. */
  readonly outcome: Outcome | undefined;
  /** The draw that the side to move may claim. */
  readonly claim: "threefold-repetition" | "fifty-moves" | undefined;

  /** Plays a move; throws a `MoveError` unless it is legal. */
  play(move: MoveLike): Move;
  /** Takes the last move back. */
  undo(): Move | undefined;
  /** The moves in SAN. */
  sans(): string[];
  fen(options?: { enPassant?: "legal" | "always" }): string;
  pgn(options?: PgnOptions): string;
}

/** A problem in a PGN text. */
export interface Diagnostic {
  /** For programs: `illegal-move`, `unclosed-comment` … */
  code: string;
  message: string;
  /** From 1. */
  line: number;
  /** The byte in the line, from 1. */
  column: number;
  /** From 0. */
  byte: number;
  /** The number of the game, from 1. */
  game: number;
  /** How many plies of the line were read before. */
  ply: number;
  /** The text in question, cut if it is long. */
  token: string;
}

export interface PgnMove {
  san: string;
  /** `0000` for a null move. */
  uci: string;
  /** Undefined for a null move. */
  move: Move | undefined;
  comments: string[] | undefined;
  /** Only at the first move of a variation. */
  commentsBefore: string[] | undefined;
  /** Numeric annotation glyphs: 1 is `!`, 2 is `?` … */
  nags: number[] | undefined;
  /** The alternatives to this move. */
  variations: PgnMove[][] | undefined;
  /** Movetext behind this move that could not be read: from an illegal move to the end of the line. */
  unread: string[] | undefined;
}

export interface PgnGame {
  headers: Map<string, string>;
  /** The FEN of the start position; undefined if it is not known, as with other variants. */
  start: string | undefined;
  /** The main line. */
  moves: PgnMove[];
  /** Before the first move. */
  comments: string[] | undefined;
  /** Movetext that could not be read, if it begins before the first move. */
  unread: string[] | undefined;
  result: "1-0" | "0-1" | "1/2-1/2" | "*";
  /** Empty if all is well. */
  diagnostics: Diagnostic[];
}

export type PgnSource = string | Uint8Array | ArrayBuffer | Iterable<string | Uint8Array>;

/** All games of a text. Problems are in `diagnostics`; only a text that cannot be PGN at all throws a `PgnError`. */
export function parsePgn(source: PgnSource): PgnGame[];
/** The same, one game after the other, in little memory. */
export function readPgn(source: PgnSource): Generator<PgnGame, void, undefined>;
/** The same from a stream: `response.body`, `fs.createReadStream(path)` … */
export function readPgnStream(
  stream: AsyncIterable<string | Uint8Array> | { getReader(): unknown },
): AsyncGenerator<PgnGame, void, undefined>;

/** A move to be written: SAN or UCI notation, or an object with one of them. */
export type PgnMoveLike =
  | string
  | {
      san?: string | undefined;
      uci?: string | undefined;
      move?: Move | undefined;
      comments?: Iterable<string> | undefined;
      commentsBefore?: string[] | undefined;
      nags?: Iterable<number> | undefined;
      variations?: Iterable<Iterable<PgnMoveLike>> | undefined;
      unread?: Iterable<string> | undefined;
    };

/** A game to be written; a `PgnGame` is one. */
export interface PgnGameLike {
  headers?: Map<string, string> | Record<string, string> | undefined;
  start?: Position | string | undefined;
  moves?: Iterable<PgnMoveLike> | undefined;
  comments?: string[] | undefined;
  unread?: Iterable<string> | undefined;
  result?: string | undefined;
}

export interface PgnOptions {
  /** 79 by default. */
  lineWidth?: number;
  comments?: boolean;
  variations?: boolean;
  nags?: boolean;
  /** NAGs as signs (`!?`) instead of numbers (`$5`). */
  symbols?: boolean;
  /** All seven tags that the standard demands, unknown ones with question marks. */
  roster?: boolean;
}

/** Games in the export format of PGN; throws a `PgnError` if a move is not legal. */
export function writePgn(games: PgnGameLike | PgnGameLike[], options?: PgnOptions): string;

/** What ends a search, and how it searches. At least one of the first five must be set. */
export interface SearchLimits {
  /** Plies, 1 to 245. */
  depth?: number;
  nodes?: number;
  /** Milliseconds. */
  movetime?: number;
  /** Until a mate in this number of moves is proven. */
  mate?: number;
  /** Until it is stopped, or everything has been searched. */
  infinite?: boolean;
  /** The number of lines (MultiPV). */
  lines?: number;
  /** Limited strength: 100 to 2800. */
  elo?: number;
  /** The seed of the mistakes at limited strength. */
  seed?: number;
  /** The only moves to search. */
  moves?: Iterable<MoveLike>;
}

/** Hundredths of a pawn, or mate in this number of moves; below zero, the side is worse or mated. */
export type Score = { cp: number; mate?: undefined } | { mate: number; cp?: undefined };

/** Thousandths for the side to move. */
export interface WinDrawLoss {
  win: number;
  draw: number;
  loss: number;
}

export interface Line {
  depth: number;
  selectiveDepth: number;
  /** 1 for the best line. */
  rank: number;
  /** For the side to move. */
  score: Score;
  /** For White. */
  whiteScore: Score;
  bound: "exact" | "lower" | "upper";
  wdl: WinDrawLoss;
  nodes: number;
  /** Milliseconds. */
  time: number;
  /** How full the transposition table is, in thousandths. */
  hashfull: number;
  moves: Move[];
}

export interface SearchResult {
  /** Undefined if the game is over. */
  best: Move | undefined;
  /** The expected reply. */
  ponder: Move | undefined;
  lines: Line[];
  nodes: number;
  /** Milliseconds. */
  time: number;
}

/** Searches on the calling thread, which waits: for programs that have a worker of their own. */
export class Engine {
  /** With a transposition table of `hash` MiB, 16 by default. */
  constructor(options?: { hash?: number });
  /** `stop` is asked about every millisecond whether the search is to end. */
  search(
    game: Position | Game,
    limits: SearchLimits & { stop?: () => boolean },
    onLine?: (line: Line) => void,
  ): SearchResult;
  /** Forgets everything: the next search is like the first. */
  clear(): void;
  /** Gives the memory back now, not when the engine is garbage. */
  free(): void;
  [Symbol.dispose](): void;
}

/** A running analysis: a promise of its result that can be stopped. */
export interface Analysis extends Promise<SearchResult> {
  /** Ends the search. The result is what was found. */
  stop(): void;
}

export interface AnalysisLimits extends SearchLimits {
  /** An `AbortSignal`. The promise is rejected with its reason. */
  signal?: {
    readonly aborted: boolean;
    addEventListener(type: "abort", listener: () => void): void;
    removeEventListener(type: "abort", listener: () => void): void;
  };
}

/** An engine in a worker of its own. Its transposition table is kept from one analysis to the next. */
export class EngineWorker {
  /** With a transposition table of `hash` MiB, 16 by default. */
  constructor(options?: { hash?: number });
  /** Analyses begin one after the other. */
  analyse(game: Position | Game, limits: AnalysisLimits, onLine?: (line: Line) => void): Analysis;
  /** Forgets everything: the next analysis is like the first. */
  clear(): void;
  /** Ends the worker. A running analysis is rejected. */
  close(): void;
  [Symbol.dispose](): void;
}

/** Analyses a position or a game in a worker that ends with the analysis. */
export function analyse(
  game: Position | Game,
  limits: AnalysisLimits & { hash?: number },
  onLine?: (line: Line) => void,
): Analysis;

/** The base of all errors here. `code` is for programs and does not change. */
export class FerzError extends Error {
  readonly code: string;
}

/** A FEN that cannot be read (`field` and `column` say where), or that is not a legal position (`violations`). */
export class FenError extends FerzError {
  readonly fen: string | undefined;
  /** `board`, `side to move`, `castling rights`, `en-passant square`, `half-move clock`, `move number` */
  readonly field: string | undefined;
  /** From 1. */
  readonly column: number | undefined;
  readonly violations: { rule: string; squares: Square[]; message: string }[] | undefined;
}

/** A move that cannot be read, or that is not legal. */
export class MoveError extends FerzError {
  /** The text of the move. */
  readonly move: string;
  /** The position. */
  readonly fen: string;
}

/** A text without a game, or a game that cannot be written. */
export class PgnError extends FerzError {
  readonly diagnostics: Diagnostic[];
}

/** `freed`, `busy`, `closed`, `lost`, `out-of-memory` */
export class EngineError extends FerzError {}

/** The WebAssembly instance is not loaded (`not-loaded`) or has ended with an internal error (`panicked`, `trapped`).
 * After that, `load()` starts a new one; positions and games stay usable. */
export class InstanceError extends FerzError {}
