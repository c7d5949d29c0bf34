//! Quiescence search: captures and promotions until the position is quiet; in check, evasions.

use ferz_board::{Move, Piece};

use crate::check_info::CheckInfo;
use crate::move_picker::{MovePicker, is_tactical};
use crate::node::NodeType;
use crate::parameters::params;
use crate::see::{piece_value, see_ge};
use crate::tt::{TT_CUTOFF_CLOCK_LIMIT, TtBound, TtEntry};
use crate::value::{DRAW, INFINITE, Value, is_decisive, is_loss, mated_at};
use crate::worker::Worker;

/// Move count pruning: later captures are searched only if they recapture or give check.
const QSEARCH_MAX_MOVES: usize = 3;

impl Worker<'_> {
    /// The value of a position once no capture is pending.
    pub(crate) fn qsearch<N: NodeType>(&mut self, ply: usize, mut alpha: Value, beta: Value) -> Value {
        // Limits and draws, as in the main search.
        if let Some(value) = self.enter_node::<N>(ply, &mut alpha, beta) {
            return value;
        }
        let in_check = self.ss(ply).in_check;

        // TT probe and TT cutoff. Entries of any depth will do.
        let key = self.tt_key(ply);
        let clock = self.ss(ply).position.halfmove_clock();
        let tt_entry = self.shared.tt.probe(key);
        let tt_value = tt_entry.filter(|it| it.bound != TtBound::None).map(|it| it.value_from_tt(ply, clock));
        let tt_pv = N::PV || tt_entry.is_some_and(|it| it.pv);
        if !N::PV
            && let (Some(entry), Some(value)) = (tt_entry, tt_value)
            && entry.bound.confirms(value, beta)
            && clock < TT_CUTOFF_CLOCK_LIMIT
        {
            return value;
        }

        // Stand pat. The side to move need not capture, so the evaluation is a lower bound.
        let mut best_value = -INFINITE;
        let mut raw_eval = None;
        let mut futility_base = -INFINITE;
        if !in_check {
            let raw = tt_entry.and_then(|it| it.eval).unwrap_or_else(|| self.evaluate(ply));
            raw_eval = Some(raw);
            let correction = self.history.correction(&self.correction_keys(ply));
            let static_eval = self.corrected_eval(ply, raw, correction);
            self.ss_mut(ply).static_eval = Some(static_eval);
            best_value = match (tt_entry, tt_value) {
                (Some(entry), Some(value))
                    if !is_decisive(value) && entry.bound.confirms(value, static_eval) =>
                {
                    value
                }
                _ => static_eval,
            };
            if best_value >= beta {
                if tt_entry.is_none() {
                    let (mv, bound) = (None, TtBound::None);
                    self.shared
                        .tt
                        .store(key, TtEntry { mv, value: DRAW, eval: raw_eval, depth: 0, bound, pv: tt_pv });
                }
                return fail_high_value(best_value, beta);
            }
            alpha = alpha.max(best_value);
            futility_base = static_eval + params::delta_pruning_margin();
        } else {
            self.ss_mut(ply).static_eval = None;
            self.update_attacked(ply);
        }

        #[cfg(feature = "sample")]
        let stand_pat = best_value;
        let context = self.continuation_context(ply);
        let last_target = self.ss_back(ply, 1).mv.map(Move::to);
        let mut picker = MovePicker::quiescence(
            &self.arena,
            &self.ss(ply).position,
            tt_entry.and_then(|it| it.mv),
            context,
            in_check,
        );
        let checks = CheckInfo::new(&self.ss(ply).position);
        let mut best_move = None;
        let mut move_count = 0;
        while let Some(mv) = self.pick(ply, &mut picker, &checks) {
            move_count += 1;
            let position = &self.ss(ply).position;
            if !is_loss(best_value) {
                let tactical = is_tactical(position, mv);
                if in_check {
                    // One evasion that holds is enough: further quiet ones are skipped.
                    if !tactical {
                        picker.skip_quiets();
                        continue;
                    }
                } else {
                    let is_recapture = Some(mv.to()) == last_target;
                    let gives_check = checks.gives_check(position, mv);
                    // Move count pruning. The best captures come first.
                    if move_count > QSEARCH_MAX_MOVES && !is_recapture && !gives_check {
                        continue;
                    }
                    // Delta pruning. Even winning the piece for nothing would not reach alpha.
                    if !gives_check && !is_recapture && mv.promotion().is_none() {
                        let captured = position.captured(mv).map(Piece::piece_type);
                        let futility_value = futility_base + captured.map_or(0, piece_value);
                        if futility_value <= alpha {
                            best_value = best_value.max(futility_value);
                            continue;
                        }
                    }
                    // SEE pruning. The exchange loses material.
                    if !see_ge(position, mv, -params::qsearch_see_margin()) {
                        continue;
                    }
                }
            }
            self.make(ply, mv);
            let value = -self.qsearch::<N>(ply + 1, -beta, -alpha);
            self.unmake();
            if self.stopped {
                picker.finish(&mut self.arena);
                return DRAW;
            }
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.update_pv(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }
        picker.finish(&mut self.arena);

        #[cfg(feature = "sample")]
        if !in_check && best_move.is_none() && best_value == stand_pat {
            self.offer_sample(ply, true);
        }
        // Checkmate. Stalemate is not looked for: quiet moves are not generated.
        if in_check && move_count == 0 {
            return mated_at(ply);
        }
        if best_value >= beta {
            best_value = fail_high_value(best_value, beta);
        }
        let bound = if best_value >= beta { TtBound::Lower } else { TtBound::Upper };
        self.store(ply, key, best_move, best_value, raw_eval, 0, bound, tt_pv);
        best_value
    }
}

/// The value of a fail high, half-way between beta and what was found: captures alone prove little.
#[inline]
fn fail_high_value(value: Value, beta: Value) -> Value {
    if is_decisive(value) || is_decisive(beta) { value } else { (value + beta) / 2 }
}
