// @ts-check
// A move as sixteen bits, and what making it and taking it back does to the position.

import { choice, el, field, write } from "./dom.js";
import { numberBoard } from "./little-board.js";
import { pieceName, squareOf } from "./squares.js";
import { facts, hex, section, table } from "./xray-parts.js";
import { Stepper } from "./xray-stepper.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").Frame} Frame */
/** @typedef {import("./protocol").KindName} KindName */
/** @typedef {import("./protocol").MessageOf<"timeline">} TimelineMessage */
/** @typedef {import("./protocol").MessageOf<"xray">} XrayMessage */
/** @typedef {import("./protocol").MoveBits} MoveBits */

/** @type {{ [kind in KindName]: string }} */
const KINDS = {
  normal: "any other move; a capture is one if a piece stands on the target",
  double_step: "a pawn goes two squares, and can be captured en passant",
  castling: "castling, stored as king takes own rook: unambiguous in Chess960 too",
  en_passant: "an en passant capture: the captured pawn is not on the target",
  promote_knight: "promotion to a knight",
  promote_bishop: "promotion to a bishop",
  promote_rook: "promotion to a rook",
  promote_queen: "promotion to a queen",
};

/** @param {number} bits */
const hex16 = (bits) => `0x${bits.toString(16).padStart(4, "0").toUpperCase()}`;

/** The move that both sections show. */
export class ChosenMove {
  constructor() {
    this.uci = "";
    /** @type {HTMLSelectElement[]} */
    this.controls = [];
    /** @type {(() => void)[]} */
    this.listeners = [];
    this.listed = "";
  }

  /** A drop-down list of the legal moves. */
  control() {
    const select = choice([], "", (uci) => {
      this.uci = uci;
      for (const one of this.controls) one.value = uci;
      for (const listener of this.listeners) listener();
    });
    this.controls.push(select);
    return field("Move", select);
  }

  /**
   * Offers the moves of a position. Returns the chosen one; the old choice stays if it is still legal.
   * @param {MoveBits[]} moves
   * @returns {MoveBits | undefined}
   */
  offer(moves) {
    const list = moves.map(({ uci }) => uci).join(" ");
    if (list !== this.listed) {
      this.listed = list;
      if (!moves.some(({ uci }) => uci === this.uci)) this.uci = moves[0]?.uci ?? "";
      for (const select of this.controls) {
        select.replaceChildren(...moves.map(({ uci, san }) => el("option", { value: uci }, `${san} (${uci})`)));
        select.value = this.uci;
        select.disabled = moves.length === 0;
      }
    }
    return moves.find(({ uci }) => uci === this.uci);
  }
}

export class MoveSection {
  /** @param {ChosenMove} chosen */
  constructor(chosen) {
    this.chosen = chosen;
    /** @type {MoveBits[]} */
    this.moves = [];
    this.body = el("div", { class: "stack tight" });
    this.element = section(
      "moves",
      () => [
        { name: `move ${this.chosen.uci}`, type: "u16", value: this.chosen.offer(this.moves)?.bits ?? 0 },
        { name: "legal_moves", type: "u16", value: this.moves.map(({ bits }) => bits) },
      ],
      el("div", { class: "row-of end" }, chosen.control()),
      this.body,
    );
    chosen.listeners.push(() => this.draw());
  }

  /** @param {XrayMessage} xray */
  show({ moves }) {
    this.moves = moves;
    this.draw();
  }

  draw() {
    const move = this.chosen.offer(this.moves);
    if (!move) {
      this.body.replaceChildren(el("p", { class: "soft" }, "There is no legal move."));
      return;
    }
    const digits = move.bits.toString(2).padStart(16, "0");
    const [kind, to, from] = [digits.slice(0, 4), digits.slice(4, 10), digits.slice(10)];
    const part = (/** @type {string} */ name, /** @type {string} */ bits) => el("span", { class: `bits-${name}` }, bits);
    this.body.replaceChildren(
      el("p", { class: "mono sixteen" }, part("kind", kind), " ", part("to", to), " ", part("from", from)),
      table(
        ["Bits", "Field", "Value", "Meaning"],
        [
          ["0–5", "from", part("from", from), `${squareOf(move.from)} = ${move.from}`],
          ["6–11", "to", part("to", to), `${squareOf(move.to)} = ${move.to}`],
          ["12–15", "kind", part("kind", kind), `${move.bits >> 12} = ${KINDS[move.kind]}`],
        ],
        "parts wrapped",
      ),
      el(
        "p",
        { class: "mono soft" },
        `${move.bits >> 12} · 4096 + ${squareOf(move.to)} · 64 + ${squareOf(move.from)} = ${move.bits} = ${hex16(move.bits)}`,
      ),
    );
  }
}

/** @param {Frame} frame */
function frameText({ action, piece, from, to }) {
  const name = piece ? pieceName(piece) : "";
  switch (action) {
    case "start":
      return "Before the move.";
    case "removed":
      return `Remove the ${name} from ${from}.`;
    case "placed":
      return `Place a ${name} on ${to}.`;
    case "moved":
      return `Move the ${name} from ${from} to ${to}.`;
    case "made":
      return "The pieces stand. Turn, rights, en passant and clocks change, and their parts of the key.";
    case "unmade":
      return "The pieces stand as before. The rest comes from the undo record.";
  }
}

export class TimelineSection {
  /**
   * @param {App} app
   * @param {ChosenMove} chosen
   */
  constructor(app, chosen) {
    this.app = app;
    this.chosen = chosen;
    /** @type {XrayMessage | null} */
    this.xray = null;
    /** @type {TimelineMessage | null} */
    this.timeline = null;
    this.question = "";
    this.text = el("p", { role: "status" });
    this.board = el("div", {});
    this.state = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "State by step" });
    this.undo = el("div", {});
    this.stepper = new Stepper("steps of the move", (step) => this.draw(step));
    this.element = section(
      "timeline",
      () => this.literals(),
      el("div", { class: "row-of end" }, chosen.control(), this.stepper.element),
      this.text,
      this.board,
      this.state,
      el("h4", {}, "Undo record"),
      this.undo,
    );
    chosen.listeners.push(() => this.ask());
  }

  /** @returns {import("./xray-copy.js").Literal[]} */
  literals() {
    if (!this.timeline) return [];
    const { undo, frames } = this.timeline;
    return [
      { name: "undo_key", type: "u64", value: undo.key },
      { name: "undo_pawn_key", type: "u64", value: undo.pawn_key },
      { name: "undo_castling_rooks", type: "u64", value: undo.castling_rooks },
      { name: "undo_move", type: "u16", value: undo.bits },
      { name: "undo_halfmove_clock", type: "u16", value: undo.halfmove },
      { name: "keys", type: "u64", value: frames.map(({ key }) => key) },
    ];
  }

  /** @param {XrayMessage} xray */
  show(xray) {
    this.xray = xray;
    this.ask();
  }

  async ask() {
    if (!this.xray) return;
    const { node, moves, fen } = this.xray;
    const move = this.chosen.offer(moves);
    const question = `${node} ${fen} ${move?.uci}`;
    if (question === this.question) return;
    this.question = question;
    this.timeline = move ? await this.app.do({ type: "timeline", node, uci: move.uci }) : null;
    if (this.question === question) this.stepper.reset(this.timeline?.frames.length ?? 0);
  }

  /** @param {number} step */
  draw(step) {
    const { frames, undo } = this.timeline ?? {};
    if (!frames || !undo) {
      write(this.text, "There is no legal move.");
      for (const part of [this.board, this.state, this.undo]) part.replaceChildren();
      return;
    }
    const frame = frames[step];
    const made = frames.findIndex(({ action }) => action === "made");
    write(this.text, `${step === 0 ? "" : step <= made ? "Make: " : "Take back: "}${frameText(frame)}`);
    const pieces = [...frame.pieces].map((piece) => (piece === "." ? "" : piece));
    const tones = new Map([frame.from, frame.to].flatMap((name) => (name ? [[squareOf(name), "is-changed"]] : [])));
    const board = numberBoard(
      pieces.map((piece, square) => ({ piece, text: "", tone: tones.get(square) ?? "" })),
      `The board after step ${step + 1}`,
    );
    board.classList.add("pieces-only");
    this.board.replaceChildren(board);
    // Between two complete positions only pieces and key have changed.
    const known = frames.slice(0, step + 1).reduce((last, { state }) => state ?? last, frames[0].state);
    const square = (/** @type {string | null | undefined} */ name) => name ?? "–";
    this.state.replaceChildren(
      facts([
        ["Key", el("span", { class: "mono", id: "timeline-key" }, hex(frame.key))],
        ["To move", known?.turn ?? ""],
        ["Castling", known?.castling ?? ""],
        ["En passant", `skipped ${square(known?.double_step)}, possible ${square(known?.en_passant)}`],
        ["Clocks", `half-move clock ${known?.halfmove}, move ${known?.fullmove}`],
        ["FEN", el("span", { class: "mono", id: "timeline-fen" }, frame.state?.fen ?? "– (between two positions)")],
      ]),
    );
    this.undo.replaceChildren(
      facts([
        ["Size", `${undo.bytes} bytes`],
        ["Move", el("span", { class: "mono" }, hex16(undo.bits))],
        ["Captured", undo.captured ? pieceName(undo.captured) : "nothing"],
        ["Castling rooks", el("span", { class: "mono" }, hex(undo.castling_rooks))],
        ["En passant", `skipped ${square(undo.double_step)}, possible ${square(undo.en_passant)}`],
        ["Half-move clock", String(undo.halfmove)],
        ["Key", el("span", { class: "mono" }, hex(undo.key))],
        ["Pawn key", el("span", { class: "mono" }, hex(undo.pawn_key))],
      ]),
    );
  }
}
