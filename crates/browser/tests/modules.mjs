// Modules of the page that need no browser: the ring, and what is saved. And how the static page joins modules.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
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

/** Writes modules, and joins one of them with what it imports. */
function joinModules(files, entry, later) {
  const folder = mkdtempSync(join(tmpdir(), "ferz-modules-"));
  const script = fileURLToPath(new URL("../join-modules.awk", import.meta.url));
  const run = (file, ...options) =>
    spawnSync("awk", ["-v", "folder=.", ...options, "-f", script, file], { cwd: folder, encoding: "utf8" });
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const first = run(entry);
    if (first.status !== 0 || !later) return { ...first, texts: [first.stdout] };
    writeFileSync(join(folder, "joined.js"), first.stdout);
    const second = run(later, "-v", "with=joined.js");
    return { ...second, texts: [first.stdout, second.stdout] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("joined modules do what they did", async () => {
  const files = {
    "a-b.js": `export const one = 1;
const own = 10;
export async function two() {
  return own * 2;
}
`,
    "c.js": `import {
  one,
  two,
} from "./a-b.js";
const own = 5;
export class C {
  sum = two().then((it) => it + one + own);
}
`,
    "main.js": `import { one } from "./a-b.js";
import { C } from "./c.js";
globalThis.joined = { one, sum: new C().sum };
`,
    "later.js": `import { one } from "./a-b.js";
import { three } from "./three.js";
export const four = one + three;
`,
    "three.js": "export const three = 3;\n",
  };
  const { status, stderr, texts } = joinModules(files, "main.js", "later.js");
  assert.equal(status, 0, stderr);
  const first = `data:text/javascript,${encodeURIComponent(texts[0])}`;
  await import(first);
  assert.deepEqual([globalThis.joined.one, await globalThis.joined.sum], [1, 26]);
  const second = texts[1].replace('"./joined.js"', JSON.stringify(first));
  assert.equal((await import(`data:text/javascript,${encodeURIComponent(second)}`)).four, 4);
});

test("modules that cannot be joined are an error", () => {
  const wrong = {
    "a renamed import": { "main.js": 'import { a as b } from "./a.js";\n', "a.js": "export const a = 1;\n" },
    "a variable that changes": { "main.js": "export let a = 1;\n" },
    "an export by default": { "main.js": "export default 1;\n" },
    "a list of exports": { "main.js": "const a = 1;\nexport { a };\n" },
    "a missing module": { "main.js": 'import { a } from "./a.js";\n' },
    "a cycle": { "main.js": 'import { a } from "./a.js";\n', "a.js": 'import { b } from "./main.js";\n' },
  };
  for (const [name, files] of Object.entries(wrong)) {
    const { status, stderr } = joinModules(files, "main.js");
    assert.equal(status, 1, name);
    assert.match(stderr, /^join-modules: (main|a)\.js: /, name);
  }
});
