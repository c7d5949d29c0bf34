//! Hands out the moves of a node one by one, the most promising first, generating only what is asked for.

use ferz_board::{Move, MoveClass, MoveList, PieceType, Position};

use crate::exchange::{captured, exchange_gains, worth};
use crate::history::{Context, History, PieceTo};
use crate::value::Value;

/// A move and how promising it looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scored {
    mv: Move,
    score: i32,
}

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
                            Wanted::All | Wanted::Tactical => -picked.score / 20,
                        };
                        if exchange_gains(position, picked.mv, threshold) {
                            return Some(picked.mv);
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
                        return Some(picked.mv);
                    }
                    self.next = self.start;
                    self.stage = Stage::BadTactical;
                }
                Stage::BadTactical => {
                    if self.next < self.bad_end {
                        self.next += 1;
                        return Some(arena[self.next - 1].mv);
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
            arena.push(Scored { mv, score });
        }
        self.end = arena.len();
    }

    fn generate_quiet(&mut self, arena: &mut Arena, position: &Position, history: &History) {
        let mut list = MoveList::new();
        position.generate(MoveClass::Quiet, &mut list);
        let side = position.side_to_move();
        for mv in &list {
            if Some(mv) == self.table_move || Some(mv) == self.killer {
                continue;
            }
            let piece = PieceTo::of(position, mv);
            let score = history.quiet(side, position.pawn_key(), &self.context, mv, piece);
            arena.push(Scored { mv, score });
        }
        self.end = arena.len();
    }

    /// Takes the best of the moves left.
    #[inline]
    fn pick_best(&mut self, arena: &mut Arena) -> Option<Scored> {
        let rest = &mut arena[self.next..self.end];
        let best = (0..rest.len()).max_by_key(|&index| (rest[index].score, std::cmp::Reverse(index)))?;
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
