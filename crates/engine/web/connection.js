// @ts-check
// Intents and their answers. How messages travel is the transport's business.

/** @typedef {import("./protocol").Envelope} Envelope */
/** @typedef {import("./protocol").Intent} Intent */
/** @typedef {import("./protocol").Message} Message */
/** @typedef {import("./protocol").Outgoing} Outgoing */

/** @typedef {"connecting" | "open" | "lost"} TransportState */

/**
 * What a transport says about itself, in sentences for the reader.
 * @typedef {object} TransportWords
 * @property {string} away There is no session.
 * @property {string} awayInShort The same, in the facts about the analysis.
 * @property {string} refused An intent was not sent, because there is no session.
 * @property {string} lost The answer to an intent will never come.
 * @property {(ahead: number) => string} busy The analysis waits for this many searches.
 */

/**
 * A file that is being loaded, in bytes.
 * @typedef {{ text: string, done: number, total: number }} Loading
 */

/**
 * Carries messages to a session and back: through a WebSocket to the server, or to a worker. A transport reconnects by
 * itself. Each time it opens there is a new session, which knows nothing yet.
 * @typedef {object} Transport
 * @property {TransportState} state
 * @property {TransportWords} words
 * @property {() => void} connect
 * @property {(message: Envelope) => void} send Works only while the state is `open`.
 * @property {(message: Outgoing) => void} onmessage
 * @property {(state: TransportState) => void} onstate
 * @property {(loading: Loading | null) => void} onloading
 */

/**
 * The name of the one field of an intent that may be too long for a message.
 * @typedef {"pgn" | "text" | null} LongText
 */

/**
 * @typedef {object} Handlers
 * @property {() => { intent: Intent, longText: LongText }} greeting The first intent after every opening.
 * @property {(message: Message) => void} receive Gets every message except refusals of intents that await an answer.
 * @property {(state: TransportState) => void} changed
 * @property {(loading: Loading | null) => void} loading
 */

/** Long texts are sent in pieces of this many characters; a message is large enough for them in any script. */
const PIECE = 12000;

export class Connection {
  /**
   * @param {Transport} transport
   * @param {Handlers} handlers
   */
  constructor(transport, handlers) {
    this.transport = transport;
    this.handlers = handlers;
    this.nextId = 1;
    /**
     * Intents without an answer yet, by their number.
     * @type {Map<number | undefined, { resolve: (answer: any) => void, reject: (error: Error) => void }>}
     */
    this.pending = new Map();
    /**
     * Sends what the reader did before the first session was there. `null` afterwards: a new session has other nodes.
     * @type {(() => void)[] | null}
     */
    this.early = [];
    transport.onmessage = (message) => this.received(message);
    transport.onstate = (state) => this.changed(state);
    transport.onloading = (loading) => handlers.loading(loading);
  }

  get words() {
    return this.transport.words;
  }

  connect() {
    this.transport.connect();
  }

  /**
   * Sends an intent. The promise resolves to its answer, or rejects with a message for the reader.
   * @template {Intent["type"]} Type
   * @param {Intent & { type: Type }} intent
   * @param {LongText} [longText]
   * @returns {Promise<import("./protocol").Answer<Type>>}
   */
  ask(intent, longText = null) {
    const { state } = this.transport;
    const early = state === "connecting" ? this.early : null;
    if (state !== "open" && !early) return Promise.reject(new Error(this.words.refused));
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      const send = () => this.send({ ...intent, id }, longText);
      if (early) early.push(send);
      else send();
    });
  }

  /**
   * @param {Envelope} message
   * @param {LongText} longText
   */
  send(message, longText) {
    const text = longText ? textOf(message, longText) : "";
    const pieces = [];
    for (let at = 0; at < text.length; at += PIECE) pieces.push(text.slice(at, at + PIECE));
    const last = pieces.pop();
    pieces.forEach((piece, index) => this.transport.send({ type: "part", text: piece, reset: index === 0 }));
    this.transport.send(longText && last !== undefined ? { ...message, [longText]: last } : message);
  }

  /** @param {Outgoing} message */
  received(message) {
    const question = this.pending.get(message.re);
    // The page must know what a message changed before the code that awaits it continues.
    if (message.type !== "error" || !question) this.handlers.receive(message);
    if (!question) return;
    this.pending.delete(message.re);
    if (message.type === "error") question.reject(new Error(message.message));
    else question.resolve(message);
  }

  /** @param {TransportState} state */
  changed(state) {
    if (state === "open") {
      const { intent, longText } = this.handlers.greeting();
      this.send({ ...intent, id: 0 }, longText);
      this.early?.forEach((send) => send());
      this.early = null;
    } else if (state === "lost") {
      for (const { reject } of this.pending.values()) reject(new Error(this.words.lost));
      this.pending.clear();
      if (this.early) this.early = [];
    }
    this.handlers.changed(state);
  }
}

/**
 * @param {Envelope} message
 * @param {"pgn" | "text"} name
 * @returns {string}
 */
function textOf(message, name) {
  if (name === "pgn") return (message.type === "hello" && message.pgn) || "";
  return ((message.type === "load" || message.type === "puzzles") && message.text) || "";
}
