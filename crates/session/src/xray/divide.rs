//! Perft by root move (divide), and the comparison with the divide of a different program.

use ferz_board::perft::{self, Counts, Difference};
use ferz_board::{CastlingMode, Position};
use ferz_notation::san::San;
use serde::Serialize;

/// The most leaves that are counted: a fraction of a second.
const MAX_LEAVES: u64 = 30_000_000;
/// The deepest perft.
pub const MAX_DEPTH: u32 = 8;
/// The greatest number that JavaScript reads exactly.
const MAX_EXACT: u64 = 1 << 53;

/// The leaves below each move.
#[derive(Clone, Debug, Serialize)]
pub struct Divide {
    depth: u32,
    total: u64,
    moves: Vec<DivideMove>,
    comparison: Option<Comparison>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct DivideMove {
    uci: String,
    san: String,
    count: u64,
}

/// Where a different program counts differently.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
struct Comparison {
    equal: usize,
    differences: Vec<CountDifference>,
    problem: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct CountDifference {
    uci: Option<String>,
    ours: Option<u64>,
    theirs: Option<u64>,
    text: String,
}

/// Counts the leaves below each legal move, and compares them with a pasted divide. `None` if there are too many leaves.
pub fn divide(position: &Position, depth: u32, mode: CastlingMode, paste: Option<&str>) -> Option<Divide> {
    let mut budget = MAX_LEAVES;
    let mut by_move = Vec::new();
    for &mv in &position.legal_moves() {
        let mut child = *position;
        child.play_unchecked(mv);
        by_move.push((mv, count(&child, depth.saturating_sub(1), &mut budget)?));
    }
    let total = by_move.iter().map(|&(_, count)| count).sum();
    let mut moves: Vec<_> = by_move
        .iter()
        .map(|&(mv, count)| DivideMove {
            uci: mv.uci(mode).to_string(),
            san: San::new(position, mv).to_string(),
            count,
        })
        .collect();
    moves.sort_by(|a, b| a.uci.cmp(&b.uci));
    let counts = Counts { by_move, total };
    let comparison = paste.map(|paste| compare(position, mode, &counts, paste));
    Some(Divide { depth, total, moves, comparison })
}

/// Perft that gives up when the budget is spent.
fn count(position: &Position, depth: u32, budget: &mut u64) -> Option<u64> {
    if depth <= 2 {
        let leaves = perft::count(position, depth);
        *budget = budget.checked_sub(leaves)?;
        return Some(leaves);
    }
    let mut sum = Some(0);
    position.for_each_child(|_, child| {
        sum = sum.and_then(|sum| Some(sum + count(child, depth - 1, budget)?));
    });
    sum
}

fn compare(position: &Position, mode: CastlingMode, ours: &Counts, paste: &str) -> Comparison {
    let theirs: perft::Divide = match paste.parse() {
        Ok(theirs) => theirs,
        Err(error) => return Comparison { problem: Some(error.to_string()), ..Comparison::default() },
    };
    let exact = |count: u64| Some(count.min(MAX_EXACT));
    let found = perft::compare(position, ours, &theirs);
    let listed = |mv| ours.by_move.iter().find(|&&(our, _)| our == mv).and_then(|&(_, count)| exact(count));
    let mut comparison = Comparison { equal: ours.by_move.len(), ..Comparison::default() };
    for difference in found {
        let (uci, ours, theirs) = match difference {
            Difference::Extra { mv, .. } => {
                let count = theirs.by_move.iter().find(|&&(their, _)| their == mv);
                (Some(mv.to_string()), None, count.and_then(|&(_, count)| exact(count)))
            }
            Difference::Missing(mv) => (Some(mv.uci(mode).to_string()), listed(mv), None),
            Difference::Repeated(mv) => (Some(mv.uci(mode).to_string()), listed(mv), None),
            Difference::Count { mv, ours, theirs } => {
                (Some(mv.uci(mode).to_string()), exact(ours), exact(theirs))
            }
            Difference::Total { ours, theirs } => (None, exact(ours), exact(theirs)),
            _ => (None, None, None),
        };
        if !matches!(difference, Difference::Extra { .. } | Difference::Total { .. }) {
            comparison.equal = comparison.equal.saturating_sub(1);
        }
        let text = difference.explain(position);
        comparison.differences.push(CountDifference { uci, ours, theirs, text });
    }
    comparison
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(divide: &Divide, separator: &str) -> String {
        divide.moves.iter().map(|mv| format!("{}{separator}{}\n", mv.uci, mv.count)).collect()
    }

    #[test]
    fn counts_are_those_of_perft() {
        for (fen, depth, total) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4, 197_281),
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97_862),
            ("8/8/8/8/8/4k3/8/4K2r w - - 3 9", 1, 0),
        ] {
            let position = Position::from_fen(fen).expect(fen);
            assert_eq!(perft::count(&position, depth), total, "{fen}");
            let divide = divide(&position, depth, CastlingMode::Standard, None).expect("few leaves");
            assert_eq!(divide.total, total, "{fen}");
        }
    }

    #[test]
    fn too_many_leaves_are_refused() {
        assert!(divide(&Position::start(), 7, CastlingMode::Standard, None).is_none());
    }

    #[test]
    fn a_divide_in_any_form_is_equal_to_itself() {
        let position = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").expect("a legal position");
        let plain = divide(&position, 2, CastlingMode::Standard, None).expect("few leaves");
        let expected = Comparison { equal: plain.moves.len(), ..Comparison::default() };
        for separator in [": ", " ", " - ", " = ", ":\t"] {
            let paste = format!("{}\nNodes searched: {}\n", text_of(&plain, separator), plain.total);
            let compared = divide(&position, 2, CastlingMode::Standard, Some(&paste)).expect("few leaves");
            assert_eq!(compared.comparison.as_ref(), Some(&expected), "{separator:?}");
        }
        // Chess960 engines write castling as king takes rook.
        let paste = text_of(&plain, ": ").replace("e1g1", "e1h1").replace("e1c1", "e1a1");
        let compared = divide(&position, 2, CastlingMode::Standard, Some(&paste)).expect("few leaves");
        assert_eq!(compared.comparison, Some(expected));
    }

    #[test]
    fn differences_are_named() {
        let position = Position::start();
        let plain = divide(&position, 2, CastlingMode::Standard, None).expect("few leaves");
        let compare = |paste: &str| {
            let compared = divide(&position, 2, CastlingMode::Standard, Some(paste)).expect("few leaves");
            compared.comparison.expect("a comparison")
        };
        let paste = text_of(&plain, ": ").replace("e2e4: 20", "e2e4: 19").replace("g1f3: 20", "e2e5: 7");
        let comparison = compare(&paste);
        let found: Vec<_> = comparison
            .differences
            .iter()
            .map(|it| (it.uci.as_deref().unwrap_or_default(), it.ours, it.theirs))
            .collect();
        assert_eq!(found, [("e2e5", None, Some(7)), ("g1f3", Some(20), None), ("e2e4", Some(20), Some(19))]);
        assert!(comparison.differences[1].text.starts_with("missing g1f3: a move of the knight"));
        assert_eq!((comparison.equal, comparison.problem), (18, None));

        // A total that is not the sum.
        let comparison = compare(&format!("{}\ntotal 401", text_of(&plain, ": ")));
        assert_eq!(comparison.equal, 20);
        assert_eq!(
            (comparison.differences[0].ours, comparison.differences[0].theirs),
            (Some(400), Some(401))
        );
    }

    #[test]
    fn a_paste_that_cannot_be_read_is_a_problem() {
        for paste in ["hello", "e2e4: many", "a2a3 20\ne2e4: 3 4", "e2e4: 99999999999999999999"] {
            let compared = divide(&Position::start(), 1, CastlingMode::Standard, Some(paste));
            let comparison = compared.and_then(|it| it.comparison).expect(paste);
            assert!(comparison.problem.is_some() && comparison.differences.is_empty(), "{paste}");
        }
    }
}
