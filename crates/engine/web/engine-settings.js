// @ts-check
// The settings of the engine, and the lines of another engine beside ours.

import { choice, el, field, write } from "./dom.js";
import { isForBlack, scoreText, short } from "./format.js";
import { Lines } from "./lines.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./app.js").Settings} Settings */
/** @typedef {import("./lines.js").Row} Row */
/** @typedef {import("./protocol").AnalysisEnd} AnalysisEnd */
/** @typedef {import("./protocol").EngineWish} EngineWish */
/** @typedef {import("./protocol").LimitsEntry} LimitsEntry */
/** @typedef {import("./protocol").OtherAnalysis} OtherAnalysis */

/** @type {{ [end in AnalysisEnd]: string }} */
export const END_WORDS = {
  time: "time is up",
  depth: "depth reached",
  nodes: "nodes searched",
  limit: "time limit reached",
  complete: "nothing left to search",
};

/**
 * The stop rules, by the value that is saved.
 * @type {[value: string, text: string][]}
 */
const STOP_RULES = [
  ["none", "Never"],
  ["seconds 5", "After 5 seconds"],
  ["seconds 15", "After 15 seconds"],
  ["seconds 60", "After 1 minute"],
  ["seconds 300", "After 5 minutes"],
  ["depth 12", "At depth 12"],
  ["depth 16", "At depth 16"],
  ["depth 20", "At depth 20"],
  ["depth 25", "At depth 25"],
  ["depth 30", "At depth 30"],
  ["nodes 1000000", "After 1 M nodes"],
  ["nodes 10000000", "After 10 M nodes"],
  ["nodes 100000000", "After 100 M nodes"],
];

/**
 * The settings as the server reads them. A hash size of 0 is the server's default.
 * @param {Settings} settings
 * @returns {EngineWish}
 */
export function engineWish({ threads, hash, stop }) {
  const [rule, value] = stop.split(" ");
  const limit = STOP_RULES.some(([known]) => known === stop) && value ? { [rule]: Number(value) } : null;
  return { threads, hash_mb: hash || null, limit: /** @type {EngineWish["limit"]} */ (limit) };
}

/** @param {number} count */
const threadsText = (count) => (count === 1 ? "1 thread" : `${count} threads`);

/**
 * The powers of two up to a limit, and the limit.
 * @param {number} limit
 */
function sizes(limit) {
  const all = [];
  for (let size = 1; size < limit; size *= 2) all.push(size);
  return [...all, limit];
}

/**
 * The card with the settings.
 * @param {App} app
 */
export function mountEngineSettings(app) {
  const { store } = app;
  const fields = el("div", { class: "engine-fields" });
  const inShort = el("span", { class: "in-short" });
  const card = el(
    "details",
    { class: "card engine-settings" },
    el("summary", {}, el("h2", {}, "Engine settings"), inShort),
    fields,
  );

  store.on(["welcome"], () => {
    const { welcome } = store.values;
    card.hidden = !welcome;
    if (!welcome) return;
    const { limits, engines } = welcome;
    const { threads, hash, otherEngine } = store.values;
    // The settings may have been saved on a larger machine.
    store.set({
      threads: Math.min(threads, limits.threads),
      hash: Math.min(hash, limits.hash_mb),
      otherEngine: engines.some(({ id }) => id === otherEngine) ? otherEngine : "",
    });
    fields.replaceChildren(...settingsFields(app, limits, engines));
  });
  store.on(["welcome", "threads", "hash", "stop", "otherEngine"], () => {
    const { welcome, threads, hash, stop, otherEngine } = store.values;
    const rule = STOP_RULES.find(([value]) => value === stop);
    const words = [
      welcome && welcome.limits.threads > 1 && threadsText(threads),
      welcome && `${hash || welcome.limits.default_hash_mb} MiB`,
      stop !== "none" && rule && `stops ${rule[1].toLowerCase()}`,
      welcome?.engines.find(({ id }) => id === otherEngine)?.name,
    ];
    write(inShort, words.filter(Boolean).join(" · "));
  });
  followSettings(app);
  return card;
}

/**
 * @param {App} app
 * @param {LimitsEntry} limits
 * @param {import("./protocol").EngineEntry[]} engines
 */
function settingsFields({ store }, limits, engines) {
  const { threads, hash, stop, otherEngine } = store.values;
  const hashes = [...new Set([...sizes(limits.hash_mb), limits.default_hash_mb])].sort((a, b) => a - b);
  /** @type {HTMLElement[]} */
  const fields = [];
  if (limits.threads > 1) {
    /** @type {[number, string][]} */
    const counts = (limits.threads <= 16 ? Array.from({ length: limits.threads }, (_, i) => i + 1) : sizes(limits.threads)).map(
      (count) => [count, threadsText(count)],
    );
    const set = (/** @type {string} */ value) => store.set({ threads: Number(value) });
    fields.push(field("Threads", choice(counts, threads, set, { id: "engine-threads" })));
  }
  fields.push(
    field(
      "Hash",
      choice(
        hashes.map((size) => [size, size < 1024 ? `${size} MiB` : `${size / 1024} GiB`]),
        hash || limits.default_hash_mb,
        (value) => store.set({ hash: Number(value) === limits.default_hash_mb ? 0 : Number(value) }),
        { id: "engine-hash" },
      ),
    ),
    field("Stop", choice(STOP_RULES, stop, (value) => store.set({ stop: value }), { id: "engine-stop" })),
  );
  if (engines.length > 0) {
    /** @type {[string, string][]} */
    const others = [["", "None"], ...engines.map(({ id, name }) => /** @type {[string, string]} */ ([id, name]))];
    const set = (/** @type {string} */ value) => store.set({ otherEngine: value, other: null });
    fields.push(field("Other engine", choice(others, otherEngine, set, { id: "other-engine" })));
  }
  return fields;
}

/**
 * Sends the settings when they change. `hello` has sent the first ones.
 * @param {App} app
 */
function followSettings(app) {
  const { store } = app;
  /** @type {string | null} */
  let sent = null;
  store.on(["threads", "hash", "stop", "welcome"], () => {
    const wish = engineWish(store.values);
    const wanted = JSON.stringify(wish);
    if (!store.get("welcome") || sent === null) sent = wanted;
    if (sent === wanted) return;
    sent = wanted;
    app.do({ type: "engine", ...wish });
  });
  /** @type {string | null} */
  let chosen = null;
  store.on(["otherEngine", "welcome"], () => {
    const id = store.get("otherEngine");
    if (!store.get("welcome") || chosen === null) chosen = id;
    if (chosen === id) return;
    chosen = id;
    app.do({ type: "other_engine", engine: id || null });
  });
}

/**
 * The lines of the other engine.
 * @param {App} app
 */
export function mountOtherEngine(app) {
  const { store } = app;
  const name = el("h3", {});
  const facts = el("p", { class: "facts other-facts" });
  const problem = el("p", { class: "other-problem" });
  const list = el("ol", { class: "lines", "aria-label": "Lines of the other engine" });
  const lines = new Lines(app, list);
  /** @type {{ item: HTMLElement, score: HTMLElement, row: Row }[]} */
  const items = [];
  const element = el("section", { class: "other-engine", "aria-label": "Other engine" }, name, facts, problem, list);

  const draw = () => {
    const { engine, otherEngine, other, position, lines: wanted } = store.values;
    const isShown = Boolean(engine && otherEngine && position && !position.outcome && !app.playing());
    element.hidden = !isShown;
    if (!isShown || !position) return;
    write(name, other?.name ?? otherEngine);
    write(facts, factsText(other));
    problem.hidden = !other?.problem;
    write(problem, other?.problem ?? "");
    const found = other?.lines ?? [];
    const count = Math.max(wanted, found.length);
    while (items.length < count) {
      const score = el("span", { class: "score" });
      const row = lines.addRow();
      const item = el("li", { class: "line" }, score, row.element);
      items.push({ item, score, row });
      list.append(item);
    }
    items.forEach(({ item, score, row }, index) => {
      const line = found[index];
      item.hidden = index >= count;
      write(score, line ? scoreText(line.score) : "·");
      score.classList.toggle("for-black", Boolean(line) && isForBlack(line.score));
      lines.draw(row, line, position);
    });
  };
  store.on(["other", "otherEngine", "engine", "position", "lines"], draw);
  return element;
}

/** @param {OtherAnalysis | null} other */
function factsText(other) {
  if (!other) return "The engine is starting…";
  if (other.status === "done" && other.problem && other.lines.length === 0) return "No analysis.";
  const state = other.status === "done" ? "finished · " : "";
  const { depth, selective_depth: selective, nodes, nps, hashfull } = other;
  return `${state}depth ${depth}/${selective} · ${short(nodes)} nodes · ${short(nps)}/s · hash\u00a0${Math.round(hashfull / 10)}\u00a0%`;
}
