// @ts-check
// The time that each move took, from the clocks in the game: White's bars go up, Black's go down.

import { set, svg } from "./dom.js";
import { clockText, moveText } from "./format.js";

/** @typedef {import("./protocol").ColorName} ColorName */
/** @typedef {import("./protocol").NodeEntry} NodeEntry */

/**
 * The first period of a `TimeControl` tag (`300+3`, `40/5400+30:1800+30`), in milliseconds.
 * @param {string} text
 */
function firstPeriod(text) {
  const [, start, more] = /^(?:\d+\/)?(\d+)(?:\+(\d+))?/.exec(text) ?? [];
  return { start: start ? 1000 * Number(start) : null, increment: 1000 * Number(more ?? 0) };
}

/**
 * The time that each move of a line took, in milliseconds; `null` where the clocks do not tell.
 * @param {NodeEntry[]} line
 * @param {string} timeControl
 */
export function thinkingTimes(line, timeControl) {
  const { start, increment } = firstPeriod(timeControl);
  /** @type {{ [color in ColorName]: number | null }} */
  const last = { white: start, black: start };
  return line.map(({ san, color, clock_ms: clock }) => {
    if (!san || clock === undefined) return null;
    const before = last[color];
    last[color] = clock;
    // A clock gains time at the time control; that move's time is unknown.
    return before === null || clock > before + increment ? null : before + increment - clock;
  });
}

/**
 * The clock of a side at a node: what it showed after the side's last move.
 * @param {Map<number, NodeEntry>} nodes
 * @param {NodeEntry | null} node
 * @param {ColorName} color
 */
export function clockAt(nodes, node, color) {
  for (let at = node; at; at = (at.parent !== null && nodes.get(at.parent)) || null) {
    if (at.color === color && at.clock_ms !== undefined) return at.clock_ms;
  }
  return null;
}

const HEIGHT = 40;

export class TimeGraph {
  /** @param {number} width The width of the drawing, which CSS stretches. */
  constructor(width) {
    this.width = width;
    this.bars = svg("g");
    this.element = svg(
      "svg",
      { class: "times", viewBox: `0 0 ${width} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" },
      this.bars,
      svg("line", { class: "axis", x1: 0, x2: width, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
    );
  }

  /**
   * Returns whether there is something to see.
   * @param {NodeEntry[]} line
   * @param {(number | null)[]} times
   * @param {(ply: number) => number} x
   */
  draw(line, times, x) {
    const longest = times.reduce((/** @type {number} */ most, time) => Math.max(most, time ?? 0), 0);
    const known = times.filter((time) => time !== null).length;
    this.element.classList.toggle("off", known < 2 || longest === 0);
    if (known < 2 || longest === 0) return false;
    const width = Math.max(1, (0.8 * this.width) / line.length);
    this.bars.replaceChildren(
      ...times.flatMap((time, ply) => {
        if (time === null) return [];
        // The square root keeps short thoughts visible beside a long one.
        const height = Math.max(1, (HEIGHT / 2 - 1) * Math.sqrt(time / longest));
        const { color } = line[ply];
        const y = color === "white" ? HEIGHT / 2 - height : HEIGHT / 2;
        const left = Math.min(x(ply) - width / 2, this.width - width);
        return [svg("rect", { class: color, x: left.toFixed(1), y: y.toFixed(1), width, height })];
      }),
    );
    const most = `${spent(longest)} for ${moveText(line[times.indexOf(longest)])}`;
    set(this.element, { "aria-label": `Time per move. The longest thought: ${most}.` });
    return true;
  }
}

/**
 * A span of time: `7 s`, `1:05`.
 * @param {number} ms
 */
export const spent = (ms) => (ms < 60000 ? `${Math.round(ms / 1000)} s` : clockText(ms));

/**
 * What the clocks say of the current move and of the whole game.
 * @param {NodeEntry[]} line
 * @param {(number | null)[]} times
 * @param {number} ply
 */
export function timeWords(line, times, ply) {
  const now = times[ply] ?? null;
  if (now !== null) return `${moveText(line[ply])} took ${spent(now)}.`;
  const sum = (/** @type {ColorName} */ color) =>
    times.reduce((/** @type {number} */ all, time, at) => (line[at].color === color ? all + (time ?? 0) : all), 0);
  return `Time used: White ${spent(sum("white"))}, Black ${spent(sum("black"))}.`;
}
