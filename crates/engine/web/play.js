// @ts-check
// The Play panel: the options of a game against the engine, and the controls during it.

import { segments } from "./controls.js";
import { button, byId, choice, el, field, write } from "./dom.js";
import { sanText } from "./figurines.js";
import { mountGameEnd } from "./game-end.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").LevelEntry} LevelEntry */
/** @typedef {import("./protocol").PlayColor} PlayColor */
/** @typedef {import("./protocol").PlayEntry} PlayEntry */
/** @typedef {import("./protocol").PlayFrom} PlayFrom */
/** @typedef {import("./protocol").State} State */

/** @type {[value: PlayColor, text: string][]} */
const COLORS = [
  ["white", "White"],
  ["random", "Random"],
  ["black", "Black"],
];
/** @type {[value: PlayFrom, text: string][]} */
const STARTS = [
  ["start", "start position"],
  ["here", "current position"],
  ["chess960", "Chess960"],
];
/** @type {[value: string, text: string][]} */
const CLOCKS = [
  ["none", "no clock"],
  ["60+0", "1 minute"],
  ["180+2", "3 minutes + 2 s"],
  ["300+3", "5 minutes + 3 s"],
  ["600+5", "10 minutes + 5 s"],
  ["900+10", "15 minutes + 10 s"],
  ["1800+20", "30 minutes + 20 s"],
  ["own", "custom…"],
];

/** @param {App} app */
export function mountPlay(app) {
  const { store } = app;
  const table = mountGame(app);
  const offer = mountOffer(app);
  byId("panel-play").append(table, mountGameEnd(app), offer);
  store.on(["position"], () => {
    const play = store.get("position")?.play ?? null;
    table.hidden = !play || Boolean(play.over);
    // After a game the form comes when it is asked for: it would push the moves out of sight.
    offer.hidden = Boolean(play);
  });
  turnToPlayer(app);
}

/**
 * Turns the board so that the reader's side is at the bottom.
 * @param {App} app
 */
function turnToPlayer(app) {
  /** @type {string | null} */
  let turnedFor = null;
  let hadBlack = false;
  app.store.on(["position"], () => {
    const hasBlack = app.store.get("position")?.play?.color === "black";
    // After a game with Black, the next one is seen from White's side again.
    if (hadBlack && !hasBlack) app.store.set({ flipped: false });
    hadBlack = hasBlack;
    const play = app.playing();
    const game = play ? `${play.color} ${play.from}` : null;
    if (play && game !== turnedFor) app.store.set({ flipped: play.color === "black" });
    turnedFor = game;
  });
}

// ---- before the game ----

/** @param {App} app */
function mountOffer(app) {
  const { store } = app;
  const levels = el("div", { class: "levels", role: "radiogroup", "aria-label": "Level" });
  store.on(["welcome"], () => {
    const known = store.get("welcome")?.levels ?? [];
    levels.replaceChildren(...known.map((level) => levelCard(app, level)));
  });

  const text = el("p", { class: "level-text" });
  store.on(["welcome", "level"], () => {
    const level = store.get("welcome")?.levels.find(({ id }) => id === store.get("level"));
    write(text, level ? `${level.name}: ${level.text}.` : "");
  });

  const colors = segments(app, "You play", "color", COLORS);
  const clock = choice(CLOCKS, store.get("clock"), (value) => store.set({ clock: value }));
  const minutes = numberInput(app, "minutes", 0.1, 180);
  const increment = numberInput(app, "increment", 0, 180);
  const own = el("div", { class: "row-of end" }, field("Minutes", minutes), field("Seconds per move", increment));
  store.on(["clock"], () => {
    own.hidden = store.get("clock") !== "own";
  });
  const start = choice(STARTS, "start", () => {});

  const begin = async () => {
    const { color, level } = store.values;
    const from = /** @type {PlayFrom} */ (start.value);
    const answer = await app.do({ type: "play", color, level, clock: clockOf(store.values), from });
    // On a tab the arrow keys would leave the game instead of stepping through it.
    if (answer) byId("board").focus();
  };
  return el(
    "div",
    { class: "card stack" },
    el("h2", {}, "Play against Ferz"),
    levels,
    text,
    el("div", { class: "row-of end wide-gap" }, colors, field("Clock", clock), own, field("From", start)),
    el("div", {}, button("Start the game", begin, { class: "primary", id: "start-game" })),
  );
}

/**
 * @param {App} app
 * @param {LevelEntry} level
 */
function levelCard({ store }, level) {
  const radio = el("input", { type: "radio", name: "level", value: level.id });
  radio.checked = store.get("level") === level.id;
  radio.addEventListener("change", () => store.set({ level: level.id }));
  const elo = el("span", { class: "elo" }, level.elo === null ? "full" : String(level.elo));
  return el("label", { class: "level" }, radio, el("span", { class: "name" }, level.name), elo);
}

/**
 * @param {App} app
 * @param {"minutes" | "increment"} name
 * @param {number} min
 * @param {number} max
 */
function numberInput({ store }, name, min, max) {
  const input = el("input", { type: "number", min, max, step: "any", class: "number" });
  input.value = String(store.get(name));
  input.addEventListener("change", () => {
    const value = Math.min(max, Math.max(min, Number(input.value) || min));
    input.value = String(value);
    store.set(name === "minutes" ? { minutes: value } : { increment: value });
  });
  return input;
}

/** @param {import("./app.js").Settings} settings */
function clockOf({ clock, minutes, increment }) {
  if (clock === "none") return null;
  const [seconds, more] = clock === "own" ? [60 * minutes, increment] : clock.split("+").map(Number);
  return { initial_ms: Math.round(1000 * seconds), increment_ms: Math.round(1000 * more) };
}

// ---- during the game ----

/** @param {App} app */
function mountGame(app) {
  const { store } = app;
  const status = el("p", { class: "game-status" });
  const note = el("p", { class: "soft game-note" });
  const takeBack = button("Take back", () => app.do({ type: "takeback" }), { id: "take-back" });
  const hint = button("Hint", () => askHint(app), { id: "hint" });
  const draw = button("Offer a draw", () => app.do({ type: "draw" }));
  const claim = button("Claim a draw", () => app.do({ type: "claim" }), { class: "primary" });
  const resign = button("Resign", () => confirmResign(resign, app), { id: "resign" });
  const back = button("Back to the game", () => {
    const play = store.get("position")?.play;
    if (play) app.do({ type: "go", node: play.head });
  });

  store.on(["position", "hint"], () => {
    const { position, hint: given } = store.values;
    const play = position?.play;
    if (!position || !play || play.over) return;
    write(status, statusText(position, play));
    const isBook = play.book_move && !play.thinking && position.node === play.head;
    write(note, given?.san ? `Hint: ${sanText(given.san)}` : isBook ? "Ferz played from its opening book." : "");
    hint.disabled = play.thinking || position.node !== play.head;
    claim.hidden = position.claims.length === 0 || position.turn !== play.color;
    back.hidden = position.node === play.head;
    resign.textContent = "Resign";
    resign.dataset.armed = "";
  });
  return el(
    "div",
    { class: "card stack" },
    el("h2", { class: "visually-hidden" }, "The game"),
    status,
    note,
    el("div", { class: "row-of close" }, claim, takeBack, hint, draw, resign, back),
  );
}

/**
 * @param {State} position
 * @param {PlayEntry} play
 */
function statusText(position, play) {
  if (play.thinking) return "Ferz is thinking…";
  if (position.node !== play.head) return "You are looking at an earlier position.";
  if (position.check) return "You are in check. Your move.";
  return "Your move.";
}

/** @param {App} app */
async function askHint(app) {
  const hint = await app.do({ type: "hint" });
  if (hint && hint.node === app.store.get("position")?.node) app.store.set({ hint });
}

/**
 * Resigning takes two clicks, so that a slip does not lose a game.
 * @param {HTMLButtonElement} control
 * @param {App} app
 */
function confirmResign(control, app) {
  if (control.dataset.armed) {
    app.do({ type: "resign" });
    return;
  }
  control.dataset.armed = "yes";
  control.textContent = "Really resign?";
}
