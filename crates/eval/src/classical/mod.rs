//! The classical (hand-crafted) evaluation: what a chess teacher would count.
//!
//! The value is the sum of [terms](Term), White's minus Black's, each with a middlegame and an endgame score. The
//! evaluation is tapered: the game phase (how many pieces are left) interpolates between the two. The endgame half is
//! scaled down where an advantage is hard to win. Material and piece-square tables are
//! [updated incrementally](PsqtState), pawn structure comes from a pawn hash table, the rest is computed for every
//! position.

mod eval_info;
mod explain;
mod king;
mod params;
mod passed;
mod pawns;
mod pieces;
mod psqt;
mod scale;
mod score;
mod shelter;
mod side;
mod threats;
mod tracer;
pub mod tuning;
mod weights;

use ferz_board::{Color, PieceType, Position};

use crate::VALUE_LIMIT;

pub use explain::{EvalBreakdown, TermScores, explain};
pub use params::Term;
pub use psqt::{phase, piece_square};
pub use score::TaperedScore;

pub(crate) use psqt::PsqtState;

use eval_info::EvalInfo;
use params::weigh;
use pawns::{PawnTable, Pawns};
use psqt::FULL_PHASE;
use scale::FULL_SCALE;
use side::{Black, Side, White};
use tracer::Tracer;

/// The classical evaluation of one thread, with its pawn hash table.
#[derive(Clone, Debug)]
pub(crate) struct Classical {
    pawns: PawnTable,
}

impl Classical {
    pub(crate) fn new() -> Classical {
        Classical { pawns: PawnTable::new() }
    }

    /// Clears the pawn hash table.
    pub(crate) fn clear(&mut self) {
        self.pawns.clear();
    }

    /// The value of the position for White, in centipawns, before endgame knowledge; `psqt` is that of the position.
    #[inline]
    pub(crate) fn evaluate(&mut self, position: &Position, psqt: &PsqtState) -> i32 {
        let pawns = self.pawns.probe(position);
        let score = psqt.score() + pawns.score() + board_terms(position, pawns, &mut ());
        taper(score, psqt.phase(), scale::scale(position, score.eg()))
    }
}

/// The endgame value of a side's material, pawns included.
pub(crate) fn material(position: &Position, color: Color) -> i32 {
    let worth = |piece_type: PieceType| {
        position.pieces(piece_type.of(color)).len() as i32
            * weights::WEIGHTS.material[piece_type.index()].eg()
    };
    [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen]
        .into_iter()
        .map(worth)
        .sum()
}

/// The terms that are computed for every position, White's minus Black's.
#[inline(always)]
fn board_terms<T: Tracer>(position: &Position, pawns: &Pawns, tracer: &mut T) -> TaperedScore {
    let mut info = EvalInfo::new(position, pawns);
    // The pieces fill in the attack maps of both sides, which all other terms read.
    let mut score = pieces::pieces::<White, T>(&mut info, tracer);
    score -= pieces::pieces::<Black, T>(&mut info, tracer);
    score += king::attack::<White, T>(&mut info, tracer) - king::attack::<Black, T>(&mut info, tracer);
    score += side_terms::<White, T>(&info, tracer) - side_terms::<Black, T>(&info, tracer);
    match position.side_to_move() {
        Color::White => score + weigh!(tracer, Color::White, tempo[0]),
        Color::Black => score - weigh!(tracer, Color::Black, tempo[0]),
    }
}

#[inline(always)]
fn side_terms<Us: Side, T: Tracer>(info: &EvalInfo<'_>, tracer: &mut T) -> TaperedScore {
    threats::threats::<Us, T>(info, tracer) + passed::passed_pawns::<Us, T>(info, tracer)
}

/// The score of a position from scratch, reported to a tracer.
fn traced_score<T: Tracer>(position: &Position, tracer: &mut T) -> TaperedScore {
    let pawns = Pawns::new(position, tracer);
    psqt::trace(position, tracer) + pawns.score() + board_terms(position, &pawns, tracer)
}

/// Tapered evaluation: interpolates between the middlegame and the (scaled) endgame half by game phase.
#[inline(always)]
fn taper(score: TaperedScore, phase: i32, scale: i32) -> i32 {
    // Division rounds towards zero, so that exchanging the colours exactly negates the value.
    let value = (score.mg() * phase * FULL_SCALE + score.eg() * scale * (FULL_PHASE - phase))
        / (FULL_PHASE * FULL_SCALE);
    value.clamp(-VALUE_LIMIT, VALUE_LIMIT)
}
