//! Staged move generation and move ordering: TT move, good captures, killer, quiet moves by history, bad captures.

use ferz_board::{Bitboard, Move, MoveClass, MoveList, Piece, PieceType, Position, attacks};

use crate::check_info::CheckInfo;
use crate::history::{ContinuationContext, History, PieceTo};
use crate::parameters::{in_eighths, params};
use crate::see::{piece_value, see_ge};
use crate::threats::pawn_attacks;
use crate::value::Value;

/// A move with its ordering score in one number: the score in the upper half, the move in the lower.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scored(i32);

impl Scored {
    /// Less than every move: it fills the last vector of a list, and stands for a move that was taken.
    const NONE: Scored = Scored(i32::MIN);

    #[inline]
    fn new(mv: Move, score: i32) -> Scored {
        let score = score.clamp(i16::MIN.into(), i16::MAX.into());
        Scored(score << 16 | i32::from(mv.bits()))
    }

    #[inline]
    fn mv(self) -> Option<Move> {
        Move::from_bits(self.0 as u16)
    }

    #[inline]
    fn score(self) -> i32 {
        self.0 >> 16
    }
}

/// Moves are compared in vectors of this length.
const LANES: usize = 16;

/// History scores of quiet moves are stored in units of this size, so that they fit into 16 bits.
const QUIET_UNIT: i32 = 4;

/// The generated moves of all nodes on the search stack, each node's after those of its parent.
pub(crate) type Arena = Vec<Scored>;

/// The stage of a move picker.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Stage {
    TtMove,
    GenerateTactical,
    GoodTactical,
    Killer,
    GenerateQuiet,
    Quiet,
    BadTactical,
    Done,
}

/// Which moves a node asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    All,
    /// Captures and promotions only.
    Tactical,
    /// Captures and promotions with a static exchange evaluation (SEE) of at least this.
    SeeAtLeast(Value),
}

/// Picks the moves of one node one by one, the most promising first, and generates only what is asked for.
#[derive(Debug)]
pub(crate) struct MovePicker {
    stage: Stage,
    wanted: Wanted,
    tt_move: Option<Move>,
    killer: Option<Move>,
    context: ContinuationContext,
    /// The node's part of the arena begins here, with room for the losing captures.
    start: usize,
    /// The losing captures found so far that are left: from here on ...
    bad_next: usize,
    /// ... to here.
    bad_end: usize,
    /// The list of moves that are being picked begins here, and goes on to the end of the arena.
    list: usize,
    /// How many of them are left.
    left: usize,
    skip_quiets: bool,
}

impl MovePicker {
    /// Every legal move.
    pub(crate) fn all(
        arena: &Arena,
        position: &Position,
        tt_move: Option<Move>,
        killer: Option<Move>,
        context: ContinuationContext,
    ) -> MovePicker {
        let tt_move = tt_move.filter(|&mv| position.is_legal(mv));
        MovePicker::new(arena, Wanted::All, tt_move, killer, context)
    }

    /// Captures and promotions only; in check, all evasions.
    pub(crate) fn quiescence(
        arena: &Arena,
        position: &Position,
        tt_move: Option<Move>,
        context: ContinuationContext,
        in_check: bool,
    ) -> MovePicker {
        let wanted = if in_check { Wanted::All } else { Wanted::Tactical };
        let tt_move = tt_move.filter(|&mv| (in_check || is_tactical(position, mv)) && position.is_legal(mv));
        MovePicker::new(arena, wanted, tt_move, None, context)
    }

    /// ProbCut: captures and promotions with a SEE of at least `threshold`.
    pub(crate) fn prob_cut(
        arena: &Arena,
        position: &Position,
        tt_move: Option<Move>,
        threshold: Value,
    ) -> MovePicker {
        let tt_move = tt_move.filter(|&mv| {
            is_tactical(position, mv) && position.is_legal(mv) && see_ge(position, mv, threshold)
        });
        MovePicker::new(arena, Wanted::SeeAtLeast(threshold), tt_move, None, [PieceTo::NONE; 4])
    }

    fn new(
        arena: &Arena,
        wanted: Wanted,
        tt_move: Option<Move>,
        killer: Option<Move>,
        context: ContinuationContext,
    ) -> MovePicker {
        let stage = if tt_move.is_some() { Stage::TtMove } else { Stage::GenerateTactical };
        let killer = killer.filter(|&mv| Some(mv) != tt_move);
        let start = arena.len();
        MovePicker {
            stage,
            wanted,
            tt_move,
            killer,
            context,
            start,
            bad_next: start,
            bad_end: start,
            list: start,
            left: 0,
            skip_quiets: false,
        }
    }

    /// Leaves out the remaining quiet moves.
    pub(crate) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The stage of the last move, or a later one.
    pub(crate) fn stage(&self) -> Stage {
        self.stage
    }

    /// Releases the node's part of the arena.
    pub(crate) fn finish(&self, arena: &mut Arena) {
        arena.truncate(self.start);
    }

    /// The next move.
    pub(crate) fn next(
        &mut self,
        arena: &mut Arena,
        position: &Position,
        attacked: Bitboard,
        checks: &CheckInfo,
        history: &History,
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = Stage::GenerateTactical;
                    return self.tt_move;
                }
                Stage::GenerateTactical => {
                    self.generate_tactical(arena, position, history);
                    self.stage = Stage::GoodTactical;
                }
                Stage::GoodTactical => {
                    while let Some(picked) = self.pick_best(arena) {
                        let threshold = match self.wanted {
                            Wanted::SeeAtLeast(threshold) => threshold,
                            Wanted::All | Wanted::Tactical => {
                                -in_eighths(picked.score(), params::good_capture_see_divisor())
                            }
                        };
                        if picked.mv().is_some_and(|mv| see_ge(position, mv, threshold)) {
                            return picked.mv();
                        }
                        arena[self.bad_end] = picked;
                        self.bad_end += 1;
                    }
                    self.stage = match self.wanted {
                        Wanted::All => Stage::Killer,
                        Wanted::Tactical => Stage::BadTactical,
                        Wanted::SeeAtLeast(_) => Stage::Done,
                    };
                }
                Stage::Killer => {
                    self.stage = Stage::GenerateQuiet;
                    if let Some(mv) = self.killer
                        && !self.skip_quiets
                        && !is_tactical(position, mv)
                        && position.is_legal(mv)
                    {
                        return Some(mv);
                    }
                    self.killer = None;
                }
                Stage::GenerateQuiet => {
                    if !self.skip_quiets {
                        self.generate_quiet(arena, position, attacked, checks, history);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => {
                    if !self.skip_quiets
                        && let Some(picked) = self.pick_best(arena)
                    {
                        return picked.mv();
                    }
                    self.stage = Stage::BadTactical;
                }
                Stage::BadTactical => {
                    if self.bad_next < self.bad_end {
                        self.bad_next += 1;
                        return arena[self.bad_next - 1].mv();
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    // Not inlined, like that of quiet moves: most calls of `next` generate nothing, and need no large stack frame.
    #[inline(never)]
    fn generate_tactical(&mut self, arena: &mut Arena, position: &Position, history: &History) {
        let mut list = MoveList::new();
        position.generate(MoveClass::Tactical, &mut list);
        arena.resize(self.start + list.len(), Scored::NONE);
        self.list = arena.len();
        for &mv in &list {
            if Some(mv) == self.tt_move {
                continue;
            }
            let captured = position.captured(mv).map(Piece::piece_type);
            let promotion = match mv.promotion() {
                Some(PieceType::Queen) => 8 * piece_value(PieceType::Queen),
                // Underpromotions are hardly ever better: after everything else.
                Some(_) => -20_000,
                None => 0,
            };
            // Most valuable victim (MVV), then capture history.
            let score = 8 * captured.map_or(0, piece_value)
                + promotion
                + history.capture(PieceTo::of(position, mv), captured);
            arena.push(Scored::new(mv, score));
        }
        self.pad(arena);
    }

    #[inline(never)]
    fn generate_quiet(
        &mut self,
        arena: &mut Arena,
        position: &Position,
        attacked: Bitboard,
        checks: &CheckInfo,
        history: &History,
    ) {
        let mut list = MoveList::new();
        position.generate(MoveClass::Quiet, &mut list);
        self.list = arena.len();
        let rows = history.quiets(position, attacked, &self.context);
        let checks = checks.squares();
        let attacking = attacking_squares(position, attacked);
        arena.reserve(list.len() + LANES);
        for &mv in &list {
            if Some(mv) == self.tt_move || Some(mv) == self.killer {
                continue;
            }
            let mut score = rows.score(mv, PieceTo::of(position, mv));
            let mover = position.piece_at(mv.from()).map_or(PieceType::Pawn, Piece::piece_type);
            if checks[mover.index()].contains(mv.to()) && see_ge(position, mv, -params::check_order_see()) {
                score += params::check_order_bonus();
            }
            if attacking[mover.index()].contains(mv.to()) {
                score += params::attack_order_bonus();
            }
            arena.push(Scored::new(mv, score / QUIET_UNIT));
        }
        self.pad(arena);
    }

    /// Ends the list of moves at the end of the arena.
    fn pad(&mut self, arena: &mut Arena) {
        self.left = arena.len() - self.list;
        arena.resize(self.list + self.left.next_multiple_of(LANES), Scored::NONE);
    }

    /// Takes the best remaining move: one step of a selection sort.
    #[inline]
    fn pick_best(&mut self, arena: &mut Arena) -> Option<Scored> {
        self.left = self.left.checked_sub(1)?;
        let (vectors, _) = arena[self.list..].as_chunks_mut();
        take_best(vectors)
    }
}

/// Takes the greatest number of a list: [`Scored::NONE`] remains in its place. No two moves have the same number.
// Vector by vector: in this form the compiler uses vector instructions.
#[inline(never)]
fn take_best(list: &mut [[Scored; LANES]]) -> Option<Scored> {
    let greatest = |vector: &[Scored; LANES]| vector.iter().fold(i32::MIN, |most, it| most.max(it.0));
    let (mut most, mut place) = (i32::MIN, 0);
    for (number, vector) in list.iter().enumerate() {
        let here = greatest(vector);
        (most, place) = if here > most { (here, number) } else { (most, place) };
    }
    let vector = list.get_mut(place)?;
    *vector = vector.map(|it| if it.0 == most { Scored::NONE } else { it });
    Some(Scored(most))
}

/// The safe squares from which pieces of each type attack something worth more, or undefended; for rooks, the file of
/// the enemy king.
fn attacking_squares(position: &Position, defended: Bitboard) -> [Bitboard; 6] {
    let them = !position.side_to_move();
    let occupied = position.occupied();
    let theirs = |piece_type| position.by_type(piece_type) & position.by_color(them);
    let (bishops, rooks, queens) =
        (theirs(PieceType::Bishop), theirs(PieceType::Rook), theirs(PieceType::Queen));
    let mut squares = [Bitboard::EMPTY; 6];
    squares[PieceType::Pawn.index()] = pawn_attacks(position.by_color(them), them);
    for target in (bishops - defended) | rooks | queens {
        squares[PieceType::Knight.index()] |= attacks::knight(target);
    }
    for target in rooks {
        squares[PieceType::Bishop.index()] |= attacks::bishop(target, occupied);
    }
    squares[PieceType::Rook.index()] = position.king(them).file().into();
    for target in bishops - defended {
        squares[PieceType::Queen.index()] |= attacks::rook(target, occupied);
    }
    for target in rooks - defended {
        squares[PieceType::Queen.index()] |= attacks::bishop(target, occupied);
    }
    squares.map(|it| it - defended)
}

/// Whether a move is a capture or promotion, also called noisy.
#[inline]
pub(crate) fn is_tactical(position: &Position, mv: Move) -> bool {
    mv.promotion().is_some() || position.captured(mv).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every legal move comes exactly once, whatever the TT move and the killer are.
    #[test]
    fn every_move_comes_once() {
        let history = History::new();
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1",
            "r3k2r/pppp1ppp/8/4q3/8/8/PPP2PPP/R3K2R w KQkq - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let checks = CheckInfo::new(&position);
            let mut legal: Vec<_> = position.legal_moves().into_iter().map(Move::bits).collect();
            legal.sort_unstable();
            let mut hints: Vec<_> = position.legal_moves().into_iter().map(Some).collect();
            hints.push(None);
            hints.push(Position::start().legal_moves().first().copied());
            for &tt_move in &hints {
                for &killer in &hints {
                    let mut arena = Arena::new();
                    let mut picker = MovePicker::all(&arena, &position, tt_move, killer, [PieceTo::NONE; 4]);
                    let mut seen = Vec::new();
                    while let Some(mv) =
                        picker.next(&mut arena, &position, Bitboard::EMPTY, &checks, &history)
                    {
                        seen.push(mv.bits());
                    }
                    picker.finish(&mut arena);
                    assert!(arena.is_empty());
                    if tt_move.is_some_and(|mv| position.is_legal(mv)) {
                        assert_eq!(seen.first().copied(), tt_move.map(Move::bits));
                    }
                    seen.sort_unstable();
                    assert_eq!(seen, legal, "{fen} {tt_move:?} {killer:?}");
                }
            }
        }
    }

    #[test]
    fn quiescence_sees_captures_and_promotions() {
        let position = Position::from_fen("4k3/3r3P/8/8/8/8/8/3QK3 w - - 0 1").unwrap();
        let mut arena = Arena::new();
        let mut picker = MovePicker::quiescence(&arena, &position, None, [PieceTo::NONE; 4], false);
        let checks = CheckInfo::new(&position);
        let mut seen = Vec::new();
        while let Some(mv) = picker.next(&mut arena, &position, Bitboard::EMPTY, &checks, &History::new()) {
            seen.push(mv);
        }
        assert_eq!(seen.len(), 5);
        assert!(seen.iter().all(|&mv| is_tactical(&position, mv)));
        assert_eq!(seen[0].promotion(), Some(PieceType::Queen));
    }
}
