// @ts-check
// Numbers and moves as text.

import { sanText } from "./figurines.js";

/** @typedef {import("./protocol").ColorName} ColorName */
/** @typedef {import("./protocol").NodeEntry} NodeEntry */
/** @typedef {import("./protocol").ScoreEntry} ScoreEntry */

/**
 * A score from White's point of view: `+0.34`, `−1.20`, `#3`, `#−2`. The minus is a real minus sign, not a hyphen.
 * @param {ScoreEntry | null | undefined} score
 */
export function scoreText(score) {
  if (!score) return "";
  if ("cp" in score) return signed(score.cp / 100, 2);
  return score.mate === 0 ? "#" : `#${score.mate < 0 ? "−" : ""}${Math.abs(score.mate)}`;
}

/**
 * A score in words.
 * @param {ScoreEntry | null | undefined} score
 */
export function scoreWords(score) {
  if (!score) return "no evaluation";
  if ("mate" in score) {
    if (score.mate === 0) return "checkmate";
    return `${score.mate > 0 ? "White" : "Black"} mates in ${Math.abs(score.mate)}`;
  }
  if (Math.abs(score.cp) < 15) return "equal";
  return `${score.cp > 0 ? "White" : "Black"} is better by ${(Math.abs(score.cp) / 100).toFixed(2)}`;
}

/**
 * Whether a score favours Black.
 * @param {ScoreEntry} score
 */
export const isForBlack = (score) => ("cp" in score ? score.cp : score.mate) < 0;

/**
 * White's share of the evaluation bar, from 0 to 1: a logistic curve from centipawns to the expected game score. A mate
 * on the board is lost for the side to move.
 * @param {ScoreEntry} score
 * @param {ColorName} turn
 */
export function whiteShare(score, turn) {
  if ("mate" in score) return score.mate === 0 ? (turn === "white" ? 0 : 1) : score.mate > 0 ? 1 : 0;
  const cp = Math.max(-1000, Math.min(1000, score.cp));
  return 1 / (1 + Math.exp(-0.00368208 * cp));
}

/**
 * A number with its sign; zero has none.
 * @param {number} value
 */
export function signed(value, digits = 0) {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? "−" : "+") + text;
}

/** @type {[size: number, unit: string][]} */
const UNITS = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

/**
 * A large number in three digits: 1234567 is `1.23 M`.
 * @param {number} number
 */
export function short(number) {
  for (const [size, unit] of UNITS) {
    // 999,700 is 1.00 M: as 999.7 k, rounding would give 1.00e+3 k.
    if (number >= 0.9995 * size) return `${(number / size).toPrecision(3)} ${unit}`;
  }
  return String(Math.round(number));
}

/**
 * A clock: `5:00`, `1:02:03`, with tenths in the last 20 seconds.
 * @param {number} ms
 */
export function clockText(ms) {
  const left = Math.max(0, ms);
  if (left < 20000) return `0:${(Math.floor(left / 100) / 10).toFixed(1).padStart(4, "0")}`;
  const seconds = Math.floor(left / 1000);
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/**
 * A duration: `0.4 s`, `12 s`, `10 min`.
 * @param {number} ms
 */
export function durationText(ms) {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 99500 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60000)} min`;
}

/**
 * The number before a move: `3.` or `3…`.
 * @param {NodeEntry} node
 */
export const moveNumber = (node) => `${node.number}${node.color === "white" ? "." : "…"}`;

/**
 * A move with its number.
 * @param {NodeEntry} node
 */
export const moveText = (node) => (node.san ? `${moveNumber(node)} ${sanText(node.san)}` : "the start");

/**
 * A text with a capital letter and a full stop.
 * @param {string} text
 */
export const sentence = (text) => text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

/**
 * A PGN problem as a sentence; the server writes `3:7: bad-tag: …` as the command line does.
 * @param {string} problem
 */
export const problemText = (problem) => sentence(problem.replace(/^(\d+):(\d+): [a-z0-9-]+: /, "Line $1, column $2: "));
