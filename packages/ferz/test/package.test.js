// The packed package, as users get it: FERZ_PACKAGE is its path (make test-npm sets it).
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";

const file = process.env.FERZ_PACKAGE;

describe("the package", { skip: file === undefined ? "FERZ_PACKAGE is not set" : false }, () => {
  const folder = mkdtempSync(join(tmpdir(), "ferz-package-"));
  after(() => rmSync(folder, { recursive: true }));
  const installed = join(folder, "node_modules", "ferz");

  it("is installed without a network", (context) => {
    const archive = resolve(file);
    writeFileSync(join(folder, "package.json"), "{}");
    if (spawnSync("npm", ["--version"]).status === 0) {
      execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", archive], {
        cwd: folder,
        stdio: "pipe",
      });
    } else {
      context.diagnostic("npm is missing: unpacked with tar");
      mkdirSync(join(folder, "node_modules"));
      execFileSync("tar", ["-xzf", archive], { cwd: folder });
      renameSync(join(folder, "package"), installed);
    }
    assert.ok(statSync(join(installed, "ferz.wasm")).size > 100_000);
  });

  it("has what it needs and no more", () => {
    const listed = execFileSync("tar", ["-tzf", resolve(file)], { encoding: "utf8" })
      .trim()
      .split("\n");
    const names = listed.filter((name) => !name.endsWith("/")).map((name) => name.replace(/^package\//, ""));
    for (const name of [
      "package.json",
      "README.md",
      "index.js",
      "node.js",
      "index.d.ts",
      "ferz.wasm",
      "LICENSE-MIT",
      "LICENSE-APACHE",
    ]) {
      assert.ok(names.includes(name), name);
    }
    assert.deepEqual(
      names.filter((name) => /test|bench|node_modules/.test(name)),
      [],
    );
  });

  it("works, from both entries, in a worker too", () => {
    const script = `
			import { analyse, load, Position } from "ferz";
			await load();
			const ready = await import("ferz/ready");
			const { best } = await analyse(ready.Position.start(), { depth: 3, hash: 1 });
			console.log(Position.start().perft(4), Position.start().isLegal(best));`;
    writeFileSync(join(folder, "use.mjs"), script);
    const output = execFileSync(process.execPath, ["use.mjs"], { cwd: folder, encoding: "utf8" });
    assert.equal(output.trim(), "197281 true");
  });

  it("is not too large", () => {
    const size = gzipSync(readFileSync(join(installed, "ferz.wasm")), { level: 9 }).length;
    assert.ok(size <= 1_200_000, `ferz.wasm has ${size} bytes compressed`);
    assert.ok(statSync(resolve(file)).size <= 1_300_000);
  });
});

it("the package has the version of the crates", () => {
  const cargo = readFileSync(new URL("../../../Cargo.toml", import.meta.url), "utf8");
  const [, version] = cargo.match(/^\[workspace\.package\]\nversion = "(.*)"$/m);
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  assert.equal(manifest.version, version);
});
