//! What an evaluation sees of a search, recorded so that several evaluations can replay it.

use ferz_board::{Move, MoveClass, MoveList, Observer, Piece, PieceType, Position, Square};
use ferz_eval::{EvalState, Evaluator};

/// One action of a search.
#[derive(Clone, Copy)]
pub enum Event {
    /// A move is made that leads to the node of this number.
    Make(usize),
    Unmake,
    /// The position is evaluated.
    Evaluate,
}

/// What a move does to a piece.
#[derive(Clone, Copy)]
pub enum Change {
    Placed(Piece, Square),
    Removed(Piece, Square),
    Moved(Piece, Square, Square),
}

impl Change {
    #[inline(always)]
    pub fn send(&self, observer: &mut impl Observer) {
        match *self {
            Change::Placed(piece, square) => observer.placed(piece, square),
            Change::Removed(piece, square) => observer.removed(piece, square),
            Change::Moved(piece, from, to) => observer.moved(piece, from, to),
        }
    }
}

/// A position and the move that led to it.
pub struct Node {
    pub position: Position,
    /// A move makes at most four changes.
    pub changes: [Option<Change>; 4],
}

/// An evaluation that replays a trace.
pub trait Follower {
    /// What it needs of a node.
    type Ply;

    /// At the root.
    fn start(&mut self, ply: &Self::Ply);
    fn make(&mut self, ply: &Self::Ply);
    fn unmake(&mut self);
    /// Evaluates the position and compares the value.
    fn evaluate(&mut self, ply: &Self::Ply);
}

/// A search: alpha-beta with quiescence search, deepened until it has made enough moves.
pub struct Trace {
    /// The root first.
    pub nodes: Vec<Node>,
    pub events: Vec<Event>,
}

impl Trace {
    pub fn new(root: &Position, moves: usize) -> Trace {
        let nodes = vec![Node { position: *root, changes: [None; 4] }];
        let trace = Trace { nodes, events: Vec::new() };
        let mut search = Search { trace, evaluator: Evaluator::new(root), moves, visits: 0 };
        for depth in 1..20 {
            search.visit(root, -LIMIT, LIMIT, depth);
        }
        search.trace
    }

    /// Replays the trace. Returns the number of evaluations.
    pub fn replay<F: Follower>(&self, follower: &mut F, plies: &[F::Ply]) -> u64 {
        follower.start(&plies[0]);
        let (mut path, mut evaluations) = (vec![0], 0);
        let current = |path: &[usize]| path[path.len() - 1];
        for event in &self.events {
            match *event {
                Event::Make(node) => {
                    prefetch(plies, node);
                    path.push(node);
                    follower.make(&plies[node]);
                }
                Event::Unmake => {
                    path.pop();
                    follower.unmake();
                }
                Event::Evaluate => {
                    evaluations += 1;
                    follower.evaluate(&plies[current(&path)]);
                }
            }
        }
        evaluations
    }
}

/// Prefetches an item that is needed soon: in a chess program it has just been computed.
#[inline(always)]
pub fn prefetch<T>(items: &[T], at: usize) {
    const AHEAD: usize = 8;
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = items.get(at + AHEAD) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = (&raw const *item).cast::<i8>();
        for offset in (0..size_of::<T>()).step_by(64) {
            // SAFETY: every x86-64 can prefetch, and may do so from any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, at);
}

/// Larger than all values.
const LIMIT: i32 = 30_000;
/// How many moves of a node are searched, and how many more for each ply of depth.
const WIDTH: usize = 6;

struct Search {
    trace: Trace,
    evaluator: Evaluator,
    moves: usize,
    visits: usize,
}

impl Search {
    fn is_over(&self) -> bool {
        self.trace.nodes.len() > self.moves
    }

    /// The value for the side to move. The trace skips one position in eight, as if the transposition table had it.
    fn evaluate(&mut self, position: &Position) -> i32 {
        self.visits += 1;
        if !self.visits.is_multiple_of(8) {
            self.trace.events.push(Event::Evaluate);
        }
        self.evaluator.evaluate(position)
    }

    /// The value after a move, computed by `visit`.
    fn try_move(
        &mut self,
        position: &Position,
        mv: Move,
        visit: impl FnOnce(&mut Search, &Position) -> i32,
    ) -> i32 {
        let mut child = *position;
        let mut recorder = Recorder { step: self.evaluator.push(), changes: [None; 4] };
        position.play_into(mv, &mut child, &mut recorder);
        let node = Node { position: child, changes: recorder.changes };
        self.trace.events.push(Event::Make(self.trace.nodes.len()));
        self.trace.nodes.push(node);
        let value = -visit(self, &child);
        self.trace.events.push(Event::Unmake);
        self.evaluator.pop();
        value
    }

    fn visit(&mut self, position: &Position, mut alpha: i32, beta: i32, depth: usize) -> i32 {
        if depth == 0 {
            return self.quiesce(position, alpha, beta);
        }
        let mut best = if position.is_check() { -LIMIT } else { self.evaluate(position) - 200 };
        let mut moves = tactical(position);
        let mut quiet = MoveList::new();
        position.generate(MoveClass::Quiet, &mut quiet);
        moves.extend(quiet.iter().copied());
        for mv in moves.into_iter().take(WIDTH * (depth + 1)) {
            if self.is_over() || best >= beta {
                break;
            }
            alpha = alpha.max(best);
            let value =
                self.try_move(position, mv, |search, child| search.visit(child, -beta, -alpha, depth - 1));
            best = best.max(value);
        }
        best
    }

    fn quiesce(&mut self, position: &Position, mut alpha: i32, beta: i32) -> i32 {
        let mut best = self.evaluate(position);
        for mv in tactical(position) {
            if self.is_over() || best >= beta {
                break;
            }
            alpha = alpha.max(best);
            let value = self.try_move(position, mv, |search, child| search.quiesce(child, -beta, -alpha));
            best = best.max(value);
        }
        best
    }
}

/// Captures and promotions, the most valuable victims first.
fn tactical(position: &Position) -> Vec<Move> {
    let mut list = MoveList::new();
    position.generate(MoveClass::Tactical, &mut list);
    let victim = |mv: &Move| position.piece_at(mv.to()).map_or(PieceType::Pawn, Piece::piece_type);
    let mut moves: Vec<Move> = list.iter().copied().collect();
    moves.sort_by_key(|mv| std::cmp::Reverse(victim(mv).index()));
    moves
}

/// Records what a move does, for the trace and for the evaluation.
struct Recorder<'a> {
    step: &'a mut EvalState,
    changes: [Option<Change>; 4],
}

impl Recorder<'_> {
    fn note(&mut self, change: Change) {
        let place = self.changes.iter_mut().find(|place| place.is_none());
        *place.expect("a move makes at most four changes") = Some(change);
    }
}

impl Observer for Recorder<'_> {
    fn placed(&mut self, piece: Piece, square: Square) {
        self.step.placed(piece, square);
        self.note(Change::Placed(piece, square));
    }

    fn removed(&mut self, piece: Piece, square: Square) {
        self.step.removed(piece, square);
        self.note(Change::Removed(piece, square));
    }

    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        self.step.moved(piece, from, to);
        self.note(Change::Moved(piece, from, to));
    }
}
