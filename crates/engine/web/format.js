// Numbers as people read them.

/** A score for White: `+0.34`, `−1.20`, `#3`, `#−2`. The minus is a real one, so that it can be told from a hyphen. */
export function scoreText(score) {
  if (!score) return "";
  if (score.mate !== undefined) return score.mate === 0 ? "#" : `#${score.mate < 0 ? "−" : ""}${Math.abs(score.mate)}`;
  return signed(score.cp / 100, 2);
}

/** A score in words. */
export function scoreWords(score) {
  if (!score) return "no evaluation";
  if (score.mate !== undefined) {
    if (score.mate === 0) return "checkmate";
    return `${score.mate > 0 ? "White" : "Black"} mates in ${Math.abs(score.mate)}`;
  }
  if (Math.abs(score.cp) < 15) return "equal";
  return `${score.cp > 0 ? "White" : "Black"} is better by ${(Math.abs(score.cp) / 100).toFixed(2)}`;
}

/** White's share of the bar, 0 to 1. The curve is the one that turns centipawns into expected results of games. */
export function whiteShare(score, turn) {
  if (score.mate !== undefined) return score.mate === 0 ? (turn === "white" ? 0 : 1) : score.mate > 0 ? 1 : 0;
  const cp = Math.max(-1000, Math.min(1000, score.cp));
  return 1 / (1 + Math.exp(-0.00368208 * cp));
}

export function signed(value, digits = 0) {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? "−" : "+") + text;
}

/** 1234567 is `1.23 M`. */
export function short(number) {
  for (const [size, unit] of [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ]) {
    if (number >= size) return `${(number / size).toPrecision(3)} ${unit}`;
  }
  return String(Math.round(number));
}

/** A clock: `5:00`, `1:02:03`, and tenths when they begin to matter. */
export function clockText(ms) {
  const left = Math.max(0, ms);
  if (left < 20000) return `0:${(Math.floor(left / 100) / 10).toFixed(1).padStart(4, "0")}`;
  const seconds = Math.floor(left / 1000);
  const two = (n) => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** The number before a move: `3.` or `3…`. */
export const moveNumber = (node) => `${node.number}${node.color === "white" ? "." : "…"}`;

/** A move with its number. */
export const moveText = (node) => (node.san ? `${moveNumber(node)} ${node.san}` : "the start");

/** A remark as a sentence. */
export const sentence = (text) => text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

/** What is wrong with a text, for people: `3:7: bad-tag: …` is what the command line says. */
export const problemText = (problem) => sentence(problem.replace(/^(\d+):(\d+): [a-z0-9-]+: /, "Line $1, column $2: "));
