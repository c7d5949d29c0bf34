// Above and below the board: who plays, what was captured, the clocks; and the name of the opening.

import { byId, el, write } from "./dom.js";
import { clockText } from "./format.js";
import { pieceClass } from "./squares.js";

const VALUES = { q: 9, r: 5, b: 3, n: 3, p: 1 };
const SIDES = ["white", "black"];
const other = (color) => (color === "white" ? "black" : "white");

export function mountStrips(app) {
  const { store } = app;
  const clocks = new Map();
  /** When the clocks were last told by the server. */
  let told = 0;

  store.on(["position", "flipped", "welcome", "draft"], () => {
    const { position, flipped, draft } = store.values;
    if (!position) return;
    told = performance.now();
    const bottom = flipped ? "black" : "white";
    for (const color of SIDES) {
      const strip = byId(color === bottom ? "strip-bottom" : "strip-top");
      const clock = el("span", { class: "clock", role: "timer", "aria-label": `${color}'s clock` });
      clocks.set(color, clock);
      clock.hidden = !position.play?.clock;
      const parts = draft
        ? []
        : [el("span", { class: "who", dir: "auto" }, nameOf(app, color)), material(position.board, color), clock];
      strip.replaceChildren(...parts);
    }
    tick();
    drawLegend(position);
  });

  function tick() {
    const clock = store.get("position")?.play?.clock;
    if (!clock) return;
    for (const color of SIDES) {
      const runs = clock.running === color;
      const left = clock[`${color}_ms`] - (runs ? performance.now() - told : 0);
      const element = clocks.get(color);
      element.classList.toggle("running", runs);
      element.classList.toggle("low", left < 20000);
      write(element, clockText(left));
    }
  }
  setInterval(tick, 100);
}

/** Ferz and you in a game between the two, else whoever is named in the game. */
function nameOf(app, color) {
  const { position, welcome } = app.store.values;
  if (position.play) {
    if (position.play.color === color) return "You";
    const level = welcome?.levels.find((one) => one.id === position.play.level);
    return level ? `Ferz, ${level.name}` : "Ferz";
  }
  const headers = new Map(position.headers);
  const name = headers.get(color === "white" ? "White" : "Black");
  const elo = headers.get(color === "white" ? "WhiteElo" : "BlackElo");
  const isNamed = name && name !== "?";
  return (isNamed ? name : color === "white" ? "White" : "Black") + (isNamed && elo && elo !== "?" ? ` (${elo})` : "");
}

/** The enemy's pieces that this side has more of, and the difference in points. */
function material(board, color) {
  const count = (letter) => [...board].filter((piece) => piece === letter).length;
  const letter = (type, side) => (side === "white" ? type.toUpperCase() : type);
  const taken = [];
  let points = 0;
  for (const [type, value] of Object.entries(VALUES)) {
    const surplus = count(letter(type, color)) - count(letter(type, other(color)));
    points += value * surplus;
    for (let i = 0; i < surplus; i++)
      taken.push(el("span", { class: pieceClass(letter(type, other(color))), "aria-hidden": "true" }));
  }
  const text = points > 0 ? `+${points}` : "";
  return el("span", { class: "material" }, taken, el("span", {}, text));
}

/** Under the board: how the game ended, and the name of its opening. */
function drawLegend({ opening, outcome, play }) {
  const end = play?.over ?? outcome;
  const parts = [];
  if (end) parts.push(el("b", { class: "outcome" }, `${end.text}.`), " ");
  if (opening) parts.push(el("span", { class: "eco" }, opening.eco), opening.name);
  byId("opening").replaceChildren(...parts);
}
