// Every example of the README runs, and prints what its comments say.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map((match) => match[1]);

describe("the README", () => {
  const folder = mkdtempSync(join(tmpdir(), "ferz-readme-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules", "ferz"), "dir");
  after(() => rmSync(folder, { recursive: true }));

  it("has examples", () => assert.ok(blocks.length >= 7));

  blocks.forEach((block, index) => {
    it(`example ${index + 1}: ${block.split("\n")[0]}`, async () => {
      const file = join(folder, `example${index}.mjs`);
      writeFileSync(file, block);
      const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder, timeout: 60_000 });
      for (const [, expected] of block.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)) {
        assert.ok(stdout.split("\n").includes(expected), `${expected} is not in the output:\n${stdout}`);
      }
    });
  });

  it("names exports, methods and properties that exist", async () => {
    const table = readme.slice(readme.indexOf("| chess.js | chessops | ferz |"), readme.indexOf("\nColours are"));
    const ferz = await import("../node.js");
    await ferz.load();
    const objects = {
      game: new ferz.Game(),
      position: ferz.Position.start(),
      Position: ferz.Position,
      Game: ferz.Game,
    };
    const cells = table
      .split("\n")
      .slice(2)
      .map((row) => row.split("|")[3] ?? "");
    let checked = 0;
    for (const [, object, member] of cells.join(" ").matchAll(/\b(game|position|Position|Game)\.(\w+)/g)) {
      assert.ok(member in objects[object], `${object}.${member}`);
      checked += 1;
    }
    assert.ok(checked > 12);
  });
});
