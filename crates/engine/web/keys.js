// @ts-check
// Keys that work anywhere on the page, and the help dialog that lists them.

import { toggle } from "./controls.js";
import { byId, closest, el } from "./dom.js";
import { openDialog } from "./dialog.js";
import { askWhy } from "./explain.js";
import { openSettings } from "./settings.js";
import { startTrainer } from "./setup.js";
import { openShare } from "./share.js";
import { switchTheme } from "./theme.js";
import { openableTabs } from "./tabs.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./board.js").Board} Board */

/** @typedef {[key: string, keys: string[], words: string, action: (key: string) => void]} Binding */

/**
 * Keys: their label, the events, the description and the action.
 * @param {App} app
 * @param {Board} board
 * @returns {Binding[]}
 */
function bindings(app, board) {
  const { store } = app;
  const flip = (/** @type {import("./controls.js").SwitchName} */ name) => () => toggle(app, name);
  const move = (/** @type {import("./protocol").Step} */ to) => () => {
    app.step(to);
  };
  return [
    ["←", ["ArrowLeft", "k"], "one move back (also k)", move("previous")],
    ["→", ["ArrowRight", "j"], "one move forward (also j)", move("next")],
    ["↑", ["ArrowUp", "Home"], "to the start", move("start")],
    ["↓", ["ArrowDown", "End"], "to the end of the line", move("end")],
    ["Shift ↓", ["Shift+ArrowDown"], "next alternative move", move("down")],
    ["Shift ↑", ["Shift+ArrowUp"], "previous alternative move", move("up")],
    ["Shift ←", ["Shift+ArrowLeft"], "leave the variation", move("out")],
    ["b", ["b"], "move the focus to the board", () => board.moveCursor(board.cursor)],
    ["m", ["m", "/"], "type a move", () => byId("typed-move").focus()],
    ["f", ["f"], "flip the board", flip("flipped")],
    ["l", ["l"], "engine on or off", flip("engine")],
    ["Space", [" "], "play the engine's best move", () => playBest(app)],
    ["a", ["a"], "arrows for the engine's moves", flip("arrows")],
    ["x", ["x"], "arrow for the threat", flip("threats")],
    ["w", ["w"], "why? Explain the position", () => askWhy(app)],
    ["u", ["u", "Ctrl+z"], "undo the last change", () => app.do({ type: "undo" })],
    ["r", ["r", "Ctrl+y"], "redo it", () => app.do({ type: "redo" })],
    ["c", ["c"], "comment on this move", writeComment],
    ["s", ["s"], "share and export", () => openShare(app)],
    ["t", ["t"], "coordinate trainer", startTrainer],
    ["d", ["d"], "switch between light and dark", switchTheme],
    [",", [","], "settings", () => openSettings(app)],
    [
      `1 – ${openableTabs(app).length}`,
      ["1", "2", "3", "4", "5", "6", "7", "8", "9"],
      "the tabs from left to right",
      (key) => store.set({ tab: openableTabs(app)[Number(key) - 1] ?? store.get("tab") }),
    ],
    ["?", ["?"], "this list", () => openHelp(app, board)],
  ];
}

/** @type {[key: string, words: string][]} */
const ON_BOARD = [
  ["arrows", "move the cursor"],
  ["Enter", "pick up a piece, put it down"],
  ["Escape", "put it back, cancel a premove"],
  ["o", "draw a circle"],
  ["v, v", "start an arrow, end it"],
  ["p n b r q k", "place a piece while setting up; capitals for White"],
  ["Delete", "remove a piece while setting up"],
];

/** @type {[key: string, words: string][]} */
const IN_LIBRARY = [
  ["↑ ↓ Home End", "move in the list"],
  ["Enter", "open the game"],
  ["Space", "select it; Shift and arrows: a range; Ctrl A: all"],
  ["Delete", "delete the selected games"],
];

/** @type {[key: string, words: string][]} */
const ON_MOUSE = [
  ["right button", "click: draw a circle; drag: draw an arrow. Shift red, Alt blue, Ctrl yellow"],
  ["left button", "on a square without a piece to move: clear the drawings"],
  ["wheel", "step through the game"],
  ["hold", "while setting up: paint the chosen piece; the right button erases"],
];

/** Opens the section with the comment field, and focuses the field. */
function writeComment() {
  const comment = byId("comment");
  const section = comment.closest("details");
  if (section) section.open = true;
  comment.focus();
}

/** @param {App} app */
function playBest(app) {
  const { analysis, position } = app.store.values;
  const best = analysis?.lines[0]?.uci[0];
  if (best && !app.playing() && analysis.node === position?.node) app.do({ type: "move", uci: best });
}

/**
 * @param {App} app
 * @param {Board} board
 */
export function openHelp(app, board) {
  const list = (/** @type {string} */ heading, /** @type {string[][]} */ rows) => {
    const items = rows.flatMap(([key, words]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, words)]);
    return el("section", { class: "stack tight" }, el("h3", {}, heading), el("dl", { class: "keys" }, items));
  };
  const everywhere = bindings(app, board).map(([key, , words]) => [key, words]);
  const right = el("div", { class: "stack" }, list("On the board", ON_BOARD), list("With the mouse", ON_MOUSE));
  if (openableTabs(app).includes("library")) right.append(list("In the library", IN_LIBRARY));
  openDialog("Keyboard shortcuts", el("div", { class: "key-lists" }, list("Everywhere", everywhere), right));
}

/**
 * @param {App} app
 * @param {Board} board
 */
export function mountKeys(app, board) {
  /** @type {Map<string, (key: string) => void>} */
  const actions = new Map();
  for (const [, keys, , action] of bindings(app, board)) for (const key of keys) actions.set(key, action);
  byId("help").addEventListener("click", () => openHelp(app, board));
  addEventListener("keydown", (event) => {
    const writing = closest(event, "input:not([type=checkbox]), textarea, select, dialog, [role=slider]");
    if (event.defaultPrevented || writing || event.altKey) return;
    // The space bar presses the button that has the focus.
    if (event.key === " " && closest(event, "button, summary, input")) return;
    const prefix =
      event.ctrlKey || event.metaKey ? "Ctrl+" : event.shiftKey && event.key.startsWith("Arrow") ? "Shift+" : "";
    const action = actions.get(prefix + event.key);
    if (!action) return;
    event.preventDefault();
    action(event.key);
  });
}
