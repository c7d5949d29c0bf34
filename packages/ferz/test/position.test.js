import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { FenError, load, Move, MoveError, Position } from "../node.js";
import { randomNumbers, randomWalk } from "./support/random.js";

before(() => load());

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

describe("perft", () => {
  // The numbers are those of the Chess Programming Wiki.
  for (const [fen, depth, nodes, chess960] of [
    [START, 5, 4865609],
    [KIWIPETE, 4, 4085603],
    ["8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6, 11030083],
    ["r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422333],
    ["rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2103487],
    ["bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 4, 326672, true],
  ]) {
    it(`${fen} at depth ${depth}`, () => {
      const position = Position.fromFen(fen, { chess960 });
      assert.equal(position.perft(depth), nodes);
      const divided = position.divide(depth);
      assert.equal(
        [...divided.values()].reduce((sum, count) => sum + count, 0),
        nodes,
      );
      assert.deepEqual([...divided.keys()], position.legalMoves().map(String));
    });
  }

  it("is what playing the moves gives", () => {
    const walk = (position, depth) =>
      depth === 0 ? 1 : position.legalMoves().reduce((sum, move) => sum + walk(position.play(move), depth - 1), 0);
    assert.equal(walk(Position.fromFen(KIWIPETE), 3), 97862);
  });

  it("refuses depths that make no sense", () => {
    for (const depth of [-1, 1.5, 31, "3", undefined, NaN, Infinity]) {
      assert.throws(() => Position.start().perft(depth), RangeError);
    }
  });
});

describe("FEN", () => {
  it("is read and written without loss", () => {
    for (const fen of [START, KIWIPETE, "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 40"]) {
      assert.equal(Position.fromFen(fen).fen(), fen);
    }
  });

  it("has the en-passant square where it is wanted", () => {
    const position = Position.start().play("e4");
    assert.equal(position.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    assert.match(position.fen({ enPassant: "always" }), / e3 /);
    assert.equal(position.enPassant, "e3");
  });

  it("errors name the field and the column", () => {
    assert.throws(
      () => Position.fromFen("4k3/8/8/9/8/8/8/4K2R w K - 0 1"),
      (error) =>
        error instanceof FenError &&
        error.name === "FenError" &&
        error.code === "not-a-piece" &&
        error.field === "board" &&
        error.column === 9 &&
        error.message.includes("'9'"),
    );
  });

  it("errors name every broken rule", () => {
    assert.throws(
      () => Position.fromFen("P3k3/8/8/8/8/8/8/4K3 w K - 0 1"),
      (error) => {
        assert.deepEqual(
          error.violations.map(({ rule, squares }) => [rule, squares]),
          [
            ["pawn-on-back-rank", ["a8"]],
            ["castling-without-rook", ["h1"]],
          ],
        );
        return error.code === "pawn-on-back-rank" && error.field === undefined;
      },
    );
  });

  it("is repaired where that is wanted", () => {
    assert.throws(() => Position.fromFen("4k3/8/8/8/8/8/8/4K3 b KQ"), FenError);
    assert.equal(
      Position.fromFen("4k3/8/8/8/8/8/8/4K3 b KQ", { lenient: true }).fen(),
      "4k3/8/8/8/8/8/8/4K3 b - - 0 1",
    );
  });

  it("of any kind of nonsense is an error, and nothing breaks", () => {
    const random = randomNumbers(7);
    for (let round = 0; round < 2000; round++) {
      const text = [...KIWIPETE];
      for (let change = 0; change <= random(4); change++) {
        text[random(text.length)] = String.fromCodePoint(
          [random(128), 0x2654 + random(12), 0x1f600, 0xd800][random(4)],
        );
      }
      try {
        Position.fromFen(text.join("")).legalMoves();
      } catch (error) {
        assert.ok(error instanceof FenError, error);
      }
    }
    assert.throws(() => Position.fromFen("8/".repeat(1_000_000)), FenError);
    for (const value of [undefined, null, 3, {}]) assert.throws(() => Position.fromFen(value), TypeError);
    assert.equal(Position.start().perft(3), 8902);
  });
});

describe("moves", () => {
  it("are read in every form", () => {
    const position = Position.start();
    const move = position.move("Nf3");
    for (const form of ["g1f3", "Ng1-f3", { from: "g1", to: "f3" }, { from: "g1", to: "f3", promotion: "q" }, move]) {
      assert.equal(position.move(form), move);
      assert.ok(position.isLegal(form));
    }
    assert.deepEqual(
      { ...move },
      { from: "g1", to: "f3", promotion: undefined, castling: undefined, kind: "normal", uci: "g1f3" },
    );
  });

  it("are the same object if they are equal", () => {
    assert.equal(Position.start().legalMoves("e2")[1], Position.start().move("e4"));
  });

  it("have reasons if they are illegal", () => {
    const position = Position.fromFen("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1");
    for (const [move, code] of [
      ["e3e4", "no-piece"],
      ["e2e3", "opponents-piece"],
      ["h1g2", "unreachable"],
      ["e1g1", "castling-in-check"],
      ["h1h2", "check-unanswered"],
      ["Kd8", "no-such-move"],
      ["Rh2", "king-in-check"],
      ["O-O", "cannot-castle"],
      ["hello", "syntax"],
      ["--", "null-in-check"],
    ]) {
      assert.throws(
        () => position.play(move),
        (error) =>
          error instanceof MoveError && error.code === code && error.move === move && error.fen === position.fen(),
        move,
      );
      assert.equal(position.isLegal(move), false);
    }
    assert.throws(() => Position.start().play("--"), { code: "null-move" });
    const foreign = Position.start().move("e4");
    assert.throws(() => position.play(foreign), { code: "opponents-piece" });
    assert.throws(() => position.play({ from: "e9", to: "e4" }), TypeError);
    for (const value of [undefined, null, 12, {}, []]) assert.throws(() => position.play(value), TypeError);
  });

  it("promote and castle", () => {
    const position = Position.fromFen("r3k2r/6P1/8/8/8/8/8/R3K2R w KQkq - 0 1");
    assert.equal(position.play({ from: "g7", to: "g8", promotion: "N" }).pieceAt("g8").type, "n");
    assert.throws(() => position.play({ from: "g7", to: "g8" }), { code: "promotion-missing" });
    const castling = position.move("O-O-O");
    assert.deepEqual([castling.uci, castling.to, castling.castling], ["e1c1", "c1", "queen"]);
    assert.equal(position.play(castling).fen(), "r3k2r/6P1/8/8/8/8/8/2KR3R b kq - 1 1");
    assert.deepEqual(position.castlingRooks(), ["a1", "h1", "a8", "h8"]);
  });

  it("of Chess960 castle onto the rook", () => {
    const position = Position.fromFen("4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1", { chess960: true });
    assert.ok(position.isChess960);
    assert.equal(position.move("O-O").uci, "f1g1");
    assert.equal(position.play("O-O").fen(), "4k3/8/8/8/8/8/8/1R3RK1 b - - 1 1");
    assert.throws(() => Position.fromFen("4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1"), { code: "castling-not-standard" });
    assert.equal(Position.chess960(518).fen(), START);
    assert.throws(() => Position.chess960(960), RangeError);
  });

  it("and SAN are inverse, along random games", () => {
    const random = randomNumbers(19);
    for (let game = 0; game < 20; game++) {
      for (const position of randomWalk(Position.start(), 80, random)) {
        const moves = position.legalMoves();
        const sans = position.legalSans();
        assert.equal(new Set(sans).size, moves.length);
        moves.forEach((move, index) => {
          assert.equal(position.san(move), sans[index]);
          assert.equal(position.move(sans[index]), move);
          assert.equal(position.move(move.uci), move);
        });
      }
    }
  });

  it("come only from positions", () => {
    assert.throws(() => new Move(), TypeError);
    assert.throws(() => new Position(), TypeError);
  });
});

describe("a position", () => {
  it("never changes", () => {
    const position = Position.fromFen(KIWIPETE);
    const fen = position.fen();
    for (const move of position.legalMoves()) position.play(move);
    assert.equal(position.fen(), fen);
  });

  it("is not confused with others, however many there are", () => {
    const random = randomNumbers(64);
    const positions = [...randomWalk(Position.start(), 150, random)];
    const facts = (position) =>
      [position.fen(), position.legalMoves().length, position.key, position.isCheck()].join(" ");
    const expected = positions.map(facts);
    for (let step = 0; step < 5000; step++) {
      const index = random(positions.length);
      const position = positions[index];
      if (random(3) === 0)
        assert.equal(facts(Position.fromFen(position.fen())).split(" ")[0], expected[index].split(" ")[0]);
      if (random(3) === 0) assert.throws(() => position.play("Zz9"), MoveError);
      const moves = position.legalMoves();
      if (random(2) === 0 && moves.length > 0) position.play(moves[random(moves.length)]).nullMove();
      assert.equal(facts(position), expected[index]);
    }
  });

  it("has the key of Polyglot", () => {
    assert.equal(Position.start().key, 0x463b96181691fc9cn);
    assert.equal(Position.start().play("e4").key, 0x823c9b50fd114196n);
  });

  it("knows how it ends", () => {
    assert.deepEqual(Position.fromFen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3").outcome, {
      reason: "checkmate",
      winner: "black",
      result: "0-1",
    });
    const stalemate = Position.fromFen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert.deepEqual(
      [stalemate.isStalemate(), stalemate.isCheck(), stalemate.outcome.winner],
      [true, false, undefined],
    );
    assert.equal(Position.fromFen("8/8/4k3/8/8/3K4/8/8 w - - 0 1").outcome.reason, "insufficient-material");
    assert.equal(Position.fromFen("4k3/8/8/8/8/8/8/R3K3 w - - 150 90").outcome.reason, "seventy-five-moves");
    assert.equal(Position.start().outcome, undefined);
  });

  it("has a board", () => {
    const position = Position.start();
    const rows = position.board();
    assert.deepEqual(rows[0][4], { square: "e8", color: "black", type: "k" });
    assert.deepEqual(rows[7][0], { square: "a1", color: "white", type: "r" });
    assert.equal(rows[4][4], null);
    assert.equal(position.pieces().length, 32);
    assert.equal(position.pieceAt("e4"), undefined);
    assert.throws(() => position.pieceAt("i9"), TypeError);
    assert.deepEqual(position.attackers("f3"), ["g1", "e2", "g2"]);
    assert.deepEqual(position.attackers("f3", "black"), []);
  });

  it("has numbers", () => {
    const position = Position.fromFen("4k3/8/8/8/8/8/8/R3K3 b Q - 37 98765");
    assert.deepEqual([position.turn, position.halfmoveClock, position.fullmoveNumber], ["black", 37, 98765]);
  });

  it("is packed without loss", () => {
    for (const position of randomWalk(Position.start(), 200, randomNumbers(3))) {
      const copy = Position.fromPacked(position.packed());
      assert.ok(copy.equals(position));
      assert.equal(copy.fen({ enPassant: "always" }), position.fen({ enPassant: "always" }));
    }
    assert.throws(() => Position.fromPacked(new Uint8Array(32)), FenError);
    assert.throws(() => Position.fromPacked(new Uint8Array(31)), TypeError);
  });

  it("says what is captured", () => {
    const position = Position.fromFen("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
    assert.deepEqual(position.captured("exd6"), { square: "d5", color: "black", type: "p" });
    assert.equal(position.captured("e6"), undefined);
  });

  it("can pass the turn", () => {
    assert.equal(Position.start().nullMove().turn, "black");
    assert.equal(Position.fromFen("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1").nullMove(), undefined);
  });

  it("has an evaluation", () => {
    const up = Position.fromFen("4k3/8/8/8/8/8/PPPP4/RNBQK3 b Q - 0 1").evaluate();
    assert.ok(up.cp < -500 && up.whiteCp === -up.cp && up.wdl.loss > 900);
    const { wdl } = Position.start().evaluate();
    assert.equal(wdl.win + wdl.draw + wdl.loss, 1000);
  });
});
