// Compiled by a test, never run: the declarations say what a user may write.
import {
  analyse,
  Analysis,
  Engine,
  EngineWorker,
  evaluate,
  FenError,
  Game,
  load,
  Move,
  MoveError,
  parsePgn,
  PgnGame,
  Position,
  readPgn,
  readPgnStream,
  SearchResult,
  writePgn,
} from "ferz";
import { Position as ReadyPosition } from "ferz/ready";

export async function use(
  chunks: AsyncIterable<Uint8Array>,
  signal: { aborted: boolean } & EventTargetLike,
): Promise<void> {
  await load();
  await load(new Uint8Array());
  const position: Position = Position.fromFen("4k3/8/8/8/8/8/8/4K3 w - - 0 1", { lenient: true });
  const moves: Move[] = position.legalMoves("e1");
  const key: bigint = position.key;
  const next: Position = position.play(moves[0]!).play("Ke7").play({ from: "e1", to: "e2", promotion: "q" });
  const winner: "white" | "black" | undefined = next.outcome?.winner;
  const row: string | undefined = next.board()[0]?.[0]?.type;
  const games: PgnGame[] = parsePgn(new Uint8Array());
  for (const game of readPgn(["1. e4", " e5 *"])) writePgn([game, ...games], { symbols: true });
  for await (const game of readPgnStream(chunks)) game.moves[0]?.variations?.[0]?.[0]?.san.length;
  writePgn({ headers: { White: "Ada" }, moves: ["e4", { uci: "e7e5", nags: [1] }] });
  const game = new Game();
  const played: Move = game.play("e4");
  const pgn: string = game.pgn({ comments: false });
  const engine = new Engine({ hash: 1 });
  const result: SearchResult = engine.search(game, { nodes: 100, stop: () => false }, (line) => line.moves.map(String));
  engine[Symbol.dispose]();
  const analysis: Analysis = analyse(position, { infinite: true, signal }, (line) => line.score.cp?.toFixed());
  analysis.stop();
  const { best } = await analysis;
  const worker = new EngineWorker();
  await worker.analyse(game, { depth: 3, moves: ["e5", played] });
  const cp: number = evaluate(position).cp;
  try {
    ReadyPosition.fromFen("");
  } catch (error) {
    if (error instanceof FenError) error.violations?.map((violation) => violation.squares);
    if (error instanceof MoveError) error.code.length;
  }
  void [key, winner, row, pgn, result, best, cp];

  // @ts-expect-error: positions are not made with `new`
  new Position();
  // @ts-expect-error: positions do not change
  position.turn = "black";
  // @ts-expect-error: no such limit
  engine.search(position, { ply: 3 });
  // @ts-expect-error: a move is not a number
  position.play(12);
}

interface EventTargetLike {
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
