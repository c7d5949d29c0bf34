//! Comparing the divide of another program with ours, down to the first move that is wrong.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use super::{Counts, Run};
use crate::{IllegalReason, Move, MoveKind, Piece, PieceType, Position, UciError, UciMove};

/// The divide of a program: the number of leaves below each move.
///
/// It is read from what programs print: a move and a number in each line, with any of `:`, `-` and `=` or nothing between
/// them, and perhaps the total in a line of its own. Other lines are ignored.
///
/// ```
/// use ferz_board::perft::Divide;
/// let divide: Divide = "e2e4: 20\nd2d4 - 20\ng1f3 20\n\nNodes searched: 60".parse()?;
/// assert_eq!((divide.by_move.len(), divide.total), (3, Some(60)));
/// # Ok::<(), ferz_board::perft::DivideError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Divide {
    /// The moves as the program wrote them, with their numbers.
    pub by_move: Vec<(UciMove, u64)>,
    /// The number of leaves in all, if the program gave it.
    pub total: Option<u64>,
}

/// The error of reading a [`Divide`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DivideError {
    /// There is neither a move with a number nor a total.
    Empty,
    /// A line has a move and then something else than one number; lines are counted from 1.
    Line(usize),
}

impl fmt::Display for DivideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DivideError::Empty => f.write_str("no line with a move and a count, such as \"e2e4: 20\""),
            DivideError::Line(line) => write!(f, "line {line}: expected one count after the move"),
        }
    }
}

impl core::error::Error for DivideError {}

impl FromStr for Divide {
    type Err = DivideError;

    fn from_str(text: &str) -> Result<Divide, DivideError> {
        let mut divide = Divide::default();
        for (number, line) in (1..).zip(text.lines()) {
            let is_separator = |c: char| c.is_whitespace() || matches!(c, ':' | '=' | '|' | '\u{feff}');
            let is_word = |word: &&str| !matches!(*word, "" | "-" | "–" | "->");
            let mut words = line.split(is_separator).filter(is_word);
            let Some(first) = words.next() else { continue };
            if let Ok(mv) = first.to_ascii_lowercase().parse() {
                let count = words.next().and_then(parse_count).filter(|_| words.next().is_none());
                divide.by_move.push((mv, count.ok_or(DivideError::Line(number))?));
            } else if let Some(total) = parse_total(first, words) {
                divide.total = Some(total);
            }
        }
        if divide.by_move.is_empty() && divide.total.is_none() { Err(DivideError::Empty) } else { Ok(divide) }
    }
}

/// A number, perhaps with separators: `4865609`, `4,865,609`.
fn parse_count(word: &str) -> Option<u64> {
    let digits: String = word.chars().filter(|c| !matches!(c, ',' | '_' | '\'')).collect();
    digits.parse().ok()
}

/// The total in `400`, `Total: 400`, `Nodes searched: 400` or `nodes 400 time 1`.
fn parse_total<'a>(first: &'a str, rest: impl Iterator<Item = &'a str>) -> Option<u64> {
    let mut names_total = parse_count(first).is_some();
    for word in core::iter::once(first).chain(rest) {
        if let Some(count) = parse_count(word) {
            return names_total.then_some(count);
        }
        match word.to_ascii_lowercase().trim_matches(|c: char| !c.is_ascii_alphabetic()) {
            "total" | "nodes" | "leaves" => names_total = true,
            "time" | "depth" | "moves" | "nps" | "ms" => return None,
            _ => {}
        }
    }
    None
}

/// A difference between a divide and ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Difference {
    /// A move that is not legal.
    Extra {
        /// The move as it was written.
        mv: UciMove,
        /// Why it is not legal.
        reason: IllegalReason,
    },
    /// A legal move that is missing.
    Missing(Move),
    /// A legal move that is listed more than once.
    Repeated(Move),
    /// The numbers of leaves below a move differ.
    Count {
        /// The move.
        mv: Move,
        /// Our number.
        ours: u64,
        /// Theirs.
        theirs: u64,
    },
    /// All moves agree, but the total does not.
    Total {
        /// Our number.
        ours: u64,
        /// Theirs.
        theirs: u64,
    },
}

impl Difference {
    /// Whether it is a wrong move of this position, not of a later one.
    #[must_use]
    pub const fn is_here(&self) -> bool {
        !matches!(self, Difference::Count { .. })
    }

    /// The difference in words: the move, its kind and the rule.
    ///
    /// ```
    /// use ferz_board::{perft, Position};
    /// let position = Position::from_fen("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")?;
    /// let ours = perft::Run::new(&position, 1).divide().expect("not stopped");
    /// let theirs: perft::Divide = "e5e6 1\ne1d1 1\ne1d2 1\ne1e2 1\ne1f2 1\ne1f1 1\ne1g1 1".parse()?;
    /// let differences = perft::compare(&position, &ours, &theirs);
    /// let texts: Vec<_> = differences.iter().map(|it| it.explain(&position)).collect();
    /// assert_eq!(texts[0], "extra e1g1: there is no rook to castle with on the king's side");
    /// assert_eq!(
    ///     texts[1],
    ///     "missing e5d6: an en-passant capture. A pawn may capture the pawn that has just passed it with a double step"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn explain(&self, position: &Position) -> String {
        let uci = |mv: Move| mv.uci(position.castling_mode());
        match *self {
            Difference::Extra { mv, reason } => format!("extra {mv}: {reason}"),
            Difference::Missing(mv) => {
                let (kind, rule) = kind_and_rule(position, mv);
                format!("missing {}: {kind}. {rule}", uci(mv))
            }
            Difference::Repeated(mv) => format!("repeated {}: {}", uci(mv), kind_and_rule(position, mv).0),
            Difference::Count { mv, ours, theirs } => {
                format!("below {}: {theirs} leaves instead of {ours}", uci(mv))
            }
            Difference::Total { ours, theirs } => {
                format!("the total is {theirs} instead of {ours}, although all moves agree")
            }
        }
    }
}

/// What a legal move is, and the rule that allows it.
fn kind_and_rule(position: &Position, mv: Move) -> (String, &'static str) {
    let piece_type = position.piece_at(mv.from()).map_or(PieceType::Pawn, Piece::piece_type);
    let captures = position.captured(mv).is_some();
    let us = position.side_to_move();
    let kind = match mv.kind() {
        MoveKind::EnPassant => String::from("an en-passant capture"),
        MoveKind::Castling => String::from("castling"),
        MoveKind::DoubleStep => String::from("a double step"),
        MoveKind::Promotion(piece_type) if captures => format!("a capture and promotion to a {piece_type}"),
        MoveKind::Promotion(piece_type) => format!("a promotion to a {piece_type}"),
        MoveKind::Normal if captures => format!("a capture by the {piece_type} on {}", mv.from()),
        MoveKind::Normal => format!("a move of the {piece_type} on {}", mv.from()),
    };
    let rule = match mv.kind() {
        MoveKind::EnPassant => "A pawn may capture the pawn that has just passed it with a double step",
        MoveKind::Castling => {
            "Neither king nor rook has moved, nothing is between them, and the king crosses no attacked square"
        }
        MoveKind::Promotion(_) => "A pawn on the last rank becomes a queen, rook, bishop or knight",
        _ if position.is_check() => "It answers the check",
        MoveKind::DoubleStep => "A pawn on its first rank may advance two squares if both are empty",
        _ if position.pinned(us).contains(mv.from()) => "A pinned piece may move along the line of the pin",
        MoveKind::Normal if captures => "The target is an enemy piece within reach",
        MoveKind::Normal => "The way is free",
    };
    (kind, rule)
}

/// The differences between a divide of another program and ours of the same position and depth: wrong moves first.
#[must_use]
pub fn compare(position: &Position, ours: &Counts, theirs: &Divide) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut counts = vec![None; ours.by_move.len()];
    let mut repeated = Vec::new();
    for &(uci, count) in &theirs.by_move {
        match uci.to_move(position) {
            Err(UciError::Illegal { mv, reason }) => differences.push(Difference::Extra { mv, reason }),
            // Moves that were read have no error of syntax.
            Err(UciError::Syntax(_)) => {}
            Ok(mv) => {
                let Some(place) = ours.by_move.iter().position(|&(our, _)| our == mv) else { continue };
                if counts[place].replace(count).is_some() {
                    repeated.push(Difference::Repeated(mv));
                }
            }
        }
    }
    let listed = ours.by_move.iter().zip(&counts);
    let missing =
        |((mv, _), count): (&(Move, u64), &Option<u64>)| count.is_none().then_some(Difference::Missing(*mv));
    differences.extend(listed.clone().filter_map(missing));
    differences.append(&mut repeated);
    differences.extend(listed.filter_map(|(&(mv, ours), &theirs)| {
        let theirs = theirs.filter(|&theirs| theirs != ours)?;
        Some(Difference::Count { mv, ours, theirs })
    }));
    if let Some(total) = theirs.total.filter(|&total| total != ours.total && differences.is_empty()) {
        differences.push(Difference::Total { ours: ours.total, theirs: total });
    }
    differences
}

/// Where a program first differs; found by [`find_difference`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FirstDifference {
    /// The moves from the root to the position.
    pub moves: Vec<Move>,
    /// The position in which the program is wrong.
    pub position: Position,
    /// The depth of the divide that differs.
    pub depth: u32,
    /// The differences. Empty if the program is right here and was wrong one ply before: it does not take moves back
    /// completely, or its hash table is wrong.
    pub differences: Vec<Difference>,
}

/// Compares another program with this library at depths from 1 to `depth`, and walks down to the first position whose
/// moves are wrong; `None` if there is none.
///
/// `ask` gets the moves from the root and the depth, and returns the program's divide of the position after them.
///
/// ```
/// use ferz_board::{perft, Position};
/// // A program that knows no en passant.
/// let position = Position::start();
/// let found = perft::find_difference(&position, 5, |moves, depth| -> Result<perft::Divide, ()> {
///     let mut here = position;
///     moves.iter().for_each(|&mv| here.play_unchecked(mv));
///     fn count(position: &Position, depth: u32) -> u64 {
///         let mut leaves = u64::from(depth == 0);
///         if depth > 0 {
///             position.for_each_child(|mv, child| {
///                 leaves += if mv.is_en_passant() { 0 } else { count(child, depth - 1) };
///             });
///         }
///         leaves
///     }
///     let mut by_move = Vec::new();
///     here.for_each_child(|mv, child| {
///         if !mv.is_en_passant() {
///             by_move.push((mv.uci(here.castling_mode()), count(child, depth - 1)));
///         }
///     });
///     Ok(perft::Divide { by_move, total: None })
/// });
/// let found = found.unwrap().expect("the 258 captures en passant");
/// assert_eq!((found.moves.len(), found.depth), (4, 1));
/// assert!(found.differences[0].explain(&found.position).contains("en-passant capture"));
/// ```
pub fn find_difference<E>(
    root: &Position,
    depth: u32,
    mut ask: impl FnMut(&[Move], u32) -> Result<Divide, E>,
) -> Result<Option<FirstDifference>, E> {
    // Shallow depths first: they are quick, and most mistakes show there.
    for depth in 1..=depth {
        let mut found =
            FirstDifference { moves: Vec::new(), position: *root, depth, differences: Vec::new() };
        // Nothing stops our own count.
        while let Some(ours) = Run::new(&found.position, found.depth).divide() {
            let theirs = ask(&found.moves, found.depth)?;
            found.differences = compare(&found.position, &ours, &theirs);
            if found.differences.is_empty() && found.moves.is_empty() {
                break;
            }
            let smallest = found.differences.iter().filter_map(|difference| match *difference {
                Difference::Count { mv, ours, .. } => Some((ours, mv)),
                _ => None,
            });
            let next = smallest.min_by_key(|&(ours, _)| ours);
            let is_here = found.depth == 1 || found.differences.iter().any(Difference::is_here);
            let Some((_, mv)) = next.filter(|_| !is_here) else { return Ok(Some(found)) };
            found.position.play_unchecked(mv);
            found.moves.push(mv);
            found.depth -= 1;
        }
    }
    Ok(None)
}
