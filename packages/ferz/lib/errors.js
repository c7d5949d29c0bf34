// Errors. Each has a `code` for programs, which does not change, and a `message` for people.

export class FerzError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }

  get name() {
    return this.constructor.name;
  }
}

/** A FEN that cannot be read, or that is not a legal position. */
export class FenError extends FerzError {
  constructor(code, message, fen, field, column, violations) {
    super(code, message);
    this.fen = fen;
    this.field = field;
    this.column = column;
    this.violations = violations;
  }
}

/** A move that cannot be read, or that is not legal. */
export class MoveError extends FerzError {
  constructor(code, message, move, fen) {
    super(code, message);
    this.move = move;
    this.fen = fen;
  }
}

/** A text without a game, or a game that cannot be written. */
export class PgnError extends FerzError {
  constructor(code, message, diagnostics = []) {
    super(code, message);
    this.diagnostics = diagnostics;
  }
}

/** An engine that was freed, is at work, or does not fit into memory. */
export class EngineError extends FerzError {}

/** The WebAssembly instance is not loaded (`not-loaded`) or has ended (`panicked`, `trapped`). */
export class InstanceError extends FerzError {}

// Names survive minification.
for (const [name, type] of Object.entries({ FerzError, FenError, MoveError, PgnError, EngineError, InstanceError })) {
  Object.defineProperty(type, "name", { value: name });
}
