//! Searches that a session orders: analysis, hints, threats, reviews.

use std::time::Duration;

use ferz_search::Score;

use super::engine_settings::AnalysisSettings;
use super::explaining;
use super::notation::{self, game_at};
use super::orders::{
    AdviceKind, AdviceTask, AnalysisTask, Order, OtherTask, ReviewTask, SearchEvent, Ticket,
};
use super::refusal::Refusal;
use super::reviewing::Findings;
use super::{MAX_LINES, Outbox, Session};
use crate::protocol::{Advice, AnalysisWish, Message, MovesEntry, ReviewDepth, ReviewProgress, ReviewStatus};
use ferz_coach::review::Review;

/// A running review, and the numbering of its tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunningReview {
    ticket: Ticket,
    numbering: u64,
    total: usize,
}

impl RunningReview {
    /// The nodes of the review no longer exist.
    pub(super) fn outdate(&mut self) {
        self.numbering = 0;
    }
}

impl Session {
    pub(super) fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    pub(super) fn ask_for_analysis(&mut self, wish: AnalysisWish) -> Result<(), Refusal> {
        if wish.on {
            self.refuse_while_playing("Analysis is not available during a game. Ask for a hint instead.")?;
        }
        self.set_analysis(wish)
    }

    /// During a game the setting is kept and takes effect afterwards.
    pub(super) fn set_analysis(&mut self, wish: AnalysisWish) -> Result<(), Refusal> {
        if !(1..=MAX_LINES).contains(&wish.lines) {
            return Err(Refusal::new(format!("An analysis has 1 to {MAX_LINES} lines.")));
        }
        self.analysis = wish;
        Ok(())
    }

    /// The numbering of the nodes. It changes when the game is replaced.
    pub fn numbering(&self) -> u64 {
        self.study.numbering()
    }

    /// Starts, moves or stops the analysis so that it fits the current position.
    pub(super) fn direct_analysis(&mut self, out: &mut Outbox) {
        let is_wanted = self.analysis.on && !self.is_playing() && !self.is_puzzling();
        // A comment, or a variation elsewhere, does not restart the engine.
        let wanted = is_wanted.then(|| (self.study.place(), self.engines.settings(self.analysis.lines)));
        if wanted != self.analysed {
            self.analysed = wanted;
            out.orders.push(Order::Analyse(wanted.and_then(|(_, settings)| self.analysis_task(settings))));
        }
        let other =
            wanted.zip(self.engines.other()).map(|((place, settings), id)| (place, settings, id.to_owned()));
        if other != self.analysed_by_other {
            let task = other.clone().and_then(|(_, settings, engine)| {
                // Nothing is known of what other engines do in a finished game.
                let analysis = self.analysis_task(settings).filter(|task| task.game.outcome().is_none())?;
                Some(OtherTask { engine, analysis })
            });
            self.analysed_by_other = other;
            out.orders.push(Order::AnalyseWithOther(task));
        }
    }

    /// The analysis of the current position.
    fn analysis_task(&self, settings: AnalysisSettings) -> Option<AnalysisTask> {
        let node = self.study.node();
        let game = game_at(self.study.tree(), node)?;
        let AnalysisSettings { lines, threads, hash_mb, limit } = settings;
        let (numbering, mode) = (self.study.numbering(), self.study.mode());
        Some(AnalysisTask { numbering, node, game, lines, mode, threads, hash_mb, limit })
    }

    pub(super) fn advise(
        &mut self,
        kind: AdviceKind,
        re: Option<u64>,
        out: &mut Outbox,
    ) -> Result<(), Refusal> {
        let node = self.study.node();
        let game = game_at(self.study.tree(), node).ok_or_else(Refusal::no_node)?;
        if game.outcome().is_some() {
            return Err(Refusal::new("The game is over: there are no moves to search."));
        }
        if kind == AdviceKind::Threat {
            self.refuse_while_playing("Threats are not shown during a game.")?;
            if game.position().null_move().is_none_or(|passed| !passed.has_legal_moves()) {
                let message = match game.position().is_check() {
                    true => "The side to move is in check. That is the threat.",
                    false => "The opponent would have no legal move.",
                };
                out.say(re, Message::Threat(no_advice(node.number(), message)));
                return Ok(());
            }
        }
        out.orders.push(Order::Advise(AdviceTask { re, node, game, kind, mode: self.study.mode() }));
        Ok(())
    }

    pub(super) fn start_review(&mut self, depth: ReviewDepth, out: &mut Outbox) -> Result<(), Refusal> {
        self.refuse_while_playing("A game can be reviewed when it is over.")?;
        let total = self.study.tree().main_line().count();
        if total == 0 {
            return Err(Refusal::new("There are no moves to review."));
        }
        let ticket = self.ticket();
        self.review = Some(RunningReview { ticket, numbering: self.study.numbering(), total });
        out.orders.push(Order::Review(ReviewTask { ticket, tree: self.study.tree().clone(), depth }));
        out.say(None, under_way(ReviewStatus::Waiting, 0, total));
        Ok(())
    }

    pub(super) fn stop_review(&mut self, out: &mut Outbox) {
        if let Some(review) = self.review.take() {
            out.orders.push(Order::StopReview);
            out.say(None, under_way(ReviewStatus::Stopped, 0, review.total));
        }
    }

    /// Writes the results of a review into its game, if that is still the current one.
    fn take_in(&mut self, review: &Review, now: Duration, out: &mut Outbox) {
        let Some(running) = self.review else { return };
        if running.numbering != self.study.numbering() {
            self.stop_review(out);
            out.notice("The game has changed since the review started. The review was discarded.");
            self.show(None, now, out);
            return;
        }
        self.review = None;
        let findings = Findings::of(review, self.study.tree());
        self.study.annotate(review, findings.moves);
        self.show(None, now, out);
        out.say(None, Message::Review(findings.summary));
    }

    fn is_running(&self, ticket: Ticket) -> bool {
        self.review.is_some_and(|review| review.ticket == ticket)
    }

    /// Handles the result of a search.
    pub fn on_event(&mut self, event: SearchEvent, now: Duration) -> Outbox {
        let mut out = Outbox::default();
        match event {
            SearchEvent::Thought { ticket, best, score } => {
                self.engine_moves(ticket, best, score, now, &mut out);
            }
            SearchEvent::Advice { task, best, score } => {
                let re = task.re;
                out.say(re, advice(&task, &best, score));
            }
            SearchEvent::Explained { task, played, here } => {
                out.say(task.re, explaining::message(&task, played.as_deref(), here.as_deref()));
            }
            SearchEvent::Judged { ticket, is_good } => self.on_judged(ticket, is_good, now, &mut out),
            SearchEvent::ReviewStep { ticket, done, total } if self.is_running(ticket) => {
                out.say(None, under_way(ReviewStatus::Running, done, total));
            }
            SearchEvent::Reviewed { ticket, review } if self.is_running(ticket) => {
                self.take_in(&review, now, &mut out);
            }
            SearchEvent::ReviewFailed { ticket, message } if self.is_running(ticket) => {
                self.stop_review(&mut out);
                out.notice(message);
                self.show(None, now, &mut out);
            }
            // From a review that was stopped.
            SearchEvent::ReviewStep { .. }
            | SearchEvent::Reviewed { .. }
            | SearchEvent::ReviewFailed { .. } => {}
            SearchEvent::Failed { re: None, message } => out.notice(message),
            SearchEvent::Failed { re, message } => out.say(re, Message::Error { message }),
        }
        out
    }
}

fn under_way(status: ReviewStatus, done: usize, total: usize) -> Message {
    Message::Review(ReviewProgress { status, done, total, waiting: 0, white: None, black: None })
}

fn advice(task: &AdviceTask, best: &[ferz_board::Move], score: Option<Score>) -> Message {
    let position = match task.kind {
        AdviceKind::Hint => *task.game.position(),
        // The opponent moves.
        AdviceKind::Threat => task.game.position().null_move().unwrap_or(*task.game.position()),
    };
    if task.kind == AdviceKind::Threat && best.is_empty() {
        return Message::Threat(no_advice(task.node.number(), "There is no threat."));
    }
    let line = notation::line(&position, best, task.mode);
    let advice = Advice {
        node: task.node.number(),
        uci: line.uci.first().cloned(),
        san: line.san.first().cloned(),
        score: score.map(|score| notation::score(score, position.side_to_move())),
        line,
        message: None,
    };
    match task.kind {
        AdviceKind::Hint => Message::Hint(advice),
        AdviceKind::Threat => Message::Threat(advice),
    }
}

fn no_advice(node: u32, message: &str) -> Advice {
    let message = Some(message.to_owned());
    Advice { node, uci: None, san: None, score: None, line: MovesEntry::default(), message }
}
