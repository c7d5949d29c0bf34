//! Short mates, by trying everything.
//!
//! Repetitions and the fifty moves are left out. Both can only save the side that is mated, so a mate that is not
//! found here is none with them either.

use shakmaty::{Chess, Position as _};

/// Positions to look at before giving up.
#[derive(Debug)]
pub(super) struct Effort(pub(super) u32);

impl Effort {
    fn spend(&mut self) -> Option<()> {
        self.0 = self.0.checked_sub(1)?;
        Some(())
    }
}

/// Whether the side to move can force mate in so many moves; `None` if that takes too long to find out.
pub(super) fn can_mate(position: &Chess, moves: u32, effort: &mut Effort) -> Option<bool> {
    if moves == 0 {
        return Some(false);
    }
    let children = || {
        position.legal_moves().into_iter().map(|mv| {
            let mut child = position.clone();
            child.play_unchecked(mv);
            child
        })
    };
    // Most mates are found among the checks.
    for child in children().filter(Chess::is_check) {
        if is_mated(&child, moves - 1, effort)? {
            return Some(true);
        }
    }
    if moves == 1 {
        return Some(false);
    }
    for child in children().filter(|child| !child.is_check()) {
        if is_mated(&child, moves - 1, effort)? {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether the side to move is mated in so many moves at the latest, whatever it does.
pub(super) fn is_mated(position: &Chess, moves: u32, effort: &mut Effort) -> Option<bool> {
    effort.spend()?;
    let replies = position.legal_moves();
    if replies.is_empty() {
        return Some(position.is_check());
    }
    if moves == 0 {
        return Some(false);
    }
    for mv in replies {
        let mut child = position.clone();
        child.play_unchecked(mv);
        if !can_mate(&child, moves, effort)? {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::super::referee::Referee;
    use super::*;

    fn at(fen: &str) -> Chess {
        Referee::new(fen, false).expect("legal").position().clone()
    }

    #[test]
    fn short_mates_are_told_from_none() {
        let (back_rank, ladder) = ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "7k/8/8/8/8/R7/1R6/K7 w - - 0 1");
        for (fen, moves, expected) in [(back_rank, 1, true), (ladder, 1, false), (ladder, 2, true)] {
            assert_eq!(can_mate(&at(fen), moves, &mut Effort(100_000)), Some(expected), "{fen} {moves}");
        }
        let cornered = "7k/R7/8/8/8/8/1R6/K7 b - - 0 1";
        assert_eq!(is_mated(&at(cornered), 1, &mut Effort(100_000)), Some(true));
        assert_eq!(is_mated(&at(cornered), 0, &mut Effort(100_000)), Some(false));
        let stalemate = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
        assert_eq!(is_mated(&at(stalemate), 3, &mut Effort(100_000)), Some(false));
    }

    #[test]
    fn effort_is_bounded() {
        let start = at("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert_eq!(can_mate(&start, 4, &mut Effort(1_000)), None);
    }
}
