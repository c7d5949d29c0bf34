//! Property: the UCI text of every legal move is read as this move, and no text is read as an illegal move.

#![no_main]

use ferz_board::CastlingMode;
use ferz_fuzz::Bytes;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Bytes::new(bytes);
    let Some(position) = bytes.position() else { return };
    for &mv in position.legal_moves().iter() {
        // With the castling of Chess960 every text is unique.
        let text = mv.uci(CastlingMode::Chess960).to_string();
        assert_eq!(position.parse_uci(&text), Ok(mv), "{position} {text}");
    }
    let text = bytes.text();
    match position.parse_uci(&text) {
        Ok(mv) => assert!(position.is_legal(mv), "{position} {text}"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
