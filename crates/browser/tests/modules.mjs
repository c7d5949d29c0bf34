// Modules of the page that need no browser: the ring, and what is saved.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

/** Imports a module that imports nothing. Node takes a plain `.js` for CommonJS, so its name must not be seen. */
const source = (path) =>
  `data:text/javascript,${encodeURIComponent(readFileSync(new URL(path, import.meta.url), "utf8"))}`;
const RING = source("../web/ring.js");
const MEMORY = source("../../engine/web/memory.js");

test("a ring keeps messages of all lengths in order, around its end", async () => {
  const { newRing, Ring } = await import(RING);
  const buffer = newRing();
  const [writer, reader] = [new Ring(buffer), new Ring(buffer)];
  const sent = [];
  let taken = 0;
  for (let n = 0; n < 3000; n++) {
    const text = `${n} ä♛ ${"x".repeat((n * 7919) % 5000)}`;
    assert.ok(writer.put(text));
    sent.push(text);
    while (sent.length - taken > n % 20) assert.equal(reader.take(), sent[taken++]);
  }
  while (taken < sent.length) assert.equal(reader.take(), sent[taken++]);
  assert.equal(reader.take(), null);
});

test("a full ring refuses a message and has room again later", async () => {
  const { newRing, Ring } = await import(RING);
  const ring = new Ring(newRing());
  const long = "x".repeat(65536);
  let count = 0;
  while (ring.put(long)) count++;
  assert.ok(count >= 4, "room for several of the longest intents");
  assert.equal(ring.take(), long);
  assert.ok(ring.put(long));
  for (; count > 0; count--) assert.equal(ring.take(), long);
  assert.equal(ring.take(), null);
});

test("a ring connects two threads", async () => {
  const { newRing, Ring } = await import(RING);
  const buffer = newRing();
  const count = 20000;
  const writer = `
    const { workerData } = require("node:worker_threads");
    import(${JSON.stringify(RING)}).then(({ Ring }) => {
      const ring = new Ring(workerData);
      for (let n = 0; n < ${count}; n++) while (!ring.put(n + "-" + "y".repeat(n % 300)));
    });`;
  const worker = new Worker(writer, { eval: true, workerData: buffer });
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  const ring = new Ring(buffer);
  for (let n = 0; n < count; ) {
    const text = ring.take();
    if (text === null) await new Promise((resolve) => setImmediate(resolve));
    else assert.equal(text, `${n}-${"y".repeat(n++ % 300)}`);
  }
  await ended;
});

/** A storage of a browser. */
class FakeStorage extends Map {
  getItem(name) {
    return this.get(name) ?? null;
  }

  setItem(name, value) {
    this.set(name, value);
  }
}

/** The module with empty storages. */
async function memory() {
  globalThis.localStorage = new FakeStorage();
  globalThis.sessionStorage = new FakeStorage();
  return import(MEMORY);
}

test("a saved game is read again, with its version", async () => {
  const { isKeptByNewerPage, savedGame, saveGame, savePlace } = await memory();
  assert.equal(savedGame(), null);
  assert.ok(saveGame("1. e4 *"));
  savePlace({ path: "0", play: null, board: "b" }, 7);
  assert.deepEqual(savedGame(), { pgn: "1. e4 *", path: "0", play: null, board: "b", library: 7 });
  assert.equal(JSON.parse(localStorage.getItem("ferz-game")).version, 1);
  assert.ok(!isKeptByNewerPage());
});

test("data from before there were versions is read", async () => {
  const { savedGame, savedSettings } = await memory();
  localStorage.setItem("ferz-game", JSON.stringify("1. d4 *"));
  localStorage.setItem("ferz-place", JSON.stringify({ path: "0", play: null }));
  localStorage.setItem("ferz-settings", JSON.stringify({ lines: 5 }));
  assert.deepEqual(savedGame(), { pgn: "1. d4 *", path: "0", play: null });
  assert.deepEqual(savedSettings({ lines: 3, tab: "play" }), { lines: 5, tab: "play" });
});

test("data of a newer version is neither read nor overwritten", async () => {
  const { isKeptByNewerPage, savedGame, saveGame, saveSettings } = await memory();
  const newer = JSON.stringify({ version: 2, data: { moves: [] } });
  localStorage.setItem("ferz-game", newer);
  assert.equal(savedGame(), null);
  assert.ok(isKeptByNewerPage());
  assert.ok(saveGame("1. c4 *"), "the tab keeps its own game");
  assert.equal(localStorage.getItem("ferz-game"), newer);
  assert.equal(savedGame().pgn, "1. c4 *");
  sessionStorage.setItem("ferz-game", newer);
  assert.ok(!saveGame("1. c4 *"), "nothing could be saved");
  assert.ok(saveSettings({ lines: 1 }), "other data is not concerned");
});
