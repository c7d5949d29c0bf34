//! What the optional features give.

#[cfg(feature = "serde")]
mod serde {
    use ferz_board::{
        Bitboard, ByColor, ByPieceType, CastlingMode, CastlingRights, CastlingSide, Color, File, Move,
        MoveKind, Piece, PieceType, Position, Rank, Setup, Square, UciMove, Violation,
    };
    use serde_json::{from_str, to_string};

    #[test]
    fn values_are_written_as_expected_and_read_back() {
        macro_rules! assert_json {
            ($value:expr, $type:ty, $json:expr) => {
                assert_eq!(to_string(&$value).unwrap(), $json);
                assert_eq!(from_str::<$type>($json).unwrap(), $value);
            };
        }
        assert_json!(Color::Black, Color, r#""b""#);
        assert_json!(File::G, File, r#""g""#);
        assert_json!(Rank::Third, Rank, r#""3""#);
        assert_json!(Square::E4, Square, r#""e4""#);
        assert_json!(PieceType::Queen, PieceType, r#""q""#);
        assert_json!(Piece::WhiteKnight, Piece, r#""N""#);
        assert_json!(Bitboard(u64::MAX), Bitboard, "18446744073709551615");
        assert_json!(CastlingRights::ALL, CastlingRights, r#""KQkq""#);
        assert_json!(CastlingSide::Queen, CastlingSide, r#""queen""#);
        assert_json!(CastlingMode::Chess960, CastlingMode, r#""chess960""#);
        assert_json!("e7e8q".parse::<UciMove>().unwrap(), UciMove, r#""e7e8q""#);
        assert_json!(ByColor::new([1, 2]), ByColor<u8>, r#"{"white":1,"black":2}"#);
        let json = r#"{"pawn":1,"knight":3,"bishop":3,"rook":5,"queen":9,"king":0}"#;
        assert_json!(ByPieceType::new([1, 3, 3, 5, 9, 0]), ByPieceType<u8>, json);
        let start = r#""rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1""#;
        assert_json!(Setup::start(), Setup, start);
        assert_json!(Position::start(), Position, start);
        let castling = Move::new(Square::E1, Square::H1, MoveKind::Castling).unwrap();
        assert_json!(castling, Move, castling.bits().to_string().as_str());
    }

    #[test]
    fn positions_lose_nothing() {
        // Chess960 rights, a double step without a pawn beside it, clocks.
        for fen in ["4k3/8/8/8/8/8/8/1RR1K3 w C - 7 9", "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 30"] {
            let position = Position::from_fen_in(fen, CastlingMode::Chess960).unwrap();
            let read = from_str::<Position>(&to_string(&position).unwrap()).unwrap();
            assert_eq!(read, position);
            assert_eq!(read.double_step(), position.double_step());
        }
        // Two checks that no last move can have given.
        let (position, _) = Position::from_fen_lenient("4k3/3P4/5N2/8/8/8/8/4RK2 b - - 0 1").unwrap();
        assert_eq!(from_str::<Position>(&to_string(&position).unwrap()).unwrap(), position);
    }

    #[test]
    fn reports_are_written_with_names_and_squares() {
        let error =
            Setup::from_fen("4k3/8/8/8/8/8/8/4K3 w KQ - 0 1").unwrap().violations(CastlingMode::Standard);
        let json = r#"[{"rule":"castling-without-rook","squares":["a1","h1"]}]"#;
        assert_eq!(to_string(&error).unwrap(), json);
        assert_eq!(from_str::<Vec<Violation>>(json).unwrap(), error);
        let (_, repairs) = Position::from_fen_lenient("4k3/8/8/8/8/8/8/4K3 w KQ").unwrap();
        assert!(to_string(&repairs).unwrap().ends_with(r#"{"castling-dropped":["a1","h1"]}]"#));
    }

    #[test]
    fn positions_are_read_in_both_castling_styles() {
        for rights in ["KQkq", "HAha"] {
            let json = format!(r#""r3k2r/8/8/8/8/8/8/R3K2R w {rights} - 0 1""#);
            let position = from_str::<Position>(&json).unwrap();
            assert_eq!(to_string(&position).unwrap(), r#""r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1""#);
        }
    }

    #[test]
    fn refused_positions_keep_their_reasons() {
        for (fen, reason) in [
            ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling right without a rook (h1)"),
            ("4k3/8/8/9/8/8/8/4K3 w - - 0 1", "board, column 9: '9' is neither a piece nor a digit"),
        ] {
            let error = from_str::<Position>(&to_string(fen).unwrap()).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn what_is_no_value_is_refused() {
        assert!(from_str::<Square>(r#""e9""#).is_err());
        assert!(from_str::<Piece>(r#""KK""#).is_err());
        assert!(from_str::<Move>("0").is_err());
        assert!(from_str::<Position>(r#""8/8/8/8/8/8/8/8 w - - 0 1""#).is_err());
    }
}

#[cfg(feature = "arbitrary")]
mod arbitrary {
    use arbitrary::{Arbitrary, Unstructured};
    use ferz_board::{CastlingMode, Position, Setup};

    #[test]
    fn arbitrary_positions_are_legal_and_varied() {
        let mut seen = std::collections::HashSet::new();
        for seed in 0..200u8 {
            let bytes: Vec<u8> = (0..120u8).map(|i| i.wrapping_mul(seed | 1).wrapping_add(seed)).collect();
            let position = Position::arbitrary(&mut Unstructured::new(&bytes)).unwrap();
            assert_eq!(Position::from_setup(&Setup::from(&position), CastlingMode::Chess960), Ok(position));
            seen.insert(position.key());
        }
        assert!(seen.len() > 150, "{}", seen.len());
    }
}
