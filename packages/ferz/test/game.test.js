import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Game, load, MoveError, parsePgn, Position } from "../node.js";
import { randomNumbers } from "./support/random.js";

before(() => load());

describe("a game", () => {
  it("plays and takes back", () => {
    const game = new Game();
    for (const move of ["e4", "e7e5", { from: "g1", to: "f3" }]) game.play(move);
    assert.deepEqual(game.sans(), ["e4", "e5", "Nf3"]);
    assert.equal(game.undo().uci, "g1f3");
    assert.equal(game.fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    assert.equal(game.undo().uci, "e7e5");
    assert.equal(game.undo().uci, "e2e4");
    assert.equal(game.undo(), undefined);
    assert.ok(game.position.equals(Position.start()));
  });

  it("does not change by an illegal move", () => {
    const game = new Game();
    assert.throws(() => game.play("e5"), MoveError);
    assert.equal(game.moves.length, 0);
  });

  it("knows threefold and fivefold repetition", () => {
    const game = new Game();
    const shuffle = ["Nf3", "Nf6", "Ng1", "Ng8"];
    for (let round = 2; round <= 5; round++) {
      shuffle.forEach((move) => game.play(move));
      assert.equal(game.repetitions, round);
      assert.equal(game.claim, round >= 3 ? "threefold-repetition" : undefined);
      assert.equal(game.outcome?.reason, round >= 5 ? "fivefold-repetition" : undefined);
    }
    game.undo();
    assert.deepEqual([game.repetitions, game.outcome], [4, undefined]);
  });

  it("knows the 50-move and the 75-move rule", () => {
    const game = new Game("4k3/8/8/8/8/8/8/R3K3 w - - 99 80");
    assert.equal(game.claim, undefined);
    game.play("Ra2");
    assert.equal(game.claim, "fifty-moves");
    assert.equal(game.outcome, undefined);
    assert.equal(new Game("4k3/8/8/8/8/8/8/R3K3 w - - 150 80").outcome.reason, "seventy-five-moves");
  });

  it("is not confused by other games", () => {
    const random = randomNumbers(4);
    const games = [new Game(), new Game("8/8/4k3/8/8/3K4/3R4/8 w - - 0 1"), new Game(Position.chess960(0))];
    for (let step = 0; step < 600; step++) {
      const game = games[random(games.length)];
      const moves = game.position.legalMoves();
      if (random(3) === 0 || moves.length === 0) game.undo();
      else game.play(moves[random(moves.length)]);
      if (random(2) === 0) continue;
      const copy = new Game(game.start);
      game.moves.forEach((move) => copy.play(move));
      assert.deepEqual([game.repetitions, game.claim, game.outcome], [copy.repetitions, copy.claim, copy.outcome]);
      assert.ok(copy.position.equals(game.position));
    }
  });

  it("is written and read as PGN", () => {
    const game = new Game();
    game.headers.set("White", 'Ada "the" \\ Countess').set("Black", "Bob");
    for (const move of ["f3", "e5", "g4", "Qh4#"]) game.play(move);
    const pgn = game.pgn();
    assert.match(pgn, /\[White "Ada \\"the\\" \\\\ Countess"\]/);
    assert.match(pgn, /\n\n1\. f3 e5 2\. g4 Qh4# 0-1\n$/);
    const copy = Game.fromPgn(pgn);
    assert.deepEqual(copy.sans(), game.sans());
    assert.equal(copy.headers.get("White"), game.headers.get("White"));
    assert.equal(copy.pgn(), pgn);
  });

  it("has the start position in its PGN", () => {
    const game = new Game(Position.fromFen("4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1", { chess960: true }));
    game.play("O-O");
    const pgn = game.pgn({ roster: false });
    assert.match(pgn, /\[Variant "Chess960"\]\n\[SetUp "1"\]\n\[FEN "4k3/);
    const [read] = parsePgn(pgn);
    assert.deepEqual([read.moves[0].san, read.moves[0].uci], ["O-O", "f1g1"]);
    assert.equal(Game.fromPgn(pgn).fen(), game.fen());
  });

  it("is not read from PGN with a main line that cannot be played", () => {
    for (const [text, code] of [
      ["", "no-game"],
      ["1. e4 Ke6 *", "illegal-move"],
      ["1. Ke3 *", "illegal-move"],
      ['[Variant "Atomic"]\n\n1. e4 *', "other-variant"],
      ["1. e4 -- 2. d4 *", "null-move"],
    ]) {
      assert.throws(() => Game.fromPgn(text), { name: "PgnError", code }, text);
    }
    assert.throws(() => Game.fromPgn("1. e4\nKe6"), /line 2, column 1: illegal move.*: Ke6/);
    // A variation may be wrong.
    assert.deepEqual(Game.fromPgn("1. e4 (1. Ke3) e5 *").sans(), ["e4", "e5"]);
  });

  it("starts from a position or a FEN, and nothing else", () => {
    assert.throws(() => new Game(12), TypeError);
    assert.throws(() => new Game("8/8 w"), { name: "FenError" });
  });
});
