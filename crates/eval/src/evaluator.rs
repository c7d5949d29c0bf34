//! The evaluator of a search: an evaluation that follows its moves.

use std::sync::Arc;

use ferz_board::{Color, Observer, Piece, Position, Square};

use crate::classical::{Classical, PsqtState};
use crate::endgame::{self, Knowledge};
use crate::nnue::{AccumulatorState, Inference, Network, StateStack};

/// The greatest static evaluation, in centipawns. Greater values are mates, which only a search can find.
pub const VALUE_LIMIT: i32 = 10_000;

/// Evaluates positions for one thread of a search, and updates incrementally what moves change. It uses a net if it
/// has one, and the classical evaluation otherwise.
///
/// ```
/// use ferz_board::Position;
/// use ferz_eval::Evaluator;
///
/// let position = Position::start();
/// let mut evaluator = Evaluator::new(&position);
/// let before = evaluator.evaluate(&position);
///
/// // Make a move: the board reports to the evaluator which pieces it changes.
/// let mv = position.parse_uci("e2e4").unwrap();
/// let mut child = position;
/// position.play_into(mv, &mut child, evaluator.push());
/// assert_ne!(evaluator.evaluate(&child), before);
///
/// // Unmake it.
/// evaluator.pop();
/// assert_eq!(evaluator.evaluate(&position), before);
/// ```
#[derive(Clone, Debug)]
pub struct Evaluator {
    stack: EvalStack,
    evaluation: Evaluation,
}

/// The evaluation in use. The other one takes neither time nor memory.
#[derive(Clone, Debug)]
enum Evaluation {
    Classical(ClassicalStack),
    Net(Box<Inference>),
}

impl Evaluation {
    fn new(network: Option<Arc<Network>>) -> Evaluation {
        match network {
            None => Evaluation::Classical(ClassicalStack { classical: Classical::new(), psqt: Vec::new() }),
            Some(network) => Evaluation::Net(Box::new(Inference::new(network))),
        }
    }
}

/// The classical evaluation of a line of moves.
#[derive(Clone, Debug)]
struct ClassicalStack {
    classical: Classical,
    /// The states of the first plies of the line, up to the last one evaluated. Empty if the root is not known.
    psqt: Vec<PsqtState>,
}

impl ClassicalStack {
    /// The value of the position at the end of a line for White.
    fn evaluate(&mut self, stack: &EvalStack, position: &Position) -> i32 {
        let psqt = self.update(stack).unwrap_or_else(|| PsqtState::new(position));
        debug_assert_eq!(psqt, PsqtState::new(position), "the evaluator missed a move");
        self.classical.evaluate(position, &psqt)
    }

    /// The state of the end of a line, updated incrementally; `None` if it must be computed from scratch.
    fn update(&mut self, stack: &EvalStack) -> Option<PsqtState> {
        let mut psqt = *self.psqt.last()?;
        for state in &stack.0[self.psqt.len()..] {
            if !state.accumulators.dirty_pieces.apply_to(&mut psqt) {
                return None;
            }
            self.psqt.push(psqt);
        }
        Some(psqt)
    }
}

/// The states of all plies from the root to the current position. Never empty.
#[derive(Clone, Debug)]
struct EvalStack(Vec<EvalState>);

/// What the evaluation keeps for a ply: the observer of the move that leads to it.
///
/// [`Evaluator::push`] returns it; pass it to [`Position::play_into`].
#[derive(Clone, Copy, Debug)]
pub struct EvalState {
    accumulators: AccumulatorState,
}

impl EvalState {
    /// No piece has changed.
    const NEW: EvalState = EvalState { accumulators: AccumulatorState::NEW };
}

impl Observer for EvalState {
    #[inline(always)]
    fn placed(&mut self, piece: Piece, square: Square) {
        self.accumulators.dirty_pieces.placed(piece, square);
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.accumulators.dirty_pieces.removed(piece, square);
    }

    #[inline(always)]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        self.accumulators.dirty_pieces.moved(piece, from, to);
    }
}

impl StateStack for EvalStack {
    #[inline(always)]
    fn depth(&self) -> usize {
        self.0.len() - 1
    }

    #[inline(always)]
    fn state(&mut self, ply: usize) -> &mut AccumulatorState {
        &mut self.0[ply].accumulators
    }
}

impl Evaluator {
    /// The classical evaluator of this position.
    #[must_use]
    pub fn new(root: &Position) -> Evaluator {
        Evaluator::with_network(root, None)
    }

    /// An evaluator of this position that uses this net, if any.
    ///
    /// ```
    /// # #[cfg(feature = "embedded-net")] {
    /// use ferz_board::Position;
    /// use ferz_eval::{Evaluator, Network};
    ///
    /// let position = Position::start();
    /// let mut evaluator = Evaluator::with_network(&position, Some(Network::embedded()));
    /// assert!(evaluator.evaluate(&position).abs() < 100);
    /// # }
    /// ```
    #[must_use]
    pub fn with_network(root: &Position, network: Option<Arc<Network>>) -> Evaluator {
        let mut evaluator =
            Evaluator { stack: EvalStack(Vec::with_capacity(256)), evaluation: Evaluation::new(network) };
        evaluator.reset(root);
        evaluator
    }

    /// Changes the net; `None` selects the classical evaluation.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        self.evaluation = Evaluation::new(network);
        // The accumulators are gone, but the moves are still known.
        self.stack.0.iter_mut().for_each(|state| state.accumulators.invalidate());
    }

    /// The net in use.
    #[must_use]
    pub fn network(&self) -> Option<&Arc<Network>> {
        match &self.evaluation {
            Evaluation::Classical(_) => None,
            Evaluation::Net(inference) => Some(inference.network()),
        }
    }

    /// Moves to a new root position. The pawn hash table stays valid.
    pub fn reset(&mut self, root: &Position) {
        self.stack.0.clear();
        self.stack.0.push(EvalState::NEW);
        if let Evaluation::Classical(classical) = &mut self.evaluation {
            classical.psqt.clear();
            classical.psqt.push(PsqtState::new(root));
        }
    }

    /// Clears the pawn hash table, so that the next search takes exactly as long as the first.
    pub fn clear(&mut self) {
        if let Evaluation::Classical(classical) = &mut self.evaluation {
            classical.classical.clear();
        }
    }

    /// Adds a ply. The returned observer must see what the move changes; a null move changes nothing.
    ///
    /// ```
    /// use ferz_board::Position;
    /// use ferz_eval::Evaluator;
    ///
    /// let position = Position::start();
    /// let mut evaluator = Evaluator::new(&position);
    /// let passed = position.null_move().unwrap();
    /// evaluator.push();
    /// assert_eq!(evaluator.evaluate(&passed), Evaluator::new(&passed).evaluate(&passed));
    /// ```
    #[inline]
    pub fn push(&mut self) -> &mut EvalState {
        self.stack.0.push(EvalState::NEW);
        self.stack.0.last_mut().expect("just pushed")
    }

    /// Removes the last ply.
    #[inline]
    pub fn pop(&mut self) {
        debug_assert!(self.stack.depth() > 0, "more plies popped than pushed");
        // The state of the root always stays.
        let depth = self.stack.0.len().saturating_sub(1).max(1);
        self.stack.0.truncate(depth);
        if let Evaluation::Classical(classical) = &mut self.evaluation {
            classical.psqt.truncate(depth);
        }
    }

    /// The static evaluation for the side to move, in centipawns. `position` must be the position after the pushed
    /// moves.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        let known = endgame::probe(position);
        if let Some(value) = known.and_then(Knowledge::value) {
            return for_mover(position, value);
        }
        let value = match &mut self.evaluation {
            Evaluation::Classical(classical) => {
                for_mover(position, classical.evaluate(&self.stack, position))
            }
            Evaluation::Net(inference) => {
                inference.evaluate(&mut self.stack, position).clamp(-VALUE_LIMIT, VALUE_LIMIT)
            }
        };
        match known {
            None => value,
            Some(known) => for_mover(position, known.apply(for_mover(position, value))),
        }
    }

    /// Brings the accumulators of a net up to date; does nothing without a net. An evaluation includes it. A search
    /// that need not evaluate its root updates it, since all accumulators below are computed from it.
    ///
    /// ```
    /// use ferz_board::Position;
    /// use ferz_eval::Evaluator;
    ///
    /// let position = Position::start();
    /// let mut evaluator = Evaluator::new(&position);
    /// evaluator.update(&position);
    /// assert_eq!(evaluator.evaluate(&position), Evaluator::new(&position).evaluate(&position));
    /// ```
    pub fn update(&mut self, position: &Position) {
        if let Evaluation::Net(inference) = &mut self.evaluation {
            inference.update(&mut self.stack, position);
        }
    }
}

/// Converts a value for White to one for the side to move, or the other way round.
#[inline(always)]
fn for_mover(position: &Position, value: i32) -> i32 {
    match position.side_to_move() {
        Color::White => value,
        Color::Black => -value,
    }
}
