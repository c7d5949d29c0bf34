//! A retrograde solver for endings against a bare king: in how many moves White mates, for every position.
//!
//! It works with sets of squares of the bare king: one for each placement of White's men, which move around it.

use ferz_board::{Bitboard, Color, PieceType, Position, Square, attacks};

/// White's men, the king first, as an index: six bits each.
#[derive(Clone, Copy)]
struct Placement {
    squares: [Square; 3],
    men: usize,
}

/// All positions of one ending.
pub(crate) struct SolvedEnding {
    /// White's pieces beside the king.
    pieces: Vec<PieceType>,
    /// In how many moves White, to move, mates; 0 if never. By placement and square of the bare king.
    won: Vec<u8>,
    /// The same for Black to move, plus one.
    lost: Vec<u8>,
}

impl SolvedEnding {
    /// Solves an ending of one or two pieces beside the king. A pawn promotes into the endings given; any other
    /// promotion, and the loss of a man, counts as a draw.
    pub(crate) fn new(pieces: &[PieceType], promotions: &[&SolvedEnding]) -> SolvedEnding {
        let count = 64usize.pow(1 + pieces.len() as u32);
        let mut solved =
            SolvedEnding { pieces: pieces.to_vec(), won: vec![0; 64 * count], lost: vec![0; 64 * count] };
        let placements: Vec<_> = (0..count).map(|index| solved.placement(index)).collect();
        let attacked: Vec<_> = placements.iter().map(|it| it.map(|it| solved.attacked(&it))).collect();
        let mut wins = vec![Bitboard::EMPTY; count];
        let mut losses = vec![Bitboard::EMPTY; count];
        for moves in 0.. {
            let mut changed = false;
            for index in 0..count {
                let (Some(placement), Some(attacked)) = (&placements[index], attacked[index]) else {
                    continue;
                };
                let king_zone = attacks::king(placement.squares[0]) | placement.occupied();
                if moves > 0 {
                    let found = solved.wins(placement, &losses, promotions, moves) - (attacked | king_zone);
                    record(&mut solved.won, index, found - wins[index], moves);
                    changed |= (found - wins[index]).any();
                    wins[index] |= found;
                }
            }
            for index in 0..count {
                let (Some(placement), Some(attacked)) = (&placements[index], attacked[index]) else {
                    continue;
                };
                let king_zone = attacks::king(placement.squares[0]) | placement.occupied();
                let safe = !(attacked | placement.squares[0].bitboard());
                let found = (neighbours(safe) | attacked) - neighbours(safe - wins[index]) - king_zone;
                record(&mut solved.lost, index, found - losses[index], moves + 1);
                changed |= (found - losses[index]).any();
                losses[index] |= found;
            }
            // A promotion may win later than everything else so far.
            if !changed && moves > 40 {
                break;
            }
        }
        solved
    }

    /// In how many moves White mates from a position of this ending; `None` if it is not won or a different ending.
    pub(crate) fn mate_in(&self, position: &Position) -> Option<u32> {
        let mut squares = vec![position.king(Color::White)];
        let mut left = position.by_color(Color::White).without(squares[0]);
        for &piece in &self.pieces {
            let square = (left & position.by_type(piece)).first()?;
            left.remove(square);
            squares.push(square);
        }
        if left.any() || !position.by_color(Color::Black).is_singular() {
            return None;
        }
        let index = squares.iter().rev().fold(0, |index, square| 64 * index + square.index());
        let entry = 64 * index + position.king(Color::Black).index();
        let moves = match position.side_to_move() {
            Color::White => self.won[entry],
            Color::Black => self.lost[entry].checked_sub(1)?,
        };
        (moves > 0 || position.side_to_move() == Color::Black).then_some(u32::from(moves))
    }

    /// The placement with this index, unless men share a square or a pawn stands on the first or last rank.
    fn placement(&self, index: usize) -> Option<Placement> {
        let men = 1 + self.pieces.len();
        let mut squares = [Square::A1; 3];
        for (man, square) in squares.iter_mut().enumerate().take(men) {
            *square = Square::ALL[index >> (6 * man) & 63];
        }
        let placement = Placement { squares, men };
        let pawns_fit = self
            .men(&placement)
            .all(|(piece, square)| piece != PieceType::Pawn || (1..7).contains(&square.rank().index()));
        (placement.occupied().len() == men as u32 && pawns_fit).then_some(placement)
    }

    fn men<'a>(&'a self, placement: &Placement) -> impl Iterator<Item = (PieceType, Square)> + use<'a> {
        let squares = placement.squares;
        self.pieces.iter().copied().zip(squares.into_iter().skip(1))
    }

    /// What White's men attack, also through the bare king.
    fn attacked(&self, placement: &Placement) -> Bitboard {
        let occupied = placement.occupied();
        self.men(placement)
            .map(|(piece, square)| attacks::of(piece.of(Color::White), square, occupied))
            .fold(attacks::king(placement.squares[0]), |all, set| all | set)
    }

    /// The squares of the bare king with which some move of White wins.
    fn wins(
        &self,
        placement: &Placement,
        losses: &[Bitboard],
        promotions: &[&SolvedEnding],
        moves: u8,
    ) -> Bitboard {
        let occupied = placement.occupied();
        let mut wins = Bitboard::EMPTY;
        for to in attacks::king(placement.squares[0]) - occupied {
            wins |= losses[placement.with(0, to).index()];
        }
        for (man, (piece, from)) in self.men(placement).enumerate() {
            if piece == PieceType::Pawn {
                let front = Square::ALL[from.index() + 8];
                if occupied.contains(front) {
                    continue;
                }
                let pushed = placement.with(man + 1, front);
                if front.rank().index() == 7 {
                    wins |= promotions
                        .iter()
                        .fold(Bitboard::EMPTY, |all, it| all | it.lost_within(&pushed, moves));
                    continue;
                }
                wins |= losses[pushed.index()];
                if from.rank().index() == 1 && !occupied.contains(Square::ALL[from.index() + 16]) {
                    let pushed = placement.with(man + 1, Square::ALL[from.index() + 16]);
                    wins |= losses[pushed.index()].without(front);
                }
                continue;
            }
            for to in attacks::of(piece.of(Color::White), from, occupied) - occupied {
                wins |= losses[placement.with(man + 1, to).index()] - attacks::between(from, to);
            }
        }
        wins
    }

    /// The squares of the bare king, to move, with which it is mated in fewer moves than this.
    fn lost_within(&self, placement: &Placement, moves: u8) -> Bitboard {
        let entries = &self.lost[64 * placement.index()..][..64];
        Square::ALL
            .into_iter()
            .filter(|square| (1..=moves).contains(&entries[square.index()]))
            .fold(Bitboard::EMPTY, Bitboard::with)
    }
}

impl Placement {
    fn occupied(&self) -> Bitboard {
        self.squares[..self.men].iter().fold(Bitboard::EMPTY, |all, &square| all.with(square))
    }

    fn with(&self, man: usize, square: Square) -> Placement {
        let mut moved = *self;
        moved.squares[man] = square;
        moved
    }

    fn index(&self) -> usize {
        self.squares[..self.men].iter().rev().fold(0, |index, square| 64 * index + square.index())
    }
}

fn record(table: &mut [u8], index: usize, squares: Bitboard, moves: u8) {
    for square in squares {
        table[64 * index + square.index()] = moves;
    }
}

/// The squares a king's move away from some square of a set.
fn neighbours(set: Bitboard) -> Bitboard {
    use ferz_board::Direction::{East, North, South, West};
    let beside = set.shift(East) | set.shift(West);
    let row = set | beside;
    beside | row.shift(North) | row.shift(South)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest(solved: &SolvedEnding) -> u8 {
        solved.won.iter().copied().max().unwrap_or(0)
    }

    /// The longest mates are well known.
    #[test]
    fn the_longest_mates_are_as_long_as_known() {
        let queen = SolvedEnding::new(&[PieceType::Queen], &[]);
        let rook = SolvedEnding::new(&[PieceType::Rook], &[]);
        assert_eq!((longest(&queen), longest(&rook)), (10, 16));
        assert_eq!(longest(&SolvedEnding::new(&[PieceType::Pawn], &[&queen, &rook])), 28);
        assert_eq!(longest(&SolvedEnding::new(&[PieceType::Bishop, PieceType::Bishop], &[])), 19);
        assert_eq!(longest(&SolvedEnding::new(&[PieceType::Bishop, PieceType::Knight], &[])), 33);
    }
}
