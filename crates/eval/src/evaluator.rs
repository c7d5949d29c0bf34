//! What a search uses: an evaluation that follows its moves.

use std::sync::Arc;

use ferz_board::{Observer, Piece, Position, Square};

use crate::classical::{Classical, Increments};
use crate::nnue::{Inference, Line, Network, Ply};

/// No evaluation goes beyond this: whatever does is a mate, and for the search to say.
pub const VALUE_LIMIT: i32 = 10_000;

/// Evaluates positions for one thread of a search, keeping what moves change up to date. With a net it is the net's
/// evaluation, without one the classical.
///
/// ```
/// use ferz_board::Position;
/// use ferz_eval::Evaluator;
///
/// let position = Position::start();
/// let mut evaluator = Evaluator::new(&position);
/// let mut child = position;
/// let mv = position.parse_uci("e2e4").unwrap();
/// position.play_into(mv, &mut child, evaluator.push());
/// assert_ne!(evaluator.evaluate(&child), 0);
/// evaluator.pop();
/// ```
#[derive(Clone, Debug)]
pub struct Evaluator {
    path: Path,
    classical: Classical,
    inference: Option<Box<Inference>>,
}

/// Where an evaluator stands and how it came there: one step for each position, the root's first. Never empty.
#[derive(Clone, Debug)]
struct Path(Vec<Step>);

impl Path {
    /// Of the position the evaluator stands at.
    #[inline(always)]
    fn current(&self) -> &Step {
        self.0.last().expect("the root has a step")
    }
}

/// What the evaluation keeps of a position and of the move that led to it: an observer of the move.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    increments: Increments,
    ply: Ply,
}

impl Step {
    fn new(position: &Position) -> Step {
        Step { increments: Increments::new(position), ply: Ply::NEW }
    }
}

impl Observer for Step {
    #[inline(always)]
    fn placed(&mut self, piece: Piece, square: Square) {
        self.increments.placed(piece, square);
        self.ply.changes.placed(piece, square);
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.increments.removed(piece, square);
        self.ply.changes.removed(piece, square);
    }

    #[inline(always)]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        self.increments.moved(piece, from, to);
        self.ply.changes.moved(piece, from, to);
    }
}

impl Line for Path {
    #[inline(always)]
    fn depth(&self) -> usize {
        self.0.len() - 1
    }

    #[inline(always)]
    fn ply(&mut self, number: usize) -> &mut Ply {
        &mut self.0[number].ply
    }
}

impl Evaluator {
    /// An evaluator that stands at this position, without a net.
    pub fn new(root: &Position) -> Evaluator {
        Evaluator::with_network(root, None)
    }

    /// An evaluator that stands at this position and uses this net, if any.
    pub fn with_network(root: &Position, network: Option<Arc<Network>>) -> Evaluator {
        let mut path = Path(Vec::with_capacity(256));
        path.0.push(Step::new(root));
        Evaluator {
            path,
            classical: Classical::new(),
            inference: network.map(|network| Box::new(Inference::new(network))),
        }
    }

    /// Uses another net from now on, or none.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        self.inference = network.map(|network| Box::new(Inference::new(network)));
        // The accumulators are gone; the moves still count.
        self.path.0.iter_mut().for_each(|step| step.ply.forget());
    }

    /// The net in use.
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.inference.as_deref().map(Inference::network)
    }

    /// Stands at another position, from scratch. What it remembers of pawns stays true.
    pub fn reset(&mut self, root: &Position) {
        self.path.0.clear();
        self.path.0.push(Step::new(root));
    }

    /// Forgets all it remembers of pawns, so that a search afterwards takes exactly as long as the first.
    pub fn clear(&mut self) {
        self.classical.clear();
    }

    /// Goes one move deeper: the observer returned must see what the move does. Before a null move it is left
    /// alone.
    #[inline]
    pub fn push(&mut self) -> &mut Step {
        let increments = self.path.current().increments;
        self.path.0.push(Step { increments, ply: Ply::NEW });
        self.path.0.last_mut().expect("just pushed")
    }

    /// Takes back what was last pushed.
    #[inline]
    pub fn pop(&mut self) {
        debug_assert!(self.path.depth() > 0, "more moves taken back than pushed");
        // The root's step stays, come what may.
        let depth = self.path.0.len().saturating_sub(1).max(1);
        self.path.0.truncate(depth);
    }

    /// The value of the position for the side to move, in centipawns. The position must be the one the moves
    /// pushed have led to.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        let increments = &self.path.current().increments;
        debug_assert_eq!(*increments, Increments::new(position), "the evaluator missed a move");
        match &mut self.inference {
            None => self.classical.evaluate(position, increments),
            Some(inference) => match crate::classical::bare_king(position) {
                // Nets have hardly seen such endings, and have no idea where to drive the king.
                Some(value) => value,
                None => inference.evaluate(&mut self.path, position).clamp(-VALUE_LIMIT, VALUE_LIMIT),
            },
        }
    }

    /// Does the part of an evaluation that keeps a net's first layer up to date, and nothing without a net. For
    /// measurements: an evaluation does it by itself.
    pub fn update(&mut self, position: &Position) {
        if let Some(inference) = &mut self.inference {
            inference.update(&mut self.path, position);
        }
    }
}
