//! Dead positions: whether a colour can mate by any series of legal moves.

mod estimate;
mod mobility;
mod search;

use alloc::vec::Vec;

use crate::{Color, Move, Position};

/// A series of legal moves of both sides that ends with checkmate.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Helpmate {
    /// The side that gives mate.
    pub winner: Color,
    /// The moves; none if the position is a mate already. The series need not be the shortest.
    pub moves: Vec<Move>,
}

/// Whether a colour can mate by any series of legal moves; made by [`DeadPositionSearch::winnability`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum Winnability {
    /// It can, as the moves prove.
    Winnable(Helpmate),
    /// It cannot. This is proved, too.
    Unwinnable,
    /// The nodes were not enough to decide.
    Unknown,
}

/// Whether a position is dead; made by [`DeadPositionSearch::verdict`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum DeadPositionVerdict {
    /// Neither side can mate by any series of legal moves. This is proved.
    Dead,
    /// A side can mate, as the moves prove.
    Alive(Helpmate),
    /// The nodes were not enough to decide.
    Unknown,
}

impl DeadPositionVerdict {
    /// The name for programs, which never changes: `dead`, `alive` or `unknown`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            DeadPositionVerdict::Dead => "dead",
            DeadPositionVerdict::Alive(_) => "alive",
            DeadPositionVerdict::Unknown => "unknown",
        }
    }
}

/// Decides within a bounded effort whether a position is dead, and whether a side can win at all.
///
/// A position is dead if neither side can mate by any series of legal moves, however bad (Laws of Chess, article
/// 5.2.2). It is a draw at once. If one side cannot mate, it does not win when the other oversteps the time (article
/// 6.9). The clocks of the 50- and 75-move rules and repetitions do not count here.
///
/// Three methods work together: what the material alone [excludes](Position::cannot_mate), an analysis of the squares
/// that each man can ever reach, and a search for a helpmate. Every answer but `Unknown` is a proof.
///
/// ```
/// use ferz_board::{Color, DeadPositionSearch, DeadPositionVerdict, Position, Winnability};
///
/// let mut search = DeadPositionSearch::new();
/// // Nothing can ever pass the pawns.
/// let wall = Position::from_fen("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1")?;
/// assert_eq!(search.verdict(&wall), DeadPositionVerdict::Dead);
///
/// // A knight alone mates with the help of a pawn.
/// let position = Position::from_fen("7k/7p/8/8/8/8/8/5KN1 w - - 0 1")?;
/// let Winnability::Winnable(helpmate) = search.winnability(&position, Color::White) else { panic!() };
/// let mut end = position;
/// for mv in helpmate.moves {
///     end.play(mv)?;
/// }
/// assert!(end.is_checkmate());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "dead position")]
#[doc(alias = "unwinnable")]
pub struct DeadPositionSearch {
    limit: u64,
    searched: u64,
    /// Kept for its memory.
    tree: search::Tree,
}

impl DeadPositionSearch {
    /// The effort of a new search: nodes for each side.
    pub const DEFAULT_NODES: u64 = 10_000;

    /// The greatest effort. A node takes 256 bytes.
    pub const MAX_NODES: u64 = 1 << 20;

    /// A search with the [default effort](DeadPositionSearch::DEFAULT_NODES).
    #[must_use]
    pub fn new() -> DeadPositionSearch {
        DeadPositionSearch {
            limit: DeadPositionSearch::DEFAULT_NODES,
            searched: 0,
            tree: search::Tree::default(),
        }
    }

    /// Sets the effort: the number of different positions that may be visited for each side, at most
    /// [`MAX_NODES`](DeadPositionSearch::MAX_NODES).
    #[must_use]
    pub fn nodes(mut self, nodes: u64) -> DeadPositionSearch {
        self.limit = nodes.min(DeadPositionSearch::MAX_NODES);
        self
    }

    /// The number of nodes that the last question took.
    #[must_use]
    pub const fn searched(&self) -> u64 {
        self.searched
    }

    /// Whether this colour can mate by any series of legal moves.
    pub fn winnability(&mut self, position: &Position, winner: Color) -> Winnability {
        self.searched = 0;
        self.search(position, winner)
    }

    /// Whether this colour wins if the other one oversteps the time: unless it is proved that it cannot mate.
    #[must_use]
    pub fn wins_on_time(&mut self, position: &Position, winner: Color) -> bool {
        self.winnability(position, winner) != Winnability::Unwinnable
    }

    /// Whether the position is dead.
    pub fn verdict(&mut self, position: &Position) -> DeadPositionVerdict {
        self.searched = 0;
        // The side with more men is likely to have the quicker helpmate.
        let first = if position.by_color(Color::White).len() < position.by_color(Color::Black).len() {
            Color::Black
        } else {
            Color::White
        };
        let mut verdict = DeadPositionVerdict::Dead;
        for winner in [first, !first] {
            match self.search(position, winner) {
                Winnability::Winnable(helpmate) => return DeadPositionVerdict::Alive(helpmate),
                Winnability::Unwinnable => {}
                Winnability::Unknown => verdict = DeadPositionVerdict::Unknown,
            }
        }
        verdict
    }

    fn search(&mut self, position: &Position, winner: Color) -> Winnability {
        let (winnability, searched) = self.tree.search(position, winner, self.limit);
        self.searched += searched;
        winnability
    }
}

impl Default for DeadPositionSearch {
    fn default() -> DeadPositionSearch {
        DeadPositionSearch::new()
    }
}
