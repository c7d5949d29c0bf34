// @ts-check
// Files into the library and out of it. They travel by HTTP as streams, so that their size does not matter.

import { button, el, set, write } from "./dom.js";
import { problemText, short } from "./format.js";
import { isLibraryWritable } from "./import.js";
import { showError, showNotice } from "./notices.js";
import { saveFile } from "./share.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").LibraryQuery} LibraryQuery */
/** @typedef {import("./protocol").MessageOf<"library_import">} Progress */

/** An import of which nothing was heard for this many milliseconds after its upload is over. */
const SILENCE = 5000;
/** Files whose names end like this may hold games. */
export const GAME_FILES = ".pgn,.zst,.txt,application/x-chess-pgn,text/plain";

/** The token that the server demands; it makes a new one whenever it starts. */
async function token() {
  const response = await fetch("session", { cache: "no-store" });
  if (!response.ok) throw new Error(await response.text());
  return /** @type {string} */ ((await response.json()).token);
}

/**
 * @param {string} address
 * @param {BodyInit} body
 * @param {AbortSignal} signal
 */
async function post(address, body, signal) {
  const headers = { "X-Ferz-Token": await token() };
  const response = await fetch(address, { method: "POST", headers, body, signal });
  if (response.ok) return response;
  const text = await response.text();
  throw new Error(errorIn(text) || "The server refused the request. Reload the page and try again.");
}

/**
 * The sentence in an error of the server: `{"error": "…"}` or plain text.
 * @param {string} text
 */
function errorIn(text) {
  try {
    return String(JSON.parse(text).error);
  } catch {
    return text;
  }
}

/**
 * Imports files one after the other, and opens the tab that shows the progress.
 * @param {App} app
 * @param {File[]} files
 */
export async function importFiles(app, files) {
  if (!isLibraryWritable(app)) {
    showError("The library is read-only. Nothing was imported.");
    return;
  }
  app.store.set({ tab: "library" });
  for (const file of files) {
    const upload = new Upload(app, file);
    app.store.set({ uploads: [...app.store.get("uploads"), upload] });
  }
  if (app.store.get("uploads").some((upload) => upload.isRunning)) return;
  for (let next = waiting(app); next; next = waiting(app)) await next.run();
}

/** @param {App} app */
const waiting = (app) => app.store.get("uploads").find((upload) => upload.state === "waiting");

/** A file on its way into the library. */
export class Upload {
  /**
   * @param {App} app
   * @param {File} file
   */
  constructor(app, file) {
    this.app = app;
    this.file = file;
    this.folder = app.store.get("libraryFolder");
    /** @type {"waiting" | Progress["state"]} */
    this.state = "waiting";
    this.message = "";
    /** @type {Progress | null} */
    this.progress = null;
    this.started = 0;
    this.abort = new AbortController();
    /** Called when it has ended. */
    this.ended = () => {};
  }

  get isRunning() {
    return this.state === "running";
  }

  async run() {
    this.change("running");
    this.started = performance.now();
    const end = new Promise((/** @type {(value: void) => void} */ ended) => (this.ended = ended));
    try {
      const fields = new URLSearchParams({ name: this.file.name, tab: this.app.store.get("welcome")?.tab ?? "" });
      if (this.folder) fields.set("folder", String(this.folder));
      await post(`library/import?${fields}`, this.file, this.abort.signal);
      // The server may still be busy with what it has received; the last message says when it is done.
      setTimeout(() => this.isRunning && !this.progress && this.change("done"), SILENCE);
      await end;
    } catch (error) {
      if (!this.isRunning) return;
      if (this.abort.signal.aborted) this.change("stopped");
      else this.change("failed", error instanceof TypeError ? "The connection to the server was lost." : String(error));
    }
  }

  /** @param {Progress} progress */
  hear(progress) {
    this.progress = progress;
    if (progress.state !== "running") this.change(progress.state, progress.message);
  }

  /** What was imported so far stays. */
  stop() {
    if (this.progress) this.app.do({ type: "library_stop", import: this.progress.import });
    if (this.isRunning || this.state === "waiting") this.change("stopped");
    this.abort.abort();
  }

  /**
   * @param {Upload["state"]} state
   * @param {string} [message]
   */
  change(state, message = "") {
    this.state = state;
    this.message = message.replace(/^Error: /, "");
    if (state !== "running") this.ended();
    const { store } = this.app;
    store.set({ uploads: [...store.get("uploads")] });
  }

  /** The state in words. */
  words() {
    const { games = 0, problems = 0 } = this.progress ?? {};
    const seconds = (performance.now() - this.started) / 1000;
    const count = `${number(games)} ${games === 1 ? "game" : "games"}`;
    const wrong = problems > 0 ? `${number(problems)} ${problems === 1 ? "problem" : "problems"}` : "";
    const message = this.message ? ` ${problemText(this.message)}` : "";
    switch (this.state) {
      case "waiting":
        return "Waiting.";
      case "running":
        return `${count} · ${short(games / Math.max(seconds, 0.1))} games/s${wrong && ` · ${wrong}`}`;
      case "done":
        return `Imported ${count}.${wrong && ` ${wrong}.${message}`}`;
      case "stopped":
        return `Stopped. ${count} imported.`;
      default:
        return `The import failed after ${count}.${message}`;
    }
  }
}

/** @param {number} value */
export const number = (value) => value.toLocaleString("en-GB");

/**
 * The imports of this tab, with their progress.
 * @param {App} app
 */
export function importStrips(app) {
  const { store } = app;
  const root = el("div", { class: "library-imports stack tight" });
  const spoken = el("p", { class: "visually-hidden", role: "status" });
  /** @type {Map<Upload, { row: HTMLElement, bar: HTMLProgressElement, words: HTMLElement, end: HTMLButtonElement }>} */
  const strips = new Map();
  const forget = (/** @type {Upload} */ upload) =>
    store.set({ uploads: store.get("uploads").filter((one) => one !== upload) });
  const strip = (/** @type {Upload} */ upload) => {
    const bar = el("progress", { max: "1", "aria-label": `Import of ${upload.file.name}` });
    const words = el("span", { class: "soft" });
    const act = () => (upload.isRunning || upload.state === "waiting" ? upload.stop() : forget(upload));
    const end = button("Stop", act, { class: "small" });
    const row = el("div", { class: "library-import" }, el("b", {}, el("bdi", {}, upload.file.name)), words, end, bar);
    root.append(row);
    const parts = { row, bar, words, end };
    strips.set(upload, parts);
    return parts;
  };
  const draw = () => {
    const uploads = store.get("uploads");
    for (const [upload, { row }] of strips) {
      if (uploads.includes(upload)) continue;
      row.remove();
      strips.delete(upload);
    }
    root.hidden = uploads.length === 0;
    for (const upload of uploads) {
      const { row, bar, words, end } = strips.get(upload) ?? strip(upload);
      const isActive = upload.isRunning || upload.state === "waiting";
      const size = upload.progress?.size || upload.file.size || 1;
      set(bar, { hidden: !isActive, max: size, value: Math.min(size, upload.progress?.bytes ?? 0) });
      row.classList.toggle("failed", upload.state === "failed");
      write(words, upload.words());
      write(end, isActive ? "Stop" : "Dismiss");
      set(end, { "aria-label": `${isActive ? "Stop" : "Dismiss"} the import of ${upload.file.name}` });
    }
    const last = uploads.filter((upload) => !upload.isRunning && upload.state !== "waiting").at(-1);
    if (last) write(spoken, last.words());
  };
  store.on(["uploads"], draw);
  store.on(["libraryImport"], () => {
    const message = store.get("libraryImport");
    const upload = message && uploadOf(store.get("uploads"), message);
    if (!upload) return;
    upload.hear(message);
    draw();
  });
  return [root, spoken];
}

/**
 * The upload that a message is about. Files are sent one after the other, so that an unknown import is the running one.
 * @param {Upload[]} uploads
 * @param {Progress} message
 */
const uploadOf = (uploads, message) =>
  uploads.find((upload) => upload.progress?.import === message.import) ??
  uploads.find((upload) => upload.isRunning && !upload.progress && upload.file.name === message.name);

/**
 * A button that opens files for the library.
 * @param {App} app
 * @param {string} label
 * @param {import("./dom.js").Attributes} [attributes]
 */
export function importButton(app, label, attributes = {}) {
  const files = el("input", {
    type: "file",
    accept: GAME_FILES,
    class: "visually-hidden",
    tabindex: "-1",
    multiple: true,
    "aria-label": "Files with games for the library",
  });
  files.addEventListener("change", () => {
    importFiles(app, [...(files.files ?? [])]);
    files.value = "";
  });
  return [button(label, () => files.click(), attributes), files];
}

/**
 * Saves games as a PGN file.
 * @param {{ query: LibraryQuery } | { games: number[] }} what
 */
export async function exportGames(what) {
  try {
    const response = await post("library/export", JSON.stringify(what), new AbortController().signal);
    // The browser keeps a large blob on disk, not in memory.
    const blob = await response.blob();
    saveFile("games.pgn", new Blob([blob], { type: "application/x-chess-pgn" }));
    showNotice(`The games were saved as games.pgn (${short(blob.size)}B).`);
  } catch (error) {
    showError(error);
  }
}
