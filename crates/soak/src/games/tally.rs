//! Figures of many games.

use std::fmt;
use std::time::{Duration, Instant};

use super::clock::Margin;
use super::plan::{Plan, Players, Stage};
use super::referee::{Draws, End};
use super::verdict::{Event, Judged};
use super::worker::Played;

/// How often progress is told.
const PAUSE: Duration = Duration::from_secs(15);

/// What came of the games of a stage.
#[derive(Debug)]
pub(super) struct Tally {
    stage: Stage,
    planned: usize,
    started: Instant,
    told: Instant,
    games: usize,
    over_uci: usize,
    chess960: usize,
    several_threads: usize,
    several_lines: usize,
    pondering: usize,
    without_claims: usize,
    moves: usize,
    judged: Judged,
    ends: Vec<End>,
    least_left: Option<Duration>,
    /// Milliseconds over the time for the move.
    over: Vec<f64>,
    events: Vec<Event>,
}

impl Tally {
    pub(super) fn new(stage: Stage, planned: usize) -> Tally {
        let now = Instant::now();
        Tally {
            stage,
            planned,
            started: now,
            told: now,
            games: 0,
            over_uci: 0,
            chess960: 0,
            several_threads: 0,
            several_lines: 0,
            pondering: 0,
            without_claims: 0,
            moves: 0,
            judged: Judged::default(),
            ends: Vec::new(),
            least_left: None,
            over: Vec::new(),
            events: Vec::new(),
        }
    }

    pub(super) fn games(&self) -> usize {
        self.games
    }

    pub(super) fn into_events(self) -> Vec<Event> {
        self.events
    }

    pub(super) fn add(&mut self, seed: u64, plan: &Plan, played: Played) {
        let Played { record, end, judged, margins } = played;
        self.games += 1;
        self.over_uci += usize::from(plan.players != Players::Library);
        self.chess960 += usize::from(plan.record.is_chess960);
        self.several_threads += usize::from(plan.threads > 1);
        self.several_lines += usize::from(plan.lines > 1);
        self.pondering += usize::from(plan.ponder);
        self.without_claims += usize::from(plan.draws == Draws::Automatic);
        self.moves += margins.len();
        self.judged.add(judged);
        for margin in margins {
            match margin {
                Margin::Untimed => {}
                Margin::Left(left) => {
                    self.least_left = Some(self.least_left.map_or(left, |least| least.min(left)));
                }
                Margin::Over(milliseconds) => self.over.push(milliseconds),
            }
        }
        match end {
            Ok(end) => self.ends.push(end),
            Err(event) => {
                let Plan { number, players, control, threads, lines, ponder, .. } = plan;
                let what = format!(
                    "{}\n  game {number} {} of seed {seed}: {players:?}, {control:?}, {threads} threads, \
                     {lines} lines, ponder {ponder}\n  {record}",
                    event.what, self.stage
                );
                eprintln!("{:?}: {what}", event.fault);
                self.events.push(Event { what, ..event });
            }
        }
        if self.told.elapsed() > PAUSE {
            self.told = Instant::now();
            let left = self.planned - self.games;
            let minutes = left as f64 / self.rate() / 60.0;
            eprintln!(
                "{} of {} games {}, {:.1} a second, {} events, {minutes:.1} min left",
                self.games,
                self.planned,
                self.stage,
                self.rate(),
                self.events.len()
            );
        }
    }

    /// Games in a second.
    fn rate(&self) -> f64 {
        self.games as f64 / self.started.elapsed().as_secs_f64().max(1e-3)
    }

    fn ended(&self, end: End) -> usize {
        self.ends.iter().filter(|&&it| it == end).count()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Judged { lines, mates, proven } = self.judged;
        writeln!(
            f,
            "{} games {}: {} over UCI, {} Chess960, {} with 2 threads, {} with 2 to 4 lines, {} pondering, {} until \
             75 moves or fivefold; {:.2} a second",
            self.games,
            self.stage,
            self.over_uci,
            self.chess960,
            self.several_threads,
            self.several_lines,
            self.pondering,
            self.without_claims,
            self.rate()
        )?;
        write!(
            f,
            "  {} moves, {lines} lines, {mates} of them mates, {proven} proven by brute force",
            self.moves
        )?;
        write!(
            f,
            "; ends: {} mates, {} stalemates, {} dead, {} repetitions, {} without progress",
            self.ended(End::Mate),
            self.ended(End::Stalemate),
            self.ended(End::Dead),
            self.ended(End::Repetition),
            self.ended(End::NoProgress)
        )?;
        if let Some(left) = self.least_left {
            write!(f, "\n  least time left after a move: {:.1} ms", left.as_secs_f64() * 1e3)?;
        }
        if !self.over.is_empty() {
            let mut over = self.over.clone();
            over.sort_by(f64::total_cmp);
            let at = |share: f64| over[((over.len() - 1) as f64 * share) as usize];
            write!(
                f,
                "\n  over the time for the move: median {:+.1} ms, p99.9 {:+.1} ms, most {:+.1} ms",
                at(0.5),
                at(0.999),
                at(1.0)
            )?;
        }
        Ok(())
    }
}
