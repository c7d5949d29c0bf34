//! Small values as text, and names for programs.

use std::collections::HashSet;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use ferz_board::{
    Bitboard, CastlingRights, Color, DrawClaim, DrawReason, FenField, FenProblem, File, Outcome, Piece,
    PieceType, Rank, Repair, Rule, Setup, Square, UciMove,
};

fn assert_reads_what_it_writes<T>(values: impl IntoIterator<Item = T>)
where
    T: Display + Debug + PartialEq + FromStr<Err: Display + Debug + PartialEq>,
{
    for value in values {
        assert_eq!(value.to_string().parse().as_ref(), Ok(&value));
        for text in [String::new(), format!("{value} "), format!(" {value}"), format!("{value}{value}")] {
            let error = text.parse::<T>().expect_err(&text).to_string();
            assert!(!error.is_empty());
        }
    }
}

#[test]
fn every_value_is_read_from_its_text_and_nothing_else_is() {
    assert_reads_what_it_writes(Color::ALL);
    assert_reads_what_it_writes(PieceType::ALL);
    assert_reads_what_it_writes(Piece::ALL);
    assert_reads_what_it_writes(File::ALL);
    assert_reads_what_it_writes(Rank::ALL);
    assert_reads_what_it_writes(Square::ALL);
    assert_reads_what_it_writes((0..16).filter_map(CastlingRights::from_bits));
    assert_reads_what_it_writes([Setup::start()]);
    assert_reads_what_it_writes(["e2e4", "a7a8n", "0000"].map(|text| text.parse::<UciMove>().expect(text)));
}

#[test]
fn letters_are_read_as_well_as_names() {
    for color in Color::ALL {
        assert_eq!(color.to_char().to_string().parse(), Ok(color));
        assert_eq!((color.is_white(), color.is_black()), (color == Color::White, color == Color::Black));
    }
    for piece_type in PieceType::ALL {
        assert_eq!(piece_type.to_char().to_string().parse(), Ok(piece_type));
    }
    for piece in Piece::ALL {
        assert_eq!(piece.to_char().to_string().parse(), Ok(piece));
    }
    for text in ["Ww", "é", "white  king", "white", "king white", "White king!"] {
        assert!(text.parse::<Piece>().is_err(), "{text}");
    }
    assert_eq!("qkQK".parse(), Ok(CastlingRights::ALL));
    for text in ["KK", "-K", "K-", "HA", "KQkqK"] {
        assert!(text.parse::<CastlingRights>().is_err(), "{text}");
    }
}

#[test]
fn indices_are_dense_and_codes_are_the_bytes() {
    for (index, piece) in Piece::ALL.into_iter().enumerate() {
        assert_eq!((piece.index(), piece.code()), (index, piece as usize));
        assert_eq!(Piece::from_index(index), Some(piece));
    }
    assert_eq!(Piece::from_index(12), None);
}

fn assert_names_are_unique(names: &[&'static str]) {
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{names:?}");
    let is_kebab = |name: &&str| name.bytes().all(|it| matches!(it, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    assert!(names.iter().all(is_kebab), "{names:?}");
}

const RULES: [Rule; 18] = [
    Rule::NoKing(Color::White),
    Rule::SeveralKings(Color::Black),
    Rule::TouchingKings,
    Rule::KingCapturable,
    Rule::PawnOnBackRank,
    Rule::TooManyPawns(Color::White),
    Rule::TooManyPieces(Color::White),
    Rule::TooManyPromotions(Color::White),
    Rule::ImpossibleCheck,
    Rule::CastlingWithoutRook,
    Rule::CastlingWithoutKing,
    Rule::CastlingTwice,
    Rule::CastlingNotStandard,
    Rule::EnPassantRank,
    Rule::EnPassantPawn,
    Rule::EnPassantCheck,
    Rule::HalfmoveClock,
    Rule::FullmoveNumber,
];

const REPAIRS: [Repair; 11] = [
    Repair::ByteOrderMark,
    Repair::Whitespace,
    Repair::Missing(FenField::SideToMove),
    Repair::AdjacentDigits,
    Repair::PromotedMark,
    Repair::RepeatedRight,
    Repair::CastlingDropped(Bitboard::BACK_RANKS),
    Repair::Chess960,
    Repair::EnPassantDropped(Square::E3),
    Repair::MoveNumberZero,
    Repair::ImpossibleCheck(Bitboard::EMPTY),
];

const DRAWS: [DrawReason; 5] = [
    DrawReason::Stalemate,
    DrawReason::InsufficientMaterial,
    DrawReason::FivefoldRepetition,
    DrawReason::SeventyFiveMoves,
    DrawReason::DeadPosition,
];

const CLAIMS: [DrawClaim; 2] = [DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves];

#[test]
fn names_for_programs_are_unique() {
    let problems = [
        FenProblem::Missing,
        FenProblem::Trailing,
        FenProblem::Spacing,
        FenProblem::NotAPiece(b'x'),
        FenProblem::AdjacentDigits,
        FenProblem::RankLength,
        FenProblem::RankCount,
        FenProblem::NotASide,
        FenProblem::NotACastlingRight(b'x'),
        FenProblem::RepeatedRight,
        FenProblem::NotASquare,
        FenProblem::NotANumber,
        FenProblem::NumberTooLarge,
    ];
    assert_names_are_unique(&RULES.map(Rule::name));
    assert_names_are_unique(&REPAIRS.map(Repair::name));
    assert_names_are_unique(&problems.map(FenProblem::name));
    let mate = Outcome::Checkmate { winner: Color::White };
    let outcomes = DRAWS.map(|reason| Outcome::Draw(reason).name());
    let claims = CLAIMS.map(DrawClaim::name);
    assert_names_are_unique(&[&outcomes[..], &claims, &[mate.name()]].concat());
}

/// Serialised values have the names for programs, and are read back.
#[cfg(feature = "serde")]
#[test]
fn serialised_names_are_those_for_programs() {
    use serde_json::{Value, from_value, to_value};

    fn assert_json<T>(value: &T, name: &str)
    where
        T: Debug + PartialEq + serde::Serialize + serde::de::DeserializeOwned,
    {
        let json = to_value(value).expect("serialisable");
        let tag = match &json {
            Value::String(tag) => tag,
            Value::Object(object) => object.keys().next().expect("a tag"),
            other => panic!("{other}"),
        };
        assert_eq!(tag, name);
        assert_eq!(&from_value::<T>(json).expect("readable"), value);
    }
    RULES.into_iter().for_each(|rule| assert_json(&rule, rule.name()));
    REPAIRS.into_iter().for_each(|repair| assert_json(&repair, repair.name()));
    DRAWS.into_iter().for_each(|reason| assert_json(&reason, reason.name()));
    CLAIMS.into_iter().for_each(|claim| assert_json(&claim, claim.name()));
    assert_json(&Outcome::Checkmate { winner: Color::Black }, "checkmate");
    assert_json(&Outcome::Draw(DrawReason::Stalemate), "draw");
}
