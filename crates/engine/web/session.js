// The conversation with the server: one WebSocket, opened again whenever it breaks.

/** Long texts travel in pieces of this many characters, short enough in any language. */
const PIECE = 12000;
const FIRST_DELAY = 250;
const LONGEST_DELAY = 5000;

export class Session {
  /**
   * `greeting()` gives the first message of every connection, `receive(message)` hears all that comes, and
   * `changed(status)` is told `connecting`, `open` or `lost`.
   */
  constructor({ greeting, receive, changed }) {
    Object.assign(this, { greeting, receive, changed });
    this.socket = null;
    this.nextId = 1;
    this.delay = FIRST_DELAY;
    /** Questions without an answer yet, by their number. */
    this.open = new Map();
    // Someone who comes back to the tab should not wait for a slow retry.
    addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => document.hidden || this.hurry());
  }

  async connect() {
    this.changed("connecting");
    try {
      // The token is new whenever the server starts.
      const response = await fetch("session", { cache: "no-store" });
      if (!response.ok) throw new Error(await response.text());
      const { token } = await response.json();
      const scheme = location.protocol === "https:" ? "wss:" : "ws:";
      const socket = new WebSocket(`${scheme}//${location.host}/ws`, ["ferz", token]);
      socket.onopen = () => this.begin(socket);
      socket.onmessage = (event) => this.hear(JSON.parse(event.data));
      socket.onclose = () => this.lose();
    } catch {
      this.lose();
    }
  }

  /** Sends a message; the promise is kept by its answer or broken by an `Error` with a sentence. */
  ask(message, longText = null) {
    if (!this.socket) return Promise.reject(new Error("The server is away. The page connects again by itself."));
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.open.set(id, { resolve, reject });
      this.sendLong({ ...message, id }, longText);
    });
  }

  begin(socket) {
    this.socket = socket;
    this.delay = FIRST_DELAY;
    const { message, longText } = this.greeting();
    this.sendLong({ ...message, id: 0 }, longText);
    this.changed("open");
  }

  /** `longText` is the name of the one field that may be too long for a message. */
  sendLong(message, longText) {
    const text = longText ? (message[longText] ?? "") : "";
    const pieces = [];
    for (let at = 0; at < text.length; at += PIECE) pieces.push(text.slice(at, at + PIECE));
    const last = pieces.pop();
    pieces.forEach((piece, index) => this.send({ type: "part", text: piece, reset: index === 0 }));
    this.send(last === undefined ? message : { ...message, [longText]: last });
  }

  send(message) {
    this.socket.send(JSON.stringify(message));
  }

  hear(message) {
    const question = this.open.get(message.re);
    // What the message changes must be known before whoever asked goes on.
    if (message.type !== "error" || !question) this.receive(message);
    if (!question) return;
    this.open.delete(message.re);
    if (message.type === "error") question.reject(new Error(message.message));
    else question.resolve(message);
  }

  lose() {
    this.socket = null;
    for (const { reject } of this.open.values()) reject(new Error("The connection to the server broke."));
    this.open.clear();
    this.changed("lost");
    // A little chance keeps many tabs from knocking at the same moment.
    this.timer = setTimeout(() => this.connect(), this.delay * (0.8 + 0.4 * Math.random()));
    this.delay = Math.min(2 * this.delay, LONGEST_DELAY);
  }

  hurry() {
    if (this.socket || !this.timer || this.delay <= 2 * FIRST_DELAY) return;
    clearTimeout(this.timer);
    this.delay = FIRST_DELAY;
    this.connect();
  }
}
