//! Property: in any position, `is_legal` accepts exactly the generated moves among all 65,536 encodings.

#![no_main]

use ferz_board::{CastlingMode, Move, Position};
use ferz_fuzz::Bytes;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let setup = Bytes::new(bytes).setup();
    let Ok(position) = Position::from_setup(&setup, CastlingMode::Chess960) else { return };
    let mut generated: Vec<u16> = position.legal_moves().into_iter().map(Move::bits).collect();
    generated.sort_unstable();
    let is_legal = |&bits: &u16| Move::from_bits(bits).is_some_and(|mv| position.is_legal(mv));
    assert!((0..=u16::MAX).filter(is_legal).eq(generated), "{position}");
});
