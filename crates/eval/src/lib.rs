//! Evaluation of chess positions.

use ferz_board::{Observer, Piece, PieceType, Position, Square};

/// Evaluates positions for one thread of a search, keeping what moves change up to date.
#[derive(Clone, Debug)]
pub struct Evaluator {
    stack: Vec<Increments>,
}

impl Evaluator {
    /// An evaluator that stands at this position.
    pub fn new(root: &Position) -> Evaluator {
        let mut evaluator = Evaluator { stack: Vec::new() };
        evaluator.reset(root);
        evaluator
    }

    /// Stands at another position, from scratch.
    pub fn reset(&mut self, root: &Position) {
        self.stack.clear();
        self.stack.push(Increments::new(root));
    }

    /// Goes one move deeper: the observer returned must see what the move does.
    pub fn push(&mut self) -> &mut Increments {
        let top = self.stack[self.stack.len() - 1];
        self.stack.push(top);
        self.stack.last_mut().expect("just pushed")
    }

    /// Forgets what it remembers of positions.
    pub fn clear(&mut self) {}

    /// Takes back what was last pushed.
    pub fn pop(&mut self) {
        self.stack.pop();
    }

    /// The value of the position for the side to move, in centipawns. The position must be the one the moves
    /// pushed have led to.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        let value = self.stack.last().map_or(0, |top| top.material);
        if position.side_to_move() == ferz_board::Color::White { value } else { -value }
    }
}

/// What the evaluation keeps from move to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Increments {
    material: i32,
}

impl Increments {
    fn new(position: &Position) -> Increments {
        let mut increments = Increments::default();
        position.board().iter().for_each(|(square, piece)| increments.placed(piece, square));
        increments
    }
}

fn value(piece: Piece, square: Square) -> i32 {
    let centre = 6
        - (square.file().index() as i32 * 2 - 7).abs() / 2
        - (square.rank().index() as i32 * 2 - 7).abs() / 2;
    let value = match piece.piece_type() {
        PieceType::Pawn => 100 + centre * 3,
        PieceType::Knight => 320 + centre * 8,
        PieceType::Bishop => 330 + centre * 5,
        PieceType::Rook => 500,
        PieceType::Queen => 950 + centre,
        PieceType::King => -centre * 4,
    };
    if piece.color() == ferz_board::Color::White { value } else { -value }
}

impl Observer for Increments {
    fn placed(&mut self, piece: Piece, square: Square) {
        self.material += value(piece, square);
    }
    fn removed(&mut self, piece: Piece, square: Square) {
        self.material -= value(piece, square);
    }
}
