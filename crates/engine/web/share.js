// @ts-check
// Sharing and exporting: links, PGN, FEN, pictures.

import { button, byId, el, field } from "./dom.js";
import { openDialog } from "./dialog.js";
import { linkTo } from "./memory.js";
import { showError, showNotice } from "./notices.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").ExportKind} ExportKind */

/** Width and height of a PNG, in pixels. */
const PNG_SIZE = 1200;

/**
 * Saves a blob as a file.
 * @param {string} name
 * @param {Blob} blob
 */
export function saveFile(name, blob) {
  const url = URL.createObjectURL(blob);
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/**
 * Copies a text to the clipboard.
 * @param {string} text
 * @param {string} what What it is, for the message.
 */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    showNotice(`${what} copied.`);
  } catch {
    showError(`The browser did not allow copying. Select the ${what} in Share and export, and copy it by hand.`);
  }
}

/**
 * @param {App} app
 * @param {ExportKind} what
 */
const ask = (app, what) => app.do({ type: "export", what, orientation: app.store.get("flipped") ? "black" : "white" });

/**
 * @param {App} app
 * @param {ExportKind} what
 * @param {string} name
 */
export async function copyExport(app, what, name) {
  const answer = await ask(app, what);
  if (answer) await copy(answer.text, name);
}

/**
 * @param {App} app
 * @param {ExportKind} what
 */
export async function saveExport(app, what) {
  const answer = await ask(app, what);
  if (answer) saveFile(answer.file, new Blob([answer.text], { type: answer.mime }));
}

/**
 * Saves the diagram as PNG: the server draws it as SVG and the browser paints that.
 * @param {App} app
 */
async function savePng(app) {
  const answer = await ask(app, "svg");
  if (!answer) return;
  const image = new Image(PNG_SIZE, PNG_SIZE);
  const url = URL.createObjectURL(new Blob([answer.text], { type: "image/svg+xml" }));
  try {
    image.src = url;
    await image.decode();
    const canvas = el("canvas", { width: PNG_SIZE, height: PNG_SIZE });
    canvas.getContext("2d")?.drawImage(image, 0, 0, PNG_SIZE, PNG_SIZE);
    canvas.toBlob((blob) => blob && saveFile(answer.file.replace(/svg$/, "png"), blob), "image/png");
  } catch {
    showError("The PNG could not be created. Save the SVG instead.");
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** @param {App} app */
export async function openShare(app) {
  const pgn = await ask(app, "pgn");
  const position = app.store.get("position");
  if (!position || !pgn) return;
  const link = await linkTo(pgn.text, position.path);
  const readOnly = (/** @type {string} */ value, /** @type {string} */ id) => {
    const input = el("input", { readonly: "", class: "mono", id });
    input.value = value;
    input.addEventListener("focus", () => input.select());
    return input;
  };
  const text = el("textarea", { readonly: "", rows: "8", id: "share-pgn" });
  text.value = pgn.text;
  /** @type {(label: string, input: HTMLElement, ...buttons: HTMLElement[]) => HTMLElement} */
  const line = (label, input, ...buttons) =>
    el("div", { class: "share-line" }, field(label, input), el("div", { class: "row-of" }, buttons));
  openDialog(
    "Share and export",
    el(
      "div",
      { class: "stack" },
      line(
        "Link to the whole game",
        readOnly(link, "share-link"),
        button("Copy link", () => copy(link, "Link")),
      ),
      line(
        "FEN of this position",
        readOnly(position.fen, "share-fen"),
        button("Copy FEN", () => copy(position.fen, "FEN")),
      ),
      line(
        "PGN with variations and comments",
        text,
        button("Copy PGN", () => copy(pgn.text, "PGN")),
        button("Save PGN", () => saveExport(app, "pgn")),
        button("Copy moves only", () => copyExport(app, "moves", "Moves")),
      ),
      el(
        "div",
        { class: "row-of" },
        button("Save SVG", () => saveExport(app, "svg")),
        button("Save PNG", () => savePng(app)),
      ),
    ),
  );
}

/** @param {App} app */
export const mountShare = (app) => byId("share").addEventListener("click", () => openShare(app));
