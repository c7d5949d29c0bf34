//! The search below the horizon: captures and promotions until the position is quiet, all moves in check.

use crate::exchange::{captured, exchange_gains, worth};
use crate::node::Node;
use crate::parameters::tuned;
use crate::picker::{Picker, is_tactical};
use crate::table::{Entry, TableBound};
use crate::value::{DRAW, INFINITE, Value, is_decisive, is_loss, mated_at};
use crate::worker::Worker;

impl Worker<'_> {
    /// The value of a position once the fighting is over.
    pub(crate) fn quiesce<N: Node>(&mut self, ply: usize, mut alpha: Value, beta: Value) -> Value {
        if let Some(value) = self.enter::<N>(ply, &mut alpha, beta) {
            return value;
        }
        let in_check = self.frame(ply).in_check;

        let key = self.table_key(ply);
        let clock = self.frame(ply).position.halfmove_clock();
        let known = self.shared.table.probe(key);
        let known_value = known.filter(|it| it.bound != TableBound::None).map(|it| it.value_at(ply, clock));
        let on_pv = N::PV || known.is_some_and(|it| it.pv);
        if !N::PV
            && let (Some(entry), Some(value)) = (known, known_value)
            && entry.bound.confirms(value, beta)
            && clock < 90
        {
            return value;
        }

        // Standing pat: nobody has to capture.
        let mut best = -INFINITE;
        let mut raw_eval = None;
        let mut futility = -INFINITE;
        if !in_check {
            let raw = known.and_then(|it| it.eval).unwrap_or_else(|| self.evaluate(ply));
            raw_eval = Some(raw);
            let static_eval = self.corrected(ply, raw);
            self.frame_mut(ply).static_eval = Some(static_eval);
            best = match (known, known_value) {
                (Some(entry), Some(value))
                    if !is_decisive(value) && entry.bound.confirms(value, static_eval) =>
                {
                    value
                }
                _ => static_eval,
            };
            if best >= beta {
                if known.is_none() {
                    let (mv, bound) = (None, TableBound::None);
                    self.shared
                        .table
                        .store(key, Entry { mv, value: DRAW, eval: raw_eval, depth: 0, bound, pv: on_pv });
                }
                return if is_decisive(best) || is_decisive(beta) { best } else { (best + beta) / 2 };
            }
            alpha = alpha.max(best);
            futility = static_eval + tuned::quiescence_futility();
        } else {
            self.frame_mut(ply).static_eval = None;
        }

        let context = self.context(ply);
        let last_target = self.frame_before(ply, 1).mv.map(ferz_board::Move::to);
        let mut picker = Picker::quiescence(
            &self.arena,
            &self.frame(ply).position,
            known.and_then(|it| it.mv),
            context,
            in_check,
        );
        let mut best_move = None;
        let mut count = 0;
        while let Some(mv) = self.pick(ply, &mut picker) {
            count += 1;
            let position = &self.frame(ply).position;
            if !is_loss(best) {
                let tactical = is_tactical(position, mv);
                if in_check {
                    // One defence that holds is enough: further quiet ones are not looked at.
                    if !tactical {
                        picker.skip_quiets();
                        continue;
                    }
                } else {
                    let recapture = Some(mv.to()) == last_target;
                    let gives_check = position.gives_check(mv);
                    if count > 3 && !recapture && !gives_check {
                        continue;
                    }
                    // Too little to reach alpha even if it is for nothing.
                    if !gives_check && !recapture && mv.promotion().is_none() {
                        let hope = futility + captured(position, mv).map_or(0, worth);
                        if hope <= alpha {
                            best = best.max(hope);
                            continue;
                        }
                    }
                    if !exchange_gains(position, mv, -tuned::quiescence_exchange()) {
                        continue;
                    }
                }
            }
            self.make(ply, mv);
            let value = -self.quiesce::<N>(ply + 1, -beta, -alpha);
            self.unmake();
            if self.stopped {
                picker.finish(&mut self.arena);
                return DRAW;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.update_line(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }
        picker.finish(&mut self.arena);
        if in_check && count == 0 {
            return mated_at(ply);
        }
        if best >= beta && !is_decisive(best) && !is_decisive(beta) {
            best = (best + beta) / 2;
        }
        let bound = if best >= beta { TableBound::Lower } else { TableBound::Upper };
        self.store(ply, key, best_move, best, raw_eval, 0, bound, on_pv);
        best
    }
}
