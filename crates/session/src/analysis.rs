//! The progress of an analysis.

use std::collections::VecDeque;
use std::time::Duration;

use ferz_board::Color;
use ferz_coach::explain::KnownLine;
use ferz_search::{Bound, Conclusion, Cutoffs, Line, Score, TtProbe, TtSlot};
use ferz_syzygy::MoveVerdict;

use crate::desk::{Beginning, DeskTask, Found};
use crate::protocol::{
    Analysis, AnalysisEnd, AnalysisStatus, BoundName, DepthEntry, LineEntry, StopRule, TableMove,
    TtBoundName, TtSlotView, TtView,
};
use crate::session::notation::{line, san, score, uci};
use crate::session::{ANALYSIS_TIME, AnalysisTask};
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
    end: Option<AnalysisEnd>,
}

/// The shortest interval between two messages about a running analysis.
pub const NEWS_INTERVAL: Duration = Duration::from_millis(100);

/// The results of a tab's last analysis, if there was one, and the best lines of those before it.
#[derive(Clone, Debug, Default)]
pub struct AnalysisRecord {
    progress: Option<AnalysisProgress>,
    /// The best lines of earlier analyses, the latest last.
    earlier: VecDeque<KnownLine>,
}

/// As many earlier lines are kept.
const KEPT_LINES: usize = 16;
/// An explanation trusts a line of this depth, or a mate. Others are searched again.
const TRUSTED_DEPTH: u32 = 14;

/// What an analysis knows before a task is carried out.
#[derive(Clone, Debug, Default)]
pub struct PriorKnowledge {
    /// For an analysis: what it has used before.
    pub spent: Spent,
    /// For an explanation: the lines that it need not search.
    pub lines: Vec<KnownLine>,
}

impl AnalysisRecord {
    /// Prepares for a task.
    pub fn prepare(&mut self, task: &DeskTask) -> PriorKnowledge {
        match task {
            DeskTask::Analyse(task, beginning) => {
                PriorKnowledge { spent: self.begin(task, *beginning), lines: Vec::new() }
            }
            DeskTask::Explain(_) | DeskTask::Advise(_) => {
                PriorKnowledge { spent: Spent::default(), lines: self.known_lines() }
            }
            DeskTask::Think(_) | DeskTask::Judge(_) => PriorKnowledge::default(),
        }
    }

    /// Prepares for an analysis. Returns what it has used before.
    pub fn begin(&mut self, task: &AnalysisTask, beginning: Beginning) -> Spent {
        if let Some(progress) = self.progress.as_mut().filter(|_| beginning == Beginning::Resumed) {
            return progress.resume();
        }
        if let Some(known) = self.progress.as_ref().and_then(AnalysisProgress::known_line) {
            self.earlier.retain(|it| it.position != known.position);
            if self.earlier.len() >= KEPT_LINES {
                self.earlier.pop_front();
            }
            self.earlier.push_back(known);
        }
        self.progress = Some(AnalysisProgress::new(task.clone()));
        Spent::default()
    }

    /// The best lines that are deep enough, the latest first.
    fn known_lines(&self) -> Vec<KnownLine> {
        let latest = self.progress.as_ref().and_then(AnalysisProgress::known_line);
        latest.into_iter().chain(self.earlier.iter().rev().cloned()).collect()
    }

    /// Records a result of the search. `idle` is how long the search has been paused.
    pub fn note(&mut self, found: Found<'_>, idle: Duration) {
        self.progress.iter_mut().for_each(|progress| progress.note(found, idle));
    }

    /// The message for the page; `None` if there are no results for the tree with this numbering. Until the analysis of a
    /// new game starts, the results are those of the old one, which has the same node numbers.
    pub fn message(&self, numbering: u64, standing: Standing) -> Option<Analysis> {
        let progress = self.progress.as_ref().filter(|known| known.numbering() == numbering)?;
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

/// What an analysis has used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent {
    /// Time.
    pub time: Duration,
    /// Nodes.
    pub nodes: u64,
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
            end: None,
        }
    }

    /// The numbering of the tree that is analysed.
    pub fn numbering(&self) -> u64 {
        self.task.numbering
    }

    /// The best line, if it can be trusted.
    fn known_line(&self) -> Option<KnownLine> {
        let line = self.lines.first()?.as_ref()?;
        let is_mate = matches!(line.score, Score::Mate(_));
        let is_trusted = line.depth >= TRUSTED_DEPTH || is_mate || self.end.is_some();
        (is_trusted && line.bound == Bound::Exact)
            .then(|| KnownLine { position: *self.task.game.position(), line: line.clone() })
    }

    /// Restarts the search after an interruption. Returns what was used so far.
    pub fn resume(&mut self) -> Spent {
        self.earlier = self.effort();
        self.present = Effort::default();
        Spent { time: self.earlier.time, nodes: self.earlier.nodes }
    }

    /// Why the search has ended.
    fn end_of(&self, conclusion: &Conclusion) -> AnalysisEnd {
        /// The clock of a search is read now and then.
        const TOLERANCE: Duration = Duration::from_millis(100);
        let depth = conclusion.lines.first().map_or(0, |line| line.depth);
        let time = self.earlier.time + conclusion.time + TOLERANCE;
        let nodes = self.earlier.nodes + conclusion.nodes;
        match self.task.limit {
            Some(StopRule::Depth(limit)) if depth >= limit => AnalysisEnd::Depth,
            Some(StopRule::Nodes(limit)) if nodes >= limit => AnalysisEnd::Nodes,
            Some(StopRule::Seconds(limit)) if time >= Duration::from_secs(limit) => AnalysisEnd::Time,
            _ if time >= ANALYSIS_TIME => AnalysisEnd::Limit,
            _ => AnalysisEnd::Complete,
        }
    }

    /// Records a result of the search. `idle` is how long the search has been paused.
    pub fn note(&mut self, found: Found<'_>, idle: Duration) {
        match found {
            Found::Line(line) => self.note_line(line, idle),
            Found::Conclusion(conclusion) => {
                conclusion.lines.iter().for_each(|line| self.note_line(line, idle));
                self.end = Some(self.end_of(conclusion));
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
        let displaced = place.replace(found.clone());
        // No move has two lines: one that rises leaves its old rank to the line whose rank it takes.
        let first = found.moves.first();
        let is_twin = |it: &Line| it.rank != found.rank && it.moves.first() == first;
        if let Some(old) = self.lines.iter_mut().find(|it| it.as_ref().is_some_and(is_twin)) {
            let rank = old.as_ref().map_or(0, |line| line.rank);
            *old = displaced.map(|mut line| {
                line.rank = rank;
                line
            });
        }
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
            _ if self.end.is_some() => (AnalysisStatus::Done, 0),
            Standing::Searching => (AnalysisStatus::Searching, 0),
            Standing::Waiting(before) => (AnalysisStatus::Waiting, before),
        };
        Analysis {
            node: self.task.node.number(),
            status,
            end: self.end.filter(|_| status == AnalysisStatus::Done),
            waiting,
            threads: self.task.threads,
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

#[cfg(test)]
mod tests {
    use ferz_board::{CastlingMode, Game};
    use ferz_notation::pgn::NodeId;
    use ferz_search::{Engine, Limits, SearchOptions, Signals};

    use super::*;

    /// Lines of a search from the start, by rank.
    fn lines(count: usize) -> Vec<Line> {
        let mut engine = Engine::new(1).expect("memory for 1 MiB");
        let options = SearchOptions::default().lines(count);
        let limits = Limits::default().depth(2);
        engine.search(&Game::default(), &limits, &options, &Signals::new(), &mut |_| {}).lines
    }

    #[test]
    fn no_move_has_two_ranks() {
        let (node, mode) = (NodeId::ROOT, CastlingMode::Standard);
        let task = AnalysisTask {
            numbering: 1,
            node,
            game: Game::default(),
            lines: 3,
            mode,
            threads: 1,
            hash_mb: 1,
            limit: None,
        };
        let mut progress = AnalysisProgress::new(task);
        let found = lines(3);
        for line in &found {
            progress.note(Found::Line(line), Duration::ZERO);
        }
        let shown = |progress: &AnalysisProgress| -> Vec<(usize, String)> {
            let lines = progress.message(Standing::Searching).lines;
            lines.into_iter().map(|line| (line.rank, line.moves.uci[0].clone())).collect()
        };
        let before = shown(&progress);
        // The next iteration begins with the move that was third.
        let mut risen = found[2].clone();
        (risen.rank, risen.depth) = (1, 3);
        progress.note(Found::Line(&risen), Duration::ZERO);
        let [one, two, three] = [0, 1, 2].map(|index| before[index].1.clone());
        assert_eq!(shown(&progress), [(1, three), (2, two), (3, one)]);
    }
}
