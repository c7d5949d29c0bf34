//! Endgame knowledge: drawn material, scale factors and mop-up evaluation.

use ferz_board::{CastlingMode, Color, Piece, Position, Setup, Square};
use ferz_eval::{EndgameRule, Evaluator, endgame_rule, explain};

use crate::sample::at;

fn value(fen: &str) -> i32 {
    explain(&at(fen)).value
}

#[test]
fn drawn_material_is_worth_nothing() {
    for fen in [
        "8/8/4k3/8/8/4K3/8/8 w - - 0 1",
        "8/8/4k3/8/8/4KB2/8/8 w - - 0 1",
        "8/8/4k3/8/8/3NKN2/8/8 w - - 0 1",
        "8/8/4k3/8/8/3BK2B/8/8 b - - 0 1",
    ] {
        assert_eq!(value(fen), 0, "{fen}");
    }
}

/// The men of each rule, and the rule.
const RULES: [(&str, EndgameRule); 24] = [
    ("8/8/4k3/8/8/4K3/8/8 w - - 0 1", EndgameRule::InsufficientMaterial),
    ("8/8/4k3/8/8/3BK2B/8/8 b - - 0 1", EndgameRule::InsufficientMaterial),
    ("8/8/4k3/8/8/3NKN2/8/8 w - - 0 1", EndgameRule::TwoKnights),
    ("8/8/4k3/8/8/4KR2/8/8 w - - 0 1", EndgameRule::BareKing),
    ("8/8/4k3/8/8/2NBK3/8/8 w - - 0 1", EndgameRule::BareKing),
    ("8/8/4k3/8/8/2NNKN2/8/8 w - - 0 1", EndgameRule::BareKing),
    ("8/8/8/4k3/r7/4K3/6Q1/8 w - - 0 1", EndgameRule::LoneQueen),
    ("8/8/8/4k3/8/4K3/PP6/8 w - - 0 1", EndgameRule::Pawns),
    ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", EndgameRule::PawnWins),
    ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", EndgameRule::PawnDraws),
    ("7k/8/8/8/7P/4K3/4B3/8 w - - 0 1", EndgameRule::WrongBishop),
    ("7k/8/8/8/7P/4K2P/3bB3/8 w - - 0 1", EndgameRule::OppositeBishops),
    ("7k/8/3p4/8/7P/4K3/4B3/8 w - - 0 1", EndgameRule::WrongBishop),
    ("7k/8/8/8/7P/6K1/7P/8 w - - 0 1", EndgameRule::RookPawn),
    ("7k/7P/8/6N1/8/5K2/8/8 w - - 0 1", EndgameRule::KnightAndRookPawn),
    ("8/8/K7/8/8/8/2pk4/Q7 w - - 0 1", EndgameRule::QueenAgainstPawn),
    ("8/5k2/4b3/8/2PP4/4B3/5K2/8 w - - 0 1", EndgameRule::OppositeBishops),
    ("4k3/8/4PK2/8/8/8/1B6/6b1 w - - 0 1", EndgameRule::Blockade),
    ("4k3/8/4PK2/8/8/8/1B6/6n1 w - - 0 1", EndgameRule::Blockade),
    ("8/8/4k1b1/8/8/4K2R/8/8 w - - 0 1", EndgameRule::NoPawns),
    ("8/8/4k1b1/8/8/4K2R/6R1/r7 w - - 0 1", EndgameRule::NoPawns),
    ("8/8/4k3/6p1/8/3NKN2/8/8 w - - 0 1", EndgameRule::NoPawns),
    ("8/8/4k3/6p1/8/3NK3/8/8 w - - 0 1", EndgameRule::NoPawns),
    ("8/8/3bk3/8/8/3NK3/8/8 w - - 0 1", EndgameRule::NoPawns),
];

/// Positions in which each of these rules would be wrong.
const NO_RULES: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    // The rook pawn may capture its way to the next file.
    "7k/6p1/8/8/7P/4K3/4B3/8 w - - 0 1",
    // Pawns on two files, and a bishop on the right colour with something to defend against it.
    "7k/8/3p4/8/6PP/4K3/4B3/8 w - - 0 1",
    "7k/8/3p4/8/7P/4K3/3B4/8 w - - 0 1",
    // A rook decides.
    "8/8/4k1b1/8/8/4K2R/6P1/8 w - - 0 1",
    "8/8/4k1p1/8/8/4K2R/8/8 w - - 0 1",
];

#[test]
fn the_rules_know_their_endings() {
    for (fen, rule) in RULES {
        let position = at(fen);
        assert_eq!(endgame_rule(&position), Some(rule), "{fen}");
        assert_eq!(endgame_rule(&position.with_colors_exchanged()), Some(rule), "{fen}");
        let breakdown = explain(&position);
        assert_eq!(breakdown.rule, Some(rule));
        assert!(breakdown.to_string().contains(&rule.to_string()), "{breakdown}");
        assert_eq!(rule.to_string().starts_with("known win"), breakdown.value > 400, "{breakdown}");
    }
    for fen in NO_RULES {
        assert_eq!(endgame_rule(&at(fen)), None, "{fen}");
    }
}

/// Neither evaluation thinks much of a draw, and both know the same.
#[test]
fn draws_are_worth_little_by_any_evaluation() {
    for (fen, rule) in RULES.into_iter().filter(|(_, rule)| rule.is_draw()) {
        let position = at(fen);
        let mut evaluator = Evaluator::new(&position);
        let classical = evaluator.evaluate(&position);
        #[cfg(feature = "embedded-net")]
        evaluator.set_network(Some(ferz_eval::Network::embedded()));
        let by_net = evaluator.evaluate(&position);
        assert!(classical.abs() < 150 && by_net.abs() < 150, "{rule}: {classical}, {by_net}: {fen}");
    }
}

/// Few men on random squares: exchanging the colours keeps the rule and negates the value.
#[test]
fn the_rules_are_colour_symmetric() {
    let mut random = fastrand::Rng::with_seed(17);
    let mut known = 0;
    for men in ["KBPk", "KBPkb", "KBPPkb", "KPPkp", "KNPk", "KQkr", "KQkp", "KRBkr", "KBNk", "KRkn", "KBPkn"]
    {
        for _ in 0..2_000 {
            let mut setup = Setup { side_to_move: Color::ALL[random.usize(..2)], ..Setup::empty() };
            for letter in men.chars() {
                setup.board.set(Square::ALL[random.usize(..64)], Piece::from_char(letter));
            }
            let Ok(position) = Position::from_setup(&setup, CastlingMode::Standard) else { continue };
            let exchanged = position.with_colors_exchanged();
            let value = |position: &Position| Evaluator::new(position).evaluate(position);
            assert_eq!(endgame_rule(&position), endgame_rule(&exchanged), "{position}");
            assert_eq!(value(&position), value(&exchanged), "{position}");
            known += usize::from(endgame_rule(&position).is_some());
        }
    }
    assert!(known > 5_000, "{known}");
}

#[test]
fn the_right_bishop_wins() {
    let (right, wrong) = (value("7k/8/8/8/7P/4K3/3B4/8 w - - 0 1"), value("7k/8/8/8/7P/4K3/4B3/8 w - - 0 1"));
    assert!(right > wrong + 200, "{right} {wrong}");
}

#[test]
fn bishops_of_opposite_colours_hold_a_pawn() {
    let same = explain(&at("8/5k2/3b4/8/2PP4/4B3/5K2/8 w - - 0 1"));
    let opposite = explain(&at("8/5k2/4b3/8/2PP4/4B3/5K2/8 w - - 0 1"));
    let with_rooks = explain(&at("r7/5k2/4b3/8/2PP4/4B3/5K2/R7 w - - 0 1"));
    assert!(with_rooks.scale < 64);
    assert!(2 * opposite.value < same.value, "{} {}", opposite.value, same.value);
}

/// Pawns are worth less than the queen that one of them becomes, however many there are.
#[test]
fn a_promotion_is_worth_more_than_pawns() {
    let fen = "8/PPPP4/8/4k3/8/8/8/K7 w - - 0 1";
    let mut evaluator = Evaluator::new(&at(fen));
    #[cfg(feature = "embedded-net")]
    evaluator.set_network(Some(ferz_eval::Network::embedded()));
    let before = evaluator.evaluate(&at(fen));
    let after = at("Q7/1PPP4/8/4k3/8/8/8/K7 b - - 0 1");
    evaluator.reset(&after);
    assert!(-evaluator.evaluate(&after) > before + 500);
}

/// The positions of each line go from far to near mate.
#[test]
fn the_value_leads_to_mate() {
    let lines: [&[&str]; 4] = [
        &["8/8/8/3k4/8/8/8/KQ6 b - - 0 1", "8/8/2k5/8/8/8/8/KQ6 b - - 0 1", "8/k7/8/8/8/8/8/KQ6 b - - 0 1"],
        &[
            "8/8/8/3k4/8/8/8/KR6 b - - 0 1",
            "3k4/8/8/8/8/8/8/KR6 b - - 0 1",
            "3k4/8/3K4/8/8/8/8/1R6 b - - 0 1",
        ],
        // The bishop is on dark squares: the king belongs on a1 or h8.
        &[
            "8/8/8/3k4/8/8/2NB4/K7 w - - 0 1",
            "8/8/6k1/8/8/8/2NB4/K7 w - - 0 1",
            "7k/8/8/8/8/8/2NB4/K7 w - - 0 1",
        ],
        &["8/8/8/3k4/8/8/2BB4/K7 w - - 0 1", "8/8/k7/8/8/8/2BB4/K7 w - - 0 1"],
    ];
    for line in lines {
        for pair in line.windows(2) {
            let (far, near) = (value(pair[0]), value(pair[1]));
            assert!(near > far, "{} {far}, {} {near}", pair[0], pair[1]);
            assert!(far > 500, "{} {far}", pair[0]);
        }
    }
}
