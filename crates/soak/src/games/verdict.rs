//! What an engine may say, and what is held against it.

use std::fmt;
use std::time::Duration;

use ferz_search::{Bound, Score};

use super::mate::{Effort, can_mate, is_mated};
use super::referee::{Draws, End, Record, Referee};

/// A promise that was broken.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) fault: Fault,
    pub(super) what: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// The engine ended, panicked, or said that something was wrong.
    Crash,
    /// It did not answer.
    Stall,
    /// A move or a line that the rules do not allow.
    IllegalMove,
    /// What it said does not fit together.
    BadLine,
    FalseMate,
    TimeLoss,
    /// A loss on time for which the machine is to blame: without the time it waited for a processor there would
    /// have been none. It breaks no promise.
    Starved,
    /// It kept memory or files.
    Growth,
    /// The same question had two answers.
    Difference,
}

impl Fault {
    pub(super) const ALL: [Fault; 9] = [
        Fault::Crash,
        Fault::Stall,
        Fault::IllegalMove,
        Fault::BadLine,
        Fault::FalseMate,
        Fault::TimeLoss,
        Fault::Starved,
        Fault::Growth,
        Fault::Difference,
    ];
}

/// In the plural, as they are counted.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Crash => "crashes",
            Fault::Stall => "stalls",
            Fault::IllegalMove => "illegal moves",
            Fault::BadLine => "bad lines",
            Fault::FalseMate => "false mates",
            Fault::TimeLoss => "time losses",
            Fault::Starved => "losses for want of a processor",
            Fault::Growth => "memory growths",
            Fault::Difference => "differences",
        })
    }
}

pub(super) fn event<T>(fault: Fault, what: impl fmt::Display) -> Result<T, Event> {
    Err(Event { fault, what: what.to_string() })
}

/// A line of play, as it was told.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Line {
    pub(super) rank: usize,
    pub(super) score: Score,
    pub(super) bound: Bound,
    pub(super) nodes: u64,
    pub(super) moves: Vec<String>,
}

/// Everything that came of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub(super) lines: Vec<Line>,
    pub(super) best: Option<String>,
    pub(super) ponder: Option<String>,
    /// By the clock of whoever asked.
    pub(super) used: Duration,
}

/// What there was to judge.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Judged {
    pub(super) lines: usize,
    /// Lines that claim a mate.
    pub(super) mates: usize,
    /// Mates that were found again by trying everything.
    pub(super) proven: usize,
}

impl Judged {
    pub(super) fn add(&mut self, other: Judged) {
        self.lines += other.lines;
        self.mates += other.mates;
        self.proven += other.proven;
    }
}

/// Judges an answer to a position in which the game goes on.
pub(super) fn judge(record: &Record, answer: &Answer, lines: usize) -> Result<Judged, Event> {
    let mut judged = Judged { lines: answer.lines.len(), ..Judged::default() };
    let root = &record.referee;
    for line in &answer.lines {
        judge_line(root, line)?;
        judged.mates += usize::from(matches!(line.score, Score::Mate(_)));
    }
    let Some(best) = &answer.best else { return event(Fault::IllegalMove, "no move") };
    let mut after = root.clone();
    if let Err(error) = after.play(best) {
        return event(Fault::IllegalMove, format_args!("best move: {error:#}"));
    }
    if let Some(ponder) = &answer.ponder
        && let Err(error) = after.play(ponder)
    {
        return event(Fault::IllegalMove, format_args!("expected answer: {error:#}"));
    }
    let last = |rank: usize| answer.lines.iter().rev().find(|line| line.rank == rank);
    let Some(first) = last(1) else { return event(Fault::BadLine, "no line before the best move") };
    if first.moves.first() != Some(best) {
        return event(Fault::BadLine, format_args!("{best} is not the move of the last line, {first:?}"));
    }
    if first.moves.len() > 1 && first.moves.get(1) != answer.ponder.as_ref() {
        return event(Fault::BadLine, format_args!("{:?} is expected after {first:?}", answer.ponder));
    }
    if let Some(line) = answer.lines.iter().find(|line| line.rank > lines) {
        return event(Fault::BadLine, format_args!("{lines} lines were wanted, not {line:?}"));
    }
    for line in (1..=lines).filter_map(last) {
        judged.proven += usize::from(prove_mate(root, line)?);
    }
    Ok(judged)
}

/// A line is legal, ends where the game does, and mates if it says so.
fn judge_line(root: &Referee, line: &Line) -> Result<(), Event> {
    if line.moves.is_empty() || line.rank == 0 {
        return event(Fault::BadLine, format_args!("{line:?}"));
    }
    let mut referee = root.clone();
    let mut end = None;
    for text in &line.moves {
        if let Some(end) = end {
            return event(Fault::BadLine, format_args!("{text} comes after the end ({end:?}) in {line:?}"));
        }
        if let Err(error) = referee.play(text) {
            return event(Fault::IllegalMove, format_args!("{error:#} in {line:?}"));
        }
        end = referee.end(Draws::Claimed);
    }
    let (Score::Mate(moves), Bound::Exact) = (line.score, line.bound) else { return Ok(()) };
    let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
    if moves == 0 || end != Some(End::Mate) || line.moves.len() as i32 != plies {
        return event(Fault::FalseMate, format_args!("{line:?} ends with {end:?}"));
    }
    Ok(())
}

/// The longest mate that is tried, in moves, and with how much effort.
const LONGEST: u32 = 3;
const EFFORT: u32 = 10_000;

/// Tries to prove a mate that is claimed; false if there is none or it is too long.
fn prove_mate(root: &Referee, line: &Line) -> Result<bool, Event> {
    let Score::Mate(moves) = line.score else { return Ok(false) };
    // "At least mated in 3" and "at most a mate in 3" say nothing that could be proven.
    let says_nothing = if moves > 0 { Bound::Upper } else { Bound::Lower };
    let count = moves.unsigned_abs();
    if line.bound == says_nothing || count > LONGEST {
        return Ok(false);
    }
    let mut after = root.clone();
    if let Err(error) = after.play(&line.moves[0]) {
        return event(Fault::IllegalMove, format_args!("{error:#} in {line:?}"));
    }
    let mut effort = Effort(EFFORT);
    let proof = match moves {
        1.. => is_mated(after.position(), count - 1, &mut effort),
        // The best move is mated only if all are.
        _ if line.rank == 1 => is_mated(root.position(), count, &mut effort),
        _ => can_mate(after.position(), count, &mut effort),
    };
    match proof {
        Some(false) => event(Fault::FalseMate, format_args!("everything was tried against {line:?}")),
        proof => Ok(proof == Some(true)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(fen: &str, moves: &str) -> Record {
        let mut record = Record::new(fen.to_owned(), false).expect("legal");
        moves.split_whitespace().for_each(|text| record.play(text).expect("legal"));
        record
    }

    fn line(score: Score, moves: &str) -> Line {
        let moves = moves.split_whitespace().map(str::to_owned).collect();
        Line { rank: 1, score, bound: Bound::Exact, nodes: 1, moves }
    }

    fn answer(line: Line) -> Answer {
        let (best, ponder) = (line.moves.first().cloned(), line.moves.get(1).cloned());
        Answer { lines: vec![line], best, ponder, used: Duration::ZERO }
    }

    fn fault(record: &Record, answer: &Answer) -> Option<Fault> {
        judge(record, answer, 1).err().map(|event| event.fault)
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const BACK_RANK: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";

    #[test]
    fn good_answers_are_let_through() {
        let start = record(START, "");
        assert_eq!(fault(&start, &answer(line(Score::Centipawns(20), "e2e4 e7e5 g1f3"))), None);
        let mating = record(BACK_RANK, "");
        let judged = judge(&mating, &answer(line(Score::Mate(1), "a1a8")), 1).expect("a mate");
        assert_eq!((judged.mates, judged.proven), (1, 1));
    }

    #[test]
    fn bad_lines_are_found() {
        let start = record(START, "");
        let cp = Score::Centipawns(0);
        for (moves, expected) in [
            ("e2e5", Fault::IllegalMove),
            ("e2e4 e2e4", Fault::IllegalMove),
            ("", Fault::BadLine),
            // The third time is on the board before the last move.
            ("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4", Fault::BadLine),
            ("f2f3 e7e5 g2g4 d8h4 e1f2", Fault::BadLine),
        ] {
            assert_eq!(fault(&start, &answer(line(cp, moves))), Some(expected), "{moves}");
        }
        let castling = record("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "");
        assert_eq!(fault(&castling, &answer(line(cp, "e1g1"))), None);
        assert_eq!(fault(&castling, &answer(line(cp, "e1h1"))), Some(Fault::IllegalMove));
    }

    #[test]
    fn false_mates_are_found() {
        let mating = record(BACK_RANK, "");
        for (moves, text) in [(1, "a1a7"), (2, "a1a8"), (-1, "a1a8"), (0, "a1a8"), (2, "a1b1 h7h6 b1b8")] {
            assert_eq!(
                fault(&mating, &answer(line(Score::Mate(moves), text))),
                Some(Fault::FalseMate),
                "{moves} {text}"
            );
        }
        // A bound is a claim too, whatever its line shows.
        let help = record("6k1/5pp1/8/8/8/8/8/R3K3 w - - 0 1", "");
        let mut helped = line(Score::Mate(2), "a1a7 g8h8 a7a8");
        helped.bound = Bound::Lower;
        assert_eq!(fault(&help, &answer(helped.clone())), Some(Fault::FalseMate));
        helped.bound = Bound::Upper;
        assert_eq!(fault(&help, &answer(helped)), None, "nothing is claimed");
    }

    #[test]
    fn answers_that_do_not_fit_their_lines_are_found() {
        let start = record(START, "");
        let good = answer(line(Score::Centipawns(0), "e2e4 e7e5"));
        let with = |change: &dyn Fn(&mut Answer)| {
            let mut answer = good.clone();
            change(&mut answer);
            fault(&start, &answer)
        };
        assert_eq!(with(&|it| it.best = None), Some(Fault::IllegalMove));
        assert_eq!(with(&|it| it.best = Some("d2d4".to_owned())), Some(Fault::BadLine));
        assert_eq!(with(&|it| it.ponder = Some("e2e4".to_owned())), Some(Fault::IllegalMove));
        assert_eq!(with(&|it| it.ponder = Some("d7d5".to_owned())), Some(Fault::BadLine));
        assert_eq!(with(&|it| it.lines[0].rank = 2), Some(Fault::BadLine));
        assert_eq!(with(&|it| it.lines.clear()), Some(Fault::BadLine));
    }
}
