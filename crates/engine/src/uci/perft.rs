//! `go perft`: counting that can be stopped.

use ferz_board::{CastlingMode, Position, perft};
use ferz_search::Signals;

/// Trees of this depth are counted in one go, in a few milliseconds; between them a stop is noticed.
const UNSTOPPABLE: u32 = 4;

/// The leaves below each move in the order of the alphabet, and their sum; `None` if it was stopped.
pub(super) fn table(
    position: &Position,
    depth: u32,
    castling: CastlingMode,
    signals: &Signals,
) -> Option<String> {
    let mut rows = Vec::new();
    let mut sum = 0u64;
    if let Some(below) = depth.checked_sub(1) {
        for mv in &position.legal_moves() {
            let mut child = *position;
            child.play_unchecked(mv);
            let leaves = count(&child, below, signals)?;
            sum = sum.saturating_add(leaves);
            rows.push(format!("{}: {leaves}\n", mv.uci(castling)));
        }
    } else {
        sum = 1;
    }
    rows.sort();
    Some(format!("{}\nNodes searched: {sum}", rows.concat()))
}

fn count(position: &Position, depth: u32, signals: &Signals) -> Option<u64> {
    if signals.is_stopped() {
        return None;
    }
    if depth <= UNSTOPPABLE {
        return Some(perft::count(position, depth));
    }
    let mut sum = 0u64;
    for mv in &position.legal_moves() {
        let mut child = *position;
        child.play_unchecked(mv);
        sum = sum.saturating_add(count(&child, depth - 1, signals)?);
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_right_above_and_below_the_unstoppable_depth() {
        let position = Position::start();
        for (depth, expected) in [(0, 1), (1, 20), (5, 4_865_609), (6, 119_060_324)] {
            let text =
                table(&position, depth, CastlingMode::Standard, &Signals::new()).expect("nobody stops it");
            assert!(text.ends_with(&format!("\nNodes searched: {expected}")), "{text}");
        }
        let text = table(&position, 2, CastlingMode::Standard, &Signals::new()).expect("nobody stops it");
        assert!(text.starts_with("a2a3: 20\na2a4: 20\nb1a3: 20\n"), "{text}");
    }

    #[test]
    fn a_stop_ends_it() {
        let signals = Signals::new();
        signals.stop();
        assert_eq!(table(&Position::start(), 30, CastlingMode::Standard, &signals), None);
    }
}
