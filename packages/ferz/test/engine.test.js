import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { analyse, Engine, EngineError, EngineWorker, Game, load, parsePgn, Position } from "../node.js";

before(() => load());

const ENTRY = JSON.stringify(new URL("../node.js", import.meta.url).href);
const MATE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";

describe("a search", () => {
  it("finds a mate", () => {
    const engine = new Engine({ hash: 1 });
    const position = Position.fromFen(MATE);
    const { best, lines, ponder } = engine.search(position, { depth: 8 });
    assert.equal(best.uci, "a1a8");
    assert.deepEqual(lines[0].score, { mate: 1 });
    assert.equal(ponder, undefined);
    assert.deepEqual(position.sanLine(lines[0].moves), ["Ra8#"]);
    engine.free();
  });

  it("scores from the side to move and from White", () => {
    const engine = new Engine({ hash: 1 });
    const { lines } = engine.search(Position.fromFen("4k3/8/8/8/8/8/PPPP4/RNBQK3 b Q - 0 1"), { depth: 4 });
    assert.ok(lines[0].score.cp < -500 || lines[0].score.mate < 0);
    assert.equal(lines[0].whiteScore.cp, -lines[0].score.cp);
  });

  it("keeps to its limits and repeats itself", () => {
    const search = (limits) => {
      const engine = new Engine({ hash: 1 });
      const result = engine.search(Position.start(), limits);
      engine.free();
      return result;
    };
    assert.equal(search({ nodes: 5000 }).nodes, 5000);
    assert.equal(search({ depth: 5 }).lines[0].depth, 5);
    const { time } = search({ movetime: 50 });
    assert.ok(time >= 40 && time < 1000, String(time));
    const text = ({ lines, nodes }) => [nodes, ...lines[0].moves].join(" ");
    assert.equal(text(search({ depth: 8 })), text(search({ depth: 8 })));
  });

  it("has lines of at most 160 plies", () => {
    const engine = new Engine({ hash: 1 });
    // Two kings: nothing happens, so the search comes to its last iteration.
    const { lines } = engine.search(Position.fromFen("k7/8/8/8/8/8/8/7K w - - 0 1"), { depth: 245, nodes: 100_000 });
    assert.equal(lines[0].depth, 159);
    engine.free();
  });

  it("reports lines, several if wanted, of the moves that are wanted", () => {
    const engine = new Engine({ hash: 1 });
    const seen = [];
    const { lines } = engine.search(Position.start(), { depth: 6, lines: 3, moves: ["a3", "e2e4", "d4"] }, (line) => {
      seen.push([line.depth, line.rank]);
    });
    assert.deepEqual(
      lines.map((line) => line.rank),
      [1, 2, 3],
    );
    assert.deepEqual(lines.map((line) => line.moves[0].uci).sort(), ["a2a3", "d2d4", "e2e4"]);
    assert.ok(seen.some(([depth, rank]) => depth === 1 && rank === 3));
    for (const line of lines) assert.equal(line.wdl.win + line.wdl.draw + line.wdl.loss, 1000);
  });

  it("knows the game before the position", () => {
    // White is lost but for the third repetition.
    const game = new Game("6k1/5ppp/8/8/8/7q/8/5K1Q w - - 0 1");
    const engine = new Engine({ hash: 1 });
    assert.equal(engine.search(new Game("7k/8/6Q1/8/8/8/8/K7 b - - 0 1"), { depth: 3 }).best, undefined);
    assert.ok(engine.search(game, { depth: 3 }).best);
  });

  it("has nothing to say when the game is over", () => {
    const result = new Engine({ hash: 1 }).search(Position.fromFen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), { depth: 3 });
    assert.deepEqual([result.best, result.lines], [undefined, []]);
  });

  it("may be used for other things while it runs", () => {
    const engine = new Engine({ hash: 1 });
    const second = new Engine({ hash: 1 });
    let checked = 0;
    const result = engine.search(Position.start(), { depth: 7 }, (line) => {
      Position.start().sanLine(line.moves);
      assert.equal(parsePgn("1. e4 e5 *")[0].moves.length, 2);
      assert.ok(second.search(Position.fromFen(MATE), { depth: 3 }).best);
      assert.throws(() => engine.search(Position.start(), { depth: 1 }), { name: "EngineError", code: "busy" });
      assert.throws(() => engine.free(), { code: "busy" });
      const third = new Engine({ hash: 1 });
      third.free();
      checked += 1;
    });
    assert.ok(checked >= 7);
    assert.equal(result.lines[0].depth, 7);
    const undisturbed = new Engine({ hash: 1 }).search(Position.start(), { depth: 7 });
    assert.equal(result.nodes, undisturbed.nodes);
  });

  it("ends with an exception of its callback", () => {
    const engine = new Engine({ hash: 1 });
    const thrower = () => {
      throw new RangeError("mine");
    };
    assert.throws(() => engine.search(Position.start(), { infinite: true }, thrower), /mine/);
    assert.throws(() => engine.search(Position.start(), { infinite: true, stop: thrower }), /mine/);
    assert.ok(engine.search(Position.start(), { depth: 2 }).best);
  });

  it("stops when it is told", () => {
    let asked = 0;
    const engine = new Engine({ hash: 1 });
    const { best } = engine.search(Position.start(), { infinite: true, stop: () => ++asked > 20 });
    assert.ok(best && asked < 40);
  });

  it("plays weaker if wanted", () => {
    const engine = new Engine({ hash: 1 });
    const limits = { movetime: 1000, elo: 1000, seed: 1 };
    const { best, nodes } = engine.search(Position.start(), limits);
    assert.ok(best && nodes < 100_000);
  });

  it("needs little stack", async () => {
    // Everything is blocked, White does not want to repeat positions, and the moves of the h-pawn restart the count of
    // the 50-move rule: lines are as long as the search is deep. The longest path that a search can have is 246 plies,
    // and threads have a stack of about 1,000 KB: 45 plies in 180 KB leave a margin.
    const script = `
      const { Engine, load, Position } = await import(${ENTRY});
      await load();
      const position = Position.fromFen("4k3/8/6p1/1p1p1pPp/pPpPpP2/P1P1P3/7P/2B1K2B w - - 0 1");
      let deepest = 0;
      const see = (line) => (deepest = Math.max(deepest, line.selectiveDepth));
      new Engine().search(position, { nodes: 5_000_000, stop: () => deepest >= 45 }, see);
      console.log(deepest >= 45);`;
    const flags = ["--stack-size=180", "--input-type=module", "--eval", script];
    const { stdout } = await promisify(execFile)(process.execPath, flags, { timeout: 60_000 });
    assert.equal(stdout.trim(), "true");
  });

  it("refuses limits that make no sense", () => {
    const engine = new Engine({ hash: 1 });
    const position = Position.start();
    for (const limits of [
      undefined,
      null,
      {},
      { depth: 0, nodes: -1 },
      { depth: 1.5 },
      { depth: "3" },
      { movetime: NaN },
      { depth: 1, lines: 0 },
    ]) {
      assert.throws(
        () => engine.search(position, limits),
        (error) => error instanceof TypeError || error instanceof RangeError,
      );
    }
    assert.throws(() => engine.search(position, { depth: 1, moves: ["e5"] }), { name: "MoveError" });
    assert.throws(() => engine.search("e4", { depth: 1 }), TypeError);
    for (const hash of [0, -1, 1.5, 5000, "16"]) assert.throws(() => new Engine({ hash }), RangeError);
  });

  it("needs an engine that was not freed", () => {
    const engine = new Engine({ hash: 1 });
    engine.free();
    engine.free();
    assert.throws(
      () => engine.search(Position.start(), { depth: 1 }),
      (error) => error instanceof EngineError && error.code === "freed",
    );
  });
});

describe("an analysis", () => {
  it("has a result and lines", async () => {
    const depths = [];
    const { best, lines } = await analyse(Position.fromFen(MATE), { depth: 5, hash: 1 }, (line) =>
      depths.push(line.depth),
    );
    assert.equal(best, lines[0].moves[0]);
    assert.deepEqual(lines[0].score, { mate: 1 });
    assert.ok(depths.includes(1) && depths.every((depth) => depth <= 5));
  });

  it("leaves the thread free and stops at once", async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 5);
    const analysis = analyse(Position.start(), { infinite: true, hash: 1 });
    await new Promise((resolve) => setTimeout(resolve, 400));
    const stopped = performance.now();
    analysis.stop();
    const { best, nodes } = await analysis;
    assert.ok(performance.now() - stopped < 200);
    clearInterval(timer);
    assert.ok(best && nodes > 0 && ticks > 10);
  });

  it("can be aborted", async () => {
    const controller = new AbortController();
    const analysis = analyse(Position.start(), { infinite: true, hash: 1, signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 100);
    await assert.rejects(analysis, /enough/);
    await assert.rejects(analyse(Position.start(), { depth: 3, signal: AbortSignal.abort() }), {
      name: "AbortError",
    });
  });

  it("is rejected by an exception of its callback", async () => {
    const analysis = analyse(Position.start(), { infinite: true, hash: 1 }, () => {
      throw new Error("mine");
    });
    await assert.rejects(analysis, /mine/);
    // The result of the search that failed is not taken for that of the next.
    const worker = new EngineWorker({ hash: 1 });
    const failing = worker.analyse(Position.start(), { infinite: true }, () => {
      throw new Error("mine");
    });
    const next = worker.analyse(Position.fromFen(MATE), { depth: 2 });
    await assert.rejects(failing, /mine/);
    assert.equal((await next).best.uci, "a1a8");
    worker.close();
  });

  it("refuses nonsense at once", () => {
    assert.throws(() => analyse(Position.start(), {}), TypeError);
    assert.throws(() => analyse("e4", { depth: 3 }), TypeError);
  });

  it("follows another in the same worker", async () => {
    const worker = new EngineWorker({ hash: 4 });
    const game = new Game();
    const first = worker.analyse(game, { infinite: true });
    game.play("e4");
    const second = worker.analyse(game, { depth: 6 });
    first.stop();
    assert.ok((await first).best);
    const { best, lines } = await second;
    assert.ok(game.position.isLegal(best) && lines[0].depth === 6);
    const cold = worker.analyse(game, { depth: 6 });
    const warm = await cold;
    worker.clear();
    const again = await worker.analyse(game, { depth: 6 });
    assert.notEqual(warm.nodes, again.nodes);
    const last = worker.analyse(game, { infinite: true });
    setTimeout(() => worker.close(), 50);
    await assert.rejects(last, { code: "closed" });
    await assert.rejects(worker.analyse(game, { depth: 1 }), { code: "closed" });
  });

  it("lets the program end, and works without shared memory", async () => {
    const script = `
      const { analyse, EngineWorker, load, Position } = await import(${ENTRY});
      await load();
      // As in a page that is not isolated.
      delete globalThis.SharedArrayBuffer;
      const worker = new EngineWorker({ hash: 1 });
      const analysis = worker.analyse(Position.start(), { infinite: true, lines: 2 });
      analysis.stop();
      const { best, lines } = await analysis;
      const later = await worker.analyse(Position.start(), { depth: 3 });
      console.log(Position.start().isLegal(best), lines.length > 0, later.lines[0].depth);`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
      timeout: 20_000,
    });
    assert.equal(stdout.trim(), "true true 3");
  });
});
