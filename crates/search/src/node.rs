//! The search of one node: principal variation search with everything that makes the tree small.

use ferz_board::{Move, MoveList};

use crate::exchange::{captured, exchange_gains};
use crate::history::PieceTo;
use crate::parameters::{in_eighths, sixteenths, tuned};
use crate::picker::{Picker, Stage, is_tactical};
use crate::reductions::reduction;
use crate::table::{Entry, TableBound, value_to_store};
use crate::value::{DRAW, INFINITE, MAX_PLY, Value, is_decisive, is_loss, is_win, mate_at, mated_at};
use crate::worker::Worker;
use crate::{Bound, Report};

/// What kind of node is searched, known to the compiler.
pub(crate) trait Node {
    /// On the principal variation: searched with an open window.
    const PV: bool;
    const ROOT: bool;
}

pub(crate) struct Root;
pub(crate) struct OnPv;
pub(crate) struct OffPv;

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl Node for OnPv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl Node for OffPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// Told of what happens at the root.
pub(crate) type Reporter<'r> = &'r mut dyn FnMut(&Report);

/// The bonus of a move that proved best at this depth.
fn bonus(depth: i32) -> i32 {
    (tuned::bonus_slope() * depth - tuned::bonus_offset()).min(tuned::bonus_most())
}

/// What the others lose.
fn malus(depth: i32) -> i32 {
    (tuned::malus_slope() * depth - tuned::malus_offset()).min(tuned::malus_most())
}

/// How far above beta the opponent will not make it up.
fn reverse_futility(depth: i32, improving: bool) -> Value {
    let improvement = tuned::reverse_futility_improving() * i32::from(improving);
    (tuned::reverse_futility_slope() * depth - improvement).max(20)
}

impl Worker<'_> {
    /// The value of a position, searched `depth` plies deep: exact if it lies between `alpha` and `beta`, else a
    /// bound. `cut_node`: a fail high is expected here.
    pub(crate) fn search<N: Node>(
        &mut self,
        ply: usize,
        mut alpha: Value,
        mut beta: Value,
        mut depth: i32,
        cut_node: bool,
        report: &mut Option<Reporter<'_>>,
    ) -> Value {
        debug_assert!(alpha < beta && (N::PV || alpha + 1 == beta));
        debug_assert!(!(N::PV && cut_node));

        // Step 1. No depth left: only captures are looked at.
        if depth <= 0 {
            return self.quiesce::<N>(ply, alpha, beta);
        }
        depth = depth.min(MAX_PLY as i32 - 1);

        // Step 2. Limits, draws, and mates that are too far away to matter.
        if let Some(value) = self.enter::<N>(ply, &mut alpha, beta) {
            return value;
        }
        let in_check = self.frame(ply).in_check;
        if !N::ROOT {
            alpha = alpha.max(mated_at(ply));
            beta = beta.min(mate_at(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }
        self.frame_mut(ply + 1).killer = None;
        self.frame_mut(ply + 1).cutoffs = 0;

        // Step 3. What is known already.
        let excluded = self.frame(ply).excluded;
        let key = self.table_key(ply);
        let clock = self.frame(ply).position.halfmove_clock();
        let known = if excluded.is_some() { None } else { self.shared.table.probe(key) };
        let known_value = known.filter(|it| it.bound != TableBound::None).map(|it| it.value_at(ply, clock));
        let table_move =
            if N::ROOT { Some(self.root_moves[self.first_root_move].mv) } else { known.and_then(|it| it.mv) };
        let on_pv = N::PV || known.is_some_and(|it| it.pv) || excluded.is_some() && self.frame(ply).on_pv;
        self.frame_mut(ply).on_pv = on_pv;
        if !N::PV
            && let (Some(entry), Some(value)) = (known, known_value)
            && entry.depth > depth - i32::from(value <= beta)
            && entry.bound.confirms(value, beta)
            && (cut_node == (value >= beta) || depth > 5)
            && clock < 90
        {
            if value >= beta
                && let Some(mv) = table_move
                && self.frame(ply).position.is_legal(mv)
                && !is_tactical(&self.frame(ply).position, mv)
            {
                self.reward_quiet(ply, mv, bonus(depth));
            }
            return value;
        }

        // Step 4. The evaluation, improved by what the table knows.
        let context = self.context(ply);
        let (eval, raw_eval) = if in_check {
            self.frame_mut(ply).static_eval = None;
            (None, None)
        } else if let (Some(_), Some(eval)) = (excluded, self.frame(ply).static_eval) {
            (Some(eval), None)
        } else {
            let raw = known.and_then(|it| it.eval).unwrap_or_else(|| self.evaluate(ply));
            let static_eval = self.corrected(ply, raw);
            self.frame_mut(ply).static_eval = Some(static_eval);
            if known.is_none() {
                let eval = Some(raw);
                let bound = TableBound::None;
                self.shared
                    .table
                    .store(key, Entry { mv: None, value: DRAW, eval, depth: 0, bound, pv: on_pv });
            }
            let better = known_value.filter(|&value| {
                !is_decisive(value) && known.is_some_and(|it| it.bound.confirms(value, static_eval))
            });
            (Some(better.unwrap_or(static_eval)), Some(raw))
        };
        let static_eval = self.frame(ply).static_eval;
        let before = self.frame_before(ply, 2).static_eval.or(self.frame_before(ply, 4).static_eval);
        let improving = static_eval.is_some_and(|now| before.is_none_or(|before| now > before));

        // Step 5. Positions so good or so bad that a guess will do.
        if !N::PV
            && excluded.is_none()
            && let (Some(eval), Some(static_eval)) = (eval, static_eval)
        {
            // Razoring: far below alpha, only captures can help.
            if eval < alpha - tuned::razoring_base() - tuned::razoring_slope() * depth * depth {
                let value = self.quiesce::<OffPv>(ply, alpha, beta);
                if self.stopped || value <= alpha && !is_decisive(value) {
                    return value;
                }
            }
            // Reverse futility: so far above beta that the opponent will not make it up.
            if !on_pv
                && depth < 10
                && eval - reverse_futility(depth, improving) >= beta
                && !is_loss(beta)
                && !is_win(eval)
            {
                return (2 * beta + eval) / 3;
            }
            // Null move: if passing the turn is good enough, a move is better still. Not in pawn endings, where
            // having to move can be the trouble.
            if cut_node
                && self.frame_before(ply, 1).mv.is_some()
                && eval >= beta
                && static_eval >= beta + tuned::null_move_base() - tuned::null_move_slope() * depth
                && ply >= self.null_move_from
                && !is_loss(beta)
                && self.has_pieces(ply)
                && let Some(null) = self.frame(ply).position.null_move()
            {
                let by_depth = in_eighths(depth, tuned::null_move_depth());
                let by_eval = ((eval - beta) / tuned::null_move_eval()).min(3);
                let reduced = depth - (4 + by_depth + by_eval);
                self.make_null(ply, null);
                let value = -self.search::<OffPv>(ply + 1, -beta, -beta + 1, reduced, false, report);
                self.unmake();
                if self.stopped {
                    return DRAW;
                }
                if value >= beta && !is_win(value) {
                    if depth < 15 || self.null_move_from > 0 {
                        return value;
                    }
                    // Deep down the price of an error is high: look again, without null moves for a while.
                    self.null_move_from = ply + 3 * reduced.max(0) as usize / 4 + 1;
                    let verified = self.search::<OffPv>(ply, beta - 1, beta, reduced, false, report);
                    self.null_move_from = 0;
                    if self.stopped || verified >= beta {
                        return value;
                    }
                }
            }
        }

        // Step 6. Without a move to begin with, the next iteration will know more at less cost.
        if depth >= 4 && table_move.is_none() && excluded.is_none() && (N::PV || cut_node) {
            depth -= 1;
        }

        // Step 7. ProbCut: if a good capture beats beta by far at lower depth, it will at full depth too.
        let probe_beta = beta + tuned::prob_cut_margin() - tuned::prob_cut_improving() * i32::from(improving);
        if !N::PV
            && !in_check
            && excluded.is_none()
            && depth >= 5
            && !is_decisive(beta)
            && let Some(static_eval) = static_eval
            && !(known.is_some_and(|it| it.depth >= depth - 3)
                && known_value.is_some_and(|it| it < probe_beta))
        {
            let mut picker =
                Picker::gaining(&self.arena, &self.frame(ply).position, table_move, probe_beta - static_eval);
            while let Some(mv) = self.pick(ply, &mut picker) {
                self.make(ply, mv);
                let mut value = -self.quiesce::<OffPv>(ply + 1, -probe_beta, -probe_beta + 1);
                if value >= probe_beta && depth > 5 {
                    value = -self.search::<OffPv>(
                        ply + 1,
                        -probe_beta,
                        -probe_beta + 1,
                        depth - 4,
                        !cut_node,
                        report,
                    );
                }
                self.unmake();
                if self.stopped {
                    break;
                }
                if value >= probe_beta {
                    self.store(ply, key, Some(mv), value, raw_eval, depth - 3, TableBound::Lower, on_pv);
                    picker.finish(&mut self.arena);
                    return if is_decisive(value) { value } else { value - (probe_beta - beta) };
                }
            }
            picker.finish(&mut self.arena);
            if self.stopped {
                return DRAW;
            }
        }

        // Step 8. The moves, one by one.
        let mut picker =
            Picker::all(&self.arena, &self.frame(ply).position, table_move, self.frame(ply).killer, context);
        let table_move_is_tactical = table_move.is_some_and(|mv| is_tactical(&self.frame(ply).position, mv));
        let old_alpha = alpha;
        let mut best = -INFINITE;
        let mut best_move: Option<Move> = None;
        let mut count = 0;
        let mut quiets = MoveList::new();
        let mut captures = MoveList::new();

        while let Some(mv) = self.pick(ply, &mut picker) {
            if Some(mv) == excluded {
                continue;
            }
            if N::ROOT && !self.root_moves[self.first_root_move..].iter().any(|it| it.mv == mv) {
                continue;
            }
            count += 1;
            if N::ROOT
                && self.current_moves
                && let Some(report) = report.as_mut()
            {
                let number = count + self.first_root_move;
                report(&Report::CurrentMove { depth: self.root_depth as u32, mv, number });
            }
            let position = &self.frame(ply).position;
            let tactical = is_tactical(position, mv);
            let victim = captured(position, mv);
            let gives_check = position.gives_check(mv);
            let piece = PieceTo::of(position, mv);
            let move_history = if tactical {
                self.history.capture(piece, victim)
            } else {
                picker
                    .quiet_score()
                    .unwrap_or_else(|| self.history.quiets(position, &context).score(mv, piece))
            };
            let mut r = reduction(depth, count);

            // Step 9. Moves that are not worth a search. Never before one is known that does not lose: what is
            // left out here cannot then turn a defence into a mate.
            if !N::ROOT && !is_loss(best) && self.has_pieces(ply) {
                let reduced =
                    (depth - 1 - (r - in_eighths(move_history, tuned::pruning_history())) / 1024).max(0);
                if !tactical {
                    // Late moves: enough has been tried.
                    let enough =
                        tuned::late_moves_base() + sixteenths(depth * depth, tuned::late_moves_slope());
                    let enough = enough / (2 - i32::from(improving));
                    if count as i32 > enough {
                        picker.skip_quiets();
                    }
                    // Bad experience with this move.
                    if depth < 6
                        && move_history < -tuned::history_pruning() * depth
                        && picker.stage() >= Stage::Quiet
                    {
                        continue;
                    }
                    // Futility: the evaluation is too far below alpha for a quiet move.
                    if !in_check
                        && !gives_check
                        && reduced < 9
                        && let Some(static_eval) = static_eval
                    {
                        let hope = static_eval + tuned::futility_base() + tuned::futility_slope() * reduced;
                        if hope <= alpha {
                            if !is_decisive(best) && best < hope {
                                best = hope;
                            }
                            continue;
                        }
                    }
                    // It gives something away.
                    if reduced < 10 {
                        let least = -tuned::quiet_exchange() * reduced * reduced;
                        if !exchange_gains(&self.frame(ply).position, mv, least) {
                            continue;
                        }
                    }
                } else if picker.stage() > Stage::GoodTactical && depth < 9 {
                    let credit = in_eighths(move_history, tuned::capture_exchange_history());
                    let least = -(tuned::capture_exchange() * depth) - credit;
                    if !exchange_gains(&self.frame(ply).position, mv, least) {
                        continue;
                    }
                }
            }

            // Step 10. Is the table's move the only good one? Then it deserves a deeper look.
            let mut extension = 0;
            if !N::ROOT
                && Some(mv) == table_move
                && excluded.is_none()
                && depth >= 6 + i32::from(on_pv)
                && ply < 2 * self.root_depth as usize
                && let (Some(entry), Some(value)) = (known, known_value)
                && entry.depth >= depth - 3
                && entry.bound.is_lower()
                && !is_decisive(value)
            {
                let margin =
                    if on_pv && !N::PV { tuned::singular_margin_pv() } else { tuned::singular_margin() };
                let singular_beta = value - sixteenths(depth, margin) / 3;
                self.frame_mut(ply).excluded = Some(mv);
                let without = self.search::<OffPv>(
                    ply,
                    singular_beta - 1,
                    singular_beta,
                    (depth - 1) / 2,
                    cut_node,
                    report,
                );
                self.frame_mut(ply).excluded = None;
                if self.stopped {
                    break;
                }
                if without < singular_beta {
                    extension = 1;
                    if !N::PV && without < singular_beta - tuned::singular_double() {
                        extension += 1;
                        extension +=
                            i32::from(!tactical && without < singular_beta - tuned::singular_triple());
                    }
                } else if without >= beta && !is_decisive(without) {
                    // Several moves beat beta: one more search will not change that.
                    picker.finish(&mut self.arena);
                    return without;
                } else if value >= beta {
                    extension = -3 + i32::from(N::PV);
                } else if cut_node {
                    extension = -2;
                }
            }

            // Step 11. Search it: late moves less deep, and with a null window, unless they surprise.
            let nodes_before = self.nodes;
            self.make(ply, mv);
            let new_depth = depth - 1 + extension;
            let mut value = -INFINITE;
            if depth >= 2 && count > 1 + usize::from(N::ROOT) {
                if tactical {
                    r -= tuned::reduction_tactical();
                }
                if on_pv {
                    let is_above = known_value.is_some_and(|it| it > alpha);
                    r -= tuned::reduction_pv() + tuned::reduction_pv_value() * i32::from(is_above);
                }
                r += tuned::reduction_cut_node() * i32::from(cut_node)
                    + tuned::reduction_no_table_move() * i32::from(cut_node && table_move.is_none());
                r += tuned::reduction_not_improving() * i32::from(!improving);
                r += tuned::reduction_tactical_table_move() * i32::from(table_move_is_tactical && !tactical);
                r -= tuned::reduction_check() * i32::from(gives_check);
                r += tuned::reduction_cutoffs() * i32::from(self.frame(ply + 1).cutoffs > 3);
                r -= tuned::reduction_killer() * i32::from(Some(mv) == self.frame(ply).killer);
                r -= in_eighths(move_history, tuned::reduction_history());
                let reduced = (new_depth - r / 1024).clamp(1, new_depth + i32::from(N::PV));
                value = -self.search::<OffPv>(ply + 1, -alpha - 1, -alpha, reduced, true, report);
                if value > alpha && reduced < new_depth {
                    // Better than thought: deeper if much better, less deep if hardly so.
                    let deeper = i32::from(value > best + tuned::deeper_margin() + 2 * new_depth);
                    let shallower = i32::from(value < best + tuned::shallower_margin());
                    let again = new_depth + deeper - shallower;
                    if again > reduced {
                        value = -self.search::<OffPv>(ply + 1, -alpha - 1, -alpha, again, !cut_node, report);
                    }
                    if !tactical {
                        let verdict = if value >= beta { bonus(depth) } else { -malus(depth) / 2 };
                        self.history.update_continuation(&context, piece, verdict);
                    }
                }
            } else if !N::PV || count > 1 {
                value = -self.search::<OffPv>(ply + 1, -alpha - 1, -alpha, new_depth, !cut_node, report);
            }
            if N::PV && (count == 1 || value > alpha) {
                self.lines[ply + 1].clear();
                value = -self.search::<OnPv>(ply + 1, -beta, -alpha, new_depth, false, report);
            }
            self.unmake();
            if self.stopped {
                break;
            }

            // Step 12. Is it the best?
            if N::ROOT {
                self.note_root_move(mv, value, alpha, beta, count == 1, nodes_before);
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if N::PV && !N::ROOT {
                        self.update_line(ply, mv);
                    }
                    if value >= beta {
                        self.frame_mut(ply).cutoffs += 1;
                        self.cutoffs.all += 1;
                        self.cutoffs.first += u64::from(count == 1);
                        break;
                    }
                    alpha = value;
                    // With something in hand the others are searched a little less deep.
                    if depth > 2 && depth < 13 && !is_decisive(value) {
                        depth -= 1;
                    }
                }
            }
            if Some(mv) != best_move && count <= 48 {
                (if tactical { &mut captures } else { &mut quiets }).push(mv);
            }
        }
        picker.finish(&mut self.arena);
        if self.stopped {
            return DRAW;
        }

        // Step 13. No legal move: mate or stalemate, unless the only one was left out.
        if count == 0 {
            return match excluded {
                Some(_) => alpha,
                None if in_check => mated_at(ply),
                None => DRAW,
            };
        }

        // Step 14. Learn from it.
        if best >= beta && !is_decisive(best) && !is_decisive(beta) {
            best = (best * depth + beta) / (depth + 1);
        }
        if let Some(mv) = best_move {
            self.learn(ply, mv, depth, &quiets, &captures);
        } else if let Some(prior) = self.frame_before(ply, 1).mv.filter(|_| !N::ROOT) {
            // Nothing helped: the move that led here was a good one.
            let parent = &self.frame(ply - 1).position;
            if !is_tactical(parent, prior) {
                self.reward_continuation(ply - 1, prior, bonus(depth));
            }
        }
        if excluded.is_none() {
            let bound = match best_move {
                _ if best >= beta => TableBound::Lower,
                Some(_) if N::PV && best > old_alpha => TableBound::Exact,
                _ => TableBound::Upper,
            };
            if !(N::ROOT && self.first_root_move > 0) {
                self.store(ply, key, best_move, best, raw_eval, depth, bound, on_pv);
            }
            if let Some(static_eval) = static_eval
                && !best_move.is_some_and(|mv| is_tactical(&self.frame(ply).position, mv))
                && !is_decisive(best)
                && !(bound == TableBound::Lower && best <= static_eval)
                && !(bound == TableBound::Upper && best >= static_eval)
            {
                let keys = self.correction_keys(ply);
                self.history.update_correction(&keys, best - static_eval, depth);
            }
        }
        best
    }

    /// What every node begins with: limits, draws and the longest line. Gives the value of a node that needs no
    /// search; otherwise alpha is at least a draw if the side to move can have one.
    #[inline(always)]
    pub(crate) fn enter<N: Node>(&mut self, ply: usize, alpha: &mut Value, beta: Value) -> Option<Value> {
        if N::PV {
            self.lines[ply].clear();
            self.selective_depth = self.selective_depth.max(ply + 1);
        }
        if self.must_stop() {
            return Some(DRAW);
        }
        let frame = self.frame_mut(ply);
        frame.in_check = frame.position.is_check();
        if N::ROOT {
            return None;
        }
        if *alpha < DRAW && self.can_repeat(ply) {
            *alpha = DRAW;
            if *alpha >= beta {
                return Some(*alpha);
            }
        }
        if self.is_draw(ply) {
            return Some(DRAW);
        }
        (ply >= MAX_PLY).then(|| self.value_at_the_horizon(ply))
    }

    pub(crate) fn store(
        &self,
        ply: usize,
        key: u64,
        mv: Option<Move>,
        value: Value,
        eval: Option<Value>,
        depth: i32,
        bound: TableBound,
        pv: bool,
    ) {
        let value = value_to_store(value, ply);
        self.shared.table.store(key, Entry { mv, value, eval, depth, bound, pv });
    }

    /// Writes down what came of a root move.
    fn note_root_move(
        &mut self,
        mv: Move,
        value: Value,
        alpha: Value,
        beta: Value,
        is_first: bool,
        nodes_before: u64,
    ) {
        let nodes = self.nodes - nodes_before;
        let selective_depth = self.selective_depth;
        let (line, root_moves) = (&self.lines[1], &mut self.root_moves);
        let Some(root_move) = root_moves.iter_mut().find(|it| it.mv == mv) else { return };
        root_move.nodes += nodes;
        if is_first || value > alpha {
            root_move.value = value;
            // Between a mate and an evaluation there is nothing to expect.
            let average = root_move.average.filter(|&it| !is_decisive(it) && !is_decisive(value));
            root_move.average = Some(average.map_or(value, |average| (2 * value + average) / 3));
            root_move.bound = if value >= beta {
                Bound::Lower
            } else if value <= alpha {
                Bound::Upper
            } else {
                Bound::Exact
            };
            root_move.selective_depth = selective_depth;
            root_move.line.clear();
            root_move.line.push(mv);
            root_move.line.extend_from_slice(line);
        } else {
            root_move.value = -INFINITE;
        }
    }

    fn learn(&mut self, ply: usize, best: Move, depth: i32, quiets: &MoveList, captures: &MoveList) {
        let (gain, loss) = (bonus(depth), -malus(depth));
        let frame = self.frame(ply);
        let position = frame.position;
        if is_tactical(&position, best) {
            self.history.update_capture(PieceTo::of(&position, best), captured(&position, best), gain);
        } else {
            self.frame_mut(ply).killer = Some(best);
            self.reward_quiet(ply, best, gain);
            for mv in quiets {
                self.reward_quiet(ply, mv, loss);
            }
        }
        for mv in captures {
            self.history.update_capture(PieceTo::of(&position, mv), captured(&position, mv), loss);
        }
    }

    fn reward_quiet(&mut self, ply: usize, mv: Move, bonus: i32) {
        let context = self.context(ply);
        let position = &self.frame(ply).position;
        let (side, pawn_key, piece) =
            (position.side_to_move(), position.pawn_key(), PieceTo::of(position, mv));
        self.history.update_quiet(side, pawn_key, &context, mv, piece, bonus);
    }

    fn reward_continuation(&mut self, ply: usize, mv: Move, bonus: i32) {
        let context = self.context(ply);
        let piece = PieceTo::of(&self.frame(ply).position, mv);
        self.history.update_continuation(&context, piece, bonus);
    }
}
