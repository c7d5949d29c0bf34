//! Property: a validated setup can be played: no move list overflows, no king can be captured, and every move leads to a
//! valid position.

#![no_main]

use ferz_board::{CastlingMode, CastlingStyle, EnPassantMode, MoveList, Position, Setup};
use ferz_fuzz::Bytes;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let setup = Bytes::new(bytes).setup();
    let position = match Position::from_setup(&setup, CastlingMode::Chess960) {
        Ok(position) => position,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert_eq!(Setup::from(&position), setup);
    let fen = position.fen(EnPassantMode::Always, CastlingStyle::Shredder);
    assert_eq!(Position::from_fen_in(fen.as_str(), CastlingMode::Chess960), Ok(position));

    let moves = position.legal_moves();
    assert!(moves.len() <= MoveList::BOUND, "{position}");
    assert_eq!(position.count_legal() as usize, moves.len(), "{position}");
    position.for_each_child(|mv, child| {
        let mover = child.king(position.side_to_move());
        let capturers = child.attackers_to(mover) & child.by_color(child.side_to_move());
        assert!(capturers.is_empty(), "{position} {mv:?} leaves the king to be captured");
        assert_eq!(child.is_check(), position.gives_check(mv), "{position} {mv:?}");
        // The clocks may exceed the limits of a setup.
        let setup = Setup { halfmove_clock: 0, fullmove_number: 1, ..Setup::from(child) };
        assert_eq!(setup.violations(CastlingMode::Chess960), [], "{position} {mv:?}");
    });
});
