// @ts-check
// Sharing and exporting: links, PGN, FEN, pictures, films, web pages.

import { button, byId, choice, el, field } from "./dom.js";
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

/** Whether the page comes from this computer, so that its address means nothing elsewhere. */
const isLocal = () => /^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname) || location.protocol === "file:";

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
  const text = el("textarea", { readonly: "", rows: "6", id: "share-pgn" });
  text.value = pgn.text;
  /** @type {(label: string, input: HTMLElement, ...buttons: HTMLElement[]) => HTMLElement} */
  const line = (label, input, ...buttons) =>
    el("div", { class: "share-line" }, field(label, input), el("div", { class: "row-of" }, buttons));
  const reach = isLocal()
    ? "This link opens only on this computer, while Ferz runs at this address. To send the game to someone, use a " +
      "file or the PGN."
    : "Anyone with this link can open the game.";
  openDialog(
    "Share and export",
    el(
      "div",
      { class: "stack" },
      el(
        "section",
        { class: "stack tight" },
        el("h3", {}, "Files that open anywhere"),
        el(
          "div",
          { class: "row-of" },
          button("Save web page", () => saveExport(app, "html"), { class: "primary", id: "save-html" }),
          button("Save PGN", () => saveExport(app, "pgn")),
          button("Save PNG", () => savePng(app)),
          button("Save SVG", () => saveExport(app, "svg")),
          button("Print…", () => printGame(), { id: "print-game" }),
        ),
        el(
          "p",
          { class: "soft" },
          "The web page is one file with board, moves and comments. It needs no network. In print, a move with the " +
            "word “diagram” in its comment has a diagram.",
        ),
        gifMaker(app),
      ),
      line(
        "PGN with variations and comments",
        text,
        button("Copy PGN", () => copy(pgn.text, "PGN")),
        button("Copy moves only", () => copyExport(app, "moves", "Moves")),
      ),
      line(
        "FEN of this position",
        readOnly(position.fen, "share-fen"),
        button("Copy FEN", () => copy(position.fen, "FEN")),
      ),
      line(
        "Link to the whole game",
        readOnly(link, "share-link"),
        button("Copy link", () => copy(link, "Link")),
        el("span", { class: "soft", id: "share-reach" }, reach),
      ),
    ),
  );
}

/** Closes the dialog and prints the game. */
function printGame() {
  document.querySelector("dialog")?.close();
  print();
}

/**
 * The controls of the animated GIF.
 * @param {App} app
 */
function gifMaker(app) {
  const line = choice(
    [
      ["main", "the main line"],
      ["current", "the current line"],
    ],
    "main",
    () => {},
    { "aria-label": "Moves of the GIF", id: "gif-line" },
  );
  const speed = choice(
    [
      ["500", "0.5 s per move"],
      ["1000", "1 s per move"],
      ["2000", "2 s per move"],
    ],
    "1000",
    () => {},
    { "aria-label": "Speed of the GIF", id: "gif-speed" },
  );
  const bar = el("progress", { max: "1", value: "0", hidden: true, "aria-label": "Progress of the GIF" });
  const make = async () => {
    const cancel = new AbortController();
    bar.closest("dialog")?.addEventListener("close", () => cancel.abort());
    save.disabled = true;
    bar.hidden = false;
    try {
      // Most visits do without it.
      const { currentLine, filmOf, mainLine } = await import("./film.js");
      const moves = line.value === "main" ? mainLine(app) : currentLine(app);
      const progress = (/** @type {number} */ share) => {
        bar.value = share;
      };
      const film = await filmOf(app, moves, Number(speed.value), progress, cancel.signal);
      const name = await ask(app, "moves");
      if (film && name) saveFile(name.file.replace(/txt$/, "gif"), film);
    } catch (error) {
      showError(error);
    } finally {
      save.disabled = false;
      bar.hidden = true;
    }
  };
  const save = button("Save GIF", make, { id: "save-gif" });
  return el("div", { class: "row-of" }, save, el("span", { class: "soft" }, "of"), line, speed, bar);
}

/** @param {App} app */
export const mountShare = (app) => byId("share").addEventListener("click", () => openShare(app));
