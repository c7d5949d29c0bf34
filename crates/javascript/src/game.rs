//! The game that was used last: what depends on the moves before the position.

use std::cell::RefCell;

use ferz_board::{DrawClaim, Game, Move, PackedPosition};

use crate::buffers::{packed, with_input};
use crate::position::outcome_code;

thread_local! {
    static CURRENT: RefCell<Option<Game>> = const { RefCell::new(None) };
}

/// A copy of the current game.
pub fn current() -> Game {
    CURRENT.with_borrow(|game| game.clone().unwrap_or_default())
}

fn with_current<R>(work: impl FnOnce(&mut Game) -> R) -> R {
    CURRENT.with_borrow_mut(|game| work(game.get_or_insert_default()))
}

exports! {
    /// Begins with the packed position and plays moves, two bytes each in the input; 0 if one of them is not legal.
    fn game_load(moves: usize) -> u32 {
        let Ok(start) = PackedPosition::from_bytes(packed()).unpack() else { return 0 };
        let mut game = Game::new(start);
        let is_legal = with_input(2 * moves, |bytes| {
            bytes.chunks_exact(2).all(|pair| {
                let mv = Move::from_bits(u16::from_le_bytes([pair[0], pair[1]]));
                mv.is_some_and(|mv| game.play(mv).is_ok())
            })
        });
        CURRENT.set(Some(game));
        u32::from(is_legal)
    }

    /// Plays one more move; 0 if it is not legal.
    fn game_play(bits: u32) -> u32 {
        let Some(mv) = u16::try_from(bits).ok().and_then(Move::from_bits) else { return 0 };
        u32::from(with_current(|game| game.play(mv).is_ok()))
    }

    /// Takes the last move back; 0 if there is none.
    fn game_undo() -> u32 {
        u32::from(with_current(Game::undo).is_some())
    }

    /// Bits 0 to 7: how often the position has stood on the board, up to 255; bit 8: threefold repetition can be claimed;
    /// bit 9: 50 moves can be claimed; bits 16 to 23: the outcome.
    fn game_status() -> u32 {
        with_current(|game| {
            game.repetitions().min(255)
                | u32::from(game.can_claim(DrawClaim::ThreefoldRepetition)) << 8
                | u32::from(game.can_claim(DrawClaim::FiftyMoves)) << 9
                | outcome_code(game.outcome()) << 16
        })
    }
}
