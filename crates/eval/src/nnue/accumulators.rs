//! The accumulators of a line of moves, updated lazily and incrementally.
//!
//! A ply has an accumulator for each perspective, computed only if its position is evaluated or lies between one that
//! is and the nearest ancestor that was (lazy updates). A null move changes no piece, so it shares the accumulators of
//! the ply before. Where a king has changed its [bucket](Architecture::king_bucket), the accumulators of the ancestors
//! are useless and a refresh is needed. It starts from a refresh cache (also known as a Finny table), which holds for
//! each perspective and king bucket the last accumulator and the board it was computed for: usually few pieces have
//! moved since.

use ferz_board::{Bitboard, Board, Color, Piece, PieceType, Position, Square};

use super::aligned::I16x32;
use super::architecture::{Architecture, Perspective};
use super::dirty_pieces::{DirtyPiece, DirtyPieces};
use super::feature_weights::{FeatureDelta, FeatureList, FeatureWeights};
use super::kernels::{self, Discard, Sink, Store};
use super::simd::{Task, Vector};

/// The state of a ply's accumulators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AccumulatorState {
    /// The pieces that the move to this ply changed.
    pub(crate) dirty_pieces: DirtyPieces,
    /// By perspective: whether the accumulator is computed.
    computed: [bool; 2],
}

impl AccumulatorState {
    /// No piece has changed, and no accumulator is computed.
    pub(crate) const NEW: AccumulatorState =
        AccumulatorState { dirty_pieces: DirtyPieces::NONE, computed: [false; 2] };

    /// Marks the accumulators as not computed.
    pub(crate) fn invalidate(&mut self) {
        self.computed = [false; 2];
    }
}

/// The states of all plies of a line of moves, the root's first.
pub(crate) trait StateStack {
    /// The number of moves in the line.
    fn depth(&self) -> usize;
    /// The state of a ply, from 0 to the depth.
    fn state(&mut self, ply: usize) -> &mut AccumulatorState;
}

/// The accumulators of all plies of a line of moves.
#[derive(Clone)]
pub(super) struct AccumulatorStack {
    /// For each ply White's, then Black's.
    stack: Vec<I16x32>,
    cache: RefreshCache,
}

/// The last accumulator of each king bucket and perspective (Finny table).
#[derive(Clone)]
struct RefreshCache {
    /// For each king bucket White's, then Black's.
    accumulators: Vec<I16x32>,
    /// For each accumulator the board it was computed for.
    boards: Vec<Board>,
}

impl RefreshCache {
    fn new<A: Architecture>(net: &A) -> RefreshCache {
        RefreshCache {
            accumulators: net.biases().repeat(2 * net.king_buckets()),
            boards: vec![Board::empty(); 2 * net.king_buckets()],
        }
    }
}

impl AccumulatorStack {
    pub(super) fn new<A: Architecture>(net: &A) -> AccumulatorStack {
        AccumulatorStack { stack: Vec::new(), cache: RefreshCache::new(net) }
    }

    /// The value of the position at the end of a line for the side to move.
    #[inline(always)]
    fn evaluate<V: Vector, A: Architecture>(
        &mut self,
        net: &A,
        states: &mut impl StateStack,
        position: &Position,
    ) -> i32 {
        let top = self.top(net, states);
        let (us, pieces) = (position.side_to_move(), position.occupied().len());
        let ours = net.sink::<V>(Perspective::Us, pieces);
        let ours = self.update_perspective(net, states, position, us, top, ours);
        let theirs = net.sink::<V>(Perspective::Them, pieces);
        let theirs = self.update_perspective(net, states, position, !us, top, theirs);
        net.propagate::<V>(ours, theirs, pieces)
    }

    /// Computes what an evaluation of the end of the line needs.
    #[inline(always)]
    fn update<V: Vector, A: Architecture>(
        &mut self,
        net: &A,
        states: &mut impl StateStack,
        position: &Position,
    ) {
        let top = self.top(net, states);
        for perspective in Color::ALL {
            self.update_perspective::<V, A, _>(net, states, position, perspective, top, Discard);
        }
    }

    /// The ply whose accumulators are those of the end of the line: a null move shares those of the ply before. The
    /// stack has room for it.
    #[inline(always)]
    fn top<A: Architecture>(&mut self, net: &A, states: &mut impl StateStack) -> usize {
        let mut top = states.depth();
        while top > 0 && states.state(top).dirty_pieces.is_empty() {
            top -= 1;
        }
        let needed = 2 * (top + 1) * net.width();
        if self.stack.len() < needed {
            self.stack.resize(needed.next_power_of_two(), I16x32::ZERO);
        }
        top
    }

    #[inline(always)]
    fn update_perspective<V: Vector, A: Architecture, S: Sink<V>>(
        &mut self,
        net: &A,
        states: &mut impl StateStack,
        position: &Position,
        perspective: Color,
        top: usize,
        sink: S,
    ) -> S {
        let king_bucket = net.king_bucket(perspective, position.king(perspective));
        let mut ancestor = top;
        loop {
            let state = states.state(ancestor);
            if state.computed[perspective.index()] {
                break;
            }
            if ancestor == 0 || state.dirty_pieces.needs_refresh(net, perspective) {
                states.state(top).computed[perspective.index()] = true;
                let board = position.board();
                return self.refresh(net, board, perspective, king_bucket, top, sink);
            }
            ancestor -= 1;
        }
        if ancestor == top {
            let start = (2 * top + perspective.index()) * net.width();
            return kernels::read(&self.stack[start..][..net.width()], sink);
        }
        // No king has left its bucket since the ancestor, so this bucket is that of every ply between.
        if ancestor + 1 < top {
            ancestor = self.update_between::<V, A>(net, states, perspective, king_bucket, ancestor, top);
        }
        let state = states.state(top);
        state.computed[perspective.index()] = true;
        self.update_incrementally(net, &state.dirty_pieces, perspective, king_bucket, ancestor, top, sink)
    }

    /// Computes the accumulators between an ancestor and a ply, and returns the last ply before it.
    #[inline(never)]
    fn update_between<V: Vector, A: Architecture>(
        &mut self,
        net: &A,
        states: &mut impl StateStack,
        perspective: Color,
        king_bucket: usize,
        mut ancestor: usize,
        top: usize,
    ) -> usize {
        for ply in ancestor + 1..top {
            let state = states.state(ply);
            let dirty = &state.dirty_pieces;
            if !dirty.is_empty() {
                state.computed[perspective.index()] = true;
                V::vectorize(
                    #[inline(always)]
                    || {
                        self.update_incrementally::<V, A, _>(
                            net,
                            dirty,
                            perspective,
                            king_bucket,
                            ancestor,
                            ply,
                            Discard,
                        )
                    },
                );
                ancestor = ply;
            }
        }
        ancestor
    }

    /// Computes an accumulator from that of an ancestor and the pieces one move has changed since.
    #[inline(always)]
    fn update_incrementally<V: Vector, A: Architecture, S: Sink<V>>(
        &mut self,
        net: &A,
        dirty_pieces: &DirtyPieces,
        perspective: Color,
        king_bucket: usize,
        ancestor: usize,
        ply: usize,
        sink: S,
    ) -> S {
        let width = net.width();
        let (before, after) = self.stack.split_at_mut((2 * ply + perspective.index()) * width);
        let from = &before[(2 * ancestor + perspective.index()) * width..][..width];
        let sink = Store { to: &mut after[..width], sink };
        let (added, removed) = (
            features::<A>(dirty_pieces.placed_pieces(), perspective, king_bucket),
            features::<A>(dirty_pieces.removed_pieces(), perspective, king_bucket),
        );
        let delta = FeatureDelta { added: added.as_slice(), removed: removed.as_slice() };
        net.weights().accumulate(from, delta, sink).sink
    }

    /// Computes an accumulator from the last one of the same king bucket.
    #[inline(never)]
    fn refresh<V: Vector, A: Architecture, S: Sink<V>>(
        &mut self,
        net: &A,
        board: &Board,
        perspective: Color,
        king_bucket: usize,
        top: usize,
        sink: S,
    ) -> S {
        let index = 2 * king_bucket + perspective.index();
        let last = &mut self.cache.boards[index];
        let (mut added, mut removed) = (FeatureList::<64>::new(), FeatureList::<64>::new());
        for square in changed_squares(last, board) {
            for (list, board) in [(&mut added, board), (&mut removed, &*last)] {
                if let Some(piece) = board.piece_at(square) {
                    list.push_if(
                        has_feature::<A>(piece),
                        A::feature(perspective, king_bucket, piece, square),
                    );
                }
            }
        }
        *last = *board;
        let width = net.width();
        let cached = &mut self.cache.accumulators[index * width..][..width];
        let accumulator = &mut self.stack[(2 * top + perspective.index()) * width..][..width];
        let delta = FeatureDelta { added: added.as_slice(), removed: removed.as_slice() };
        let store = Store { to: &mut *accumulator, sink };
        let sink = V::vectorize(
            #[inline(always)]
            || net.weights().accumulate(cached, delta, store).sink,
        );
        cached.copy_from_slice(accumulator);
        sink
    }
}

/// Where two boards differ.
#[inline(always)]
fn changed_squares(a: &Board, b: &Board) -> Bitboard {
    let types = PieceType::ALL.into_iter().map(|it| a.by_type(it) ^ b.by_type(it));
    let colors = Color::ALL.into_iter().map(|it| a.by_color(it) ^ b.by_color(it));
    types.chain(colors).fold(Bitboard::EMPTY, |changed, set| changed | set)
}

/// Whether a piece has a feature.
#[inline(always)]
fn has_feature<A: Architecture>(piece: Piece) -> bool {
    A::HAS_KING_FEATURES || piece.piece_type() != PieceType::King
}

/// The features of at most two pieces.
#[inline(always)]
fn features<A: Architecture>(
    pieces: impl Iterator<Item = DirtyPiece>,
    perspective: Color,
    king_bucket: usize,
) -> FeatureList<2> {
    let mut features = FeatureList::new();
    for DirtyPiece { piece, square } in pieces {
        features.push_if(has_feature::<A>(piece), A::feature(perspective, king_bucket, piece, square));
    }
    features
}

/// The [value of the position](AccumulatorStack::evaluate) at the end of a line.
pub(super) struct EvaluateLine<'a, A, S> {
    pub(super) net: &'a A,
    pub(super) accumulators: &'a mut AccumulatorStack,
    pub(super) states: &'a mut S,
    pub(super) position: &'a Position,
}

impl<A: Architecture, S: StateStack> Task for EvaluateLine<'_, A, S> {
    type Output = i32;

    #[inline(always)]
    fn run<V: Vector>(self) -> i32 {
        self.accumulators.evaluate::<V, A>(self.net, self.states, self.position)
    }
}

/// [Computes the accumulators](AccumulatorStack::update) of the end of a line.
pub(super) struct UpdateLine<'a, A, S> {
    pub(super) net: &'a A,
    pub(super) accumulators: &'a mut AccumulatorStack,
    pub(super) states: &'a mut S,
    pub(super) position: &'a Position,
}

impl<A: Architecture, S: StateStack> Task for UpdateLine<'_, A, S> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        self.accumulators.update::<V, A>(self.net, self.states, self.position);
    }
}

/// The value of a board for a side to move, from scratch; the kings stand on these squares.
pub(super) struct EvaluateBoard<'a, A> {
    pub(super) net: &'a A,
    pub(super) board: &'a Board,
    pub(super) turn: Color,
    pub(super) kings: [Square; 2],
}

impl<A: Architecture> Task for EvaluateBoard<'_, A> {
    type Output = i32;

    #[inline(always)]
    fn run<V: Vector>(self) -> i32 {
        let EvaluateBoard { net, board, turn, kings } = self;
        let perspectives = [turn, !turn].map(|color| (color, net.king_bucket(color, kings[color.index()])));
        let mut squares = board.occupied();
        if !A::HAS_KING_FEATURES {
            squares &= !board.by_type(PieceType::King);
        }
        let pairs = squares.into_iter().filter_map(|square| {
            let piece = board.piece_at(square)?;
            Some(perspectives.map(|(color, king_bucket)| A::feature(color, king_bucket, piece, square)))
        });
        let pieces = board.occupied().len();
        let sinks = [net.sink::<V>(Perspective::Us, pieces), net.sink::<V>(Perspective::Them, pieces)];
        let [ours, theirs] = net.weights().accumulate_pairs(net.biases(), pairs, sinks);
        net.propagate::<V>(ours, theirs, pieces)
    }
}
