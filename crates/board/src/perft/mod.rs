//! Perft: counting the leaves of the tree of legal moves, the standard test of a move generator.
//!
//! [`count`] is the quick way. [`Run`] adds threads, a hash table, progress reports, a stop signal and counts by
//! root move. [`kinds`] counts captures, checks and other kinds of moves. [`compare`] and [`find_difference`] find the
//! first wrong move of another program.
//!
//! ```
//! use ferz_board::{perft, Position};
//! assert_eq!(perft::count(&Position::start(), 4), 197_281);
//! ```

mod divide;
mod kinds;
mod run;
#[cfg_attr(not(target_has_atomic = "64"), path = "no_table.rs")]
mod table;
mod tree;

pub use divide::{Difference, Divide, DivideError, FirstDifference, compare, find_difference};
pub use kinds::{KindCounts, kinds};
pub use run::{Counts, Progress, Run};
#[cfg(target_has_atomic = "64")]
pub use table::Table;

use tree::Baseline;

use crate::Position;

/// The number of leaves at this depth. The last ply is counted, not played.
#[must_use]
pub fn count(position: &Position, depth: u32) -> u64 {
    tree::count_fastest(position, depth, None)
}

/// The same as [`count`] without vector instructions: the code that runs on every processor.
#[must_use]
pub fn count_portable(position: &Position, depth: u32) -> u64 {
    tree::count(position, depth, Baseline, None)
}

/// The number of leaves at this depth, with every move made on a complete [`Position`], keys included: slower
/// than [`count`], and a test of making moves.
#[must_use]
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
