// @ts-check
// The moves that the reader wants to play, for each side. The browser keeps them, for all tabs.

/** @typedef {import("./protocol").ColorName} ColorName */
/** @typedef {{ [key: string]: string[] }} Choices Moves by the key of their position. */

const NAME = "ferz-repertoire";
/** The version of what is saved, as in `memory.js`: newer data is neither read nor overwritten. */
const VERSION = 1;
/** More positions than anybody learns; a browser keeps them in less than half of its space. */
const MOST = 20_000;

export class Repertoire {
  /** @param {() => void} changed Called after every change, also by a different tab. */
  constructor(changed) {
    this.changed = changed;
    /** @type {{ [color in ColorName]: Choices }} */
    this.choices = { white: {}, black: {} };
    this.writable = true;
    this.read();
    addEventListener("storage", (event) => {
      if (event.key !== NAME) return;
      this.read();
      this.changed();
    });
  }

  read() {
    this.choices = { white: {}, black: {} };
    try {
      const kept = JSON.parse(localStorage.getItem(NAME) ?? "null");
      this.writable = !(kept?.version > VERSION);
      if (!this.writable) return;
      for (const color of /** @type {ColorName[]} */ (["white", "black"])) {
        for (const [key, moves] of Object.entries(kept?.data?.[color] ?? {})) {
          const isList = Array.isArray(moves) && moves.every((move) => typeof move === "string");
          if (isList && /^[0-9a-f]{16}$/.test(key)) this.choices[color][key] = moves;
        }
      }
    } catch {
      // Storage may be forbidden or damaged; the explorer works without it.
    }
  }

  /** Returns whether the browser accepted it. */
  write() {
    try {
      if (!this.writable) return false;
      localStorage.setItem(NAME, JSON.stringify({ version: VERSION, data: this.choices }));
      return true;
    } catch {
      return false;
    } finally {
      this.changed();
    }
  }

  /**
   * The chosen moves of a position.
   * @param {ColorName} color
   * @param {string} key
   * @returns {string[]}
   */
  moves(color, key) {
    return this.choices[color][key] ?? [];
  }

  /**
   * Adds a move, or removes it if it is there.
   * @param {ColorName} color
   * @param {string} key
   * @param {string} uci
   */
  toggle(color, key, uci) {
    const moves = this.moves(color, key);
    const rest = moves.filter((move) => move !== uci);
    if (rest.length === moves.length) return this.add(color, [{ key, uci }]);
    if (rest.length > 0) this.choices[color][key] = rest;
    else delete this.choices[color][key];
    return this.write();
  }

  /**
   * Adds moves. Returns whether they were kept.
   * @param {ColorName} color
   * @param {{ key: string, uci: string }[]} steps
   */
  add(color, steps) {
    const choices = this.choices[color];
    for (const { key, uci } of steps) {
      const moves = this.moves(color, key);
      if (!moves.includes(uci)) choices[key] = [...moves, uci];
    }
    return Object.keys(choices).length <= MOST && this.write();
  }
}
