// The modules in node: the same results as the native program, and a session through the exports.
//
//   node wasm.mjs FOLDER FERZ      FOLDER has the modules, FERZ is the native program
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Instance } from "./module.mjs";

const [folder, ferz] = process.argv.slice(2);
const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
/** The longest path of a search has 160 plies here, and a hint may be searched for in the middle of a review. */
const DEEPEST = 2 * 160;
const STACK = 2 << 20;

let failures = 0;
async function test(name, run) {
  const start = performance.now();
  try {
    const figure = await run();
    console.log(`ok ${name} (${((performance.now() - start) / 1e3).toFixed(1)} s)${figure ? `: ${figure}` : ""}`);
  } catch (error) {
    failures++;
    console.log(`FAILED ${name}: ${error.stack}`);
  }
}

/** A module with a session whose page has said hello. */
async function open(path, hearing) {
  const module = await Instance.load(path);
  module.exports.open(1, 2, 16, hearing);
  module.hear({ type: "hello", id: 1 });
  assert.equal(module.heard("welcome")[0].re, 1);
  return module;
}

/** The net of the modules. The native program has a larger one. */
const nets = fileURLToPath(new URL("../../eval/networks/small", import.meta.url));
const net = join(nets, readdirSync(nets).find((name) => name.endsWith(".nnue")));
const native = execFileSync(ferz, ["bench", "9", "--net", net], { encoding: "utf8" }).match(/(\d+) nodes/)?.[1];

for (const name of ["ferz-browser", "ferz-browser-scalar", "ferz-browser-test"]) {
  const path = join(folder, `${name}.wasm`);

  await test(`${name}: bench 9 has as many nodes as the native program with the same net`, async () => {
    const module = await Instance.load(path);
    assert.equal(module.exports.bench(9), Number(native));
    return `${native} nodes`;
  });
}

const testModule = join(folder, "ferz-browser-test.wasm");

await test("perft", async () => {
  const module = await Instance.load(testModule);
  assert.equal(module.perft(START, 5), 4865609);
  assert.equal(module.perft(KIWIPETE, 4), 4085603);
});

await test("the simd128 kernels agree with the scalar ones", async () => {
  const module = await Instance.load(testModule);
  const counts = [1, 2, 3].map((seed) => module.exports.compare_kernels(seed));
  counts.forEach((count) => assert.ok(count > 1000));
  return `${counts.reduce((a, b) => a + b)} comparisons`;
});

const path = join(folder, "ferz-browser.wasm");

/** The bytes of the module's stack that were ever used: it grows down from the end of its first 2 MiB. */
function usedStack(module) {
  const words = new Uint32Array(module.exports.memory.buffer, 0, STACK / 4);
  return STACK - 4 * words.findIndex((word) => word !== 0);
}

await test("a deep search fits on the stack, twice", async () => {
  const module = await Instance.load(path);
  const plies = module.exports.deep_stack(DEEPEST);
  assert.ok(plies >= DEEPEST, `${plies} plies`);
  // The session needs some, too.
  assert.ok(usedStack(module) < STACK / 2, `${usedStack(module)} bytes`);
  return `${Math.ceil(usedStack(module) / 1024)} of ${STACK / 1024} KiB for ${plies} plies`;
});

await test("a deep search fits on the stack of JSPI", async () => {
  const script = `
    import { Instance } from ${JSON.stringify(new URL("module.mjs", import.meta.url).href)};
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const poll = (it) => new WebAssembly.Suspending(it);
    if (!WebAssembly.Suspending) { console.log("skipped: this node has no JSPI"); process.exit(0); }
    const module = await Instance.load(${JSON.stringify(path)}, { poll });
    let turns = 0;
    module.onPoll = () => (module.polls % 100 ? undefined : (turns++, turn()));
    const plies = await WebAssembly.promising(module.exports.deep_stack)(${DEEPEST});
    if (plies < ${DEEPEST} || turns === 0) process.exit(1);
    console.log(plies + " plies, " + turns + " turns of the event loop");`;
  const flags = process.allowedNodeEnvironmentFlags.has("--experimental-wasm-jspi") ? ["--experimental-wasm-jspi"] : [];
  return execFileSync(process.execPath, [...flags, "--input-type=module", "-e", script], { encoding: "utf8" }).trim();
});

await test("an analysis is silent soon after it was stopped", async () => {
  const delays = [];
  const module = await open(path, 1);
  for (let round = 0; round < 10; round++) {
    module.said.length = 0;
    module.hear({ type: "analyse", on: true, lines: 2 });
    const start = performance.now();
    let stopped = 0;
    module.onPoll = () => {
      if (!stopped && performance.now() - start > 250) {
        stopped = performance.now();
        module.hear({ type: "analyse", on: false, lines: 2 });
      }
    };
    module.work();
    delays.push(performance.now() - stopped);
    const news = module.heard("analysis");
    assert.ok(news.length >= 2 && news.at(-1).status === "off");
    assert.ok(news.at(-1).lines.length > 0);
  }
  delays.sort((a, b) => a - b);
  assert.ok(delays[5] < 50, `${delays}`);
  return `${delays[5].toFixed(1)} ms, at most ${delays.at(-1).toFixed(1)} ms`;
});

await test("a game, a hint, an explanation and a review", async () => {
  const module = await open(path, 1);
  for (const san of ["e4", "e5", "Nf3", "f6", "Nxe5", "fxe5"]) module.hear({ type: "move", san });
  module.hear({ type: "hint", id: 20 });
  module.work();
  assert.equal(module.heard("hint")[0].san, "Qh5+");
  module.hear({ type: "explain", id: 21 });
  module.work();
  assert.equal(module.heard("explanation")[0].re, 21);
  let asked = false;
  module.onPoll = () => {
    if (!asked) module.hear({ type: "hint", id: 23 });
    asked = true;
  };
  module.hear({ type: "review", depth: "quick", id: 22 });
  module.work();
  const types = module.said.map(([, it]) => (it.type === "review" ? `review ${it.status}` : `${it.type} ${it.re ?? ""}`));
  assert.ok(types.includes("hint 23") && types.indexOf("hint 23") < types.indexOf("review done"), types.join(", "));
  module.hear({ type: "new" });
  module.hear({ type: "play", color: "black", level: "club" });
  module.work();
  assert.equal(module.heard("state").at(-1).path.split(" ").length, 1);
  assert.deepEqual(module.heard("error"), []);
});

await test("an analysis in slices", async () => {
  const module = await open(path, 0);
  module.hear({ type: "analyse", on: true, lines: 1 });
  let longest = 0;
  for (let slice = 0; slice < 8; slice++) {
    const start = performance.now();
    assert.equal(module.exports.work(), 1);
    longest = Math.max(longest, performance.now() - start);
  }
  assert.equal(module.polls, 0);
  module.hear({ type: "analyse", on: false, lines: 1 });
  assert.equal(module.exports.work(), 0);
  const depths = module.heard("analysis").map((it) => it.depth);
  assert.deepEqual(depths, depths.toSorted((a, b) => a - b));
  return `the longest took ${longest.toFixed(0)} ms, depth ${depths.at(-1)}`;
});

await test("memory does not grow over 1,000 searches", async () => {
  const module = await open(path, 1);
  const moves = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7"];
  // Short analyses of all kinds of positions, stopped at their first poll, and a review now and then.
  module.onPoll = () => module.hear({ type: "analyse", on: false, lines: 1 });
  let early = 0;
  for (let search = 0; search < 1000; search++) {
    if (search % 20 === 0) module.hear({ type: "new" });
    if (search % 20 < moves.length) module.hear({ type: "move", san: moves[search % 20] });
    module.hear({ type: "analyse", on: true, lines: 1 });
    if (search % 100 === 99) module.hear({ type: "review", depth: "quick" });
    module.work();
    module.said.length = 0;
    if (search === 200) early = module.mebibytes;
  }
  assert.equal(module.mebibytes, early);
  return `${early} MiB`;
});

await test("a panic leaves a text", async () => {
  const module = await Instance.load(testModule);
  assert.throws(() => module.perft("nonsense", 1), WebAssembly.RuntimeError);
  assert.match(module.panic, /panicked at .*\n.*FEN/);
});

process.exitCode = failures ? 1 : 0;
