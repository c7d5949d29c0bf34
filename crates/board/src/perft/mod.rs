//! Perft: counting the leaves of the tree of legal moves, the test of every move generator.
//!
//! ```
//! use ferz_board::{perft, Position};
//! assert_eq!(perft::count(&Position::start(), 4), 197_281);
//! ```

mod table;
mod tree;

#[cfg(feature = "std")]
mod threads;

pub use table::Table;
#[cfg(feature = "std")]
pub use threads::count_in_parallel;

use tree::{Fastest, Hashed, Portable};

use crate::{Move, Position};

/// The number of leaves at this depth. The last ply is counted, not played.
pub fn count(position: &Position, depth: u32) -> u64 {
    tree::count(position, depth, &Fastest)
}

/// The same without vector instructions: the code that runs on every processor.
pub fn count_portable(position: &Position, depth: u32) -> u64 {
    tree::count(position, depth, &Portable)
}

/// The same with a table of subtrees that were counted before; `u64::MAX` stands for that many or more.
pub fn count_hashed(position: &Position, depth: u32, table: &Table) -> u64 {
    tree::count(position, depth, &Hashed(table))
}

/// The number of leaves at this depth, each of them really played with piece list and keys: slower, and a
/// test of making moves.
pub fn walk(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut leaves = 0;
    position.for_each_child(|_, child| {
        leaves += if depth == 1 {
            u64::from(core::hint::black_box(child).key() != 0)
        } else {
            walk(child, depth - 1)
        };
    });
    leaves
}

/// The number of leaves below each legal move, in the order of [`Position::legal_moves`].
///
/// ```
/// use ferz_board::{perft, Position};
/// let sum: u64 = perft::divide(&Position::start(), 3).map(|(_, leaves)| leaves).sum();
/// assert_eq!(sum, 8_902);
/// ```
pub fn divide(position: &Position, depth: u32) -> impl Iterator<Item = (Move, u64)> {
    let position = *position;
    let moves = position.legal_moves();
    (0..if depth == 0 { 0 } else { moves.len() }).map(move |i| {
        let mut child = position;
        child.play_unchecked(moves[i]);
        (moves[i], count(&child, depth - 1))
    })
}
