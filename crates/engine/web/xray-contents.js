// @ts-check
// The contents of the X-ray: its groups, its sections, and what each of them is good for.

/**
 * @typedef {object} SectionText
 * @property {string} title
 * @property {string} what
 * @property {string} why
 * @property {string} cost
 */

export const SECTIONS = {
  position: {
    title: "Position",
    what: "everything that belongs to a position: the pieces, whose turn it is, castling rights, en passant and two clocks.",
    why: "two boards that look alike can have different legal moves, so the picture alone is not a position.",
    cost: "192 bytes, three cache lines. A search copies them for each move instead of taking moves back.",
  },
  bitboards: {
    title: "Bitboards",
    what: "a set of squares in one 64-bit number: bit 0 is a1, bit 7 is h1, bit 63 is h8.",
    why: "one instruction works on all squares at once: & intersects, | unites, << 8 moves a whole set one rank up.",
    cost: "eight words for the whole board. A piece list beside them answers “what stands on e4?” with one load.",
  },
  scratch: {
    title: "Scratch bitboard",
    what: "a bitboard of your own. Click squares here, or click any bitboard to combine it with this one.",
    why: "to try what a formula does before it is written: shifts that wrap around the edge show at once.",
    cost: "nothing: it does not belong to the position.",
  },
  attacks: {
    title: "Attacks and pins",
    what: "the squares a piece attacks, the pieces that attack a square, the checkers and the pinned pieces.",
    why: "check, legality, exchanges and king safety are all questions about attacks.",
    cost: "one load for a knight, king or pawn. A slider needs the look-up of the next section.",
  },
  magic: {
    title: "Magic lookup of a sliding piece",
    what: "how the attacks of a rook or bishop are found: the blockers are multiplied to an index into a table.",
    why: "walking along four rays takes a loop with branches. A multiplication and a load take none.",
    cost: "about 800 KiB of tables. Processors with a fast PEXT instruction need no multiplication.",
  },
  masks: {
    title: "Masks of the move generator",
    what: "what the generator works out before the first move: checkers, answers to check, pins and danger squares.",
    why: "with these masks every move that comes out is legal. None has to be made and tested.",
    cost: "two slider look-ups from the king, and one for each enemy slider, once per position.",
  },
  moves: {
    title: "Sixteen bits of a move",
    what: "a move as a number: six bits for the square it leaves, six for its target, four for its kind.",
    why: "lists, tables and histories hold millions of moves. The kind says what the squares cannot.",
    cost: "two bytes. No position is needed to keep a move, but one is needed to play it.",
  },
  timeline: {
    title: "Making and taking back a move",
    what: "each change that a move makes on the board, and the undo record that leads back.",
    why: "the position after a move does not know what was captured, nor the old rights, clock and key.",
    cost: "32 bytes for each move. The key changes by one exclusive or for each piece that comes or goes.",
  },
  perft: {
    title: "Perft",
    what: "the number of leaves of the move tree at a fixed depth, split by the first move (divide).",
    why: "the right numbers are known. If yours differ, the move with the wrong count leads to the bug.",
    cost: "each depth costs some thirty times more. This page stops at 30 million; the program does not.",
  },
  key: {
    title: "Zobrist key",
    what: "one random number for each piece on its square, each right, the en passant file and the turn, combined by exclusive or.",
    why: "equal positions get equal keys, and a move updates the key with a few operations.",
    cost: "781 random numbers, and a tiny chance that two positions share a key.",
  },
  table: {
    title: "Transposition table",
    what: "what the search remembers of this position: the high bits of the key choose a cluster of three entries.",
    why: "different move orders reach the same position. The second time, the search knows the result or a good first move.",
    cost: "one cache miss for each node. Only 21 bits of the key are kept, so a move from the table must be checked.",
  },
  evaluation: {
    title: "Evaluation, term by term",
    what: "the classical evaluation: a sum of terms, each with a middlegame and an endgame half.",
    why: "it can be read, and explanations quote it.",
    cost: "some hundred instructions. The pawn structure is kept in a small table of its own.",
  },
  squares: {
    title: "Piece-square tables and game phase",
    what: "a value for each piece on each square, and the phase that blends middlegame and endgame.",
    why: "it is the oldest evaluation that plays sensible moves, and the start of every other.",
    cost: "two additions for each piece that moves: the sums are updated, never computed anew.",
  },
  net: {
    title: "Neural network",
    what: "the network’s value of the position, and what White would lose without each piece.",
    why: "the network sees how pieces work together. The value of a piece depends on all others.",
    cost: "one evaluation for each piece on the board, for this picture only.",
  },
  accumulator: {
    title: "Accumulator",
    what: "the hidden layer of the network before its activation: the sum of one row of weights for each piece, seen by each side.",
    why: "a move adds and removes few rows, so most of the network is updated and not computed anew.",
    cost: "two to four rows for each side and move. A king that crosses the middle of the board needs a refresh.",
  },
  search: {
    title: "Search",
    what: "the search, iteration by iteration: score, nodes, fill of the table and quality of the move order.",
    why: "each iteration costs little against the next and gives it an order of moves.",
    cost: "with a good order the tree grows by less than two for each ply, not by thirty.",
  },
};

/** @typedef {keyof typeof SECTIONS} SectionId */

/**
 * The groups and their sections.
 * @type {[name: string, sections: SectionId[]][]}
 */
export const GROUPS = [
  ["Board", ["bitboards", "position", "scratch"]],
  ["Attacks", ["attacks", "magic"]],
  ["Moves", ["masks", "moves", "timeline", "perft"]],
  ["Keys", ["key", "table"]],
  ["Evaluation", ["evaluation", "squares", "net", "accumulator"]],
  ["Search", ["search"]],
];

/** The page with the contents and the tours. */
export const CONTENTS = "contents";

/** @typedef {SectionId | "contents"} PlaceId */

/**
 * @param {string | undefined} text
 * @returns {PlaceId | null}
 */
export const placeId = (text) =>
  text === CONTENTS || (text && Object.hasOwn(SECTIONS, text)) ? /** @type {PlaceId} */ (text) : null;
