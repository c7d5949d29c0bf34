// @ts-check
// The WebSocket to the server. It reconnects by itself when the connection breaks.

/** @typedef {import("./connection.js").Transport} Transport */
/** @typedef {import("./connection.js").TransportState} TransportState */
/** @typedef {import("./protocol").Envelope} Envelope */
/** @typedef {import("./protocol").Outgoing} Outgoing */

const FIRST_DELAY = 250;
const LONGEST_DELAY = 5000;

/** @type {import("./connection.js").TransportWords} */
const WORDS = {
  away: "The server is not responding. Your game is saved here, and the page is reconnecting.",
  awayInShort: "The server is not responding. Reconnecting…",
  refused: "There is no connection to the server. The page is reconnecting.",
  lost: "The connection to the server was lost.",
  busy: (ahead) => `All engines are busy. Requests ahead of yours: ${ahead}.`,
};

/** @implements {Transport} */
export class SocketTransport {
  constructor() {
    /** @type {TransportState} */
    this.state = "connecting";
    this.words = WORDS;
    /** @type {(message: Outgoing) => void} */
    this.onmessage = () => {};
    /** @type {(state: TransportState) => void} */
    this.onstate = () => {};
    /** @type {Transport["onloading"]} */
    this.onloading = () => {};
    /** @type {WebSocket | null} */
    this.socket = null;
    this.delay = FIRST_DELAY;
    /** @type {number | undefined} */
    this.timer = undefined;
    // A reader who returns to the tab should not wait for a slow retry.
    addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => document.hidden || this.retryNow());
  }

  async connect() {
    this.change("connecting");
    try {
      // The server makes a new token whenever it starts.
      const response = await fetch("session", { cache: "no-store" });
      if (!response.ok) throw new Error(await response.text());
      const { token } = await response.json();
      const scheme = location.protocol === "https:" ? "wss:" : "ws:";
      const socket = new WebSocket(`${scheme}//${location.host}/ws`, ["ferz", token]);
      socket.onopen = () => this.opened(socket);
      socket.onmessage = (event) => this.onmessage(JSON.parse(event.data));
      socket.onclose = () => this.lost();
    } catch {
      this.lost();
    }
  }

  /** @param {Envelope} message */
  send(message) {
    this.socket?.send(JSON.stringify(message));
  }

  /** @param {TransportState} state */
  change(state) {
    this.state = state;
    this.onstate(state);
  }

  /** @param {WebSocket} socket */
  opened(socket) {
    this.socket = socket;
    this.delay = FIRST_DELAY;
    this.change("open");
  }

  lost() {
    this.socket = null;
    this.change("lost");
    // Random delays keep many tabs from reconnecting at the same moment.
    this.timer = setTimeout(() => this.connect(), this.delay * (0.8 + 0.4 * Math.random()));
    this.delay = Math.min(2 * this.delay, LONGEST_DELAY);
  }

  retryNow() {
    if (this.socket || !this.timer || this.delay <= 2 * FIRST_DELAY) return;
    clearTimeout(this.timer);
    this.delay = FIRST_DELAY;
    this.connect();
  }
}
