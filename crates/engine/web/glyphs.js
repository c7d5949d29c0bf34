// @ts-check
// Signs after moves: the numeric annotation glyphs (NAGs) of PGN and the judgements of the review. Each has a sign and
// a word, so that colour is never the only information.

/** @typedef {import("./protocol").Judgement} Judgement */

/** @type {Map<number, [sign: string, word: string]>} */
const GLYPHS = new Map([
  [1, ["!", "good move"]],
  [2, ["?", "mistake"]],
  [3, ["!!", "brilliant move"]],
  [4, ["??", "blunder"]],
  [5, ["!?", "interesting move"]],
  [6, ["?!", "dubious move"]],
  [7, ["□", "only move"]],
  // "Singular move"; the review writes this one.
  [8, ["□", "only move"]],
  [10, ["=", "equal position"]],
  [13, ["∞", "unclear position"]],
  [14, ["⩲", "White is slightly better"]],
  [15, ["⩱", "Black is slightly better"]],
  [16, ["±", "White is better"]],
  [17, ["∓", "Black is better"]],
  [18, ["+−", "White is winning"]],
  [19, ["−+", "Black is winning"]],
  [22, ["⨀", "zugzwang"]],
  [36, ["↑", "initiative"]],
  [40, ["→", "attack"]],
  [44, ["=∞", "compensation"]],
  [132, ["⇆", "counterplay"]],
  [146, ["N", "novelty"]],
]);

/** Glyphs that judge a move; a move has at most one of them. */
export const MOVE_GLYPHS = [3, 1, 5, 6, 2, 4, 7];
/** Glyphs that judge a position. */
export const POSITION_GLYPHS = [10, 13, 14, 15, 16, 17, 18, 19, 22, 36, 40, 44, 132, 146];

/** @param {number} nag */
export const glyphSign = (nag) => GLYPHS.get(nag)?.[0] ?? `$${nag}`;
/** @param {number} nag */
export const glyphWord = (nag) => GLYPHS.get(nag)?.[1] ?? `glyph ${nag}`;

/**
 * The judgements of a review, from the best to the worst: sign, name, and the tone that sets their colour.
 * @type {Map<Judgement, { sign: string, name: string, tone: "good" | "calm" | "doubt" | "bad" | "worst" }>}
 */
export const JUDGEMENTS = new Map([
  ["only", { sign: "!", name: "Only move", tone: "good" }],
  ["best", { sign: "★", name: "Best", tone: "good" }],
  ["good", { sign: "·", name: "Good", tone: "calm" }],
  ["book", { sign: "▤", name: "Book", tone: "calm" }],
  ["forced", { sign: "□", name: "Forced", tone: "calm" }],
  ["inaccuracy", { sign: "?!", name: "Inaccuracy", tone: "doubt" }],
  ["mistake", { sign: "?", name: "Mistake", tone: "bad" }],
  ["blunder", { sign: "??", name: "Blunder", tone: "worst" }],
]);
