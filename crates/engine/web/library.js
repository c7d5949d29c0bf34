// @ts-check
// The Library panel: every game that was played, loaded or imported.

import { button, byId, el, write } from "./dom.js";
import { isLibraryWritable } from "./import.js";
import { LibraryFilters, orderControls } from "./library-filters.js";
import { LibraryGames } from "./library-games.js";
import { LibraryGrid, MOST_SELECTED, nameOfGame } from "./library-grid.js";
import { exportGames, importButton, importStrips, number } from "./library-import.js";
import { chooseFolder, editTags, shelfChips } from "./library-shelves.js";
import { showError, showNotice, showUndo } from "./notices.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").LibraryEntry} LibraryEntry */
/** @typedef {import("./protocol").LibrarySort} LibrarySort */

/**
 * An intent that changes some games, without their numbers.
 * @typedef {{ type: "library_delete" | "library_restore" }
 *   | { type: "library_tag", add?: string[], remove?: string[] }
 *   | { type: "library_move", folder: number | null }} Change
 */

/** Games named in one message; more would make it too long. */
const GAMES_PER_MESSAGE = 2000;
/** The shortest time between two updates of the list while the library changes, in milliseconds. */
const UPDATE_PAUSE = 400;

/** @param {App} app */
export function mountLibrary(app) {
  const library = new Library(app);
  byId("panel-library").append(library.element);
  mountPlace(app, library);
}

class Library {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    const sort = (/** @type {LibrarySort} */ by, /** @type {boolean} */ descending) => this.sortBy(by, descending);
    this.games = new LibraryGames(app, () => this.show());
    this.filters = new LibraryFilters(app, () => this.search());
    this.shelves = shelfChips(app, () => this.search());
    this.order = orderControls(sort);
    this.grid = new LibraryGrid(this.games, {
      open: (row) => this.open(row),
      remove: () => (this.isDeletedShown ? this.restore() : this.remove()),
      selected: () => this.showSelection(),
      sort,
    });
    /**
     * The row of the game that was opened from this list.
     * @type {{ row: number, game: number } | null}
     */
    this.opened = null;
    /** Whether the opened game may be missing in the list, because the query or the order is new. */
    this.isOpenedLost = false;
    /** Called when the list has changed. */
    this.shown = () => {};
    /** Whether the library has changed since the list was fetched. */
    this.isOutdated = true;
    /** @type {number | undefined} */
    this.timer = undefined;

    this.count = el("p", { class: "library-count soft", id: "library-count", role: "status" });
    this.selected = el("div", { class: "row-of library-selected" });
    this.nothing = el(
      "div",
      { class: "library-nothing stack", hidden: true },
      el("p", {}, "No game matches."),
      el("div", { class: "row-of" }, button("Show all games", () => this.showAll())),
    );
    this.empty = this.welcome();
    this.imports = importButton(app, "Import…", { id: "library-import", title: "Import PGN files" });
    this.searchRow = el(
      "div",
      { class: "library-search", role: "search" },
      this.filters.search,
      this.filters.more,
      this.filters.reset,
      ...this.imports,
    );
    this.toolRow = el("div", { class: "library-tools" }, this.count, this.selected, this.order.element);
    this.list = el(
      "div",
      { class: "library-list" },
      this.searchRow,
      this.filters.form,
      this.shelves.element,
      this.toolRow,
      this.grid.element,
      this.nothing,
    );
    this.element = el(
      "div",
      { class: "card library" },
      el("h2", { class: "visually-hidden" }, "Library"),
      ...importStrips(app),
      this.empty,
      this.list,
    );
    this.listen();
  }

  get isDeletedShown() {
    return Boolean(this.games.query.deleted);
  }

  listen() {
    const { store } = this.app;
    store.on(["welcome", "tab", "libraryChanged", "librarySaved"], () => this.outdate());
    store.on(["libraryImport"], () => this.outdate());
    store.on(["librarySummary"], () => this.show());
    store.on(["libraryGame"], () => {
      this.grid.current = store.get("libraryGame");
      this.grid.redraw();
    });
    store.on(["position"], () => {
      if (this.filters.here.checked && this.games.query.fen !== store.get("position")?.fen) this.search();
    });
  }

  // ---- fetching ----

  /** Fetches the list again, now or when the panel is open. */
  outdate() {
    this.isOutdated = true;
    const { tab, welcome } = this.app.store.values;
    if (tab !== "library" || !welcome?.library || this.timer) return;
    this.update();
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.isOutdated) this.outdate();
    }, UPDATE_PAUSE);
  }

  update() {
    this.isOutdated = false;
    this.app.do({ type: "library_summary" });
    this.games.refresh();
    this.grid.measure();
  }

  /** Applies the search field, the filters and the chips. */
  search() {
    this.games.query = { ...this.filters.query(), ...this.shelves.chosen() };
    this.restart();
  }

  showAll() {
    this.filters.clear();
    this.shelves.pick({});
  }

  /**
   * @param {LibrarySort} sort
   * @param {boolean} descending
   */
  sortBy(sort, descending) {
    Object.assign(this.games, { sort, descending });
    this.order.show(sort, descending);
    this.restart();
  }

  /** Shows the list from its start, for a new query or order. */
  restart() {
    this.isOpenedLost = true;
    this.games.restart();
    this.grid.rewind();
  }

  // ---- showing ----

  show() {
    const { games } = this;
    const summary = this.app.store.get("librarySummary");
    const isEmpty = summary !== null && summary.games === 0 && summary.deleted === 0;
    this.empty.hidden = !isEmpty;
    this.list.hidden = isEmpty;
    for (const part of this.imports) part.hidden = !isLibraryWritable(this.app);
    this.nothing.hidden = !games.isKnown || games.total > 0;
    this.grid.element.hidden = this.selected.hidden = this.order.element.hidden = !this.nothing.hidden;
    const row = this.opened && games.rowOf(this.opened.game);
    if (this.opened && row !== null) this.opened.row = row;
    else if (this.isOpenedLost && games.isKnown) this.opened = null;
    if (games.isKnown) this.isOpenedLost = false;
    this.showSelection();
    this.shown();
    this.grid.redraw();
  }

  showSelection() {
    const { grid, games } = this;
    const isWritable = isLibraryWritable(this.app);
    const selected = grid.isAllSelected ? games.total : grid.selection.size;
    const listed = `${gamesText(games.total)}${isWritable ? "" : ", read-only"}`;
    const countText = selected > 0 ? `${number(selected)} selected` : listed;
    if (games.isKnown) write(this.count, countText);
    const small = { class: "small" };
    const edits = this.isDeletedShown
      ? [button("Restore", () => this.restore(), small)]
      : [
          button("Tags…", () => this.tag(), small),
          button("Move…", () => this.move(), small),
          button("Delete", () => this.remove(), small),
        ];
    const clear = button("Deselect", () => grid.clearSelection(), { class: "small plain" });
    const save = button(selected > 0 ? "Export" : "Export all", () => this.export(), small);
    const key = `${selected > 0} ${isWritable} ${this.isDeletedShown}`;
    // Buttons stay as they are while the number of selected games changes: one of them may have the focus.
    if (this.selected.dataset.key === key) return;
    this.selected.dataset.key = key;
    this.selected.replaceChildren(...(selected > 0 && isWritable ? edits : []), save, ...(selected > 0 ? [clear] : []));
  }

  /** What a library without games says. */
  welcome() {
    const { app } = this;
    return el(
      "div",
      { class: "library-empty stack", hidden: true },
      el("h3", {}, "Your games are kept here"),
      el(
        "p",
        {},
        "Every game that you play or load stays in the library on this computer. PGN files of any size can be imported: ",
        "press the button, or drop them anywhere on the page.",
      ),
      el(
        "div",
        { class: "row-of" },
        ...importButton(app, "Import PGN files…", { class: "primary" }),
        button("Play a game", () => app.store.set({ tab: "play" })),
      ),
    );
  }

  // ---- opening ----

  /** @param {number} row */
  async open(row) {
    const [entry] = await this.games.range(row, row + 1);
    if (!entry) return false;
    const { store } = this.app;
    const { opened } = this;
    this.opened = { row, game: entry.game };
    store.set({ games: null });
    if (!(await this.app.do({ type: "library_open", game: entry.game }))) {
      this.opened = opened;
      return false;
    }
    // On a phone the list covers the board.
    if (store.get("tab") === "library" && byId("board").offsetParent === null) store.set({ tab: "analyse" });
    return true;
  }

  /**
   * Opens the next or the previous game of the list.
   * @param {1 | -1} way
   */
  async step(way) {
    if (!this.opened) return;
    const row = this.opened.row + way;
    if (row < 0 || row >= this.games.total) return;
    if (await this.open(row)) {
      this.grid.moveTo(row, false);
    }
  }

  // ---- changing ----

  /**
   * The games to work on, or `null` if there are too many.
   * @returns {Promise<LibraryEntry[] | null>}
   */
  async chosen() {
    const { grid, games } = this;
    if (!grid.isAllSelected) return grid.chosen();
    if (games.total > MOST_SELECTED) {
      showError(`Select at most ${number(MOST_SELECTED)} games for this. Export has no limit.`);
      return null;
    }
    return games.range(0, games.total);
  }

  /**
   * Sends an intent for some games at a time. Returns `null` if the server refuses it.
   * @param {number[]} games
   * @param {Change} intent
   */
  async change(games, intent) {
    let answer = null;
    for (let at = 0; at < games.length; at += GAMES_PER_MESSAGE) {
      const part = games.slice(at, at + GAMES_PER_MESSAGE);
      answer = await this.app.do({ ...intent, games: part });
      if (!answer) break;
    }
    this.outdate();
    return answer;
  }

  async remove() {
    const chosen = await this.chosen();
    if (!chosen || chosen.length === 0 || !isLibraryWritable(this.app)) return;
    const games = chosen.map(({ game }) => game);
    if (!(await this.change(games, { type: "library_delete" }))) return;
    this.grid.clearSelection();
    const what = chosen.length === 1 ? nameOfGame(chosen[0]) : gamesText(games.length);
    showUndo(`Deleted: ${what}.`, () => this.change(games, { type: "library_restore" }));
  }

  async restore() {
    const chosen = await this.chosen();
    if (!chosen || chosen.length === 0 || !isLibraryWritable(this.app)) return;
    const games = chosen.map(({ game }) => game);
    if (!(await this.change(games, { type: "library_restore" }))) return;
    this.grid.clearSelection();
    showNotice(`Restored: ${chosen.length === 1 ? nameOfGame(chosen[0]) : gamesText(games.length)}.`);
  }

  async tag() {
    const chosen = await this.chosen();
    if (!chosen) return;
    const games = chosen.map(({ game }) => game);
    const present = [...new Set(chosen.flatMap(({ tags }) => tags))].sort();
    editTags(this.app, gamesText(games.length), present, (change) => this.change(games, { type: "library_tag", ...change }));
  }

  async move() {
    const chosen = await this.chosen();
    if (!chosen) return;
    const games = chosen.map(({ game }) => game);
    chooseFolder(this.app, gamesText(games.length), (folder) => this.change(games, { type: "library_move", folder }));
  }

  export() {
    const { grid, games } = this;
    if (grid.selection.size > 0) return exportGames({ games: [...grid.selection.keys()] });
    return exportGames({ query: games.query });
  }
}

/** @param {number} count */
const gamesText = (count) => (count === 1 ? "1 game" : `${number(count)} games`);

/**
 * The place of the game on the board: its neighbours in the list, and whether it is saved.
 * @param {App} app
 * @param {Library} library
 */
function mountPlace(app, library) {
  const { store } = app;
  const icon = (/** @type {string} */ label, /** @type {1 | -1} */ way) =>
    button(way > 0 ? "›" : "‹", () => library.step(way), { class: "icon", "aria-label": label, title: label });
  const previous = icon("Previous game of the list", -1);
  const next = icon("Next game of the list", 1);
  const place = el("span", { class: "soft" });
  const walk = el("span", { class: "library-walk", role: "group", "aria-label": "Games of the list" });
  walk.append(previous, place, next);
  const saved = el("span", { class: "library-saved", role: "img" });
  const root = byId("library-place");
  root.append(walk, saved);

  library.shown = () => {
    const { libraryGame, librarySaved, welcome } = store.values;
    const { opened, games } = library;
    const isListed = opened !== null && opened.game === libraryGame && opened.row < games.total;
    root.hidden = !welcome?.library || libraryGame === null;
    walk.hidden = !isListed;
    if (isListed) {
      write(place, `Game ${number(opened.row + 1)}/${number(games.total)}`);
      previous.disabled = opened.row === 0;
      next.disabled = opened.row + 1 >= games.total;
    }
    saved.hidden = !welcome?.library?.writable;
    write(saved, librarySaved ? "✓" : "…");
    saved.title = librarySaved ? "Saved in the library" : "Saving…";
    saved.setAttribute("aria-label", saved.title);
  };
  store.on(["libraryGame", "librarySaved", "welcome"], library.shown);

  /** @type {number | null} */
  let before = null;
  store.on(["libraryGame"], () => {
    const now = store.get("libraryGame");
    const isReplaced =
      before !== null && now !== before && now !== library.opened?.game && !store.get("position")?.puzzle;
    if (isReplaced && !store.get("toldKept")) {
      store.set({ toldKept: true });
      showNotice("Your previous game is kept in the library.");
    }
    before = now;
  });
}
