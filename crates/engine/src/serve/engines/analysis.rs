//! What an analysis has found so far.

use std::time::Duration;

use ferz_board::Color;
use ferz_search::{Bound, Conclusion, Cutoffs, Line};

use super::scheduler::Standing;
use crate::serve::protocol::{Analysis, AnalysisStatus, DepthEntry, LineEntry};
use crate::serve::session::{AnalysisTask, chances, line, san, score};

/// The lines of an analysis and how they came about. It may be interrupted and taken up again.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    task: AnalysisTask,
    /// By rank; one that is not there yet is `None`.
    lines: Vec<Option<Line>>,
    history: Vec<DepthEntry>,
    /// What searches did that were interrupted.
    earlier: Effort,
    /// What the present search has done.
    present: Effort,
    is_done: bool,
    is_off: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Effort {
    nodes: u64,
    time: Duration,
    cutoffs: Cutoffs,
}

impl Effort {
    fn plus(self, other: Effort) -> Effort {
        Effort {
            nodes: self.nodes + other.nodes,
            time: self.time + other.time,
            cutoffs: Cutoffs {
                all: self.cutoffs.all + other.cutoffs.all,
                first: self.cutoffs.first + other.cutoffs.first,
            },
        }
    }
}

impl Progress {
    pub(super) fn new(task: AnalysisTask) -> Progress {
        Progress {
            lines: vec![None; task.lines],
            task,
            history: Vec::new(),
            earlier: Effort::default(),
            present: Effort::default(),
            is_done: false,
            is_off: false,
        }
    }

    /// A search begins, for the first time or after an interruption.
    pub(super) fn begin(&mut self) {
        self.earlier = self.earlier.plus(self.present);
        self.present = Effort::default();
    }

    /// A line was found; the search had been paused for so long by then.
    pub(super) fn note(&mut self, found: &Line, idle: Duration) {
        self.present =
            Effort { nodes: found.nodes, time: found.time.saturating_sub(idle), cutoffs: found.cutoffs };
        let Some(place) = self.lines.get_mut(found.rank - 1) else { return };
        // A search that was interrupted begins again with small depths.
        if place.as_ref().is_some_and(|known| known.depth > found.depth) || found.depth == 0 {
            return;
        }
        *place = Some(found.clone());
        if found.rank == 1 && found.bound == Bound::Exact {
            self.note_depth(found);
        }
    }

    fn note_depth(&mut self, found: &Line) {
        let effort = self.effort();
        let position = self.task.game.position();
        let best = found.moves.first().map(|&mv| san(position, Some(mv))).unwrap_or_default();
        let entry = DepthEntry {
            depth: found.depth,
            score: score(found.score, position.side_to_move()),
            nodes: effort.nodes,
            time_ms: milliseconds(effort.time),
            best,
            hashfull: found.hashfull,
            cutoffs: effort.cutoffs.all,
            first_cutoffs: effort.cutoffs.first,
        };
        match self.history.last_mut() {
            Some(last) if last.depth == entry.depth => *last = entry,
            _ => self.history.push(entry),
        }
    }

    fn effort(&self) -> Effort {
        self.earlier.plus(self.present)
    }

    /// How long it has been searched.
    pub(super) fn time(&self) -> Duration {
        self.effort().time
    }

    /// The search has ended by itself.
    pub(super) fn finish(&mut self, conclusion: &Conclusion, idle: Duration) {
        conclusion.lines.iter().for_each(|line| self.note(line, idle));
        self.is_done = true;
    }

    /// Nobody wants it any more.
    pub(super) fn switch_off(&mut self) {
        self.is_off = true;
    }

    /// It cannot go on.
    pub(super) fn give_up(&mut self) {
        self.is_done = true;
    }

    /// Whether there is anything left to do.
    pub(super) fn is_open(&self) -> bool {
        !self.is_done && !self.is_off
    }

    pub(super) fn task(&self) -> &AnalysisTask {
        &self.task
    }

    /// What the page is told.
    pub(super) fn message(&self, standing: Standing) -> Analysis {
        let position = self.task.game.position();
        let effort = self.effort();
        let best = self.lines.first().and_then(Option::as_ref);
        let (status, waiting) = match standing {
            _ if self.is_off => (AnalysisStatus::Off, 0),
            _ if self.is_done => (AnalysisStatus::Done, 0),
            Standing::Running => (AnalysisStatus::Searching, 0),
            Standing::Waiting(before) => (AnalysisStatus::Waiting, before),
            // Not in line yet.
            Standing::Gone => (AnalysisStatus::Waiting, 0),
        };
        Analysis {
            node: self.task.node.number(),
            status,
            waiting,
            depth: best.map_or(0, |line| line.depth),
            selective_depth: best.map_or(0, |line| line.selective_depth),
            nodes: effort.nodes,
            nps: per_second(effort),
            time_ms: milliseconds(effort.time),
            hashfull: best.map_or(0, |line| line.hashfull),
            lines: self
                .lines
                .iter()
                .flatten()
                .map(|it| self.line_entry(it, position.side_to_move()))
                .collect(),
            history: self.history.clone(),
        }
    }

    fn line_entry(&self, found: &Line, side: Color) -> LineEntry {
        LineEntry {
            rank: found.rank,
            depth: found.depth,
            score: score(found.score, side),
            bound: match (found.bound, side) {
                (Bound::Exact, _) => "exact",
                // Scores are White's: what is at least so much for Black is at most so much for White.
                (Bound::Lower, Color::White) | (Bound::Upper, Color::Black) => "lower",
                (Bound::Upper, Color::White) | (Bound::Lower, Color::Black) => "upper",
            },
            wdl: chances(found.wdl, side),
            moves: line(self.task.game.position(), &found.moves, self.task.mode),
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn per_second(effort: Effort) -> u64 {
    let seconds = effort.time.as_secs_f64();
    if seconds < 0.001 { 0 } else { (effort.nodes as f64 / seconds) as u64 }
}
