// The facts of the position, and its key taken apart.

import { el } from "./dom.js";
import { facts, hex, section, table } from "./xray-parts.js";
import { pieceName } from "./squares.js";

export class FactSection {
  constructor() {
    this.body = el("div", {});
    this.element = section("Position", this.body);
  }

  show({ fen, castling, en_passant: passant, turn, halfmove, fullmove, pieces, checkers, pins, keys, key }) {
    const rooks = castling.rooks.length > 0 ? `, rooks ${castling.rooks.join(" ")}` : "";
    const bits = `0b${castling.bits.toString(2).padStart(4, "0")}`;
    const square = (name) => name ?? "–";
    this.body.replaceChildren(
      el("p", { class: "mono fen" }, fen),
      facts([
        ["To move", turn],
        ["Castling", `${castling.text} = ${bits}${rooks}`],
        [
          "En passant",
          `skipped ${square(passant.skipped)}, possible ${square(passant.possible)}, legal ${square(passant.legal)}`,
        ],
        ["Clocks", `half-moves ${halfmove}, move ${fullmove}`],
        ["Checkers", BigInt(checkers) === 0n ? "none" : hex(checkers)],
        [
          "Pins",
          pins.length === 0
            ? "none"
            : pins.map(({ pinned, by, king }) => `${pinned} by ${by} (king ${king})`).join(", "),
        ],
        ["Key", el("span", { class: "mono" }, hex(key.value))],
        ...Object.entries(keys).map(([name, word]) => [
          `Key of ${name.replaceAll("_", " ")}`,
          el("span", { class: "mono" }, hex(word)),
        ]),
        [
          "Piece list",
          el(
            "pre",
            { class: "mono" },
            pieces
              .match(/.{8}/g)
              .reverse()
              .map((row) => [...row].join(" "))
              .join("\n"),
          ),
        ],
      ]),
    );
  }
}

export class KeySection {
  constructor() {
    this.body = el("div", { class: "stack tight" });
    this.element = section("Zobrist key", this.body);
  }

  show({ key, diff }) {
    const sum = key.parts.reduce((word, part) => word ^ BigInt(part.value), 0n);
    const check = sum === BigInt(key.value) ? "✓ equals the key" : "✗ differs from the key";
    const toggled = new Map((diff?.key.toggled ?? []).map((part) => [partName(part), part]));
    const row = (part, name, mark) => [name, el("span", { class: "mono" }, hex(part.value)), mark];
    const came = (part) => row(part, partName(part), el("span", { class: "came" }, "+ came"));
    const went = (part) => row(part, el("s", {}, partName(part)), el("span", { class: "went" }, "− went"));
    const stayed = key.parts.filter((part) => !toggled.has(partName(part)));
    // What the last move changed comes first.
    const rows = [...toggled.values()].map((part) => (part.came ? came(part) : went(part)));
    rows.push(...stayed.map((part) => row(part, partName(part), "")));
    this.body.replaceChildren(
      diff ? updateText(diff) : el("p", { class: "soft" }, "Before the first move there is nothing to update."),
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
        table(["Part", "Value", "Last move"], rows, { class: "parts" }),
      ),
    );
  }
}

/** The update of the key as the program does it: exclusive or, one part after the other. */
function updateText({ san, key }) {
  const lines = [
    `${hex(key.before)}  before ${san}`,
    ...key.toggled.map((part) => `⊕ ${hex(part.value).slice(2)}  ${partName(part)}`),
    `= ${hex(key.after).slice(2)}  after`,
  ];
  return el("pre", { class: "mono update" }, lines.join("\n"));
}

function partName({ kind, piece, square, right, file }) {
  if (kind === "piece") return `${pieceName(piece)} ${square}`;
  if (kind === "castling") return `castling ${right}`;
  return kind === "en_passant" ? `en passant on ${file}` : "White to move";
}
