// Keys that work anywhere on the page, and the list of them.

import { byId, el } from "./dom.js";
import { openDialog } from "./dialog.js";
import { askWhy } from "./explain.js";
import { openShare } from "./share.js";
import { switchTheme } from "./theme.js";
import { TABS } from "./tabs.js";

/** Keys, what they do in words, and what they do. */
function bindings(app, board) {
  const { store } = app;
  const flip = (name) => () => store.set({ [name]: !store.get(name) });
  const move = (to) => () => app.step(to);
  return [
    ["←", ["ArrowLeft", "k"], "one move back (also k)", move("previous")],
    ["→", ["ArrowRight", "j"], "one move forward (also j)", move("next")],
    ["↑", ["ArrowUp", "Home"], "to the beginning", move("start")],
    ["↓", ["ArrowDown", "End"], "to the end of the line", move("end")],
    ["Shift ↓", ["Shift+ArrowDown"], "the next alternative to this move", move("down")],
    ["Shift ↑", ["Shift+ArrowUp"], "the alternative before", move("up")],
    ["Shift ←", ["Shift+ArrowLeft"], "out of the variation", move("out")],
    ["b", ["b"], "put the cursor on the board", () => board.moveCursor(board.cursor)],
    ["m", ["m", "/"], "type a move", () => byId("typed-move").focus()],
    ["f", ["f"], "flip the board", flip("flipped")],
    ["l", ["l"], "engine on or off", flip("engine")],
    ["Space", [" "], "play the engine's best move", () => playBest(app)],
    ["a", ["a"], "arrows for the engine's moves", flip("arrows")],
    ["x", ["x"], "arrow for the threat", flip("threats")],
    ["w", ["w"], "why? Explain the position", () => askWhy(app)],
    ["u", ["u", "Ctrl+z"], "undo the last change", () => app.do({ type: "undo" })],
    ["r", ["r", "Ctrl+y"], "do it again", () => app.do({ type: "redo" })],
    ["c", ["c"], "comment on this move", writeComment],
    ["s", ["s"], "share and export", () => openShare(app)],
    ["d", ["d"], "light or dark", switchTheme],
    [
      "1 – 5",
      ["1", "2", "3", "4", "5"],
      "play, analyse, review, set up, X-ray",
      (key) => store.set({ tab: TABS[key - 1] }),
    ],
    ["?", ["?"], "this list", () => openHelp(app, board)],
  ];
}

const ON_BOARD = [
  ["arrows", "move the cursor"],
  ["Enter", "lift a piece, put it down"],
  ["Escape", "put it back"],
  ["o", "draw a circle"],
  ["v, v", "draw an arrow from here to there"],
  ["p n b r q k", "set a piece while setting up; capitals are White's"],
  ["Delete", "take it away"],
];

const ON_MOUSE = [
  ["right button", "draw a circle or, dragged, an arrow; Shift red, Alt blue, Ctrl yellow"],
  ["wheel", "go through the game"],
];

/** The field is folded away as long as nobody needs it. */
function writeComment() {
  const comment = byId("comment");
  comment.closest("details").open = true;
  comment.focus();
}

function playBest(app) {
  const { analysis, position } = app.store.values;
  const best = analysis?.lines[0]?.uci[0];
  if (best && !app.playing() && analysis.node === position.node) app.do({ type: "move", uci: best });
}

export function openHelp(app, board) {
  const list = (heading, rows) => {
    const items = rows.flatMap(([key, words]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, words)]);
    return el("section", { class: "stack tight" }, el("h3", {}, heading), el("dl", { class: "keys" }, items));
  };
  const everywhere = bindings(app, board).map(([key, , words]) => [key, words]);
  const right = el("div", { class: "stack" }, list("On the board", ON_BOARD), list("With the mouse", ON_MOUSE));
  openDialog("Keys", el("div", { class: "key-lists" }, list("Everywhere", everywhere), right));
}

export function mountKeys(app, board) {
  const actions = new Map(bindings(app, board).flatMap(([, keys, , action]) => keys.map((key) => [key, action])));
  byId("help").addEventListener("click", () => openHelp(app, board));
  addEventListener("keydown", (event) => {
    const writing = event.target.closest?.("input:not([type=checkbox]), textarea, select, dialog, [role=slider]");
    if (event.defaultPrevented || writing || event.altKey) return;
    // The space bar presses the button that has the focus.
    if (event.key === " " && event.target.closest?.("button, summary, input")) return;
    const prefix =
      event.ctrlKey || event.metaKey ? "Ctrl+" : event.shiftKey && event.key.startsWith("Arrow") ? "Shift+" : "";
    const action = actions.get(prefix + event.key);
    if (!action) return;
    event.preventDefault();
    action(event.key);
  });
}
