// @ts-check
// The opening explorer: which moves were played in the current position, with what results, and the reader's
// repertoire.

import { button, choice, el, set, write } from "./dom.js";
import { short } from "./format.js";
import { Lines } from "./lines.js";
import { showError, showNotice } from "./notices.js";
import { Repertoire } from "./repertoire.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").ColorName} ColorName */
/** @typedef {import("./protocol").ExplorerAnswer} ExplorerAnswer */
/** @typedef {import("./protocol").ExplorerGame} ExplorerGame */
/** @typedef {import("./protocol").ExplorerMove} ExplorerMove */

/** Rows before the rest is asked for. */
const FIRST_ROWS = 8;
/** How often to ask while the source is being read. */
const BUILDING_MS = 400;

/** @type {{ [color in ColorName]: string }} */
const SIDES = { white: "White", black: "Black" };

/**
 * The card with the explorer, folded unless the reader has opened it.
 * @param {App} app
 */
export function mountExplorer(app) {
  return new Explorer(app).element;
}

class Explorer {
  /** @param {App} app */
  constructor(app) {
    const { store } = app;
    this.app = app;
    this.repertoire = new Repertoire(() => this.draw());
    /**
     * The question whose answer is shown or awaited.
     * @type {string | null}
     */
    this.asked = null;
    /** @type {ExplorerAnswer | null} */
    this.answer = null;
    this.message = "";
    this.isLong = false;

    this.sources = el("span", { class: "explorer-sources" });
    this.text = el("p", { class: "explorer-text" });
    this.rows = el("tbody");
    this.lines = new Lines(app, this.rows);
    this.head = el("tr");
    this.table = el("table", { class: "explorer-table" }, el("thead", {}, this.head), this.rows);
    this.more = button("All moves", () => {
      this.isLong = true;
      this.draw();
    });
    this.note = el("p", { class: "explorer-note" });
    this.adopt = button("", () => this.addMainLine(), { id: "adopt-line" });
    this.games = el("ul", { class: "explorer-games", "aria-label": "Games with this position" });
    const body = el(
      "div",
      { class: "stack tight" },
      this.sources,
      this.text,
      this.table,
      this.more,
      this.note,
      this.games,
      el("p", {}, this.adopt),
    );
    this.element = el(
      "details",
      { class: "card explorer", id: "explorer" },
      el("summary", {}, el("h2", {}, "Opening explorer")),
      body,
    );
    this.element.open = store.get("explorer");
    this.element.addEventListener("toggle", () => store.set({ explorer: this.element.open }));

    store.on(["welcome"], () => {
      this.asked = null;
      this.drawSources();
    });
    store.on(["explorer", "explorerSource", "position", "welcome", "tab", "connection"], () => this.ask());
    store.on(["flipped"], () => write(this.adopt, `Add the main line to ${SIDES[this.side()]}’s repertoire`));
  }

  /** The side at the bottom of the board. */
  side() {
    return this.app.store.get("flipped") ? "black" : "white";
  }

  /** The chosen source. If none was chosen: games if there are any, else the book. */
  source() {
    const { welcome, explorerSource } = this.app.store.values;
    const all = welcome?.explorers ?? [];
    const games = all.find(({ id, kind, games: count }) => kind === "games" && (count > 0 || id !== "library"));
    return all.find(({ id }) => id === explorerSource) ?? games ?? all[0] ?? null;
  }

  drawSources() {
    const { store } = this.app;
    const all = store.get("welcome")?.explorers ?? [];
    /** @type {[string, string][]} */
    const options = all.map(({ id, name, games }) => [id, games > 0 ? `${name} (${short(games)} games)` : name]);
    const select = choice(options, this.source()?.id ?? "", (id) => store.set({ explorerSource: id }), {
      id: "explorer-source",
      "aria-label": "Source of the openings",
    });
    this.sources.replaceChildren(select);
    this.sources.hidden = all.length < 2;
  }

  /** Asks for the moves of the current position, if they are wanted and not known. */
  async ask() {
    const { explorer, position, tab, connection } = this.app.store.values;
    const source = this.source();
    if (!explorer || !position || !source || tab !== "analyse" || connection !== "open") return;
    const isPlaying = Boolean(this.app.playing());
    const question = isPlaying ? "playing" : `${source.id} ${position.node} ${position.fen}`;
    if (question === this.asked) return;
    this.asked = question;
    if (isPlaying) return this.show(null, "The explorer is closed while you play against the engine.");
    try {
      const answer = await this.app.connection.ask({ type: "explorer", node: position.node, source: source.id });
      // The board may show a different position by now.
      if (this.asked !== question) return;
      this.show(answer, "");
      if (answer.building !== null) setTimeout(() => this.askAgain(question), BUILDING_MS);
    } catch (error) {
      if (this.asked === question) this.show(null, error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {string} question */
  askAgain(question) {
    if (this.asked !== question) return;
    this.asked = null;
    this.ask();
  }

  /**
   * @param {ExplorerAnswer | null} answer
   * @param {string} message
   */
  show(answer, message) {
    this.answer = answer;
    this.message = message;
    this.isLong = false;
    const hadFocus = this.rows.contains(document.activeElement);
    this.draw();
    // A reader who plays moves from here with the keyboard goes on here.
    if (hadFocus) /** @type {HTMLElement | null} */ (this.rows.querySelector("button.move"))?.focus();
  }

  draw() {
    const { answer } = this;
    const moves = answer?.moves ?? [];
    write(this.text, this.message || (answer ? stateText(answer) : ""));
    this.text.hidden = this.text.textContent === "";
    this.table.hidden = moves.length === 0;
    this.more.hidden = this.isLong || moves.length <= FIRST_ROWS;
    this.lines.clear();
    this.rows.replaceChildren();
    this.games.replaceChildren(...(answer?.games ?? []).map((game) => this.game(game)));
    this.games.hidden = !answer?.games.length;
    const note = answer ? this.repertoireText(answer) : "";
    write(this.note, note);
    this.note.hidden = note === "";
    if (!answer) return;
    const titles = answer.kind === "book" ? ["Move", "Share"] : ["Move", "Games", "Results", "Rating", "Last"];
    this.head.replaceChildren(
      el("th", { scope: "col" }, el("span", { class: "visually-hidden" }, "Repertoire")),
      ...titles.map((title) => el("th", { scope: "col", class: `col-${title.toLowerCase()}` }, title)),
    );
    const own = this.repertoire.moves(this.app.store.get("position")?.turn ?? "white", answer.key);
    const shown = moves.filter(({ uci }, index) => this.isLong || index < FIRST_ROWS || own.includes(uci));
    this.rows.append(...shown.map((move) => this.row(answer, move)));
  }

  /**
   * @param {ExplorerAnswer} answer
   * @param {ExplorerMove} move
   */
  row(answer, move) {
    const { position } = this.app.store.values;
    const turn = position?.turn ?? "white";
    const line = this.lines.addRow(1);
    if (position) this.lines.draw(line, { uci: [move.uci], san: [move.san] }, position);
    const isChosen = this.repertoire.moves(turn, answer.key).includes(move.uci);
    const isCovered = this.repertoire.moves(turn === "white" ? "black" : "white", move.key).length > 0;
    const star = button(isChosen ? "★" : "☆", () => this.toggle(turn, answer.key, move.uci), {
      class: "star",
      dataset: { uci: move.uci },
      "aria-pressed": String(isChosen),
      "aria-label": `${move.san} in ${SIDES[turn]}’s repertoire`,
      title: isChosen ? "In your repertoire: click to remove it" : "Add to your repertoire",
    });
    const share = answer.total > 0 ? Math.round((100 * move.games) / answer.total) : 0;
    const first = el("td", { class: "move-cell" }, line.element, transposition(answer, move));
    if (isCovered) first.append(el("span", { class: "covered", title: "Your repertoire has an answer" }, "✓"));
    const percent = el("span", { class: "percent" }, move.games > 0 ? `${share} %` : "");
    const cells =
      answer.kind === "book"
        ? [el("td", { class: "weight" }, move.games > 0 && shareBar(share))]
        : [
            el("td", { class: "games", title: `${move.games} games` }, short(move.games), percent),
            el("td", { class: "results" }, resultsBar(move)),
            el("td", { class: "rating" }, move.elo === null ? "" : String(move.elo)),
            el("td", { class: "last" }, move.year === null ? "" : String(move.year)),
          ];
    return el("tr", { class: isChosen ? "chosen" : null }, el("td", { class: "star-cell" }, star), first, cells);
  }

  /** @param {ExplorerGame} game */
  game({ game, white, black, result, year }) {
    const rest = [result.replaceAll("1/2", "½"), year === null ? "" : String(year)].filter(Boolean).map((word) => ` · ${word}`).join("");
    // Each name by itself: one may be written from right to left.
    const words = [el("bdi", {}, white), " – ", el("bdi", {}, black), rest];
    if (game === null) return el("li", {}, words);
    return el("li", {}, button(words, () => this.app.do({ type: "library_open", game }), { class: "link" }));
  }

  /**
   * @param {ColorName} color
   * @param {string} key
   * @param {string} uci
   */
  toggle(color, key, uci) {
    if (!this.repertoire.toggle(color, key, uci)) this.complain();
    // The rows are new.
    const star = this.rows.querySelector(`.star[data-uci="${uci}"]`);
    if (star instanceof HTMLElement) star.focus();
  }

  complain() {
    showError("This browser does not let the page keep your repertoire.");
  }

  /** Adds the moves of the side at the bottom from the main line of the game. */
  async addMainLine() {
    const { tree } = this.app.store.values;
    let node = tree.root;
    for (let next = node; next; next = tree.nodes.get(next.children[0]) ?? null) node = next;
    if (!node) return;
    const answer = await this.app.do({ type: "explorer", node: node.id, source: "book" });
    if (!answer) return;
    const color = this.side();
    const steps = answer.path.filter((step) => step.color === color);
    if (steps.length === 0) return showNotice(`The game has no move of ${SIDES[color]} yet.`);
    if (!this.repertoire.add(color, steps)) return this.complain();
    const count = steps.length === 1 ? "One move is" : `${steps.length} moves are`;
    showNotice(`${count} in ${SIDES[color]}’s repertoire now.`);
  }

  /**
   * Where the line or the games leave the repertoire.
   * @param {ExplorerAnswer} answer
   */
  repertoireText(answer) {
    const left = answer.path.find(({ key, uci, color }) => {
      const moves = this.repertoire.moves(color, key);
      return moves.length > 0 && !moves.includes(uci);
    });
    if (left) {
      const number = left.color === "white" ? `${left.number}.` : `${left.number}…`;
      return `The line left ${SIDES[left.color]}’s repertoire at ${number} ${left.san}.`;
    }
    const turn = this.app.store.get("position")?.turn ?? "white";
    const own = this.repertoire.moves(turn, answer.key);
    /** @param {(move: ExplorerMove) => boolean} test */
    const games = (test) => answer.moves.filter(test).reduce((sum, { games: count }) => sum + count, 0);
    const other = turn === "white" ? "black" : "white";
    /** @param {ExplorerMove} move */
    const isCovered = ({ key }) => this.repertoire.moves(other, key).length > 0;
    const kept = own.length > 0 ? games(({ uci }) => own.includes(uci)) : games(isCovered);
    const hasRepertoire = own.length > 0 || answer.moves.some(isCovered);
    if (!hasRepertoire || answer.total === 0) return "";
    const percent = Math.round(100 - (100 * kept) / Math.max(1, games(() => true)));
    const whose = SIDES[own.length > 0 ? turn : other];
    if (percent === 0) return `This position is in ${whose}’s repertoire, with all of its moves.`;
    const what = answer.kind === "book" ? "the book leaves" : "the games leave";
    return `${percent} % of ${what} ${whose}’s repertoire here.`;
  }
}

/** @param {ExplorerAnswer} answer */
function stateText({ building, kind, total, moves }) {
  if (building !== null) return `The games are being read: ${building} %.`;
  if (kind === "book") return moves.length > 0 ? "" : "The book does not know this position.";
  if (total === 0) return "No game of this source reached this position.";
  return total === 1 ? "One game reached this position." : `${total.toLocaleString("en")} games reached this position.`;
}

/**
 * A hint that the position behind a move is known from other orders of moves.
 * @param {ExplorerAnswer} answer
 * @param {ExplorerMove} move
 */
function transposition({ kind }, { transpositions }) {
  if (transpositions === 0) return null;
  const words =
    kind === "book"
      ? "Leads to a position of the book"
      : `${transpositions} more games reach this position by other moves`;
  const sign = kind === "book" ? "⇄" : `⇄ ${short(transpositions)}`;
  return el("span", { class: "transposition", title: words, role: "img", "aria-label": words }, sign);
}

/** @param {number} percent */
function shareBar(percent) {
  const bar = el("span", { class: "weight-bar" }, el("span", { class: "weight-part" }));
  const part = bar.firstElementChild;
  if (part instanceof HTMLElement) part.style.width = `${percent}%`;
  return el("span", { class: "weight-line" }, bar, `${percent} %`);
}

/** @param {ExplorerMove} move */
function resultsBar({ white, draws, black }) {
  const known = white + draws + black;
  if (known === 0) return null;
  const counts = [white, draws, black];
  const percent = counts.map((count) => Math.round((100 * count) / known));
  const parts = ["white", "draw", "black"].map((name, index) => {
    const part = el("span", { class: `chance ${name}` }, percent[index] >= 15 ? `${percent[index]}` : "");
    part.style.flexGrow = String(counts[index]);
    part.hidden = counts[index] === 0;
    return part;
  });
  const words = `White wins ${percent[0]} %, draw ${percent[1]} %, Black wins ${percent[2]} %`;
  return set(el("span", { class: "chances results-bar", role: "img" }, parts), { "aria-label": words, title: words });
}
