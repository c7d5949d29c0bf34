//! Alpha-beta with an evaluation that follows the moves, compared at every node with the value from scratch.
//!
//! ```text
//! alpha-beta DEPTH [FEN]
//! ```

use std::error::Error;

use ferz_board::{ByPieceType, CastlingMode, Move, Observer, Piece, Position, Square};

const VALUES: ByPieceType<i32> = ByPieceType::new([100, 300, 310, 500, 900, 0]);
const MATED: i32 = -30_000;

/// Material and a bonus for central squares, in centipawns from White's point of view.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Evaluation(i32);

impl Evaluation {
    fn of(piece: Piece, square: Square) -> i32 {
        let to_centre = |index: usize| index.min(7 - index) as i32;
        let central = to_centre(square.file().index()) + to_centre(square.rank().index());
        let value = VALUES[piece.piece_type()] + 5 * central;
        if piece.color().is_white() { value } else { -value }
    }

    fn from_scratch(position: &Position) -> Evaluation {
        let mut evaluation = Evaluation::default();
        position.board().replay(&mut evaluation);
        evaluation
    }
}

impl Observer for Evaluation {
    fn placed(&mut self, piece: Piece, square: Square) {
        self.0 += Evaluation::of(piece, square);
    }

    fn removed(&mut self, piece: Piece, square: Square) {
        self.0 -= Evaluation::of(piece, square);
    }
}

#[derive(Default)]
struct Search {
    nodes: u64,
    best: Option<Move>,
}

impl Search {
    fn alpha_beta(
        &mut self,
        position: &Position,
        value: Evaluation,
        depth: u32,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        self.nodes += 1;
        assert_eq!(value, Evaluation::from_scratch(position));
        let mut moves = position.legal_moves();
        if moves.is_empty() {
            return if position.is_check() { MATED - depth as i32 } else { 0 };
        }
        if depth == 0 {
            return if position.side_to_move().is_white() { value.0 } else { -value.0 };
        }
        // Captures of valuable pieces first.
        moves.sort_by_key(|&mv| position.captured(mv).map_or(0, |piece| -VALUES[piece.piece_type()]));
        let (mut child, mut best) = (*position, None);
        for &mv in &moves {
            let mut after = value;
            position.play_into(mv, &mut child, &mut after);
            let score = -self.alpha_beta(&child, after, depth - 1, -beta, -alpha);
            if score > alpha || best.is_none() {
                (alpha, best) = (alpha.max(score), Some(mv));
            }
            if alpha >= beta {
                break;
            }
        }
        self.best = best;
        alpha
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth = arguments.next().map_or(Ok(4), |depth| depth.parse())?;
    let position: Position = arguments.next().map_or(Ok(Position::start()), |fen| fen.parse())?;
    let mut search = Search::default();
    let score =
        search.alpha_beta(&position, Evaluation::from_scratch(&position), depth, 2 * MATED, -2 * MATED);
    let best = search.best.map_or("none".to_owned(), |mv| mv.uci(CastlingMode::Standard).to_string());
    println!("best {best} score {score} nodes {}", search.nodes);
    Ok(())
}
