// The tree of moves, set like a book: the main line in two columns, comments and variations between its rows.

import { button, byId, choice, el, hidden, oncePerFrame, set } from "./dom.js";
import { moveNumber, moveText, scoreText } from "./format.js";
import { CLASSES, glyphSign, glyphWord, MOVE_GLYPHS, POSITION_GLYPHS } from "./glyphs.js";

export function mountNotebook(app) {
  const { store } = app;
  const moves = el("div", { class: "moves" });
  const tools = new NodeTools(app);
  byId("notebook").append(el("div", { class: "card notebook-card" }, moves, tools.element));

  moves.addEventListener("click", (event) => {
    const move = event.target.closest("[data-node]");
    if (move) app.do({ type: "go", node: Number(move.dataset.node) });
  });

  let drawn = null;
  const draw = oncePerFrame(() => {
    const { tree, position } = store.values;
    if (!tree.root || !position) return;
    if (drawn !== tree) moves.replaceChildren(...drawTree(tree, position));
    drawn = tree;
    markCurrent(moves, position.node);
  });
  store.on(["tree", "position"], draw);
}

function markCurrent(moves, node) {
  const before = moves.querySelector("[aria-current]");
  const now = moves.querySelector(`[data-node="${node}"]`);
  if (before && before !== now) set(before, { "aria-current": null, tabindex: "-1" });
  if (!now) return;
  set(now, { "aria-current": "true", tabindex: "0" });
  // Only the list scrolls, never the page under someone who looks at the board.
  const [box, list] = [now.getBoundingClientRect(), moves.getBoundingClientRect()];
  if (box.top < list.top + 20) moves.scrollTop += box.top - list.top - 40;
  else if (box.bottom > list.bottom - 20) moves.scrollTop += box.bottom - list.bottom + 40;
}

// ---- drawing ----

/** More moves than this nobody scrolls through, and no browser draws quickly. */
const MOST_MOVES = 5000;
/** Nobody reads brackets nested deeper than this; only hostile files have them. */
const DEEPEST = 100;

/** Draws a tree into a list of elements, until there are too many. */
class Draughtsman {
  constructor(nodes) {
    this.nodes = nodes;
    this.left = MOST_MOVES;
  }

  children(node) {
    return node.children.map((id) => this.nodes.get(id));
  }

  /** The main line in two columns; comments and variations break it up. */
  mainLine(root, out) {
    let row = null;
    for (let [node, ...others] = this.children(root); node; [node, ...others] = this.children(node)) {
      if (this.left-- <= 0) return;
      if (!row || node.color === "white") {
        row = el("div", { class: "pair" }, el("span", { class: "number" }, `${node.number}.`));
        out.push(row);
      }
      if (row.children.length === 1 && node.color === "black") row.append(el("span", { class: "gap" }, "…"));
      row.append(moveButton(node));
      if (node.comment) out.push(comment(node.comment));
      for (const other of others) {
        const words = [];
        this.variation(other, words, 0);
        out.push(el("div", { class: "variation" }, words));
      }
      if (node.comment || others.length > 0 || node.color === "black") row = null;
    }
  }

  /** A variation as running text, with its own variations in brackets. */
  variation(start, out, depth) {
    if (depth > DEEPEST) {
      out.push("…");
      return;
    }
    let isNumbered = true;
    for (let [node, ...others] = [start]; node; [node, ...others] = this.children(node)) {
      if (this.left-- <= 0) return;
      if (node.before) out.push(comment(node.before), " ");
      if (isNumbered || node.before || node.color === "white")
        out.push(el("span", { class: "number" }, moveNumber(node)));
      out.push(moveButton(node), " ");
      if (node.comment) out.push(comment(node.comment), " ");
      for (const other of others) {
        out.push("(");
        this.variation(other, out, depth + 1);
        if (out.at(-1) === " ") out.pop();
        out.push(") ");
      }
      isNumbered = Boolean(node.comment) || others.length > 0;
    }
  }
}

function drawTree({ nodes, root }, { result }) {
  const out = [];
  const draughtsman = new Draughtsman(nodes);
  if (root.comment) out.push(comment(root.comment));
  if (root.children.length === 0) {
    out.push(el("p", { class: "soft blank" }, "No moves yet. Make one on the board, or type it."));
    return out;
  }
  draughtsman.mainLine(root, out);
  if (draughtsman.left < 0)
    out.push(el("p", { class: "soft blank" }, "The rest of this game is too long to be drawn here."));
  if (result !== "*") out.push(el("p", { class: "result" }, result.replaceAll("1/2", "½").replace("-", " – ")));
  return out;
}

/** A comment has a direction of its own, or one in Hebrew would turn the moves around it. */
const comment = (text) => el("span", { class: "comment", dir: "auto" }, text);

const unique = (list) => [...new Set(list)];

function moveButton(node) {
  const kind = node.review && CLASSES.get(node.review.class);
  const nags = node.nags ?? [];
  // Some programs write `??` and `$4` behind the same move.
  const signs = unique(nags.map(glyphSign)).join(" ");
  const words = [...unique(nags.map(glyphWord)), signs ? null : kind?.name, node.main ? null : "variation"]
    .filter(Boolean)
    .join(", ");
  const content = [hidden(`${moveNumber(node)} `), el("span", { class: "san" }, node.san)];
  if (signs) content.push(el("span", { class: "glyph", "aria-hidden": "true" }, signs));
  else if (kind && kind.tone !== "calm")
    content.push(el("span", { class: "glyph faint", "aria-hidden": "true" }, kind.sign));
  if (words) content.push(hidden(`, ${words}`));
  if (node.eval && node.main) content.push(el("span", { class: "eval" }, scoreText(node.eval.score)));
  const classes = ["move", node.main ? "main" : "", kind ? `tone-${kind.tone}` : ""].join(" ").trim();
  return el("button", { type: "button", class: classes, tabindex: "-1", dataset: { node: node.id } }, content);
}

// ---- annotating the current move ----

/** Whether the sign of a glyph is among those of others; two numbers may have the same. */
const hasGlyph = (nags, nag) => nags.some((one) => glyphSign(one) === glyphSign(nag));

class NodeTools {
  constructor(app) {
    this.app = app;
    this.glyphs = MOVE_GLYPHS.map((nag) => {
      const toggle = () => this.toggleGlyph(nag, MOVE_GLYPHS);
      return button(glyphSign(nag), toggle, {
        class: "small glyph-button",
        "aria-label": glyphWord(nag),
        title: glyphWord(nag),
      });
    });
    const options = [["", "Position…"], ...POSITION_GLYPHS.map((nag) => [nag, `${glyphSign(nag)}  ${glyphWord(nag)}`])];
    this.judgement = choice(options, "", (nag) => this.setJudgement(Number(nag)), {
      "aria-label": "Judgement of the position",
    });
    this.comment = el("textarea", {
      id: "comment",
      rows: "2",
      dir: "auto",
      "aria-label": "Comment on this move",
      placeholder: "Comment on this move",
    });
    this.comment.addEventListener("change", () => this.saveComment());
    const about =
      (type, more = {}) =>
      () =>
        app.do({ type, node: app.node().id, ...more });
    this.promote = button("Promote", about("promote"), { class: "small", title: "One place up among the variations" });
    this.main = button("Make main line", about("promote", { main: true }), { class: "small" });
    this.remove = button("Delete", about("delete"), { class: "small", title: "This move and all behind it" });
    this.after = button("Delete after", about("delete_after"), { class: "small", title: "All behind this move" });
    this.undo = button("Undo", () => app.do({ type: "undo" }), { class: "small" });
    this.redo = button("Redo", () => app.do({ type: "redo" }), { class: "small" });
    this.which = el("h3", {}, "");
    this.element = el(
      "details",
      { class: "node-tools" },
      el("summary", {}, "Annotate ", this.which),
      el(
        "div",
        { class: "stack tight" },
        el("div", { class: "row-of", role: "group", "aria-label": "Signs for this move" }, this.glyphs, this.judgement),
        this.comment,
        el("div", { class: "row-of" }, this.promote, this.main, this.remove, this.after, this.undo, this.redo),
      ),
    );
    app.store.on(["position", "tree"], () => this.draw());
  }

  draw() {
    const { position, tree } = this.app.store.values;
    const node = this.app.node();
    if (!node) return;
    // What is being typed is not overwritten.
    if (document.activeElement !== this.comment || this.at !== node.id) this.comment.value = node.comment;
    this.at = node.id;
    const nags = node.nags ?? [];
    this.which.textContent = moveText(node);
    this.glyphs.forEach((toggle, index) =>
      toggle.setAttribute("aria-pressed", String(hasGlyph(nags, MOVE_GLYPHS[index]))),
    );
    this.judgement.value = String(nags.find((nag) => POSITION_GLYPHS.includes(nag)) ?? "");
    const isRoot = node.parent === null;
    for (const control of [...this.glyphs, this.judgement, this.remove]) control.disabled = isRoot;
    this.promote.disabled = this.main.disabled = node.main || tree.nodes.size < 3;
    this.after.disabled = node.children.length === 0;
    this.undo.disabled = !position.undo;
    this.redo.disabled = !position.redo;
  }

  /** Puts a glyph in the place of the others of its kind, or takes it away. */
  toggleGlyph(nag, kind) {
    const node = this.app.node();
    const nags = node.nags ?? [];
    const others = nags.filter((one) => !hasGlyph(kind, one));
    this.app.do({ type: "nags", node: node.id, nags: hasGlyph(nags, nag) ? others : [nag, ...others] });
  }

  setJudgement(nag) {
    const node = this.app.node();
    const others = (node.nags ?? []).filter((one) => !POSITION_GLYPHS.includes(one));
    this.app.do({ type: "nags", node: node.id, nags: nag ? [...others, nag] : others });
  }

  saveComment() {
    const node = this.app.store.get("tree").nodes.get(this.at);
    if (node && this.comment.value !== node.comment)
      this.app.do({ type: "comment", node: node.id, text: this.comment.value });
  }
}
