//! Property: a FEN that was read is the same position after writing and reading it again.

#![no_main]

use ferz_board::{CastlingMode, CastlingStyle, EnPassantMode, Position, Repair};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|fen: &str| {
    let lenient = Position::from_fen_lenient(fen);
    if let Ok(position) = Position::from_fen_in(fen, CastlingMode::Chess960) {
        for style in [CastlingStyle::XFen, CastlingStyle::Shredder] {
            let written = position.fen(EnPassantMode::Always, style);
            assert_eq!(Position::from_fen_in(written.as_str(), CastlingMode::Chess960), Ok(position));
        }
        assert_eq!(lenient.as_ref().map(|(position, _)| position), Ok(&position));
    }
    if let Ok((position, _)) = lenient {
        let written = position.fen(EnPassantMode::Always, CastlingStyle::Shredder);
        let (again, repairs) =
            Position::from_fen_lenient(written.as_str()).expect("it has just been repaired");
        assert_eq!(again, position);
        // Only repairs that change nothing are left.
        assert!(repairs.iter().all(|it| matches!(it, Repair::Chess960 | Repair::ImpossibleCheck(_))));
    }
});
