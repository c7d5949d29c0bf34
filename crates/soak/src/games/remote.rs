//! The engine as a process, asked as a chess program would.

use std::path::PathBuf;
use std::str::{FromStr, SplitWhitespace};
use std::time::{Duration, Instant};

use ferz_search::{Bound, Score};

use super::clock::Clocks;
use super::plan::Plan;
use super::referee::Record;
use super::resources;
use super::verdict::{Answer, Event, Fault, Judged, Line, event, judge};
use crate::process::Engine;

/// A process that plays; it is started when it is needed.
#[derive(Debug)]
pub(super) struct Remote {
    program: PathBuf,
    engine: Option<Engine>,
    /// How long no answer is no stall.
    patience: Duration,
    /// What it thinks about in the other's time: the game with the answer expected.
    pondering: Option<Record>,
    /// Resident memory after each game with one thread, in KiB, while it is the same process.
    memory: Vec<u64>,
}

/// A move, and how it was found.
#[derive(Debug)]
pub(super) struct Thought {
    pub(super) answer: Answer,
    /// What it had said about another position before, in vain.
    pub(super) in_vain: Judged,
    /// How long the threads of the engine and of this program were ready to run while something else ran. Those
    /// that have ended are not counted, those of other games are.
    pub(super) kept_waiting: Option<[Duration; 2]>,
}

impl Remote {
    pub(super) fn new(program: PathBuf, patience: Duration) -> Remote {
        Remote { program, engine: None, patience, pondering: None, memory: Vec::new() }
    }

    /// After something went wrong: the next game has a new process.
    pub(super) fn abandon(&mut self) {
        *self = Remote::new(std::mem::take(&mut self.program), self.patience);
    }

    pub(super) fn new_game(&mut self, plan: &Plan) -> Result<(), Event> {
        if self.engine.is_none() {
            self.engine = Some(Engine::ready(&self.program).map_err(crash)?);
        }
        self.send(&format!("setoption name Threads value {}", plan.threads))?;
        self.send(&format!("setoption name MultiPV value {}", plan.lines))?;
        self.send(&format!("setoption name UCI_Chess960 value {}", plan.record.is_chess960))?;
        self.send("ucinewgame")?;
        self.ask("isready", "readyok", self.patience, &mut Vec::new()).map(drop)
    }

    /// The game is over. Whatever it thinks about is judged and forgotten.
    pub(super) fn end_game(&mut self, plan: &Plan) -> Result<Judged, Event> {
        let judged = self.stop_pondering(plan)?;
        // Two threads need more than one, and no other games show whether that is given back.
        let id = self.engine.as_ref().filter(|_| plan.threads == 1).map(Engine::id);
        self.memory.extend(id.and_then(resources::resident));
        Ok(judged)
    }

    pub(super) fn think(&mut self, plan: &Plan, record: &Record, clocks: &Clocks) -> Result<Thought, Event> {
        let side = record.side();
        let patience = self.patience + clocks.remaining(side);
        let mut lines = Vec::new();
        // Ready at any time, also in the midst of thinking.
        self.ask("isready", "readyok", self.patience, &mut lines)?;
        let waited_before = self.kept_waiting();
        let mut started = Instant::now();
        let mut in_vain = Judged::default();
        let is_hit = self.pondering.as_ref().is_some_and(|expected| expected.moves == record.moves);
        let reply = if is_hit {
            self.pondering = None;
            self.ask("ponderhit", "bestmove", patience, &mut lines)?
        } else {
            if self.pondering.is_some() {
                // The clock runs already.
                in_vain = self.stop_pondering_with(plan, &mut lines)?;
                self.send(&record.to_string())?;
            } else {
                self.send(&record.to_string())?;
                started = Instant::now();
            }
            self.ask(&format!("go {}", clocks.limits(side)), "bestmove", patience, &mut lines)?
        };
        let kept_waiting = waited_before
            .zip(self.kept_waiting())
            .map(|(before, after)| [after[0].saturating_sub(before[0]), after[1].saturating_sub(before[1])]);
        let used = reply.0.saturating_duration_since(started);
        Ok(Thought { answer: answer(&reply.1, lines, used), in_vain, kept_waiting })
    }

    /// Thinks in the other's time about the game with the answer expected.
    pub(super) fn ponder(&mut self, expected: Record, clocks: &Clocks) -> Result<(), Event> {
        let side = expected.side();
        self.send(&expected.to_string())?;
        self.send(&format!("go ponder {}", clocks.limits(side)))?;
        self.pondering = Some(expected);
        Ok(())
    }

    fn stop_pondering(&mut self, plan: &Plan) -> Result<Judged, Event> {
        self.stop_pondering_with(plan, &mut Vec::new())
    }

    /// The lines are those already read; none is left.
    fn stop_pondering_with(&mut self, plan: &Plan, lines: &mut Vec<Line>) -> Result<Judged, Event> {
        let Some(expected) = self.pondering.take() else { return Ok(Judged::default()) };
        let (_, reply) = self.ask("stop", "bestmove", self.patience, lines)?;
        let answer = answer(&reply, std::mem::take(lines), Duration::ZERO);
        judge(&expected, &answer, plan.lines)
            .map_err(|event| Event { what: format!("{}, thinking ahead of {expected}", event.what), ..event })
    }

    /// Says something and waits for a line that begins like this; keeps all lines of play before it.
    fn ask(
        &mut self,
        text: &str,
        reply: &str,
        patience: Duration,
        lines: &mut Vec<Line>,
    ) -> Result<(Instant, String), Event> {
        self.send(text)?;
        let deadline = Instant::now() + patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Some((when, line)) = self.running()?.line(left).map_err(crash)? else {
                return event(Fault::Stall, format_args!("no {reply} within {patience:?} of {text}"));
            };
            if line.starts_with(reply) {
                return Ok((when, line));
            }
            match parse(&line) {
                Said::Line(line) => lines.push(line),
                Said::Trouble => return event(Fault::Crash, line),
                Said::Nonsense => return event(Fault::BadLine, format_args!("`{line}` cannot be read")),
                Said::Other => {}
            }
        }
    }

    fn kept_waiting(&self) -> Option<[Duration; 2]> {
        let id = self.engine.as_ref()?.id();
        Some([resources::kept_waiting(id)?, resources::kept_waiting(std::process::id())?])
    }

    fn send(&mut self, text: &str) -> Result<(), Event> {
        self.running()?.send(text).map_err(crash)
    }

    fn running(&mut self) -> Result<&mut Engine, Event> {
        self.engine.as_mut().map_or_else(|| event(Fault::Crash, "there is no engine"), Ok)
    }

    /// By how much of itself the memory has grown since the first half of the games; `None` if there were too
    /// few. Games with more lines need more, so summits are compared.
    pub(super) fn growth(&self) -> Option<f64> {
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
fn crash(error: anyhow::Error) -> Event {
    Event { fault: Fault::Crash, what: format!("{error:#}") }
}

fn answer(best_move: &str, lines: Vec<Line>, used: Duration) -> Answer {
    let mut words = best_move.split_whitespace().skip(1);
    let best = words.next().filter(|&word| word != "(none)").map(str::to_owned);
    let ponder = words.next().filter(|&word| word == "ponder").and_then(|_| words.next()).map(str::to_owned);
    Answer { lines, best, ponder, used }
}

/// What a line of the engine is about.
#[derive(PartialEq, Debug)]
enum Said {
    Line(Line),
    /// Something is wrong, it says so itself.
    Trouble,
    Nonsense,
    Other,
}

fn parse(text: &str) -> Said {
    if text.starts_with("info string error") {
        return Said::Trouble;
    }
    let mut words = text.split_whitespace();
    match (words.next(), words.clone().next()) {
        (Some("info"), Some("string")) => Said::Other,
        (Some("info"), Some(_)) if words.clone().any(|word| word == "currmove") => Said::Other,
        (Some("info"), Some(_)) => parse_line(words).map_or(Said::Nonsense, Said::Line),
        _ => Said::Nonsense,
    }
}

fn parse_line(mut words: SplitWhitespace<'_>) -> Option<Line> {
    let mut line =
        Line { rank: 0, score: Score::Centipawns(0), bound: Bound::Exact, nodes: 0, moves: Vec::new() };
    let mut has_score = false;
    while let Some(word) = words.next() {
        match word {
            "multipv" => line.rank = number(&mut words)?,
            "score" => {
                has_score = true;
                line.score = match words.next()? {
                    "cp" => Score::Centipawns(number(&mut words)?),
                    "mate" => Score::Mate(number(&mut words)?),
                    _ => return None,
                };
            }
            "lowerbound" => line.bound = Bound::Lower,
            "upperbound" => line.bound = Bound::Upper,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_understood() {
        let text = "info depth 7 seldepth 11 multipv 2 score mate -3 upperbound nodes 5000 nps 20000 hashfull 3 \
                    tbhits 0 time 250 pv e2e4 e7e5";
        let expected = Line {
            rank: 2,
            score: Score::Mate(-3),
            bound: Bound::Upper,
            nodes: 5000,
            moves: vec!["e2e4".to_owned(), "e7e5".to_owned()],
        };
        assert_eq!(parse(text), Said::Line(expected));
        assert_eq!(parse("info string error: the search has broken down"), Said::Trouble);
        assert_eq!(parse("info string hello"), Said::Other);
        assert_eq!(parse("info depth 9 currmove e2e4 currmovenumber 4"), Said::Other);
        for text in ["", "info depth x", "info depth 3 score 12", "thread panicked", "info depth 3 nodes 4"] {
            assert_eq!(parse(text), Said::Nonsense, "{text}");
        }
    }

    #[test]
    fn best_moves_are_understood() {
        let read = |text| {
            let answer = answer(text, Vec::new(), Duration::ZERO);
            (answer.best, answer.ponder)
        };
        assert_eq!(read("bestmove e2e4"), (Some("e2e4".to_owned()), None));
        assert_eq!(read("bestmove e2e4 ponder e7e5"), (Some("e2e4".to_owned()), Some("e7e5".to_owned())));
        assert_eq!(read("bestmove (none)"), (None, None));
    }
}
