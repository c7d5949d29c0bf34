//! History tables of a thread: how good moves have been (butterfly or main history, capture history, continuation
//! history, pawn history) and by how much the evaluation was wrong (correction history).

use ferz_board::{Bitboard, Color, Move, Piece, PieceType, Position, SearchKeys, Square};

use crate::huge_table::HugeTable;
use crate::parameters::{in_eighths, params};
use crate::value::Value;

/// A history score with gravity: the nearer it is to its limit, the less a further bonus adds.
#[derive(Clone, Copy, Default, Debug)]
struct HistoryEntry<const LIMIT: i32>(i16);

impl<const LIMIT: i32> HistoryEntry<LIMIT> {
    #[inline]
    fn value(self) -> i32 {
        i32::from(self.0)
    }

    #[inline]
    fn update(&mut self, bonus: i32) {
        let bonus = bonus.clamp(-LIMIT, LIMIT);
        self.0 += (bonus - self.value() * bonus.abs() / LIMIT) as i16;
    }
}

const PIECES: usize = 12;
/// Pairs of a piece and the square it goes to.
const PIECE_TO: usize = PIECES * 64;
const PAWN_STRUCTURES: usize = 1024;
const CORRECTIONS: usize = 16_384;

/// A piece and the square it went to: the index of continuation histories. One more index, whose scores stay zero,
/// stands for a null move and for what came before the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PieceTo(u16);

impl PieceTo {
    pub(crate) const NONE: PieceTo = PieceTo(PIECE_TO as u16);

    #[inline]
    pub(crate) fn new(piece: Piece, to: Square) -> PieceTo {
        PieceTo((piece.index() * 64 + to.index()) as u16)
    }

    #[inline]
    pub(crate) fn of(position: &Position, mv: Move) -> PieceTo {
        let pawn = PieceType::Pawn.of(position.side_to_move());
        PieceTo::new(position.piece_at(mv.from()).unwrap_or(pawn), mv.to())
    }

    #[inline]
    fn index(self) -> usize {
        usize::from(self.0)
    }
}

type Quiet = HistoryEntry<8192>;
type Butterfly = [Quiet; 64 * 64];
type Continuation = HistoryEntry<16_384>;
type Capture = HistoryEntry<8192>;
type Correction = HistoryEntry<1024>;

/// Continuation history: the moves 1, 2, 4 and 6 plies back that a quiet move continues. One ply back is also called
/// counter-move history, two plies follow-up history.
pub(crate) const CONTINUATIONS: [usize; 4] = [1, 2, 4, 6];
/// The earlier moves, in the order of [`CONTINUATIONS`].
pub(crate) type ContinuationContext = [PieceTo; CONTINUATIONS.len()];

/// All history tables.
#[derive(Debug)]
pub(crate) struct History {
    /// Butterfly history (main history): by side to move, whether origin and target are attacked, origin and target.
    butterfly: Box<[[Butterfly; 4]; 2]>,
    /// Capture history: by piece, target and captured type. The last row is for promotions without capture.
    capture: Box<[[Capture; 7]; PIECE_TO]>,
    /// Continuation history: by an earlier move and this one.
    continuation: HugeTable<[Continuation; PIECE_TO]>,
    /// Pawn history: by pawn structure and move.
    pawn: HugeTable<[Quiet; PIECE_TO]>,
    /// Correction histories: by a key of part of the position, and by side to move.
    pawn_correction: Vec<[Correction; 2]>,
    minor_correction: Vec<[Correction; 2]>,
    non_pawn_correction: [Vec<[Correction; 2]>; 2],
    continuation_correction: HugeTable<[Correction; PIECE_TO]>,
}

/// The indices of a position in the correction histories.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CorrectionKeys {
    side: usize,
    pawn: usize,
    minor: usize,
    non_pawn: [usize; 2],
    last: [PieceTo; 2],
}

impl CorrectionKeys {
    /// `last`: the last move and the one before it.
    #[inline]
    pub(crate) fn new(position: &Position, keys: &SearchKeys, last: [PieceTo; 2]) -> CorrectionKeys {
        let slot = |key: u64| key as usize % CORRECTIONS;
        CorrectionKeys {
            side: position.side_to_move().index(),
            pawn: slot(position.pawn_key()),
            minor: slot(keys.minor),
            non_pawn: keys.non_pawn.map(slot).into_array(),
            last,
        }
    }
}

impl History {
    pub(crate) fn new() -> History {
        History {
            butterfly: vec![[[Quiet::default(); 64 * 64]; 4]; 2].try_into().expect("two sides"),
            capture: vec![[Capture::default(); 7]; PIECE_TO].try_into().expect("every piece and square"),
            continuation: table([Continuation::default(); PIECE_TO], PIECE_TO + 1),
            pawn: table([Quiet::default(); PIECE_TO], PAWN_STRUCTURES),
            pawn_correction: vec![Default::default(); CORRECTIONS],
            minor_correction: vec![Default::default(); CORRECTIONS],
            non_pawn_correction: [
                vec![Default::default(); CORRECTIONS],
                vec![Default::default(); CORRECTIONS],
            ],
            continuation_correction: table([Correction::default(); PIECE_TO], PIECE_TO + 1),
        }
    }

    /// Resets all scores to zero.
    pub(crate) fn clear(&mut self) {
        self.butterfly.fill([[Quiet::default(); 64 * 64]; 4]);
        self.capture.fill([Capture::default(); 7]);
        self.continuation.fill([Continuation::default(); PIECE_TO]);
        self.pawn.fill([Quiet::default(); PIECE_TO]);
        self.pawn_correction.fill(Default::default());
        self.minor_correction.fill(Default::default());
        self.non_pawn_correction.iter_mut().for_each(|table| table.fill(Default::default()));
        self.continuation_correction.fill([Correction::default(); PIECE_TO]);
    }

    /// The rows of the tables for the quiet moves of a position. `attacked`: by the opponent.
    #[inline]
    pub(crate) fn quiets(
        &self,
        position: &Position,
        attacked: Bitboard,
        context: &ContinuationContext,
    ) -> QuietHistory<'_> {
        QuietHistory {
            attacked,
            butterfly: &self.butterfly[position.side_to_move().index()],
            pawn: &self.pawn[position.pawn_key() as usize % PAWN_STRUCTURES],
            continuation: context.map(|before| &self.continuation[before.index()]),
        }
    }

    /// The history score of a capture or promotion.
    #[inline]
    pub(crate) fn capture(&self, piece: PieceTo, captured: Option<PieceType>) -> i32 {
        self.capture[piece.index()][captured_row(captured)].value()
    }

    pub(crate) fn update_quiet(
        &mut self,
        side: Color,
        attacked: Bitboard,
        pawn_key: u64,
        context: &ContinuationContext,
        mv: Move,
        piece: PieceTo,
        bonus: i32,
    ) {
        self.update_butterfly(side, attacked, mv, bonus);
        self.update_pawn(pawn_key, piece, bonus);
        self.update_continuation(context, piece, bonus);
    }

    pub(crate) fn update_pawn(&mut self, pawn_key: u64, piece: PieceTo, bonus: i32) {
        self.pawn[pawn_key as usize % PAWN_STRUCTURES][piece.index()].update(bonus);
    }

    pub(crate) fn update_butterfly(&mut self, side: Color, attacked: Bitboard, mv: Move, bonus: i32) {
        self.butterfly[side.index()][attacked_row(attacked, mv)][from_to(mv)].update(bonus);
    }

    pub(crate) fn update_continuation(&mut self, context: &ContinuationContext, piece: PieceTo, bonus: i32) {
        for &before in context {
            if before != PieceTo::NONE {
                self.continuation[before.index()][piece.index()].update(bonus);
            }
        }
    }

    pub(crate) fn update_capture(&mut self, piece: PieceTo, captured: Option<PieceType>, bonus: i32) {
        self.capture[piece.index()][captured_row(captured)].update(bonus);
    }

    /// Correction history: by how much the evaluation has been wrong in similar positions.
    #[inline]
    pub(crate) fn correction(&self, keys: &CorrectionKeys) -> Value {
        let side = keys.side;
        let sum = params::correction_pawn_weight() * self.pawn_correction[keys.pawn][side].value()
            + params::correction_minor_weight() * self.minor_correction[keys.minor][side].value()
            + params::correction_non_pawn_weight()
                * self.non_pawn_correction[0][keys.non_pawn[0]][side].value()
            + params::correction_non_pawn_weight()
                * self.non_pawn_correction[1][keys.non_pawn[1]][side].value()
            + params::correction_continuation_weight()
                * self.continuation_correction(keys).map_or(0, Correction::value);
        sum / 1024
    }

    #[inline]
    fn continuation_correction(&self, keys: &CorrectionKeys) -> Option<Correction> {
        let [last, before] = keys.last;
        self.continuation_correction[before.index()].get(last.index()).copied()
    }

    /// Updates the correction history: a search found the corrected evaluation to be off by this much.
    pub(crate) fn update_correction(&mut self, keys: &CorrectionKeys, error: Value, depth: i32) {
        let max = params::correction_max();
        let bonus = in_eighths(error * depth, params::correction_divisor()).clamp(-max, max);
        let side = keys.side;
        self.pawn_correction[keys.pawn][side].update(bonus);
        self.minor_correction[keys.minor][side].update(bonus);
        for color in 0..2 {
            self.non_pawn_correction[color][keys.non_pawn[color]][side].update(bonus);
        }
        let [last, before] = keys.last;
        if before != PieceTo::NONE
            && let Some(entry) = self.continuation_correction[before.index()].get_mut(last.index())
        {
            entry.update(bonus);
        }
    }
}

/// The rows of the tables for the quiet moves of one node.
#[derive(Debug)]
pub(crate) struct QuietHistory<'a> {
    attacked: Bitboard,
    butterfly: &'a [Butterfly; 4],
    pawn: &'a [Quiet; PIECE_TO],
    continuation: [&'a [Continuation; PIECE_TO]; CONTINUATIONS.len()],
}

impl QuietHistory<'_> {
    /// The history score of a quiet move, for ordering, pruning and reductions.
    #[inline]
    pub(crate) fn score(&self, mv: Move, piece: PieceTo) -> i32 {
        let continuation = |index: usize| self.continuation[index][piece.index()].value();
        self.butterfly[attacked_row(self.attacked, mv)][from_to(mv)].value()
            + self.pawn[piece.index()].value()
            + continuation(0)
            + continuation(1)
            + (continuation(2) + continuation(3)) / 2
    }
}

/// A large table with this many rows.
fn table<T: Copy>(row: T, rows: usize) -> HugeTable<T> {
    HugeTable::new(rows, || row).expect("memory for the histories")
}

#[inline]
fn from_to(mv: Move) -> usize {
    mv.from().index() * 64 + mv.to().index()
}

/// The row of the butterfly history for a move: whether its origin and its target are attacked.
#[inline]
fn attacked_row(attacked: Bitboard, mv: Move) -> usize {
    2 * usize::from(attacked.contains(mv.from())) + usize::from(attacked.contains(mv.to()))
}

#[inline]
fn captured_row(captured: Option<PieceType>) -> usize {
    captured.map_or(6, PieceType::index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_stays_within_its_limit() {
        let mut entry = HistoryEntry::<1000>::default();
        for _ in 0..100 {
            entry.update(900);
        }
        assert!(entry.value() > 950 && entry.value() <= 1000, "{}", entry.value());
        entry.update(i32::MIN / 2);
        assert!(entry.value() >= -1000);
        for _ in 0..100 {
            entry.update(-5000);
        }
        assert_eq!(entry.value(), -1000);
    }

    #[test]
    fn null_moves_have_no_continuation_history() {
        let mut history = History::new();
        let piece = PieceTo::new(Piece::WhiteKnight, Square::F3);
        let context =
            [PieceTo::NONE, PieceTo::new(Piece::BlackPawn, Square::E5), PieceTo::NONE, PieceTo::NONE];
        history.update_continuation(&context, piece, 1000);
        let position = Position::start();
        let mv = position.parse_uci("g1f3").unwrap();
        assert!(history.quiets(&position, Bitboard::EMPTY, &context).score(mv, piece) > 0);
        let none = [PieceTo::NONE; 4];
        assert_eq!(history.quiets(&position, Bitboard::EMPTY, &none).score(mv, piece), 0);
    }
}
