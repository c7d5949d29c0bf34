// @ts-check
// Loading games: pasted, dropped or from a file. The server finds out whether a text is PGN or FEN.

import { button, byId, closest, el, field } from "./dom.js";
import { showError, showOffer } from "./notices.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").GameEntry} GameEntry */

/**
 * Whether games can be imported into a library.
 * @param {App} app
 */
export const isLibraryWritable = ({ store }) => Boolean(store.get("welcome")?.library?.writable);

/**
 * Imports files into the library. The static page has none, and not the module either.
 * @param {App} app
 * @param {File[]} files
 */
const importIntoLibrary = (app, files) =>
  import("./library-import.js").then(({ importFiles }) => importFiles(app, files)).catch(showError);

/**
 * Sends a text to the server. Returns whether the server could read it.
 * @param {App} app
 * @param {string} text
 * @param {File} [file] Where the text is from.
 */
export async function load(app, text, file) {
  if (text.trim() === "") {
    showError("There is nothing to load. Paste a game (PGN) or a position (FEN) first.");
    return false;
  }
  const limit = app.store.get("welcome")?.limits.text_bytes ?? Infinity;
  const kept = file ?? new File([text], "pasted.pgn");
  if (kept.size > limit) {
    offerImport(app, kept, limit);
    return false;
  }
  app.store.set({ games: null });
  lastText = kept;
  return (await app.do({ type: "load", text }, "text")) !== null;
}

/**
 * The text that was loaded last, for those who want all its games in the library.
 * @type {File | null}
 */
let lastText = null;

/**
 * Explains that a text is too long for the board. The library takes texts of any length.
 * @param {App} app
 * @param {File} file
 * @param {number} limit
 */
function offerImport(app, file, limit) {
  const sentence = `The text is too long for the board. The limit is ${Math.round(limit / 1048576)} MiB.`;
  const act = () => importIntoLibrary(app, [file]);
  if (!isLibraryWritable(app)) showError(sentence);
  else showOffer(`${sentence} The library takes files of any size.`, "Import into the library", act);
}

/**
 * Loads a file. Several files, packed files and files that are too long for the board go to the library.
 * @param {App} app
 * @param {File[]} files
 */
async function loadFiles(app, files) {
  const [file] = files;
  if (!file) return;
  const { welcome, tab } = app.store.values;
  const limit = welcome?.limits.text_bytes ?? Infinity;
  const isForLibrary = files.length > 1 || tab === "library" || file.name.endsWith(".zst");
  if (isForLibrary && isLibraryWritable(app)) {
    await importIntoLibrary(app, files);
    return;
  }
  app.store.set({ tab: "review" });
  if (file.size > limit) offerImport(app, file, limit);
  else await load(app, await file.text(), file);
}

/**
 * A field to paste into, a button to open a file, and the list of games if there are several.
 * @param {App} app
 */
export function importBox(app) {
  const text = el("textarea", { rows: "4", id: "import-text", placeholder: "1. e4 e5 2. Nf3 …", spellcheck: "false" });
  const file = el("input", {
    type: "file",
    accept: ".pgn,.fen,.txt,application/x-chess-pgn,text/plain",
    class: "visually-hidden",
    tabindex: "-1",
    multiple: true,
    "aria-label": "File with games",
  });
  file.addEventListener("change", async () => {
    await loadFiles(app, [...(file.files ?? [])]);
    file.value = "";
  });
  const read = async () => {
    if (await load(app, text.value)) text.value = "";
  };
  return el(
    "div",
    { class: "stack tight" },
    field("Paste a game (PGN) or a position (FEN), or drop a file anywhere on the page", text),
    el(
      "div",
      { class: "row-of" },
      button("Load", read, { id: "load", class: "primary" }),
      button("Open a file…", () => file.click()),
      file,
    ),
    gameList(app),
  );
}

/**
 * The games of a text that has several.
 * @param {App} app
 */
function gameList(app) {
  const root = el("div", { class: "game-list", hidden: true });
  const heading = el("h3");
  const list = el("ol");
  const more = button("More games", () => showMore(), { class: "small more" });
  const showMore = () => {
    const message = app.store.get("games");
    if (message) app.do({ type: "games", from: message.from + message.games.length });
  };
  const keep = button("Import all into the library", () => lastText && importIntoLibrary(app, [lastText]), {
    class: "small more",
  });
  root.append(heading, list, more, keep);
  app.store.on(["games"], () => {
    const message = app.store.get("games");
    root.hidden = !message;
    if (!message) return;
    const { games, from, count } = message;
    keep.hidden = !isLibraryWritable(app);
    heading.textContent = `${count} games`;
    if (from === 0) list.replaceChildren();
    list.append(...games.map((game) => el("li", {}, gameButton(app, game))));
    const listed = Math.min(count, app.store.get("welcome")?.limits.games ?? 0);
    more.hidden = games.length === 0 || from + games.length >= listed;
  });
  return root;
}

/**
 * @param {App} app
 * @param {GameEntry} game
 */
function gameButton(app, game) {
  const rest = [game.event, game.date, game.eco, `${Math.ceil(game.plies / 2)} moves`].filter(
    (text) => text && text !== "?",
  );
  if (game.problems > 0) rest.push(game.problems === 1 ? "1 problem" : `${game.problems} problems`);
  return button(
    [
      el("b", {}, el("bdi", {}, game.white || "?"), " – ", el("bdi", {}, game.black || "?")),
      " ",
      el("span", { class: "result" }, game.result),
      el("span", { class: "soft" }, rest.join(" · ")),
    ],
    () => app.do({ type: "choose", game: game.index }),
    { class: "plain game" },
  );
}

/**
 * Loads files and texts that are dropped or pasted anywhere on the page.
 * @param {App} app
 */
export function mountDrop(app) {
  const root = document.documentElement;
  addEventListener("dragover", (event) => {
    event.preventDefault();
    root.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => event.relatedTarget || root.classList.remove("dropping"));
  addEventListener("drop", async (event) => {
    event.preventDefault();
    root.classList.remove("dropping");
    if (!event.dataTransfer) return;
    const { files } = event.dataTransfer;
    if (files.length > 0) {
      await loadFiles(app, [...files]);
      return;
    }
    app.store.set({ tab: "review" });
    await load(app, event.dataTransfer.getData("text/plain"));
  });
  document.addEventListener("paste", (event) => {
    if (closest(event, "input, textarea")) return;
    const text = event.clipboardData?.getData("text/plain").trim() ?? "";
    if (!text) return;
    // While a position is set up, a line is a FEN for the editor.
    if (app.store.get("tab") === "setup" && !text.includes("\n")) {
      const fen = byId("setup-fen", HTMLInputElement);
      fen.value = text;
      fen.dispatchEvent(new Event("input"));
    } else load(app, text);
  });
}
