// @ts-check
// The Analyse panel: the engine's lines, the win probabilities, the threat and the explanation.

import { switchButton } from "./controls.js";
import { byId, button, choice, el, set, write } from "./dom.js";
import { END_WORDS, mountEngineSettings, mountOtherEngine } from "./engine-settings.js";
import { askWhy, mountExplanation } from "./explain.js";
import { mountExplorer } from "./explorer.js";
import { durationText, isForBlack, scoreText, scoreWords, short } from "./format.js";
import { sanText } from "./figurines.js";
import { Lines } from "./lines.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./lines.js").Row} Row */
/** @typedef {import("./protocol").Advice} Advice */
/** @typedef {import("./protocol").LineEntry} LineEntry */
/** @typedef {import("./protocol").TableMove} TableMove */

/** @param {App} app */
export function mountAnalyse(app) {
  const { store } = app;
  const root = byId("panel-analyse");
  const engine = switchButton(app, "engine", "Engine");
  const lines = choice(
    [
      [1, "1 line"],
      [2, "2 lines"],
      [3, "3 lines"],
      [4, "4 lines"],
      [5, "5 lines"],
    ],
    store.get("lines"),
    (n) => store.set({ lines: Number(n) }),
    { "aria-label": "Number of engine lines" },
  );
  const facts = el("p", { class: "facts" });
  const chances = new Chances();
  const list = new LineList(app);
  const tables = new TableMoves(app);
  const options = el(
    "div",
    { class: "row-of" },
    switchButton(app, "arrows", "Arrows"),
    switchButton(app, "threats", "Threat"),
    button("Why?", () => askWhy(app), { id: "why", title: "Explain the position (w)" }),
  );
  const threat = el("p", { class: "threat-line" });
  const head = el("div", { class: "row-of engine-head" }, engine, lines, options);
  root.append(
    el(
      "div",
      { class: "card stack" },
      el("h2", { class: "visually-hidden" }, "Analysis"),
      head,
      facts,
      chances.element,
      list.element,
      mountOtherEngine(app),
      tables.element,
      threat,
    ),
    mountExplanation(app),
    mountExplorer(app),
    mountEngineSettings(app),
  );

  store.on(["analysis", "engine", "position", "connection", "figurines"], () => {
    write(facts, factsText(app));
    chances.show(store.get("analysis")?.lines[0]?.wdl);
    list.draw();
    tables.draw();
  });
  store.on(["threat", "threats"], () => {
    const { threat: found, threats } = store.values;
    threat.hidden = !threats;
    write(threat, threats ? threatText(found) : "");
  });
  followSettings(app);
}

/**
 * Sends the engine settings to the server when they change, and asks for threats.
 * @param {App} app
 */
function followSettings(app) {
  const { store } = app;
  /** @type {string | null} */
  let sent = null;
  store.on(["engine", "lines", "position"], () => {
    const { engine, lines, position } = store.values;
    // The server refuses analysis during a game; afterwards it must be asked again.
    const isPlaying = Boolean(app.playing());
    const wanted = JSON.stringify([engine, lines, isPlaying]);
    if (!position) return;
    sent ??= JSON.stringify([app.greeted.on, app.greeted.lines, isPlaying]);
    if (sent === wanted) return;
    sent = wanted;
    if (isPlaying) return;
    app.do({ type: "analyse", on: engine, lines });
    if (!engine) store.set({ analysis: null });
  });

  /** @type {string | null} */
  let asked = null;
  store.on(["threats", "position", "draft"], async () => {
    const { threats, position, draft } = store.values;
    if (!threats || !position || draft || app.playing()) {
      asked = null;
      return store.set({ threat: null });
    }
    const place = `${position.node} ${position.fen}`;
    if (asked === place) return undefined;
    asked = place;
    const threat = await app.do({ type: "threat" });
    if (threat && threat.node === store.get("position")?.node) store.set({ threat });
    return undefined;
  });
}

/** @param {App} app */
function factsText(app) {
  const { analysis, engine, position, connection } = app.store.values;
  if (connection === "lost") return app.connection.words.awayInShort;
  if (app.playing()) return "Analysis is off while you play against the engine.";
  if (!engine) return "The engine is off.";
  if (position?.outcome) return `${position.outcome.text}.`;
  if (analysis?.status === "waiting") return app.connection.words.busy(analysis.waiting);
  if (!analysis || analysis.lines.length === 0) return "Searching…";
  const { depth, selective_depth: selective, nodes, nps, hashfull, status, end, threads } = analysis;
  const why = end ? ` (${END_WORDS[end]})` : "";
  const state = status === "done" ? `ended after ${durationText(analysis.time_ms)}${why} · ` : "";
  const used = threads > 1 ? ` · ${threads} threads` : "";
  return `${state}depth ${depth}/${selective} · ${short(nodes)} nodes · ${short(nps)}/s · hash\u00a0${Math.round(hashfull / 10)}\u00a0%${used}`;
}

/** @param {Advice | null} threat */
function threatText(threat) {
  if (!threat) return "Looking for a threat…";
  if (!threat.uci) return threat.message ?? "There is no threat.";
  return `Threat: ${threat.line.san.slice(0, 5).join(" ")} (${scoreWords(threat.score)})`;
}

/** The probabilities of a win for White, a draw and a win for Black, as a bar with numbers. */
class Chances {
  constructor() {
    this.parts = ["white", "draw", "black"].map((name) => el("span", { class: `chance ${name}` }));
    this.element = el("div", { class: "chances", role: "img" }, this.parts);
  }

  /** @param {LineEntry["wdl"] | undefined} wdl */
  show(wdl) {
    this.element.hidden = !wdl;
    if (!wdl) return;
    const percent = wdl.map((n) => Math.round(n / 10));
    this.parts.forEach((part, index) => {
      part.style.flexGrow = String(Math.max(wdl[index], 1));
      write(part, percent[index] >= 8 ? `${percent[index]} %` : "");
    });
    const words = `White wins ${percent[0]} %, draw ${percent[1]} %, Black wins ${percent[2]} %`;
    set(this.element, { "aria-label": words, title: words });
  }
}

/** @type {{ [result in TableMove["result"]]: string }} */
const TABLE_RESULTS = {
  win: "win",
  cursed_win: "win beyond the 50-move rule",
  draw: "draw",
  blessed_loss: "loss beyond the 50-move rule",
  loss: "loss",
};

/** What the endgame tables say of each move. */
class TableMoves {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.list = el("ol", { class: "table-moves" });
    const heading = el("h3", {}, "Endgame tables");
    this.element = el("section", { class: "tables", "aria-label": "Endgame tables" }, heading, this.list);
    this.element.hidden = true;
    /**
     * The moves shown: they change only with the position, so that a move keeps the focus.
     * @type {string}
     */
    this.shown = "";
  }

  draw() {
    const { analysis, engine } = this.app.store.values;
    const moves = (engine && !this.app.playing() && analysis?.tables) || [];
    this.element.hidden = moves.length === 0;
    const shown = JSON.stringify([analysis?.node, moves, this.app.store.get("figurines")]);
    if (shown === this.shown) return;
    this.shown = shown;
    this.list.replaceChildren(...moves.map((move) => this.item(move)));
  }

  /** @param {TableMove} move */
  item({ uci, san, result, dtz }) {
    const words = dtz === 0 ? TABLE_RESULTS[result] : `${TABLE_RESULTS[result]}, DTZ ${Math.abs(dtz)}`;
    const node = this.app.store.get("analysis")?.node ?? 0;
    const play = () => this.app.do({ type: "line", node, moves: [uci], go: true });
    return el("li", {}, button(sanText(san), play, { class: "move" }), el("span", { class: "verdict" }, words));
  }
}

/** The list of engine lines. */
class LineList {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.element = el("ol", { class: "lines", "aria-label": "Engine lines" });
    this.lines = new Lines(app, this.element);
    /** @type {{ item: HTMLElement, score: HTMLElement, row: Row, unfold: HTMLElement }[]} */
    this.items = [];
  }

  draw() {
    const { engine, lines: wanted, analysis, position } = this.app.store.values;
    const visible = engine && !this.app.playing();
    const found = analysis?.lines ?? [];
    this.element.hidden = !visible;
    const count = visible && position ? Math.max(wanted, found.length) : 0;
    while (this.items.length < count) this.addItem();
    this.items.forEach(({ item, score, row, unfold }, index) => {
      const line = found[index];
      item.hidden = index >= count;
      write(score, line ? scoreText(line.score) : "·");
      score.classList.toggle("for-black", Boolean(line) && isForBlack(line.score));
      if (position) this.lines.draw(row, line, position);
      unfold.hidden = !line || line.san.length < 4;
    });
  }

  addItem() {
    const score = el("span", { class: "score" });
    const row = this.lines.addRow();
    const toggle = () => {
      this.lines.toggle(row);
      item.classList.toggle("open", row.isOpen);
      set(unfold, { "aria-expanded": String(row.isOpen) });
      this.draw();
    };
    const unfold = button("", toggle, {
      class: "unfold",
      "aria-expanded": "false",
      "aria-label": "The whole line",
      title: "The whole line",
    });
    const item = el("li", { class: "line" }, score, row.element, unfold);
    this.items.push({ item, score, row, unfold });
    this.element.append(item);
  }
}
