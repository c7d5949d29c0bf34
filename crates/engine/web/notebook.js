// @ts-check
// The tree of moves, set like a book: the main line in two columns, with comments and variations between its rows.

import { button, byId, choice, closest, el, hidden, oncePerFrame, set } from "./dom.js";
import { sanText } from "./figurines.js";
import { moveNumber, moveText, scoreText } from "./format.js";
import { invitation } from "./first-steps.js";
import { gameHead } from "./game-head.js";
import { glyphSign, glyphWord, JUDGEMENTS, MOVE_GLYPHS, POSITION_GLYPHS } from "./glyphs.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./app.js").Tree} Tree */
/** @typedef {import("./protocol").NodeEntry} NodeEntry */
/** @typedef {import("./protocol").State} State */

/** @param {App} app */
export function mountNotebook(app) {
  const { store } = app;
  const moves = el("div", { class: "moves" });
  const tools = new NodeTools(app);
  byId("notebook").append(
    el(
      "div",
      { class: "card notebook-card" },
      el("h2", { class: "visually-hidden" }, "Moves"),
      gameHead(app),
      moves,
      tools.element,
    ),
  );

  moves.addEventListener("click", (event) => {
    const move = closest(event, "[data-node]");
    if (move) app.do({ type: "go", node: Number(move.dataset.node) });
  });

  /** @type {Tree | null} */
  let drawn = null;
  /** The result may change without the tree: by resigning, or in the form of the headers. */
  let drawnResult = "*";
  const draw = oncePerFrame(() => {
    const { tree, position } = store.values;
    if (!tree.root || !position) return;
    const { result } = position;
    if (drawn !== tree || drawnResult !== result) moves.replaceChildren(...drawTree(app, tree.root, position));
    [drawn, drawnResult] = [tree, result];
    markCurrent(moves, position.node);
  });
  store.on(["tree", "position"], draw);
  // A list that becomes smaller must not lose the current move.
  new ResizeObserver(draw).observe(moves.parentElement ?? moves);
  store.on(["figurines"], () => {
    drawn = null;
    draw();
  });
}

/**
 * @param {HTMLElement} moves
 * @param {number} node
 */
function markCurrent(moves, node) {
  /** @type {HTMLElement | null} */
  const before = moves.querySelector("[aria-current]");
  /** @type {HTMLElement | null} */
  const now = moves.querySelector(`[data-node="${node}"]`);
  if (before && before !== now) set(before, { "aria-current": null, tabindex: "-1" });
  if (!now) return;
  set(now, { "aria-current": "true", tabindex: "0" });
  keepInSight(moves, now);
}

/**
 * Scrolls the list, or in a low window its card. The page must not move while the reader looks at the board.
 * @param {HTMLElement} moves
 * @param {HTMLElement} move
 */
function keepInSight(moves, move) {
  const frame = [moves, moves.parentElement].find((one) => one && getComputedStyle(one).overflowY === "auto");
  if (!frame) return;
  const [box, view] = [move.getBoundingClientRect(), frame.getBoundingClientRect()];
  if (box.top < view.top + 20) frame.scrollTop += box.top - view.top - 40;
  else if (box.bottom > view.bottom - 20) frame.scrollTop += box.bottom - view.bottom + 40;
}

// ---- drawing ----

/** Moves that are drawn; browsers are slow with more. */
const MOST_MOVES = 5000;
/** Nesting depth of variations that are drawn; only hostile files exceed it. */
const DEEPEST = 100;

/** Draws a tree as a list of elements, up to the limit. */
class TreeDrawing {
  /** @param {Map<number, NodeEntry>} nodes */
  constructor(nodes) {
    this.nodes = nodes;
    this.left = MOST_MOVES;
    /** @type {Node[]} */
    this.out = [];
  }

  /**
   * @param {NodeEntry} node
   * @returns {NodeEntry[]}
   */
  children(node) {
    return node.children.flatMap((id) => this.nodes.get(id) ?? []);
  }

  /**
   * The main line in two columns; comments and variations interrupt it.
   * @param {NodeEntry} root
   */
  mainLine(root) {
    const { out } = this;
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
        /** @type {(Node | string)[]} */
        const words = [];
        this.variation(other, words, 0);
        out.push(el("div", { class: "variation" }, words));
      }
      if (node.comment || others.length > 0 || node.color === "black") row = null;
    }
  }

  /**
   * A variation as running text, with its own variations in brackets.
   * @param {NodeEntry} start
   * @param {(Node | string)[]} out
   * @param {number} depth
   */
  variation(start, out, depth) {
    if (depth > DEEPEST) {
      out.push("…");
      return;
    }
    let isNumbered = true;
    for (let [node, ...others] = /** @type {NodeEntry[]} */ ([start]); node; [node, ...others] = this.children(node)) {
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

/**
 * @param {App} app
 * @param {NodeEntry} root
 * @param {State} position
 */
function drawTree(app, root, { result }) {
  const drawing = new TreeDrawing(app.store.get("tree").nodes);
  const { out } = drawing;
  if (root.comment) out.push(comment(root.comment));
  if (root.children.length === 0) {
    out.push(invitation(app), el("p", { class: "soft blank" }, "No moves yet. Play one on the board, or type it."));
    return out;
  }
  drawing.mainLine(root);
  if (drawing.left < 0)
    out.push(el("p", { class: "soft blank" }, "The game is too long to show in full. Export it to read the rest."));
  if (result !== "*") out.push(el("p", { class: "result" }, result.replaceAll("1/2", "½").replace("-", " – ")));
  return out;
}

/**
 * A comment has its own text direction; otherwise Hebrew text would reorder the moves around it.
 * @param {string} text
 */
const comment = (text) => el("span", { class: "comment", dir: "auto" }, text);

/** @param {string[]} list */
const unique = (list) => [...new Set(list)];

/** @param {NodeEntry} node */
function moveButton(node) {
  const kind = node.review && JUDGEMENTS.get(node.review.judgement);
  const nags = node.nags ?? [];
  // Some programs write both `??` and `$4` after the same move.
  const signs = unique(nags.map(glyphSign)).join(" ");
  const words = [...unique(nags.map(glyphWord)), signs ? null : kind?.name, node.main ? null : "variation"]
    .filter(Boolean)
    .join(", ");
  const content = [hidden(`${moveNumber(node)} `), el("span", { class: "san" }, sanText(node.san ?? ""))];
  if (signs) content.push(el("span", { class: "glyph", "aria-hidden": "true" }, signs));
  else if (kind && kind.tone !== "calm")
    content.push(el("span", { class: "glyph faint", "aria-hidden": "true" }, kind.sign));
  if (words) content.push(hidden(`, ${words}`));
  if (node.eval && node.main) content.push(el("span", { class: "eval" }, scoreText(node.eval.score)));
  const classes = ["move", node.main ? "main" : "", kind ? `tone-${kind.tone}` : ""].join(" ").trim();
  return el("button", { type: "button", class: classes, tabindex: "-1", dataset: { node: node.id } }, content);
}

// ---- annotating the current move ----

/**
 * Whether a list has a glyph with the same sign; two NAG numbers may have the same sign.
 * @param {number[]} nags
 * @param {number} nag
 */
const hasGlyph = (nags, nag) => nags.some((one) => glyphSign(one) === glyphSign(nag));

/** The tools to annotate the current move. */
class NodeTools {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /**
     * The node that the tools show.
     * @type {number | null}
     */
    this.at = null;
    this.glyphs = MOVE_GLYPHS.map((nag) => {
      const toggle = () => this.toggleGlyph(nag, MOVE_GLYPHS);
      return button(glyphSign(nag), toggle, {
        class: "small glyph-button",
        "aria-label": glyphWord(nag),
        title: glyphWord(nag),
      });
    });
    /** @type {[value: string | number, text: string][]} */
    const options = [["", "Position…"]];
    for (const nag of POSITION_GLYPHS) options.push([nag, `${glyphSign(nag)}  ${glyphWord(nag)}`]);
    this.judgement = choice(options, "", (nag) => this.setJudgement(Number(nag)), {
      "aria-label": "Assessment of the position",
    });
    this.comment = el("textarea", {
      id: "comment",
      rows: "2",
      dir: "auto",
      "aria-label": "Comment on this move",
      placeholder: "Comment on this move",
    });
    this.comment.addEventListener("change", () => this.saveComment());
    /** @type {(edit: (node: number) => void) => () => void} */
    const onNode = (edit) => () => {
      const node = app.node();
      if (node) edit(node.id);
    };
    this.promote = button(
      "Promote",
      onNode((node) => app.do({ type: "promote", node })),
      { class: "small", title: "Move this variation up" },
    );
    this.main = button(
      "Make main line",
      onNode((node) => app.do({ type: "promote", node, main: true })),
      { class: "small" },
    );
    this.remove = button(
      "Delete",
      onNode((node) => app.do({ type: "delete", node })),
      { class: "small", title: "Delete this move and everything after it" },
    );
    this.after = button(
      "Delete after",
      onNode((node) => app.do({ type: "delete_after", node })),
      { class: "small", title: "Delete everything after this move" },
    );
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
    if (!node || !position) return;
    // Do not overwrite what the reader is typing.
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

  /**
   * Adds a glyph, replacing others of its kind, or removes it.
   * @param {number} nag
   * @param {number[]} kind
   */
  toggleGlyph(nag, kind) {
    const node = this.app.node();
    if (!node) return;
    const nags = node.nags ?? [];
    const others = nags.filter((one) => !hasGlyph(kind, one));
    this.app.do({ type: "nags", node: node.id, nags: hasGlyph(nags, nag) ? others : [nag, ...others] });
  }

  /** @param {number} nag */
  setJudgement(nag) {
    const node = this.app.node();
    if (!node) return;
    const others = (node.nags ?? []).filter((one) => !POSITION_GLYPHS.includes(one));
    this.app.do({ type: "nags", node: node.id, nags: nag ? [...others, nag] : others });
  }

  saveComment() {
    const node = this.at === null ? undefined : this.app.store.get("tree").nodes.get(this.at);
    if (node && this.comment.value !== node.comment)
      this.app.do({ type: "comment", node: node.id, text: this.comment.value });
  }
}
