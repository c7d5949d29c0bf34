// @ts-check
// The verdict of the review on the current move: what it costs in words, the better move as an arrow, a sign on the
// board, and a second try.

import { button, byId, el, write } from "./dom.js";
import { isForBlack, moveText } from "./format.js";
import { JUDGEMENTS } from "./glyphs.js";
import { mainLine } from "./graph.js";
import { place, squareOf } from "./squares.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./protocol").Judgement} Judgement */
/** @typedef {import("./protocol").NodeEntry} NodeEntry */
/** @typedef {import("./protocol").ScoreEntry} ScoreEntry */

/** @type {Judgement[]} */
const MISTAKES = ["inaccuracy", "mistake", "blunder"];

/** @param {Pick<NodeEntry, "review"> | null | undefined} node */
const isMistake = (node) => Boolean(node?.review && MISTAKES.includes(node.review.judgement));

// ---- words ----

/**
 * Shares of something, from the largest: the least number and its name.
 * @type {[least: number, words: string][]}
 */
const SHARES = [
  [0.92, "nearly all"],
  [0.7, "three quarters"],
  [0.58, "two thirds"],
  [0.42, "half"],
  [0.29, "a third"],
  [0.22, "a quarter"],
  [0.14, "a sixth"],
  [0.07, "a tenth"],
];

/**
 * What a position is for a side. Between these kinds there is no word.
 * @param {number} share The expected score of the side, from 0 to 1.
 */
function kindOf(share) {
  if (share >= 0.85) return "winning";
  if (share <= 0.15) return "lost";
  return Math.abs(share - 0.5) <= 0.15 ? "equal" : null;
}

/** @param {string} kind */
const withArticle = (kind) => (kind === "equal" ? "an equal" : `a ${kind}`);

/**
 * What a mistake costs: pawns, and the share of the winning chances. Empty for other moves.
 * @param {NodeEntry} node
 */
export function lossWords(node) {
  const { color, review } = node;
  if (!review || !isMistake(node)) return "";
  const sign = color === "white" ? 1 : -1;
  const share = (/** @type {number} */ percent) => (color === "white" ? percent : 100 - percent) / 100;
  const [had, has] = [share(review.win_before), share(review.win_after)];
  const [before, after] = [review.best?.score, node.eval?.score];
  if (before && "mate" in before && sign * before.mate > 0 && after && "cp" in after)
    return `Misses mate in ${Math.abs(before.mate)}.`;
  if (after && "mate" in after && sign * after.mate < 0) return `Allows mate in ${Math.abs(after.mate)}.`;
  const parts = [];
  if (before && "cp" in before && after && "cp" in after) {
    const pawns = pawnWords((sign * (before.cp - after.cp)) / 100);
    if (pawns) parts.push(`costs about ${pawns}`);
  }
  const lost = had > 0 ? (had - has) / had : 0;
  const part = SHARES.find(([least]) => lost >= least)?.[1];
  const [from, to] = [kindOf(had), kindOf(has)];
  if (from && to && from !== to) parts.push(`turns ${withArticle(from)} position into ${withArticle(to)} one`);
  else if (part) parts.push(`${parts.length > 0 ? "" : "costs "}${part} of the winning chances`);
  const words = parts.join(" and ");
  return words ? `${words[0].toUpperCase()}${words.slice(1)}.` : "";
}

/** @param {number} pawns */
function pawnWords(pawns) {
  if (pawns < 0.35) return "";
  if (pawns < 0.75) return "half a pawn";
  return pawns < 1.5 ? "a pawn" : `${Math.round(pawns)} pawns`;
}

/**
 * Who is better, in words.
 * @param {ScoreEntry} score
 */
export function standingWords(score) {
  if ("mate" in score) {
    if (score.mate === 0) return "Checkmate.";
    return `${score.mate > 0 ? "White" : "Black"} mates in ${Math.abs(score.mate)}.`;
  }
  const size = Math.abs(score.cp);
  if (size < 30) return "The position is equal.";
  const side = isForBlack(score) ? "Black" : "White";
  if (size < 80) return `${side} is slightly better.`;
  return size < 250 ? `${side} is clearly better.` : `${side} is winning.`;
}

/**
 * The verdict as a sentence: the server's words, those that an earlier review wrote into the game, or the judgement and
 * the better move.
 * @param {NodeEntry} node
 */
function verdictWords({ review, comment }) {
  if (!review) return "";
  if (review.text) return review.text;
  const name = JUDGEMENTS.get(review.judgement)?.name ?? review.judgement;
  const written = isMistake({ review }) ? comment.search(new RegExp(`\\b${name}[:,] `)) : -1;
  if (written >= 0) return comment.slice(written);
  if (!review.best) return `${name}.`;
  return `${name}. ${review.best.san} was ${MISTAKES.includes(review.judgement) ? "better" : "best"}.`;
}

// ---- the second try ----

/**
 * A mistake whose position the reader tries again.
 * @typedef {object} Trial
 * @property {number} mistake The node of the mistake.
 * @property {number} parent The node before it.
 * @property {Set<number>} known The moves that the game had there before the try.
 */

/**
 * The words on the current move, with the buttons that lead to better ones.
 * @param {App} app
 * @param {Board} board
 */
export function mountVerdict(app, board) {
  const { store } = app;
  /** @type {Trial | null} */
  let trial = null;
  const sign = el("span", { "aria-hidden": "true" });
  const move = el("b", { class: "verdict-move" });
  const words = el("span");
  const text = el("p", { class: "verdict-text" }, sign, " ", move, " ", words);
  const more = el("p", { class: "verdict-more soft" });

  /** The mistake that the verdict or the try is about. */
  const mistake = () => {
    const node = trial ? store.get("tree").nodes.get(trial.mistake) : app.node();
    return node?.review?.best && node.parent !== null ? node : null;
  };
  const tryAgain = async () => {
    const node = mistake();
    const tried = app.node();
    if (!node || node.parent === null) return;
    const { parent } = node;
    if (!trial) {
      const children = store.get("tree").nodes.get(parent)?.children ?? [];
      trial = { mistake: node.id, parent, known: new Set(children) };
      await app.do({ type: "go", node: parent });
    } else if (tried?.parent === parent) {
      // A wrong try leaves no trace in the game.
      const isLeftover = tried.children.length === 0 && !trial.known.has(tried.id);
      await app.do(isLeftover ? { type: "delete", node: tried.id } : { type: "go", node: parent });
      if (isLeftover) await app.do({ type: "go", node: parent });
    }
  };
  const showBetter = () => {
    const node = mistake();
    if (node?.parent == null || !node.review?.best) return;
    app.do({ type: "line", node: node.parent, moves: [node.review.best.uci], go: true });
  };
  const nextMistake = () => {
    trial = null;
    goToMistake(app);
  };
  const again = button("Try again", tryAgain, { class: "small", id: "try-again" });
  const show = button("Show the better move", showBetter, { class: "small" });
  const next = button("Next mistake", nextMistake, { class: "small primary", id: "next-mistake" });
  const buttons = el("div", { class: "row-of" }, next, again, show);
  const root = el("div", { class: "verdict stack tight" }, text, more, buttons);

  const marks = new VerdictMarks(board);

  /** @param {NodeEntry} node */
  function drawTrial(node) {
    const wrong = mistake();
    if (!trial || !wrong?.review?.best) return false;
    const isFound = node.parent === trial.parent && node.uci === wrong.review.best.uci;
    const isAtStart = node.id === trial.parent;
    if (node.id === trial.mistake || !(isAtStart || node.parent === trial.parent)) {
      trial = null;
      return false;
    }
    drawSign(sign, isFound ? "best" : null);
    write(move, isAtStart ? "" : moveText(node));
    if (isAtStart) write(words, `Find a better move than ${moveText(wrong)}.`);
    else if (isFound) write(words, "Right, this is the better move.");
    else write(words, "The review found a better move.");
    write(more, isFound && node.eval ? standingWords(node.eval.score) : "");
    again.hidden = isFound || isAtStart;
    show.hidden = isFound;
    // The moves of the game would give the answer away.
    hideMoves(!isFound);
    marks.clear();
    if (isFound) marks.sign(squareOf(wrong.review.best.uci.slice(2, 4)), "best");
    return true;
  }

  store.on(["position", "tree", "tab", "flipped", "arrows", "draft"], () => {
    const { tab, draft, arrows, position, tree } = store.values;
    const node = app.node();
    const line = mainLine(tree);
    root.hidden = !line.some((one) => one.review);
    next.hidden = !line.some(isMistake);
    if (node && drawTrial(node)) return;
    const review = node?.review;
    hideMoves(false);
    marks.clear();
    show.hidden = !review?.best;
    again.hidden = !isMistake(node) || !review?.best;
    drawSign(sign, review?.judgement ?? null);
    write(move, node && review ? moveText(node) : "");
    write(words, node ? verdictWords(node) : "");
    const loss = node ? lossWords(node) : "";
    const isTold = loss.includes("mate in") && words.textContent?.includes("mate in");
    write(more, isTold ? "" : loss || (node?.eval && review ? standingWords(node.eval.score) : ""));
    if (!node || !review || !position?.last || tab !== "review" || draft || app.playing()) return;
    marks.sign(squareOf(position.last[1]), review.judgement);
    if (arrows && isMistake(node) && review.best) marks.arrow(review.best.uci);
  });
  return root;
}

/** @param {boolean} isHidden */
const hideMoves = (isHidden) => byId("main").classList.toggle("trying", isHidden);

/**
 * @param {HTMLElement} element
 * @param {Judgement | null} judgement
 */
function drawSign(element, judgement) {
  const kind = judgement && JUDGEMENTS.get(judgement);
  element.className = kind ? `sign tone-${kind.tone}` : "";
  element.hidden = !kind;
  write(element, kind ? kind.sign : "");
}

/** @param {App} app */
function goToMistake(app) {
  const line = mainLine(app.store.get("tree"));
  const at = line.findIndex((node) => node.id === app.store.get("position")?.node);
  const node = line.slice(at + 1).find(isMistake) ?? line.find(isMistake);
  if (node) app.do({ type: "go", node: node.id });
}

// ---- on the board ----

/** The sign of a judgement on its square, and the arrow of the better move. */
class VerdictMarks {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.badge = el("span", { class: "move-sign", "aria-hidden": "true", hidden: true });
    board.root.append(this.badge);
  }

  clear() {
    this.badge.hidden = true;
    this.board.overlay.draw("better", []);
  }

  /**
   * @param {number} square
   * @param {Judgement} judgement
   */
  sign(square, judgement) {
    const kind = JUDGEMENTS.get(judgement);
    if (!kind || kind.tone === "calm") return;
    const [column, row] = place(square, this.board.flipped);
    // At the right edge the sign stays on the board: on a phone the board is as wide as the window.
    this.badge.className = `move-sign tone-${kind.tone}${column === 7 ? " edge" : ""}`;
    this.badge.style.left = `${12.5 * (column + 1)}%`;
    this.badge.style.top = `${12.5 * row}%`;
    this.badge.hidden = false;
    write(this.badge, kind.sign);
  }

  /** @param {string} uci */
  arrow(uci) {
    const [from, to] = [squareOf(uci.slice(0, 2)), squareOf(uci.slice(2, 4))];
    this.board.overlay.draw("better", [{ from, to, kind: "better", width: 18 }]);
  }
}
