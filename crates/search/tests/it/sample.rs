//! Games and positions to search: random with a fixed seed, so a test that fails once fails again.

use fastrand::Rng;
use ferz_board::{CastlingMode, Color, Game, Move, Piece, PieceType, Position, Setup, Square};

/// A position from its FEN.
pub fn at(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// A game that starts at a position from its FEN, with some moves played.
pub fn game(fen: &str, moves: &[&str]) -> Game {
    let mut game = Game::new(at(fen));
    for text in moves {
        let mv = game.position().parse_uci(text).unwrap_or_else(|error| panic!("{fen} {text}: {error}"));
        game.play(mv).expect("it was just found");
    }
    game
}

/// A random game of at most this many plies that is not over yet.
pub fn random_game(start: Position, plies: usize, random: &mut Rng) -> Game {
    let mut game = Game::new(start);
    for _ in 0..plies {
        let moves = game.position().legal_moves();
        let Some(mv) = random.choice(moves) else { break };
        game.play(mv).expect("a listed move is legal");
        if game.outcome().is_some() {
            game.undo();
            break;
        }
    }
    game
}

/// A Chess960 start position, both sides as they like.
pub fn chess960_start(random: &mut Rng) -> Position {
    let setup = Setup::chess960(random.usize(..960) as u16, random.usize(..960) as u16).expect("below 960");
    Position::from_setup(&setup, CastlingMode::Chess960).expect("a start position is legal")
}

/// Both sides move a piece and move it back: the position on the board has been there once more. False if no
/// pieces can be found that do.
pub fn repeat(game: &mut Game, random: &mut Rng) -> bool {
    let ply = game.ply();
    let (key, seen) = (game.position().repetition_key(), game.repetitions());
    for _ in 0..20 {
        let mut there = Vec::new();
        for _ in 0..2 {
            let moves: Vec<Move> = game.position().legal_moves().into_iter().collect();
            let quiet: Vec<Move> =
                moves.into_iter().filter(|&mv| is_reversible(game.position(), mv)).collect();
            let Some(mv) = random.choice(quiet) else { break };
            game.play(mv).expect("a listed move is legal");
            there.push(mv);
        }
        for mv in there {
            let Some(back) = game.position().find_move(mv.to(), mv.from(), None) else { break };
            game.play(back).expect("it was just found");
        }
        if game.ply() == ply + 4 && game.position().repetition_key() == key && game.repetitions() > seen {
            return true;
        }
        while game.ply() > ply {
            game.undo();
        }
    }
    false
}

fn is_reversible(position: &Position, mv: Move) -> bool {
    !position.by_type(PieceType::Pawn).contains(mv.from())
        && position.piece_at(mv.to()).is_none()
        && !mv.is_castling()
}

/// A legal position with these pieces on random squares.
pub fn random_placement(pieces: &[Piece], side_to_move: Color, random: &mut Rng) -> Position {
    loop {
        let mut setup = Setup { side_to_move, ..Setup::empty() };
        for &piece in pieces {
            let free: Vec<Square> =
                Square::ALL.into_iter().filter(|&square| setup.board.piece_at(square).is_none()).collect();
            setup.board.set(random.choice(free).expect("few pieces"), Some(piece));
        }
        if let Ok(position) = Position::from_setup(&setup, CastlingMode::Standard) {
            return position;
        }
    }
}

/// The same position with this halfmove clock.
pub fn with_clock(position: &Position, clock: u32) -> Position {
    let mut setup = Setup::from(position);
    setup.en_passant = None;
    setup.halfmove_clock = clock;
    setup.fullmove_number = 100;
    Position::from_setup(&setup, CastlingMode::Chess960).expect("clocks do not make a position illegal")
}
