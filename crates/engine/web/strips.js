// @ts-check
// Above and below the board: the players, the captured pieces and the clocks. Under it: the result and the opening.

import { byId, el, write } from "./dom.js";
import { clockText } from "./format.js";
import { endText } from "./game-end.js";
import { pieceClass } from "./squares.js";
import { clockAt } from "./time-graph.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").ColorName} ColorName */
/** @typedef {import("./protocol").State} State */

const VALUES = { q: 9, r: 5, b: 3, n: 3, p: 1 };
/** @type {ColorName[]} */
const SIDES = ["white", "black"];
/** @param {ColorName} color */
const other = (color) => (color === "white" ? "black" : "white");

/** @param {App} app */
export function mountStrips(app) {
  const { store } = app;
  /** @type {Map<ColorName, HTMLElement>} */
  const clocks = new Map();
  /** When the server last sent the clocks. */
  let receivedAt = 0;

  /** @type {State | null} */
  let known = null;

  store.on(["position", "flipped", "welcome", "draft", "tab"], () => {
    const { position, flipped, draft, tab } = store.values;
    if (!position) return;
    if (position !== known) receivedAt = performance.now();
    known = position;
    const bottom = flipped ? "black" : "white";
    for (const color of SIDES) {
      const strip = byId(color === bottom ? "strip-bottom" : "strip-top");
      const clock = el("span", { class: "clock", role: "timer", "aria-label": `${color}'s clock` });
      clocks.set(color, clock);
      const shown = position.play ? null : clockAt(store.get("tree").nodes, app.node(), color);
      clock.hidden = !position.play?.clock && shown === null;
      if (shown !== null) write(clock, clockText(shown));
      strip.classList.toggle("to-move", position.turn === color && !draft && !position.outcome && !position.play?.over);
      const parts = draft
        ? []
        : [
            el("span", { class: "who", dir: "auto" }, playerName(app, position, color)),
            material(position.board, color),
            clock,
          ];
      strip.replaceChildren(...parts);
    }
    tick();
    drawLegend(position, tab);
  });

  function tick() {
    const clock = store.get("position")?.play?.clock;
    if (!clock) return;
    for (const color of SIDES) {
      const runs = clock.running === color;
      const sent = color === "white" ? clock.white_ms : clock.black_ms;
      const left = sent - (runs ? performance.now() - receivedAt : 0);
      const element = clocks.get(color);
      if (!element) continue;
      element.classList.toggle("running", runs);
      element.classList.toggle("low", left < 20000);
      write(element, clockText(left));
    }
  }
  setInterval(tick, 100);
}

/**
 * "You" and "Ferz" in a game against the engine, otherwise the name in the game's headers.
 * @param {App} app
 * @param {State} position
 * @param {ColorName} color
 */
function playerName(app, { play, headers: tags }, color) {
  if (play) {
    if (play.color === color) return "You";
    const level = app.store.get("welcome")?.levels.find((one) => one.id === play.level);
    return level ? `Ferz, ${level.name}` : "Ferz";
  }
  const headers = new Map(tags);
  const name = headers.get(color === "white" ? "White" : "Black");
  const elo = headers.get(color === "white" ? "WhiteElo" : "BlackElo");
  const isNamed = name && name !== "?";
  return (isNamed ? name : color === "white" ? "White" : "Black") + (isNamed && elo && elo !== "?" ? ` (${elo})` : "");
}

/**
 * The pieces that the opponent lacks in comparison, and the material difference in points.
 * @param {string} board
 * @param {ColorName} color
 */
function material(board, color) {
  const count = (/** @type {string} */ letter) => [...board].filter((piece) => piece === letter).length;
  /** @type {(type: string, side: ColorName) => string} */
  const letter = (type, side) => (side === "white" ? type.toUpperCase() : type);
  const taken = [];
  let points = 0;
  for (const [type, value] of Object.entries(VALUES)) {
    const surplus = count(letter(type, color)) - count(letter(type, other(color)));
    points += value * surplus;
    const men = Array.from({ length: Math.max(0, surplus) }, () =>
      el("span", { class: pieceClass(letter(type, other(color))), "aria-hidden": "true" }),
    );
    if (men.length > 0) taken.push(el("span", { class: "kind" }, men));
  }
  const text = points > 0 ? `+${points}` : "";
  return el("span", { class: "material" }, taken, el("span", {}, text));
}

/**
 * Shows the result of the game and the name of its opening.
 * @param {State} position
 * @param {import("./tabs.js").Tab} tab
 */
function drawLegend({ opening, outcome, play }, tab) {
  // The Play panel has a card for the end of its game.
  const isTold = play?.over && tab === "play";
  const end = isTold ? null : play?.over ? { text: endText(play, play.over) } : outcome;
  const parts = [];
  if (end) parts.push(el("b", { class: "outcome" }, `${end.text}.`), " ");
  if (opening) parts.push(el("span", { class: "eco" }, opening.eco), opening.name);
  byId("opening").replaceChildren(...parts);
}
