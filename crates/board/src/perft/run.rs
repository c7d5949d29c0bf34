//! The perft runner: several threads, a table, progress, a stop signal, counts by root move.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::table::{Slot, Table};
use super::{KindCounts, kinds, tree, walk};
use crate::movegen::for_side_to_move;
use crate::movegen::placement::Placement;
use crate::movegen::side::{Black, Side, White};
use crate::{Color, Move, Position};

/// Subtrees up to this depth are counted without a look at the stop signal; they take a few milliseconds.
const UNSTOPPABLE_DEPTH: u32 = 4;

/// A perft with all its options: build it up, then call [`count`](Run::count) or [`divide`](Run::divide).
///
/// ```
/// use ferz_board::{perft, Position};
///
/// let position = Position::start();
/// let table = perft::Table::new(16).expect("16 MiB of memory");
/// let counts = perft::Run::new(&position, 5).threads(2).table(&table).divide().expect("not stopped");
/// assert_eq!(counts.total, 4_865_609);
/// assert_eq!(counts.by_move.len(), 20);
/// ```
///
/// A run can be watched, and stopped from another thread:
///
/// ```
/// use ferz_board::{perft, Position};
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// let position = Position::start();
/// let stop = AtomicBool::new(false);
/// let mut watch = |now: perft::Progress| stop.store(now.nodes > 100_000, Ordering::Relaxed);
/// let run = perft::Run::new(&position, 9).on_progress(&mut watch);
/// assert_eq!(run.stop_when(&|| stop.load(Ordering::Relaxed)).count(), None);
/// ```
pub struct Run<'a> {
    position: &'a Position,
    depth: u32,
    counter: Counter<'a>,
    #[cfg_attr(not(feature = "std"), allow(dead_code))]
    threads: usize,
    on_progress: Option<&'a mut (dyn FnMut(Progress) + Send)>,
}

/// The result of [`Run::divide`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    /// The number of leaves below each legal move, in the order of [`Position::legal_moves`]; empty at depth 0.
    pub by_move: Vec<(Move, u64)>,
    /// The number of leaves in all. [`u64::MAX`] stands for that many or more, here and above.
    pub total: u64,
}

/// How far a [`Run`] has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// The number of subtrees the work was split into.
    pub subtrees: usize,
    /// The number of subtrees counted so far.
    pub done: usize,
    /// The number of leaves in them.
    pub nodes: u64,
}

impl Progress {
    /// The share of subtrees counted so far, from 0 to 100.
    #[must_use]
    pub fn percent(&self) -> usize {
        (100 * self.done).checked_div(self.subtrees).unwrap_or(0)
    }
}

impl<'a> Run<'a> {
    /// A perft of this depth on one thread, by the fastest method of this build.
    #[must_use]
    pub fn new(position: &'a Position, depth: u32) -> Run<'a> {
        let counter = Counter { walks: false, table: None, stop: &|| false };
        Run { position, depth, counter, threads: 1, on_progress: None }
    }

    /// Counts on this many threads, the calling thread included. If the system refuses some of them, the
    /// others do their work. A panic in a thread is passed on to the caller.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn threads(self, threads: usize) -> Run<'a> {
        Run { threads, ..self }
    }

    /// Looks counts of subtrees up in a table, and stores them there.
    #[cfg(target_has_atomic = "64")]
    #[must_use]
    pub fn table(self, table: &'a Table) -> Run<'a> {
        Run { counter: Counter { walks: false, table: Some(table), ..self.counter }, ..self }
    }

    /// Makes every move, those of the last ply included, as [`perft::walk`](walk) does, and uses no table.
    #[must_use]
    pub fn walk(self) -> Run<'a> {
        Run { counter: Counter { walks: true, table: None, ..self.counter }, ..self }
    }

    /// Stops as soon as this returns true; it is called every few milliseconds, by all threads.
    #[must_use]
    pub fn stop_when(self, stop: &'a (dyn Fn() -> bool + Sync)) -> Run<'a> {
        Run { counter: Counter { stop, ..self.counter }, ..self }
    }

    /// Calls this after every subtree, from whichever thread has counted it.
    #[must_use]
    pub fn on_progress(self, report: &'a mut (dyn FnMut(Progress) + Send)) -> Run<'a> {
        Run { on_progress: Some(report), ..self }
    }

    /// The number of leaves, [`u64::MAX`] for that many or more; `None` if the run was stopped.
    #[must_use]
    pub fn count(self) -> Option<u64> {
        self.divide().map(|counts| counts.total)
    }

    /// The number of leaves below each legal move, and in all; `None` if the run was stopped.
    #[must_use]
    pub fn divide(self) -> Option<Counts> {
        if self.depth == 0 {
            return Some(Counts { by_move: Vec::new(), total: 1 });
        }
        let moves = self.position.legal_moves();
        let subtrees = split(self.position, self.depth);
        let mut by_move = vec![0_u64; moves.len()];
        let mut totals = Totals::new(&subtrees, self.on_progress);
        let counter = self.counter;
        count_subtrees(
            &subtrees,
            self.threads,
            |subtree| counter.count(&subtree.position, subtree.depth),
            |root, leaves| {
                by_move[root] = by_move[root].saturating_add(leaves);
                totals.add(leaves);
            },
        )?;
        let by_move = moves.iter().copied().zip(by_move).collect();
        Some(Counts { by_move, total: totals.progress.nodes })
    }

    /// The leaves by the kind of the last move, as [`perft::kinds`](kinds) counts them; `None` if the run was stopped. No
    /// table is used.
    #[must_use]
    pub fn kinds(self) -> Option<KindCounts> {
        // Below depth 2 a subtree would not contain the last move.
        if self.depth < 2 {
            return Some(kinds(self.position, self.depth));
        }
        let subtrees = split(self.position, self.depth);
        let mut sum = KindCounts::default();
        let mut totals = Totals::new(&subtrees, self.on_progress);
        let counter = self.counter;
        count_subtrees(
            &subtrees,
            self.threads,
            |subtree| counter.kinds(&subtree.position, subtree.depth),
            |_, counts: KindCounts| {
                sum += counts;
                totals.add(counts.nodes);
            },
        )?;
        Some(sum)
    }
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("position", self.position)
            .field("depth", &self.depth)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// A part of the tree.
struct Subtree {
    position: Position,
    depth: u32,
    /// The root move it belongs to, as its index among the legal moves.
    root: usize,
}

/// Subtrees one ply down, or two where that is worth it: enough of them to keep all threads busy to the end
/// and to show progress.
fn split(position: &Position, depth: u32) -> Vec<Subtree> {
    let mut subtrees = Vec::new();
    for (root, position) in children(position).into_iter().enumerate() {
        if depth < 4 {
            subtrees.push(Subtree { position, depth: depth - 1, root });
        } else {
            let replies = children(&position).into_iter();
            subtrees.extend(replies.map(|position| Subtree { position, depth: depth - 2, root }));
        }
    }
    subtrees
}

/// The positions after each legal move. A list, because the code of a sink would come to much for these few nodes.
#[inline(never)]
fn children(position: &Position) -> Vec<Position> {
    let play = |mv| {
        let mut child = *position;
        child.play_unchecked(mv);
        child
    };
    position.legal_moves().into_iter().map(play).collect()
}

/// What has been counted so far.
struct Totals<'a> {
    progress: Progress,
    on_progress: Option<&'a mut (dyn FnMut(Progress) + Send)>,
}

impl<'a> Totals<'a> {
    fn new(subtrees: &[Subtree], on_progress: Option<&'a mut (dyn FnMut(Progress) + Send)>) -> Totals<'a> {
        Totals { progress: Progress { subtrees: subtrees.len(), ..Progress::default() }, on_progress }
    }

    /// Counts one more subtree.
    fn add(&mut self, leaves: u64) {
        self.progress.nodes = self.progress.nodes.saturating_add(leaves);
        self.progress.done += 1;
        if let Some(report) = &mut self.on_progress {
            report(self.progress);
        }
    }
}

/// Counts all subtrees and adds each result, with the root move it belongs to; `None` if that was stopped.
#[cfg(feature = "std")]
fn count_subtrees<T>(
    subtrees: &[Subtree],
    threads: usize,
    count: impl Fn(&Subtree) -> Option<T> + Sync,
    add: impl FnMut(usize, T) + Send,
) -> Option<()> {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::{panic, thread};

    let next = AtomicUsize::new(0);
    let add = Mutex::new(add);
    let work = || {
        while let Some(subtree) = subtrees.get(next.fetch_add(1, Relaxed)) {
            let leaves = count(subtree)?;
            // Poisoned by another thread that panicked: its panic ends the run.
            let mut add = add.lock().ok()?;
            (*add)(subtree.root, leaves);
        }
        Some(())
    };
    thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let helpers: Vec<_> = (1..threads.min(subtrees.len())).map_while(spawn).collect();
        helpers.into_iter().fold(work(), |finished, helper| {
            finished.and(helper.join().unwrap_or_else(|payload| panic::resume_unwind(payload)))
        })
    })
}

/// Counts all subtrees; `None` if that was stopped.
#[cfg(not(feature = "std"))]
fn count_subtrees<T>(
    subtrees: &[Subtree],
    _: usize,
    count: impl Fn(&Subtree) -> Option<T>,
    mut add: impl FnMut(usize, T),
) -> Option<()> {
    for subtree in subtrees {
        add(subtree.root, count(subtree)?);
    }
    Some(())
}

/// Counts single subtrees.
#[derive(Clone, Copy)]
struct Counter<'a> {
    /// Whether the last ply is made, too.
    walks: bool,
    table: Option<&'a Table>,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl Counter<'_> {
    /// The leaves by kind; `None` if the count was stopped.
    fn kinds(&self, position: &Position, depth: u32) -> Option<KindCounts> {
        if (self.stop)() {
            return None;
        }
        if depth <= UNSTOPPABLE_DEPTH {
            return Some(kinds(position, depth));
        }
        children(position).iter().try_fold(KindCounts::default(), |mut sum, child| {
            sum += self.kinds(child, depth - 1)?;
            Some(sum)
        })
    }

    /// The number of leaves; `None` if the count was stopped.
    fn count(&self, position: &Position, depth: u32) -> Option<u64> {
        if (self.stop)() {
            return None;
        }
        if depth <= UNSTOPPABLE_DEPTH {
            return Some(if self.walks {
                walk(position, depth)
            } else {
                tree::count_fastest(position, depth, self.table)
            });
        }
        let slot = self.table.map(|table| {
            for_side_to_move!(position, S => table.slot(&Placement::of::<S>(position), S::COLOR, depth))
        });
        if let Some(leaves) = slot.as_ref().and_then(Slot::get) {
            return Some(leaves);
        }
        let mut leaves = 0u64;
        for child in children(position) {
            leaves = leaves.saturating_add(self.count(&child, depth - 1)?);
        }
        if let Some(slot) = slot {
            slot.set(leaves);
        }
        Some(leaves)
    }
}
