// Compares ferz with chess.js and chessops in one process, interleaved, and prints ratios of medians.
//
//     node bench/compare.mjs FOLDER [FILE.pgn]
//
// FOLDER is where `npm install chess.js chessops` was run; whichever of the two is there takes part. Without a file,
// games are made by playing random moves.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Game, load, parsePgn, Position } from "../node.js";

const [folder, file] = process.argv.slice(2);
if (folder === undefined) {
  console.error(
    "usage: node bench/compare.mjs FOLDER [FILE.pgn]\nFOLDER is where npm install chess.js chessops was run",
  );
  process.exit(2);
}
/** Imports a package of that folder; both keep their modules in the same place. */
async function peer(name, part) {
  const path = join(resolve(folder), "node_modules", name, "dist/esm", `${part}.js`);
  return existsSync(path) ? import(pathToFileURL(path)) : undefined;
}
const chessJs = await peer("chess.js", "chess");
const chessops = await peer("chessops", "index");
const chessopsParts = chessops && {
  fen: await peer("chessops", "fen"),
  pgn: await peer("chessops", "pgn"),
  san: await peer("chessops", "san"),
  ...chessops,
};
await load();

const ROUNDS = 7;
const FENS = [
  "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
  "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
  "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
  "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];

/** A linear congruential generator: the same games every time. */
let seed = 19;
function random(below) {
  seed = (seed * 1103515245 + 12345) & 0x7fffffff;
  return seed % below;
}

function randomGames(count) {
  return Array.from({ length: count }, (_, number) => {
    const game = new Game();
    game.headers.set("Event", `Game ${number}`).set("White", "Ada").set("Black", "Bob");
    while (game.outcome === undefined && game.moves.length < 100) {
      const moves = game.position.legalMoves();
      game.play(moves[random(moves.length)]);
    }
    return game.pgn();
  });
}

/** The games of a file as texts, which chess.js wants one by one. */
function gamesOf(path, most) {
  const texts = readFileSync(path, "utf8")
    .replaceAll("\r", "")
    .split(/\n\n(?=\[Event ")/);
  return texts.slice(0, most).map((text) => `${text.trim()}\n`);
}

const games = file === undefined ? randomGames(100) : gamesOf(file, 100);
const pgn = games.join("\n");

function perftChessops(position, depth) {
  if (depth === 0) return 1;
  let nodes = 0;
  const context = position.ctx();
  for (const [from, targets] of position.allDests(context)) {
    for (const to of targets) {
      const isPawn = position.board.pawn.has(from);
      const promotions = isPawn && (to >= 56 || to < 8) ? ["queen", "rook", "bishop", "knight"] : [undefined];
      for (const promotion of promotions) {
        if (depth === 1) {
          nodes += 1;
          continue;
        }
        const child = position.clone();
        child.play({ from, to, promotion });
        nodes += perftChessops(child, depth - 1);
      }
    }
  }
  return nodes;
}

/** A user's own recursion, without the built-in perft. */
function walk(position, depth) {
  const moves = position.legalMoves();
  if (depth === 1) return moves.length;
  return moves.reduce((sum, move) => sum + walk(position.play(move), depth - 1), 0);
}

const chessopsPosition = (fen) => chessopsParts.Chess.fromSetup(chessopsParts.fen.parseFen(fen).unwrap()).unwrap();

// Each task: what every library does, and a number that all must agree on.
const tasks = [
  {
    name: "perft, depth 3, 4 positions",
    ferz: () => FENS.reduce((sum, fen) => sum + Position.fromFen(fen).perft(3), 0),
    chessJs: () => FENS.reduce((sum, fen) => sum + new chessJs.Chess(fen).perft(3), 0),
    chessops: () => FENS.reduce((sum, fen) => sum + perftChessops(chessopsPosition(fen), 3), 0),
  },
  {
    name: "perft by legalMoves and play, depth 3",
    ferz: () => FENS.reduce((sum, fen) => sum + walk(Position.fromFen(fen), 3), 0),
    chessJs: () => FENS.reduce((sum, fen) => sum + new chessJs.Chess(fen).perft(3), 0),
    chessops: () => FENS.reduce((sum, fen) => sum + perftChessops(chessopsPosition(fen), 3), 0),
  },
  {
    name: "legal moves as objects, from a FEN",
    repeat: 50,
    ferz: () => FENS.reduce((sum, fen) => sum + Position.fromFen(fen).legalMoves().length, 0),
    chessJs: () => FENS.reduce((sum, fen) => sum + new chessJs.Chess(fen).moves({ verbose: true }).length, 0),
  },
  {
    name: "legal moves as SAN, from a FEN",
    repeat: 50,
    ferz: () => FENS.reduce((sum, fen) => sum + Position.fromFen(fen).legalSans().length, 0),
    chessJs: () => FENS.reduce((sum, fen) => sum + new chessJs.Chess(fen).moves().length, 0),
  },
  {
    name: `PGN, ${games.length} games, ${pgn.length} bytes: moves`,
    ferz: () => parsePgn(pgn).reduce((sum, game) => sum + game.moves.length, 0),
    chessJs: () =>
      games.reduce((sum, text) => {
        const chess = new chessJs.Chess();
        chess.loadPgn(text);
        return sum + chess.history().length;
      }, 0),
    // chessops reads the text without a board; playing the moves is up to its user.
    chessops: () =>
      chessopsParts.pgn.parsePgn(pgn).reduce((sum, game) => {
        const position = chessopsParts.pgn.startingPosition(game.headers).unwrap();
        let plies = 0;
        for (const { san } of game.moves.mainline()) {
          const move = chessopsParts.san.parseSan(position, san);
          if (!move) break;
          chessopsParts.san.makeSanAndPlay(position, move);
          plies += 1;
        }
        return sum + plies;
      }, 0),
  },
];

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

const peers = [
  ["chessJs", chessJs, "chess.js"],
  ["chessops", chessops, "chessops"],
].filter(([, module]) => module);
for (const task of tasks) {
  const runners = [["ferz"], ...peers].map(([key]) => key).filter((key) => task[key] !== undefined);
  const times = new Map(runners.map((key) => [key, []]));
  const counts = new Map();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const key of runners) {
      const start = performance.now();
      let count = 0;
      for (let turn = 0; turn < (task.repeat ?? 1); turn++) count = task[key]();
      // The first round is for the compiler.
      if (round > 0) times.get(key).push(performance.now() - start);
      counts.set(key, count);
    }
  }
  const own = median(times.get("ferz"));
  console.log(`${task.name}: ferz ${own.toFixed(2)} ms`);
  for (const [key, , name] of peers) {
    if (!times.has(key)) continue;
    const other = median(times.get(key));
    const agreement =
      counts.get(key) === counts.get("ferz") ? "" : `, but counts ${counts.get(key)} for ${counts.get("ferz")}`;
    console.log(`    ratio to ${name}: ${(other / own).toFixed(1)} (${other.toFixed(2)} ms${agreement})`);
  }
}
