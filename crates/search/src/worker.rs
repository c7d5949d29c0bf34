//! One thread of a search: the search stack and what every node needs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use ferz_board::{Bitboard, Move, Observer, Piece, PieceType, Position, SearchKeys, Square, zobrist};
use ferz_eval::{EvalState, Evaluator, Network};

use crate::check_info::CheckInfo;
use crate::cuckoo::is_reversible_move;
use crate::history::{CONTINUATIONS, ContinuationContext, CorrectionKeys, History, PieceTo};
use crate::move_picker::{Arena, MovePicker};
use crate::parameters::{SearchParameters, params};
use crate::root_move::RootMove;
use crate::see::piece_value;
use crate::tablebases::TableProbes;
use crate::threats::attacked_squares;
use crate::time_management::TimeManager;
use crate::tt::{TranspositionTable, TtBound, tt_key};
use crate::value::{DRAW, MAX_PLY, Value, clamp_estimate};
use crate::{Cutoffs, Host, Limits, Report, SearchOptions, Signals};

/// What the threads of a search share. Threads search the same position independently and help each other through
/// the transposition table alone: lazy SMP.
#[derive(Debug)]
pub(crate) struct SharedState<'a> {
    pub(crate) tt: &'a TranspositionTable,
    pub(crate) host: &'a Host,
    pub(crate) limits: &'a Limits,
    pub(crate) options: &'a SearchOptions,
    pub(crate) signals: &'a Signals,
    pub(crate) parameters: SearchParameters,
    pub(crate) probes: TableProbes<'a>,
    /// Nodes with more men do not probe the endgame tables; 0 without tables.
    pub(crate) probe_men: u32,
    pub(crate) time: TimeManager<'a>,
    /// Whether some legal moves of the root are not searched.
    pub(crate) is_restricted: bool,
    /// Ends the search of all threads.
    pub(crate) stop: AtomicBool,
    /// Nodes by thread, up to date within [`POLL_INTERVAL`] nodes.
    pub(crate) nodes: Vec<AtomicU64>,
}

impl SharedState<'_> {
    pub(crate) fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|nodes| nodes.load(Relaxed)).sum()
    }

    /// Whether the search may not end by itself at present: it is infinite, or ponders.
    pub(crate) fn is_open_ended(&self) -> bool {
        self.limits.infinite || self.is_pondering()
    }

    pub(crate) fn is_pondering(&self) -> bool {
        self.limits.ponder && !self.signals.is_ponder_hit()
    }
}

/// Ends the search of all threads when it is dropped, also by a panic.
pub(crate) struct StopWhenDropped<'a>(pub(crate) &'a AtomicBool);

impl Drop for StopWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// What a thread keeps from search to search.
#[derive(Debug)]
pub(crate) struct ThreadData {
    pub(crate) history: History,
    pub(crate) evaluator: Evaluator,
    #[cfg(feature = "sample")]
    pub(crate) sampler: Option<crate::Sampler>,
    /// Memory that every search uses again, which says nothing about earlier ones.
    stack: Vec<StackEntry>,
    repetition_keys: Vec<u64>,
    pv_table: Vec<Vec<Move>>,
}

impl ThreadData {
    pub(crate) fn new(network: Option<Arc<Network>>) -> ThreadData {
        let evaluator = Evaluator::with_network(&Position::start(), network);
        ThreadData {
            history: History::new(),
            evaluator,
            #[cfg(feature = "sample")]
            sampler: None,
            stack: vec![StackEntry::new(&Position::start()); STACK_OFFSET + MAX_PLY + 2],
            repetition_keys: Vec::new(),
            pv_table: vec![Vec::new(); MAX_PLY + 2],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.history.clear();
        self.evaluator.clear();
    }

    /// Prepares for a search; the last of the repetition keys is that of the position.
    fn begin(&mut self, position: &Position, repetition_keys: &[u64]) {
        self.evaluator.reset(position);
        // The TT may know the evaluation of the root. All accumulators below are computed from those of the root.
        self.evaluator.update(position);
        let root = StackEntry::new(position);
        self.stack.iter_mut().for_each(|it| it.reset(&root));
        self.stack[STACK_OFFSET] = root;
        self.repetition_keys.clear();
        self.repetition_keys.extend_from_slice(repetition_keys);
        self.pv_table.iter_mut().for_each(Vec::clear);
    }
}

/// The number of nodes between two checks of limits and signals.
const POLL_INTERVAL: u64 = 512;

/// The same after a probe of the endgame tables.
const POLL_INTERVAL_AFTER_PROBE: u64 = 16;

/// Entries of the search stack before the root, so that every node can look back.
const STACK_OFFSET: usize = 6;

/// An entry of the search stack (`ss`): a node on the path from the root.
#[derive(Clone, Debug)]
pub(crate) struct StackEntry {
    pub(crate) position: Position,
    pub(crate) keys: SearchKeys,
    /// The squares that the opponent attacks; known where moves are searched or learnt from.
    pub(crate) attacked: Bitboard,
    /// The move being searched; `None` before the first and for a null move.
    pub(crate) mv: Option<Move>,
    pub(crate) piece_to: PieceTo,
    /// The static evaluation with correction history; `None` in check.
    pub(crate) static_eval: Option<Value>,
    pub(crate) killer: Option<Move>,
    /// The excluded move of a singular extension search.
    pub(crate) excluded: Option<Move>,
    /// The number of the move being searched in the order of the node's moves.
    pub(crate) move_count: usize,
    /// Fail highs of the nodes at this ply since their parent was entered.
    pub(crate) cutoff_count: u32,
    /// The plies that late move reductions have taken off the move being searched; 0 outside of such a search.
    pub(crate) reduction: i32,
    /// Plies since the last null move on the path. A repetition cannot reach back across it.
    pub(crate) plies_from_null: usize,
    pub(crate) in_check: bool,
    /// Whether the node is on the principal variation, or was according to the transposition table.
    pub(crate) tt_pv: bool,
}

impl StackEntry {
    fn new(position: &Position) -> StackEntry {
        StackEntry {
            position: *position,
            keys: SearchKeys::new(position),
            attacked: Bitboard::EMPTY,
            mv: None,
            piece_to: PieceTo::NONE,
            static_eval: None,
            killer: None,
            excluded: None,
            move_count: 0,
            cutoff_count: 0,
            reduction: 0,
            plies_from_null: usize::MAX / 2,
            in_check: false,
            tt_pv: false,
        }
    }

    /// Forgets an earlier search, except for its position: a move overwrites the position it leads to.
    fn reset(&mut self, new: &StackEntry) {
        *self = StackEntry { position: self.position, keys: self.keys, ..new.clone() };
    }
}

/// The material of both sides at the start of a game, without kings.
const FULL_MATERIAL: i32 = 8160;

/// The material of both sides, without kings.
fn material(position: &Position) -> i32 {
    let count = |it: PieceType| position.by_type(it).len() as i32 * piece_value(it);
    PieceType::ALL.into_iter().map(count).sum()
}

/// Receives the reports of a search.
pub(crate) type Reporter<'r> = &'r mut (dyn FnMut(&Report) + Send + 'r);

/// One thread of a search.
pub(crate) struct Worker<'a> {
    pub(crate) shared: &'a SharedState<'a>,
    pub(crate) id: usize,
    pub(crate) history: &'a mut History,
    evaluator: &'a mut Evaluator,
    #[cfg(feature = "sample")]
    sampler: Option<&'a mut crate::Sampler>,
    /// The search stack.
    stack: &'a mut [StackEntry],
    pub(crate) arena: Arena,
    /// Repetition keys of the game's positions and of the path.
    repetition_keys: &'a mut Vec<u64>,
    /// The principal variation from each ply on (triangular PV table).
    pub(crate) pv_table: &'a mut [Vec<Move>],
    pub(crate) root_moves: Vec<RootMove>,
    /// MultiPV: root moves before this one belong to better lines.
    pub(crate) first_root_move: usize,
    /// How often a root move beat the best one, since the last complete iteration.
    pub(crate) best_move_changes: u32,
    /// Root moves from this one on have a lower rank by the endgame tables.
    pub(crate) end_root_move: usize,
    pub(crate) root_depth: i32,
    pub(crate) selective_depth: usize,
    pub(crate) nodes: u64,
    pub(crate) cutoffs: Cutoffs,
    /// The node at which limits are checked next.
    poll_at: u64,
    pub(crate) stopped: bool,
    /// Null move pruning is off before this ply, while a fail high is verified.
    pub(crate) nmp_min_ply: usize,
    /// Whether the search would have ended if it did not ponder.
    pub(crate) ends_with_ponder_hit: bool,
    /// Whether root moves are reported as they are searched.
    pub(crate) report_current_moves: bool,
    /// The time spent on completing lines by endgame tables, and whether lines of the last report are not complete.
    pub(crate) completion_time: Duration,
    pub(crate) has_incomplete_lines: bool,
    reporter: Option<Reporter<'a>>,
}

impl<'a> Worker<'a> {
    /// `repetition_keys` are those of the game's positions, the present one last.
    pub(crate) fn new(
        shared: &'a SharedState<'a>,
        id: usize,
        data: &'a mut ThreadData,
        position: &Position,
        repetition_keys: &[u64],
        root_moves: Vec<RootMove>,
        reporter: Option<Reporter<'a>>,
    ) -> Worker<'a> {
        data.begin(position, repetition_keys);
        Worker {
            shared,
            id,
            history: &mut data.history,
            evaluator: &mut data.evaluator,
            #[cfg(feature = "sample")]
            sampler: data.sampler.as_mut(),
            stack: &mut data.stack,
            arena: Arena::with_capacity(4096),
            repetition_keys: &mut data.repetition_keys,
            pv_table: &mut data.pv_table,
            root_moves,
            first_root_move: 0,
            best_move_changes: 0,
            end_root_move: 0,
            root_depth: 0,
            selective_depth: 0,
            nodes: 0,
            cutoffs: Cutoffs::default(),
            poll_at: 0,
            stopped: false,
            nmp_min_ply: 0,
            ends_with_ponder_hit: false,
            report_current_moves: false,
            completion_time: Duration::ZERO,
            has_incomplete_lines: false,
            reporter,
        }
    }

    #[inline]
    pub(crate) fn ss(&self, ply: usize) -> &StackEntry {
        &self.stack[ply + STACK_OFFSET]
    }

    #[inline]
    pub(crate) fn ss_mut(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.stack[ply + STACK_OFFSET]
    }

    /// The entry of the search stack `back` plies before this one, perhaps before the root.
    #[inline]
    pub(crate) fn ss_back(&self, ply: usize, back: usize) -> &StackEntry {
        &self.stack[ply + STACK_OFFSET - back]
    }

    /// Whether every legal move of the root is searched: not only some of them (`searchmoves`), those that are left for a
    /// further line (MultiPV), or those that the endgame tables prefer.
    pub(crate) fn has_all_root_moves(&self) -> bool {
        let searched = self.first_root_move..self.end_root_move;
        !self.shared.is_restricted && searched == (0..self.root_moves.len())
    }

    /// Whether reports are wanted: only of the main thread.
    pub(crate) fn has_reporter(&self) -> bool {
        self.reporter.is_some()
    }

    /// Passes a report on.
    pub(crate) fn report(&mut self, report: &Report) {
        if let Some(reporter) = &mut self.reporter {
            reporter(report);
        }
    }

    /// Reports damaged endgame tables that any thread has met.
    pub(crate) fn report_table_problems(&mut self) {
        if self.has_reporter() {
            for problem in self.shared.probes.problems().take_new() {
                self.report(&Report::TableProblem(problem));
            }
        }
    }

    /// Repetition keys of the game's positions and of the path.
    pub(crate) fn repetition_keys(&self) -> &[u64] {
        self.repetition_keys
    }

    /// The earlier moves that continuation histories are indexed by.
    #[inline]
    pub(crate) fn continuation_context(&self, ply: usize) -> ContinuationContext {
        CONTINUATIONS.map(|back| self.ss_back(ply, back).piece_to)
    }

    #[inline]
    pub(crate) fn tt_key(&self, ply: usize) -> u64 {
        let position = &self.ss(ply).position;
        tt_key(position.key(), position.halfmove_clock())
    }

    #[inline]
    pub(crate) fn correction_keys(&self, ply: usize) -> CorrectionKeys {
        let ss = self.ss(ply);
        let last = [1, 2].map(|back| self.ss_back(ply, back).piece_to);
        CorrectionKeys::new(&ss.position, &ss.keys, last)
    }

    /// The next move of a node.
    #[inline]
    pub(crate) fn pick(&mut self, ply: usize, picker: &mut MovePicker, checks: &CheckInfo) -> Option<Move> {
        let StackEntry { position, attacked, .. } = &self.stack[ply + STACK_OFFSET];
        let mv = picker.next(&mut self.arena, position, *attacked, checks, self.history)?;
        self.shared.tt.prefetch(key_after(position, mv));
        Some(mv)
    }

    /// Finds out what the opponent attacks, for the histories and the order of quiet moves.
    #[inline]
    pub(crate) fn update_attacked(&mut self, ply: usize) {
        let ss = self.ss_mut(ply);
        ss.attacked = attacked_squares(&ss.position);
    }

    /// Plays a legal move.
    pub(crate) fn make(&mut self, ply: usize, mv: Move) {
        self.nodes += 1;
        let (parents, children) = self.stack.split_at_mut(ply + STACK_OFFSET + 1);
        let parent = &mut parents[ply + STACK_OFFSET];
        let child = &mut children[0];
        parent.mv = Some(mv);
        parent.piece_to = PieceTo::of(&parent.position, mv);
        child.keys = parent.keys;
        let mut observer = Both(self.evaluator.push(), &mut child.keys);
        parent.position.play_into(mv, &mut child.position, &mut observer);
        child.plies_from_null = parent.plies_from_null + 1;
        self.repetition_keys.push(child.position.repetition_key());
    }

    /// Makes a null move; `null` is the position after it.
    pub(crate) fn make_null(&mut self, ply: usize, null: Position) {
        self.nodes += 1;
        let (parents, children) = self.stack.split_at_mut(ply + STACK_OFFSET + 1);
        let parent = &mut parents[ply + STACK_OFFSET];
        let child = &mut children[0];
        parent.mv = None;
        parent.piece_to = PieceTo::NONE;
        child.keys = parent.keys;
        child.position = null;
        child.plies_from_null = 0;
        self.shared.tt.prefetch(tt_key(null.key(), null.halfmove_clock()));
        let _ = self.evaluator.push();
        self.repetition_keys.push(null.key());
    }

    /// Takes back the last move, null or not.
    #[inline]
    pub(crate) fn unmake(&mut self) {
        self.evaluator.pop();
        self.repetition_keys.pop();
    }

    /// The static evaluation without correction history; see [`Worker::corrected_eval`]. The fewer pieces are left, the
    /// less an advantage is worth.
    #[inline]
    pub(crate) fn evaluate(&mut self, ply: usize) -> Value {
        #[cfg(feature = "sample")]
        self.offer_sample(ply, false);
        let position = &self.stack[ply + STACK_OFFSET].position;
        let eval = self.evaluator.evaluate(position);
        let base = params::material_scale_base();
        eval * (base + (1024 - base) * material(position) / FULL_MATERIAL) / 1024
    }

    /// Offers a position to the sampler, if there is one.
    #[cfg(feature = "sample")]
    pub(crate) fn offer_sample(&mut self, ply: usize, is_quiet: bool) {
        if let Some(sampler) = &mut self.sampler {
            sampler.offer(&self.stack[ply + STACK_OFFSET].position, is_quiet);
        }
    }

    /// An evaluation with correction history, scaled towards a draw as the halfmove clock grows.
    #[inline]
    pub(crate) fn corrected_eval(&self, ply: usize, eval: Value, correction: Value) -> Value {
        let clock = self.ss(ply).position.halfmove_clock().min(100) as Value;
        let damping = params::halfmove_clock_damping();
        let damped = eval * (damping - clock) / damping;
        clamp_estimate(damped + correction)
    }

    /// Whether the side to move has pieces other than pawns and the king.
    #[inline]
    pub(crate) fn has_non_pawn_material(&self, ply: usize) -> bool {
        let position = &self.ss(ply).position;
        let pawns_and_kings = position.by_type(PieceType::Pawn) | position.by_type(PieceType::King);
        (position.by_color(position.side_to_move()) - pawns_and_kings).any()
    }

    /// Whether the position is a draw by the rules, or repeats a position of this search: what was possible once would
    /// be possible again.
    pub(crate) fn is_draw(&self, ply: usize) -> bool {
        let ss = self.ss(ply);
        let position = &ss.position;
        let clock = position.halfmove_clock() as usize;
        // Checkmate on the last of the fifty moves counts.
        if clock >= 100 && (!ss.in_check || position.has_legal_moves()) {
            return true;
        }
        if position.is_insufficient_material() {
            return true;
        }
        let last = self.repetition_keys.len() - 1;
        let reach = clock.min(ss.plies_from_null).min(last);
        let mut earlier = 0;
        for back in (4..=reach).step_by(2) {
            if self.repetition_keys[last - back] == self.repetition_keys[last] {
                earlier += 1;
                // One repetition within the search is enough; positions of the game must repeat twice.
                if back < ply || earlier == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Upcoming repetition: whether the side to move can repeat a position of this search with its next move.
    pub(crate) fn has_upcoming_repetition(&self, ply: usize) -> bool {
        let ss = self.ss(ply);
        let last = self.repetition_keys.len() - 1;
        let reach = (ss.position.halfmove_clock() as usize).min(ss.plies_from_null).min(last);
        let key = self.repetition_keys[last];
        (3..=reach)
            .step_by(2)
            .take_while(|&back| back < ply)
            .any(|back| is_reversible_move(&ss.position, key ^ self.repetition_keys[last - back]))
    }

    /// Whether the search must end. Limits and signals are checked every [`POLL_INTERVAL`] nodes.
    #[inline]
    pub(crate) fn must_stop(&mut self) -> bool {
        if self.nodes >= self.poll_at {
            self.poll();
        }
        self.stopped
    }

    #[cold]
    fn poll(&mut self) {
        let shared = self.shared;
        shared.nodes[self.id].store(self.nodes, Relaxed);
        if self.id == 0
            && let Some(poll) = &shared.host.poll
        {
            poll();
        }
        if self.id == 0 {
            shared.signals.poll_while_paused(shared.host);
        } else {
            shared.signals.wait_while_paused();
        }
        self.poll_at = self.nodes + POLL_INTERVAL;
        let over_nodes = shared.limits.nodes.is_some_and(|limit| {
            // With a single thread the limit is exact.
            self.poll_at = self.poll_at.min(limit.max(self.nodes + 1));
            shared.total_nodes() >= limit
        });
        // Without a line of the first iteration any legal move would be played.
        let has_line = self.root_depth > 1 || self.first_root_move > 0;
        let over_time = self.id == 0
            && has_line
            && (self.ends_with_ponder_hit || shared.time.is_hard_limit_reached())
            && !shared.is_pondering();
        if shared.signals.is_stopped() || over_nodes || over_time {
            shared.stop.store(true, Relaxed);
        }
        self.stopped = shared.stop.load(Relaxed);
        self.report_table_problems();
    }

    /// The value of a node by the endgame tables, and how it bounds the true value. For nodes with few enough men.
    pub(crate) fn probe_tables(&mut self, ply: usize, depth: i32) -> Option<(Value, TtBound)> {
        let probed = self.shared.probes.probe_node(&self.ss(ply).position, ply, depth)?;
        // A probe may wait for a disk.
        self.poll_at = self.poll_at.min(self.nodes + POLL_INTERVAL_AFTER_PROBE);
        Some(probed)
    }

    /// Updates the principal variation of a node: its move, then that of the child.
    pub(crate) fn update_pv(&mut self, ply: usize, mv: Move) {
        let (nodes, children) = self.pv_table.split_at_mut(ply + 1);
        let pv = &mut nodes[ply];
        pv.clear();
        pv.push(mv);
        pv.extend_from_slice(&children[0]);
    }

    /// The value of a position at the maximum ply: its evaluation, or a draw in check.
    pub(crate) fn max_ply_value(&mut self, ply: usize) -> Value {
        if self.ss(ply).in_check {
            return DRAW;
        }
        let eval = self.evaluate(ply);
        let correction = self.history.correction(&self.correction_keys(ply));
        self.corrected_eval(ply, eval, correction)
    }
}

/// The TT key after a move, before the move is made: early enough to prefetch the entry. Castling rights, en passant
/// squares and special moves are ignored.
#[inline]
fn key_after(position: &Position, mv: Move) -> u64 {
    let mut key = position.key() ^ zobrist::WHITE_TO_MOVE;
    let mut clock = position.halfmove_clock() + 1;
    if let Some(piece) = position.piece_at(mv.from()) {
        key ^= zobrist::piece(piece, mv.from()) ^ zobrist::piece(piece, mv.to());
        if piece.piece_type() == PieceType::Pawn {
            clock = 0;
        }
    }
    if let Some(captured) = position.piece_at(mv.to()) {
        key ^= zobrist::piece(captured, mv.to());
        clock = 0;
    }
    tt_key(key, clock)
}

/// Two observers of the same move.
struct Both<'a>(&'a mut EvalState, &'a mut SearchKeys);

impl Observer for Both<'_> {
    #[inline(always)]
    fn placed(&mut self, piece: Piece, square: Square) {
        self.0.placed(piece, square);
        self.1.placed(piece, square);
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.0.removed(piece, square);
        self.1.removed(piece, square);
    }

    #[inline(always)]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        self.0.moved(piece, from, to);
        self.1.moved(piece, from, to);
    }
}
