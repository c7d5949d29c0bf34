//! Perft by root move (divide), and the comparison with the divide of a different program.

use std::collections::BTreeMap;

use ferz_board::{CastlingMode, Position, perft};
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
    missing: Vec<CountDifference>,
    extra: Vec<CountDifference>,
    different: Vec<CountDifference>,
    unread: Vec<usize>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct CountDifference {
    uci: String,
    ours: Option<u64>,
    theirs: Option<u64>,
}

/// Counts the leaves below each legal move, and compares them with a pasted divide. `None` if there are too many leaves.
pub fn divide(position: &Position, depth: u32, mode: CastlingMode, paste: Option<&str>) -> Option<Divide> {
    let mut budget = MAX_LEAVES;
    let mut moves = Vec::new();
    for &mv in &position.legal_moves() {
        let mut child = *position;
        child.play_unchecked(mv);
        moves.push(DivideMove {
            uci: mv.uci(mode).to_string(),
            san: San::new(position, mv).to_string(),
            count: count(&child, depth.saturating_sub(1), &mut budget)?,
        });
    }
    moves.sort_by(|a, b| a.uci.cmp(&b.uci));
    let comparison = paste.map(|paste| compare(position, mode, &moves, paste));
    Some(Divide { depth, total: moves.iter().map(|mv| mv.count).sum(), moves, comparison })
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

fn compare(position: &Position, mode: CastlingMode, ours: &[DivideMove], paste: &str) -> Comparison {
    let mut comparison = Comparison::default();
    let mut theirs = BTreeMap::new();
    for (index, line) in paste.lines().enumerate() {
        match read_line(line) {
            Line::Count(uci, count) => {
                // Both ways to write castling mean the same move.
                let uci = position.parse_uci(&uci).map_or(uci, |mv| mv.uci(mode).to_string());
                if theirs.insert(uci, count).is_some() {
                    comparison.unread.push(index + 1);
                }
            }
            Line::Nothing => {}
            Line::Unread => comparison.unread.push(index + 1),
        }
    }
    for DivideMove { uci, count, .. } in ours {
        let found = theirs.remove(uci);
        let entry = || CountDifference { uci: uci.clone(), ours: Some(*count), theirs: found };
        match found {
            None => comparison.missing.push(entry()),
            Some(found) if found != *count => comparison.different.push(entry()),
            Some(_) => comparison.equal += 1,
        }
    }
    let extra =
        theirs.into_iter().map(|(uci, count)| CountDifference { uci, ours: None, theirs: Some(count) });
    comparison.extra = extra.collect();
    comparison
}

#[derive(PartialEq, Eq, Debug)]
enum Line {
    /// A move and its leaves.
    Count(String, u64),
    /// Empty, or a sum.
    Nothing,
    Unread,
}

/// Reads `e2e4: 20`, `e2e4 20` or `e2e4 - 20`. A line that has words and one number at its end is a sum.
fn read_line(line: &str) -> Line {
    let line = line.trim().to_ascii_lowercase();
    let word_end = line.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(line.len());
    let (word, rest) = line.split_at(word_end);
    if !is_move(word) {
        let words = line.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let is_sum = words.len() < line.len() && !words.contains(|letter: char| letter.is_ascii_digit());
        return if is_sum || line.is_empty() { Line::Nothing } else { Line::Unread };
    }
    match rest.trim_start_matches([' ', '\t', ':', '-', '=', '|']).parse() {
        Ok(count) if count < MAX_EXACT => Line::Count(word.to_owned(), count),
        _ => Line::Unread,
    }
}

/// Whether a word has the form of a move in UCI notation, legal or not.
fn is_move(word: &str) -> bool {
    let square = |file: u8, rank: u8| (b'a'..=b'h').contains(&file) && (b'1'..=b'8').contains(&rank);
    match *word.as_bytes() {
        [a, b, c, d] => square(a, b) && square(c, d),
        [a, b, c, d, piece] => square(a, b) && square(c, d) && b"nbrqkp".contains(&piece),
        _ => false,
    }
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
        for separator in [": ", " ", " - ", " = ", ":\t"] {
            let paste = format!("{}\nNodes searched: {}\n", text_of(&plain, separator), plain.total);
            let compared = divide(&position, 2, CastlingMode::Standard, Some(&paste)).expect("few leaves");
            let expected = Comparison { equal: plain.moves.len(), ..Comparison::default() };
            assert_eq!(compared.comparison, Some(expected), "{separator:?}");
        }
        // Chess960 engines write castling as king takes rook.
        let paste = text_of(&plain, ": ").replace("e1g1", "e1h1").replace("e1c1", "e1a1");
        let compared = divide(&position, 2, CastlingMode::Standard, Some(&paste)).expect("few leaves");
        assert_eq!(compared.comparison.map(|it| it.equal), Some(plain.moves.len()));
    }

    #[test]
    fn differences_are_named() {
        let position = Position::start();
        let plain = divide(&position, 2, CastlingMode::Standard, None).expect("few leaves");
        let paste =
            text_of(&plain, ": ").replace("e2e4: 20", "e2e4: 19").replace("g1f3: 20", "e2e5: 7\nnonsense");
        let compared = divide(&position, 2, CastlingMode::Standard, Some(&paste)).expect("few leaves");
        let comparison = compared.comparison.expect("a comparison");
        let entry = |uci: &str, ours, theirs| vec![CountDifference { uci: uci.to_owned(), ours, theirs }];
        assert_eq!(comparison.missing, entry("g1f3", Some(20), None));
        assert_eq!(comparison.extra, entry("e2e5", None, Some(7)));
        assert_eq!(comparison.different, entry("e2e4", Some(20), Some(19)));
        assert_eq!((comparison.equal, comparison.unread.len()), (18, 1));
    }

    #[test]
    fn lines_that_are_no_counts_are_reported() {
        for line in ["e2e4", "e2e4: many", "e2e4: 3 4", "e2e4: 99999999999999999999", "hello", "e9e4 20"] {
            assert_eq!(read_line(line), Line::Unread, "{line}");
        }
        for line in ["", "  ", "20", "Total: 20", "Nodes searched: 8902", "total=20"] {
            assert_eq!(read_line(line), Line::Nothing, "{line}");
        }
        assert_eq!(read_line("a7a8q - 3"), Line::Count("a7a8q".to_owned(), 3));
    }
}
