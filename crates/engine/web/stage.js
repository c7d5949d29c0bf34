// The board in the middle of the page: shows the current position and turns hands into intents.

import { Board } from "./board.js";
import { byId } from "./dom.js";
import { choosePromotion } from "./promotion.js";
import { nameOf, piecesOnBoard, squareOf, squaresIn } from "./squares.js";

export function mountStage(app) {
  const { store } = app;
  const game = new GameHands(app);
  const board = new Board(byId("board"), game);

  store.on(["flipped"], () => board.flip(store.get("flipped")));

  store.on(["position", "draft", "tab", "xray", "inspected"], () => {
    const { position, draft } = store.values;
    if (draft) {
      board.mark(new Map([["wrong", draft.wrong]]));
      return;
    }
    if (!position) return;
    board.hands = game;
    board.show(piecesOnBoard(position.board));
    board.mark(marksOf(store.values));
  });

  store.on(["position", "tree", "analysis", "threat", "hint", "arrows", "draft"], () => drawArrows(app, board.overlay));
  connectControls(app, board);
  return board;
}

function marksOf({ position, tab, xray, inspected }) {
  const marks = new Map();
  if (position.last) marks.set("last", position.last.map(squareOf));
  if (position.check) marks.set("check", [squareOf(position.check)]);
  if (tab === "xray" && inspected !== null && xray?.node === position.node) {
    const attacks = xray.attacks.from[inspected] ?? xray.attacks.to[inspected];
    marks.set("attacked", squaresIn(BigInt(attacks)));
    marks.set("inspected", [inspected]);
  }
  return marks;
}

/** The hands of someone who plays by the rules; the server says what those allow. */
class GameHands {
  constructor(app) {
    this.app = app;
  }

  moves(square) {
    const position = this.app.store.get("position");
    const play = this.app.playing();
    const mayMove = position && (!play || (play.head === position.node && position.turn === play.color));
    return (mayMove && position.moves[nameOf(square)]) || [];
  }

  targetsFrom(square) {
    return this.moves(square).flatMap((move) => move.to.map(squareOf));
  }

  async drop(from, to) {
    const meant = this.moves(from).filter((move) => move.to.includes(nameOf(to)));
    const move = meant.length > 1 ? await choosePromotion(meant, to, this.app.store.get("flipped")) : meant[0];
    const isDone = move && (await this.app.do({ type: "move", uci: move.uci }));
    // A piece that was dropped but not moved goes back.
    if (!isDone) this.app.store.set({ position: { ...this.app.store.get("position") } });
  }

  touch(square) {
    this.app.store.set({ inspected: square });
  }

  /** Draws a shape, or takes the same one away. */
  draw(from, to, color) {
    const node = this.app.node();
    if (!node) return;
    let { arrows = [], circles = [] } = node;
    if (from === to) circles = toggled(circles, { square: nameOf(from), color });
    else arrows = toggled(arrows, { from: nameOf(from), to: nameOf(to), color });
    this.app.do({ type: "shapes", node: node.id, arrows, circles });
  }
}

function toggled(shapes, shape) {
  const others = shapes.filter((one) => one.square !== shape.square || one.from !== shape.from || one.to !== shape.to);
  const was = shapes.find((one) => !others.includes(one));
  return was?.color === shape.color ? others : [...others, shape];
}

function drawArrows(app, overlay) {
  const { arrows, analysis, threat, hint, draft } = app.store.values;
  const node = draft ? null : app.node();
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
  // While a depth is under way two lines may begin with the same move for a moment; one arrow is enough.
  const isFirst = (line, index) =>
    line.uci.length > 0 && lines.findIndex((one) => one.uci[0] === line.uci[0]) === index;
  const best = lines.filter(isFirst).map((line, index) => {
    const label = lines.length > 1 ? String(line.rank) : "";
    return arrow(line.uci[0], index === 0 ? "best" : "other", { width: Math.max(8, 18 - 3 * index), label });
  });
  // The best move lies on top.
  overlay.draw("engine", best.reverse());
  overlay.draw("threat", node && threat?.uci ? [arrow(threat.uci, "threat")] : []);
  overlay.draw("hint", node && hint?.uci ? [arrow(hint.uci, "hint", { width: 20 })] : []);
}

/** Buttons around the board, the wheel over it, and the field for typed moves. */
function connectControls(app, board) {
  const { store } = app;
  byId("flip").addEventListener("click", () => store.set({ flipped: !store.get("flipped") }));
  const steps = { "go-first": "start", "go-back": "previous", "go-forward": "next", "go-last": "end" };
  for (const [id, to] of Object.entries(steps)) byId(id).addEventListener("click", () => app.step(to));

  let turned = 0;
  board.root.addEventListener(
    "wheel",
    (event) => {
      if (event.ctrlKey || store.get("draft")) return;
      event.preventDefault();
      // Touch pads send many small turns; a wheel one large one.
      turned += event.deltaY;
      if (Math.abs(turned) < 40) return;
      app.step(turned > 0 ? "next" : "previous");
      turned = 0;
    },
    { passive: false },
  );

  const typed = byId("typed-move");
  byId("typed").addEventListener("submit", async (event) => {
    event.preventDefault();
    const san = typed.value.trim();
    if (san && (await app.do({ type: "move", san }))) typed.value = "";
  });

  store.on(["position", "tree"], () => {
    const node = app.node();
    byId("go-first").disabled = byId("go-back").disabled = !node || node.parent === null;
    byId("go-forward").disabled = byId("go-last").disabled = !node || node.children.length === 0;
  });
}
