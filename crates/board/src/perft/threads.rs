//! Perft on several threads.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::vec::Vec;

use super::tree::{self, Fastest, Hashed};
use super::{Table, count};
use crate::Position;

/// The number of leaves at this depth, counted by several threads and with a table if one is given.
///
/// ```
/// use ferz_board::{perft, Position};
/// let threads = std::num::NonZeroUsize::new(2).unwrap();
/// assert_eq!(perft::count_in_parallel(&Position::start(), 5, threads, None), 4_865_609);
/// ```
pub fn count_in_parallel(
    position: &Position,
    depth: u32,
    threads: NonZeroUsize,
    table: Option<&Table>,
) -> u64 {
    let count_one = |position: &Position, depth: u32| match table {
        Some(table) => tree::count(position, depth, &Hashed(table)),
        None => tree::count(position, depth, &Fastest),
    };
    // The positions two plies down are many enough to be shared out evenly.
    if threads.get() == 1 || depth < 4 {
        return if depth < 4 { count(position, depth) } else { count_one(position, depth) };
    }
    let mut tasks = Vec::new();
    position.for_each_child(|_, child| child.for_each_child(|_, grandchild| tasks.push(*grandchild)));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut leaves = 0_u64;
        while let Some(task) = tasks.get(next.fetch_add(1, Relaxed)) {
            leaves = leaves.saturating_add(count_one(task, depth - 2));
        }
        leaves
    };
    std::thread::scope(|scope| {
        // Those that the system refuses are done without.
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        let helpers: Vec<_> = (1..threads.get()).map_while(start).collect();
        let own = work();
        // A helper that panicked passes its panic on.
        let counted = |helper: std::thread::ScopedJoinHandle<'_, u64>| {
            helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        helpers.into_iter().map(counted).fold(own, u64::saturating_add)
    })
}
