// @ts-check
// The settings of board, pieces, notation and sound, and the dialog for them.

import { segments, switchButton } from "./controls.js";
import { openDialog } from "./dialog.js";
import { byId, el } from "./dom.js";
import { useFigurines } from "./figurines.js";
import { playSound } from "./sounds.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./app.js").Settings} Settings */

/** @type {[value: string, text: string][]} */
const BOARDS = [
  ["classic", "Classic"],
  ["green", "Green"],
  ["blue", "Blue"],
  ["grey", "Grey"],
  ["rose", "Rose"],
];
/** @type {[value: string, text: string][]} */
const PIECES = [
  ["ferz", "Ferz"],
  ["line", "Line"],
  ["letters", "Letters"],
];

/**
 * Applies the settings to the page. Style sheets read them from the root element.
 * @param {App} app
 */
export function mountSettings(app) {
  const { store } = app;
  const { dataset } = document.documentElement;
  store.on(["boardTheme", "pieceSet", "coordinates"], () => {
    const { boardTheme, pieceSet, coordinates } = store.values;
    Object.assign(dataset, { board: boardTheme, pieces: pieceSet, coordinates });
  });
  store.on(["figurines"], () => useFigurines(store.get("figurines")));
  byId("settings").addEventListener("click", () => openSettings(app));
}

/** @type {HTMLElement | null} The content of the dialog, built when it is first needed. */
let content = null;

/** @param {App} app */
export function openSettings(app) {
  content ??= build(app);
  openDialog("Settings", content);
}

/** @param {App} app */
function build(app) {
  const coordinates = segments(app, "Coordinates", "coordinates", [
    ["inside", "Inside"],
    ["outside", "Outside"],
    ["off", "Off"],
  ]);
  const sounds = switchButton(app, "sounds", "Sounds");
  // The reader hears at once what the switch does.
  sounds.addEventListener("click", () => app.store.get("sounds") && playSound("move"));
  return el(
    "div",
    { class: "stack settings" },
    samples(app, "Board", "boardTheme", BOARDS, (value) => ({ "data-board": value })),
    samples(app, "Pieces", "pieceSet", PIECES, (value) => ({ "data-pieces": value })),
    coordinates,
    el("div", { class: "row-of" }, switchButton(app, "figurines", "Figurines (♘f3)"), sounds),
  );
}

/**
 * Choices with a picture of four squares and two pieces.
 * @param {App} app
 * @param {string} label
 * @param {"boardTheme" | "pieceSet"} name
 * @param {[value: string, text: string][]} options
 * @param {(value: string) => import("./dom.js").Attributes} look
 */
function samples({ store }, label, name, options, look) {
  const group = el("div", { class: "samples" });
  for (const [value, text] of options) {
    const radio = el("input", { type: "radio", name: `sample-${name}`, value });
    radio.checked = store.get(name) === value;
    radio.addEventListener("change", () => store.set(/** @type {Partial<Settings>} */ ({ [name]: value })));
    const picture = el(
      "span",
      { class: "sample", "aria-hidden": "true", ...look(value) },
      el("span", { class: "square light" }, el("span", { class: "piece wn" })),
      el("span", { class: "square dark" }, el("span", { class: "piece bq" })),
    );
    group.append(el("label", { class: "sample-choice" }, radio, picture, el("span", {}, text)));
  }
  return el("fieldset", {}, el("legend", {}, label), group);
}
