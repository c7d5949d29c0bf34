//! The engine's desk: which searches a session has, what interrupts what, and how long each may take.
//!
//! The desk starts nothing itself. It turns an [`Order`] into [`DeskStep`]s, which the caller runs on a thread or in a
//! browser worker, and defines how each [`DeskTask`] is carried out. So a server and a browser cannot differ.

use std::sync::Arc;
use std::time::Duration;

use ferz_coach::explain::Explainer;
use ferz_coach::review::{self, Assessment, ReviewSettings, Reviewer};
use ferz_search::{Conclusion, Engine, Limits, Line, Report, SearchOptions, Signals};
use ferz_syzygy::MoveVerdict;

use crate::analysis::{PriorKnowledge, Spent};
use crate::protocol::{ReviewDepth, StopRule, sentence};
use crate::session::{
    ANALYSIS_TIME, AdviceKind, AdviceTask, AnalysisTask, ExplainTask, JudgeTask, Order, ReviewTask,
    SearchEvent, ThinkTask, Ticket,
};

/// Urgent jobs that may wait for the engine. Further ones are refused.
pub const MAX_WAITING: usize = 4;
/// The time for a hint.
const HINT_TIME: Duration = Duration::from_millis(500);
/// The time for each of the two searches for a threat: the best move, and the best move after a null move.
const THREAT_TIME: Duration = Duration::from_millis(400);
/// The time for each of the two searches that judge a move of a puzzle.
const JUDGE_TIME: Duration = Duration::from_millis(400);
/// The most time for each of the three searches of an explanation: the best move now, the best move instead of the move
/// played, the threat. Most end earlier, because their line is stable, or because the analysis has found it already.
const EXPLAIN_TIME: Duration = Duration::from_millis(600);

/// The shortest interval between reports of a review's progress.
const REVIEW_REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// The searches that a session has asked for.
#[derive(Debug, Default)]
pub struct Desk {
    analysis: Option<(AnalysisTask, Arc<Signals>)>,
    /// The search for a move to play.
    thought: Option<Arc<Signals>>,
    advice: Option<Arc<Signals>>,
    explanation: Option<Arc<Signals>>,
    review: Option<Arc<Signals>>,
}

/// What the caller does next.
#[derive(Debug)]
pub enum DeskStep {
    /// Carry out this job after those started earlier.
    Start(Box<DeskJob>),
    /// Start a review beside the other jobs, with an engine of its own.
    StartReview(Box<ReviewJob>),
    /// Pass this event to the session.
    Deliver(SearchEvent),
    /// The analysis is off.
    AnalysisOff,
}

/// A search and the signals that stop it.
#[derive(Clone, Debug)]
pub struct DeskJob {
    /// What to search for.
    pub task: DeskTask,
    /// Signals that stop or pause the search.
    pub signals: Arc<Signals>,
}

/// A review, which is carried out position by position.
#[derive(Debug)]
pub struct ReviewJob {
    /// Signals that stop the review.
    pub signals: Arc<Signals>,
    ticket: Ticket,
    reviewer: Option<Reviewer>,
    /// When the progress was last reported to the session.
    reported: Duration,
}

/// What to search for.
#[derive(Clone, Debug)]
pub enum DeskTask {
    /// A move in a game against a human.
    Think(ThinkTask),
    /// A hint or a threat.
    Advise(AdviceTask),
    /// Whether a move is good enough.
    Judge(JudgeTask),
    /// Why moves are good or bad.
    Explain(ExplainTask),
    /// The analysis of a position.
    Analyse(AnalysisTask, Beginning),
}

/// How an analysis starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beginning {
    /// With no results.
    Fresh,
    /// With the results from before an urgent task interrupted it.
    Resumed,
}

/// A result of a running analysis.
#[derive(Clone, Copy, Debug)]
pub enum Found<'a> {
    /// A line.
    Line(&'a Line),
    /// The search ended without being stopped.
    Conclusion(&'a Conclusion),
    /// What the endgame tables know of the legal moves.
    Tables(&'a [MoveVerdict]),
}

impl Desk {
    /// Takes an order. `waiting` is the number of urgent jobs that have not started yet.
    pub fn order(&mut self, order: Order, waiting: usize) -> Vec<DeskStep> {
        let goes_beside = matches!(
            order,
            Order::StopThinking | Order::Review(_) | Order::StopReview | Order::AnalyseWithOther(_)
        );
        if !goes_beside {
            // An explanation takes longest, and a user who asks for something else no longer needs it.
            stop(&mut self.explanation);
        }
        match order {
            Order::Analyse(task) => self.analyse(task),
            // Other engines are not at this desk.
            Order::AnalyseWithOther(_) => Vec::new(),
            Order::Think(task) => self.interrupt_with(DeskTask::Think(task), waiting),
            Order::Advise(task) => self.interrupt_with(DeskTask::Advise(task), waiting),
            Order::Judge(task) => self.interrupt_with(DeskTask::Judge(task), waiting),
            Order::Explain(task) => self.interrupt_with(DeskTask::Explain(task), waiting),
            Order::StopThinking => {
                stop(&mut self.thought);
                Vec::new()
            }
            Order::Review(task) => {
                stop(&mut self.review);
                let job = ReviewJob::new(&task);
                self.review = Some(Arc::clone(&job.signals));
                vec![DeskStep::StartReview(Box::new(job))]
            }
            Order::StopReview => {
                stop(&mut self.review);
                Vec::new()
            }
        }
    }

    /// The signals of the analysis, if one is wanted.
    pub fn analysis(&self) -> Option<&Arc<Signals>> {
        self.analysis.as_ref().map(|(_, signals)| signals)
    }

    fn analyse(&mut self, task: Option<AnalysisTask>) -> Vec<DeskStep> {
        self.stop_analysis();
        match task {
            Some(task) => vec![self.start_analysis(task, Beginning::Fresh)],
            None => vec![DeskStep::AnalysisOff],
        }
    }

    fn stop_analysis(&mut self) -> Option<AnalysisTask> {
        let (task, signals) = self.analysis.take()?;
        signals.stop();
        Some(task)
    }

    fn start_analysis(&mut self, task: AnalysisTask, beginning: Beginning) -> DeskStep {
        let job = DeskJob::new(DeskTask::Analyse(task.clone(), beginning));
        self.analysis = Some((task, Arc::clone(&job.signals)));
        DeskStep::Start(Box::new(job))
    }

    /// Carries out an urgent task, then resumes the analysis.
    fn interrupt_with(&mut self, task: DeskTask, waiting: usize) -> Vec<DeskStep> {
        let place = match task {
            DeskTask::Think(_) => &mut self.thought,
            DeskTask::Advise(_) | DeskTask::Judge(_) => &mut self.advice,
            DeskTask::Explain(_) => &mut self.explanation,
            DeskTask::Analyse(..) => return Vec::new(),
        };
        if waiting >= MAX_WAITING {
            *place = None;
            return task
                .failure("The engine is busy. Ask again in a moment.")
                .into_iter()
                .map(DeskStep::Deliver)
                .collect();
        }
        let job = DeskJob::new(task);
        *place = Some(Arc::clone(&job.signals));
        let mut steps = vec![DeskStep::Start(Box::new(job))];
        steps.extend(self.interrupt_analysis());
        steps
    }

    /// Stops the search of the analysis, and returns the step that resumes it.
    pub fn interrupt_analysis(&mut self) -> Option<DeskStep> {
        let task = self.stop_analysis()?;
        Some(self.start_analysis(task, Beginning::Resumed))
    }

    /// Forgets a job that could not be started, and returns the events for the session.
    pub fn give_up(&mut self, job: &DeskJob, message: &str) -> Vec<SearchEvent> {
        let is_it = |signals: &Arc<Signals>| Arc::ptr_eq(signals, &job.signals);
        self.analysis.take_if(|(_, signals)| is_it(signals));
        for place in [&mut self.thought, &mut self.advice, &mut self.explanation] {
            place.take_if(|signals| is_it(signals));
        }
        job.task.failure(message)
    }
}

/// Searches do not outlive the tab they are for.
impl Drop for Desk {
    fn drop(&mut self) {
        self.stop_analysis();
        for place in [&mut self.thought, &mut self.advice, &mut self.explanation, &mut self.review] {
            stop(place);
        }
    }
}

fn stop(place: &mut Option<Arc<Signals>>) {
    if let Some(signals) = place.take() {
        signals.stop();
    }
}

impl DeskJob {
    fn new(task: DeskTask) -> DeskJob {
        DeskJob { task, signals: Arc::new(Signals::new()) }
    }
}

impl ReviewJob {
    fn new(task: &ReviewTask) -> ReviewJob {
        ReviewJob {
            signals: Arc::new(Signals::new()),
            ticket: task.ticket,
            reviewer: Some(Reviewer::new(&task.tree, task.depth.settings())),
            reported: Duration::ZERO,
        }
    }

    /// Whether nothing is left to search, or the review was stopped.
    pub fn is_over(&self) -> bool {
        self.reviewer.is_none()
    }

    /// Searches the next position, and returns an event for the session if there is one. All steps use the same engine,
    /// which is new before the first one.
    pub fn step(&mut self, engine: &mut Engine, now: impl Fn() -> Duration) -> Option<SearchEvent> {
        let ticket = self.ticket;
        if let Some(step) = self.reviewer.as_mut()?.step(engine, &self.signals) {
            let now = now();
            let is_due = step.done == step.total || now >= self.reported + REVIEW_REPORT_INTERVAL;
            return is_due.then(|| {
                self.reported = now;
                SearchEvent::ReviewStep { ticket, done: step.done, total: step.total }
            });
        }
        let review = Box::new(self.reviewer.take()?.finish()?);
        Some(SearchEvent::Reviewed { ticket, review })
    }

    /// The event for the session if the review cannot be carried out.
    pub fn failure(&self, message: &str) -> SearchEvent {
        SearchEvent::ReviewFailed { ticket: self.ticket, message: message.to_owned() }
    }
}

impl DeskTask {
    /// Whether the user is waiting for the result: true for everything but an analysis.
    pub fn is_urgent(&self) -> bool {
        !matches!(self, DeskTask::Analyse(..))
    }

    /// The events for the session if the task cannot be carried out.
    pub fn failure(&self, message: &str) -> Vec<SearchEvent> {
        let failed = |re| SearchEvent::Failed { re, message: message.to_owned() };
        match self {
            // The game must not wait forever.
            DeskTask::Think(task) => {
                vec![SearchEvent::Thought { ticket: task.ticket, best: None, score: None }, failed(None)]
            }
            // Without the engine, only the solution counts.
            DeskTask::Judge(task) => {
                vec![SearchEvent::Judged { ticket: task.ticket, is_good: false }, failed(None)]
            }
            DeskTask::Advise(AdviceTask { re, .. }) | DeskTask::Explain(ExplainTask { re, .. }) => {
                vec![failed(*re)]
            }
            DeskTask::Analyse(..) => vec![failed(None)],
        }
    }

    /// The events for the session if the task was stopped. Of all tasks that can be stopped, the user waits only for
    /// an explanation.
    pub fn stopped(&self) -> Vec<SearchEvent> {
        match self {
            DeskTask::Explain(_) => self.failure("The explanation was interrupted. Ask again."),
            DeskTask::Think(_) | DeskTask::Advise(_) | DeskTask::Judge(_) | DeskTask::Analyse(..) => {
                Vec::new()
            }
        }
    }

    /// The number of threads that the search uses.
    pub fn threads(&self) -> usize {
        match self {
            DeskTask::Analyse(task, _) => task.threads,
            DeskTask::Think(_) | DeskTask::Advise(_) | DeskTask::Judge(_) | DeskTask::Explain(_) => 1,
        }
    }

    /// The size of the transposition table that the search needs; `None` if any will do.
    pub fn hash_mb(&self) -> Option<usize> {
        match self {
            DeskTask::Analyse(task, _) => Some(task.hash_mb),
            DeskTask::Think(_) | DeskTask::Advise(_) | DeskTask::Judge(_) | DeskTask::Explain(_) => None,
        }
    }

    /// Gives an engine the threads and the memory that the search needs. If that fails, it keeps what it has.
    fn equip(&self, engine: &mut Engine) -> Option<SearchEvent> {
        let problem = match self.hash_mb() {
            Some(hash) if hash != engine.hash() => engine.set_hash(hash).err().map(|error| error.to_string()),
            _ => None,
        };
        let refused = (engine.threads() != self.threads())
            .then(|| engine.set_threads(self.threads()).err())
            .flatten()
            .map(|error| error.to_string());
        let message = format!("{}.", sentence(&problem.or(refused)?));
        Some(SearchEvent::Failed { re: None, message })
    }

    /// Searches, and returns the events for the session. `prior` is what the
    /// [analysis knows](crate::analysis::AnalysisRecord::prepare); `note` is called with what an analysis finds.
    pub fn carry_out(
        &self,
        engine: &mut Engine,
        signals: &Signals,
        prior: &PriorKnowledge,
        note: &mut (dyn FnMut(Found<'_>) + Send),
    ) -> Vec<SearchEvent> {
        let problem = self.equip(engine);
        let mut events = self.search(engine, signals, prior, note);
        events.extend(problem);
        events
    }

    fn search(
        &self,
        engine: &mut Engine,
        signals: &Signals,
        prior: &PriorKnowledge,
        note: &mut (dyn FnMut(Found<'_>) + Send),
    ) -> Vec<SearchEvent> {
        match self {
            DeskTask::Think(task) => vec![think(task, engine, signals)],
            DeskTask::Advise(task) => advise(task, engine, signals, prior).into_iter().collect(),
            DeskTask::Judge(task) => vec![judge(task, engine, signals)],
            DeskTask::Explain(task) => {
                explain(task, engine, signals, prior).map_or_else(|| self.stopped(), |event| vec![event])
            }
            DeskTask::Analyse(task, _) => {
                let known = engine.table_problems().len();
                analyse(task, prior.spent, engine, signals, note);
                let problems = engine.table_problems().into_iter().skip(known);
                problems.map(|it| SearchEvent::Failed { re: None, message: it.to_string() }).collect()
            }
        }
    }
}

fn think(task: &ThinkTask, engine: &mut Engine, signals: &Signals) -> SearchEvent {
    if let Some(known) = task.book_move {
        return SearchEvent::Thought { ticket: task.ticket, best: Some(known), score: None };
    }
    let found = engine.search(&task.game, &task.limits, &task.options, signals, &mut |_| {});
    let score = found.lines.first().map(|line| line.score);
    SearchEvent::Thought { ticket: task.ticket, best: found.best, score }
}

/// Returns `None` if a search for a threat was stopped.
fn advise(
    task: &AdviceTask,
    engine: &mut Engine,
    signals: &Signals,
    prior: &PriorKnowledge,
) -> Option<SearchEvent> {
    let (best, score) = match task.kind {
        AdviceKind::Hint => {
            let limits = Limits::default().move_time(HINT_TIME);
            let found = engine.search(&task.game, &limits, &SearchOptions::default(), signals, &mut |_| {});
            match found.lines.into_iter().next() {
                Some(line) => (line.moves, Some(line.score)),
                None => (Vec::new(), None),
            }
        }
        AdviceKind::Threat => {
            let limits = Limits::default().move_time(THREAT_TIME);
            let mut explainer = Explainer::new(engine, &limits, signals).known(&prior.lines);
            match explainer.threat(task.game.position())? {
                Some(threat) => {
                    let score = threat.line.assessment.score.for_white(threat.position.side_to_move());
                    (threat.line.moves, Some(score))
                }
                None => (Vec::new(), None),
            }
        }
    };
    Some(SearchEvent::Advice { task: Box::new(task.clone()), best, score })
}

fn judge(task: &JudgeTask, engine: &mut Engine, signals: &Signals) -> SearchEvent {
    let color = task.game.position().side_to_move();
    let mut after = |mv| {
        let mut game = task.game.clone();
        game.play(mv).ok()?;
        if let Some(outcome) = game.outcome() {
            return Some(Assessment::of(outcome));
        }
        let limits = Limits::default().move_time(JUDGE_TIME);
        let found = engine.search(&game, &limits, &SearchOptions::default(), signals, &mut |_| {});
        found.lines.first().map(|line| Assessment::of_line(line, !color))
    };
    let is_good = match (after(task.best), after(task.mv)) {
        (Some(best), Some(other)) => !review::compare(color, best, other).0.is_error(),
        _ => false,
    };
    SearchEvent::Judged { ticket: task.ticket, is_good }
}

/// Returns `None` if it was stopped.
fn explain(
    task: &ExplainTask,
    engine: &mut Engine,
    signals: &Signals,
    prior: &PriorKnowledge,
) -> Option<SearchEvent> {
    let limits = Limits::default().move_time(EXPLAIN_TIME);
    let mut explainer = Explainer::new(engine, &limits, signals).known(&prior.lines);
    let here = match task.outcome {
        None => Some(explainer.explain(&task.position, None)?),
        Some(_) => None,
    };
    let played = match &task.played {
        Some(it) => Some(explainer.explain_played(&it.position, it.mv, here.as_ref(), task.outcome)?),
        None => None,
    };
    let (played, here) = (played.map(Box::new), here.map(Box::new));
    Some(SearchEvent::Explained { task: Box::new(task.clone()), played, here })
}

fn analyse(
    task: &AnalysisTask,
    spent: Spent,
    engine: &mut Engine,
    signals: &Signals,
    note: &mut (dyn FnMut(Found<'_>) + Send),
) {
    // If a file is damaged, the search says so.
    if let Ok(verdicts) = engine.tablebases().probe_moves(task.game.position()) {
        note(Found::Tables(&verdicts));
    }
    let options = SearchOptions::default().lines(task.lines);
    let limits = limits(task.limit, spent);
    let found = engine.search(&task.game, &limits, &options, signals, &mut |report| {
        if let Report::Line(line) = report
            && !signals.is_stopped()
        {
            note(Found::Line(line));
        }
    });
    if !signals.is_stopped() {
        note(Found::Conclusion(&found));
    }
}

/// What is left of an analysis.
fn limits(rule: Option<StopRule>, spent: Spent) -> Limits {
    let longest = match rule {
        Some(StopRule::Seconds(seconds)) => ANALYSIS_TIME.min(Duration::from_secs(seconds)),
        _ => ANALYSIS_TIME,
    };
    let limits = Limits::default().move_time(longest.saturating_sub(spent.time));
    match rule {
        Some(StopRule::Depth(depth)) => limits.depth(depth),
        Some(StopRule::Nodes(nodes)) => limits.nodes(nodes.saturating_sub(spent.nodes).max(1)),
        Some(StopRule::Seconds(_)) | None => limits,
    }
}

impl ReviewDepth {
    /// The nodes for each position. Two lines show where there was only one good move.
    pub fn settings(self) -> ReviewSettings {
        let nodes = match self {
            ReviewDepth::Quick => 15_000,
            ReviewDepth::Normal => 120_000,
            ReviewDepth::Deep => 1_000_000,
        };
        ReviewSettings::new(Limits::default().nodes(nodes))
    }
}

#[cfg(test)]
mod tests {
    use ferz_board::{CastlingMode, Game, Position};
    use ferz_notation::pgn::NodeId;

    use super::*;
    use crate::analysis::{AnalysisProgress, AnalysisRecord, Standing};
    use crate::protocol::TableResult;

    fn analysis() -> AnalysisTask {
        let (node, mode) = (NodeId::ROOT, CastlingMode::Standard);
        let (threads, hash_mb, limit) = (1, 1, None);
        AnalysisTask { numbering: 1, node, game: Game::default(), lines: 1, mode, threads, hash_mb, limit }
    }

    fn hint() -> Order {
        let (node, mode) = (NodeId::ROOT, CastlingMode::Standard);
        Order::Advise(AdviceTask { re: Some(7), node, game: Game::default(), kind: AdviceKind::Hint, mode })
    }

    fn explanation() -> Order {
        let (node, mode) = (NodeId::ROOT, CastlingMode::Standard);
        let (position, played, outcome) = (Position::start(), None, None);
        Order::Explain(ExplainTask { re: Some(8), node, position, played, outcome, mode })
    }

    fn jobs(steps: Vec<DeskStep>) -> Vec<DeskJob> {
        let job = |step| match step {
            DeskStep::Start(job) => *job,
            other => panic!("{other:?}"),
        };
        steps.into_iter().map(job).collect()
    }

    #[test]
    fn a_hint_interrupts_the_analysis_which_resumes_afterwards() {
        let mut desk = Desk::default();
        let first = jobs(desk.order(Order::Analyse(Some(analysis())), 0));
        assert!(matches!(first[0].task, DeskTask::Analyse(_, Beginning::Fresh)));
        let next = jobs(desk.order(hint(), 0));
        assert!(first[0].signals.is_stopped());
        assert!(matches!(next[0].task, DeskTask::Advise(_)));
        assert!(matches!(next[1].task, DeskTask::Analyse(_, Beginning::Resumed)));
        assert!(desk.analysis().is_some_and(|signals| !signals.is_stopped()));
    }

    #[test]
    fn anything_else_ends_an_explanation() {
        let mut desk = Desk::default();
        let explained = jobs(desk.order(explanation(), 0));
        desk.order(Order::StopThinking, 0);
        assert!(!explained[0].signals.is_stopped());
        desk.order(hint(), 0);
        assert!(explained[0].signals.is_stopped());
        assert!(matches!(explained[0].task.stopped()[..], [SearchEvent::Failed { re: Some(8), .. }]));
    }

    #[test]
    fn a_full_desk_refuses_and_keeps_the_analysis() {
        let mut desk = Desk::default();
        let running = jobs(desk.order(Order::Analyse(Some(analysis())), 0));
        let steps = desk.order(hint(), MAX_WAITING);
        assert!(matches!(steps[..], [DeskStep::Deliver(SearchEvent::Failed { re: Some(7), .. })]));
        assert!(!running[0].signals.is_stopped());
    }

    #[test]
    fn a_job_that_cannot_start_is_forgotten() {
        let mut desk = Desk::default();
        let job = jobs(desk.order(Order::Analyse(Some(analysis())), 0)).remove(0);
        assert!(matches!(desk.give_up(&job, "no thread")[..], [SearchEvent::Failed { re: None, .. }]));
        assert!(desk.analysis().is_none());
    }

    #[test]
    fn searches_end_with_the_desk() {
        let mut desk = Desk::default();
        let mut started = jobs(desk.order(Order::Analyse(Some(analysis())), 0));
        started.extend(jobs(desk.order(hint(), 0)));
        drop(desk);
        assert!(started.iter().all(|job| job.signals.is_stopped()));
    }

    /// A short search prefers a different move in this position.
    #[test]
    fn an_explanation_agrees_with_the_analysis() {
        let fen = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8";
        let position: Position = fen.parse().expect("legal");
        let mut engine = Engine::new(4).expect("memory for 4 MiB");
        let task =
            DeskTask::Analyse(AnalysisTask { game: Game::new(position), ..analysis() }, Beginning::Fresh);
        let mut record = AnalysisRecord::default();
        let prior = record.prepare(&task);
        let signals = Signals::new();
        let mut best = None;
        task.carry_out(&mut engine, &signals, &prior, &mut |found| {
            record.note(found, Duration::ZERO);
            if let Found::Line(line) = found
                && line.depth >= 14
                && line.bound == ferz_search::Bound::Exact
            {
                best = line.moves.first().copied().zip(Some(line.score));
                signals.stop();
            }
        });
        let Order::Explain(explanation) = explanation() else { panic!("an explanation") };
        let task = DeskTask::Explain(ExplainTask { position, ..explanation });
        let prior = record.prepare(&task);
        // The engine is new: only the analysis can know.
        let mut engine = Engine::new(1).expect("memory for 1 MiB");
        let events = task.carry_out(&mut engine, &Signals::new(), &prior, &mut |_| {});
        let [SearchEvent::Explained { here: Some(here), .. }] = &events[..] else { panic!("{events:?}") };
        assert_eq!(Some((here.best.mv, here.best.line.assessment.score)), best);
    }

    #[test]
    fn an_analysis_begins_with_what_the_tables_know() {
        let mut tables = ferz_syzygy::Tablebases::new();
        for (name, bytes) in ferz_table_maker::Solutions::all().files() {
            tables.add_bytes(&name, bytes).expect("a table");
        }
        let mut engine = Engine::new(1).expect("memory for 1 MiB");
        engine.set_tablebases(tables);
        let game = Game::new("8/1P6/6K1/8/8/8/8/7k w - - 0 1".parse().expect("legal"));
        let task = AnalysisTask { game, ..analysis() };
        let mut progress = AnalysisProgress::new(task.clone());
        let signals = Signals::new();
        let events = DeskTask::Analyse(task, Beginning::Fresh).carry_out(
            &mut engine,
            &signals,
            &PriorKnowledge::default(),
            &mut |it| {
                progress.note(it, Duration::ZERO);
                if matches!(it, Found::Line(_)) {
                    signals.stop();
                }
            },
        );
        assert!(events.is_empty());
        let found = progress.message(Standing::Searching).tables;
        assert_eq!(found.len(), 12);
        assert!(found[0].san.starts_with("b8=") && found[0].result == TableResult::Win, "{found:?}");
        assert_eq!(found.iter().filter(|it| it.result == TableResult::Draw).count(), 2, "{found:?}");
    }

    /// The result of an analysis with these settings, and the engine after it.
    fn analyse_to_the_end(task: AnalysisTask) -> (crate::protocol::Analysis, Engine) {
        let mut engine = Engine::new(2).expect("memory for 2 MiB");
        let mut progress = AnalysisProgress::new(task.clone());
        DeskTask::Analyse(task, Beginning::Fresh).carry_out(
            &mut engine,
            &Signals::new(),
            &PriorKnowledge::default(),
            &mut |it| progress.note(it, Duration::ZERO),
        );
        (progress.message(Standing::Searching), engine)
    }

    #[test]
    fn an_analysis_follows_the_settings_and_says_why_it_ended() {
        use crate::protocol::{AnalysisEnd, AnalysisStatus};
        let limit = |rule| AnalysisTask { limit: Some(rule), ..analysis() };
        let (end, _) = analyse_to_the_end(limit(StopRule::Depth(5)));
        assert_eq!((end.status, end.end, end.depth), (AnalysisStatus::Done, Some(AnalysisEnd::Depth), 5));
        let (end, _) = analyse_to_the_end(limit(StopRule::Nodes(3_000)));
        assert_eq!((end.end, end.nodes), (Some(AnalysisEnd::Nodes), 3_000));
        let (end, _) = analyse_to_the_end(limit(StopRule::Seconds(1)));
        assert_eq!(end.end, Some(AnalysisEnd::Time));
        let task = AnalysisTask { threads: 2, hash_mb: 3, ..limit(StopRule::Depth(3)) };
        let (end, engine) = analyse_to_the_end(task);
        assert_eq!((end.threads, engine.threads(), engine.hash()), (2, 2, 3));
    }

    #[test]
    fn what_an_analysis_has_spent_counts() {
        let spent = Spent { time: Duration::from_secs(4), nodes: 700 };
        assert_eq!(limits(Some(StopRule::Seconds(10)), spent).move_time, Some(Duration::from_secs(6)));
        assert_eq!(limits(Some(StopRule::Nodes(1_000)), spent).nodes, Some(300));
        assert_eq!(limits(Some(StopRule::Nodes(1)), spent).nodes, Some(1));
        assert_eq!(limits(None, spent).move_time, Some(ANALYSIS_TIME - spent.time));
    }
}
