//! Random positions and texts, the same in every run.

use ferz_board::{CastlingMode, Piece, PieceType, Position, Setup, Square};

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }

    pub fn one_of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Positions of games of random moves, of standard chess or of double Chess960.
    pub fn game_positions(&mut self, count: usize, mode: CastlingMode) -> Vec<Position> {
        let mut positions = Vec::with_capacity(count);
        while positions.len() < count {
            let setup = match mode {
                CastlingMode::Standard => Setup::start(),
                CastlingMode::Chess960 => {
                    Setup::chess960(self.below(960) as u16, self.below(960) as u16).unwrap()
                }
            };
            let mut position = Position::from_setup(&setup, CastlingMode::Chess960).unwrap();
            for _ in 0..self.below(200) {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.play(*self.one_of(&moves)).unwrap();
                positions.push(position);
            }
        }
        positions.truncate(count);
        positions
    }

    /// Positions in which several pieces of a kind often reach the same square.
    pub fn crowded_positions(&mut self, count: usize) -> Vec<Position> {
        let mut positions = Vec::with_capacity(count);
        while positions.len() < count {
            let mut setup = Setup::empty();
            let mut put = |random: &mut Random, piece: Piece| {
                setup.board.set(Square::wrapping(random.below(64) as u32), Some(piece));
            };
            let crowd =
                *self.one_of(&[PieceType::Queen, PieceType::Knight, PieceType::Rook, PieceType::Bishop]);
            for _ in 0..3 + self.below(7) {
                put(self, crowd.of(ferz_board::Color::White));
            }
            for _ in 0..self.below(10) {
                let piece = *self.one_of(&Piece::ALL);
                put(self, piece);
            }
            put(self, Piece::WhiteKing);
            put(self, Piece::BlackKing);
            positions.extend(Position::from_setup(&setup, CastlingMode::Standard));
        }
        positions
    }
}
