// Games: a position and the moves that led to it.
import { PgnError } from "./errors.js";
import { held, PACKED, u8, wasm, writeMoves } from "./instance.js";
import { bitsOf } from "./move.js";
import { parsePgn, writePgn } from "./pgn.js";
import { outcomeOf, packedOf, Position } from "./position.js";

/** Makes a game, or a position, the game of the instance. */
export let loadGame;

/** A game: moves can be played and taken back, and the rules about repetition and 50 moves hold. */
export class Game {
  #positions;
  #moves = [];
  #status = -1;

  static {
    loadGame = (game) => (game instanceof Game ? game.#load() : Game.#loadMoves(game, []));
  }

  /** A game from the start position, from a position or from a FEN. */
  constructor(start = Position.start()) {
    this.#positions = [typeof start === "string" ? Position.fromFen(start) : start];
    if (!(this.#positions[0] instanceof Position)) throw new TypeError("a game starts from a Position or a FEN");
    this.headers = new Map();
  }

  /** The main line of the first game in a PGN text; throws a `PgnError` if it cannot be read to its end. */
  static fromPgn(text) {
    const [read] = parsePgn(text);
    if (read === undefined) throw new PgnError("no-game", "the text contains no game");
    const tail = (read.moves.at(-1) ?? read).unread ?? [];
    if (read.start === undefined || tail.some((part) => !part.startsWith("("))) {
      const [{ code, message, line, column, token }] = read.diagnostics;
      throw new PgnError(code, `line ${line}, column ${column}: ${message}: ${token}`, read.diagnostics);
    }
    const game = new Game(Position.fromFen(read.start, { lenient: true }));
    for (const { move } of read.moves) {
      if (move === undefined) throw new PgnError("null-move", "a game cannot have null moves", read.diagnostics);
      game.play(move);
    }
    game.headers = read.headers;
    return game;
  }

  static #loadMoves(start, moves) {
    held.game = undefined;
    writeMoves(moves.map(bitsOf));
    u8().set(packedOf(start), PACKED);
    wasm.game_load(moves.length);
  }

  /** Makes this the game of the instance, with as little work as possible. */
  #load() {
    const ply = this.#moves.length;
    if (held.game === this && held.ply === ply) return;
    if (held.game === this && held.ply === ply - 1) {
      held.game = undefined;
      wasm.game_play(bitsOf(this.#moves[ply - 1]));
    } else {
      Game.#loadMoves(this.#positions[0], this.#moves);
    }
    held.game = this;
    held.ply = ply;
  }

  #getStatus() {
    if (this.#status < 0) {
      this.#load();
      this.#status = wasm.game_status();
    }
    return this.#status;
  }

  /** The position now. */
  get position() {
    return this.#positions[this.#positions.length - 1];
  }

  /** The position at the start. */
  get start() {
    return this.#positions[0];
  }

  /** All positions, from the start to the present one. */
  get positions() {
    return this.#positions.slice();
  }

  /** The moves so far. */
  get moves() {
    return this.#moves.slice();
  }

  get turn() {
    return this.position.turn;
  }

  /** The moves so far in SAN. */
  sans() {
    return this.#moves.map((move, index) => this.#positions[index].san(move));
  }

  /** Plays a move, in any of the forms that `position.move` reads; returns it. */
  play(move) {
    const legal = this.position.move(move);
    this.#positions.push(this.position.play(legal));
    this.#moves.push(legal);
    this.#status = -1;
    return legal;
  }

  /** Takes the last move back; returns it. */
  undo() {
    if (this.#moves.length === 0) return undefined;
    if (held.game === this && held.ply === this.#moves.length) {
      held.game = undefined;
      wasm.game_undo();
      held.game = this;
      held.ply -= 1;
    } else if (held.game === this) {
      held.game = undefined;
    }
    this.#positions.pop();
    this.#status = -1;
    return this.#moves.pop();
  }

  /** How often the present position has stood on the board. */
  get repetitions() {
    return this.#getStatus() & 255;
  }

  /** How the game is over by the rules alone; undefined while it goes on. */
  get outcome() {
    return outcomeOf((this.#getStatus() >> 16) & 255, this.turn);
  }

  /** The draw that the side to move may claim. */
  get claim() {
    const status = this.#getStatus();
    return status & 256 ? "threefold-repetition" : status & 512 ? "fifty-moves" : undefined;
  }

  fen(options) {
    return this.position.fen(options);
  }

  /** The game as PGN. */
  pgn(options) {
    const { headers, outcome } = this;
    const result = outcome?.result ?? new Map(headers).get("Result") ?? "*";
    return writePgn({ headers, start: this.start, moves: this.#moves.map(String), result }, options);
  }
}
