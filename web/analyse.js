// The engine's opinion: its lines while it thinks, and what one can do with them.

import { switchButton } from "./controls.js";
import { byId, choice, el, set, write } from "./dom.js";
import { scoreText, scoreWords, short } from "./format.js";
import { Preview } from "./little-board.js";
import { piecesOnBoard, squareOf } from "./squares.js";

/** As many moves of a line as fit on a row or two. */
const SHOWN_MOVES = 14;

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

/** The lines. Their elements stay while their text changes, so that pointer and focus are not lost ten times a second. */
class LineList {
  constructor(app) {
    this.app = app;
    this.rows = [];
    this.element = el("ol", { class: "lines", "aria-label": "Lines of the engine" });
    this.preview = new Preview();
    this.preview.element.hidden = true;
    document.body.append(this.preview.element);
    this.element.addEventListener("pointerover", (event) => this.look(event.target));
    this.element.addEventListener("focusin", (event) => this.look(event.target));
    this.element.addEventListener("pointerleave", () => this.lookAway());
    this.element.addEventListener("focusout", () => this.lookAway());
    this.element.addEventListener("click", (event) => this.play(event.target));
    this.element.addEventListener("keydown", (event) => this.walk(event));
  }

  draw() {
    const { engine, lines: wanted } = this.app.store.values;
    const visible = engine && !this.app.playing();
    const lines = this.app.store.get("analysis")?.lines ?? [];
    this.element.hidden = !visible;
    const count = visible ? Math.max(wanted, lines.length) : 0;
    while (this.rows.length < count) this.addRow();
    this.rows.forEach((row, index) => this.drawRow(row, lines[index], index < count));
  }

  addRow() {
    const score = el("span", { class: "score" });
    const moves = Array.from({ length: SHOWN_MOVES }, () =>
      el("button", { type: "button", class: "move", tabindex: "-1" }),
    );
    moves[0].tabIndex = 0;
    const text = el("span", { class: "line-moves" }, moves);
    const element = el("li", { class: "line" }, score, text);
    this.element.append(element);
    this.rows.push({ element, score, moves, line: null });
  }

  drawRow(row, line, visible) {
    row.line = line ?? null;
    row.element.hidden = !visible;
    const bound = { lower: "≥", upper: "≤" }[line?.bound] ?? "";
    write(row.score, line ? bound + scoreText(line.score) : "·");
    row.score.classList.toggle("for-black", Boolean(line) && (line.score.cp ?? line.score.mate) < 0);
    const node = this.app.store.get("position");
    row.moves.forEach((move, index) => {
      const san = line?.san[index];
      move.hidden = !san;
      if (!san) return;
      const ply = index + (node.turn === "black" ? 1 : 0);
      const number = ply % 2 === 0 ? `${node.number + ply / 2}. ` : index === 0 ? `${node.number}… ` : "";
      write(move, number + san);
    });
  }

  /** The row and move under an element. */
  find(target) {
    const button = target.closest?.("button.move");
    const row = button && this.rows.find(({ moves }) => moves.includes(button));
    return row?.line ? { row, index: row.moves.indexOf(button), button } : null;
  }

  play(target) {
    const found = this.find(target);
    if (!found) return;
    const { node } = this.app.store.get("position");
    this.lookAway();
    this.app.do({ type: "line", node, moves: found.row.line.uci.slice(0, found.index + 1), go: true });
  }

  /** Arrow keys go along the line. */
  walk(event) {
    const found = this.find(event.target);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!found || !step) return;
    event.preventDefault();
    event.stopPropagation();
    const next = found.row.moves[found.index + step];
    if (next && !next.hidden) next.focus();
  }

  async look(target) {
    const found = this.find(target);
    if (!found) return;
    const { node } = this.app.store.get("position");
    const asked = (this.asked = Symbol("preview"));
    const moves = found.row.line.uci.slice(0, found.index + 1);
    const answer = await this.app.session.ask({ type: "preview", node, moves }).catch(() => null);
    // The pointer may have gone on in the meantime.
    if (!answer || this.asked !== asked) return;
    this.preview.show(piecesOnBoard(answer.board), (answer.last ?? []).map(squareOf), this.app.store.get("flipped"));
    const box = found.button.getBoundingClientRect();
    const { style } = this.preview.element;
    this.preview.element.hidden = false;
    const size = this.preview.element.offsetWidth;
    style.left = `${Math.max(4, Math.min(box.left, innerWidth - size - 4))}px`;
    style.top = `${box.bottom + size + 12 < innerHeight ? box.bottom + 6 : box.top - size - 6}px`;
  }

  lookAway() {
    this.asked = null;
    this.preview.element.hidden = true;
  }
}
