//! Hands out the moves of a node one by one, the most promising first, generating only what is asked for.

use ferz_board::{Move, MoveClass, MoveList, PieceType, Position};

use crate::exchange::{captured, exchange_gains, worth};
use crate::history::{Context, History, PieceTo};
use crate::parameters::{in_eighths, tuned};
use crate::value::Value;

/// A move and how promising it looks, in one number that orders: the score above, the move below.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scored(i32);

impl Scored {
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

/// Scores of quiet moves are stored in units of this many points, so as to fit.
const QUIET_UNIT: i32 = 4;

/// Moves of all nodes on the way from the root, each node's behind those of its parent.
pub(crate) type Arena = Vec<Scored>;

/// Where a picker stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Stage {
    TableMove,
    GenerateTactical,
    GoodTactical,
    Killer,
    GenerateQuiet,
    Quiet,
    BadTactical,
    Done,
}

/// What a node wants to see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    All,
    /// Captures and promotions only.
    Tactical,
    /// Captures that gain at least so much.
    Gaining(Value),
}

/// Picks the moves of one node.
#[derive(Debug)]
pub(crate) struct Picker {
    stage: Stage,
    wanted: Wanted,
    table_move: Option<Move>,
    killer: Option<Move>,
    context: Context,
    /// The node's moves begin here in the arena; captures that lose are gathered at the front.
    start: usize,
    bad_end: usize,
    next: usize,
    end: usize,
    skip_quiets: bool,
    /// What experience says of the move last picked, if it was one of the quiet ones generated.
    quiet_score: Option<i32>,
}

impl Picker {
    /// Every legal move.
    pub(crate) fn all(
        arena: &Arena,
        position: &Position,
        table_move: Option<Move>,
        killer: Option<Move>,
        context: Context,
    ) -> Picker {
        let table_move = table_move.filter(|&mv| position.is_legal(mv));
        Picker::new(arena, Wanted::All, table_move, killer, context)
    }

    /// Captures and promotions only; in check, all evasions.
    pub(crate) fn quiescence(
        arena: &Arena,
        position: &Position,
        table_move: Option<Move>,
        context: Context,
        in_check: bool,
    ) -> Picker {
        let wanted = if in_check { Wanted::All } else { Wanted::Tactical };
        let table_move =
            table_move.filter(|&mv| (in_check || is_tactical(position, mv)) && position.is_legal(mv));
        Picker::new(arena, wanted, table_move, None, context)
    }

    /// Captures that gain at least `threshold` by exchange.
    pub(crate) fn gaining(
        arena: &Arena,
        position: &Position,
        table_move: Option<Move>,
        threshold: Value,
    ) -> Picker {
        let table_move = table_move.filter(|&mv| {
            is_tactical(position, mv) && position.is_legal(mv) && exchange_gains(position, mv, threshold)
        });
        Picker::new(arena, Wanted::Gaining(threshold), table_move, None, [PieceTo::NONE; 4])
    }

    fn new(
        arena: &Arena,
        wanted: Wanted,
        table_move: Option<Move>,
        killer: Option<Move>,
        context: Context,
    ) -> Picker {
        let stage = if table_move.is_some() { Stage::TableMove } else { Stage::GenerateTactical };
        let killer = killer.filter(|&mv| Some(mv) != table_move);
        let start = arena.len();
        Picker {
            stage,
            wanted,
            table_move,
            killer,
            context,
            start,
            bad_end: start,
            next: start,
            end: start,
            skip_quiets: false,
            quiet_score: None,
        }
    }

    /// No more quiet moves, please.
    pub(crate) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The stage the last move came from, or a later one.
    pub(crate) fn stage(&self) -> Stage {
        self.stage
    }

    /// What experience says of the move last picked, where ordering the moves has asked already.
    pub(crate) fn quiet_score(&self) -> Option<i32> {
        self.quiet_score
    }

    /// Gives the node's part of the arena back.
    pub(crate) fn finish(&self, arena: &mut Arena) {
        arena.truncate(self.start);
    }

    /// The next move.
    pub(crate) fn next(&mut self, arena: &mut Arena, position: &Position, history: &History) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = Stage::GenerateTactical;
                    return self.table_move;
                }
                Stage::GenerateTactical => {
                    self.generate_tactical(arena, position, history);
                    self.stage = Stage::GoodTactical;
                }
                Stage::GoodTactical => {
                    while let Some(picked) = self.pick_best(arena) {
                        let threshold = match self.wanted {
                            Wanted::Gaining(threshold) => threshold,
                            Wanted::All | Wanted::Tactical => {
                                -in_eighths(picked.score(), tuned::good_capture())
                            }
                        };
                        if picked.mv().is_some_and(|mv| exchange_gains(position, mv, threshold)) {
                            return picked.mv();
                        }
                        arena[self.bad_end] = picked;
                        self.bad_end += 1;
                    }
                    self.stage = match self.wanted {
                        Wanted::All => Stage::Killer,
                        Wanted::Tactical => {
                            self.next = self.start;
                            Stage::BadTactical
                        }
                        Wanted::Gaining(_) => Stage::Done,
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
                    self.next = self.end;
                    if !self.skip_quiets {
                        self.generate_quiet(arena, position, history);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => {
                    if !self.skip_quiets
                        && let Some(picked) = self.pick_best(arena)
                    {
                        self.quiet_score = Some(picked.score() * QUIET_UNIT);
                        return picked.mv();
                    }
                    self.quiet_score = None;
                    self.next = self.start;
                    self.stage = Stage::BadTactical;
                }
                Stage::BadTactical => {
                    if self.next < self.bad_end {
                        self.next += 1;
                        return arena[self.next - 1].mv();
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    fn generate_tactical(&mut self, arena: &mut Arena, position: &Position, history: &History) {
        let mut list = MoveList::new();
        position.generate(MoveClass::Tactical, &mut list);
        for mv in &list {
            if Some(mv) == self.table_move {
                continue;
            }
            let victim = captured(position, mv);
            let promotion = match mv.promotion() {
                Some(PieceType::Queen) => 8 * worth(PieceType::Queen),
                // Hardly ever better than a queen: after everything else.
                Some(_) => -20_000,
                None => 0,
            };
            let score =
                8 * victim.map_or(0, worth) + promotion + history.capture(PieceTo::of(position, mv), victim);
            arena.push(Scored::new(mv, score));
        }
        self.end = arena.len();
    }

    fn generate_quiet(&mut self, arena: &mut Arena, position: &Position, history: &History) {
        let mut list = MoveList::new();
        position.generate(MoveClass::Quiet, &mut list);
        let known = history.quiets(position, &self.context);
        arena.reserve(list.len());
        for mv in &list {
            if Some(mv) == self.table_move || Some(mv) == self.killer {
                continue;
            }
            let score = known.score(mv, PieceTo::of(position, mv));
            arena.push(Scored::new(mv, score / QUIET_UNIT));
        }
        self.end = arena.len();
    }

    /// Takes the best of the moves left.
    #[inline]
    fn pick_best(&mut self, arena: &mut Arena) -> Option<Scored> {
        let rest = &mut arena[self.next..self.end];
        // The numbers alone are compared first: that is done many at a time.
        let most = rest.iter().fold(i32::MIN, |most, scored| most.max(scored.0));
        let best = rest.iter().position(|scored| scored.0 == most)?;
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0])
    }
}

/// Captures and promotions.
#[inline]
pub(crate) fn is_tactical(position: &Position, mv: Move) -> bool {
    mv.promotion().is_some() || captured(position, mv).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every legal move comes exactly once, whatever the table and killer moves are.
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
            let mut legal: Vec<_> = position.legal_moves().into_iter().map(Move::bits).collect();
            legal.sort_unstable();
            let mut hints: Vec<_> = position.legal_moves().into_iter().map(Some).collect();
            hints.push(None);
            hints.push(Position::start().legal_moves().first().copied());
            for &table_move in &hints {
                for &killer in &hints {
                    let mut arena = Arena::new();
                    let mut picker = Picker::all(&arena, &position, table_move, killer, [PieceTo::NONE; 4]);
                    let mut seen = Vec::new();
                    while let Some(mv) = picker.next(&mut arena, &position, &history) {
                        seen.push(mv.bits());
                    }
                    picker.finish(&mut arena);
                    assert!(arena.is_empty());
                    if table_move.is_some_and(|mv| position.is_legal(mv)) {
                        assert_eq!(seen.first().copied(), table_move.map(Move::bits));
                    }
                    seen.sort_unstable();
                    assert_eq!(seen, legal, "{fen} {table_move:?} {killer:?}");
                }
            }
        }
    }

    #[test]
    fn quiescence_sees_captures_and_promotions() {
        let position = Position::from_fen("4k3/3r3P/8/8/8/8/8/3QK3 w - - 0 1").unwrap();
        let mut arena = Arena::new();
        let mut picker = Picker::quiescence(&arena, &position, None, [PieceTo::NONE; 4], false);
        let mut seen = Vec::new();
        while let Some(mv) = picker.next(&mut arena, &position, &History::new()) {
            seen.push(mv);
        }
        assert_eq!(seen.len(), 5);
        assert!(seen.iter().all(|&mv| is_tactical(&position, mv)));
        assert_eq!(seen[0].promotion(), Some(PieceType::Queen));
    }
}
