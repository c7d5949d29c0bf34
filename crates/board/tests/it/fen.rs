//! FEN: what is accepted, repaired and refused, and what the messages say.

use fastrand::Rng;
use ferz_board::{
    Bitboard, CastlingMode, CastlingStyle, Color, DrawReason, EnPassantMode, FenField, Game, Outcome, Piece,
    Position, Rank, Repair, Setup, Square,
};

use crate::random::chess960_start;

type TestHasher = std::hash::BuildHasherDefault<std::hash::DefaultHasher>;

const INVALID: &str = include_str!("../data/fen_invalid.tsv");
const ODD_BUT_VALID: &str = include_str!("../data/fen_odd_but_valid.tsv");

/// The text of a position, read back, is the position.
#[test]
fn every_position_equals_its_text_read_back() {
    let check = |position: Position| {
        assert_eq!(position.to_string().parse(), Ok(position));
        let shredder = position.fen(EnPassantMode::Always, CastlingStyle::Shredder);
        assert_eq!(shredder.as_str().parse(), Ok(position));
    };
    let mut random = Rng::with_seed(41);
    for round in 0..100 {
        let mut position = if round % 2 == 0 { Position::start() } else { chess960_start(&mut random) };
        for _ in 0..80 {
            check(position);
            let Some(mv) = random.choice(position.legal_moves()) else { break };
            position.play_unchecked(mv);
        }
    }
    // A square that nobody can capture on, a pinned capturer, Chess960 rights, an impossible check, two rooks.
    for fen in [
        "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1",
        "3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1",
        "4k3/8/8/8/8/8/8/R2K3R w KQ - 0 1",
        "4k3/3P4/5N2/8/8/8/8/4RK2 b - - 0 1",
        "4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1",
    ] {
        check(Position::from_fen_lenient(fen).expect(fen).0);
    }
    // What is neither stays an error.
    assert_eq!(
        "4k3/8/8/8/8/8/4R3/4K3 w K - 0 1".parse::<Position>().unwrap_err().to_string(),
        "castling right without a rook (h1); the side to move could capture the king (e2 e8)"
    );
}

/// Equal positions have the same text, and the other way round; their hashes are the same.
#[test]
fn equality_is_that_of_the_text() {
    let hash = |position: &Position| std::hash::BuildHasher::hash_one(&TestHasher::default(), position);
    // The same twice, once with a square that means nothing.
    for (one, other) in [
        ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
        ("3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1", "3k4/8/8/8/3pP3/8/8/3RK3 b - - 0 1"),
    ] {
        let [one, other] = [one, other].map(|fen| fen.parse::<Position>().expect(fen));
        assert_eq!(one, other);
        assert_eq!((one.to_string(), hash(&one)), (other.to_string(), hash(&other)));
        assert_eq!(one.repetition_key(), other.repetition_key());
    }
    for (one, other, same) in [
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1", false),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "4k3/8/8/8/8/8/8/4K2R b - - 0 1", false),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 1 1", true),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 0 2", true),
    ] {
        let [one, other] = [one, other].map(|fen| fen.parse::<Position>().expect(fen));
        assert_ne!(one, other);
        assert_ne!(one.to_string(), other.to_string());
        assert_eq!(one.same_position(&other), same, "{one}, {other}");
    }
}

/// Legal positions have one text, however it comes about; what is not legal can be written, too, and read again.
#[test]
fn set_ups_are_written_as_positions_are_and_read_again() {
    let mut random = Rng::with_seed(11);
    for _ in 0..200 {
        let mut position = chess960_start(&mut random);
        for _ in 0..60 {
            let mut setup = Setup::from(&position);
            let text = position.fen(EnPassantMode::Always, CastlingStyle::XFen);
            assert_eq!(setup.to_string(), text.as_str());
            for _ in 0..random.usize(..4) {
                setup.board.set(random.choice(Square::ALL).expect("squares"), random.choice(Piece::ALL));
            }
            if random.bool() {
                setup.board.set(position.king(Color::White), None);
            }
            setup.en_passant = random.choice(Square::ALL);
            setup.halfmove_clock = u32::MAX;
            let text = setup.to_string();
            assert_eq!(Setup::from_fen(&text).as_ref(), Ok(&setup), "{text}");
            let Some(mv) = random.choice(position.legal_moves()) else { break };
            position.play_unchecked(mv);
        }
    }
    let mut setup = Setup::empty();
    setup.castling_rooks = Bitboard::from_rank(Rank::ALL[3]).with(Square::B1).with(Square::H8);
    assert_eq!(setup.to_string(), "8/8/8/8/8/8/8/8 w Bk - 0 1");
}

/// The rows of a table, each as its columns, the first of them unescaped.
fn rows(table: &str) -> impl Iterator<Item = (String, Vec<&str>)> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut columns = line.split('\t');
        let fen = columns.next().expect("a row has columns");
        (unescaped(fen), columns.collect())
    })
}

/// Reads `\t \n \r \\ \xHH \uHHHH`; bytes that are not UTF-8 become the replacement character.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(plain.as_bytes());
        let hex = |digits: usize| u32::from_str_radix(&escape[1..=digits], 16).expect("hexadecimal digits");
        let (byte, length) = match escape.as_bytes()[0] {
            b't' => (b'\t', 1),
            b'n' => (b'\n', 1),
            b'r' => (b'\r', 1),
            b'\\' => (b'\\', 1),
            b'x' => (hex(2) as u8, 3),
            b'u' => {
                let character = char::from_u32(hex(4)).expect("a character");
                bytes.extend_from_slice(character.to_string().as_bytes());
                rest = &escape[5..];
                continue;
            }
            _ => panic!("unknown escape in {text}"),
        };
        bytes.push(byte);
        rest = &escape[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn invalid_fens_are_refused_or_repaired() {
    for (fen, columns) in rows(INVALID) {
        let [verdict, why] = columns[..] else { panic!("three columns: {fen}") };
        let refusal = Position::from_fen(&fen).expect_err(why);
        assert!(!refusal.to_string().is_empty(), "{why}: {fen}");
        let lenient = Position::from_fen_lenient(&fen);
        match verdict {
            "refuse" => assert!(!lenient.expect_err(why).to_string().is_empty(), "{why}: {fen}"),
            "repair" => {
                let (_, repairs) = lenient.unwrap_or_else(|error| panic!("{why}: {fen}: {error}"));
                assert!(!repairs.is_empty(), "{why}: {fen}");
                assert!(repairs.iter().all(|repair| !repair.to_string().is_empty()));
            }
            _ => assert_eq!(verdict, "any"),
        }
    }
}

#[test]
fn odd_but_valid_fens_are_read_and_normalised() {
    for (fen, columns) in rows(ODD_BUT_VALID) {
        let [x_fen, shredder, facts, why] = columns[..] else { panic!("five columns: {fen}") };
        let (position, _) =
            Position::from_fen_lenient(&fen).unwrap_or_else(|error| panic!("{why}: {fen}: {error}"));
        assert_eq!(position.to_string(), x_fen, "{why}");
        assert_eq!(position.fen(EnPassantMode::Legal, CastlingStyle::Shredder).as_str(), shredder, "{why}");
        let outcome = position.outcome();
        let over75 = outcome == Some(Outcome::Draw(DrawReason::SeventyFiveMoves));
        let found = format!(
            "moves={} check={} mate={} stale={} insuff={} over75={}",
            position.legal_moves().len(),
            u8::from(position.is_check()),
            u8::from(position.is_checkmate()),
            u8::from(position.is_stalemate()),
            u8::from(position.is_insufficient_material()),
            u8::from(over75),
        );
        assert_eq!(found, facts, "{why}: {fen}");
    }
}

#[test]
fn normalised_fens_are_read_strictly_and_written_back() {
    for (_, columns) in rows(ODD_BUT_VALID) {
        for (fen, style) in [(columns[0], CastlingStyle::XFen), (columns[1], CastlingStyle::Shredder)] {
            let position = Position::from_fen_in(fen, CastlingMode::Chess960).expect(fen);
            assert_eq!(position.fen(EnPassantMode::Legal, style).as_str(), fen);
            let (lenient, repairs) = Position::from_fen_lenient(fen).expect(fen);
            assert_eq!(lenient, position);
            assert!(repairs.iter().all(|repair| *repair == Repair::Chess960), "{fen}: {repairs:?}");
        }
    }
}

#[test]
fn messages_name_the_field_and_the_column() {
    for (fen, message) in [
        ("", "board, column 1: the field is missing"),
        ("4k3/8/8/8/8/8/8/4K3", "side to move, column 20: the field is missing"),
        (" 4k3/8/8/8/8/8/8/4K3 w - - 0 1", "board, column 1: expected a single space between fields"),
        ("4k3/8/8/8/8/8/8/4K3  w - - 0 1", "side to move, column 21: expected a single space between fields"),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", "board, column 18: the board does not have eight ranks"),
        ("4k3/8/8/8/8/8/8/8/4K3 w - - 0 1", "board, column 18: the board does not have eight ranks"),
        ("4k3/8/7/8/8/8/8/4K3 w - - 0 1", "board, column 8: the rank does not have eight squares"),
        ("4k3/8/44/8/8/8/8/4K3 w - - 0 1", "board, column 8: two adjacent digits"),
        ("4k3/8/8/8/8/8/8/4X3 w - - 0 1", "board, column 18: 'X' is neither a piece nor a digit from 1 to 8"),
        (
            "4k3/8/8/8/8/8/8/4K3\t w - - 0 1",
            "board, column 20: '\\t' is neither a piece nor a digit from 1 to 8",
        ),
        ("4k3/8/8/8/8/8/8/4K3 W - - 0 1", "side to move, column 21: expected 'w' or 'b'"),
        ("4k3/8/8/8/8/8/8/4K3 w K! - 0 1", "castling rights, column 24: '!' is not a castling right"),
        ("4k3/8/8/8/8/8/8/4K3 w KK - 0 1", "castling rights, column 24: repeated castling right"),
        ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "en-passant square, column 25: expected '-' or a square"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 1.5 1", "half-move clock, column 28: not a number"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 4294967296", "move number, column 29: the number is too large"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 ", "move number, column 30: text after the last field"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling right without a rook (h1)"),
        ("8/8/8/8/8/8/8/4K3 w - - 0 0", "Black has no king; the move number is not between 1 and 100000"),
    ] {
        let error = Position::from_fen(fen).expect_err(fen);
        assert_eq!(error.to_string(), message, "{fen}");
    }
}

#[test]
fn repairs_say_what_was_done() {
    for (fen, expected) in [
        ("\u{feff}4k3/8/8/8/8/8/8/4K3 w - - 0 1", Repair::ByteOrderMark),
        ("4k3/8/8/8/8/8/8/4K3  w - - 0 1", Repair::Whitespace),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1\r\n", Repair::Whitespace),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0", Repair::Missing(FenField::FullmoveNumber)),
        ("4k3/8/8/8/8/8/8/4K3", Repair::Missing(FenField::SideToMove)),
        ("4k3/8/8/8/8/8/8/22K3 w - - 0 1", Repair::AdjacentDigits),
        ("4k3/8/8/8/8/8/8/4K2Q~ w - - 0 1", Repair::PromotedMark),
        ("4k3/8/8/8/8/8/8/4K2R w KK - 0 1", Repair::RepeatedRight),
        ("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", Repair::CastlingDropped(Square::A1.into())),
        ("4k3/8/8/8/8/8/8/3K3R w K - 0 1", Repair::Chess960),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", Repair::EnPassantDropped(Square::E6)),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", Repair::MoveNumberZero),
        (
            "4k3/8/3N1N2/8/8/8/8/4K3 b - - 0 1",
            Repair::ImpossibleCheck(Bitboard::from_iter([Square::D6, Square::F6])),
        ),
    ] {
        let (_, repairs) = Position::from_fen_lenient(fen).expect(fen);
        assert!(repairs.contains(&expected), "{fen}: {repairs:?}");
        assert!(Position::from_fen(fen).is_err(), "a strict reader repairs nothing: {fen}");
    }
}

#[test]
fn the_en_passant_square_is_written_as_asked() {
    // Black's pawn on d4 is pinned to its king: it stands ready to capture on e3, and may not.
    let fen = "3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1";
    let position = Position::from_fen(fen).expect("legal");
    let written = |mode| position.fen(mode, CastlingStyle::XFen).to_string();
    assert_eq!(written(EnPassantMode::Always), fen);
    assert_eq!(written(EnPassantMode::PseudoLegal), fen);
    assert_eq!(written(EnPassantMode::Legal), fen.replace("e3", "-"));
    // Nobody stands ready.
    let fen = "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1";
    let position = Position::from_fen(fen).expect("legal");
    let written = |mode| position.fen(mode, CastlingStyle::XFen).to_string();
    assert_eq!(written(EnPassantMode::Always), fen);
    assert_eq!(written(EnPassantMode::PseudoLegal), fen.replace("e3", "-"));
}

#[test]
fn an_inner_rook_is_written_by_its_file() {
    let fen = "4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1";
    let position = Position::from_fen_in(fen, CastlingMode::Chess960).expect("legal in Chess960");
    assert_eq!(position.to_string(), fen);
    // The outermost rooks are what K and Q mean.
    let outer = Position::from_fen_in(&fen.replace("GB", "KQ"), CastlingMode::Chess960).expect("legal");
    assert_eq!(outer.castling_rooks(), Bitboard::from_iter([Square::A1, Square::H1]));
    assert_eq!(outer.fen(EnPassantMode::Legal, CastlingStyle::Shredder).as_str(), fen.replace("GB", "HA"));
}

/// K and Q are never a rook of the other side, nor one that has left its rank.
#[test]
fn a_right_is_that_of_an_own_rook_on_the_back_rank() {
    for (fen, expected) in [
        ("4k3/8/8/8/8/8/8/rR2K3 w Q - 0 1", Some(Square::B1)),
        ("4k3/8/8/8/8/8/8/4K1Rr w K - 0 1", Some(Square::G1)),
        ("4k3/8/8/8/8/8/R7/1R2K3 w Q - 0 1", Some(Square::B1)),
        ("4k3/8/8/8/8/8/R7/rN2K3 w Q - 0 1", None),
        ("R1r1k3/8/8/8/8/8/8/4K3 b q - 0 1", Some(Square::C8)),
    ] {
        let (position, _) = Position::from_fen_lenient(fen).expect(fen);
        assert_eq!(position.castling_rooks(), expected.into_iter().collect(), "{fen}");
    }
}

#[test]
fn the_longest_fen_fits() {
    let fen = "r1b1k1n1/1p1p1p1p/p1p1p1p1/b1n1q1r1/1R1N1B1Q/1P1P1P1P/P1P1P1P1/1N1K1B1R b - - 32767 100000";
    let mut position = Position::from_fen(fen).expect("legal");
    assert_eq!(position.to_string(), fen);
    position.play(position.parse_uci("g8e7").expect("a legal move")).expect("a legal move");
    assert!(position.to_string().ends_with(" 32767 100000"), "{position}");
}

/// Clocks stop where the reader stops, however a move is played, and come back when it is taken back.
#[test]
fn play_does_not_lead_beyond_the_limits_of_fen() {
    let start = Position::from_fen("r3k3/8/8/8/8/8/8/R3K3 w Qq - 32767 100000").expect("legal");
    let clocks = |position: &Position| (position.halfmove_clock(), position.fullmove_number());
    let mut game = Game::new(start);
    for text in ["a1b1", "e8a8", "b1b2", "c8c7"] {
        let position = *game.position();
        position.for_each_child(|_, child| assert_eq!(child.to_string().parse(), Ok(*child)));
        let passed = position.null_move().expect("no check");
        assert_eq!(clocks(&passed), (32_767, 100_000));
        game.play(position.parse_uci(text).expect(text)).expect(text);
        assert_eq!(clocks(game.position()), (32_767, 100_000));
        assert_eq!(game.position().to_string().parse(), Ok(*game.position()));
    }
    while game.undo().is_some() {}
    assert_eq!(*game.position(), start);
    // One before the limit.
    let mut position = Position::from_fen("4k3/8/8/8/8/8/8/R3K3 b - - 32766 99999").expect("legal");
    let before = position;
    let undo = position.make(position.parse_uci("e8e7").expect("legal"), &mut ());
    assert_eq!(clocks(&position), (32_767, 100_000));
    position.unmake(undo, &mut ());
    assert_eq!(position, before);
}

#[test]
fn mutated_fens_never_panic_and_what_is_accepted_round_trips() {
    let valid: Vec<_> = rows(ODD_BUT_VALID).flat_map(|(_, columns)| [columns[0], columns[1]]).collect();
    let invalid: Vec<_> = rows(INVALID).map(|(fen, _)| fen).collect();
    let alphabet: Vec<_> = "kqrbnpKQRBNP12345678/ wb-aAhHeE036~\t+é٠\u{feff}\0".chars().collect();
    let mut random = Rng::with_seed(0xfe4);
    let mut accepted = 0;
    for _ in 0..100_000 {
        let seed = if random.u8(..4) == 0 {
            &invalid[random.usize(..invalid.len())]
        } else {
            valid[random.usize(..valid.len())]
        };
        let mut fen: Vec<char> = seed.chars().collect();
        for _ in 0..=random.usize(..3) {
            let (at, other) = (random.usize(..fen.len()), random.usize(..fen.len()));
            let letter = alphabet[random.usize(..alphabet.len())];
            match random.usize(..6) {
                0 => fen.insert(at, letter),
                1 if fen.len() > 1 => drop(fen.remove(at)),
                2 => fen[at] = letter,
                3 => fen.truncate(at + 1),
                _ => fen.swap(at, other),
            }
        }
        let fen: String = fen.into_iter().collect();
        if let Ok(position) = Position::from_fen_in(&fen, CastlingMode::Chess960) {
            accepted += 1;
            let written = position.fen(EnPassantMode::Always, CastlingStyle::Shredder);
            assert_eq!(
                Position::from_fen_in(written.as_str(), CastlingMode::Chess960),
                Ok(position),
                "{fen}"
            );
            assert_eq!(Position::from_fen_lenient(&fen).map(|(lenient, _)| lenient), Ok(position), "{fen}");
        }
        if let Ok((position, _)) = Position::from_fen_lenient(&fen) {
            assert_eq!(position.count_legal() as usize, position.legal_moves().len(), "{fen}");
        }
    }
    assert!(accepted > 2_000, "the mutations leave too few positions: {accepted}");
}
