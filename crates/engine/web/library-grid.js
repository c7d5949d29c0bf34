// @ts-check
// The list of games in the library. Only the visible rows are elements, so that a million games scroll like ten.

import { closest, el, oncePerFrame, set, write } from "./dom.js";

/** @typedef {import("./library-games.js").LibraryGames} LibraryGames */
/** @typedef {import("./protocol").LibraryEntry} LibraryEntry */
/** @typedef {import("./protocol").LibrarySort} LibrarySort */

/** Browsers cannot scroll through more pixels than some ten million. */
const MOST_PIXELS = 8_000_000;
/** At both ends of a longer list the bar moves as far as the rows, so that a turn of the wheel reaches the end. */
const END_PIXELS = 400_000;
/** Rows drawn above and below the visible ones: the browser scrolls before the page can draw. */
const SPARE_ROWS = 8;
/** The bar rests after this many milliseconds without movement. Not all browsers have the event `scrollend`. */
const REST = 160;
/** Tags of a game that are shown in its row. */
const MOST_TAGS = 2;
/** Games that may be selected one by one or by a range. */
export const MOST_SELECTED = 10_000;

/**
 * @typedef {object} Column
 * @property {string} name The end of the class of its cells.
 * @property {string} heading
 * @property {LibrarySort} sort
 * @property {boolean} descending The order at the first press of its heading.
 */

/** @type {Column[]} */
const COLUMNS = [
  { name: "white", heading: "White", sort: "white", descending: false },
  { name: "black", heading: "Black", sort: "black", descending: false },
  { name: "result", heading: "Result", sort: "result", descending: true },
  { name: "elo", heading: "Elo", sort: "elo", descending: true },
  { name: "opening", heading: "Opening", sort: "opening", descending: false },
  { name: "date", heading: "Date", sort: "date", descending: true },
  { name: "plies", heading: "Moves", sort: "plies", descending: true },
];

const RESULTS = new Map([
  ["1-0", "1–0"],
  ["0-1", "0–1"],
  ["1/2-1/2", "½–½"],
]);

/** @typedef {{ row: HTMLElement, mark: HTMLElement, cells: Map<string, HTMLElement> }} DrawnRow */

/**
 * @typedef {object} GridActions
 * @property {(row: number) => void} open
 * @property {() => void} remove Deletes the selected games.
 * @property {() => void} selected The selection has changed.
 * @property {(sort: LibrarySort, descending: boolean) => void} sort
 */

export class LibraryGrid {
  /**
   * @param {LibraryGames} games
   * @param {GridActions} actions
   */
  constructor(games, actions) {
    this.games = games;
    this.actions = actions;
    /** @type {number | null} The game on the board. */
    this.current = null;
    /** The row of the keyboard's cursor. */
    this.cursor = 0;
    /** The row where a range of the selection starts. */
    this.anchor = 0;
    /**
     * The selected games by their numbers.
     * @type {Map<number, LibraryEntry>}
     */
    this.selection = new Map();
    /** Whether all games of the query are selected, whatever their number. */
    this.isAllSelected = false;

    this.rowHeight = 32;
    /** The distance of the top of the view from the first row, in pixels, as if there were no limit. */
    this.top = 0;
    /** The last position of the scroll bar. */
    this.barTop = 0;
    /** @type {DrawnRow[]} */
    this.drawn = [];

    this.spacer = el("div", { class: "library-spacer" });
    this.rows = el("div", { class: "library-rows" });
    this.view = el("div", { class: "library-view", role: "rowgroup", tabindex: "-1" }, this.spacer, this.rows);
    this.heads = COLUMNS.map((column) => heading(column, () => this.sortBy(column)));
    const markHead = el("span", { role: "columnheader", class: "mark", "aria-label": "Selected" });
    const head = el("div", { class: "library-head", role: "row", "aria-rowindex": "1" }, markHead, ...this.heads);
    this.element = el(
      "div",
      { class: "library-grid", id: "library-grid", role: "grid", tabindex: "0", "aria-label": "Games" },
      el("div", { role: "rowgroup" }, head),
      this.view,
    );
    this.element.setAttribute("aria-multiselectable", "true");

    this.redraw = oncePerFrame(() => this.draw());
    /** @type {number | undefined} */
    let timer;
    this.view.addEventListener("scroll", () => {
      this.redraw();
      clearTimeout(timer);
      timer = setTimeout(() => this.alignBar(), REST);
    });
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    this.rows.addEventListener("click", (event) => this.clicked(event));
    new ResizeObserver(() => this.measure()).observe(this.view);
  }

  // ---- scrolling ----

  get height() {
    return this.games.total * this.rowHeight;
  }

  /** The lowest position of the top of the view. */
  get lowest() {
    return Math.max(0, this.height - this.view.clientHeight);
  }

  /** The lowest position of the scroll bar. */
  get barLowest() {
    return Math.max(0, Math.min(this.height, MOST_PIXELS) - this.view.clientHeight);
  }

  measure() {
    const height = parseFloat(getComputedStyle(this.view).getPropertyValue("--row-height"));
    if (height && height !== this.rowHeight) {
      const row = this.top / this.rowHeight;
      this.rowHeight = height;
      this.top = row * height;
    }
    this.draw();
  }

  /** Follows the bar: after a small movement the rows move as far, after a large one it shows the place in the list. */
  followBar() {
    const bar = this.view.scrollTop;
    const way = bar - this.barTop;
    this.barTop = bar;
    if (way === 0) return;
    const isSmall = this.height > MOST_PIXELS && Math.abs(way) < 3 * this.view.clientHeight;
    this.top = isSmall ? clamp(this.top + way, this.lowest) : scale(bar, this.barLowest, this.lowest);
  }

  /** Moves the bar to where it belongs, after small movements of a very long list. */
  alignBar() {
    this.followBar();
    const bar = scale(this.top, this.lowest, this.barLowest);
    if (Math.abs(this.view.scrollTop - bar) >= 1) {
      this.view.scrollTop = bar;
      this.barTop = this.view.scrollTop;
      this.redraw();
    }
  }

  /** @param {number} top */
  scrollTo(top) {
    this.followBar();
    this.top = clamp(top, this.lowest);
    this.view.scrollTop = scale(this.top, this.lowest, this.barLowest);
    this.barTop = this.view.scrollTop;
    this.draw();
  }

  /**
   * Scrolls just enough to show a row.
   * @param {number} row
   */
  reveal(row) {
    const [above, below] = [row * this.rowHeight, (row + 1) * this.rowHeight - this.view.clientHeight];
    if (above < this.top) this.scrollTo(above);
    else if (below > this.top) this.scrollTo(below);
  }

  // ---- drawing ----

  draw() {
    const { games, view, rowHeight } = this;
    const visible = view.clientHeight;
    if (visible === 0) return;
    this.spacer.style.height = `${Math.min(this.height, MOST_PIXELS)}px`;
    this.followBar();
    this.top = clamp(this.top, this.lowest);
    const first = Math.max(0, Math.floor(this.top / rowHeight) - SPARE_ROWS);
    const last = Math.min(games.total, Math.ceil((this.top + visible) / rowHeight) + SPARE_ROWS);
    this.rows.style.transform = `translateY(${this.barTop + first * rowHeight - this.top}px)`;
    while (this.drawn.length < last - first) this.addRow();
    this.drawn.forEach((drawn, index) => this.drawRow(drawn, first + index, first + index < last));
    this.heads.forEach((head, index) => {
      const { sort } = COLUMNS[index];
      const order = games.sort !== sort ? "none" : games.descending ? "descending" : "ascending";
      set(head, { "aria-sort": order });
    });
    const shown = this.cursor >= first && this.cursor < last;
    set(this.element, {
      "aria-rowcount": games.isKnown ? games.total + 1 : -1,
      "aria-activedescendant": shown ? this.drawn[this.cursor - first].row.id : null,
    });
    games.want(Math.floor(this.top / rowHeight), Math.ceil((this.top + visible) / rowHeight));
  }

  addRow() {
    const cells = new Map(COLUMNS.map(({ name }) => [name, el("span", { role: "gridcell", class: `col-${name}` })]));
    const mark = el("span", { role: "gridcell", class: "mark" });
    const id = `library-row-${this.drawn.length}`;
    const row = el("div", { class: "library-row", role: "row", id }, mark, ...cells.values());
    this.rows.append(row);
    this.drawn.push({ row, mark, cells });
  }

  /**
   * @param {DrawnRow} drawn
   * @param {number} index
   * @param {boolean} isThere
   */
  drawRow({ row, mark, cells }, index, isThere) {
    row.hidden = !isThere;
    if (!isThere) return;
    const entry = this.games.at(index);
    const isSelected = Boolean(entry && (this.isAllSelected || this.selection.has(entry.game)));
    row.dataset.row = String(index);
    row.classList.toggle("cursor", index === this.cursor);
    row.classList.toggle("odd", index % 2 === 1);
    set(row, {
      "aria-rowindex": index + 2,
      "aria-selected": String(isSelected),
      "aria-current": entry && entry.game === this.current ? "true" : null,
      "aria-busy": entry ? null : "true",
      title: entry ? [entry.event, entry.site, entry.date].filter(known).join(", ") : null,
    });
    set(mark, { "aria-label": isSelected ? "selected" : "not selected" });
    for (const { name } of COLUMNS) {
      const cell = cells.get(name);
      if (cell) fill(cell, name, entry);
    }
  }

  // ---- selecting ----

  clearSelection() {
    this.selection.clear();
    this.isAllSelected = false;
    this.actions.selected();
    this.redraw();
  }

  selectAll() {
    this.selection.clear();
    this.isAllSelected = this.games.total > 0;
    this.actions.selected();
    this.redraw();
  }

  /** @param {number} row */
  toggle(row) {
    const entry = this.games.at(row);
    if (!entry) return;
    this.isAllSelected = false;
    if (!this.selection.delete(entry.game) && this.selection.size < MOST_SELECTED) this.selection.set(entry.game, entry);
    this.anchor = row;
    this.actions.selected();
    this.redraw();
  }

  /**
   * Selects the rows from the anchor to this one.
   * @param {number} row
   */
  async selectTo(row) {
    const from = Math.min(row, this.anchor);
    const games = await this.games.range(from, Math.min(Math.max(row, this.anchor) + 1, from + MOST_SELECTED));
    this.isAllSelected = false;
    this.selection = new Map(games.map((entry) => [entry.game, entry]));
    this.actions.selected();
    this.redraw();
  }

  /** The games to work on: the selected ones, otherwise that of the cursor. */
  chosen() {
    const entry = this.games.at(this.cursor);
    if (this.selection.size > 0) return [...this.selection.values()];
    return entry ? [entry] : [];
  }

  // ---- input ----

  /** @param {MouseEvent} event */
  clicked(event) {
    const row = Number(closest(event, ".library-row")?.dataset.row ?? NaN);
    if (Number.isNaN(row)) return;
    this.element.focus({ preventScroll: true });
    this.cursor = row;
    if (event.shiftKey) this.selectTo(row);
    else if (event.ctrlKey || event.metaKey || closest(event, ".mark")) this.toggle(row);
    else this.openRow(row);
    this.redraw();
  }

  /** @param {number} row */
  openRow(row) {
    this.anchor = this.cursor = row;
    if (this.selection.size > 0 || this.isAllSelected) this.clearSelection();
    this.actions.open(row);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (closest(event, "button") || event.altKey) return;
    const ctrl = event.ctrlKey || event.metaKey;
    const page = Math.max(1, Math.floor(this.view.clientHeight / this.rowHeight) - 1);
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowDown: () => this.moveTo(this.cursor + 1, event.shiftKey),
      ArrowUp: () => this.moveTo(this.cursor - 1, event.shiftKey),
      PageDown: () => this.moveTo(this.cursor + page, event.shiftKey),
      PageUp: () => this.moveTo(this.cursor - page, event.shiftKey),
      Home: () => this.moveTo(0, event.shiftKey),
      End: () => this.moveTo(this.games.total - 1, event.shiftKey),
      Enter: () => this.openRow(this.cursor),
      Delete: () => this.actions.remove(),
      " ": () => this.toggle(this.cursor),
      Escape: () => this.clearSelection(),
    };
    const action = ctrl ? (event.key === "a" ? () => this.selectAll() : null) : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /**
   * Moves the cursor.
   * @param {number} row
   * @param {boolean} selects
   */
  moveTo(row, selects) {
    if (this.games.total === 0) return;
    this.cursor = clamp(row, this.games.total - 1);
    this.reveal(this.cursor);
    if (selects) this.selectTo(this.cursor);
    else this.anchor = this.cursor;
    this.redraw();
  }

  /** @param {Column} column */
  sortBy({ sort, descending }) {
    this.actions.sort(sort, this.games.sort === sort ? !this.games.descending : descending);
  }

  /** Back to the first row, for another query or order. */
  rewind() {
    this.cursor = this.anchor = 0;
    this.clearSelection();
    this.scrollTo(0);
  }
}

/**
 * @param {number} value
 * @param {number} highest
 */
const clamp = (value, highest) => Math.max(0, Math.min(value, highest));

/**
 * Maps a position in one length to that in another: the same distance near both ends, in proportion between them.
 * @param {number} position
 * @param {number} length
 * @param {number} other
 */
function scale(position, length, other) {
  if (length === other) return position;
  if (position < END_PIXELS) return position;
  if (position > length - END_PIXELS) return other - (length - position);
  return END_PIXELS + ((position - END_PIXELS) / (length - 2 * END_PIXELS)) * (other - 2 * END_PIXELS);
}

/**
 * @param {Column} column
 * @param {() => void} sort
 */
function heading({ name, heading: text }, sort) {
  const press = el("button", { type: "button", class: "plain", onclick: sort }, text);
  return el("span", { role: "columnheader", class: `col-${name}` }, press);
}

/**
 * Writes a cell; rows are reused, so that everything is written again.
 * @param {HTMLElement} cell
 * @param {string} name
 * @param {LibraryEntry | null} entry
 */
function fill(cell, name, entry) {
  const text = entry ? textOf(entry, name) : "…";
  write(cell, text || "–");
  cell.classList.toggle("soft", !text);
  if (name === "white" || name === "black" || name === "opening") set(cell, { title: text });
}

/**
 * @param {LibraryEntry} entry
 * @param {string} name
 */
function textOf(entry, name) {
  switch (name) {
    case "white":
      return known(entry.white);
    case "black":
      return known(entry.black);
    case "result":
      return RESULTS.get(entry.result) ?? "*";
    case "elo":
      return eloText(entry);
    case "opening":
      return [...tagWords(entry.tags), entry.eco, entry.opening].filter(known).join(" ");
    case "date":
      return known(entry.date.replace(/(\.\?\?)+$/, ""));
    case "plies":
      return String(Math.ceil(entry.plies / 2));
    default:
      return "";
  }
}

/**
 * The first tags, and how many more there are.
 * @param {string[]} tags
 */
function tagWords(tags) {
  const words = tags.slice(0, MOST_TAGS).map((tag) => `#${tag}`);
  return tags.length > MOST_TAGS ? [...words, `+${tags.length - MOST_TAGS}`] : words;
}

/** @param {string} text */
const known = (text) => (/^[?.\s]*$/.test(text) ? "" : text);

/** @param {LibraryEntry} entry */
function eloText({ white_elo: white, black_elo: black }) {
  if (!white && !black) return "";
  return `${white ?? "?"} – ${black ?? "?"}`;
}

/**
 * A game in few words: "Morphy – Anderssen".
 * @param {LibraryEntry} entry
 */
export const nameOfGame = ({ white, black }) => `${known(white) || "?"} – ${known(black) || "?"}`;
