// What the package exports.
export { analyse, EngineWorker } from "./analyse.js";
export { Engine } from "./engine.js";
export { EngineError, FenError, FerzError, InstanceError, MoveError, PgnError } from "./errors.js";
export { Game } from "./game.js";
export { isLoaded, load } from "./instance.js";
export { Move } from "./move.js";
export { parsePgn, readPgn, readPgnStream, writePgn } from "./pgn.js";
export { evaluate, Position } from "./position.js";
