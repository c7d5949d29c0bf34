// The type declarations, with the oldest TypeScript that is supported: Debian's.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import * as ferz from "../node.js";

const hasTypeScript = spawnSync("tsc", ["--version"]).status === 0;

it("what users write compiles", { skip: hasTypeScript ? false : "tsc is not installed" }, () => {
  const config = fileURLToPath(new URL("tsconfig.json", import.meta.url));
  const { status, stdout } = spawnSync("tsc", ["--project", config], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});

it("every export is declared, and every declaration is exported", () => {
  const text = readFileSync(new URL("../index.d.ts", import.meta.url), "utf8");
  const declared = [...text.matchAll(/^export (?:class|function) (\w+)/gm)].map((match) => match[1]);
  assert.deepEqual([...new Set(declared)].sort(), Object.keys(ferz).sort());
});

it("every method is declared", () => {
  const text = readFileSync(new URL("../index.d.ts", import.meta.url), "utf8");
  for (const name of ["Position", "Game", "Engine", "EngineWorker", "Move"]) {
    const body = text.slice(text.indexOf(`export class ${name} `)).split("\n}\n")[0];
    const members = [
      ...Object.getOwnPropertyNames(ferz[name].prototype),
      ...Object.getOwnPropertyNames(ferz[name]).filter((key) => !["length", "name", "prototype"].includes(key)),
    ];
    for (const member of members) assert.match(body, new RegExp(`\\b${member}\\b`), `${name}.${member}`);
  }
});
