//! Random positions, the same in every run.

use fastrand::Rng;
use ferz_board::{CastlingMode, Color, Piece, PieceType, Position, Setup, Square};

/// Positions of games of random moves, of standard chess or of double Chess960.
pub fn game_positions(random: &mut Rng, count: usize, mode: CastlingMode) -> Vec<Position> {
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        let setup = match mode {
            CastlingMode::Standard => Setup::start(),
            CastlingMode::Chess960 => Setup::chess960(random.u16(..960), random.u16(..960)).unwrap(),
        };
        let mut position = Position::from_setup(&setup, CastlingMode::Chess960).unwrap();
        for _ in 0..random.usize(..200) {
            let Some(mv) = random.choice(position.legal_moves()) else { break };
            position.play(mv).unwrap();
            positions.push(position);
        }
    }
    positions.truncate(count);
    positions
}

/// Positions in which several pieces of a kind often reach the same square.
pub fn crowded_positions(random: &mut Rng, count: usize) -> Vec<Position> {
    const CROWDS: [PieceType; 4] = [PieceType::Queen, PieceType::Knight, PieceType::Rook, PieceType::Bishop];
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        let mut setup = Setup::empty();
        let crowd = random.choice(CROWDS).unwrap().of(Color::White);
        let mut pieces = vec![crowd; random.usize(3..10)];
        pieces.extend((0..random.usize(..10)).map(|_| random.choice(Piece::ALL).unwrap()));
        pieces.extend([Piece::WhiteKing, Piece::BlackKing]);
        for piece in pieces {
            setup.board.set(random.choice(Square::ALL).unwrap(), Some(piece));
        }
        positions.extend(Position::from_setup(&setup, CastlingMode::Standard));
    }
    positions
}
