//! Packed positions, 128-bit keys and the numbers of start positions.

use std::collections::HashMap;

use fastrand::Rng;
use ferz_board::{CastlingMode, PackedPosition, Position, Rule, Setup, UnpackError};

use crate::random::chess960_start;

/// Positions of random games, and some that random games hardly reach.
fn positions() -> Vec<Position> {
    let mut random = Rng::with_seed(16);
    let mut positions: Vec<Position> = [
        "4k3/8/8/8/8/8/8/4K3 w - - 32767 100000",
        "4k3/8/8/8/8/8/8/1RR1K3 w C - 7 9",
        "4k3/8/8/8/8/8/8/1RR1K3 w B - 7 9",
        "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 30",
        "4k3/3P4/5N2/8/8/8/8/4RK2 b - - 0 1",
    ]
    .map(|fen| fen.parse().expect(fen))
    .into();
    for _ in 0..60 {
        let mut position = chess960_start(&mut random);
        for _ in 0..120 {
            positions.push(position);
            let Some(mv) = random.choice(position.legal_moves()) else { break };
            position.play_unchecked(mv);
        }
    }
    positions
}

#[test]
fn unpacking_inverts_packing() {
    for position in positions() {
        let packed = position.pack();
        let unpacked = PackedPosition::from_bytes(packed.to_bytes()).unpack().expect("a position");
        assert_eq!(Setup::from(&unpacked), Setup::from(&position));
        assert_eq!((unpacked.key(), unpacked.pack()), (position.key(), packed));
    }
}

/// Damaged and random bytes are refused, or are the one packed form of what they unpack to.
#[test]
fn hostile_bytes_are_refused() {
    let mut random = Rng::with_seed(17);
    let positions = positions();
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..100_000 {
        let mut bytes = random.choice(&positions).expect("positions").pack().to_bytes();
        if round % 10 == 0 {
            random.fill(&mut bytes);
        }
        for _ in 0..random.usize(1..4) {
            bytes[random.usize(..32)] ^= 1 << random.u8(..8);
        }
        match PackedPosition::from_bytes(bytes).unpack() {
            Ok(position) => {
                assert_eq!(position.pack().to_bytes(), bytes, "{position}");
                accepted += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(accepted > 1000 && refused > 1000, "{accepted} accepted, {refused} refused");
}

#[test]
fn refused_bytes_have_a_reason() {
    let start = Position::start().pack().to_bytes();
    let with = |at: usize, byte: u8| {
        let mut bytes = start;
        bytes[at] = byte;
        PackedPosition::from_bytes(bytes).unpack()
    };
    assert_eq!(with(8, 0x1f), Err(UnpackError::Byte(8)));
    assert_eq!(with(2, 1), Err(UnpackError::TooManyPieces));
    assert_eq!(with(24, 65), Err(UnpackError::Byte(24)));
    assert_eq!(with(31, 1), Err(UnpackError::Byte(31)));
    let mut sparse = Position::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").expect("legal").pack().to_bytes();
    sparse[9] = 0x10;
    assert_eq!(PackedPosition::from_bytes(sparse).unpack(), Err(UnpackError::Byte(9)));
    let Err(UnpackError::Position(error)) = with(30, 0xff) else { panic!("the move number is too high") };
    assert!(error.breaks(Rule::FullmoveNumber));
    let Err(UnpackError::Position(error)) = with(24, 0) else { panic!("a1 cannot be skipped") };
    assert!(error.breaks(Rule::EnPassantRank));
}

#[test]
fn the_layout_is_the_documented_one() {
    let fen = "4k2r/8/8/8/3pP3/8/8/4K3 b k e3 0 258";
    let bytes = Position::from_fen(fen).expect(fen).pack().to_bytes();
    let mut expected = [0; 32];
    (expected[0], expected[3], expected[7]) = (0x10, 0x18, 0x90);
    expected[8..11].copy_from_slice(&[0x85, 0xd0, 0x0e]);
    expected[24..29].copy_from_slice(&[0x80 | 20, 0, 0, 2, 1]);
    assert_eq!(bytes, expected);
}

#[test]
fn long_keys_tell_positions_apart() {
    let mut halves: [HashMap<u64, Position>; 2] = Default::default();
    for position in positions() {
        let key = position.key128();
        assert_eq!(key as u64, position.repetition_key());
        let other = halves[0].entry((key >> 64) as u64).or_insert(position);
        assert!(other.same_position(&position), "{other} and {position}");
        halves[1].insert(key as u64, position);
    }
    // Only the rook that may castle differs.
    assert_eq!(halves[0].len(), halves[1].len() + 1);
    // The numbers never change.
    assert_eq!(Position::start().key128() >> 64, 0xafb8_e98f_b68f_e7e7);
}

#[test]
fn start_positions_know_their_numbers() {
    for number in 0..960 {
        let start = Position::chess960_start(number).expect("a number below 960");
        assert_eq!(start.chess960_number(), Some(number));
        assert_eq!(start.with_clocks(3, 7).and_then(|it| it.chess960_number()), Some(number));
    }
    let double = Setup::chess960(17, 18).expect("numbers below 960");
    let double = Position::from_setup(&double, CastlingMode::Chess960).expect("legal");
    assert_eq!(double.chess960_number(), None);
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/pppppppp/8/8/8/8/PPPPPPPP/NNBBKQQR w - - 0 1",
    ] {
        let position = Position::from_fen_lenient(fen).map(|it| it.0);
        assert_eq!(position.ok().and_then(|it| it.chess960_number()), None, "{fen}");
    }
}
