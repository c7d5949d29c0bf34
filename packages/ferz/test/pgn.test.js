import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { before, describe, it } from "node:test";
import { load, parsePgn, PgnError, Position, readPgn, readPgnStream, writePgn } from "../node.js";
import { randomNumbers } from "./support/random.js";

before(() => load());

const ANNOTATED = `[Event "Test"]
[White "Ada"]
[Black "Bób"]
[Result "1-0"]

{Before} 1. e4 {best} $1 e5 ({Sicilian} 1... c5!? 2. Nf3 (2. Nc3 Nc6)) (1... e6) 2. Nf3
-- {passes} 3. Bb5 1-0
`;

/** Moves with their variations, as short text. */
function brief(moves) {
  return moves
    .map(({ san, variations }) => san + (variations ?? []).map((variation) => ` (${brief(variation)})`).join(""))
    .join(" ");
}

describe("reading", () => {
  it("gives headers, moves, variations, comments and NAGs", () => {
    const [game] = parsePgn(ANNOTATED);
    assert.deepEqual(
      [...game.headers],
      [
        ["Event", "Test"],
        ["White", "Ada"],
        ["Black", "Bób"],
        ["Result", "1-0"],
      ],
    );
    assert.equal(brief(game.moves), "e4 e5 (c5 Nf3 (Nc3 Nc6)) (e6) Nf3 -- Bb5");
    const [e4, e5, , pass] = game.moves;
    assert.deepEqual([game.comments, e4.comments, e4.nags], [["Before"], ["best"], [1]]);
    assert.deepEqual([e5.variations[0][0].commentsBefore, e5.variations[0][0].nags], [["Sicilian"], [5]]);
    assert.deepEqual([pass.uci, pass.move, pass.comments], ["0000", undefined, ["passes"]]);
    assert.equal(e4.move, Position.start().move("e4"));
    assert.deepEqual([game.result, game.start, game.diagnostics], ["1-0", Position.start().fen(), []]);
  });

  it("gives SAN as it should be", () => {
    const [game] = parsePgn("1.e2e4 e5 2.Ng1f3 b8c6 3.Bc4 Nf6 4.0-0 Nxe4 *");
    assert.equal(brief(game.moves), "e4 e5 Nf3 Nc6 Bc4 Nf6 O-O Nxe4");
    assert.equal(game.moves[6].uci, "e1g1");
  });

  it("says what is wrong, and where", () => {
    const games = parsePgn('1. e4 e5\n2. Ke3 Nf6 *\n\n[Event "B"]\n\n1. d4 {open');
    assert.equal(games.length, 2);
    assert.deepEqual(games[0].diagnostics, [
      {
        code: "illegal-move",
        message: "illegal move; rest of the line skipped",
        line: 2,
        column: 4,
        byte: 12,
        game: 1,
        ply: 2,
        token: "Ke3",
      },
    ]);
    assert.deepEqual(games[0].moves[1].unread, ["Ke3 Nf6"]);
    assert.deepEqual(
      games[1].diagnostics.map(({ code, line, game }) => [code, line, game]),
      [["unclosed-comment", 6, 2]],
    );
    assert.deepEqual(games[1].moves[0].comments, ["open"]);
  });

  it("keeps the text of other variants", () => {
    const [game] = parsePgn('[Variant "Crazyhouse"]\n\n1. e4 N@f3 *');
    assert.deepEqual([game.start, game.moves, game.unread], [undefined, [], ["1. e4 N@f3"]]);
    assert.equal(game.diagnostics[0].code, "other-variant");
  });

  it("refuses UTF-16", () => {
    assert.throws(
      () => parsePgn(new Uint8Array([0xff, 0xfe, 49, 0])),
      (error) => error instanceof PgnError && error.code === "utf-16" && error.diagnostics.length === 1,
    );
  });

  it("finds nothing in nothing", () => {
    assert.deepEqual(parsePgn(""), []);
    assert.deepEqual(parsePgn([]), []);
  });

  it("takes text, bytes and parts alike", () => {
    const text = `${ANNOTATED}\n[Event "é😀"]\n\n1. d4 {♞ 😀} *\n`;
    const bytes = new TextEncoder().encode(text);
    const expected = parsePgn(text);
    assert.equal(expected.length, 2);
    assert.equal(expected[1].headers.get("Event"), "é😀");
    assert.deepEqual(expected[1].moves[0].comments, ["♞ 😀"]);
    assert.deepEqual(parsePgn(bytes), expected);
    assert.deepEqual(parsePgn(bytes.buffer), expected);
    for (const size of [1, 3, 50]) {
      const parts = [];
      for (let at = 0; at < bytes.length; at += size) parts.push(bytes.subarray(at, at + size));
      assert.deepEqual(parsePgn(parts), expected);
    }
    for (const wrong of [undefined, 3, [3], {}]) assert.throws(() => parsePgn(wrong), TypeError);
  });

  it("passes errors of its source on", () => {
    function* source() {
      yield "1. e4 *\n\n";
      throw new Error("the disk is on fire");
    }
    assert.throws(() => [...readPgn(source())], /the disk is on fire/);
  });

  it("may read while it reads", () => {
    function* source() {
      for (let number = 0; number < 5; number++) {
        assert.equal(parsePgn("1. e4 e5 *").length, 1);
        yield `[Event "${number}"]\n\n1. d4 *\n\n`;
      }
    }
    assert.equal(parsePgn(source()).length, 5);
  });

  it("may end early", () => {
    const endless = function* () {
      for (;;) yield '[Event "x"]\n\n1. e4 *\n\n';
    };
    let count = 0;
    for (const game of readPgn(endless())) {
      assert.equal(game.moves.length, 1);
      if (++count === 100_000) break;
    }
    assert.equal(count, 100_000);
  });

  it("reads streams as it reads texts", async () => {
    const text = Array.from({ length: 9000 }, (_, number) => {
      const bad = number % 1000 === 7 ? "Ke4" : "Nf3";
      return `[Event "Game ${number}"]\n[Site "é"]\n\n1. e4 e5 2. ${bad} *\n`;
    }).join("\n");
    const expected = parsePgn(text);
    const bytes = Buffer.from(text);
    const pieces = [];
    for (let at = 0; at < bytes.length; at += 10_001) pieces.push(bytes.subarray(at, at + 10_001));
    const games = [];
    for await (const game of readPgnStream(Readable.from(pieces))) games.push(game);
    assert.deepEqual(games, expected);
    const web = new Blob([bytes]).stream();
    let count = 0;
    for await (const game of readPgnStream(web)) count += game.moves.length;
    assert.equal(
      count,
      expected.reduce((sum, game) => sum + game.moves.length, 0),
    );
  });

  it("bears any bytes", () => {
    const random = randomNumbers(12);
    const pieces = [
      "1. e4",
      " e5",
      "(",
      ")",
      "{",
      "}",
      '\n\n[Event "',
      '"]\n',
      '[FEN "8/8"]',
      "$",
      "$300",
      "*",
      "\0",
      "\xff",
      "Nf3",
      ";",
      "%",
    ];
    for (let round = 0; round < 500; round++) {
      const text = Array.from({ length: random(60) }, () => pieces[random(pieces.length)]).join(" ");
      const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
      for (const game of parsePgn(bytes)) assert.equal(typeof writePgn(game), "string");
    }
    assert.equal(Position.start().perft(3), 8902);
  });

  it("cuts a game that is too large, and goes on", () => {
    const comment = "x".repeat(17 << 20);
    const [large, next] = parsePgn(`1. e4 {${comment}} e5 2. Nf3 *\n\n[Event "B"]\n\n1. d4 {${"y".repeat(1000)}} *`);
    assert.equal(large.diagnostics.at(-1).code, "too-large");
    assert.equal(next.headers.get("Event"), "B");
    assert.equal(next.moves[0].comments[0].length, 1000);
  });

  it("bears variations in variations in variations", () => {
    const depth = 20_000;
    const text = `1. e4 ${"(1. d4 ".repeat(depth)}${")".repeat(depth)} e5 *`;
    const [game] = parsePgn(text);
    let variation = game.moves;
    let found = 0;
    while (variation[0].variations !== undefined) {
      [variation] = variation[0].variations;
      found += 1;
    }
    assert.equal(found, depth);
    assert.equal(parsePgn(writePgn(game))[0].moves.length, 2);
  });
});

describe("writing", () => {
  it("is the inverse of reading", () => {
    const games = parsePgn(ANNOTATED);
    const text = writePgn(games);
    const again = parsePgn(text);
    assert.equal(writePgn(again), text);
    assert.equal(brief(again[0].moves).length, brief(games[0].moves).length);
    assert.deepEqual(again[0].comments, games[0].comments);
  });

  it("takes what people write", () => {
    const text = writePgn(
      {
        headers: { White: "Ada" },
        moves: ["e4", { uci: "e7e5", nags: [1, 14], comments: ["a } b\nc"], variations: [["c5", { san: "Nf3" }]] }],
        result: "1/2-1/2",
      },
      { roster: false, symbols: true },
    );
    assert.equal(text, '[White "Ada"]\n[Result "1/2-1/2"]\n\n1. e4 e5! += {a ) b c} (1... c5 2. Nf3) 1/2-1/2\n');
  });

  it("leaves out what is not wanted", () => {
    const options = { roster: false, comments: false, variations: false, nags: false };
    assert.match(writePgn(parsePgn(ANNOTATED), options), /\n\n1\. e4 e5 2\. Nf3 -- 3\. Bb5 1-0\n$/);
  });

  it("refuses moves that are not legal, and text that is not a move", () => {
    assert.throws(() => writePgn({ moves: ["e4", "e4"] }), { name: "PgnError", code: "illegal-move" });
    for (const move of ["1-0", "e4 e5", "e4}", "{", "(", "12", "", 'e4\n\n[Event "x"]', "*", undefined, null]) {
      const moves = [move === undefined || move === null ? { san: move } : move];
      assert.throws(() => writePgn({ moves }), { name: "PgnError", code: "not-a-move" }, String(move));
    }
    assert.throws(() => writePgn({ headers: { "A b": "c" } }), { code: "bad-tag" });
    assert.throws(() => writePgn({ moves: [{ san: "e4", nags: [256] }] }), { code: "bad-nag" });
    assert.throws(() => writePgn({ result: "2-0" }), { code: "result" });
  });

  it("cannot be made to write more than a game", () => {
    const evil = 'x"]\n\n1. d4 *\n\n[Event "y';
    const text = writePgn({ headers: { Event: evil }, comments: [`} 1. d4 * {${evil}`], moves: ["e4"] });
    const games = parsePgn(text);
    assert.equal(games.length, 1);
    assert.equal(brief(games[0].moves), "e4");
    assert.deepEqual(games[0].diagnostics, []);
  });
});
