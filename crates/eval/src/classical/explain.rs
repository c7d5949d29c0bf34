//! An evaluation taken apart for a human to read.

use std::fmt;

use ferz_board::{Color, Position};

use super::endgame;
use super::increments::{FULL_PHASE, Increments};
use super::params::{FIELDS, Term};
use super::score::Score;
use super::tracer::Tracer;
use super::weights::WEIGHTS;
use super::{VALUE_LIMIT, blend, traced_score};

/// What one term gives to either side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The term.
    pub term: Term,
    /// For White.
    pub white: Score,
    /// For Black, seen from Black's side.
    pub black: Score,
}

/// Where the value of a position comes from.
///
/// The rows add up: White's halves minus Black's, the end-game half scaled, blended by the phase, are the value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The terms. Empty if the position is an ending with a value of its own.
    pub rows: Vec<Row>,
    /// How far the middle game counts: 24 with all pieces on the board, 0 without any.
    pub phase: i32,
    /// How much of the end-game half counts, in 64ths.
    pub scale: i32,
    /// The value for White, in centipawns.
    pub value: i32,
}

impl Explanation {
    /// The phase with all pieces on the board.
    pub const FULL_PHASE: i32 = FULL_PHASE;
    /// The scale of an end game that counts in full.
    pub const FULL_SCALE: i32 = endgame::FULL_SCALE;

    /// All rows together, White's minus Black's.
    pub fn total(&self) -> Score {
        self.rows.iter().fold(Score::ZERO, |sum, row| sum + row.white - row.black)
    }
}

/// Evaluates a position and tells where the value comes from.
pub fn explain(position: &Position) -> Explanation {
    let phase = Increments::new(position).phase();
    if let Some(value) = endgame::bare_king(position) {
        return Explanation { rows: Vec::new(), phase, scale: endgame::FULL_SCALE, value };
    }
    let mut ledger =
        Ledger { rows: Term::ALL.map(|term| Row { term, white: Score::ZERO, black: Score::ZERO }) };
    let score = traced_score(position, &mut ledger);
    let scale = endgame::scale(position, score.eg());
    Explanation { rows: ledger.rows.to_vec(), phase, scale, value: blend(score, phase, scale) }
}

/// A tracer that adds up what it hears, term by term.
struct Ledger {
    rows: [Row; Term::ALL.len()],
}

impl Ledger {
    fn enter(&mut self, color: Color, term: Term, score: Score) {
        let row = &mut self.rows[term as usize];
        match color {
            Color::White => row.white += score,
            Color::Black => row.black += score,
        }
    }
}

impl Tracer for Ledger {
    fn counted(&mut self, color: Color, weight: usize, count: i32) {
        let field = FIELDS.iter().rev().find(|field| field.start <= weight);
        if let Some(field) = field.filter(|field| field.term != Term::KingAttack) {
            self.enter(color, field.term, WEIGHTS.flat()[weight] * count);
        }
    }

    fn combined(&mut self, color: Color, term: Term, score: Score) {
        self.enter(color, term, score);
    }
}

/// Centipawns as pawns.
struct Pawns(i32);

impl fmt::Display for Pawns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:+.2}", f64::from(self.0) / 100.0))
    }
}

impl fmt::Display for Explanation {
    /// A table of fixed width, in pawns; the total is White's minus Black's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const RULE: &str = "---------------+-----------------+-----------------+-----------------";
        if self.rows.is_empty() {
            writeln!(f, "An ending with a bare king: the value leads to mate, or says there is none.")?;
            return write!(f, "Value  {} for White", Pawns(self.value));
        }
        writeln!(f, "{:14} | {:^15} | {:^15} | {:>10}", "", "White", "Black", "Total")?;
        writeln!(
            f,
            "{:14} | {:>7} {:>7} | {:>7} {:>7} | {:>7} {:>7}",
            "Term", "mid", "end", "mid", "end", "mid", "end"
        )?;
        writeln!(f, "{RULE}")?;
        let halves = |score: Score| (Pawns(score.mg()), Pawns(score.eg()));
        for row in &self.rows {
            let ((wm, we), (bm, be)) = (halves(row.white), halves(row.black));
            let (tm, te) = halves(row.white - row.black);
            writeln!(f, "{:14} | {wm:>7} {we:>7} | {bm:>7} {be:>7} | {tm:>7} {te:>7}", row.term.name())?;
        }
        writeln!(f, "{RULE}")?;
        let (tm, te) = halves(self.total());
        writeln!(f, "{:14} | {:15} | {:15} | {tm:>7} {te:>7}", "Total", "", "")?;
        writeln!(f, "Phase  {}/24 middle game, {}/24 end game", self.phase, 24 - self.phase)?;
        writeln!(f, "Scale  {}/64 of the end game counts", self.scale)?;
        let bound = if self.value.abs() == VALUE_LIMIT { " (at the limit)" } else { "" };
        write!(f, "Value  {} for White{bound}", Pawns(self.value))
    }
}
