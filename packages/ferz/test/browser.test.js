// The package in Chromium: a page uses it and sends what it found.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Engine, load, Position } from "../node.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const chromium = process.env.CHROMIUM || names.find((name) => spawnSync(name, ["--version"]).status === 0);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
// Strict, with what the README asks for; the page itself is an inline script.
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

/** Serves the package, with the test page as the start page; `isolated` allows shared memory. */
function serve({ isolated, wasmType }, onResult) {
  return createServer((request, response) => {
    if (request.method === "POST") {
      let body = "";
      request.on("data", (part) => (body += part));
      request.on("end", () => {
        response.end();
        onResult(JSON.parse(body));
      });
      return;
    }
    const path = request.url === "/" ? "test/browser/page.html" : normalize(request.url).slice(1);
    const type = path.endsWith(".wasm") ? wasmType : TYPES[extname(path)];
    let content;
    try {
      content = readFileSync(join(root, path));
    } catch {
      response.writeHead(404).end();
      return;
    }
    const headers = { "Content-Type": type, "Content-Security-Policy": POLICY };
    if (isolated) {
      headers["Cross-Origin-Opener-Policy"] = "same-origin";
      headers["Cross-Origin-Embedder-Policy"] = "require-corp";
    }
    response.writeHead(200, headers).end(content);
  });
}

async function open(options) {
  const profile = mkdtempSync(join(tmpdir(), "ferz-chromium-"));
  let server;
  let browser;
  try {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("no result from the page after 90 s")), 90_000);
      server = serve(options, (result) => {
        clearTimeout(timer);
        resolve(result);
      });
      server.listen(0, "127.0.0.1", () => {
        const url = `http://127.0.0.1:${server.address().port}/`;
        const flags = [
          "--headless=new",
          "--no-sandbox",
          "--disable-gpu",
          "--no-first-run",
          `--user-data-dir=${profile}`,
        ];
        browser = spawn(chromium, [...flags, url], { stdio: "ignore" });
        browser.on("error", reject);
      });
    });
  } finally {
    const ended = new Promise((resolve) => browser?.once("exit", resolve));
    browser?.kill("SIGKILL");
    await ended;
    server?.close();
    server?.closeAllConnections();
    await remove(profile);
  }
}

/** Removes the profile of a killed Chromium, whose helpers may write to it for a moment longer. */
async function remove(profile) {
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      rmSync(profile, { recursive: true, force: true });
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

describe("in Chromium", { skip: chromium === undefined ? "Chromium is not installed" : false }, () => {
  before(() => load());

  for (const [name, options] of [
    ["with shared memory", { isolated: true, wasmType: "application/wasm" }],
    ["without, from a server that knows no WebAssembly", { isolated: false, wasmType: "application/octet-stream" }],
  ]) {
    it(name, async () => {
      const found = await open(options);
      assert.equal(found.failure, undefined);
      assert.equal(found.isolated, options.isolated);
      assert.equal(found.perft, 4865609);
      assert.equal(found.outcome, "checkmate");
      assert.match(found.pgn, /\n\n1\. f3 e5 2\. g4 Qh4# 0-1\n$/);
      assert.deepEqual(found.error, ["FenError", "castling-without-rook"]);
      assert.equal(found.streamed, 8);
      assert.deepEqual([found.search, found.analysis, found.again], ["a1a8", "a1a8", "a1a8"]);
      assert.equal(
        found.nodes,
        new Engine({ hash: 16 }).search(Position.start(), { depth: 9 }).nodes,
        "the nodes of node",
      );
      assert.ok(found.stoppedBest && found.ticks > 10, JSON.stringify(found));
      assert.ok(found.deepOnPage >= 45 && found.deepInWorker >= 45, JSON.stringify(found));
      assert.ok(found.stopMilliseconds < 500, `stopped after ${found.stopMilliseconds} ms`);
    });
  }
});
