// @ts-check
// The first screen: without a game, it offers three ways to start.

import { button, byId, el } from "./dom.js";
import { load } from "./import.js";
import { pieceClass } from "./squares.js";

/** @typedef {import("./app.js").App} App */

/** A trap in eight moves, with clocks, comments and drawings: enough to try everything. */
const SAMPLE = `[Event "Sample game"]
[Site "Ferz"]
[Date "2026.03.14"]
[Round "1"]
[White "Ada"]
[Black "Ben"]
[Result "1-0"]
[WhiteElo "1510"]
[BlackElo "1480"]
[TimeControl "300+3"]

{Black pins a knight, and believes in the pin.}
1. e4 {[%clk 0:05:01]} e5 {[%clk 0:05:00]} 2. Nf3 {[%clk 0:05:00]} d6 {[%clk 0:04:58]}
3. Bc4 {[%clk 0:04:58] The bishop looks at f7, the square that only the king defends. [%cal Gc4f7]}
3... Bg4 {[%clk 0:04:49] The knight is pinned: behind it stands the queen. [%cal Rg4d1]}
4. Nc3 {[%clk 0:04:51]} Nc6 {[%clk 0:04:43]}
5. h3 {[%clk 0:04:38] A question to the bishop. Taking the knight was the modest answer.} 5... Bh5 {[%clk 0:04:31]}
(5... Bxf3 6. Qxf3 Nf6 {and White is only a little ahead in development.})
6. Nxe5 {[%clk 0:03:55] The pin does not hold: the knight leaves, and offers the queen.}
6... Bxd1 {[%clk 0:04:12] Too greedy.}
(6... Nxe5 {keeps the loss at a pawn:} 7. Qxh5 Nxc4 8. Qb5+ c6 9. Qxc4)
7. Bxf7+ {[%clk 0:03:57]} Ke7 {[%clk 0:04:13]}
8. Nd5# {[%clk 0:03:58] Three light pieces mate, and the queen was not needed. [%csl Ge7][%cal Gd5e7,Ge5d7,Gf7e8]} 1-0
`;

/**
 * @param {string} id
 * @param {string} piece
 * @param {string} title
 * @param {string} words
 * @param {() => void} onclick
 */
const step = (id, piece, title, words, onclick) =>
  button(
    [
      el("span", { class: pieceClass(piece), "aria-hidden": "true" }),
      el("span", { class: "step-title" }, title),
      " ",
      el("span", { class: "step-words" }, words),
    ],
    onclick,
    { class: "step", id },
  );

/**
 * The invitation in the empty notebook.
 * @param {App} app
 */
export function invitation(app) {
  const play = () => {
    app.store.set({ tab: "play" });
    byId("start-game").focus();
  };
  const open = () => {
    app.store.set({ tab: "review" });
    const field = byId("import-text");
    const card = field.closest("details");
    if (card) card.open = true;
    field.focus();
  };
  const sample = async () => {
    if (await load(app, SAMPLE)) app.store.set({ tab: "review" });
  };
  return el(
    "div",
    { class: "first-steps" },
      step("step-play", "N", "Play", "A game against Ferz, at your level.", play),
      step("step-open", "R", "Open a game", "Paste it, drop a file, or choose one.", open),
      step("step-sample", "Q", "Sample game", "A trap in eight moves, with comments.", sample),
  );
}
