//! Engines that play a game over UCI, and the clock they play by.

use std::path::{Path, PathBuf};
use std::str::{FromStr, SplitWhitespace};
use std::time::{Duration, Instant};

use super::plan::{GamePlan, TimeControl};
use super::verdict::{EngineMove, JudgedLines, PvLine, ScoreBound, judge};
use super::{BAD_LINE, CRASH, ILLEGAL_MOVE, STALL, TIME_LOSS};
use crate::figures::{Breach, breach};
use crate::process::{FerzProcess, resident_kib, run_delay};
use crate::rules::{GameEnd, GameRecord};

/// How long an engine may take to answer, beside its time on the clock.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);
/// `movetime` cannot be met to the millisecond on a busy machine. Beyond this it counts as a loss on time.
const MOVETIME_TOLERANCE: Duration = Duration::from_millis(100);

/// How near a move came to its time limit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum TimeMargin {
    Untimed,
    /// Left on the clock.
    Left(Duration),
    /// Longer than `movetime`.
    Overrun(Duration),
}

/// The clocks of both sides, White's first.
#[derive(Clone, Debug)]
pub(super) struct GameClock {
    control: TimeControl,
    remaining: [Duration; 2],
    moves: [u32; 2],
}

impl GameClock {
    pub(super) fn new(control: TimeControl) -> GameClock {
        let base = if let TimeControl::Clock { base, .. } = control { base } else { Duration::ZERO };
        GameClock { control, remaining: [base; 2], moves: [0; 2] }
    }

    /// The arguments of `go`.
    pub(super) fn limits(&self, side: usize) -> String {
        match self.control {
            TimeControl::Nodes(nodes) => format!("nodes {nodes}"),
            TimeControl::MoveTime(time) => format!("movetime {}", time.as_millis()),
            TimeControl::Clock { increment, moves, .. } => {
                let [white, black] = self.remaining.map(|time| time.as_millis());
                let increment = increment.as_millis();
                let to_go = moves.map(|moves| format!(" movestogo {}", moves - self.moves[side] % moves));
                let to_go = to_go.unwrap_or_default();
                format!("wtime {white} btime {black} winc {increment} binc {increment}{to_go}")
            }
        }
    }

    /// Stops the clock after a move.
    pub(super) fn spend(&mut self, side: usize, used: Duration) -> Result<TimeMargin, Breach> {
        match self.control {
            TimeControl::Nodes(_) => Ok(TimeMargin::Untimed),
            TimeControl::MoveTime(time) if used > time + MOVETIME_TOLERANCE => {
                breach(TIME_LOSS, format_args!("{used:?} used of {time:?}"))
            }
            TimeControl::MoveTime(time) => Ok(TimeMargin::Overrun(used.saturating_sub(time))),
            TimeControl::Clock { base, increment, moves } => {
                let remaining = &mut self.remaining[side];
                let Some(left) = remaining.checked_sub(used) else {
                    return breach(TIME_LOSS, format_args!("{used:?} used, {remaining:?} left"));
                };
                self.moves[side] += 1;
                let is_control = moves.is_some_and(|moves| self.moves[side].is_multiple_of(moves));
                *remaining = left + increment + if is_control { base } else { Duration::ZERO };
                Ok(TimeMargin::Left(left))
            }
        }
    }
}

/// A game that is over.
#[derive(Debug)]
pub(super) struct PlayedGame {
    pub(super) record: GameRecord,
    pub(super) end: Result<GameEnd, Breach>,
    pub(super) judged: JudgedLines,
    /// One for each move.
    pub(super) margins: Vec<TimeMargin>,
}

/// Two engines, of which the second is started when a game needs it.
#[derive(Debug)]
pub(super) struct UciPlayers([UciPlayer; 2]);

impl UciPlayers {
    pub(super) fn new(program: &Path, patience: Duration) -> UciPlayers {
        UciPlayers([(); 2].map(|()| UciPlayer::new(program.to_owned(), patience)))
    }

    pub(super) fn play(&mut self, plan: &GamePlan) -> PlayedGame {
        let mut game = PlayedGame {
            record: plan.record.clone(),
            end: Ok(GameEnd::Stalemate),
            judged: JudgedLines::default(),
            margins: Vec::new(),
        };
        game.end = self.play_on(plan, &mut game);
        if game.end.is_err() {
            // The next game has new processes.
            for player in &mut self.0 {
                *player = UciPlayer::new(player.program.clone(), player.patience);
            }
        }
        game
    }

    fn play_on(&mut self, plan: &GamePlan, game: &mut PlayedGame) -> Result<GameEnd, Breach> {
        let players = &mut self.0[..plan.processes];
        let mut clock = GameClock::new(plan.control);
        for player in &mut *players {
            player.new_game(plan)?;
        }
        loop {
            if let Some(end) = game.record.referee.end(plan.claims) {
                for player in players {
                    game.judged.add(player.end_game(plan)?);
                }
                return Ok(end);
            }
            let side = game.record.side();
            let player = &mut players[side % plan.processes];
            let before = player.run_delay();
            let (answer, wasted) = player.think(plan, &game.record, &clock)?;
            game.judged.add(wasted);
            game.judged.add(judge(&game.record.referee, &answer, plan.lines)?);
            if let TimeControl::Nodes(limit) = plan.control
                && !plan.is_heavy()
                && let Some(line) = answer.lines.iter().find(|line| line.nodes > limit)
            {
                return breach(BAD_LINE, format_args!("more than {limit} nodes for {line:?}"));
            }
            let margin = clock.spend(side, answer.used).map_err(|broken| {
                let waited =
                    player.run_delay().unwrap_or_default().saturating_sub(before.unwrap_or_default());
                let what = format!("{}; its threads waited {waited:?} for a processor", broken.what);
                Breach { what, ..broken }
            })?;
            game.margins.push(margin);
            let illegal = |error| Breach { kind: ILLEGAL_MOVE, what: format!("{error:#}") };
            game.record.play(&answer.best.unwrap_or_default()).map_err(illegal)?;
            if let Some(ponder) = answer.ponder.filter(|_| plan.ponder)
                && game.record.referee.end(plan.claims).is_none()
            {
                let mut expected = game.record.clone();
                expected.play(&ponder).map_err(illegal)?;
                if expected.referee.end(true).is_none() {
                    player.ponder(expected, &clock)?;
                }
            }
        }
    }

    /// By which share the memory of the engines has grown over their games.
    pub(super) fn growths(&self) -> impl Iterator<Item = f64> {
        self.0.iter().filter_map(UciPlayer::growth)
    }
}

/// A process that plays; it is started when it is needed.
#[derive(Debug)]
struct UciPlayer {
    program: PathBuf,
    process: Option<FerzProcess>,
    patience: Duration,
    /// The game with the expected reply, while pondering.
    pondering: Option<GameRecord>,
    /// Resident memory after each game with one thread, in KiB.
    memory: Vec<u64>,
}

impl UciPlayer {
    fn new(program: PathBuf, patience: Duration) -> UciPlayer {
        UciPlayer { program, process: None, patience, pondering: None, memory: Vec::new() }
    }

    fn new_game(&mut self, plan: &GamePlan) -> Result<(), Breach> {
        if self.process.is_none() {
            self.process = Some(FerzProcess::engine(&self.program).map_err(crash)?);
        }
        self.send(&format!("setoption name Threads value {}", plan.threads))?;
        self.send(&format!("setoption name MultiPV value {}", plan.lines))?;
        self.send(&format!("setoption name UCI_Chess960 value {}", plan.record.is_chess960))?;
        self.send("ucinewgame")?;
        self.ask("isready", "readyok", self.patience, &mut Vec::new()).map(drop)
    }

    /// The game is over: pondering is stopped, judged and forgotten.
    fn end_game(&mut self, plan: &GamePlan) -> Result<JudgedLines, Breach> {
        let judged = self.stop_pondering(plan, Vec::new())?;
        let process = self.process()?;
        let errors = process.take_errors();
        if !errors.is_empty() {
            return breach(CRASH, format_args!("standard error: {}", errors.join("; ")));
        }
        // Two threads need more memory than one.
        let memory = resident_kib(process.id()).filter(|_| plan.threads == 1);
        self.memory.extend(memory);
        Ok(judged)
    }

    /// The engine's move, and what it had said before about a position that did not come up.
    fn think(
        &mut self,
        plan: &GamePlan,
        record: &GameRecord,
        clock: &GameClock,
    ) -> Result<(EngineMove, JudgedLines), Breach> {
        let side = record.side();
        let patience = self.patience + clock.remaining[side];
        let mut lines = Vec::new();
        // The engine is ready at any time, also while it ponders.
        self.ask("isready", "readyok", self.patience, &mut lines)?;
        let mut wasted = JudgedLines::default();
        let mut started = Instant::now();
        let (end, best_move) = if self.pondering.as_ref().is_some_and(|it| it.moves == record.moves) {
            self.pondering = None;
            self.ask("ponderhit", "bestmove", patience, &mut lines)?
        } else {
            if self.pondering.is_some() {
                // The clock is running already.
                wasted = self.stop_pondering(plan, std::mem::take(&mut lines))?;
                self.send(&record.to_string())?;
            } else {
                self.send(&record.to_string())?;
                started = Instant::now();
            }
            self.ask(&format!("go {}", clock.limits(side)), "bestmove", patience, &mut lines)?
        };
        Ok((EngineMove::new(&best_move, lines, end.saturating_duration_since(started)), wasted))
    }

    fn ponder(&mut self, expected: GameRecord, clock: &GameClock) -> Result<(), Breach> {
        self.send(&expected.to_string())?;
        self.send(&format!("go ponder {}", clock.limits(expected.side())))?;
        self.pondering = Some(expected);
        Ok(())
    }

    /// Stops pondering, if it goes on, and judges it; these lines have been read already.
    fn stop_pondering(&mut self, plan: &GamePlan, mut lines: Vec<PvLine>) -> Result<JudgedLines, Breach> {
        let Some(expected) = self.pondering.take() else { return Ok(JudgedLines::default()) };
        let (_, best_move) = self.ask("stop", "bestmove", self.patience, &mut lines)?;
        judge(&expected.referee, &EngineMove::new(&best_move, lines, Duration::ZERO), plan.lines)
            .map_err(|broken| Breach { what: format!("{}, pondering {expected}", broken.what), ..broken })
    }

    /// Sends a line and waits for a reply with this prefix; collects the PV lines before it.
    fn ask(
        &mut self,
        text: &str,
        reply: &str,
        patience: Duration,
        lines: &mut Vec<PvLine>,
    ) -> Result<(Instant, String), Breach> {
        self.send(text)?;
        let deadline = Instant::now() + patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Some((when, line)) = self.process()?.line(left).map_err(crash)? else {
                return breach(STALL, format_args!("no {reply} within {patience:?} of {text}"));
            };
            if line.starts_with(reply) {
                return Ok((when, line));
            }
            lines.extend(parse_info(&line)?);
        }
    }

    fn send(&mut self, text: &str) -> Result<(), Breach> {
        self.process()?.send(text).map_err(crash)
    }

    fn process(&mut self) -> Result<&mut FerzProcess, Breach> {
        self.process.as_mut().map_or_else(|| breach(CRASH, "there is no engine"), Ok)
    }

    fn run_delay(&self) -> Option<Duration> {
        run_delay(self.process.as_ref()?.id())
    }

    /// By which share the memory has grown since the first half of the games; `None` if there were too few. Games
    /// with more lines need more, so peaks are compared.
    fn growth(&self) -> Option<f64> {
        let quarter = self.memory.len() / 4;
        // An allocator keeps a little for every thread that asked it first: that takes some dozens of games.
        if quarter < 50 {
            return None;
        }
        let before = self.memory.iter().take(2 * quarter).max()?;
        let after = self.memory.iter().rev().take(quarter).max()?;
        Some(*after as f64 / *before as f64 - 1.0)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is called by `map_err`")]
fn crash(error: anyhow::Error) -> Breach {
    Breach { kind: CRASH, what: format!("{error:#}") }
}

/// The PV line in a line of output, if it has one. Errors and unknown output break a promise.
pub(super) fn parse_info(text: &str) -> Result<Option<PvLine>, Breach> {
    if text.starts_with("info string error") {
        return breach(CRASH, text);
    }
    let mut words = text.split_whitespace();
    match (words.next(), words.clone().next()) {
        (Some("info"), Some("string")) => Ok(None),
        (Some("info"), Some(_)) if words.clone().any(|word| word == "currmove") => Ok(None),
        (Some("info"), Some(_)) if let Some(line) = parse_pv(words) => Ok(Some(line)),
        _ => breach(BAD_LINE, format_args!("unknown output: {text:?}")),
    }
}

fn parse_pv(mut words: SplitWhitespace<'_>) -> Option<PvLine> {
    let mut line = PvLine { rank: 0, mate: None, bound: ScoreBound::Exact, nodes: 0, moves: Vec::new() };
    let mut has_score = false;
    while let Some(word) = words.next() {
        match word {
            "multipv" => line.rank = number(&mut words)?,
            "score" => {
                has_score = true;
                let unit = words.next()?;
                let value = number(&mut words)?;
                match unit {
                    "cp" => {}
                    "mate" => line.mate = Some(value),
                    _ => return None,
                }
            }
            "lowerbound" => line.bound = ScoreBound::Lower,
            "upperbound" => line.bound = ScoreBound::Upper,
            "nodes" => line.nodes = number(&mut words)?,
            "depth" | "seldepth" | "nps" | "hashfull" | "tbhits" | "time" => {
                number::<u64>(&mut words)?;
            }
            "pv" => line.moves = words.by_ref().map(str::to_owned).collect(),
            _ => return None,
        }
    }
    has_score.then_some(line)
}

fn number<T: FromStr>(words: &mut SplitWhitespace<'_>) -> Option<T> {
    words.next()?.parse().ok()
}
