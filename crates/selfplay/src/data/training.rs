//! Training records.
//!
#![doc = include_str!("record-layout.md")]

use ferz_board::{Color, Move, Position, Square};

use super::{FinalResult, GameScore, Ply, is_tactical, ply_of};

/// The layout of a record, as Markdown.
pub const LAYOUT: &str = include_str!("record-layout.md");

/// The size of a record in bytes.
pub const LENGTH: usize = 32;

/// The record of a position with its score from White's point of view.
pub fn record(position: &Position, score: GameScore, result: FinalResult) -> [u8; LENGTH] {
    let side = position.side_to_move();
    let occupied = match side {
        Color::White => position.occupied(),
        Color::Black => position.occupied().flip_ranks(),
    };
    let mut record = [0; LENGTH];
    record[..8].copy_from_slice(&occupied.0.to_le_bytes());
    for (index, square) in occupied.into_iter().enumerate() {
        if let Some(piece) = position.piece_at(square.relative_to(side)) {
            let owner = if piece.color() == side { 0 } else { 8 };
            record[8 + index / 2] |= (piece.piece_type().index() as u8 | owner) << (index % 2 * 4);
        }
    }
    record[24..26].copy_from_slice(&score.relative_to(side).0.to_le_bytes());
    record[26] = result.points_of(side);
    record[27] = position.king(side).relative_to(side).index() as u8;
    record[28] = position.king(!side).relative_to(side).index() as u8;
    let plies = u16::try_from(ply_of(position)).unwrap_or(u16::MAX);
    record[29..31].copy_from_slice(&plies.to_le_bytes());
    record
}

/// The size of a move in bytes.
pub const MOVE_LENGTH: usize = 2;

/// A move of the position of a record: the origin and 64 times the target, little-endian, on the board of the record.
pub fn move_record(position: &Position, mv: Move) -> [u8; MOVE_LENGTH] {
    let square = |square: Square| square.relative_to(position.side_to_move()).index() as u16;
    (square(mv.from()) + 64 * square(mv.to())).to_le_bytes()
}

/// Selects the positions to train on.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Skip positions before this ply.
    pub min_ply: u32,
    /// Skip positions with a higher score.
    pub max_score: u16,
    /// Skip positions with fewer pieces.
    pub min_pieces: u32,
    /// Skip positions in check.
    pub no_check: bool,
    /// Skip positions where the best move captures or promotes.
    pub no_tactical: bool,
}

impl Filter {
    /// Whether a position is kept.
    pub fn accepts(&self, position: &Position, ply: Ply) -> bool {
        ply_of(position) >= self.min_ply
            && ply.score.magnitude() <= self.max_score
            && position.occupied().len() >= self.min_pieces
            && !(self.no_check && position.is_check())
            && !(self.no_tactical && is_tactical(position, ply.mv))
    }
}

#[cfg(test)]
mod tests {
    use ferz_board::{CastlingMode, PieceType, Setup};

    use super::*;
    use crate::data::testing::random_games;

    /// Decodes a record by the layout table alone.
    fn board(record: &[u8; LENGTH]) -> Setup {
        let mut setup = Setup::empty();
        let occupied = u64::from_le_bytes(record[..8].try_into().unwrap());
        let mut index = 0;
        for square in Square::ALL {
            if occupied >> square.index() & 1 == 1 {
                let nibble = record[8 + index / 2] >> (4 * (index % 2)) & 15;
                let color = if nibble < 8 { Color::White } else { Color::Black };
                setup.board.set(square, Some(PieceType::ALL[usize::from(nibble & 7)].of(color)));
                index += 1;
            }
        }
        setup
    }

    #[test]
    fn records_say_what_was_on_the_board() {
        for game in random_games(1, 20) {
            for (number, (position, ply)) in game.positions().enumerate() {
                let record = record(&position, ply.score, game.result);
                let seen = board(&record).board;
                let side = position.side_to_move();
                for square in Square::ALL {
                    let expected = position.piece_at(square.relative_to(side)).map(|piece| {
                        let color = if piece.color() == side { Color::White } else { Color::Black };
                        piece.piece_type().of(color)
                    });
                    assert_eq!(seen.piece_at(square), expected);
                }
                let king = Square::new(record[27]).unwrap();
                assert_eq!(seen.piece_at(king), Some(PieceType::King.of(Color::White)));
                let their_king = Square::new(record[28]).unwrap();
                assert_eq!(seen.piece_at(their_king), Some(PieceType::King.of(Color::Black)));
                let score = i16::from_le_bytes([record[24], record[25]]);
                let white = if side == Color::White { score } else { -score };
                assert_eq!(white, ply.score.0);
                let points = if side == Color::White { record[26] } else { 2 - record[26] };
                assert_eq!(points, game.result as u8);
                assert_eq!(usize::from(u16::from_le_bytes([record[29], record[30]])), number);
                assert_eq!(record[31], 0);
                let mv = usize::from(u16::from_le_bytes(move_record(&position, ply.mv)));
                let (origin, target) = (Square::ALL[mv % 64], Square::ALL[mv / 64]);
                let piece = seen.piece_at(origin).expect("a piece moves");
                assert_eq!(piece.color(), Color::White);
                assert_eq!(
                    (origin, target),
                    (ply.mv.from().relative_to(side), ply.mv.to().relative_to(side))
                );
            }
        }
    }

    #[test]
    fn filters() {
        let at = |fen: &str, mv: &str, score: i16| {
            let position = Position::from_fen_in(fen, CastlingMode::Standard).expect(fen);
            let ply = Ply { mv: position.parse_uci(mv).expect(mv), score: GameScore(score) };
            (position, ply)
        };
        let quiet = at("4k3/8/3p4/8/4P3/8/8/4K3 w - - 0 10", "e4e5", 50);
        let capture = at("4k3/8/3p4/4P3/8/8/8/4K3 w - - 0 10", "e5d6", 50);
        let check = at("4k3/4r3/3p4/8/8/4P3/8/4K1N1 w - - 0 10", "e3e4", -300);
        let all = Filter { max_score: u16::MAX, ..Filter::default() };
        let accepts = |filter: &Filter, (position, ply): &(Position, Ply)| filter.accepts(position, *ply);
        assert!([&quiet, &capture, &check].into_iter().all(|it| accepts(&all, it)));
        for (filter, accepted) in [
            (Filter { min_ply: 18, ..all.clone() }, [true, true, true]),
            (Filter { min_ply: 19, ..all.clone() }, [false, false, false]),
            (Filter { max_score: 299, ..all.clone() }, [true, true, false]),
            (Filter { min_pieces: 5, ..all.clone() }, [false, false, true]),
            (Filter { no_tactical: true, ..all.clone() }, [true, false, true]),
        ] {
            assert_eq!([&quiet, &capture, &check].map(|it| accepts(&filter, it)), accepted, "{filter:?}");
        }
        let in_check = at("4k3/4r3/8/8/8/8/8/4K3 w - - 0 10", "e1d1", 0);
        assert!(accepts(&all, &in_check));
        assert!(!accepts(&Filter { no_check: true, ..all }, &in_check));
    }
}
