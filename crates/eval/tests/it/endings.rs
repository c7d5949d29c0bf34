//! Endgame knowledge: drawn material, scale factors and mop-up evaluation.

use ferz_board::Position;
use ferz_eval::explain;

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

#[test]
fn drawish_material_is_worth_little() {
    let cases = [
        ("rook against bishop", "8/8/4k1b1/8/8/4K1R1/8/8 w - - 0 1", 100),
        ("two knights against a pawn", "8/8/4k3/6p1/8/3NKN2/8/8 w - - 0 1", 100),
        ("a bishop that does not control the corner", "7k/8/8/8/7P/4K3/4B3/8 w - - 0 1", 60),
        ("no bishop at all", "7k/8/8/8/7P/6K1/7P/8 w - - 0 1", 60),
    ];
    for (name, fen, bound) in cases {
        assert!(value(fen).abs() < bound, "{name}: {}", value(fen));
    }
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
    assert!(opposite.scale < with_rooks.scale && with_rooks.scale < 64);
    assert!(opposite.scale < same.scale);
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

#[test]
fn a_pawn_that_outruns_the_king_is_worth_a_queen() {
    let value = |fen: &str| explain(&Position::from_fen(fen).expect("legal")).value;
    // The king stands in the square of the pawn, or just outside it.
    let (caught, lost) = (value("8/8/8/1k6/6P1/8/8/7K b - - 0 1"), value("8/8/8/k7/6P1/8/8/7K b - - 0 1"));
    assert!(lost > caught + 100, "{caught} {lost}");
}
