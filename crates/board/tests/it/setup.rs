//! Set-ups: every broken rule is reported with its squares, and Chess960 start positions have their numbers.

use std::collections::HashSet;

use ferz_board::{
    Bitboard, CastlingMode, CastlingSide, Color, FenError, File, Piece, PieceType, Position, Repair, Rule,
    Setup, Square, Violation,
};

fn setup(fen: &str) -> Setup {
    Setup::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The squares of a text like `a1 h8`.
fn squares(text: &str) -> Bitboard {
    text.split_whitespace().map(|square| square.parse::<Square>().expect("a square")).collect()
}

fn broken(violations: &[Violation]) -> Vec<(Rule, Bitboard)> {
    violations.iter().map(|violation| (violation.rule, violation.squares)).collect()
}

#[test]
fn each_rule_is_reported_with_its_squares() {
    use Color::{Black, White};
    for (fen, rule, where_broken) in [
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", Rule::NoKing(White), ""),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", Rule::NoKing(Black), ""),
        ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", Rule::SeveralKings(White), "d1 e1"),
        ("3kk3/8/8/8/8/8/8/4K3 w - - 0 1", Rule::SeveralKings(Black), "d8 e8"),
        ("8/8/8/3k4/4K3/8/8/8 b - - 0 1", Rule::TouchingKings, "d5 e4"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", Rule::KingCapturable, "e2 e8"),
        ("4k2p/8/8/8/8/8/8/P3K3 w - - 0 1", Rule::PawnOnBackRank, "a1 h8"),
        ("4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1", Rule::TooManyPawns(Black), "a6 a7 b7 c7 d7 e7 f7 g7 h7"),
        (
            "NNNNNNNN/NNN5/8/8/8/8/k7/7K b - - 0 1",
            Rule::TooManyPromotions(White),
            "a7 b7 c7 a8 b8 c8 d8 e8 f8 g8 h8",
        ),
        ("4k3/8/3N1N2/8/8/8/8/4K3 b - - 0 1", Rule::ImpossibleCheck, "d6 f6"),
        ("4k3/3P4/5N2/8/8/8/8/4K3 b - - 0 1", Rule::ImpossibleCheck, "d7 f6"),
        ("R3k2R/8/8/8/8/8/8/4K3 b - - 0 1", Rule::ImpossibleCheck, "a8 h8"),
        ("4k3/8/5N2/1B6/8/8/8/4RK2 b - - 0 1", Rule::ImpossibleCheck, "f6 b5 e1"),
        ("4k3/8/8/8/8/8/8/R3K3 w KQ - 0 1", Rule::CastlingWithoutRook, "h1"),
        ("4k3/8/8/8/8/8/8/r3K3 w Q - 0 1", Rule::CastlingWithoutRook, "a1"),
        ("4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1", Rule::CastlingWithoutKing, "a1 h1"),
        ("4k3/8/8/8/8/8/8/R3K1RR w GHA - 0 1", Rule::CastlingTwice, "g1 h1"),
        ("r2k3r/8/8/8/8/8/8/4K3 w kq - 0 1", Rule::CastlingNotStandard, "a8 h8"),
        ("4k3/8/8/8/8/8/8/1R2K2R w HB - 0 1", Rule::CastlingNotStandard, "b1"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e4 0 1", Rule::EnPassantRank, "e4"),
        ("4k3/8/8/4p3/8/8/8/4K3 b - e6 0 1", Rule::EnPassantRank, "e6"),
        ("4k3/8/8/8/8/8/8/4K3 b - e3 0 1", Rule::EnPassantPawn, "e3"),
        ("4k3/8/8/8/4P3/8/4B3/3K4 b - e3 0 1", Rule::EnPassantPawn, "e3"),
        ("k7/8/8/3pP3/8/8/8/4K2r w - d6 0 1", Rule::EnPassantCheck, "h1"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 32768 1", Rule::HalfmoveClock, ""),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", Rule::FullmoveNumber, ""),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 100001", Rule::FullmoveNumber, ""),
    ] {
        let mode = match rule {
            Rule::CastlingNotStandard => CastlingMode::Standard,
            _ => CastlingMode::Chess960,
        };
        assert_eq!(broken(&setup(fen).violations(mode)), [(rule, squares(where_broken))], "{fen}");
    }
}

#[test]
fn every_promoted_piece_costs_a_pawn() {
    for pieces in ["8/QQ2K3", "8/RRR1K3", "8/NNN1K3", "4B3/2B1K3", "3B4/4KB2"] {
        let (third_rank, first_rank) = pieces.split_once('/').expect("two ranks");
        let with_pawns = |pawns| setup(&format!("4k3/8/8/8/8/{third_rank}/{pawns}/{first_rank} w - - 0 1"));
        let too_many = with_pawns("PPPPPPPP");
        let squares = too_many.board.by_color(Color::White) - too_many.board.by_type(PieceType::King);
        let expected = (Rule::TooManyPromotions(Color::White), squares);
        assert_eq!(broken(&too_many.violations(CastlingMode::Standard)), [expected], "{pieces}");
        assert_eq!(with_pawns("PPPP1PPP").violations(CastlingMode::Standard), [], "{pieces}");
    }
}

#[test]
fn seventeen_pieces_are_one_too_many() {
    let setup = setup("rnbqkbnr/pppppppp/8/8/8/Q7/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let error = Position::from_setup(&setup, CastlingMode::Standard).expect_err("17 white pieces");
    let squares = setup.board.by_color(Color::White);
    assert!(broken(error.violations()).contains(&(Rule::TooManyPieces(Color::White), squares)));
}

#[test]
fn all_broken_rules_are_reported_at_once() {
    let setup = setup("P7/8/8/8/4N3/8/8/3KK3 b Q e3 99999 0");
    let error = Position::from_setup(&setup, CastlingMode::Standard).expect_err("nothing is right");
    for rule in [
        Rule::SeveralKings(Color::White),
        Rule::NoKing(Color::Black),
        Rule::PawnOnBackRank,
        Rule::CastlingWithoutRook,
        Rule::EnPassantPawn,
        Rule::HalfmoveClock,
        Rule::FullmoveNumber,
    ] {
        assert!(error.breaks(rule), "{rule} is missing in: {error}");
        assert!(error.to_string().contains(&rule.to_string()), "{rule} is missing in: {error}");
    }
    assert!(!error.breaks(Rule::TouchingKings));
}

#[test]
fn what_one_last_move_can_have_done_is_accepted() {
    for fen in [
        "4k3/8/5N2/8/8/8/4R3/4K3 b - - 0 1", // a knight uncovers a rook and checks, too
        "3k4/2P5/8/8/8/8/8/3RK3 b - - 0 1",  // so does a pawn that captured
        "4k2R/8/8/1B6/8/8/8/4K3 b - - 0 1",  // a pawn promoted and uncovered a bishop
        "8/8/8/4k3/3Pp3/8/8/4K3 b - d3 0 1", // a double step checks
        "4b2k/8/8/1K1pP3/8/8/8/8 w - d6 0 1", // a double step uncovers
        "4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1", // nothing is missing
        "4k3/8/8/8/8/8/NNNNN3/NNNNNK2 w - - 32767 100000", // all pawns promoted, late
    ] {
        assert_eq!(setup(fen).violations(CastlingMode::Standard), [], "{fen}");
    }
}

#[test]
fn chess960_rights_need_chess960_rules() {
    let setup = setup("1r1k2r1/8/8/8/8/8/8/1R1K2R1 w GBgb - 0 1");
    assert!(Position::from_setup(&setup, CastlingMode::Standard).is_err());
    let position = Position::from_setup(&setup, CastlingMode::Chess960).expect("legal in Chess960");
    assert_eq!(position.castling_rook(Color::White, CastlingSide::King), Some(Square::G1));
    assert_eq!(position.castling_rook(Color::Black, CastlingSide::Queen), Some(Square::B8));
    assert!(!position.has_standard_castling());
}

/// What a lenient reader makes of a text, it makes of the same set-up.
#[test]
fn set_ups_are_repaired_as_fens_are() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w KQ - 0 0",
        "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
        "1r1k2r1/8/8/8/8/8/8/1R1K2R1 w GBgb - 0 1",
        "8/8/8/r2K3r/8/8/8/4k3 w - - 0 1",
        "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 40000 1",
    ] {
        let read = Position::from_fen_lenient(fen);
        assert_eq!(Position::from_setup_lenient(&setup(fen)).map_err(FenError::Position), read, "{fen}");
    }
    let (position, repairs) =
        Position::from_setup_lenient(&setup("8/8/8/r2K3r/8/8/8/4k3 w - - 0 1")).expect("a check");
    assert_eq!(repairs, [Repair::ImpossibleCheck(squares("a5 h5"))]);
    assert_eq!(position.checkers(), squares("a5 h5"));
}

#[test]
fn a_position_and_its_set_up_are_the_same() {
    let fen = "r3k2r/p1p2ppp/8/3pP3/8/8/P4PPP/R3K2R w Kq d6 0 17";
    let position = Position::from_fen(fen).expect("legal");
    assert_eq!(Setup::from(&position), setup(fen));
}

fn back_rank(setup: &Setup, color: Color) -> String {
    let piece_at = |file| setup.board.piece_at(Square::from_coords(file, color.back_rank()));
    File::ALL.into_iter().filter_map(piece_at).map(|piece| piece.piece_type().to_char()).collect()
}

#[test]
fn chess960_start_positions_have_their_numbers() {
    for (number, expected) in [
        // Each place of bishops, queen and knights at least once.
        (0, "bbqnnrkr"),
        (18, "bnqnrbkr"),
        (109, "qnrbnkbr"),
        (280, "nbrkbnrq"),
        (359, "nrbkrqnb"),
        (434, "brnnqbkr"),
        (518, "rnbqkbnr"),
        (525, "rnqbknbr"),
        (600, "rbqnbkrn"),
        (679, "qrbknnrb"),
        (850, "brknrbnq"),
        (941, "rkrbnqbn"),
        (959, "rkrnnqbb"),
    ] {
        let setup = Setup::chess960(number, 518).expect("a number below 960");
        assert_eq!(back_rank(&setup, Color::White), expected, "{number}");
        assert_eq!(back_rank(&setup, Color::Black), "rnbqkbnr", "the colours are chosen separately");
    }
    assert_eq!(Setup::chess960(518, 518), Some(Setup::start()));
    const START: Position = Position::start();
    let derived = Position::chess960_start(518).expect("a number below 960");
    assert_eq!(derived, START);
    assert_eq!((derived.key(), derived.pawn_key()), (START.key(), START.pawn_key()));
    assert_eq!(Setup::chess960(0, 960), None);
    assert_eq!(Position::chess960_start(u16::MAX), None);
}

#[test]
fn the_960_start_positions_differ_and_keep_the_rules() {
    let mut seen = HashSet::new();
    for number in 0..960 {
        let setup = Setup::chess960(number, number).expect("a number below 960");
        assert_eq!(setup.violations(CastlingMode::Chess960), [], "{number}");
        assert!(seen.insert(back_rank(&setup, Color::White)), "{number} is a repetition");
        let position = Position::chess960_start(number).expect("a number below 960");
        let bishops = position.pieces(Piece::WhiteBishop);
        assert!((bishops & Bitboard::LIGHT).is_singular() && (bishops & Bitboard::DARK).is_singular());
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                assert!(position.castling_rook(color, side).is_some(), "{number}: a rook on either side");
            }
        }
        assert_eq!(position.by_type(PieceType::Pawn).len(), 16);
    }
}
