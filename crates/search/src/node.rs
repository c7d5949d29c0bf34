//! The search of one node: principal variation search (PVS) with pruning, extensions and reductions.
//!
//! Every technique has a heading with its usual name and one sentence with the chess reason. Margins and rates that
//! games decide are in `parameters.rs`; the constants here are limits of depth and of counts.

use ferz_board::{Move, MoveList, Piece};

use crate::check_info::CheckInfo;
use crate::history::PieceTo;
use crate::lmr::lmr_reduction;
use crate::move_picker::{MovePicker, Stage, is_tactical};
use crate::parameters::{in_eighths, params, sixteenths};
use crate::see::see_ge;
use crate::tt::{TT_CUTOFF_CLOCK_LIMIT, TtBound, TtEntry, value_to_tt};
use crate::value::{
    DRAW, INFINITE, MAX_PLY, Value, is_decisive, is_loss, is_mate, is_win, mate_at, mated_at,
};
use crate::worker::Worker;
use crate::{Bound, Report};

/// The type of a node, known at compile time.
pub(crate) trait NodeType {
    /// A PV node: searched with an open window.
    const PV: bool;
    const ROOT: bool;
}

pub(crate) struct RootNode;
pub(crate) struct PvNode;
pub(crate) struct NonPvNode;

impl NodeType for RootNode {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeType for PvNode {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeType for NonPvNode {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// TT cutoff: above this depth a cutoff that contradicts the expected node type is accepted.
const TT_CUTOFF_ANY_TYPE_DEPTH: i32 = 5;
/// Tablebase probe: results are stored with this number of plies more, as nothing is more certain.
const TABLE_DEPTH_BONUS: i32 = 6;
/// TT cutoff: later moves of the parent are not blamed for the refutation.
const TT_PRIOR_MALUS_MAX_MOVES: usize = 3;
/// Evaluation difference: deeper nodes that have a TT entry have taught it before.
const EVAL_HISTORY_MAX_DEPTH: i32 = 5;
/// Hindsight: the plies of the parent's reduction for a ply more, and for a ply less.
const HINDSIGHT_DEEPER_REDUCTION: i32 = 2;
const HINDSIGHT_SHALLOWER_REDUCTION: i32 = 1;
/// Reverse futility pruning: deeper nodes are searched.
const RFP_MAX_DEPTH: i32 = 9;
/// Reverse futility pruning: the margin never gets smaller than this.
const RFP_MIN_MARGIN: Value = 20;
/// Null move pruning: plies taken off at any depth.
const NMP_BASE_REDUCTION: i32 = 4;
/// Null move pruning: plies taken off for a high evaluation, at most.
const NMP_MAX_EVAL_REDUCTION: i32 = 4;
/// Null move pruning: from this depth on a fail high is verified.
const NMP_VERIFICATION_DEPTH: i32 = 15;
/// Internal iterative reduction: shallower nodes are cheap enough as they are.
const IIR_MIN_DEPTH: i32 = 6;
/// ProbCut: shallower nodes are not worth the attempt.
const PROBCUT_MIN_DEPTH: i32 = 5;
/// ProbCut: plies taken off the search that verifies a capture.
const PROBCUT_REDUCTION: i32 = 4;
/// History pruning: deeper nodes search these moves.
const HISTORY_PRUNING_MAX_DEPTH: i32 = 7;
/// Futility pruning: the limit of the depth after late move reductions.
const FUTILITY_MAX_LMR_DEPTH: i32 = 8;
/// SEE pruning of quiet moves: the limit of the depth after late move reductions.
const SEE_QUIET_MAX_LMR_DEPTH: i32 = 9;
/// SEE pruning of captures: deeper nodes search these moves.
const SEE_CAPTURE_MAX_DEPTH: i32 = 8;
/// Singular extensions: shallower nodes do not try; one ply more where the principal variation is or was.
const SINGULAR_MIN_DEPTH: i32 = 6;
/// Singular extensions: by how many plies the TT entry may be shallower than the node.
const SINGULAR_TT_DEPTH_MARGIN: i32 = 3;
/// Low depth extensions: deeper nodes have singular extensions.
const LOW_DEPTH_EXTENSION_MAX_DEPTH: i32 = 7;
/// Late move reductions: more than this number of fail highs among the replies reduces further.
const LMR_MANY_CUTOFFS: u32 = 3;
/// A raised alpha takes a ply off the remaining moves at depths above the first and below the second number.
const ALPHA_RAISE_DEPTHS: (i32, i32) = (2, 13);
/// A fail high: later moves of the parent are not blamed for the refutation.
const PRIOR_MALUS_MAX_MOVES: usize = 1;
/// A fail low: the bonus of the parent's move grows with its number up to this one.
const PRIOR_BONUS_MAX_MOVES: usize = 13;
/// Moves of a node that get a history malus, at most: later ones were hardly looked at.
const MAX_MALUS_MOVES: usize = 48;

/// The history bonus of a move that proved best at this depth.
fn history_bonus(depth: i32) -> i32 {
    (params::history_bonus_slope() * depth - params::history_bonus_offset()).min(params::history_bonus_max())
}

/// The history malus of the moves tried before it.
fn history_malus(depth: i32) -> i32 {
    (params::history_malus_slope() * depth - params::history_malus_offset()).min(params::history_malus_max())
}

/// Reverse futility pruning: a lead over beta that the opponent will not make up in `depth` plies.
fn rfp_margin(depth: i32, improving: bool) -> Value {
    let improvement = params::rfp_improving() * i32::from(improving);
    (params::rfp_slope() * depth - improvement).max(RFP_MIN_MARGIN)
}

/// Reverse futility pruning: the value returned, nearer to the proven beta than to the mere evaluation.
fn rfp_value(eval: Value, beta: Value) -> Value {
    (2 * beta + eval) / 3
}

impl Worker<'_> {
    /// The value of a position, searched `depth` plies deep: exact if it lies between `alpha` and `beta`, else a
    /// bound. `cut_node`: a fail high is expected here.
    pub(crate) fn search<N: NodeType>(
        &mut self,
        ply: usize,
        mut alpha: Value,
        mut beta: Value,
        mut depth: i32,
        cut_node: bool,
    ) -> Value {
        debug_assert!(alpha < beta && (N::PV || alpha + 1 == beta));
        debug_assert!(!(N::PV && cut_node));

        // Step 1. Quiescence search. With no depth left, only captures are searched.
        if depth <= 0 {
            return self.qsearch::<N>(ply, alpha, beta);
        }
        depth = depth.min(MAX_PLY as i32 - 1);

        // Step 2. Limits and draws: stop signals, repetitions, upcoming repetitions, the fifty-move rule.
        if let Some(value) = self.enter_node::<N>(ply, &mut alpha, beta) {
            return value;
        }
        let in_check = self.ss(ply).in_check;

        // Step 3. Mate distance pruning (MDP). With a shorter mate found elsewhere, even a mate here changes nothing.
        if !N::ROOT {
            alpha = alpha.max(mated_at(ply));
            beta = beta.min(mate_at(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }
        self.ss_mut(ply + 1).killer = None;
        self.ss_mut(ply + 1).cutoff_count = 0;

        // Step 4. Transposition table (TT) probe. The position may have been searched before by other moves.
        let excluded = self.ss(ply).excluded;
        let key = self.tt_key(ply);
        let clock = self.ss(ply).position.halfmove_clock();
        let tt_entry = if excluded.is_some() { None } else { self.shared.tt.probe(key) };
        let tt_value = tt_entry.filter(|it| it.bound != TtBound::None).map(|it| it.value_from_tt(ply, clock));
        let tt_move = if N::ROOT {
            Some(self.root_moves[self.first_root_move].mv)
        } else {
            tt_entry.and_then(|it| it.mv)
        };
        let tt_pv = N::PV || tt_entry.is_some_and(|it| it.pv) || excluded.is_some() && self.ss(ply).tt_pv;
        self.ss_mut(ply).tt_pv = tt_pv;

        // Step 5. TT cutoff. A stored value that is deep enough and on the right side of the window saves the search. A
        // mate is a proof at any depth.
        if !N::PV
            && let (Some(entry), Some(value)) = (tt_entry, tt_value)
            && entry.bound.confirms(value, beta)
            && (is_mate(value) && (value > 0) == (value >= beta)
                || entry.depth > depth - i32::from(value <= beta)
                    && (cut_node == (value >= beta) || depth > TT_CUTOFF_ANY_TYPE_DEPTH))
            && clock < TT_CUTOFF_CLOCK_LIMIT
        {
            if value >= beta
                && self.ss(ply - 1).move_count <= TT_PRIOR_MALUS_MAX_MOVES
                && let Some(prior) = self.prior_quiet(ply)
            {
                // The opponent's last move was ordered too early.
                self.update_continuation_histories(ply - 1, prior, -params::tt_prior_malus());
            }
            if value >= beta
                && let Some(mv) = tt_move
                && self.ss(ply).position.is_legal(mv)
                && !is_tactical(&self.ss(ply).position, mv)
            {
                self.update_attacked(ply);
                self.update_quiet_histories(ply, mv, history_bonus(depth));
            }
            return value;
        }

        // Step 6. Tablebase probe. Endgame tables know the result of positions with few men; a PV node still looks for
        // a mate beyond it.
        let (mut table_floor, mut table_ceiling) = (-INFINITE, INFINITE);
        if !N::ROOT
            && self.shared.probe_men > 0
            && self.ss(ply).position.occupied().len() <= self.shared.probe_men
            && excluded.is_none()
            && let Some((value, bound)) = self.probe_tables(ply, depth)
        {
            let is_cutoff = match bound {
                TtBound::Lower => value >= beta,
                TtBound::Upper => value <= alpha,
                _ => true,
            };
            if is_cutoff {
                let depth = depth + TABLE_DEPTH_BONUS;
                self.store(ply, key, None, value, None, depth, bound, tt_pv);
                return value;
            }
            if N::PV && bound == TtBound::Lower {
                table_floor = value;
                alpha = alpha.max(value);
            } else if N::PV {
                table_ceiling = value;
            }
        }

        // Step 7. Static evaluation with correction history, replaced by the TT value where that is a better bound
        // (TT-adjusted evaluation).
        let context = self.continuation_context(ply);
        // The size of the correction says how hard the position is to evaluate (complexity).
        let correction = self.history.correction(&self.correction_keys(ply));
        let (eval, raw_eval) = if in_check {
            self.ss_mut(ply).static_eval = None;
            (None, None)
        } else if let (Some(_), Some(eval)) = (excluded, self.ss(ply).static_eval) {
            (Some(eval), None)
        } else {
            let raw = tt_entry.and_then(|it| it.eval).unwrap_or_else(|| self.evaluate(ply));
            let static_eval = self.corrected_eval(ply, raw, correction);
            self.ss_mut(ply).static_eval = Some(static_eval);
            if tt_entry.is_none() {
                let eval = Some(raw);
                let bound = TtBound::None;
                self.shared
                    .tt
                    .store(key, TtEntry { mv: None, value: DRAW, eval, depth: 0, bound, pv: tt_pv });
            }
            let better = tt_value.filter(|&value| {
                !is_decisive(value) && tt_entry.is_some_and(|it| it.bound.confirms(value, static_eval))
            });
            (Some(better.unwrap_or(static_eval)), Some(raw))
        };
        // Improving: better for the side to move than at its last turn, so that fewer moves can be dismissed.
        let static_eval = self.ss(ply).static_eval;
        let previous_eval = self.ss_back(ply, 2).static_eval.or(self.ss_back(ply, 4).static_eval);
        let improving = static_eval.is_some_and(|now| previous_eval.is_none_or(|before| now > before));
        let tt_move_is_tactical = tt_move.is_some_and(|mv| is_tactical(&self.ss(ply).position, mv));

        // Evaluation difference. A quiet move after which the evaluation is better for its side was a good one.
        if !N::ROOT
            && excluded.is_none()
            && (depth <= EVAL_HISTORY_MAX_DEPTH || tt_entry.is_none())
            && let Some(prior) = self.prior_quiet(ply)
            && let (Some(before), Some(now)) = (self.ss(ply - 1).static_eval, static_eval)
        {
            let bonus = (-(before + now) * params::eval_history_slope())
                .clamp(-params::eval_history_min(), params::eval_history_max());
            self.update_butterfly_history(ply - 1, prior, bonus);
        }

        // Hindsight. The parent reduced its move before it knew this evaluation. A good move deserves a ply more,
        // a bad one a ply less.
        if !N::ROOT
            && excluded.is_none()
            && let (Some(now), Some(theirs)) = (static_eval, self.ss_back(ply, 1).static_eval)
        {
            let reduction = self.ss_back(ply, 1).reduction;
            if reduction >= HINDSIGHT_DEEPER_REDUCTION && now + theirs < 0 {
                depth += 1;
            }
            if !tt_pv
                && depth >= 2
                && reduction >= HINDSIGHT_SHALLOWER_REDUCTION
                && now + theirs > params::hindsight_margin()
            {
                depth -= 1;
            }
        }

        if !N::PV
            && excluded.is_none()
            && let (Some(eval), Some(static_eval)) = (eval, static_eval)
        {
            // Step 8. Razoring. Far below alpha only captures can help.
            if eval < alpha - params::razoring_base() - params::razoring_slope() * depth * depth {
                let value = self.qsearch::<NonPvNode>(ply, alpha, beta);
                if self.stopped || value <= alpha && !is_decisive(value) {
                    return value;
                }
            }

            // Step 9. Reverse futility pruning (RFP). So far above beta, the opponent will not make it up.
            if !tt_pv
                && depth <= RFP_MAX_DEPTH
                && eval - rfp_margin(depth, improving) >= beta
                && !is_loss(beta)
                && !is_win(eval)
            {
                return rfp_value(eval, beta);
            }

            // Step 10. Null move pruning (NMP). If passing the turn is good enough, a move is better still. Not in pawn
            // endings, where zugzwang is common.
            if cut_node
                && self.ss_back(ply, 1).mv.is_some()
                && eval >= beta
                && static_eval >= beta + params::nmp_base() - params::nmp_slope() * depth
                && ply >= self.nmp_min_ply
                && !is_loss(beta)
                && self.has_non_pawn_material(ply)
                && let Some(null) = self.ss(ply).position.null_move()
            {
                let by_depth = in_eighths(depth, params::nmp_depth_divisor());
                let by_eval = ((eval - beta) / params::nmp_eval_divisor()).min(NMP_MAX_EVAL_REDUCTION);
                let reduced = depth - (NMP_BASE_REDUCTION + by_depth + by_eval);
                self.make_null(ply, null);
                let value = -self.search::<NonPvNode>(ply + 1, -beta, -beta + 1, reduced, false);
                self.unmake();
                if self.stopped {
                    return DRAW;
                }
                if value >= beta && !is_win(value) {
                    if depth < NMP_VERIFICATION_DEPTH || self.nmp_min_ply > 0 {
                        return value;
                    }
                    // Verification search: an error costs much at high depth, so the result is confirmed by a search
                    // without null moves in three quarters of its plies.
                    self.nmp_min_ply = ply + 3 * reduced.max(0) as usize / 4 + 1;
                    let verified = self.search::<NonPvNode>(ply, beta - 1, beta, reduced, false);
                    self.nmp_min_ply = 0;
                    if self.stopped || verified >= beta {
                        return value;
                    }
                }
            }
        }

        // Step 11. Internal iterative reduction (IIR). Without a TT move the order of moves is poor: a shallower search
        // finds one for the next iteration.
        if depth >= IIR_MIN_DEPTH && tt_move.is_none() && excluded.is_none() && (N::PV || cut_node) {
            depth -= 1;
        }

        let checks = CheckInfo::new(&self.ss(ply).position);

        // Step 12. ProbCut. If a good capture beats beta by a margin at lower depth, it will beat beta at full depth.
        let prob_cut_beta =
            beta + params::prob_cut_margin() - params::prob_cut_improving() * i32::from(improving);
        if !N::PV
            && !in_check
            && excluded.is_none()
            && depth >= PROBCUT_MIN_DEPTH
            && !is_decisive(beta)
            && let Some(static_eval) = static_eval
            && !(tt_entry.is_some_and(|it| it.depth > depth - PROBCUT_REDUCTION)
                && tt_value.is_some_and(|it| it < prob_cut_beta))
        {
            let threshold = prob_cut_beta - static_eval;
            let mut picker = MovePicker::prob_cut(&self.arena, &self.ss(ply).position, tt_move, threshold);
            while let Some(mv) = self.pick(ply, &mut picker, &checks) {
                self.make(ply, mv);
                let (low, high) = (-prob_cut_beta, -prob_cut_beta + 1);
                let mut value = -self.qsearch::<NonPvNode>(ply + 1, low, high);
                if value >= prob_cut_beta && depth > PROBCUT_MIN_DEPTH {
                    let reduced = depth - PROBCUT_REDUCTION;
                    value = -self.search::<NonPvNode>(ply + 1, low, high, reduced, !cut_node);
                }
                self.unmake();
                if self.stopped {
                    break;
                }
                if value >= prob_cut_beta {
                    let searched = depth - PROBCUT_REDUCTION + 1;
                    self.store(ply, key, Some(mv), value, raw_eval, searched, TtBound::Lower, tt_pv);
                    picker.finish(&mut self.arena);
                    return if is_decisive(value) { value } else { value - (prob_cut_beta - beta) };
                }
            }
            picker.finish(&mut self.arena);
            if self.stopped {
                return DRAW;
            }
        }

        // Step 13. The move loop.
        self.update_attacked(ply);
        let mut picker =
            MovePicker::all(&self.arena, &self.ss(ply).position, tt_move, self.ss(ply).killer, context);
        let old_alpha = alpha;
        let mut best_value = table_floor;
        let mut best_move: Option<Move> = None;
        let mut move_count = 0;
        let mut tried = MoveList::new();

        while let Some(mv) = self.pick(ply, &mut picker, &checks) {
            if Some(mv) == excluded {
                continue;
            }
            if N::ROOT
                && !self.root_moves[self.first_root_move..self.end_root_move].iter().any(|it| it.mv == mv)
            {
                continue;
            }
            move_count += 1;
            if N::ROOT && self.report_current_moves {
                let number = move_count + self.first_root_move;
                self.report(&Report::CurrentMove { depth: self.root_depth as u32, mv, number });
            }
            let position = &self.ss(ply).position;
            let tactical = is_tactical(position, mv);
            let gives_check = checks.gives_check(position, mv);
            let piece = PieceTo::of(position, mv);
            let history_score = if tactical {
                let captured = position.captured(mv).map(Piece::piece_type);
                self.history.capture(piece, captured)
            } else {
                let attacked = self.ss(ply).attacked;
                self.history.quiets(position, attacked, &context).score(mv, piece)
            };
            let mut reduction = lmr_reduction(depth, move_count);

            // Step 14. Pruning at low depth. Never before a move is known that does not lose: otherwise a defence that
            // was left out could turn into a false mate.
            if !N::ROOT && !is_loss(best_value) && self.has_non_pawn_material(ply) {
                // The depth that late move reductions would leave.
                let by_history = in_eighths(history_score, params::lmr_depth_history_divisor());
                let lmr_depth = (depth - 1 - (reduction - by_history) / 1024).max(0);
                if !tactical {
                    // Late move pruning (LMP), or move count pruning. Moves are ordered: late ones are rarely good. A check
                    // is no reason to begin with it.
                    let limit = params::lmp_base() + sixteenths(depth * depth, params::lmp_slope());
                    let limit = limit / (2 - i32::from(improving));
                    if move_count as i32 > limit && !gives_check {
                        picker.skip_quiets();
                    }
                    // History pruning. The move has been bad in many other positions.
                    if depth <= HISTORY_PRUNING_MAX_DEPTH
                        && history_score < -params::history_pruning_margin() * depth
                        && picker.stage() >= Stage::Quiet
                    {
                        continue;
                    }
                    // Futility pruning. The evaluation is too far below alpha for a quiet move to make it up. With a best
                    // move at hand less is at stake.
                    if !in_check
                        && !gives_check
                        && lmr_depth <= FUTILITY_MAX_LMR_DEPTH
                        && let Some(static_eval) = static_eval
                    {
                        let credit = params::futility_best_move() * i32::from(best_move.is_some());
                        let futility_value =
                            static_eval + params::futility_base() + params::futility_slope() * lmr_depth
                                - credit;
                        if futility_value <= alpha {
                            if !is_decisive(best_value) && best_value < futility_value {
                                best_value = futility_value;
                            }
                            continue;
                        }
                    }
                    // Static exchange evaluation (SEE) pruning of quiet moves. The piece would be lost.
                    if lmr_depth <= SEE_QUIET_MAX_LMR_DEPTH {
                        let threshold = -params::see_quiet_margin() * lmr_depth * lmr_depth;
                        if !see_ge(&self.ss(ply).position, mv, threshold) {
                            continue;
                        }
                    }
                } else {
                    // Futility pruning of losing captures. They come last, so the node is done.
                    if picker.stage() == Stage::BadTactical
                        && !gives_check
                        && lmr_depth <= FUTILITY_MAX_LMR_DEPTH
                        && let Some(static_eval) = static_eval
                    {
                        let futility_value = static_eval
                            + params::bad_capture_futility_base()
                            + params::bad_capture_futility_slope() * lmr_depth;
                        if futility_value <= alpha {
                            break;
                        }
                    }
                    // SEE pruning of captures. The exchange loses more than a capture this deep may cost.
                    if picker.stage() > Stage::GoodTactical && depth <= SEE_CAPTURE_MAX_DEPTH {
                        let credit = in_eighths(history_score, params::see_capture_history_divisor());
                        let threshold = -(params::see_capture_margin() * depth) - credit;
                        if !see_ge(&self.ss(ply).position, mv, threshold) {
                            continue;
                        }
                    }
                }
            }

            // Step 15. Singular extensions. If all other moves fail low against the TT value minus a margin, the TT
            // move is the only good one and deserves a deeper look.
            let mut extension = 0;
            if !N::ROOT
                && Some(mv) == tt_move
                && excluded.is_none()
                && depth >= SINGULAR_MIN_DEPTH + i32::from(tt_pv)
                && ply < 2 * self.root_depth as usize
                && let (Some(entry), Some(value)) = (tt_entry, tt_value)
                && entry.depth >= depth - SINGULAR_TT_DEPTH_MARGIN
                && entry.bound.is_lower()
                && !is_decisive(value)
            {
                let margin =
                    if tt_pv && !N::PV { params::singular_margin_tt_pv() } else { params::singular_margin() };
                let singular_beta = value - sixteenths(depth, margin) / 3;
                // Half the depth will do: the question is only whether a second good move exists.
                let singular_depth = (depth - 1) / 2;
                self.ss_mut(ply).excluded = Some(mv);
                let singular_value =
                    self.search::<NonPvNode>(ply, singular_beta - 1, singular_beta, singular_depth, cut_node);
                self.ss_mut(ply).excluded = None;
                if self.stopped {
                    break;
                }
                if singular_value < singular_beta {
                    extension = 1;
                    // Double and triple extensions. The other moves are not even close.
                    let mut double_margin = params::double_extension_margin();
                    let mut triple_margin = params::triple_extension_margin();
                    if N::PV {
                        double_margin += params::double_extension_pv();
                        triple_margin += params::triple_extension_pv();
                    }
                    if singular_value < singular_beta - double_margin {
                        extension += 1;
                        extension += i32::from(!tactical && singular_value < singular_beta - triple_margin);
                    }
                } else if singular_value >= beta && !is_decisive(singular_value) {
                    // Multi-cut. Another move beats beta as well: one more search will not change that.
                    picker.finish(&mut self.arena);
                    return singular_value;
                } else if value >= beta {
                    // Negative extensions. Not singular, and a fail high is likely with any of several moves.
                    extension = -3 + i32::from(N::PV);
                } else if cut_node {
                    extension = -2;
                }
            } else if move_count == 1
                && cut_node
                && excluded.is_none()
                && depth <= LOW_DEPTH_EXTENSION_MAX_DEPTH
                && ply < 2 * self.root_depth as usize
                && eval.is_some_and(|it| it <= alpha - params::low_depth_extension_margin())
            {
                // Low depth singular extensions. A move that fails high here must be something special.
                extension = 1;
            }

            let nodes_before = self.nodes;
            self.ss_mut(ply).move_count = move_count;
            self.make(ply, mv);
            let mut new_depth = depth - 1 + extension;
            let mut value = -INFINITE;
            if depth >= 2 && move_count > 1 + usize::from(N::ROOT) {
                // Step 16. Late move reductions (LMR). Late moves are searched less deep with a null window, and again
                // at full depth only if they beat alpha. The reduction is in 1024ths of a ply.
                if tactical {
                    reduction -= params::lmr_tactical();
                }
                if tt_pv {
                    let is_above = tt_value.is_some_and(|it| it > alpha);
                    reduction -= params::lmr_tt_pv() + params::lmr_tt_pv_value() * i32::from(is_above);
                }
                reduction += params::lmr_cut_node() * i32::from(cut_node)
                    + params::lmr_no_tt_move() * i32::from(cut_node && tt_move.is_none());
                reduction += params::lmr_not_improving() * i32::from(!improving);
                reduction += params::lmr_tactical_tt_move() * i32::from(tt_move_is_tactical && !tactical);
                reduction -= params::lmr_check() * i32::from(gives_check);
                reduction +=
                    params::lmr_cutoff_count() * i32::from(self.ss(ply + 1).cutoff_count > LMR_MANY_CUTOFFS);
                reduction -= params::lmr_killer() * i32::from(Some(mv) == self.ss(ply).killer);
                reduction -= in_eighths(history_score, params::lmr_history_divisor());
                reduction -= params::lmr_complexity() * (correction.abs() - params::lmr_complexity_offset());
                // A negative reduction is an extension.
                let most = if ply < 2 * self.root_depth as usize { 2 } else { i32::from(N::PV) };
                let lmr_depth = (new_depth - reduction / 1024).clamp(1, new_depth + most);
                self.ss_mut(ply).reduction = new_depth - lmr_depth;
                value = -self.search::<NonPvNode>(ply + 1, -alpha - 1, -alpha, lmr_depth, true);
                self.ss_mut(ply).reduction = 0;
                if value > alpha && lmr_depth < new_depth {
                    // Do deeper, do shallower: a ply more if the move was much better, a ply less if hardly so.
                    let deeper = i32::from(value > best_value + params::do_deeper_margin() + 2 * new_depth);
                    let shallower = i32::from(value < best_value + params::do_shallower_margin());
                    let full_depth = new_depth + deeper - shallower;
                    if full_depth > lmr_depth {
                        value = -self.search::<NonPvNode>(ply + 1, -alpha - 1, -alpha, full_depth, !cut_node);
                    }
                    if !N::ROOT {
                        new_depth = full_depth;
                    }
                    if !tactical {
                        let bonus =
                            if value >= beta { history_bonus(depth) } else { -history_malus(depth) / 2 };
                        self.history.update_continuation(&context, piece, bonus);
                    }
                }
            } else if !N::PV || move_count > 1 {
                // Step 17. Null-window search at full depth, for moves that are not reduced.
                let mut full_depth = new_depth;
                if !N::ROOT {
                    // A ply or two less where the reduction would be large.
                    reduction += params::lmr_cut_node() * i32::from(cut_node)
                        + params::lmr_not_improving() * i32::from(!improving)
                        + params::lmr_cutoff_count()
                            * i32::from(self.ss(ply + 1).cutoff_count > LMR_MANY_CUTOFFS);
                    reduction -= params::lmr_tactical() * i32::from(tactical)
                        + params::lmr_tt_pv() * i32::from(tt_pv)
                        + in_eighths(history_score, params::lmr_history_divisor());
                    if tt_move.is_none() {
                        reduction +=
                            params::full_depth_no_tt_move() + params::lmr_no_tt_move() * i32::from(cut_node);
                    } else if Some(mv) == tt_move {
                        reduction -= params::full_depth_tt_move();
                    }
                    full_depth -= i32::from(reduction >= params::full_depth_one())
                        + i32::from(reduction >= params::full_depth_two());
                }
                value = -self.search::<NonPvNode>(ply + 1, -alpha - 1, -alpha, full_depth, !cut_node);
            }
            // Step 18. Principal variation search (PVS). The first move and those that beat alpha need an exact value.
            if N::PV && (move_count == 1 || value > alpha) {
                self.pv_table[ply + 1].clear();
                value = -self.search::<PvNode>(ply + 1, -beta, -alpha, new_depth, false);
            }
            self.unmake();
            if self.stopped {
                break;
            }

            // Step 19. A new best move raises alpha; beyond beta it ends the loop (beta cutoff).
            if N::ROOT {
                self.update_root_move(mv, value, alpha, beta, move_count == 1, nodes_before);
            }
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = Some(mv);
                    if N::PV && !N::ROOT {
                        self.update_pv(ply, mv);
                    }
                    if value >= beta {
                        self.ss_mut(ply).cutoff_count += 1;
                        self.cutoffs.all += 1;
                        self.cutoffs.first += u64::from(move_count == 1);
                        break;
                    }
                    alpha = value;
                    // Alpha was raised: another raise is less likely, so the remaining moves are searched less deep.
                    let (above, below) = ALPHA_RAISE_DEPTHS;
                    if depth > above && depth < below && !is_decisive(value) {
                        depth -= 1;
                    }
                }
            }
            if Some(mv) != best_move && move_count <= MAX_MALUS_MOVES {
                tried.push(mv);
            }
        }
        picker.finish(&mut self.arena);
        if self.stopped {
            return DRAW;
        }

        // Step 20. Checkmate and stalemate: there was no legal move, unless the only one was excluded.
        if move_count == 0 {
            return match excluded {
                Some(_) => alpha,
                None if in_check => mated_at(ply),
                None => DRAW,
            };
        }

        // Step 21. A fail high returns a value between beta and what was found: the excess is the least certain part,
        // the more so at low depth.
        if best_value >= beta && !is_decisive(best_value) && !is_decisive(beta) {
            best_value = (best_value * depth + beta) / (depth + 1);
        }
        // The tables know better than a search that found no loss.
        if N::PV {
            best_value = best_value.min(table_ceiling);
        }

        // Step 22. History updates: the best move gains, the moves tried before it lose.
        if let Some(mv) = best_move {
            self.update_histories(ply, mv, depth, cut_node, &tried);
            if !N::ROOT
                && best_value >= beta
                && self.ss(ply - 1).move_count <= PRIOR_MALUS_MAX_MOVES
                && let Some(prior) = self.prior_quiet(ply)
            {
                // The opponent's last move was ordered too early.
                let malus = params::prior_malus_slope() * depth - params::prior_malus_offset();
                let malus = malus.min(params::prior_malus_max());
                self.update_continuation_histories(ply - 1, prior, -malus);
            }
        } else if !N::ROOT
            && (N::PV || cut_node)
            && let Some(prior) = self.prior_quiet(ply)
        {
            // Fail low: nothing helped, so the opponent's last move was a good one. An expected fail low says little.
            self.update_continuation_histories(ply - 1, prior, history_bonus(depth));
            // More for a late move, which was ordered badly, and for a surprise.
            let parent = self.ss(ply - 1);
            let is_below = |eval: Option<Value>, margin| eval.is_some_and(|it| best_value <= it - margin);
            let below_eval = is_below(static_eval, params::prior_bonus_eval_margin());
            let below_parent =
                is_below(parent.static_eval.map(|it| -it), params::prior_bonus_parent_margin());
            let weight = params::prior_bonus_base()
                + params::prior_bonus_move() * parent.move_count.min(PRIOR_BONUS_MAX_MOVES) as i32
                + params::prior_bonus_below_eval() * i32::from(below_eval)
                + params::prior_bonus_below_parent() * i32::from(below_parent);
            let bonus = history_bonus(depth) * weight / 128;
            self.update_butterfly_history(ply - 1, prior, bonus);
            self.update_pawn_history(ply - 1, prior, bonus);
        }

        // Step 23. Store the result in the TT, and its difference from the evaluation in the correction history: not
        // that of a part of the moves, which says little about the position.
        if excluded.is_none() && (!N::ROOT || self.has_all_root_moves()) {
            let bound = match best_move {
                _ if best_value >= beta => TtBound::Lower,
                Some(_) if N::PV && best_value > old_alpha => TtBound::Exact,
                _ => TtBound::Upper,
            };
            // Near the principal variation: the parent is on it, and nothing here was good enough.
            let is_near_pv =
                !N::ROOT && bound == TtBound::Upper && move_count > 2 && self.ss_back(ply, 1).tt_pv;
            let tt_pv = tt_pv || is_near_pv;
            self.store(ply, key, best_move, best_value, raw_eval, depth, bound, tt_pv);
            if let Some(static_eval) = static_eval
                && !best_move.is_some_and(|mv| is_tactical(&self.ss(ply).position, mv))
                && !is_decisive(best_value)
                && !(bound == TtBound::Lower && best_value <= static_eval)
                && !(bound == TtBound::Upper && best_value >= static_eval)
            {
                let keys = self.correction_keys(ply);
                self.history.update_correction(&keys, best_value - static_eval, depth);
            }
        }
        best_value
    }

    /// What every node begins with: limits, draws and the maximum ply. Returns the value of a node that needs no
    /// search. Otherwise alpha becomes a draw at least if the side to move can repeat a position (upcoming repetition).
    #[inline(always)]
    pub(crate) fn enter_node<N: NodeType>(
        &mut self,
        ply: usize,
        alpha: &mut Value,
        beta: Value,
    ) -> Option<Value> {
        if N::PV {
            self.pv_table[ply].clear();
            self.selective_depth = self.selective_depth.max(ply + 1);
        }
        if self.must_stop() {
            return Some(DRAW);
        }
        let ss = self.ss_mut(ply);
        ss.in_check = ss.position.is_check();
        if N::ROOT {
            return None;
        }
        if *alpha < DRAW && self.has_upcoming_repetition(ply) {
            *alpha = DRAW;
            if *alpha >= beta {
                return Some(*alpha);
            }
        }
        if self.is_draw(ply) {
            return Some(DRAW);
        }
        (ply >= MAX_PLY).then(|| self.max_ply_value(ply))
    }

    /// Stores the result of a node in the transposition table.
    pub(crate) fn store(
        &self,
        ply: usize,
        key: u64,
        mv: Option<Move>,
        value: Value,
        eval: Option<Value>,
        depth: i32,
        bound: TtBound,
        pv: bool,
    ) {
        let value = value_to_tt(value, ply);
        self.shared.tt.store(key, TtEntry { mv, value, eval, depth, bound, pv });
    }

    /// Records the result of a root move.
    fn update_root_move(
        &mut self,
        mv: Move,
        value: Value,
        alpha: Value,
        beta: Value,
        is_first: bool,
        nodes_before: u64,
    ) {
        let nodes = self.nodes - nodes_before;
        self.best_move_changes += u32::from(!is_first && value > alpha && self.first_root_move == 0);
        let selective_depth = self.selective_depth;
        let (pv, root_moves) = (&self.pv_table[1], &mut self.root_moves);
        let Some(root_move) = root_moves.iter_mut().find(|it| it.mv == mv) else { return };
        root_move.nodes += nodes;
        if is_first || value > alpha {
            root_move.value = Some(value);
            // The average of a mate and an evaluation means nothing.
            let average = root_move.average_value.filter(|&it| !is_decisive(it) && !is_decisive(value));
            root_move.average_value = Some(average.map_or(value, |average| (2 * value + average) / 3));
            root_move.bound = if value >= beta {
                Bound::Lower
            } else if value <= alpha {
                Bound::Upper
            } else {
                Bound::Exact
            };
            root_move.selective_depth = selective_depth;
            root_move.pv.clear();
            root_move.pv.push(mv);
            root_move.pv.extend_from_slice(pv);
        } else {
            root_move.value = None;
        }
    }

    /// Updates all histories after a node whose best move is known, and the moves tried before it.
    fn update_histories(&mut self, ply: usize, best: Move, depth: i32, cut_node: bool, tried: &MoveList) {
        // Where a fail high was expected, it says less.
        let bonus = history_bonus(depth) - params::history_bonus_cut_node() * i32::from(cut_node);
        let malus = -history_malus(depth);
        let position = self.ss(ply).position;
        let captured = |mv: Move| position.captured(mv).map(Piece::piece_type);
        let best_is_tactical = is_tactical(&position, best);
        if best_is_tactical {
            self.history.update_capture(PieceTo::of(&position, best), captured(best), bonus);
        } else {
            self.ss_mut(ply).killer = Some(best);
            self.update_quiet_histories(ply, best, bonus);
        }
        for &mv in tried {
            if is_tactical(&position, mv) {
                self.history.update_capture(PieceTo::of(&position, mv), captured(mv), malus);
            } else if !best_is_tactical {
                self.update_quiet_histories(ply, mv, malus);
            }
        }
    }

    /// The opponent's last move, if it was a quiet one. Not for the root.
    fn prior_quiet(&self, ply: usize) -> Option<Move> {
        let parent = self.ss(ply - 1);
        parent.mv.filter(|&mv| !is_tactical(&parent.position, mv))
    }

    fn update_butterfly_history(&mut self, ply: usize, mv: Move, bonus: i32) {
        let ss = self.ss(ply);
        let (side, attacked) = (ss.position.side_to_move(), ss.attacked);
        self.history.update_butterfly(side, attacked, mv, bonus);
    }

    fn update_pawn_history(&mut self, ply: usize, mv: Move, bonus: i32) {
        let position = &self.ss(ply).position;
        let (pawn_key, piece) = (position.pawn_key(), PieceTo::of(position, mv));
        self.history.update_pawn(pawn_key, piece, bonus);
    }

    fn update_quiet_histories(&mut self, ply: usize, mv: Move, bonus: i32) {
        let context = self.continuation_context(ply);
        let position = &self.ss(ply).position;
        let (side, pawn_key, piece) =
            (position.side_to_move(), position.pawn_key(), PieceTo::of(position, mv));
        let attacked = self.ss(ply).attacked;
        self.history.update_quiet(side, attacked, pawn_key, &context, mv, piece, bonus);
    }

    fn update_continuation_histories(&mut self, ply: usize, mv: Move, bonus: i32) {
        let context = self.continuation_context(ply);
        let piece = PieceTo::of(&self.ss(ply).position, mv);
        self.history.update_continuation(&context, piece, bonus);
    }
}
