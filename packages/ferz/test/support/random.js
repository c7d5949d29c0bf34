// Random numbers that are the same every time.

/** A function that gives numbers from 0 below its argument (mulberry32). */
export function randomNumbers(seed) {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The positions of a random game. */
export function* randomWalk(position, plies, random) {
  for (let ply = 0; ply <= plies; ply++) {
    yield position;
    const moves = position.legalMoves();
    if (moves.length === 0) return;
    position = position.play(moves[random(moves.length)]);
  }
}
