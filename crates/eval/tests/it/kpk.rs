//! The bitbase of king and pawn against king, compared with a solver that plays legal moves.

use ferz_board::{CastlingMode, Color, Piece, PieceType, Position, Setup, Square};
use ferz_eval::{EndgameRule, endgame_rule};

/// What is known about a position while it is solved. Whatever is not proven to be won is a draw.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Unknown,
    Won,
}

/// Where a legal move leads.
enum Child {
    /// A position with the pawn.
    Pawn(usize),
    Won,
    Drawn,
}

#[test]
fn the_bitbase_equals_a_solver_that_plays_legal_moves() {
    let positions: Vec<Option<Position>> = (0..2 * 64 * 64 * 64).map(position_at).collect();
    let children: Vec<Vec<Child>> =
        positions.iter().map(|it| it.as_ref().map(children_of).unwrap_or_default()).collect();
    let mut verdicts = vec![Verdict::Unknown; positions.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (index, position) in positions.iter().enumerate() {
            let Some(position) = position.as_ref().filter(|_| verdicts[index] == Verdict::Unknown) else {
                continue;
            };
            let wins = |child: &Child| match child {
                Child::Pawn(index) => verdicts[*index] == Verdict::Won,
                Child::Won => true,
                Child::Drawn => false,
            };
            let is_won = match position.side_to_move() {
                Color::White => children[index].iter().any(wins),
                // Without a move it is stalemate: a pawn and a king cannot mate.
                Color::Black => !children[index].is_empty() && children[index].iter().all(wins),
            };
            if is_won {
                verdicts[index] = Verdict::Won;
                changed = true;
            }
        }
    }

    let mut compared = 0;
    for (position, verdict) in positions.iter().zip(&verdicts) {
        let Some(position) = position else { continue };
        let expected = if *verdict == Verdict::Won { EndgameRule::PawnWins } else { EndgameRule::PawnDraws };
        assert_eq!(endgame_rule(position), Some(expected), "{position}");
        assert_eq!(endgame_rule(&position.with_colors_exchanged()), Some(expected), "{position}");
        compared += 1;
    }
    // All legal positions with a white pawn.
    assert_eq!(compared, 331_352);
}

fn index_of(position: &Position, pawn: Square) -> usize {
    let kings = position.king(Color::White).index() * 64 + position.king(Color::Black).index();
    (kings * 64 + pawn.index()) * 2 + position.side_to_move().index()
}

fn position_at(index: usize) -> Option<Position> {
    let [white_king, black_king, pawn] = [13, 7, 1].map(|shift| Square::ALL[index >> shift & 63]);
    let mut setup = Setup { side_to_move: Color::ALL[index & 1], ..Setup::empty() };
    setup.board.set(white_king, Some(Piece::WhiteKing));
    setup.board.set(black_king, Some(Piece::BlackKing));
    setup.board.set(pawn, Some(Piece::WhitePawn));
    // With two men on one square, a king or the pawn is missing.
    let is_complete = setup.board.iter().count() == 3;
    Position::from_setup(&setup, CastlingMode::Standard).ok().filter(|_| is_complete)
}

fn children_of(position: &Position) -> Vec<Child> {
    let moves = position.legal_moves();
    let child = |mv| {
        let mut child = *position;
        child.play_unchecked(mv);
        match child.by_type(PieceType::Pawn).first() {
            Some(pawn) => Child::Pawn(index_of(&child, pawn)),
            None if is_won_promotion(&child) => Child::Won,
            None => Child::Drawn,
        }
    };
    moves.into_iter().map(child).collect()
}

/// A queen or a rook wins if it is neither lost at once nor gives stalemate.
fn is_won_promotion(position: &Position) -> bool {
    let majors = position.by_type(PieceType::Queen) | position.by_type(PieceType::Rook);
    let is_lost = position.legal_moves().into_iter().any(|mv| majors.contains(mv.to()));
    majors.any() && !is_lost && !position.is_stalemate()
}
