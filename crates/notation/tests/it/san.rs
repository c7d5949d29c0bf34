//! SAN: against shakmaty, through its own round trip, and as people write it.

use std::collections::BTreeMap;

use fastrand::Rng;
use ferz_board::{CastlingMode, File, Move, MoveKind, Piece, Position, Rank, Square};
use ferz_notation::san::{self, CheckMark, Lan, San, SanError};
use shakmaty::Position as _;

use crate::random::{crowded_positions, game_positions};

fn position(fen: &str) -> Position {
    Position::from_fen_in(fen, CastlingMode::Chess960).unwrap()
}

fn uci(position: &Position, text: &str) -> Move {
    position.parse_uci(text).unwrap()
}

fn san_of(position: &Position, text: &str) -> String {
    San::new(position, uci(position, text)).to_string()
}

/// Every legal move: the same text from both libraries, and both read the text as the move.
fn agrees_with_shakmaty(position: &Position) -> usize {
    let fen: shakmaty::fen::Fen = position.to_string().parse().unwrap();
    let theirs: shakmaty::Chess = fen.into_position(shakmaty::CastlingMode::Chess960).unwrap();
    let mut expected = BTreeMap::new();
    for mv in theirs.legal_moves() {
        let uci = mv.to_uci(shakmaty::CastlingMode::Chess960).to_string();
        expected.insert(uci, (shakmaty::san::SanPlus::from_move(theirs.clone(), mv).to_string(), mv));
    }
    let ours = position.legal_moves();
    assert_eq!(ours.len(), expected.len(), "{position}");
    for &mv in &ours {
        let text = San::new(position, mv);
        let (expected, their_move) = &expected[&mv.uci(CastlingMode::Chess960).to_string()];
        assert_eq!(text.as_str(), expected, "{position}");
        assert_eq!(san::parse(position, expected), Ok(mv), "{expected} in {position}");
        assert_eq!(san::parse_lenient(position, expected), Ok(mv), "{expected} in {position}");
        let read: shakmaty::san::SanPlus = text.as_str().parse().unwrap();
        assert_eq!(read.san.to_move(&theirs).unwrap(), *their_move, "{text} in {position}");
    }
    ours.len()
}

#[test]
fn standard_games_agree_with_shakmaty() {
    let positions = game_positions(&mut Rng::with_seed(1), 13_334, CastlingMode::Standard);
    let moves: usize = positions.iter().map(agrees_with_shakmaty).sum();
    println!("{} positions, {moves} moves", positions.len());
}

#[test]
fn chess960_games_agree_with_shakmaty() {
    let positions = game_positions(&mut Rng::with_seed(2), 6_666, CastlingMode::Chess960);
    let moves: usize = positions.iter().map(agrees_with_shakmaty).sum();
    println!("{} positions, {moves} moves", positions.len());
}

#[test]
fn crowded_positions_agree_with_shakmaty() {
    let positions = crowded_positions(&mut Rng::with_seed(3), 4_000);
    let moves: usize = positions.iter().map(agrees_with_shakmaty).sum();
    println!("{} positions, {moves} moves", positions.len());
}

#[test]
fn other_notations_are_read_back() {
    let mut random = Rng::with_seed(4);
    let mut positions = game_positions(&mut random, 1_500, CastlingMode::Chess960);
    positions.extend(game_positions(&mut random, 1_500, CastlingMode::Standard));
    positions.extend(crowded_positions(&mut random, 1_000));
    for position in &positions {
        for &mv in &position.legal_moves() {
            let lan = Lan::new(position, mv);
            assert_eq!(san::parse_lenient(position, lan.as_str()), Ok(mv), "{lan} in {position}");
            let uci = mv.uci(CastlingMode::Chess960).to_string();
            assert_eq!(san::parse_lenient(position, &uci), Ok(mv), "{uci} in {position}");
            let bare = lan.as_str().replace(['-', 'x', '+', '#', '='], "");
            if !mv.is_castling() {
                assert_eq!(san::parse_lenient(position, &bare), Ok(mv), "{bare} in {position}");
            }
        }
    }
}

#[test]
fn origin_is_told_as_far_as_needed() {
    let knights = position("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1");
    assert_eq!(san_of(&knights, "b1d2"), "Nbd2");
    let rooks = position("4k3/R7/8/8/8/8/8/R3K3 w - - 0 1");
    assert_eq!(san_of(&rooks, "a1a4"), "R1a4");
    let queens = position("1k6/8/8/8/Q6Q/8/8/Q3K3 w - - 0 1");
    assert_eq!(san_of(&queens, "a4e4"), "Qae4");
    assert_eq!(san_of(&queens, "h4d4"), "Qhd4");
    let three = position("8/8/k7/8/4Q2Q/8/8/1K5Q w - - 0 1");
    assert_eq!(san_of(&three, "h4e1"), "Qh4e1");
    assert_eq!(san_of(&three, "h1e1"), "Q1e1");
}

#[test]
fn pinned_rivals_do_not_count() {
    // The knight on c3 is pinned by the bishop, the one on g1 is free.
    let position = position("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1");
    assert_eq!(san_of(&position, "g1e2"), "Ne2");
    assert_eq!(san::parse(&position, "Ne2"), Ok(uci(&position, "g1e2")));
    assert!(matches!(san::parse_lenient(&position, "Nce2"), Err(SanError::KingInCheck { .. })));
}

#[test]
fn check_and_mate_are_marked() {
    let fools = position("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2");
    assert_eq!(san_of(&fools, "d8h4"), "Qh4#");
    let promotion = position("8/P6k/8/8/8/8/8/K7 w - - 0 1");
    assert_eq!(san_of(&promotion, "a7a8q"), "a8=Q");
    let promotion = position("1r5k/P7/8/8/8/8/8/K7 w - - 0 1");
    assert_eq!(san_of(&promotion, "a7b8r"), "axb8=R+");
    let en_passant = position("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
    assert_eq!(san_of(&en_passant, "e5d6"), "exd6");
    assert_eq!(Lan::new(&en_passant, uci(&en_passant, "e5d6")).as_str(), "e5xd6");
}

#[test]
fn castling_of_chess960_is_written_and_read() {
    let position = position("1r1k2r1/8/8/8/8/8/1P4P1/1R1K2R1 w GBgb - 0 1");
    assert_eq!(san_of(&position, "d1g1"), "O-O");
    assert_eq!(san_of(&position, "d1b1"), "O-O-O+");
    for text in ["O-O", "0-0", "o-o", "d1g1", "Kd1g1", "O-O+", "0-0!"] {
        assert_eq!(san::parse_lenient(&position, text), Ok(uci(&position, "d1g1")), "{text}");
    }
    // One step beside: the king's move, not castling.
    assert_eq!(san::parse_lenient(&position, "d1c1").unwrap().kind(), MoveKind::Normal);
    assert_eq!(san::parse_lenient(&position, "Kc1").unwrap().kind(), MoveKind::Normal);
}

#[test]
fn people_write_moves_like_this() {
    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    const PROMOTION: &str = "3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1";
    const EN_PASSANT: &str = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
    const BISHOP: &str = "4k3/8/8/6p1/8/1P2B3/8/4K3 w - - 0 1";
    let table = [
        (START, "g1f3", "Nf3 Ngf3 N1f3 Ng1f3 Ng1-f3 Ng1xf3 Nxf3 N:f3 g1f3 g1-f3 nf3 ngf3 ng1-f3"),
        (START, "g1f3", "Nf3! Nf3? Nf3!! Nf3?? Nf3!? Nf3?! Nf3+ Nf3# Nf3++ Nf3+!? Nf3+/= Nf3±"),
        (START, "g1f3", "♘f3 ♞f3 ♘g1–f3 ♘g1f3!"),
        (START, "e2e4", "e4 Pe4 pe4 ♙e4 e2e4 e2-e4 Pe2-e4 ee4 e4= e4+-"),
        (CASTLING, "e1g1", "O-O 0-0 o-o O-O+ 0-0# O-O!? e1g1 e1h1 Ke1-g1 O–O"),
        (CASTLING, "e1c1", "O-O-O 0-0-0 o-o-o e1c1 e1a1 Ke1c1 O-O-O++"),
        (PROMOTION, "e7e8q", "e8=Q e8Q e8(Q) e8/Q e8=Q+ e8=q e8q e7e8q e7-e8=Q e8=♕"),
        (PROMOTION, "e7d8n", "exd8=N ed8N exd8(N)! e7xd8=n e7d8n xd8=N Pxd8=N e:d8N"),
        (EN_PASSANT, "e5d6", "exd6 exd6e.p. exd6ep ed6 e5xd6 e5d6 exd6e.p.! exd6+e.p."),
        (BISHOP, "e3g5", "Bxg5 bxg5 bg5 be3xg5 bexg5 Bg5 ♗×g5 B:g5"),
        (BISHOP, "b3b4", "b4 bb4 Pb4 b3-b4 b3b4"),
        (BISHOP, "e1d2", "Kd2 kd2 Ke1d2 ♔d2 e1d2 K-d2"),
    ];
    for (fen, expected, texts) in table {
        let position = position(fen);
        for text in texts.split(' ') {
            assert_eq!(san::parse_lenient(&position, text), Ok(uci(&position, expected)), "{text} in {fen}");
        }
    }
    let en_passant = position(EN_PASSANT);
    for text in ["exd6 e.p.", " exd6 e.p. !", "exd6 +"] {
        assert_eq!(san::parse_lenient(&en_passant, text), Ok(uci(&en_passant, "e5d6")), "{text}");
    }
}

#[test]
fn only_export_format_is_strict() {
    let position = position("3r3k/4P3/8/8/8/8/3P4/R3K3 w Q - 0 1");
    for text in ["e8=Q+", "exd8=R+", "O-O-O", "Ra8", "Kf2", "Rd1"] {
        let read = san::parse(&position, text).unwrap();
        assert_eq!(San::new(&position, read).as_str(), text);
    }
    for text in ["e8=Q", "e8Q+", "e8=Q#", "0-0-0", "Raa8", "Ra8+", "Ra8!", "Rxa8", " Ra8", "a1a8", "Ra1a8"] {
        assert!(matches!(san::parse(&position, text), Err(SanError::NotExport { .. })), "{text}");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let position = position("3r3k/4P3/8/8/1b6/2N5/8/R3K1N1 w Q - 0 1");
    let message = |text: &str| san::parse_lenient(&position, text).unwrap_err().to_string();
    assert_eq!(message("Nf4"), "'Nf4': no such piece can move there");
    assert_eq!(
        message("Nd5"),
        "'Nd5' is not legal: the knight on c3 is pinned to the king on e1 by the bishop on b4 along the e1-a5 diagonal"
    );
    assert_eq!(message("O-O"), "'O-O' is not legal: there is no rook to castle with on the king's side");
    assert_eq!(
        message("O-O-O"),
        "'O-O-O' is not legal: castling leads the king over d1, which the rook on d8 attacks"
    );
    assert_eq!(message("Ke3"), "'Ke3' is not legal: the king on e1 does not move to e3");
    assert_eq!(message("d8e8"), "'d8e8' is not legal: the rook on d8 is the opponent's");
    assert_eq!(message("h5h6"), "'h5h6' is not legal: h5 is empty");
    assert_eq!(
        message("exf8=Q"),
        "'exf8=Q' is not legal: a pawn moves diagonally only to capture, and f8 is empty"
    );
    assert_eq!(message("e8"), "'e8' needs a promotion piece");
    assert_eq!(message("e8="), "'e8=' needs a promotion piece");
    for text in ",x,e9,i4,Nf,e8=K,e8=P,Nf3=Q,O-O-O-O,O-O-,--,1e4,-e4,é4, ".split(',') {
        assert!(matches!(san::parse_lenient(&position, text), Err(SanError::Syntax { .. })), "{text:?}");
    }
    let long = "N".repeat(1_000_000);
    assert!(san::parse(&position, &long).unwrap_err().to_string().len() < 100);
}

#[test]
fn ambiguous_moves_name_their_candidates() {
    let position = position("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1");
    let error = san::parse_lenient(&position, "Nd2").unwrap_err();
    assert_eq!(error.to_string(), "'Nd2' is ambiguous: b1d2 or f1d2");
    let SanError::Ambiguous { candidates, .. } = error else { panic!("{error}") };
    assert_eq!(candidates, [uci(&position, "b1d2"), uci(&position, "f1d2")]);
}

#[test]
fn null_moves_are_read_where_they_are_asked_for() {
    let quiet = Position::start();
    for text in ["--", "Z0", "0000", "null", "@@@@", " -- ", "--!?"] {
        assert_eq!(san::parse_or_null(&quiet, text), Ok(None), "{text}");
        assert!(matches!(san::parse_lenient(&quiet, text), Err(SanError::Syntax { .. })), "{text}");
    }
    assert_eq!(san::parse_or_null(&quiet, "e4"), Ok(Some(uci(&quiet, "e2e4"))));
    let check = position("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1");
    assert_eq!(san::parse_or_null(&check, "--").unwrap_err().to_string(), "'--': null move in check");
}

#[test]
fn no_text_and_no_move_panics() {
    let alphabet: Vec<char> = "abcdefgh12345678NBRQKPnkx-=()/+#O0!?. ♘♟×é\u{0}".chars().collect();
    let mut random = Rng::with_seed(5);
    let positions = game_positions(&mut random, 500, CastlingMode::Chess960);
    let mut read = 0;
    for _ in 0..400_000 {
        let position = random.choice(&positions).unwrap();
        let text: String = (0..random.usize(..9)).map(|_| *random.choice(&alphabet).unwrap()).collect();
        if let Ok(mv) = san::parse_lenient(position, &text) {
            assert!(position.is_legal(mv), "{text}");
            read += 1;
        }
        let bytes: Vec<u8> = (0..random.usize(..12)).map(|_| random.u8(..)).collect();
        let _ = san::parse_or_null(position, &String::from_utf8_lossy(&bytes));
    }
    assert!(read > 100, "{read}");
    for position in &positions[..50] {
        for mv in (0..=u16::MAX).filter_map(Move::from_bits) {
            let _ = (San::new(position, mv), Lan::new(position, mv));
        }
    }
    let nonsense = Move::new(Square::E4, Square::E5, MoveKind::Castling).unwrap();
    assert_eq!(San::new(&positions[0], nonsense).as_str(), "O-O");
}

/// Every legal move of random games, read without a position and resolved later, is the same move.
#[test]
fn moves_are_read_without_a_position() {
    let mut random = Rng::with_seed(5);
    let games = game_positions(&mut random, 1000, CastlingMode::Chess960);
    for position in &[games, crowded_positions(&mut random, 300)].concat() {
        for mv in position.legal_moves().iter().copied() {
            let san = San::new(position, mv);
            let read: San = san.as_str().parse().expect("SAN");
            assert_eq!(read, san);
            assert_eq!(read.to_move(position), Ok(mv), "{san}");
            assert_eq!(read.castling_side(), mv.castling_side());
            assert_eq!(read.promotion(), mv.promotion());
            assert_eq!(read.is_capture(), position.captured(mv).is_some());
            if !mv.is_castling() {
                assert_eq!(read.to(), Some(mv.to()));
            }
            assert_eq!(read.piece_type(), position.piece_at(mv.from()).map(Piece::piece_type));
            assert_eq!(read.check_mark().is_some(), position.gives_check(mv));
        }
    }
}

#[test]
fn the_parts_of_a_text_are_kept() {
    let spelled = |text: &str| text.parse::<San>().map(|san| san.to_string()).ok();
    for (text, expected) in [
        ("Nf3", "Nf3"),
        ("♘g1xf3!?", "Ng1xf3"),
        ("ed:", "-"),
        ("ed6 e.p.", "ed6"),
        ("e8(q)++", "e8=Q+"),
        ("e7xd8/N+#", "e7xd8=N#"),
        ("0-0-0#", "O-O-O#"),
        ("Qh4+-", "Qh4"),
        ("g1-f3", "g1f3"),
        ("e7e8q", "e7e8=Q"),
        ("Z0", "--"),
        ("0000", "--"),
        ("e9", "-"),
        ("", "-"),
        ("Nf", "-"),
    ] {
        assert_eq!(spelled(text).as_deref().unwrap_or("-"), expected, "{text}");
    }
    let san: San = "g1f3".parse().expect("two squares");
    assert_eq!(
        (san.piece_type(), san.from_file(), san.from_rank()),
        (None, Some(File::G), Some(Rank::First))
    );
    assert!(san.to_move(&Position::start()).is_ok());
    assert_eq!("Qh5#".parse::<San>().expect("SAN").check_mark(), Some(CheckMark::Mate));
    assert!(San::NULL.is_null() && San::NULL.to().is_none());
    let null = San::NULL.to_move(&Position::start()).expect_err("not a move");
    assert_eq!((null.name(), null.to_string()), ("null-move", "'--' is a null move".to_owned()));
    let error = "x\u{1b}".parse::<San>().expect_err("not a move");
    assert_eq!(error.to_string(), "'x\\u{1b}' is not a move");
    assert_eq!(
        "Nd4".parse::<San>().expect("SAN").to_move(&Position::start()).map_err(|error| error.name()),
        Err("no-such-move")
    );
}
