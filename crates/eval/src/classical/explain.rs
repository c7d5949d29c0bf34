//! The evaluation as a table of terms (evaluation trace).

use std::fmt;

use ferz_board::{Color, Position};

use super::params::{FIELDS, Term};
use super::psqt::{FULL_PHASE, PsqtState};
use super::scale::{self, FULL_SCALE};
use super::score::TaperedScore;
use super::tracer::Tracer;
use super::weights::WEIGHTS;
use super::{VALUE_LIMIT, taper, traced_score};
use crate::endgame::{self, EndgameRule, Knowledge};

/// The scores of one term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TermScores {
    /// The term.
    pub term: Term,
    /// For White.
    pub white: TaperedScore,
    /// For Black, seen from Black's side.
    pub black: TaperedScore,
}

/// The classical evaluation of a position, term by term (evaluation trace).
///
/// The rows add up: White's scores minus Black's, the endgame half scaled, tapered by the game phase, give the value,
/// unless endgame knowledge changes it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct EvalBreakdown {
    /// The terms. Empty if endgame knowledge gives the value.
    pub rows: Vec<TermScores>,
    /// The game phase: 24 with all pieces on the board (middlegame), 0 without any (endgame).
    pub phase: i32,
    /// The scale factor of the endgame half, in 64ths.
    pub scale: i32,
    /// The endgame rule that gives or changes the value.
    pub rule: Option<EndgameRule>,
    /// The value for White, in centipawns.
    pub value: i32,
}

impl EvalBreakdown {
    /// The phase with all pieces on the board.
    pub const FULL_PHASE: i32 = FULL_PHASE;
    /// The scale factor of an endgame that counts in full.
    pub const FULL_SCALE: i32 = FULL_SCALE;

    /// The sum of all rows, White's minus Black's.
    #[must_use]
    pub fn total(&self) -> TaperedScore {
        self.rows.iter().fold(TaperedScore::ZERO, |sum, row| sum + row.white - row.black)
    }
}

/// Evaluates a position with the classical evaluation and explains the value term by term.
///
/// ```
/// use ferz_board::Position;
/// use ferz_eval::{Term, explain};
///
/// let position: Position = "4k3/8/8/8/8/8/PPPP4/4K3 w - - 0 1".parse().unwrap();
/// let breakdown = explain(&position);
/// let material = breakdown.rows.iter().find(|row| row.term == Term::Material).unwrap();
/// assert!(material.white.eg() > material.black.eg());
/// println!("{breakdown}");
/// ```
#[must_use]
pub fn explain(position: &Position) -> EvalBreakdown {
    let phase = PsqtState::new(position).phase();
    let known = endgame::probe(position);
    let rule = known.map(|known| known.rule);
    if let Some(value) = known.and_then(Knowledge::value) {
        return EvalBreakdown { rows: Vec::new(), phase, scale: FULL_SCALE, rule, value };
    }
    let mut ledger = Ledger {
        rows: Term::ALL
            .iter()
            .map(|&term| TermScores { term, white: TaperedScore::ZERO, black: TaperedScore::ZERO })
            .collect(),
    };
    let score = traced_score(position, &mut ledger);
    let scale = scale::scale(position, score.eg());
    let value = taper(score, phase, scale);
    let value = known.map_or(value, |known| known.apply(value));
    EvalBreakdown { rows: ledger.rows, phase, scale, rule, value }
}

/// A tracer that adds up scores term by term.
struct Ledger {
    /// By term.
    rows: Vec<TermScores>,
}

impl Ledger {
    fn enter(&mut self, color: Color, term: Term, score: TaperedScore) {
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

    fn combined(&mut self, color: Color, term: Term, score: TaperedScore) {
        self.enter(color, term, score);
    }
}

/// A value in centipawns, displayed in pawns.
struct Pawns(i32);

impl fmt::Display for Pawns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:+.2}", f64::from(self.0) / 100.0))
    }
}

impl fmt::Display for EvalBreakdown {
    /// A table of fixed width, in pawns; the total is White's minus Black's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const RULE: &str = "---------------+-----------------+-----------------+-----------------";
        let rule = self.rule.map(|rule| format!("Rule   {rule}\n")).unwrap_or_default();
        if self.rows.is_empty() {
            f.write_str(&rule)?;
            return write!(f, "Value  {} for White", Pawns(self.value));
        }
        writeln!(f, "{:14} | {:^15} | {:^15} | {:>10}", "", "White", "Black", "Total")?;
        writeln!(
            f,
            "{:14} | {:>7} {:>7} | {:>7} {:>7} | {:>7} {:>7}",
            "Term", "mid", "end", "mid", "end", "mid", "end"
        )?;
        writeln!(f, "{RULE}")?;
        let halves = |score: TaperedScore| (Pawns(score.mg()), Pawns(score.eg()));
        for row in &self.rows {
            let ((wm, we), (bm, be)) = (halves(row.white), halves(row.black));
            let (tm, te) = halves(row.white - row.black);
            writeln!(f, "{:14} | {wm:>7} {we:>7} | {bm:>7} {be:>7} | {tm:>7} {te:>7}", row.term.name())?;
        }
        writeln!(f, "{RULE}")?;
        let (tm, te) = halves(self.total());
        writeln!(f, "{:14} | {:15} | {:15} | {tm:>7} {te:>7}", "Total", "", "")?;
        writeln!(f, "Phase  {}/24 middlegame, {}/24 endgame", self.phase, 24 - self.phase)?;
        writeln!(f, "Scale  {}/64 of the endgame score", self.scale)?;
        f.write_str(&rule)?;
        let bound = if self.value.abs() == VALUE_LIMIT { " (at the limit)" } else { "" };
        write!(f, "Value  {} for White{bound}", Pawns(self.value))
    }
}
