// The page's model: what the server said last, what the reader chose, and the intents that go back.

import { problemText } from "./format.js";
import { forgetLink, gameInLink, savedGame, savedSettings, saveGame, savePlace, saveSettings } from "./memory.js";
import { complain, tell } from "./notices.js";
import { Session } from "./session.js";
import { Store } from "./store.js";

/** More than this of a game in a link is refused; the server takes no more either. */
const LONGEST_GAME = 4 << 20;

/** What the reader chooses, and what is remembered of it. */
const SETTINGS = {
  tab: "analyse",
  flipped: false,
  engine: false,
  lines: 3,
  arrows: true,
  threats: false,
  level: "club",
  color: "white",
  clock: "none",
  minutes: 10,
  increment: 5,
  depth: "normal",
};

export class App {
  constructor() {
    const settings = savedSettings(SETTINGS);
    this.store = new Store({
      ...settings,
      connection: "connecting",
      welcome: null,
      /** Nodes of the tree of moves by id. */
      tree: { nodes: new Map(), root: null },
      /** The server's last `state`. */
      position: null,
      analysis: null,
      threat: null,
      hint: null,
      /** Why moves are good or bad here: its parts, or a message instead of them. */
      explanation: null,
      review: null,
      games: null,
      /** What the server said about the last text it read. */
      loaded: null,
      xray: null,
      /** The position being set up, while the reader does that. */
      draft: null,
      /** The square the X-ray looks at. */
      inspected: null,
    });
    this.growing = null;
    /** What `hello` begins with; a game from a link comes before the saved one. */
    this.opening = null;
    this.session = new Session({
      greeting: () => this.greeting(),
      receive: (message) => this.receive(message),
      changed: (connection) => this.store.set({ connection }),
    });
    this.store.on(Object.keys(SETTINGS), () => {
      saveSettings(Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, this.store.get(name)])));
    });
  }

  async start() {
    addEventListener("hashchange", () => this.openLink());
    this.opening = (await this.takeLink()) ?? savedGame();
    await this.session.connect();
  }

  /** The game in the address, taken out of it. */
  async takeLink() {
    try {
      const game = await gameInLink(LONGEST_GAME);
      if (game) forgetLink();
      return game;
    } catch (error) {
      forgetLink();
      complain(error);
      return null;
    }
  }

  /** A link was pasted into the address of the open page. */
  async openLink() {
    const game = await this.takeLink();
    if (!game) return;
    if (this.playing()) {
      complain(new Error("A game against the engine is going on: finish it or resign before you open another."));
      return;
    }
    this.opening = game;
    const { message, longText } = this.greeting();
    this.do(message, longText);
  }

  greeting() {
    const { pgn, path, fen, play } = this.opening ?? {};
    const message = { type: "hello", ...this.following() };
    if (pgn) Object.assign(message, { pgn, path: path || null });
    if (fen) message.fen = fen;
    if (play) message.play = play;
    return { message, longText: pgn ? "pgn" : null };
  }

  /** What the server should send without being asked. */
  following() {
    const { engine, lines, tab } = this.store.values;
    return { analysis: { on: engine, lines }, xray: tab === "xray" };
  }

  /** Sends an intent; if it is refused, the reader is told why. */
  do(message, longText) {
    return this.session.ask(message, longText).catch((error) => {
      complain(error);
      return null;
    });
  }

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
        if (message.node === store.get("position")?.node)
          store.set({ analysis: steady(message, store.get("analysis")) });
        return undefined;
      case "xray":
      case "review":
      case "games":
        return store.set({ [message.type]: message });
      case "loaded":
        store.set({ loaded: message });
        return this.tellProblems(message);
      case "notice":
        return tell(message.message);
      case "error":
        return tell(message.message, { error: true });
      default:
        return undefined;
    }
  }

  /** Takes over what changed in the tree. */
  grow({ reset, nodes, removed = [], more }) {
    this.growing ??= { nodes: reset ? new Map() : this.store.get("tree").nodes };
    for (const node of nodes) this.growing.nodes.set(node.id, node);
    for (const id of removed) this.growing.nodes.delete(id);
    if (more) return;
    const all = this.growing.nodes;
    this.growing = null;
    if (reset) this.store.set({ review: null });
    const root = reset ? [...all.values()].find((node) => node.parent === null) : this.store.get("tree").root;
    this.store.set({ tree: { nodes: all, root: root && all.get(root.id) } });
  }

  arrive(position) {
    const { store } = this;
    const before = store.get("position");
    // Another game may use the same number for another position.
    const moved = position.node !== before?.node || position.fen !== before.fen;
    store.set(moved ? { position, analysis: null, threat: null, hint: null, explanation: null } : { position });
    this.opening = { ...this.opening, fen: null, path: position.path, play: position.play };
    savePlace(position.path, position.play);
  }

  /** Keeps the game for the next connection and the next visit. */
  keep(pgn) {
    this.opening = { ...this.opening, fen: null, pgn };
    if (saveGame(pgn) || this.warned) return;
    this.warned = true;
    tell("This browser does not let the page save the game. Export it before you close the tab.", { error: true });
  }

  tellProblems({ problems, problem_count: count }) {
    if (count === 0) return;
    const told = problems.slice(0, 3);
    const rest = count > told.length ? ` And ${count - told.length} more.` : "";
    tell(`Not everything could be read. ${told.map(problemText).join(" ")}${rest}`, { error: true });
  }

  /** The node that is shown. */
  node() {
    return this.store.get("tree").nodes.get(this.store.get("position")?.node) ?? null;
  }

  /** A game against the engine that is not over yet. */
  playing() {
    const play = this.store.get("position")?.play;
    return play && !play.over ? play : null;
  }

  step(to) {
    return this.do({ type: "step", to });
  }
}

/** A bound comes with few moves; as long as it is about the same move, the line found before stays to be read. */
function steady(analysis, before) {
  const lines = analysis.lines.map((line) => {
    const known = before?.lines.find((one) => one.uci[0] === line.uci[0]);
    const isShort = line.bound !== "exact" && known && known.uci.length > line.uci.length;
    return isShort ? { ...line, uci: known.uci, san: known.san } : line;
  });
  return { ...analysis, lines };
}
