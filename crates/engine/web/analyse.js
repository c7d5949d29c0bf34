// The engine's opinion: its lines while it thinks, and what one can do with them.

import { switchButton } from "./controls.js";
import { byId, button, choice, el, set, write } from "./dom.js";
import { askWhy, mountExplanation } from "./explain.js";
import { scoreText, scoreWords, short } from "./format.js";
import { Lines } from "./lines.js";

export function mountAnalyse(app) {
  const { store } = app;
  const root = byId("panel-analyse");
  const engine = switchButton(app, "engine", "Engine");
  const lines = choice(
    [1, 2, 3, 4, 5].map((n) => [n, n === 1 ? "1 line" : `${n} lines`]),
    store.get("lines"),
    (n) => store.set({ lines: Number(n) }),
    { "aria-label": "Number of lines" },
  );
  const facts = el("p", { class: "facts mono" });
  const chances = new Chances();
  const list = new LineList(app);
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
      threat,
    ),
    mountExplanation(app),
  );

  store.on(["analysis", "engine", "position", "connection"], () => {
    write(facts, factsText(app));
    chances.show(store.get("analysis")?.lines[0]?.wdl);
    list.draw();
  });
  store.on(["threat", "threats"], () => {
    const { threat: found, threats } = store.values;
    threat.hidden = !threats;
    write(threat, threats ? threatText(found) : "");
  });
  followSettings(app);
}

/** Tells the server when the engine is switched or the number of lines changes, and asks for threats. */
function followSettings(app) {
  const { store } = app;
  let told = null;
  store.on(["engine", "lines", "position"], () => {
    const { engine, lines, position } = store.values;
    // During a game the engine keeps its opinion to itself; afterwards it may speak again.
    const wanted = JSON.stringify([engine, lines, Boolean(app.playing())]);
    if (!position || told === wanted) return;
    const isFirst = told === null;
    told = wanted;
    // What `hello` said already need not be said again.
    if (isFirst || app.playing()) return;
    app.do({ type: "analyse", on: engine, lines });
    if (!engine) store.set({ analysis: null });
  });

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
    if (threat?.node === store.get("position").node) store.set({ threat });
    return undefined;
  });
}

function factsText(app) {
  const { analysis, engine, position, connection } = app.store.values;
  if (connection === "lost") return "The server is away; connecting again…";
  if (app.playing()) return "The engine is silent while you play against it.";
  if (!engine) return "The engine is off.";
  if (position?.outcome) return `${position.outcome.text}.`;
  if (!analysis) return "The engine begins…";
  if (analysis.status === "waiting") return `All engines are busy; ${analysis.waiting} before you.`;
  const { depth, selective_depth: selective, nodes, nps, hashfull, status } = analysis;
  const state = status === "done" ? "finished · " : "";
  return `${state}depth ${depth}/${selective} · ${short(nodes)} nodes · ${short(nps)}/s · table ${Math.round(hashfull / 10)} %`;
}

function threatText(threat) {
  if (!threat) return "Looking for a threat…";
  if (!threat.uci) return threat.message ?? "There is no threat.";
  return `Threat: ${threat.line.san.slice(0, 5).join(" ")} (${scoreWords(threat.score)})`;
}

/** White's and Black's chances and the draw between them, as a bar with its numbers. */
class Chances {
  constructor() {
    this.parts = ["white", "draw", "black"].map((name) => el("span", { class: `chance ${name}` }));
    this.element = el("div", { class: "chances", role: "img" }, this.parts);
  }

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

/** The engine's lines, as many as are wanted. */
class LineList {
  constructor(app) {
    this.app = app;
    this.element = el("ol", { class: "lines", "aria-label": "Lines of the engine" });
    this.lines = new Lines(app, this.element);
  }

  draw() {
    const { engine, lines: wanted, analysis, position } = this.app.store.values;
    const visible = engine && !this.app.playing();
    const found = analysis?.lines ?? [];
    const { rows } = this.lines;
    this.element.hidden = !visible;
    const count = visible ? Math.max(wanted, found.length) : 0;
    while (rows.length < count) this.addRow();
    rows.forEach((row, index) => this.drawRow(row, found[index], position, index < count));
  }

  addRow() {
    const score = el("span", { class: "score" });
    const row = this.lines.addRow();
    this.element.append(el("li", { class: "line" }, score, row.element));
    row.score = score;
  }

  drawRow(row, line, position, visible) {
    row.score.parentElement.hidden = !visible;
    const bound = { lower: "≥", upper: "≤" }[line?.bound] ?? "";
    write(row.score, line ? bound + scoreText(line.score) : "·");
    row.score.classList.toggle("for-black", Boolean(line) && (line.score.cp ?? line.score.mate) < 0);
    this.lines.draw(row, line, position);
  }
}
