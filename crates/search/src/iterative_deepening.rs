//! Iterative deepening: the whole search again and again, each time a ply deeper.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use ferz_board::Move;

use crate::root_move::RootMove;
use crate::time_management::TimeScale;
use crate::tt::{TT_CUTOFF_CLOCK_LIMIT, TtEntry, tt_key};
use crate::value::{MATE, MAX_PLY, Value, is_decisive, is_loss, is_mate};
use crate::worker::Worker;
use crate::{Bound, Line, Report, wdl};

/// A single legal move takes this part of the usual time: only the value is wanted.
const SINGLE_MOVE_SCALE: f64 = 0.05;

/// In the first moments of a search, endgame tables complete no lines but those of its result.
const COMPLETE_AFTER: Duration = Duration::from_millis(50);
/// Completing lines takes at most about one in this number of parts of a search.
const COMPLETION_SHARE: u32 = 8;
/// The time for a line that endgame tables complete, in a search that is not limited by time. Files may be slow.
const COMPLETION_TIME: Duration = Duration::from_millis(100);

impl Worker<'_> {
    /// Searches until a limit or a signal ends the search. Returns the depth of the last complete iteration.
    pub(crate) fn iterative_deepening(&mut self) -> i32 {
        self.shared.parameters.install();
        let lines = self.shared.options.lines.clamp(1, self.root_moves.len());
        let max_depth = self
            .shared
            .limits
            .depth
            .map_or(MAX_PLY as i32 - 1, |depth| depth.clamp(1, MAX_PLY as u32 - 1) as i32);
        let mut completed = 0;
        let mut scale = self.shared.time.scale();
        // The root moves of the last complete iteration.
        let mut complete = Vec::new();
        for depth in 1..=max_depth {
            self.root_depth = depth;
            self.root_moves.iter_mut().for_each(RootMove::begin_iteration);
            // MultiPV: each line is searched without the moves of the better ones.
            for first in 0..lines {
                self.first_root_move = first;
                self.end_root_move = self.end_of_rank(first);
                self.selective_depth = 0;
                self.aspiration_window();
                self.root_moves[..=first].sort_by_key(RootMove::order);
                if self.stopped {
                    break;
                }
            }
            if self.stopped {
                break;
            }
            completed = depth;
            complete.clone_from(&self.root_moves);
            self.report_lines(lines);
            if self.id == 0 && self.is_iteration_last(&mut scale) {
                break;
            }
        }
        // A partial iteration may use its best move so far, but not a loss: that the moves searched so far lose does
        // not prove that all do.
        if self.stopped && self.root_moves[0].value.is_none_or(is_loss) && !complete.is_empty() {
            self.root_moves = complete;
            self.root_depth = completed;
        }
        self.first_root_move = 0;
        let adopted = self.adopt_proven_mate();
        self.report_table_problems();
        self.shared.nodes[self.id].store(self.nodes, Relaxed);
        if self.id == 0 {
            if self.stopped || adopted {
                self.report_lines(lines);
            }
            if self.shared.is_open_ended() && !self.shared.signals.is_stopped() {
                self.shared.signals.wait_for_end(self.shared.host, !self.shared.limits.infinite);
            }
        }
        completed
    }

    /// Chooses a move that mates by a proof in the TT, if the search found nothing as good: an announced mate is carried
    /// out, even if a short search does not find it again. Returns whether there was one.
    fn adopt_proven_mate(&mut self) -> bool {
        let best = &self.root_moves[0];
        let (rank, found) = (best.rank, best.last_value().unwrap_or(-MATE));
        let candidates = self.root_moves.iter().enumerate().filter(|(_, it)| it.rank == rank);
        let mates = candidates.filter_map(|(index, it)| Some((self.proven_mate(it.mv)?, index)));
        let Some((value, index)) = mates.max().filter(|&(value, _)| value > found) else { return false };
        let mut root_move = self.root_moves.remove(index);
        root_move.value = Some(value);
        root_move.bound = Bound::Lower;
        root_move.pv = vec![root_move.mv];
        self.root_moves.insert(0, root_move);
        true
    }

    /// The value of a root move that the TT has proven to mate.
    fn proven_mate(&self, mv: Move) -> Option<Value> {
        let mut child = self.ss(0).position;
        child.play_unchecked(mv);
        let clock = child.halfmove_clock();
        let entry = self.shared.tt.probe(tt_key(child.key(), clock)).filter(TtEntry::is_proven_mate)?;
        let value = -entry.value_from_tt(1, clock);
        let is_new = !self.repetition_keys().contains(&child.repetition_key());
        // The proof does not know the game: a reply may repeat a position for the third time.
        let is_repetition = |reply: &Move| {
            let mut next = child;
            next.play_unchecked(*reply);
            let key = next.repetition_key();
            self.repetition_keys().iter().filter(|&&it| it == key).count() >= 2
        };
        let is_new = is_new && !child.legal_moves().iter().any(is_repetition);
        (is_new && clock < TT_CUTOFF_CLOCK_LIMIT && value > 0 && is_mate(value)).then_some(value)
    }

    /// Where the root moves with the rank of this one end.
    fn end_of_rank(&self, first: usize) -> usize {
        let rank = self.root_moves[first].rank;
        first + self.root_moves[first..].iter().take_while(|it| it.rank == rank).count()
    }

    /// Whether a limit that is checked between iterations is reached.
    fn is_iteration_last(&mut self, scale: &mut TimeScale) -> bool {
        let shared = self.shared;
        let limits = shared.limits;
        scale.update(&self.root_moves, self.nodes, std::mem::take(&mut self.best_move_changes));
        let mate_found = limits.mate.zip(self.root_moves[0].value).is_some_and(|(moves, value)| {
            is_mate(value) && MATE - value.abs() <= (2 * moves.min(MAX_PLY as u32)) as Value
        });
        let factor = if self.root_moves.len() == 1 { SINGLE_MOVE_SCALE } else { scale.factor() };
        let is_last = mate_found
            || limits.soft_nodes.is_some_and(|limit| shared.total_nodes().max(self.nodes) >= limit)
            || shared.time.is_soft_limit_reached(factor);
        self.ends_with_ponder_hit = is_last && limits.ponder && !limits.infinite;
        is_last && !shared.is_open_ended()
    }

    fn report_lines(&mut self, lines: usize) {
        self.has_incomplete_lines = false;
        (0..lines).for_each(|index| self.report_line(index));
    }

    pub(crate) fn report_line(&mut self, index: usize) {
        if self.has_reporter()
            && let Some(mut line) = self.line(index)
        {
            self.has_incomplete_lines |= !self.complete_in_passing(&mut line);
            self.report(&Report::Line(line));
        }
    }

    /// Completes a line whose result the endgame tables know, if that costs little of the time of the search. Returns
    /// false if it would cost too much.
    fn complete_in_passing(&mut self, line: &mut Line) -> bool {
        if !is_completable(line) {
            return true;
        }
        if self.completion_time > line.time.saturating_sub(COMPLETE_AFTER) / COMPLETION_SHARE
            || line.time < COMPLETE_AFTER
        {
            return false;
        }
        let begin = (self.shared.host.now)();
        self.complete(line);
        self.completion_time += (self.shared.host.now)().saturating_sub(begin);
        true
    }

    /// Completes a line whose result the endgame tables know, at best to mate.
    pub(crate) fn complete(&self, line: &mut Line) {
        if is_completable(line) {
            let (shared, root) = (self.shared, &self.ss(0).position);
            let deadline = (shared.host.now)() + self.time_to_complete_a_line();
            shared.probes.complete(root, &mut line.moves, &|| (shared.host.now)() >= deadline);
        }
    }

    /// A root move as a line to report; `None` if the search ended before it had a value. Such moves come last.
    pub(crate) fn line(&self, index: usize) -> Option<Line> {
        let root_move = &self.root_moves[index];
        // In a partial iteration, moves that were not searched keep the value of the iteration before.
        let (value, depth, bound) = match (root_move.value, root_move.previous_value) {
            (Some(value), _) => (value, self.root_depth, root_move.bound),
            (None, Some(previous)) => (previous, self.root_depth - 1, Bound::Exact),
            (None, None) => return None,
        };
        let value = root_move.shown(value);
        let position = &self.ss(0).position;
        let nodes = self.shared.nodes.iter().enumerate();
        let others: u64 = nodes.filter(|&(id, _)| id != self.id).map(|(_, nodes)| nodes.load(Relaxed)).sum();
        Some(Line {
            depth: depth as u32,
            selective_depth: root_move.selective_depth as u32,
            rank: index + 1,
            value,
            score: wdl::score(value, position),
            bound,
            wdl: wdl::win_draw_loss(value, position),
            nodes: self.nodes + others,
            tablebase_hits: self.shared.probes.hits(),
            hashfull: self.shared.tt.hashfull(),
            tt_probe: Box::new(
                self.shared.tt.cluster_view(tt_key(position.key(), position.halfmove_clock())),
            ),
            cutoffs: self.cutoffs,
            time: self.shared.time.elapsed(),
            moves: self.playable(&root_move.pv),
        })
    }

    /// The time for a line that endgame tables complete: where time counts, half of the move overhead for all lines.
    fn time_to_complete_a_line(&self) -> Duration {
        let (limits, options) = (self.shared.limits, self.shared.options);
        if limits.time_control.is_some() || limits.move_time.is_some() {
            options.move_overhead / (2 * options.lines.clamp(1, 256) as u32)
        } else {
            COMPLETION_TIME
        }
    }

    /// A principal variation up to the end of the game, if it gets there.
    fn playable(&self, pv: &[Move]) -> Vec<Move> {
        let mut position = self.ss(0).position;
        let mut keys = self.repetition_keys().to_vec();
        let mut moves = Vec::with_capacity(pv.len());
        for &mv in pv {
            if position.play(mv).is_err() {
                debug_assert!(false, "an illegal move in a line: {mv:?} in {position}");
                break;
            }
            moves.push(mv);
            let key = position.repetition_key();
            keys.push(key);
            let reach = (position.halfmove_clock() as usize).min(keys.len() - 1);
            let times = keys[keys.len() - 1 - reach..].iter().filter(|&&it| it == key).count();
            if times >= 3 || position.halfmove_clock() >= 100 || position.outcome().is_some() {
                break;
            }
        }
        moves
    }
}

/// Whether endgame tables know the result of a line, which is not a mate.
fn is_completable(line: &Line) -> bool {
    is_decisive(line.value) && !is_mate(line.value) && line.bound == Bound::Exact
}
