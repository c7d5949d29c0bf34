//! Counting on several threads, by one of three methods, while somebody watches.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread;

use anyhow::{Context, Result};
use clap::{Args, value_parser};
use ferz_board::{Move, Position, perft};

/// How to count.
#[derive(Args)]
pub(super) struct CounterOptions {
    /// How many threads count
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=1024))]
    threads: u32,

    /// Remember counted subtrees in a table of this size
    #[arg(long, value_name = "MIB", value_parser = value_parser!(u32).range(1..))]
    hash: Option<u32>,

    /// Really play every move, the last ones too: slower, and a test of making moves
    #[arg(long, conflicts_with = "hash")]
    walk: bool,
}

impl CounterOptions {
    /// The counter that was asked for, if there is memory for it.
    pub(super) fn counter(&self) -> Result<Counter> {
        let method = match self.hash {
            _ if self.walk => Method::Walk,
            None => Method::Fastest,
            Some(mebibytes) => {
                let table = perft::Table::new(mebibytes as usize);
                Method::Hashed(table.with_context(|| format!("no memory for a table of {mebibytes} MiB"))?)
            }
        };
        Ok(Counter { method, threads: self.threads as usize })
    }
}

/// Counts leaves.
pub(super) struct Counter {
    method: Method,
    threads: usize,
}

enum Method {
    Fastest,
    Hashed(perft::Table),
    Walk,
}

/// A part of the tree.
struct Subtree {
    position: Position,
    depth: u32,
    /// The root move it belongs to, by its place among them.
    root: usize,
}

/// How far the counting has come.
#[derive(Default)]
pub(super) struct Tally {
    subtrees: AtomicUsize,
    done: AtomicUsize,
    nodes: AtomicU64,
}

impl Tally {
    /// The share of subtrees that are done.
    pub(super) fn percent(&self) -> usize {
        100 * self.done.load(Relaxed) / self.subtrees.load(Relaxed).max(1)
    }

    /// The nodes in them.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }
}

impl Counter {
    /// The number of leaves; `u64::MAX` if there are more than that.
    pub(super) fn count(&self, position: &Position, depth: u32) -> u64 {
        if depth == 0 { 1 } else { sum(&self.divide(position, depth, &Tally::default())) }
    }

    /// The number of leaves below each root move; none at depth 0.
    pub(super) fn divide(&self, position: &Position, depth: u32, tally: &Tally) -> Vec<(Move, u64)> {
        if depth == 0 {
            return Vec::new();
        }
        let moves = position.legal_moves();
        let subtrees = split(position, depth);
        tally.subtrees.store(subtrees.len(), Relaxed);

        let leaves: Vec<_> = moves.iter().map(|_| AtomicU64::new(0)).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(subtree) = subtrees.get(next.fetch_add(1, Relaxed)) {
                let counted = self.leaves(subtree);
                saturating_add(&leaves[subtree.root], counted);
                saturating_add(&tally.nodes, counted);
                tally.done.fetch_add(1, Relaxed);
            }
        };
        thread::scope(|scope| {
            // A thread that the system refuses is no harm: the others do its part.
            for _ in 1..self.threads.min(subtrees.len()) {
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        moves.iter().copied().zip(leaves.into_iter().map(AtomicU64::into_inner)).collect()
    }

    fn leaves(&self, subtree: &Subtree) -> u64 {
        match &self.method {
            Method::Fastest => perft::count(&subtree.position, subtree.depth),
            Method::Hashed(table) => perft::count_hashed(&subtree.position, subtree.depth, table),
            Method::Walk => perft::walk(&subtree.position, subtree.depth),
        }
    }
}

/// The sum of the counts; `u64::MAX` if it is higher.
pub(super) fn sum(by_move: &[(Move, u64)]) -> u64 {
    by_move.iter().fold(0, |sum, &(_, nodes)| sum.saturating_add(nodes))
}

/// Subtrees one ply down, or two where that is worth it: many enough to be shared out evenly and to show
/// progress.
fn split(position: &Position, depth: u32) -> Vec<Subtree> {
    let mut subtrees = Vec::new();
    for (root, &mv) in position.legal_moves().iter().enumerate() {
        let mut child = *position;
        child.play_unchecked(mv);
        if depth < 4 {
            subtrees.push(Subtree { position: child, depth: depth - 1, root });
        } else {
            child.for_each_child(|_, grandchild| {
                subtrees.push(Subtree { position: *grandchild, depth: depth - 2, root });
            });
        }
    }
    subtrees
}

fn saturating_add(sum: &AtomicU64, more: u64) {
    // The update never refuses.
    let _ = sum.fetch_update(Relaxed, Relaxed, |sum| Some(sum.saturating_add(more)));
}
