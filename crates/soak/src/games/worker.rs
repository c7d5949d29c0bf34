//! Plays games, one after the other.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::clock::{Clocks, Margin};
use super::library::{Library, Watchdog};
use super::plan::{Control, Plan, Players};
use super::referee::{Draws, End, Record};
use super::remote::{Remote, Thought};
use super::verdict::{Event, Fault, Judged, event, judge};

/// How long an engine may take to answer, beside its time on the clock.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// Who plays on one thread.
#[derive(Debug)]
pub(super) struct Worker {
    library: Library,
    remotes: [Remote; 2],
}

/// A game that is over.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) record: Record,
    /// How it ended, or was broken off.
    pub(super) end: Result<End, Event>,
    pub(super) judged: Judged,
    pub(super) margins: Vec<Margin>,
}

impl Worker {
    pub(super) fn new(program: &Path, patience: Duration) -> Result<Worker> {
        let remote = || Remote::new(program.to_owned(), patience);
        Ok(Worker { library: Library::new(Watchdog::start()?)?, remotes: [remote(), remote()] })
    }

    pub(super) fn play(&mut self, plan: &Plan) -> Result<Played> {
        let mut game = Running {
            record: plan.record.clone(),
            clocks: Clocks::new(plan.control),
            judged: Judged::default(),
            margins: Vec::new(),
        };
        let end = self.play_on(plan, &mut game);
        if let Err(event) = &end {
            self.remotes.iter_mut().for_each(Remote::abandon);
            if event.fault == Fault::Crash && plan.players == Players::Library {
                self.library = Library::new(Watchdog::start()?)?;
            }
        }
        Ok(Played { record: game.record, end, judged: game.judged, margins: game.margins })
    }

    fn play_on(&mut self, plan: &Plan, game: &mut Running) -> Result<End, Event> {
        let playing = match plan.players {
            Players::Library => 0,
            Players::OneProcess => 1,
            Players::TwoProcesses => 2,
        };
        if playing == 0 {
            let prepared = self.library.new_game(plan);
            prepared.map_err(|error| Event { fault: Fault::Crash, what: format!("{error:#}") })?;
        }
        for remote in &mut self.remotes[..playing] {
            remote.new_game(plan)?;
        }
        loop {
            if let Some(end) = game.record.referee.end(plan.draws) {
                for remote in &mut self.remotes[..playing] {
                    game.judged.add(remote.end_game(plan)?);
                }
                return Ok(end);
            }
            if playing == 0 {
                let answer = self.library.think(plan, &game.record)?;
                game.accept(plan, Thought { answer, in_vain: Judged::default(), kept_waiting: None })?;
                continue;
            }
            let remote = &mut self.remotes[game.record.side() % playing];
            let thought = remote.think(plan, &game.record, &game.clocks)?;
            let expected = game.accept(plan, thought)?;
            if let Some(expected) = expected.filter(|_| plan.ponder) {
                remote.ponder(expected, &game.clocks)?;
            }
        }
    }

    /// Engines that keep more and more memory.
    pub(super) fn growths(&self) -> impl Iterator<Item = f64> {
        self.remotes.iter().filter_map(Remote::growth)
    }
}

/// A game that goes on.
struct Running {
    record: Record,
    clocks: Clocks,
    judged: Judged,
    margins: Vec<Margin>,
}

impl Running {
    /// Stops the clock. A move that came too late is excused if it was only kept waiting for a processor: the
    /// engine, or the thread that reads what it says.
    fn spend(&mut self, used: Duration, kept_waiting: Option<[Duration; 2]>) -> Result<Margin, Event> {
        let side = self.record.side();
        let mut unhurried = self.clocks.clone();
        self.clocks.spend(side, used).map_err(|event| {
            let Some([engine, own]) = kept_waiting else { return event };
            let needed = used.saturating_sub(engine.max(own));
            let fault = if unhurried.spend(side, needed).is_ok() { Fault::Starved } else { event.fault };
            let what = event.what;
            Event {
                fault,
                what: format!(
                    "{what}; {engine:?} of waiting for a processor by the engine, {own:?} by the referee"
                ),
            }
        })
    }

    /// Judges an answer and plays it; the game with the reply expected, if it goes on after that.
    fn accept(&mut self, plan: &Plan, thought: Thought) -> Result<Option<Record>, Event> {
        let Thought { answer, in_vain, kept_waiting } = thought;
        self.judged.add(in_vain);
        self.judged.add(judge(&self.record, &answer, plan.lines)?);
        if let Control::Nodes(limit) = plan.control
            && !plan.is_heavy()
            && let Some(line) = answer.lines.iter().find(|line| line.nodes > limit)
        {
            return event(Fault::BadLine, format_args!("more than {limit} nodes for {line:?}"));
        }
        let margin = self.spend(answer.used, kept_waiting)?;
        self.margins.push(margin);
        let best = answer.best.unwrap_or_default();
        let illegal = |error| Event { fault: Fault::IllegalMove, what: format!("{error:#}") };
        self.record.play(&best).map_err(illegal)?;
        let Some(ponder) = answer.ponder else { return Ok(None) };
        if self.record.referee.end(plan.draws).is_some() {
            return Ok(None);
        }
        let mut expected = self.record.clone();
        expected.play(&ponder).map_err(illegal)?;
        Ok(expected.referee.end(Draws::Claimed).is_none().then_some(expected))
    }
}
