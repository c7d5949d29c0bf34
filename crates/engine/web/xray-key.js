// @ts-check
// The state of the position, and the parts of its Zobrist key.

import { el } from "./dom.js";
import { facts, hex, section, table } from "./xray-parts.js";
import { pieceName } from "./squares.js";

/** @typedef {import("./dom.js").Leaf} Leaf */
/** @typedef {import("./protocol").Difference} Difference */
/** @typedef {import("./protocol").Part} Part */
/** @typedef {import("./protocol").MessageOf<"xray">} XrayMessage */

export class FactSection {
  constructor() {
    this.body = el("div", {});
    /** @type {import("./xray-copy.js").Literal[]} */
    this.literals = [];
    this.element = section("position", () => this.literals, this.body);
  }

  /** @param {XrayMessage} xray */
  show({ fen, castling, en_passant: passant, turn, halfmove, fullmove, pieces, checkers, pins, keys, key }) {
    this.literals = [
      { name: "fen", type: "text", value: fen },
      { name: "pieces", type: "text", value: pieces },
      { name: "castling_rights", type: "u16", value: castling.bits },
      { name: "key", type: "u64", value: key.value },
      { name: "pawn_key", type: "u64", value: keys.pawns },
    ];
    const rooks = castling.rooks.length > 0 ? `, rooks ${castling.rooks.join(" ")}` : "";
    const bits = `0b${castling.bits.toString(2).padStart(4, "0")}`;
    const square = (/** @type {string | null} */ name) => name ?? "–";
    const word = (/** @type {string} */ value) => el("span", { class: "mono" }, hex(value));
    this.body.replaceChildren(
      el("p", { class: "mono fen" }, fen),
      facts([
        ["To move", turn],
        ["Castling", `${castling.text} = ${bits}${rooks}`],
        [
          "En passant",
          `skipped ${square(passant.skipped)}, possible ${square(passant.possible)}, legal ${square(passant.legal)}`,
        ],
        ["Clocks", `half-move clock ${halfmove}, move ${fullmove}`],
        ["Checkers", BigInt(checkers) === 0n ? "none" : hex(checkers)],
        [
          "Pins",
          pins.length === 0
            ? "none"
            : pins.map(({ pinned, by, king }) => `${pinned} by ${by} (king ${king})`).join(", "),
        ],
        ["Key", word(key.value)],
        ["Pawn key", word(keys.pawns)],
        ["Repetition key", word(keys.repetition)],
        ["Minor-piece key", word(keys.minor)],
        ["White non-pawn key", word(keys.white_non_pawn)],
        ["Black non-pawn key", word(keys.black_non_pawn)],
        [
          "Piece list",
          el(
            "pre",
            { class: "mono" },
            [7, 6, 5, 4, 3, 2, 1, 0].map((rank) => [...pieces.slice(8 * rank, 8 * rank + 8)].join(" ")).join("\n"),
          ),
        ],
      ]),
    );
  }
}

export class KeySection {
  constructor() {
    this.body = el("div", { class: "stack tight" });
    /** @type {import("./xray-copy.js").Literal[]} */
    this.literals = [];
    this.element = section("key", () => this.literals, this.body);
  }

  /** @param {XrayMessage} xray */
  show({ key, diff }) {
    this.literals = [
      { name: "key", type: "u64", value: key.value },
      ...key.parts.map((part) => /** @type {const} */ ({ name: partName(part), type: "u64", value: part.value })),
    ];
    const sum = key.parts.reduce((word, part) => word ^ BigInt(part.value), 0n);
    const check = sum === BigInt(key.value) ? "✓ equals the key" : "✗ differs from the key";
    const toggled = diff?.key.toggled ?? [];
    const toggledNames = new Set(toggled.map(partName));
    /** @type {(part: Part, name: Leaf, mark: Leaf) => Leaf[]} */
    const row = (part, name, mark) => [name, el("span", { class: "mono" }, hex(part.value)), mark];
    const came = (/** @type {Part} */ part) => row(part, partName(part), el("span", { class: "came" }, "+ added"));
    const went = (/** @type {Part} */ part) =>
      row(part, el("s", {}, partName(part)), el("span", { class: "went" }, "− removed"));
    const stayed = key.parts.filter((part) => !toggledNames.has(partName(part)));
    // The changes of the last move come first.
    const rows = toggled.map((part) => (part.came ? came(part) : went(part)));
    rows.push(...stayed.map((part) => row(part, partName(part), "")));
    this.body.replaceChildren(
      diff ? updateText(diff) : el("p", { class: "soft" }, "No move has updated the key yet."),
      el(
        "p",
        { class: "soft" },
        `⊕ of ${key.parts.length} parts: `,
        el("span", { class: "mono" }, hex(sum)),
        ` ${check}`,
      ),
      el(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Parts of the key" },
        table(["Part", "Value", "Last move"], rows, "parts"),
      ),
    );
  }
}

/**
 * The incremental update of the key: exclusive or with each part that changed.
 * @param {Difference} diff
 */
function updateText({ san, key }) {
  const lines = [
    `${hex(key.before)}  before ${san}`,
    ...key.toggled.map((part) => `⊕ ${hex(part.value).slice(2)}  ${partName(part)}`),
    `= ${hex(key.after).slice(2)}  after`,
  ];
  return el("pre", { class: "mono update" }, lines.join("\n"));
}

/** @param {Part} part */
function partName(part) {
  switch (part.kind) {
    case "piece":
      return `${pieceName(part.piece)} ${part.square}`;
    case "castling":
      return `castling ${part.right}`;
    case "en_passant":
      return `en passant on ${part.file}`;
    case "turn":
      return "White to move";
  }
}
