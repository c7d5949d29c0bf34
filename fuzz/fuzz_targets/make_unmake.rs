//! Property: incremental updates equal values computed from scratch, and unmaking a move restores everything.

#![no_main]

use ferz_board::{CastlingMode, Observer, Piece, Position, SearchKeys, Setup, Square, zobrist};
use ferz_fuzz::Bytes;
use libfuzzer_sys::fuzz_target;

/// A sum over piece squares, as an evaluation keeps it, and the keys of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Kept {
    sum: i64,
    keys: SearchKeys,
}

impl Kept {
    fn of(position: &Position) -> Kept {
        let mut kept = Kept::default();
        position.board().iter().for_each(|(square, piece)| kept.placed(piece, square));
        kept
    }
}

/// Squared, so that no two changes cancel by accident.
fn value(piece: Piece, square: Square) -> i64 {
    let number = (piece.index() * 64 + square.index()) as i64;
    number * number
}

impl Observer for Kept {
    fn placed(&mut self, piece: Piece, square: Square) {
        self.sum += value(piece, square);
        self.keys.placed(piece, square);
    }

    fn removed(&mut self, piece: Piece, square: Square) {
        self.sum -= value(piece, square);
        self.keys.removed(piece, square);
    }
}

fn assert_kept_up(position: &Position, kept: Kept) {
    assert_eq!(kept, Kept::of(position), "{position}");
    assert_eq!(position.pawn_key(), zobrist::pawns(position.board()), "{position}");
    // Reading the set-up anew makes every key and derived square from scratch.
    let fresh = Position::from_setup(&Setup::from(position), CastlingMode::Chess960);
    assert_eq!(fresh, Ok(*position));
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Bytes::new(bytes);
    let mut position = bytes.start();
    let mut kept = Kept::of(&position);
    let mut played = Vec::new();
    while !bytes.is_empty() {
        let Some(mv) = bytes.legal_move(&position) else { break };
        let before = (position, kept);
        let undo = position.make(mv, &mut kept);
        assert_kept_up(&position, kept);
        let mut copy = before.0;
        before.0.play_into(mv, &mut copy, &mut ());
        assert_eq!(copy, position);
        played.push((before, undo));
    }
    while let Some((before, undo)) = played.pop() {
        position.unmake(undo, &mut kept);
        assert_eq!((position, kept), before);
    }
});
