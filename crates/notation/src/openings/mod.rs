//! Names of openings, with the codes of the Encyclopaedia of Chess Openings (ECO).
//!
//! An opening is known by the position its line leads to, so it does not matter in which order the moves were
//! played. A game has the name of the last of its positions that has one.
//!
//! ```
//! use ferz_board::Position;
//! use ferz_notation::{openings, san};
//!
//! let mut position = Position::start();
//! for text in ["Nf3", "d5", "d4", "Nf6", "c4", "e6", "Nc3", "c6"] {
//!     position.play(san::parse(&position, text)?)?;
//! }
//! let opening = openings::lookup(&position).unwrap();
//! assert_eq!((opening.eco, opening.name), ("D43", "Semi-Slav Defence"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Borrow;
use std::collections::HashMap;
use std::sync::LazyLock;

use ferz_board::{Position, zobrist};

use crate::san;

/// A line that has a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Opening {
    /// The code, `A00` to `E99`.
    pub eco: &'static str,
    /// The name, e.g. `Sicilian Defence: Najdorf Variation`.
    pub name: &'static str,
    /// The moves from the start position in SAN, with blanks between them.
    pub moves: &'static str,
}

/// A line for each opening: code, name and moves, with tabs between them.
const LINES: &str = include_str!("openings.tsv");

/// Every position on one of the lines by its [key], with the opening whose line ends there.
static POSITIONS: LazyLock<HashMap<u64, Option<&'static Opening>>> = LazyLock::new(|| {
    let mut positions = HashMap::new();
    for opening in all() {
        let mut position = Position::start();
        for text in opening.moves.split(' ') {
            let mv = san::parse_lenient(&position, text).expect("the lines of the table are legal");
            position.play_unchecked(mv);
            positions.entry(key(&position)).or_insert(None);
        }
        positions.insert(key(&position), Some(opening));
    }
    positions
});

static OPENINGS: LazyLock<Vec<Opening>> = LazyLock::new(|| {
    let opening = |line: &'static str| {
        let mut fields = line.split('\t');
        let mut field = || fields.next().expect("a line of the table has three fields");
        Opening { eco: field(), name: field(), moves: field() }
    };
    LINES.lines().map(opening).collect()
});

/// All openings, in the order of their codes.
#[must_use]
pub fn all() -> &'static [Opening] {
    &OPENINGS
}

/// The opening whose line leads to this position, in any order of moves.
pub fn lookup(position: &Position) -> Option<&'static Opening> {
    POSITIONS.get(&key(position)).copied().flatten()
}

/// Whether the position occurs on the line of some opening, at its end or before.
pub fn contains(position: &Position) -> bool {
    POSITIONS.contains_key(&key(position))
}

/// The opening of a game: that of its last position which has one. Of a tree these are the positions of the main line:
/// variations may well go into other openings.
///
/// ```
/// use ferz_notation::{openings, pgn::GameTree};
///
/// let game: GameTree = "1. e4 c5 2. Nf3 h5 (2... d6 3. d4) 3. h4 *".parse()?;
/// let positions = game.main_line_positions().map(|(_, position)| position);
/// assert_eq!(openings::of_game(positions).map(|it| it.eco), Some("B27"));
/// # Ok::<(), ferz_notation::pgn::NoGame>(())
/// ```
pub fn of_game<P: Borrow<Position>>(positions: impl IntoIterator<Item = P>) -> Option<&'static Opening> {
    positions.into_iter().filter_map(|position| lookup(position.borrow())).last()
}

/// The key of a position without the right to capture en passant, which depends on the order of moves.
fn key(position: &Position) -> u64 {
    position.key() ^ position.en_passant().map_or(0, |square| zobrist::en_passant(square.file()))
}
