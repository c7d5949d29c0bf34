// @ts-check
// The model of the page: the server's last messages, the reader's settings, and the intents that are sent.

import { Connection } from "./connection.js";
import { engineWish } from "./engine-settings.js";
import { problemText } from "./format.js";
import {
  forgetLink,
  gameInLink,
  hasLink,
  isKeptByNewerPage,
  savedGame,
  savedSettings,
  saveGame,
  savePlace,
  saveSettings,
} from "./memory.js";
import { showError, showNotice } from "./notices.js";
import { Store } from "./store.js";
import { createTransport } from "./transport.js";

/** @typedef {import("./connection.js").LongText} LongText */
/** @typedef {import("./connection.js").TransportState} TransportState */
/** @typedef {import("./memory.js").SavedGame} SavedGame */
/** @typedef {import("./protocol").Advice} Advice */
/** @typedef {import("./protocol").Analysis} Analysis */
/** @typedef {import("./protocol").ExplanationPart} ExplanationPart */
/** @typedef {import("./protocol").Hello} Hello */
/** @typedef {import("./protocol").Intent} Intent */
/** @typedef {import("./protocol").Message} Message */
/** @typedef {import("./protocol").NodeEntry} NodeEntry */
/** @typedef {import("./protocol").PlayColor} PlayColor */
/** @typedef {import("./protocol").PlayEntry} PlayEntry */
/** @typedef {import("./protocol").ReviewDepth} ReviewDepth */
/** @typedef {import("./protocol").ReviewProgress} ReviewProgress */
/** @typedef {import("./protocol").State} State */
/** @typedef {import("./protocol").Step} Step */
/** @typedef {import("./protocol").TreeChange} TreeChange */
/** @typedef {import("./protocol").Welcome} Welcome */
/** @typedef {import("./tabs.js").Tab} Tab */

/**
 * The tree of moves.
 * @typedef {object} Tree
 * @property {Map<number, NodeEntry>} nodes Nodes by id.
 * @property {NodeEntry | null} root
 */

/**
 * What the reader chooses. The browser remembers it.
 * @typedef {object} Settings
 * @property {Tab} tab
 * @property {boolean} flipped
 * @property {boolean} engine
 * @property {number} lines
 * @property {number} threads
 * @property {number} hash The size of the transposition table in MiB; 0 is the server's default.
 * @property {string} stop When an analysis ends: a rule and its value, such as `depth 20`, or `none`.
 * @property {string} otherEngine The id of the engine beside ours, or an empty string.
 * @property {boolean} arrows
 * @property {boolean} threats
 * @property {string} level
 * @property {PlayColor} color
 * @property {string} clock
 * @property {number} minutes
 * @property {number} increment
 * @property {ReviewDepth} depth
 * @property {boolean} sounds
 * @property {string} boardTheme
 * @property {string} pieceSet
 * @property {boolean} figurines
 * @property {"inside" | "outside" | "off"} coordinates
 * @property {boolean} toldKept Whether the reader knows that the library keeps games.
 * @property {boolean} explorer Whether the opening explorer is open.
 * @property {string} explorerSource
 */

/**
 * What the page has received and what the reader is doing.
 * @typedef {object} Situation
 * @property {TransportState} connection
 * @property {import("./connection.js").Loading | null} loading What is being loaded before the session can start.
 * @property {string | null} firstBoard The board before the first `state`; `null` if it is unknown.
 * @property {Welcome | null} welcome
 * @property {Tree} tree
 * @property {State | null} position The server's last `state`.
 * @property {Analysis | null} analysis
 * @property {import("./protocol").OtherAnalysis | null} other What the other engine has found.
 * @property {Advice | null} threat
 * @property {Advice | null} hint
 * @property {Explanation | null} explanation
 * @property {ReviewProgress | null} review
 * @property {import("./protocol").MessageOf<"games"> | null} games
 * @property {import("./protocol").MessageOf<"loaded"> | null} loaded
 * @property {import("./protocol").MessageOf<"library"> | null} librarySummary
 * @property {import("./protocol").MessageOf<"library_changed"> | null} libraryChanged The last time it changed.
 * @property {import("./protocol").MessageOf<"library_import"> | null} libraryImport
 * @property {number | null} libraryGame The game on the board, if it is in the library.
 * @property {number | null} libraryFolder The folder that the list shows.
 * @property {boolean} librarySaved Whether the library has the game as it is on the board.
 * @property {import("./library-import.js").Upload[]} uploads Files on their way into the library.
 * @property {import("./protocol").MessageOf<"xray"> | null} xray
 * @property {{ wrong: number[] } | null} draft The position being set up: the squares that break a rule.
 * @property {number | null} inspected The square that the X-ray shows.
 * @property {import("./premove.js").Premove | null} premove
 */

/**
 * An explanation, or a message in its place.
 * @typedef {{ message: string, parts?: undefined } | { message?: undefined, parts: ExplanationPart[] }} Explanation
 */

/** @typedef {Settings & Situation} Values */

/** The longest game in a link, in bytes; the server's limit is the same. */
const LONGEST_GAME = 4 << 20;

/** @type {Settings} */
const DEFAULTS = {
  tab: "analyse",
  flipped: false,
  engine: false,
  lines: 3,
  threads: 1,
  hash: 0,
  stop: "none",
  otherEngine: "",
  arrows: true,
  threats: false,
  level: "club",
  color: "white",
  clock: "none",
  minutes: 10,
  increment: 5,
  depth: "normal",
  sounds: false,
  boardTheme: "classic",
  pieceSet: "ferz",
  figurines: false,
  coordinates: "inside",
  toldKept: false,
  explorer: false,
  explorerSource: "",
};
const START = "RNBQKBNRPPPPPPPP................................pppppppprnbqkbnr";
const SETTING_NAMES = /** @type {(keyof Settings)[]} */ (Object.keys(DEFAULTS));

export class App {
  constructor() {
    /** @type {Values} */
    const values = {
      ...savedSettings(DEFAULTS),
      connection: "connecting",
      loading: null,
      firstBoard: hasLink() ? null : (savedGame()?.board ?? START),
      welcome: null,
      tree: { nodes: new Map(), root: null },
      position: null,
      analysis: null,
      other: null,
      threat: null,
      hint: null,
      explanation: null,
      review: null,
      games: null,
      loaded: null,
      librarySummary: null,
      libraryChanged: null,
      libraryImport: null,
      libraryGame: null,
      libraryFolder: null,
      librarySaved: true,
      uploads: [],
      xray: null,
      draft: null,
      inspected: null,
      premove: null,
    };
    this.store = new Store(values);
    /**
     * The nodes of a change whose messages have not all arrived.
     * @type {Map<number, NodeEntry> | null}
     */
    this.growing = null;
    /**
     * The game that `hello` sends. A game in a link takes precedence over the saved one.
     * @type {SavedGame | null}
     */
    this.opening = null;
    /** The analysis that the last `hello` asked for. */
    this.greeted = { on: false, lines: 0 };
    this.warned = false;
    /**
     * The game as the library has it.
     * @type {string | undefined}
     */
    this.libraryText = undefined;
    this.connection = new Connection(createTransport(), {
      greeting: () => this.greeting(),
      receive: (message) => this.receive(message),
      changed: (connection) => this.store.set({ connection }),
      loading: (loading) => this.store.set({ loading }),
    });
    this.store.on(SETTING_NAMES, () => {
      saveSettings(Object.fromEntries(SETTING_NAMES.map((name) => [name, this.store.get(name)])));
    });
  }

  async start() {
    addEventListener("hashchange", () => this.openLink());
    if (isKeptByNewerPage()) {
      this.warned = true;
      showError(
        "A newer version of Ferz keeps its data in this browser. This page leaves it alone: export your game before " +
          "you close the tab.",
      );
    }
    this.opening = (await this.takeLink()) ?? savedGame();
    this.connection.connect();
  }

  /** Returns the game in the address and removes it from there. */
  async takeLink() {
    try {
      const game = await gameInLink(LONGEST_GAME);
      if (game) forgetLink(this.store.get("tab"));
      return game;
    } catch (error) {
      forgetLink(this.store.get("tab"));
      showError(error);
      return null;
    }
  }

  /** Opens a link that was pasted into the address of the open page. */
  async openLink() {
    const game = await this.takeLink();
    if (!game) return;
    if (this.playing()) {
      showError("A game against the engine is in progress. Finish it or resign before you open another.");
      return;
    }
    this.opening = game;
    const { intent, longText } = this.greeting();
    this.do(intent, longText);
  }

  /** @returns {{ intent: Hello & { type: "hello" }, longText: LongText }} */
  greeting() {
    const { pgn, path, fen, play, library } = this.opening ?? {};
    const { engine, lines, tab } = this.store.values;
    this.greeted = { on: engine, lines };
    /** @type {Hello & { type: "hello" }} */
    const intent = { type: "hello", analysis: this.greeted, xray: tab === "xray" };
    intent.engine = engineWish(this.store.values);
    intent.other_engine = this.store.get("otherEngine") || null;
    if (pgn) Object.assign(intent, { pgn, path: path || null });
    if (fen) intent.fen = fen;
    if (play) intent.play = play;
    if (library) intent.library = library;
    return { intent, longText: pgn ? "pgn" : null };
  }

  /**
   * Sends an intent. If the server refuses it, the page shows why and the answer is `null`.
   * @template {Intent["type"]} Type
   * @param {Intent & { type: Type }} intent
   * @param {LongText} [longText]
   * @returns {Promise<import("./protocol").Answer<Type> | null>}
   */
  do(intent, longText) {
    // TypeScript cannot infer `Type` a second time from a parameter of a generic function.
    const answer = this.connection.ask(/** @type {any} */ (intent), longText);
    return /** @type {Promise<any>} */ (answer).catch((error) => {
      showError(error);
      return null;
    });
  }

  /** @param {Message} message */
  receive(message) {
    const { store } = this;
    switch (message.type) {
      case "welcome":
        return store.set({ welcome: message });
      case "tree":
        return this.grow(message);
      case "state":
        return this.arrive(message);
      case "save":
        return this.keep(message.pgn);
      case "analysis":
        // A message of the search that was just switched off may still be under way.
        if (message.node === store.get("position")?.node && store.get("engine"))
          store.set({ analysis: steady(message, store.get("analysis")) });
        return undefined;
      case "other_analysis":
        if (message.node === store.get("position")?.node) store.set({ other: message });
        return undefined;
      case "xray":
        return store.set({ xray: message });
      case "review":
        return store.set({ review: message });
      case "games":
        return store.set({ games: message });
      case "loaded":
        store.set({ loaded: message });
        return this.showProblems(message);
      case "library":
        return store.set({ librarySummary: message });
      case "library_changed":
        return store.set({ libraryChanged: message });
      case "library_import":
        return store.set({ libraryImport: message });
      case "library_current":
        return this.place(message.game);
      case "notice":
        return showNotice(message.message);
      case "error":
        return showError(message.message);
      default:
        return undefined;
    }
  }

  /**
   * Applies a change of the tree.
   * @param {TreeChange} change
   */
  grow({ reset, nodes, removed, more }) {
    const all = this.growing ?? (reset ? new Map() : this.store.get("tree").nodes);
    for (const node of nodes) all.set(node.id, node);
    for (const id of removed) all.delete(id);
    this.growing = more ? all : null;
    if (more) return;
    if (reset) this.store.set({ review: null });
    const root = reset ? [...all.values()].find((node) => node.parent === null) : this.store.get("tree").root;
    this.store.set({ tree: { nodes: all, root: (root && all.get(root.id)) ?? null } });
  }

  /** @param {State} position */
  arrive(position) {
    const { store } = this;
    const before = store.get("position");
    // Two games may use the same node number for different positions.
    const moved = position.node !== before?.node || position.fen !== before.fen;
    if (moved) store.set({ position, analysis: null, other: null, threat: null, hint: null, explanation: null });
    // A hint ends with its game.
    else store.set(position.play?.over ? { position, hint: null } : { position });
    // A puzzle is not the place in the game.
    if (position.puzzle) return;
    this.opening = { ...this.opening, fen: null, path: position.path, play: position.play };
    savePlace(position, this.opening.library);
  }

  /**
   * Remembers which game of the library is on the board, so that a reload does not add a copy.
   * @param {number | null} library
   */
  place(library) {
    this.opening = { ...this.opening, library };
    this.libraryText = this.opening.pgn;
    const position = this.store.get("position");
    if (position && !position.puzzle) savePlace(position, library);
    this.store.set({ libraryGame: library, librarySaved: true });
  }

  /**
   * Keeps the game for the next connection and the next visit.
   * @param {string} pgn
   */
  keep(pgn) {
    this.opening = { ...this.opening, fen: null, pgn };
    this.store.set({ librarySaved: pgn === this.libraryText });
    if (saveGame(pgn) || this.warned) return;
    this.warned = true;
    showError("This browser does not let the page save the game. Export it before you close the tab.");
  }

  /** @param {{ problems: string[], problem_count: number }} loaded */
  showProblems({ problems, problem_count: count }) {
    if (count === 0) return;
    const shown = problems.slice(0, 3);
    const rest = count > shown.length ? ` And ${count - shown.length} more.` : "";
    showError(`Parts of the text could not be read. ${shown.map(problemText).join(" ")}${rest}`);
  }

  /**
   * The current node.
   * @returns {NodeEntry | null}
   */
  node() {
    const { position, tree } = this.store.values;
    return (position && tree.nodes.get(position.node)) ?? null;
  }

  /**
   * The game against the engine, if one is in progress.
   * @returns {PlayEntry | null}
   */
  playing() {
    const play = this.store.get("position")?.play;
    return play && !play.over ? play : null;
  }

  /** @param {Step} to */
  step(to) {
    return this.do({ type: "step", to });
  }
}

/**
 * A fail-high or fail-low has a bound instead of a score, and few moves. As long as it starts with the same move, the
 * line found before stays, so that scores do not flicker.
 * @param {Analysis} analysis
 * @param {Analysis | null} before
 * @returns {Analysis}
 */
function steady(analysis, before) {
  const lines = analysis.lines.map((line) => {
    const known = before?.lines.find((one) => one.uci[0] === line.uci[0]);
    if (line.bound === "exact" || !known) return line;
    const { uci, san } = known.uci.length > line.uci.length ? known : line;
    return { ...line, uci, san, score: known.score, wdl: known.wdl };
  });
  return { ...analysis, lines };
}
