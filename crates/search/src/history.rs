//! What a thread has learnt about moves and about the evaluation's errors.

use ferz_board::{Color, Move, Piece, PieceType, Position, SearchKeys, Square};

use crate::parameters::{in_eighths, tuned};
use crate::value::Value;

/// A number that moves towards what it is told, the slower the nearer it is to its limit.
#[derive(Clone, Copy, Default, Debug)]
struct Gauge<const LIMIT: i32>(i16);

impl<const LIMIT: i32> Gauge<LIMIT> {
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

/// A piece and the square it went to, as rows and columns of the tables. One more row, always zero, stands for
/// moves that were not made: a null move, and what came before the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PieceTo(u16);

impl PieceTo {
    pub(crate) const NONE: PieceTo = PieceTo(PIECE_TO as u16);

    #[inline]
    pub(crate) fn new(piece: Piece, to: Square) -> PieceTo {
        let row = piece.piece_type().index() + 6 * piece.color().index();
        PieceTo((row * 64 + to.index()) as u16)
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

type Quiet = Gauge<8192>;
type Continuation = Gauge<16_384>;
type Capture = Gauge<8192>;
type Correction = Gauge<1024>;

/// Which earlier moves a quiet move is judged as an answer to: one, two, four and six plies back.
pub(crate) const CONTINUATIONS: [usize; 4] = [1, 2, 4, 6];
/// The earlier moves, in the order of [`CONTINUATIONS`].
pub(crate) type Context = [PieceTo; CONTINUATIONS.len()];

/// The tables.
#[derive(Clone, Debug)]
pub(crate) struct History {
    /// By side, origin and target.
    quiet: Box<[[Quiet; 64 * 64]; 2]>,
    /// By piece, target and captured type (the last row: promotions without capture).
    capture: Box<[[Capture; 7]; PIECE_TO]>,
    /// By earlier move and this one.
    continuation: Vec<[Continuation; PIECE_TO]>,
    /// By pawn structure and move.
    pawn: Vec<[Quiet; PIECE_TO]>,
    pawn_correction: Vec<[Correction; 2]>,
    minor_correction: Vec<[Correction; 2]>,
    non_pawn_correction: [Vec<[Correction; 2]>; 2],
    continuation_correction: Vec<[Correction; PIECE_TO]>,
}

/// The keys that choose a position's corrections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CorrectionKeys {
    side: usize,
    pawn: usize,
    minor: usize,
    non_pawn: [usize; 2],
    last: [PieceTo; 2],
}

impl CorrectionKeys {
    /// For a position reached by the last two of these moves.
    #[inline]
    pub(crate) fn new(position: &Position, keys: &SearchKeys, last: [PieceTo; 2]) -> CorrectionKeys {
        let slot = |key: u64| key as usize % CORRECTIONS;
        CorrectionKeys {
            side: position.side_to_move().index(),
            pawn: slot(position.pawn_key()),
            minor: slot(keys.minor),
            non_pawn: keys.non_pawn.map(slot),
            last,
        }
    }
}

impl History {
    pub(crate) fn new() -> History {
        History {
            quiet: vec![[Quiet::default(); 64 * 64]; 2].try_into().expect("two sides"),
            capture: vec![[Capture::default(); 7]; PIECE_TO].try_into().expect("every piece and square"),
            continuation: vec![[Continuation::default(); PIECE_TO]; PIECE_TO + 1],
            pawn: vec![[Quiet::default(); PIECE_TO]; PAWN_STRUCTURES],
            pawn_correction: vec![Default::default(); CORRECTIONS],
            minor_correction: vec![Default::default(); CORRECTIONS],
            non_pawn_correction: [
                vec![Default::default(); CORRECTIONS],
                vec![Default::default(); CORRECTIONS],
            ],
            continuation_correction: vec![[Correction::default(); PIECE_TO]; PIECE_TO + 1],
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.quiet.fill([Quiet::default(); 64 * 64]);
        self.capture.fill([Capture::default(); 7]);
        self.continuation.fill([Continuation::default(); PIECE_TO]);
        self.pawn.fill([Quiet::default(); PIECE_TO]);
        self.pawn_correction.fill(Default::default());
        self.minor_correction.fill(Default::default());
        self.non_pawn_correction.iter_mut().for_each(|table| table.fill(Default::default()));
        self.continuation_correction.fill([Correction::default(); PIECE_TO]);
    }

    /// What is known of quiet moves in a position and after the moves that led there.
    #[inline]
    pub(crate) fn quiets(&self, position: &Position, context: &Context) -> Quiets<'_> {
        Quiets {
            butterfly: &self.quiet[position.side_to_move().index()],
            pawn: &self.pawn[position.pawn_key() as usize % PAWN_STRUCTURES],
            continuation: context.map(|before| &self.continuation[before.index()]),
        }
    }

    /// How good a capture (or promotion) has been.
    #[inline]
    pub(crate) fn capture(&self, piece: PieceTo, victim: Option<PieceType>) -> i32 {
        self.capture[piece.index()][victim_row(victim)].value()
    }

    pub(crate) fn update_quiet(
        &mut self,
        side: Color,
        pawn_key: u64,
        context: &Context,
        mv: Move,
        piece: PieceTo,
        bonus: i32,
    ) {
        self.quiet[side.index()][butterfly(mv)].update(bonus);
        self.pawn[pawn_key as usize % PAWN_STRUCTURES][piece.index()].update(bonus);
        self.update_continuation(context, piece, bonus);
    }

    pub(crate) fn update_continuation(&mut self, context: &Context, piece: PieceTo, bonus: i32) {
        for &before in context {
            if before != PieceTo::NONE {
                self.continuation[before.index()][piece.index()].update(bonus);
            }
        }
    }

    pub(crate) fn update_capture(&mut self, piece: PieceTo, victim: Option<PieceType>, bonus: i32) {
        self.capture[piece.index()][victim_row(victim)].update(bonus);
    }

    /// By how much the evaluation has been wrong in positions like this one.
    #[inline]
    pub(crate) fn correction(&self, keys: &CorrectionKeys) -> Value {
        let side = keys.side;
        let sum = tuned::correction_pawns() * self.pawn_correction[keys.pawn][side].value()
            + tuned::correction_minors() * self.minor_correction[keys.minor][side].value()
            + tuned::correction_pieces() * self.non_pawn_correction[0][keys.non_pawn[0]][side].value()
            + tuned::correction_pieces() * self.non_pawn_correction[1][keys.non_pawn[1]][side].value()
            + tuned::correction_moves() * self.follow_up(keys).map_or(0, Correction::value);
        sum / 1024
    }

    #[inline]
    fn follow_up(&self, keys: &CorrectionKeys) -> Option<Correction> {
        let [last, before] = keys.last;
        self.continuation_correction[before.index()].get(last.index()).copied()
    }

    /// A search found the evaluation, corrections included, to be off by this much.
    pub(crate) fn update_correction(&mut self, keys: &CorrectionKeys, error: Value, depth: i32) {
        let most = tuned::correction_most();
        let bonus = in_eighths(error * depth, tuned::correction_rate()).clamp(-most, most);
        let side = keys.side;
        self.pawn_correction[keys.pawn][side].update(bonus);
        self.minor_correction[keys.minor][side].update(bonus);
        for color in 0..2 {
            self.non_pawn_correction[color][keys.non_pawn[color]][side].update(bonus);
        }
        let [last, before] = keys.last;
        if before != PieceTo::NONE
            && let Some(gauge) = self.continuation_correction[before.index()].get_mut(last.index())
        {
            gauge.update(bonus);
        }
    }
}

/// The rows of the tables that concern the quiet moves of one node.
#[derive(Debug)]
pub(crate) struct Quiets<'a> {
    butterfly: &'a [Quiet; 64 * 64],
    pawn: &'a [Quiet; PIECE_TO],
    continuation: [&'a [Continuation; PIECE_TO]; CONTINUATIONS.len()],
}

impl Quiets<'_> {
    /// How good a move has been, as far as ordering and pruning ask.
    #[inline]
    pub(crate) fn score(&self, mv: Move, piece: PieceTo) -> i32 {
        let answer = |index: usize| self.continuation[index][piece.index()].value();
        self.butterfly[butterfly(mv)].value()
            + self.pawn[piece.index()].value()
            + answer(0)
            + answer(1)
            + (answer(2) + answer(3)) / 2
    }
}

#[inline]
fn butterfly(mv: Move) -> usize {
    mv.from().index() * 64 + mv.to().index()
}

#[inline]
fn victim_row(victim: Option<PieceType>) -> usize {
    victim.map_or(6, PieceType::index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_stays_within_its_limit() {
        let mut gauge = Gauge::<1000>::default();
        for _ in 0..100 {
            gauge.update(900);
        }
        assert!(gauge.value() > 950 && gauge.value() <= 1000, "{}", gauge.value());
        gauge.update(i32::MIN / 2);
        assert!(gauge.value() >= -1000);
        for _ in 0..100 {
            gauge.update(-5000);
        }
        assert_eq!(gauge.value(), -1000);
    }

    #[test]
    fn moves_not_made_stay_at_zero() {
        let mut history = History::new();
        let piece = PieceTo::new(Piece::WhiteKnight, Square::F3);
        let context =
            [PieceTo::NONE, PieceTo::new(Piece::BlackPawn, Square::E5), PieceTo::NONE, PieceTo::NONE];
        history.update_continuation(&context, piece, 1000);
        let position = Position::start();
        let mv = position.parse_uci("g1f3").unwrap();
        assert!(history.quiets(&position, &context).score(mv, piece) > 0);
        assert_eq!(history.quiets(&position, &[PieceTo::NONE; 4]).score(mv, piece), 0);
    }
}
