// @ts-check
// The games that match a query, fetched in pages as the list shows them.

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").LibraryEntry} LibraryEntry */
/** @typedef {import("./protocol").LibraryQuery} LibraryQuery */
/** @typedef {import("./protocol").LibrarySort} LibrarySort */

/** Games per request. */
const PAGE = 100;
/** Pages that are kept; those farthest from the visible rows are dropped first. */
const MOST_PAGES = 60;
/** Requests under way at the same time. More would only delay the rows that are visible by then. */
const MOST_REQUESTS = 2;
/** Rows fetched before and after the visible ones. */
const MARGIN = 40;

export class LibraryGames {
  /**
   * @param {App} app
   * @param {() => void} changed Called when there are other rows to draw.
   */
  constructor(app, changed) {
    this.app = app;
    this.changed = changed;
    /** @type {LibraryQuery} */
    this.query = {};
    /** @type {LibrarySort} */
    this.sort = "added";
    this.descending = true;
    this.total = 0;
    /** Whether an answer has come since the last new query. */
    this.isKnown = false;
    /** @type {Map<number, LibraryEntry[]>} */
    this.pages = new Map();
    /**
     * Pages from before a change of the library, shown until their successors arrive.
     * @type {Map<number, LibraryEntry[]>}
     */
    this.outdated = new Map();
    /** Answers to requests of an earlier generation are ignored. */
    this.generation = 0;
    /** @type {Set<number>} */
    this.asked = new Set();
    this.wanted = { from: 0, to: 0 };
  }

  /**
   * The game in a row, or `null` if it is not there yet.
   * @param {number} row
   * @returns {LibraryEntry | null}
   */
  at(row) {
    const page = Math.floor(row / PAGE);
    return (this.pages.get(page) ?? this.outdated.get(page))?.[row % PAGE] ?? null;
  }

  /**
   * The row of a game, if its page is here.
   * @param {number} game
   */
  rowOf(game) {
    for (const pages of [this.pages, this.outdated]) {
      for (const [page, games] of pages) {
        const at = games.findIndex((entry) => entry.game === game);
        if (at >= 0) return page * PAGE + at;
      }
    }
    return null;
  }

  /** Starts again with another query or order. The old rows stay until the first answer. */
  restart() {
    this.isKnown = false;
    this.refresh();
  }

  /** Fetches the visible rows again, because the library has changed. */
  refresh() {
    this.generation++;
    this.outdated = this.pages;
    this.pages = new Map();
    this.asked.clear();
    this.fetchMissing();
  }

  /**
   * Names the rows that are visible. Missing ones are fetched.
   * @param {number} from
   * @param {number} to
   */
  want(from, to) {
    this.wanted = { from, to };
    this.fetchMissing();
  }

  fetchMissing() {
    if (this.app.store.get("connection") !== "open") return;
    const { from, to } = this.wanted;
    const last = this.isKnown ? Math.max(0, this.total - 1) : 0;
    const pageOf = (/** @type {number} */ row) => Math.floor(Math.max(0, Math.min(row, last)) / PAGE);
    // The visible pages come first, then their neighbours.
    for (const page of [pageOf(from), pageOf(to), pageOf(to + MARGIN), pageOf(from - MARGIN)]) {
      if (this.asked.size >= MOST_REQUESTS) return;
      if (!this.pages.has(page) && !this.asked.has(page)) this.fetch(page);
    }
  }

  /** @param {number} page */
  async fetch(page) {
    const { generation } = this;
    this.asked.add(page);
    const answer = await this.ask(page * PAGE, PAGE);
    if (generation !== this.generation) return;
    this.asked.delete(page);
    if (!answer) return;
    const isFirst = !this.isKnown;
    this.isKnown = true;
    this.total = answer.total;
    this.pages.set(page, answer.games);
    this.outdated.delete(page);
    if (isFirst) this.outdated.clear();
    this.dropFarPages();
    this.changed();
    this.fetchMissing();
  }

  /**
   * @param {number} from
   * @param {number} count
   */
  ask(from, count) {
    const { query, sort, descending } = this;
    return this.app.do({ type: "library_list", query, sort, descending, from, count });
  }

  dropFarPages() {
    if (this.pages.size <= MOST_PAGES) return;
    const middle = (this.wanted.from + this.wanted.to) / 2 / PAGE;
    const [farthest] = [...this.pages.keys()].sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle));
    this.pages.delete(farthest);
  }

  /**
   * The games in the rows from `from` up to but not including `to`, fetched if they are not here.
   * @param {number} from
   * @param {number} to
   * @returns {Promise<LibraryEntry[]>}
   */
  async range(from, to) {
    /** @type {LibraryEntry[]} */
    const games = [];
    const { generation } = this;
    while (from + games.length < to) {
      const row = from + games.length;
      const known = this.at(row);
      if (known) {
        games.push(known);
        continue;
      }
      const answer = await this.ask(row, Math.min(2 * PAGE, to - row));
      if (!answer || answer.games.length === 0 || generation !== this.generation) break;
      games.push(...answer.games);
    }
    return games;
  }
}
