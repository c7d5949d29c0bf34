import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { memorySize, wasm } from "../lib/instance.js";
import { Engine, Game, InstanceError, isLoaded, load, parsePgn, Position, readPgn } from "../node.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

/** Lets finalizers run. */
async function collect() {
  for (let round = 0; round < 5; round++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("the instance", { concurrency: false }, () => {
  it("must be loaded first", () => {
    assert.equal(isLoaded(), false);
    assert.throws(
      () => Position.start(),
      (error) => error instanceof InstanceError && error.code === "not-loaded",
    );
  });

  it("is not loaded from nonsense", async () => {
    await assert.rejects(load(new Uint8Array([1, 2, 3])), WebAssembly.CompileError);
    await assert.rejects(load("/no/such/file.wasm"), { code: "ENOENT" });
    // A good module, but not ours.
    await assert.rejects(load(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])), {
      name: "InstanceError",
      code: "wrong-module",
    });
    assert.equal(isLoaded(), false);
  });

  it("is loaded once", async () => {
    await Promise.all([load(), load()]);
    const before = wasm;
    await load();
    assert.equal(wasm, before);
    assert.equal(isLoaded(), true);
  });

  it("does not grow with positions, however many, even without a pause", async () => {
    const round = () => {
      for (let count = 0; count < 100_000; count++) {
        const position = Position.fromFen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
        position.play("e1g1");
      }
    };
    round();
    const before = memorySize();
    round();
    assert.equal(memorySize(), before);
  });

  it("does not grow with searches", () => {
    const engine = new Engine({ hash: 1 });
    const search = () => engine.search(new Game(), { nodes: 200, lines: 2 });
    // Until the table knows the position, now and then a search gets deeper than all before it, and needs more memory.
    for (let count = 0; count < 1000; count++) search();
    const before = memorySize();
    for (let count = 0; count < 4000; count++) search();
    assert.equal(memorySize(), before);
    engine.free();
  });

  it("does not grow with engines that are freed or forgotten", async () => {
    new Engine({ hash: 8 }).free();
    const before = memorySize();
    for (let count = 0; count < 50; count++) new Engine({ hash: 8 }).free();
    assert.equal(memorySize(), before);
    for (let count = 0; count < 20; count++) {
      new Engine({ hash: 8 });
      await collect();
    }
    // A few may wait for their finalizer.
    assert.ok(memorySize() <= before + (64 << 20), `${before} to ${memorySize()}`);
  });

  it("does not grow with PGN, read to the end or not", async () => {
    const text = '[Event "x"]\n\n1. e4 {a comment} e5 (1... c5) *\n\n'.repeat(2000);
    const round = async () => {
      parsePgn(text);
      for (let count = 0; count < 200; count++) {
        for (const game of readPgn(text)) {
          assert.ok(game);
          break;
        }
        // Not even begun, and begun but never ended.
        readPgn(text);
        readPgn(text).next();
      }
      await collect();
    };
    await round();
    const before = memorySize();
    await round();
    await round();
    assert.ok(memorySize() <= before + (8 << 20), `${before} to ${memorySize()}`);
  });

  it("gives large inputs back", () => {
    const large = "x".repeat(3_000_000);
    assert.throws(() => Position.fromFen(large), { name: "FenError" });
    const before = memorySize();
    for (let count = 0; count < 10; count++) assert.throws(() => Position.fromFen(large), { name: "FenError" });
    assert.equal(memorySize(), before);
  });

  it("reports a panic, and can be loaded again", async () => {
    const position = Position.start().play("e4");
    const game = new Game();
    game.play("d4");
    const engine = new Engine({ hash: 1 });
    const isDead = (error) =>
      error instanceof InstanceError &&
      error.code === "panicked" &&
      /a panic was asked for.*load\(\)/.test(error.message);
    assert.throws(() => wasm.panic(), isDead);
    assert.throws(() => position.legalMoves(), isDead);
    assert.throws(() => Position.start(), isDead);
    assert.throws(() => parsePgn(""), isDead);
    await load();
    assert.equal(position.legalMoves().length, 20);
    assert.equal(game.play("d5").uci, "d7d5");
    assert.equal(game.repetitions, 1);
    assert.throws(() => engine.search(position, { depth: 1 }), { name: "EngineError", code: "lost" });
    engine.free();
    assert.ok(new Engine({ hash: 1 }).search(position, { depth: 2 }).best);
  });

  it("survives a stack that is full, or says so", async () => {
    const position = Position.start();
    const dive = () => {
      position.play("e4").legalSans();
      dive();
    };
    assert.throws(dive, (error) => error instanceof RangeError || error instanceof InstanceError);
    try {
      assert.equal(position.legalMoves().length, 20);
    } catch (error) {
      assert.ok(error instanceof InstanceError, error);
      await load();
      assert.equal(position.legalMoves().length, 20);
    }
  });
});
