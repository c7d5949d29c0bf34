//! Iterative deepening: the whole search again and again, each time a ply deeper.

use std::cmp::Reverse;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use ferz_board::Move;

use crate::node::{Reporter, Root};
use crate::parameters::tuned;
use crate::value::{DRAW, INFINITE, MATE, MAX_PLY, Value, is_decisive, is_loss};
use crate::worker::{RootMove, Worker};
use crate::{Bound, Line, Report, wdl};

/// The value of a root move that has not been searched.
const UNKNOWN: Value = -INFINITE;
/// After this long, windows that fail and the moves being searched are worth a report.
const PATIENCE: Duration = Duration::from_secs(3);

impl Worker<'_> {
    /// Searches until something ends it. Returns the last depth that was completed.
    pub(crate) fn deepen(&mut self, mut report: Option<Reporter<'_>>) -> i32 {
        self.shared.parameters.install();
        let lines = self.shared.options.lines.clamp(1, self.root_moves.len());
        let deepest = self
            .shared
            .limits
            .depth
            .map_or(MAX_PLY as i32 - 1, |depth| depth.clamp(1, MAX_PLY as u32 - 1) as i32);
        let mut completed = 0;
        let mut difficulty = Difficulty::default();
        let mut finished = None;
        for depth in 1..=deepest {
            self.root_depth = depth;
            for root_move in &mut self.root_moves {
                root_move.previous = root_move.value;
                root_move.value = UNKNOWN;
            }
            for first in 0..lines {
                self.first_root_move = first;
                self.selective_depth = 0;
                self.narrow_down(&mut report);
                self.root_moves[..=first].sort_by_key(order);
                if self.stopped {
                    break;
                }
            }
            if self.stopped {
                break;
            }
            completed = depth;
            finished = Some(self.root_moves.clone());
            self.report_lines(lines, &mut report);
            if self.id == 0 && self.is_deep_enough(&mut difficulty) {
                break;
            }
        }
        // That the moves looked at so far lose does not prove that all do.
        if self.stopped
            && is_loss(self.root_moves[0].value)
            && let Some(finished) = finished
        {
            self.root_moves = finished;
            self.root_depth = completed;
        }
        self.first_root_move = 0;
        self.shared.nodes[self.id].store(self.nodes, Relaxed);
        if self.id == 0 {
            if self.stopped {
                self.report_lines(lines, &mut report);
            }
            if self.shared.must_go_on() && !self.shared.signals.is_stopped() {
                self.shared.signals.wait(!self.shared.limits.infinite);
            }
        }
        completed
    }

    /// One iteration, in a window around the value expected that grows until the value lies in it.
    fn narrow_down(&mut self, report: &mut Option<Reporter<'_>>) {
        let first = self.first_root_move;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut delta = tuned::window();
        if let Some(average) = self.root_moves[first].average
            && self.root_depth >= 4
        {
            delta += (average.abs().min(3000) * average.abs().min(3000)) / 12_000;
            delta += self.id as Value % 4;
            alpha = (average - delta).max(-INFINITE);
            beta = (average + delta).min(INFINITE);
        }
        let mut failed_high = 0;
        loop {
            let depth = (self.root_depth - failed_high).max(1);
            self.current_moves = self.id == 0 && self.shared.budget.elapsed() >= PATIENCE;
            let value = self.search::<Root>(0, alpha, beta, depth, false, report);
            self.root_moves[first..].sort_by_key(order);
            if self.stopped {
                return;
            }
            if value <= alpha && alpha > -INFINITE {
                beta = (alpha + beta) / 2;
                alpha = if is_decisive(value) { -INFINITE } else { (value - delta).max(-INFINITE) };
                failed_high = 0;
            } else if value >= beta && beta < INFINITE {
                beta = if is_decisive(value) { INFINITE } else { (value + delta).min(INFINITE) };
                failed_high += 1;
            } else {
                return;
            }
            delta += delta / 3 + 4;
            if self.current_moves {
                self.report_line(first, report);
            }
        }
    }

    /// Whether a limit that is looked at between iterations is reached.
    fn is_deep_enough(&mut self, difficulty: &mut Difficulty) -> bool {
        let shared = self.shared;
        let limits = shared.limits;
        difficulty.update(&self.root_moves, self.nodes);
        if shared.must_go_on() {
            return false;
        }
        let best = &self.root_moves[0];
        let mate_found = limits.mate.is_some_and(|moves| {
            is_decisive(best.value) && MATE - best.value.abs() <= (2 * moves.min(MAX_PLY as u32)) as Value
        });
        mate_found
            || limits.soft_nodes.is_some_and(|limit| shared.total_nodes().max(self.nodes) >= limit)
            || shared.budget.is_enough(if self.root_moves.len() == 1 { 0.05 } else { difficulty.factor() })
    }

    fn report_lines(&self, lines: usize, report: &mut Option<Reporter<'_>>) {
        (0..lines).for_each(|index| self.report_line(index, report));
    }

    fn report_line(&self, index: usize, report: &mut Option<Reporter<'_>>) {
        if let Some(report) = report {
            report(&Report::Line(self.line(index)));
        }
    }

    /// A root move as a line to be reported.
    pub(crate) fn line(&self, index: usize) -> Line {
        let root_move = &self.root_moves[index];
        // What the iteration that was broken off did not get to keeps its value from the one before; what no
        // iteration got to has none.
        let is_current = root_move.value != -INFINITE;
        let (value, depth) = match (root_move.value, root_move.previous) {
            (UNKNOWN, UNKNOWN) => (DRAW, 0),
            (UNKNOWN, previous) => (previous, self.root_depth - 1),
            (value, _) => (value, self.root_depth),
        };
        let position = &self.frame(0).position;
        let nodes = self.shared.nodes.iter().enumerate();
        let others: u64 = nodes.filter(|&(id, _)| id != self.id).map(|(_, nodes)| nodes.load(Relaxed)).sum();
        Line {
            depth: depth as u32,
            selective_depth: root_move.selective_depth as u32,
            rank: index + 1,
            score: wdl::score(value, position),
            bound: if is_current { root_move.bound } else { Bound::Exact },
            wdl: wdl::chances(value, position),
            nodes: self.nodes + others,
            hashfull: self.shared.table.hashfull(),
            cutoffs: self.cutoffs,
            tablebase_hits: 0,
            time: self.shared.budget.elapsed(),
            moves: self.playable(&root_move.line),
        }
    }

    /// A line up to the end of the game, if it comes to that.
    fn playable(&self, line: &[Move]) -> Vec<Move> {
        let mut position = self.frame(0).position;
        let mut keys = self.keys().to_vec();
        let mut moves = Vec::with_capacity(line.len());
        for &mv in line {
            if position.play(mv).is_err() {
                debug_assert!(false, "an illegal move in a line: {mv:?} in {position}");
                break;
            }
            moves.push(mv);
            let key = position.repetition_key();
            keys.push(key);
            let reach = usize::from(position.halfmove_clock()).min(keys.len() - 1);
            let times = keys[keys.len() - 1 - reach..].iter().filter(|&&it| it == key).count();
            if times >= 3 || position.halfmove_clock() >= 100 || position.outcome().is_some() {
                break;
            }
        }
        moves
    }
}

/// Best first; among moves that are not the best, as in the iteration before.
fn order(root_move: &RootMove) -> (Reverse<Value>, Reverse<Value>) {
    (Reverse(root_move.value), Reverse(root_move.previous))
}

/// How hard the move is, judged by how the search went.
#[derive(Debug, Default)]
struct Difficulty {
    best: Option<Move>,
    /// For how many iterations the best move has been the same.
    stable: u32,
    /// The values of the last iterations.
    values: Vec<Value>,
    /// The share of the nodes spent on the best move.
    share: f64,
}

impl Difficulty {
    fn update(&mut self, root_moves: &[RootMove], nodes: u64) {
        let best = &root_moves[0];
        self.stable = if self.best == Some(best.mv) { self.stable + 1 } else { 0 };
        self.best = Some(best.mv);
        self.values.push(best.value);
        self.share = best.nodes as f64 / nodes.max(1) as f64;
    }

    /// 1 is average.
    fn factor(&self) -> f64 {
        // One move took all the effort: there is nothing to choose.
        let effort = (2.15 - 1.55 * self.share).clamp(0.5, 2.0);
        let stability = 1.3 - 0.055 * f64::from(self.stable.min(10));
        // Bad news is worth more thought.
        let trend = match self.values[..] {
            [.., before, _, _, now] if !is_decisive(now) && !is_decisive(before) => {
                (1.0 + f64::from(before - now) / 120.0).clamp(0.8, 1.5)
            }
            _ => 1.0,
        };
        effort * stability * trend
    }
}
