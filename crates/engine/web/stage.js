// @ts-check
// The main board: shows the current position and turns input into intents.

import { Board } from "./board.js";
import { byId, write } from "./dom.js";
import { mayPremove, mountPremove, premoveTargets } from "./premove.js";
import { choosePromotion } from "./promotion.js";
import { nameOf, piecesOnBoard, squareOf, squaresIn } from "./squares.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./app.js").Values} Values */
/** @typedef {import("./board-overlay.js").Overlay} Overlay */
/** @typedef {import("./board-overlay.js").Shape} Shape */
/** @typedef {import("./board.js").Hands} Hands */
/** @typedef {import("./protocol").MoveEntry} MoveEntry */
/** @typedef {import("./protocol").ShapeColor} ShapeColor */
/** @typedef {import("./protocol").State} State */
/** @typedef {import("./protocol").Step} Step */

/** @param {App} app */
export function mountStage(app) {
  const { store } = app;
  const game = new GameHands(app);
  const board = new Board(byId("board"), game);
  game.board = board;

  store.on(["flipped"], () => board.flip(store.get("flipped")));

  store.on(["position", "draft", "tab", "xray", "inspected", "premove"], () => {
    const { position, draft } = store.values;
    if (draft) {
      board.mark(new Map([["wrong", draft.wrong]]));
      return;
    }
    if (!position) return;
    board.hands = game;
    if (!game.playEarlyMoves()) board.show(piecesOnBoard(position.board));
    board.mark(marksOf(position, store.values));
  });
  store.on(["firstBoard"], () => {
    const { firstBoard, position } = store.values;
    if (firstBoard && !position) board.show(piecesOnBoard(firstBoard));
  });

  store.on(["position", "tree", "analysis", "threat", "hint", "arrows", "draft"], () => drawArrows(app, board.overlay));
  connectControls(app, board);
  mountTypedMoves(app);
  mountPremove(app, ({ from, to }) => game.drop(from, to, true));
  return board;
}

/**
 * @param {State} position
 * @param {Values} values
 */
function marksOf(position, { tab, xray, inspected, premove }) {
  /** @type {Map<string, number[]>} */
  const marks = new Map();
  if (position.last) marks.set("last", position.last.map(squareOf));
  if (position.check) marks.set("check", [squareOf(position.check)]);
  if (premove) marks.set("premove", [premove.from, premove.to]);
  if (tab === "xray" && inspected !== null && xray?.node === position.node) {
    const attacks = xray.attacks.from[inspected] ?? xray.attacks.to[inspected];
    marks.set("attacked", squaresIn(BigInt(attacks)));
    marks.set("inspected", [inspected]);
  }
  return marks;
}

/**
 * Moves by the rules; the server sends the legal moves.
 * @implements {Hands}
 */
class GameHands {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /**
     * Moves made before the first position was there. Whether they are legal is decided when it arrives.
     * @type {[from: number, to: number][]}
     */
    this.early = [];
    /** @type {Board | null} */
    this.board = null;
  }

  /** Without a position the legal moves are unknown, so none are marked. */
  get quiet() {
    return !this.app.store.get("position");
  }

  /**
   * The legal moves of the piece on a square.
   * @param {number} square
   * @returns {MoveEntry[]}
   */
  moves(square) {
    const position = this.app.store.get("position");
    const play = this.app.playing();
    const mayMove = position && (!play || (play.head === position.node && position.turn === play.color));
    return (mayMove && position.moves[nameOf(square)]) || [];
  }

  /** @param {number} square */
  targetsFrom(square) {
    const { position, firstBoard } = this.app.store.values;
    if (!position && firstBoard && firstBoard[square] !== ".") return Array.from(firstBoard, (_, target) => target);
    if (mayPremove(this.app)) return premoveTargets(this.app, square);
    return this.moves(square).flatMap((move) => move.to.map(squareOf));
  }

  /**
   * @param {number} from
   * @param {number | null} to
   * @param {boolean} [queen] A pawn becomes a queen without a question.
   */
  async drop(from, to, queen = false) {
    if (to === null) return false;
    if (!this.app.store.get("position")) return this.dropEarly(from, to);
    if (mayPremove(this.app)) {
      this.board?.settle();
      this.app.store.set({ premove: { from, to } });
      return true;
    }
    const meant = this.moves(from).filter((move) => move.to.includes(nameOf(to)));
    const isOpen = meant.length > 1 && !queen;
    const move = isOpen ? await choosePromotion(meant, to, this.app.store.get("flipped")) : meant[0];
    const isDone = move && (await this.app.do({ type: "move", uci: move.uci }));
    if (!isDone) this.board?.settle();
    return Boolean(isDone);
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  dropEarly(from, to) {
    this.early.push([from, to]);
    const letters = [...(this.app.store.get("firstBoard") ?? "")];
    letters[to] = letters[from];
    letters[from] = ".";
    this.app.store.set({ firstBoard: letters.join("") });
    return true;
  }

  /** Plays the moves made before the first position, up to the first illegal one. Returns whether there are any. */
  playEarlyMoves() {
    const moves = this.early.splice(0);
    const play = async () => {
      for (const [from, to] of moves) if (!(await this.drop(from, to))) return;
    };
    play();
    return moves.length > 0;
  }

  /** A click that moves nothing clears the drawings, or cancels the premove. */
  tap() {
    if (!this.cancel() && this.app.store.get("tab") !== "xray") clearDrawings(this.app);
  }

  cancel() {
    const isSet = this.app.store.get("premove") !== null;
    this.app.store.set({ premove: null });
    return isSet;
  }

  /** @param {number} square */
  touch(square) {
    this.app.store.set({ inspected: square });
  }

  /**
   * Draws a shape, or removes it if it is there already.
   * @param {number} from
   * @param {number} to
   * @param {ShapeColor} color
   */
  draw(from, to, color) {
    const node = this.app.node();
    if (!node) return;
    let { arrows = [], circles = [] } = node;
    if (from === to) circles = toggled(circles, { square: nameOf(from), color });
    else arrows = toggled(arrows, { from: nameOf(from), to: nameOf(to), color });
    this.app.do({ type: "shapes", node: node.id, arrows, circles });
  }
}

/**
 * @template {{ from?: string, to?: string, square?: string, color: ShapeColor }} Drawn An arrow or a circle.
 * @param {Drawn[]} shapes
 * @param {Drawn} shape
 */
function toggled(shapes, shape) {
  const others = shapes.filter((one) => one.square !== shape.square || one.from !== shape.from || one.to !== shape.to);
  const was = shapes.find((one) => !others.includes(one));
  return was?.color === shape.color ? others : [...others, shape];
}

/** @param {App} app */
function clearDrawings(app) {
  const node = app.node();
  if (node?.arrows?.length || node?.circles?.length) app.do({ type: "shapes", node: node.id, arrows: [], circles: [] });
}

/**
 * @param {App} app
 * @param {Overlay} overlay
 */
function drawArrows(app, overlay) {
  const { arrows, analysis, threat, hint, draft } = app.store.values;
  const node = draft ? null : app.node();
  /** @type {(uci: string, kind: string, more?: Partial<Shape>) => Shape} */
  const arrow = (uci, kind, more) => ({
    from: squareOf(uci.slice(0, 2)),
    to: squareOf(uci.slice(2, 4)),
    kind,
    ...more,
  });

  const own = (node?.arrows ?? []).map(({ from, to, color }) => arrow(from + to, color));
  own.push(...(node?.circles ?? []).map(({ square, color }) => arrow(square + square, color)));
  overlay.draw("own", own);

  const lines = arrows && node && !app.playing() ? (analysis?.lines ?? []) : [];
  const firsts = lines.filter((line) => line.uci.length > 0);
  const best = firsts.map((line, index) => {
    const label = lines.length > 1 ? String(line.rank) : "";
    return arrow(line.uci[0], index === 0 ? "best" : "other", { width: Math.max(8, 18 - 3 * index), label });
  });
  // The best move is on top.
  overlay.draw("engine", best.reverse());
  overlay.draw("threat", node && threat?.uci ? [arrow(threat.uci, "threat")] : []);
  overlay.draw("hint", node && hint?.uci ? [arrow(hint.uci, "hint", { width: 20 })] : []);
}

/**
 * The buttons below the board, the mouse wheel, and the field for typed moves.
 * @param {App} app
 * @param {Board} board
 */
function connectControls(app, board) {
  const { store } = app;
  byId("flip").addEventListener("click", () => store.set({ flipped: !store.get("flipped") }));
  const stepButton = (/** @type {string} */ id, /** @type {Step} */ to) => {
    const control = byId(id, HTMLButtonElement);
    control.addEventListener("click", () => app.step(to));
    return control;
  };
  const backward = [stepButton("go-first", "start"), stepButton("go-back", "previous")];
  const forward = [stepButton("go-forward", "next"), stepButton("go-last", "end")];

  let turned = 0;
  board.root.addEventListener(
    "wheel",
    (event) => {
      if (event.ctrlKey || store.get("draft")) return;
      event.preventDefault();
      // A touchpad sends many small deltas; a wheel sends one large one.
      turned += event.deltaY;
      if (Math.abs(turned) < 40) return;
      app.step(turned > 0 ? "next" : "previous");
      turned = 0;
    },
    { passive: false },
  );

  const clear = byId("clear-drawings");
  clear.addEventListener("click", () => clearDrawings(app));

  store.on(["position", "tree", "draft"], () => {
    const node = app.node();
    clear.hidden = Boolean(store.get("draft")) || !(node?.arrows?.length || node?.circles?.length);
    for (const control of backward) control.disabled = !node || node.parent === null;
    for (const control of forward) control.disabled = !node || node.children.length === 0;
  });
}

/** Castling as many people type it. */
const CASTLING = /^[o0]-?[o0](-?[o0])?$/i;

/**
 * The field for typed moves. What is wrong with a move is said beside it, until the text or the position changes.
 * @param {App} app
 */
function mountTypedMoves(app) {
  const { store } = app;
  const typed = byId("typed-move", HTMLInputElement);
  const error = byId("typed-error");
  const complain = (/** @type {string} */ message) => {
    write(error, message);
    error.hidden = !message;
    typed.setAttribute("aria-invalid", String(Boolean(message)));
  };
  byId("typed").addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = typed.value.trim();
    if (!text) return;
    const castling = CASTLING.exec(text);
    const san = castling ? (castling[1] ? "O-O-O" : "O-O") : text;
    try {
      await app.connection.ask({ type: "move", san });
      typed.value = "";
    } catch (reason) {
      complain(reason instanceof Error ? reason.message : String(reason));
    }
  });
  typed.addEventListener("input", () => complain(""));
  let place = "";
  store.on(["position", "tab"], () => {
    const { position, tab } = store.values;
    const here = `${position?.fen} ${tab}`;
    if (here === place) return;
    place = here;
    // A text that was wrong would be wrong here, too.
    if (!error.hidden) typed.value = "";
    complain("");
  });
}
