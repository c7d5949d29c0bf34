//! One thread of a search: its path through the tree and what every node needs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use ferz_board::{Move, Observer, Piece, PieceType, Position, SearchKeys, Square, zobrist};
use ferz_eval::{EvalState, Evaluator, Network};

use crate::cycle::is_reversible_move;
use crate::history::{CONTINUATIONS, Context, CorrectionKeys, History, PieceTo};
use crate::parameters::{Parameters, tuned};
use crate::picker::{Arena, Picker};
use crate::table::{Table, table_key};
use crate::time::Budget;
use crate::value::{DRAW, MAX_PLY, Value, clamp_estimate};
use crate::{Cutoffs, Limits, Options, Signals};

/// What all threads of a search have in common.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    pub(crate) table: &'a Table,
    pub(crate) limits: &'a Limits,
    pub(crate) options: &'a Options,
    pub(crate) signals: &'a Signals,
    pub(crate) parameters: Parameters,
    pub(crate) budget: Budget,
    /// Set when the search is over.
    pub(crate) stop: AtomicBool,
    /// Positions looked at, by thread; up to date within [`POLL_INTERVAL`] nodes.
    pub(crate) nodes: Vec<AtomicU64>,
}

impl Shared<'_> {
    pub(crate) fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|nodes| nodes.load(Relaxed)).sum()
    }

    /// Whether the search may not end by itself for now.
    pub(crate) fn must_go_on(&self) -> bool {
        self.limits.infinite || self.is_pondering()
    }

    pub(crate) fn is_pondering(&self) -> bool {
        self.limits.ponder && !self.signals.is_ponder_hit()
    }
}

/// Ends the search of all threads when it is dropped: also when the thread that holds it breaks down.
pub(crate) struct StopWhenDropped<'a>(pub(crate) &'a AtomicBool);

impl Drop for StopWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// What a thread keeps from search to search.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) history: History,
    pub(crate) evaluator: Evaluator,
}

impl Memory {
    pub(crate) fn new(network: Option<Arc<Network>>) -> Memory {
        let evaluator = Evaluator::with_network(&Position::start(), network);
        Memory { history: History::new(), evaluator }
    }

    pub(crate) fn clear(&mut self) {
        self.history.clear();
        self.evaluator.clear();
    }
}

/// How often limits and signals are looked at.
const POLL_INTERVAL: u64 = 512;

/// Frames that stand before the root, so that every node has ancestors to look at.
const BEFORE_ROOT: usize = 6;

/// A node on the path from the root.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) position: Position,
    pub(crate) keys: SearchKeys,
    /// The move being searched here; none before the first, and for a null move.
    pub(crate) mv: Option<Move>,
    pub(crate) piece_to: PieceTo,
    /// With corrections; none in check.
    pub(crate) static_eval: Option<Value>,
    pub(crate) killer: Option<Move>,
    /// Left out, to see what the position is worth without it.
    pub(crate) excluded: Option<Move>,
    /// How many children failed high.
    pub(crate) cutoffs: u32,
    /// Moves since the root or the last null move.
    pub(crate) reversible: usize,
    pub(crate) in_check: bool,
    pub(crate) on_pv: bool,
}

impl Frame {
    fn new(position: &Position) -> Frame {
        Frame {
            position: *position,
            keys: SearchKeys::new(position),
            mv: None,
            piece_to: PieceTo::NONE,
            static_eval: None,
            killer: None,
            excluded: None,
            cutoffs: 0,
            reversible: usize::MAX / 2,
            in_check: false,
            on_pv: false,
        }
    }
}

/// A move at the root and what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) mv: Move,
    /// In the present iteration; worst of all if it was only shown not to be the best.
    pub(crate) value: Value,
    /// In the iteration before.
    pub(crate) previous: Value,
    /// Over the iterations, recent ones counting most.
    pub(crate) average: Option<Value>,
    pub(crate) bound: crate::Bound,
    pub(crate) selective_depth: usize,
    pub(crate) nodes: u64,
    pub(crate) line: Vec<Move>,
}

/// One thread of a search.
#[derive(Debug)]
pub(crate) struct Worker<'a> {
    pub(crate) shared: &'a Shared<'a>,
    pub(crate) id: usize,
    pub(crate) history: &'a mut History,
    evaluator: &'a mut Evaluator,
    frames: Vec<Frame>,
    pub(crate) arena: Arena,
    /// Keys of the game's positions and of the path, for repetitions.
    keys: Vec<u64>,
    /// The best line found at each ply of the principal variation.
    pub(crate) lines: Vec<Vec<Move>>,
    pub(crate) root_moves: Vec<RootMove>,
    /// Root moves before this one belong to better lines.
    pub(crate) first_root_move: usize,
    pub(crate) root_depth: i32,
    pub(crate) selective_depth: usize,
    pub(crate) nodes: u64,
    pub(crate) cutoffs: Cutoffs,
    /// When to look at limits next.
    poll_at: u64,
    pub(crate) stopped: bool,
    /// No null move before this ply: one is being verified.
    pub(crate) null_move_from: usize,
    pub(crate) current_moves: bool,
}

impl<'a> Worker<'a> {
    /// `keys` are those of the game's positions, the present one last.
    pub(crate) fn new(
        shared: &'a Shared<'a>,
        id: usize,
        memory: &'a mut Memory,
        position: &Position,
        keys: &[u64],
        root_moves: Vec<RootMove>,
    ) -> Worker<'a> {
        memory.evaluator.reset(position);
        Worker {
            shared,
            id,
            history: &mut memory.history,
            evaluator: &mut memory.evaluator,
            frames: vec![Frame::new(position); BEFORE_ROOT + MAX_PLY + 2],
            arena: Arena::with_capacity(4096),
            keys: keys.to_vec(),
            lines: vec![Vec::new(); MAX_PLY + 2],
            root_moves,
            first_root_move: 0,
            root_depth: 0,
            selective_depth: 0,
            nodes: 0,
            cutoffs: Cutoffs::default(),
            poll_at: 0,
            stopped: false,
            null_move_from: 0,
            current_moves: false,
        }
    }

    #[inline]
    pub(crate) fn frame(&self, ply: usize) -> &Frame {
        &self.frames[ply + BEFORE_ROOT]
    }

    #[inline]
    pub(crate) fn frame_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + BEFORE_ROOT]
    }

    /// The frame so many plies before this one, perhaps before the root.
    #[inline]
    pub(crate) fn frame_before(&self, ply: usize, back: usize) -> &Frame {
        &self.frames[ply + BEFORE_ROOT - back]
    }

    /// Keys of the game's positions and of the path.
    pub(crate) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The moves that led here, as far as histories ask.
    #[inline]
    pub(crate) fn context(&self, ply: usize) -> Context {
        CONTINUATIONS.map(|back| self.frame_before(ply, back).piece_to)
    }

    #[inline]
    pub(crate) fn table_key(&self, ply: usize) -> u64 {
        let position = &self.frame(ply).position;
        table_key(position.key(), position.halfmove_clock())
    }

    #[inline]
    pub(crate) fn correction_keys(&self, ply: usize) -> CorrectionKeys {
        let frame = self.frame(ply);
        let last = [1, 2].map(|back| self.frame_before(ply, back).piece_to);
        CorrectionKeys::new(&frame.position, &frame.keys, last)
    }

    /// The next move of a node.
    #[inline]
    pub(crate) fn pick(&mut self, ply: usize, picker: &mut Picker) -> Option<Move> {
        picker.next(&mut self.arena, &self.frames[ply + BEFORE_ROOT].position, self.history)
    }

    /// Plays a legal move.
    pub(crate) fn make(&mut self, ply: usize, mv: Move) {
        self.nodes += 1;
        let (parents, children) = self.frames.split_at_mut(ply + BEFORE_ROOT + 1);
        let parent = &mut parents[ply + BEFORE_ROOT];
        let child = &mut children[0];
        parent.mv = Some(mv);
        parent.piece_to = PieceTo::of(&parent.position, mv);
        self.shared.table.prefetch(key_after(&parent.position, mv));
        child.keys = parent.keys;
        let mut observer = Both(self.evaluator.push(), &mut child.keys);
        parent.position.play_into(mv, &mut child.position, &mut observer);
        child.reversible = parent.reversible + 1;
        self.keys.push(child.position.repetition_key());
    }

    /// Passes the turn; `null` is the position after that.
    pub(crate) fn make_null(&mut self, ply: usize, null: Position) {
        self.nodes += 1;
        let (parents, children) = self.frames.split_at_mut(ply + BEFORE_ROOT + 1);
        let parent = &mut parents[ply + BEFORE_ROOT];
        let child = &mut children[0];
        parent.mv = None;
        parent.piece_to = PieceTo::NONE;
        child.keys = parent.keys;
        child.position = null;
        child.reversible = 0;
        self.shared.table.prefetch(table_key(null.key(), null.halfmove_clock()));
        let _ = self.evaluator.push();
        self.keys.push(null.key());
    }

    /// Takes back the last move, null or not.
    #[inline]
    pub(crate) fn unmake(&mut self) {
        self.evaluator.pop();
        self.keys.pop();
    }

    /// The evaluation of the position as it is; see [`Worker::corrected`].
    #[inline]
    pub(crate) fn evaluate(&mut self, ply: usize) -> Value {
        let position = &self.frames[ply + BEFORE_ROOT].position;
        self.evaluator.evaluate(position)
    }

    /// An evaluation with what experience adds to it, and nearer to a draw the longer nothing happened.
    #[inline]
    pub(crate) fn corrected(&self, ply: usize, eval: Value) -> Value {
        let clock = Value::from(self.frame(ply).position.halfmove_clock().min(100));
        let damping = tuned::clock_damping();
        let damped = eval * (damping - clock) / damping;
        clamp_estimate(damped + self.history.correction(&self.correction_keys(ply)))
    }

    /// Whether the side to move has more than pawns.
    #[inline]
    pub(crate) fn has_pieces(&self, ply: usize) -> bool {
        let position = &self.frame(ply).position;
        let plain = position.by_type(PieceType::Pawn) | position.by_type(PieceType::King);
        (position.by_color(position.side_to_move()) - plain).any()
    }

    /// Whether the position is a draw by the rules, or as good as one: a position of this search that comes
    /// again would come again and again.
    pub(crate) fn is_draw(&self, ply: usize) -> bool {
        let frame = self.frame(ply);
        let position = &frame.position;
        let clock = usize::from(position.halfmove_clock());
        // Mate on the last move of the fifty counts.
        if clock >= 100 && (!frame.in_check || position.has_legal_moves()) {
            return true;
        }
        if position.is_insufficient_material() {
            return true;
        }
        let last = self.keys.len() - 1;
        let reach = clock.min(frame.reversible).min(last);
        let mut earlier = 0;
        for back in (4..=reach).step_by(2) {
            if self.keys[last - back] == self.keys[last] {
                earlier += 1;
                // Within the search once is enough; of the game's own positions it takes two.
                if back < ply || earlier == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Whether the side to move can repeat a position of this search with its next move.
    pub(crate) fn can_repeat(&self, ply: usize) -> bool {
        let frame = self.frame(ply);
        let last = self.keys.len() - 1;
        let reach = usize::from(frame.position.halfmove_clock()).min(frame.reversible).min(last);
        let key = self.keys[last];
        (3..=reach)
            .step_by(2)
            .take_while(|&back| back < ply)
            .any(|back| is_reversible_move(&frame.position, key ^ self.keys[last - back]))
    }

    /// Looks at limits and signals from time to time; true if the search must end.
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
        shared.signals.wait_while_paused();
        self.poll_at = self.nodes + POLL_INTERVAL;
        let over_nodes = shared.limits.nodes.is_some_and(|limit| {
            // The last nodes of a single thread are counted one by one.
            self.poll_at = self.poll_at.min(limit.max(self.nodes + 1));
            shared.total_nodes() >= limit
        });
        let over_time = shared.budget.is_used_up() && !shared.is_pondering();
        if shared.signals.is_stopped() || over_nodes || over_time {
            shared.stop.store(true, Relaxed);
        }
        self.stopped = shared.stop.load(Relaxed);
    }

    /// Writes the line of a node: its move and what follows.
    pub(crate) fn update_line(&mut self, ply: usize, mv: Move) {
        let (nodes, children) = self.lines.split_at_mut(ply + 1);
        let line = &mut nodes[ply];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&children[0]);
    }

    /// What is to be said of a position that no search went into: it is a draw, or as good as its evaluation.
    pub(crate) fn value_at_the_horizon(&mut self, ply: usize) -> Value {
        if self.frame(ply).in_check {
            return DRAW;
        }
        let eval = self.evaluate(ply);
        self.corrected(ply, eval)
    }
}

/// The table's key after a move, before the move is made: early enough to bring the entry into the cache. Rights
/// and en-passant squares that come or go are not looked at, nor special moves.
#[inline]
fn key_after(position: &Position, mv: Move) -> u64 {
    let mut key = position.key() ^ zobrist::WHITE_TO_MOVE;
    let mut clock = position.halfmove_clock().saturating_add(1);
    if let Some(piece) = position.piece_at(mv.from()) {
        key ^= zobrist::piece(piece, mv.from()) ^ zobrist::piece(piece, mv.to());
        if piece.piece_type() == PieceType::Pawn {
            clock = 0;
        }
    }
    if let Some(victim) = position.piece_at(mv.to()) {
        key ^= zobrist::piece(victim, mv.to());
        clock = 0;
    }
    table_key(key, clock)
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
