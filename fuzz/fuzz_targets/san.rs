//! Property: SAN and LAN of every legal move are read as this move, and no text is read as an illegal move.

#![no_main]

use ferz_board::Position;
use ferz_fuzz::Bytes;
use ferz_notation::san::{self, Lan, San, SanError};
use libfuzzer_sys::fuzz_target;

fn assert_read_back(position: &Position) {
    for &mv in &position.legal_moves() {
        let (san, lan) = (San::new(position, mv), Lan::new(position, mv));
        assert_eq!(san::parse(position, san.as_str()), Ok(mv), "{position} {san}");
        assert_eq!(san::parse_lenient(position, lan.as_str()), Ok(mv), "{position} {lan}");
        let bare = san.as_str().trim_end_matches(['+', '#']);
        assert_eq!(san::parse_lenient(position, bare), Ok(mv), "{position} {bare}");
    }
}

fn assert_nothing_illegal(position: &Position, text: &str) {
    let lenient = san::parse_lenient(position, text);
    match san::parse(position, text) {
        Ok(mv) => {
            assert_eq!(lenient, Ok(mv));
            assert_eq!(San::new(position, mv).as_str(), text);
        }
        Err(SanError::NotExport { expected, .. }) => {
            assert_ne!(expected.as_str(), text);
            assert_eq!(lenient, san::parse(position, expected.as_str()));
        }
        Err(error) => assert_eq!(lenient.as_ref(), Err(&error)),
    }
    match san::parse_or_null(position, text) {
        Ok(None) => assert!(lenient.is_err() && !position.is_check()),
        Err(SanError::NullInCheck { .. }) => assert!(lenient.is_err() && position.is_check()),
        or_null => assert_eq!(or_null, lenient.clone().map(Some)),
    }
    match lenient {
        Ok(mv) => assert!(position.is_legal(mv), "{position} {text}"),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            if let SanError::Ambiguous { candidates, .. } = error {
                assert!((2..=8).contains(&candidates.len()), "{position} {text}");
                assert!(candidates.iter().all(|&mv| position.is_legal(mv)), "{position} {text}");
            }
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Bytes::new(bytes);
    let Some(position) = bytes.position() else { return };
    assert_read_back(&position);
    assert_nothing_illegal(&position, &bytes.text());
});
