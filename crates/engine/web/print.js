// @ts-check
// The game on paper: header, moves in columns, diagrams. Printing itself cannot wait for the server, so the boards of
// diagrams are asked for as soon as a game has some.

import { el } from "./dom.js";
import { moveNumber, moveText } from "./format.js";
import { glyphSign } from "./glyphs.js";
import { isLight, pieceClass, squareAt } from "./squares.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").NodeEntry} NodeEntry */

/** The glyphs that ask for a diagram: seen from White's side, and from Black's. */
const DIAGRAM = 220;
const DIAGRAM_FROM_BLACK = 221;
/** Bounds for hostile files. */
const MOST_DIAGRAMS = 60;
const MOST_MOVES = 5000;
const DEEPEST = 60;
/** How long to wait for the end of a series of changes, in milliseconds. */
const DELAY = 300;

/** @param {NodeEntry} node */
const wantsDiagram = ({ nags = [], comment }) =>
  nags.includes(DIAGRAM) || nags.includes(DIAGRAM_FROM_BLACK) || /\bdiagram\b/i.test(comment);

/** @param {App} app */
export function mountPrint(app) {
  const { store } = app;
  const sheet = el("article", { class: "print-sheet", id: "print-sheet", "aria-hidden": "true" });
  document.body.append(sheet);
  /**
   * Boards of diagrams, by node. A new game has new nodes.
   * @type {Map<number, string>}
   */
  let boards = new Map();
  /** @type {Map<number, NodeEntry> | null} */
  let nodesOfBoards = null;
  let timer = 0;

  const fetchBoards = async () => {
    const { nodes } = store.get("tree");
    if (nodes !== nodesOfBoards) boards = new Map();
    nodesOfBoards = nodes;
    const kept = boards;
    const wanted = [...nodes.values()].filter(wantsDiagram).slice(0, MOST_DIAGRAMS);
    for (const { id } of wanted) {
      if (kept.has(id)) continue;
      const answer = await app.connection.ask({ type: "preview", node: id, moves: [] }).catch(() => null);
      // The move is gone, or the server is away: the next change tries again.
      if (!answer) return;
      kept.set(id, answer.board);
    }
  };
  store.on(["tree"], () => {
    clearTimeout(timer);
    timer = setTimeout(fetchBoards, DELAY);
  });
  addEventListener("beforeprint", () => sheet.replaceChildren(...new Sheet(app, boards).draw()));
}

class Sheet {
  /**
   * @param {App} app
   * @param {Map<number, string>} boards
   */
  constructor(app, boards) {
    this.app = app;
    this.boards = boards;
    this.nodes = app.store.get("tree").nodes;
    this.flipped = app.store.get("flipped");
    this.left = MOST_MOVES;
  }

  draw() {
    const { position, tree } = this.app.store.values;
    if (!position || !tree.root) return [];
    const node = this.app.node();
    const moves = el("div", { class: "print-moves" });
    const turn = position.turn === "white" ? "White" : "Black";
    const after = node?.san ? `After ${moveText(node)}. ` : "";
    moves.append(figure(position.board, this.flipped, `${after}${turn} to move.`));
    if (tree.root.comment) moves.append(comment(tree.root.comment));
    const line = el("p", { class: "print-line" });
    moves.append(line);
    this.line(tree.root.children[0], line, 0);
    if (position.result !== "*") line.append(" ", el("b", {}, resultText(position.result)));
    return [this.header(), moves];
  }

  header() {
    const position = this.app.store.get("position");
    const headers = new Map(position?.headers ?? []);
    const tag = (/** @type {string} */ name) => {
      const value = headers.get(name) ?? "";
      return /^[?.*-]*$/.test(value) ? "" : value;
    };
    const player = (/** @type {string} */ side) => {
      const elo = tag(`${side}Elo`);
      return (tag(side) || side) + (elo && ` (${elo})`);
    };
    const round = tag("Round") && `round ${tag("Round")}`;
    const facts = [tag("Event"), tag("Site"), tag("Date").replace(/\.\?\?/g, ""), round];
    const opening = position?.opening ? `${position.opening.eco} ${position.opening.name}` : tag("ECO");
    const result = position && position.result !== "*" ? `  ${resultText(position.result)}` : "";
    return el(
      "header",
      {},
      el("h1", {}, `${player("White")} – ${player("Black")}${result}`),
      el("p", {}, facts.filter(Boolean).join(", ")),
      el("p", {}, opening),
    );
  }

  /**
   * Writes a line: the main one in bold, its variations in brackets.
   * @param {number | undefined} first
   * @param {HTMLElement} out
   * @param {number} depth
   */
  line(first, out, depth) {
    let isNumbered = true;
    let space = "";
    const add = (/** @type {Node} */ part) => {
      out.append(space, part);
      space = " ";
    };
    for (let node = this.node(first); node && this.left-- > 0; node = this.node(node.children[0])) {
      if (node.before) add(comment(node.before));
      const number = isNumbered || node.before || node.color === "white" ? `${moveNumber(node)} ` : "";
      const signs = [...new Set((node.nags ?? []).filter((nag) => nag < DIAGRAM).map(glyphSign))].join("");
      add(el(depth === 0 ? "b" : "span", {}, `${number}${node.san}${signs}`));
      if (node.comment) add(comment(node.comment));
      const board = wantsDiagram(node) && this.boards.get(node.id);
      if (board) {
        const flipped = node.nags?.includes(DIAGRAM_FROM_BLACK) || this.flipped;
        add(figure(board, flipped, `After ${moveText(node)}`));
      }
      const siblings = this.node(node.parent ?? undefined)?.children ?? [];
      const others = siblings[0] === node.id && depth < DEEPEST ? siblings.slice(1) : [];
      for (const other of others) {
        const variation = el("span", { class: "print-variation" }, "(");
        this.line(other, variation, depth + 1);
        variation.append(")");
        add(variation);
      }
      isNumbered = Boolean(node.comment || board) || others.length > 0;
    }
  }

  /** @param {number | undefined} id */
  node(id) {
    return id === undefined ? undefined : this.nodes.get(id);
  }
}

/** @param {string} result */
const resultText = (result) => result.replaceAll("1/2", "½").replace("-", "–");

/** @param {string} text */
const comment = (text) => el("span", { class: "print-comment", dir: "auto" }, text);

/**
 * A diagram with its caption.
 * @param {string} board
 * @param {boolean} flipped
 * @param {string} caption
 */
function figure(board, flipped, caption) {
  const cells = Array.from({ length: 64 }, (_, index) => {
    const square = squareAt(index % 8, index >> 3, flipped);
    const piece = board[square];
    const ground = isLight(square) ? "light-cell" : "dark-cell";
    return el("div", { class: ground }, piece !== "." && el("div", { class: pieceClass(piece) }));
  });
  return el("figure", {}, el("div", { class: "print-board" }, cells), el("figcaption", {}, caption));
}
