//! `go perft`.

use ferz_board::{CastlingMode, Position, perft};
use ferz_search::Signals;

/// The leaves below each move, sorted by move, and their sum; `None` if it was stopped.
pub(super) fn table(
    position: &Position,
    depth: u32,
    castling: CastlingMode,
    signals: &Signals,
) -> Option<String> {
    let counts = perft::Run::new(position, depth).stop_when(&|| signals.is_stopped()).divide()?;
    let mut rows: Vec<_> =
        counts.by_move.iter().map(|(mv, leaves)| format!("{}: {leaves}\n", mv.uci(castling))).collect();
    rows.sort();
    Some(format!("{}\nNodes searched: {}", rows.concat(), counts.total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_right_at_small_and_large_depths() {
        let position = Position::start();
        for (depth, expected) in [(0, 1), (1, 20), (5, 4_865_609), (6, 119_060_324)] {
            let text = table(&position, depth, CastlingMode::Standard, &Signals::new()).expect("not stopped");
            assert!(text.ends_with(&format!("\nNodes searched: {expected}")), "{text}");
        }
        let text = table(&position, 2, CastlingMode::Standard, &Signals::new()).expect("not stopped");
        assert!(text.starts_with("a2a3: 20\na2a4: 20\nb1a3: 20\n"), "{text}");
    }

    #[test]
    fn a_stop_ends_it() {
        let signals = Signals::new();
        signals.stop();
        assert_eq!(table(&Position::start(), 30, CastlingMode::Standard, &signals), None);
    }
}
