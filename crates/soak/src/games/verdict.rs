//! The referee's verdict on an engine's move and on everything it said before.

use std::time::Duration;

use shakmaty::{Chess, Position as _};

use super::{BAD_LINE, FALSE_MATE, ILLEGAL_MOVE};
use crate::figures::{Breach, breach};
use crate::rules::{GameEnd, GameReferee};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ScoreBound {
    Exact,
    Lower,
    Upper,
}

/// A line of `info … pv`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct PvLine {
    pub(super) rank: usize,
    /// The score, if it is a mate.
    pub(super) mate: Option<i32>,
    pub(super) bound: ScoreBound,
    pub(super) nodes: u64,
    pub(super) moves: Vec<String>,
}

/// A `bestmove` with the lines before it.
#[derive(Clone, Debug)]
pub(super) struct EngineMove {
    pub(super) lines: Vec<PvLine>,
    pub(super) best: Option<String>,
    pub(super) ponder: Option<String>,
    pub(super) used: Duration,
}

impl EngineMove {
    pub(super) fn new(best_move: &str, lines: Vec<PvLine>, used: Duration) -> EngineMove {
        let words: Vec<_> = best_move.split_whitespace().map(str::to_owned).collect();
        let best = words.get(1).filter(|&word| word != "(none)").cloned();
        let ponder = words.get(3).filter(|_| words[2] == "ponder").cloned();
        EngineMove { lines, best, ponder, used }
    }
}

/// How many lines were judged.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct JudgedLines {
    pub(super) lines: usize,
    /// Lines with a mate score.
    pub(super) mates: usize,
    /// Mates that brute force has found again.
    pub(super) proven: usize,
}

impl JudgedLines {
    pub(super) fn add(&mut self, other: JudgedLines) {
        self.lines += other.lines;
        self.mates += other.mates;
        self.proven += other.proven;
    }
}

/// Judges a move in a position in which the game goes on.
pub(super) fn judge(root: &GameReferee, answer: &EngineMove, multi_pv: usize) -> Result<JudgedLines, Breach> {
    let mut judged = JudgedLines { lines: answer.lines.len(), ..JudgedLines::default() };
    for line in &answer.lines {
        judge_line(root, line, multi_pv)?;
        judged.mates += usize::from(line.mate.is_some());
    }
    let Some(best) = &answer.best else { return breach(ILLEGAL_MOVE, "no move") };
    let mut after = root.clone();
    for text in std::iter::once(best).chain(&answer.ponder) {
        if let Err(error) = after.play(text) {
            return breach(ILLEGAL_MOVE, format_args!("bestmove: {error:#}"));
        }
    }
    let last = |rank: usize| answer.lines.iter().rev().find(|line| line.rank == rank);
    let Some(first) = last(1) else { return breach(BAD_LINE, "no line before the best move") };
    if first.moves.first() != Some(best) {
        return breach(BAD_LINE, format_args!("{best} is not the move of the last line, {first:?}"));
    }
    if first.moves.len() > 1 && first.moves.get(1) != answer.ponder.as_ref() {
        return breach(BAD_LINE, format_args!("ponder {:?} after {first:?}", answer.ponder));
    }
    for line in (1..=multi_pv).filter_map(last) {
        judged.proven += usize::from(prove_mate(root, line)?);
    }
    Ok(judged)
}

/// A line is legal, ends where the game does, and ends in mate if its score says so.
fn judge_line(root: &GameReferee, line: &PvLine, multi_pv: usize) -> Result<(), Breach> {
    if line.moves.is_empty() || !(1..=multi_pv).contains(&line.rank) {
        return breach(BAD_LINE, format_args!("with MultiPV {multi_pv}: {line:?}"));
    }
    let mut referee = root.clone();
    let mut end = None;
    for text in &line.moves {
        if let Some(end) = end {
            return breach(BAD_LINE, format_args!("{text} comes after the end ({end:?}) in {line:?}"));
        }
        if let Err(error) = referee.play(text) {
            return breach(ILLEGAL_MOVE, format_args!("{error:#} in {line:?}"));
        }
        end = referee.end(true);
    }
    let (Some(moves), ScoreBound::Exact) = (line.mate, line.bound) else { return Ok(()) };
    let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
    if moves == 0 || end != Some(GameEnd::Checkmate) || line.moves.len() as i32 != plies {
        return breach(FALSE_MATE, format_args!("{line:?} ends with {end:?}"));
    }
    Ok(())
}

/// The longest mate that brute force tries to prove, in moves, and the positions it looks at before it gives up.
const LONGEST_MATE: u32 = 3;
const MATE_BUDGET: u32 = 10_000;

/// Tries to prove a mate score; false if there is none or it is too long.
fn prove_mate(root: &GameReferee, line: &PvLine) -> Result<bool, Breach> {
    let Some(moves) = line.mate else { return Ok(false) };
    // "Mated in 3 or later" and "mate in 3 or later" claim nothing that could be proven.
    let claims_nothing = if moves > 0 { ScoreBound::Upper } else { ScoreBound::Lower };
    let count = moves.unsigned_abs();
    if line.bound == claims_nothing || count > LONGEST_MATE {
        return Ok(false);
    }
    let mut after = root.clone();
    if let Err(error) = after.play(&line.moves[0]) {
        return breach(ILLEGAL_MOVE, format_args!("{error:#} in {line:?}"));
    }
    let mut budget = MATE_BUDGET;
    let proof = match moves {
        1.. => is_mated(&after.position, count - 1, &mut budget),
        // The best move is mated only if all are.
        _ if line.rank == 1 => is_mated(&root.position, count, &mut budget),
        _ => can_mate(&after.position, count, &mut budget),
    };
    match proof {
        Some(false) => breach(FALSE_MATE, format_args!("brute force refutes {line:?}")),
        proof => Ok(proof == Some(true)),
    }
}

/// Whether the side to move can force mate in this number of moves; `None` if the budget runs out.
///
/// Repetitions and the 50-move rule are ignored. Both only help the side that is mated, so a mate that is not found here
/// does not exist with them either.
fn can_mate(position: &Chess, moves: u32, budget: &mut u32) -> Option<bool> {
    let mut children: Vec<Chess> = Vec::new();
    for mv in position.legal_moves() {
        let mut child = position.clone();
        child.play_unchecked(mv);
        if moves > 1 || child.is_check() {
            children.push(child);
        }
    }
    // Most mates are found among the checks.
    children.sort_by_key(|child| !child.is_check());
    for child in children {
        if is_mated(&child, moves.checked_sub(1)?, budget)? {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether the side to move is mated in this number of moves at the latest.
fn is_mated(position: &Chess, moves: u32, budget: &mut u32) -> Option<bool> {
    *budget = budget.checked_sub(1)?;
    let replies = position.legal_moves();
    if replies.is_empty() {
        return Some(position.is_check());
    }
    if moves == 0 {
        return Some(false);
    }
    for mv in replies {
        let mut child = position.clone();
        child.play_unchecked(mv);
        if !can_mate(&child, moves, budget)? {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{GameRecord, parse_fen};

    fn referee(fen: &str) -> GameReferee {
        GameRecord::new(fen.to_owned(), false).expect("legal").referee
    }

    fn answer(mate: Option<i32>, moves: &str) -> EngineMove {
        let moves: Vec<_> = moves.split_whitespace().map(str::to_owned).collect();
        let (best, ponder) = (moves.first().cloned(), moves.get(1).cloned());
        let line = PvLine { rank: 1, mate, bound: ScoreBound::Exact, nodes: 1, moves };
        EngineMove { lines: vec![line], best, ponder, used: Duration::ZERO }
    }

    fn fault(root: &GameReferee, answer: &EngineMove) -> Option<&'static str> {
        judge(root, answer, 1).err().map(|broken| broken.kind)
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const BACK_RANK: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";

    #[test]
    fn good_answers_pass() {
        assert_eq!(fault(&referee(START), &answer(None, "e2e4 e7e5 g1f3")), None);
        let judged = judge(&referee(BACK_RANK), &answer(Some(1), "a1a8"), 1).expect("a mate");
        assert_eq!((judged.mates, judged.proven), (1, 1));
    }

    #[test]
    fn bad_lines_are_found() {
        for (moves, expected) in [
            ("e2e5", ILLEGAL_MOVE),
            ("e2e4 e2e4", ILLEGAL_MOVE),
            ("", BAD_LINE),
            // The position is on the board for the third time before the last move.
            ("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4", BAD_LINE),
            ("f2f3 e7e5 g2g4 d8h4 e1f2", BAD_LINE),
        ] {
            assert_eq!(fault(&referee(START), &answer(None, moves)), Some(expected), "{moves}");
        }
        let castling = referee("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        assert_eq!(fault(&castling, &answer(None, "e1g1")), None);
        assert_eq!(fault(&castling, &answer(None, "e1h1")), Some(ILLEGAL_MOVE));
    }

    #[test]
    fn false_mates_are_found() {
        for (moves, text) in [(1, "a1a7"), (2, "a1a8"), (-1, "a1a8"), (0, "a1a8"), (2, "a1b1 h7h6 b1b8")] {
            let found = fault(&referee(BACK_RANK), &answer(Some(moves), text));
            assert_eq!(found, Some(FALSE_MATE), "{moves} {text}");
        }
        // A lower bound claims a mate, whatever its line shows; an upper bound claims nothing.
        for (bound, expected) in [(ScoreBound::Lower, Some(FALSE_MATE)), (ScoreBound::Upper, None)] {
            let mut helped = answer(Some(2), "a1a7 g8h8 a7a8");
            helped.lines[0].bound = bound;
            assert_eq!(fault(&referee("6k1/5pp1/8/8/8/8/8/R3K3 w - - 0 1"), &helped), expected);
        }
    }

    #[test]
    fn answers_that_contradict_their_lines_are_found() {
        let with = |change: &dyn Fn(&mut EngineMove)| {
            let mut answer = answer(None, "e2e4 e7e5");
            change(&mut answer);
            fault(&referee(START), &answer)
        };
        assert_eq!(with(&|_| {}), None);
        assert_eq!(with(&|it| it.best = None), Some(ILLEGAL_MOVE));
        assert_eq!(with(&|it| it.best = Some("d2d4".to_owned())), Some(BAD_LINE));
        assert_eq!(with(&|it| it.ponder = Some("e2e4".to_owned())), Some(ILLEGAL_MOVE));
        assert_eq!(with(&|it| it.ponder = Some("d7d5".to_owned())), Some(BAD_LINE));
        assert_eq!(with(&|it| it.lines[0].rank = 2), Some(BAD_LINE));
        assert_eq!(with(&|it| it.lines.clear()), Some(BAD_LINE));
    }

    #[test]
    fn brute_force_finds_short_mates() {
        let at = |fen: &str| parse_fen(fen).expect("legal");
        let ladder = "7k/8/8/8/8/R7/1R6/K7 w - - 0 1";
        for (fen, moves, expected) in [(BACK_RANK, 1, true), (ladder, 1, false), (ladder, 2, true)] {
            assert_eq!(can_mate(&at(fen), moves, &mut 100_000), Some(expected), "{fen} {moves}");
        }
        let cornered = "7k/R7/8/8/8/8/1R6/K7 b - - 0 1";
        assert_eq!(is_mated(&at(cornered), 1, &mut 100_000), Some(true));
        assert_eq!(is_mated(&at(cornered), 0, &mut 100_000), Some(false));
        assert_eq!(is_mated(&at("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), 3, &mut 100_000), Some(false));
        assert_eq!(can_mate(&at(START), 4, &mut 1_000), None, "the budget is used up");
    }
}
