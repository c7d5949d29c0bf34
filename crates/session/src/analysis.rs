//! The progress of an analysis.

use std::time::Duration;

use ferz_board::Color;
use ferz_search::{Bound, Cutoffs, Line, TtProbe, TtSlot};
use ferz_syzygy::MoveVerdict;

use crate::desk::{Beginning, Found};
use crate::protocol::{
    Analysis, AnalysisStatus, BoundName, DepthEntry, LineEntry, TableMove, TtBoundName, TtSlotView, TtView,
};
use crate::session::AnalysisTask;
use crate::session::notation::{line, san, score, uci};
use crate::xray::Word;

/// The lines of an analysis and its history by depth. An analysis can be interrupted and resumed.
#[derive(Clone, Debug)]
pub struct AnalysisProgress {
    task: AnalysisTask,
    /// By rank; `None` until the line is found.
    lines: Vec<Option<Line>>,
    history: Vec<DepthEntry>,
    /// The legal moves, if the endgame tables know them, best first.
    tables: Vec<TableMove>,
    /// The work of searches that were interrupted.
    earlier: Effort,
    /// The work of the current search.
    present: Effort,
    is_done: bool,
}

/// The shortest interval between two messages about a running analysis.
pub const NEWS_INTERVAL: Duration = Duration::from_millis(100);

/// The results of a tab's last analysis, if there was one.
#[derive(Clone, Debug, Default)]
pub struct AnalysisRecord(Option<AnalysisProgress>);

impl AnalysisRecord {
    /// Prepares for an analysis. Returns how long it has run before.
    pub fn begin(&mut self, task: &AnalysisTask, beginning: Beginning) -> Duration {
        match &mut self.0 {
            Some(known) if beginning == Beginning::Resumed => known.resume(),
            progress => {
                *progress = Some(AnalysisProgress::new(task.clone()));
                Duration::ZERO
            }
        }
    }

    /// Records a result of the search. `idle` is how long the search has been paused.
    pub fn note(&mut self, found: Found<'_>, idle: Duration) {
        self.0.iter_mut().for_each(|progress| progress.note(found, idle));
    }

    /// The message for the page; `None` if there are no results for the tree with this numbering. Until the analysis of a
    /// new game starts, the results are those of the old one, which has the same node numbers.
    pub fn message(&self, numbering: u64, standing: Standing) -> Option<Analysis> {
        let progress = self.0.as_ref().filter(|known| known.numbering() == numbering)?;
        Some(progress.message(standing))
    }
}

/// What the search of an analysis is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Nothing: the analysis is off.
    Off,
    /// Searching.
    Searching,
    /// Waiting in the queue, with this many searches ahead.
    Waiting(usize),
}

#[derive(Clone, Copy, Debug, Default)]
struct Effort {
    nodes: u64,
    time: Duration,
    cutoffs: Cutoffs,
}

impl Effort {
    fn plus(self, other: Effort) -> Effort {
        let mut cutoffs = self.cutoffs;
        cutoffs.all += other.cutoffs.all;
        cutoffs.first += other.cutoffs.first;
        Effort { nodes: self.nodes + other.nodes, time: self.time + other.time, cutoffs }
    }
}

impl AnalysisProgress {
    /// An analysis without results.
    pub fn new(task: AnalysisTask) -> AnalysisProgress {
        AnalysisProgress {
            lines: vec![None; task.lines],
            task,
            history: Vec::new(),
            tables: Vec::new(),
            earlier: Effort::default(),
            present: Effort::default(),
            is_done: false,
        }
    }

    /// The numbering of the tree that is analysed.
    pub fn numbering(&self) -> u64 {
        self.task.numbering
    }

    /// Restarts the search after an interruption. Returns the time used so far.
    pub fn resume(&mut self) -> Duration {
        self.earlier = self.effort();
        self.present = Effort::default();
        self.earlier.time
    }

    /// Records a result of the search. `idle` is how long the search has been paused.
    pub fn note(&mut self, found: Found<'_>, idle: Duration) {
        match found {
            Found::Line(line) => self.note_line(line, idle),
            Found::Conclusion(conclusion) => {
                conclusion.lines.iter().for_each(|line| self.note_line(line, idle));
                self.is_done = true;
            }
            Found::Tables(verdicts) => {
                let (position, mode) = (self.task.game.position(), self.task.mode);
                let entry = |it: &MoveVerdict| TableMove {
                    uci: uci(Some(it.mv), mode),
                    san: san(position, Some(it.mv)),
                    result: it.wdl.into(),
                    dtz: it.dtz.get(),
                };
                self.tables = verdicts.iter().map(entry).collect();
            }
        }
    }

    fn note_line(&mut self, found: &Line, idle: Duration) {
        self.present =
            Effort { nodes: found.nodes, time: found.time.saturating_sub(idle), cutoffs: found.cutoffs };
        let Some(place) = self.lines.get_mut(found.rank - 1) else { return };
        // An interrupted search restarts at depth 1.
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

    /// The message for the page.
    pub fn message(&self, standing: Standing) -> Analysis {
        let position = self.task.game.position();
        let effort = self.effort();
        let best = self.lines.first().and_then(Option::as_ref);
        let (status, waiting) = match standing {
            Standing::Off => (AnalysisStatus::Off, 0),
            _ if self.is_done => (AnalysisStatus::Done, 0),
            Standing::Searching => (AnalysisStatus::Searching, 0),
            Standing::Waiting(before) => (AnalysisStatus::Waiting, before),
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
            tables: self.tables.clone(),
            tt: best.map(|line| self.tt_view(&line.tt_probe)),
        }
    }

    fn tt_view(&self, probe: &TtProbe) -> TtView {
        TtView {
            key: Word(probe.key),
            clusters: probe.clusters,
            index: probe.index,
            key_part: probe.key_part,
            generation: probe.generation,
            slots: probe.slots.iter().map(|slot| slot.as_ref().map(|slot| self.tt_slot(slot))).collect(),
            hit: probe.hit,
        }
    }

    fn tt_slot(&self, slot: &TtSlot) -> TtSlotView {
        TtSlotView {
            data: Word(slot.data),
            signature: slot.signature,
            uci: slot.mv.map(|mv| uci(Some(mv), self.task.mode)),
            value: slot.value,
            eval: slot.eval,
            depth: slot.depth,
            bound: slot.bound.map(|bound| match bound {
                Bound::Exact => TtBoundName::Exact,
                Bound::Lower => TtBoundName::Lower,
                Bound::Upper => TtBoundName::Upper,
            }),
            pv: slot.pv,
            age: slot.age,
        }
    }

    fn line_entry(&self, found: &Line, side: Color) -> LineEntry {
        LineEntry {
            rank: found.rank,
            depth: found.depth,
            score: score(found.score, side),
            bound: match (found.bound, side) {
                (Bound::Exact, _) => BoundName::Exact,
                // Scores are White's: a lower bound for Black is an upper bound for White.
                (Bound::Lower, Color::White) | (Bound::Upper, Color::Black) => BoundName::Lower,
                (Bound::Upper, Color::White) | (Bound::Lower, Color::Black) => BoundName::Upper,
            },
            wdl: found.wdl.for_white(side).into(),
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
