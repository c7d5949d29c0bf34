//! The table of openings, and finding them.

use std::collections::{HashMap, HashSet};

use ferz_board::Position;
use ferz_notation::openings::{self, Opening};
use ferz_notation::pgn::GameTree;
use ferz_notation::san;

fn after(moves: &str) -> Position {
    let mut position = Position::start();
    for text in moves.split_whitespace() {
        let mv = san::parse(&position, text).unwrap_or_else(|error| panic!("{moves}: {error}"));
        position.play(mv).unwrap();
    }
    position
}

fn name(moves: &str) -> Option<&'static str> {
    openings::lookup(&after(moves)).map(|opening| opening.name)
}

#[test]
fn every_line_is_legal_and_found_again() {
    assert!(openings::all().len() >= 400, "{}", openings::all().len());
    for opening in openings::all() {
        assert_eq!(openings::lookup(&after(opening.moves)), Some(opening));
    }
}

#[test]
fn names_and_lines_are_unique_and_in_order() {
    let names: HashSet<_> = openings::all().iter().map(|opening| opening.name).collect();
    assert_eq!(names.len(), openings::all().len(), "a name stands twice");
    assert!(openings::all().is_sorted_by_key(|opening| (opening.eco, opening.moves)));
    let mut ends: HashMap<u64, &Opening> = HashMap::new();
    for opening in openings::all() {
        if let Some(other) = ends.insert(after(opening.moves).key(), opening) {
            panic!("{} and {} are the same position", other.name, opening.name);
        }
    }
}

/// A variation that goes further into theory than the game does not name it.
#[test]
fn a_game_is_named_after_its_main_line() {
    let game: GameTree =
        "1. e4 e5 (1... c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6) 2. h4 -- 3. h5 *".parse().unwrap();
    let positions: Vec<_> = game.main_line_positions().collect();
    assert_eq!(positions.len(), 5);
    for &(node, position) in &positions {
        assert_eq!(game.position_at(node), Some(position));
    }
    let opening = openings::of_game(positions.iter().map(|(_, position)| position)).unwrap();
    assert_eq!((opening.eco, opening.name), ("C20", "King's Pawn Game"));
}

#[test]
fn names_are_names() {
    for Opening { name, moves, .. } in openings::all() {
        let is_fine = |c: char| c.is_alphanumeric() || " '-.:,".contains(c);
        assert!(name.chars().all(is_fine) && name.chars().count() <= 70, "{name}");
        assert_eq!(name.trim(), *name);
        assert!(!name.contains("  ") && !moves.contains("  "), "{name}");
    }
}

/// What the codes say about the first moves; a code belongs to the last entry that is not after it.
const FIRST_MOVES: [(&str, &[&str]); 29] = [
    ("A00", &["a", "b4", "c3", "d3", "e3", "f3", "g", "h", "N"]),
    ("A01", &["b3"]),
    ("A02", &["f4"]),
    ("A04", &["Nf3"]),
    ("A10", &["c4", "Nf3 d5 c4"]),
    ("A40", &["d4"]),
    ("A45", &["d4 Nf6"]),
    ("A50", &["d4 Nf6 c4"]),
    ("A56", &["d4 Nf6 c4 c5"]),
    ("A80", &["d4 f5"]),
    ("B00", &["e4"]),
    ("B01", &["e4 d5"]),
    ("B02", &["e4 Nf6"]),
    ("B06", &["e4 g6"]),
    ("B07", &["e4 d6"]),
    ("B10", &["e4 c6"]),
    ("B20", &["e4 c5"]),
    ("B27", &["e4 c5 Nf3"]),
    ("C00", &["e4 e6"]),
    ("C20", &["e4 e5"]),
    ("C40", &["e4 e5 Nf3"]),
    ("C50", &["e4 e5 Nf3 Nc6 Bc4"]),
    ("C60", &["e4 e5 Nf3 Nc6 Bb5"]),
    ("D00", &["d4 d5"]),
    ("D06", &["d4 d5 c4"]),
    ("D70", &["d4 Nf6 c4 g6"]),
    ("E00", &["d4 Nf6 c4 e6"]),
    ("E20", &["d4 Nf6 c4 e6 Nc3 Bb4"]),
    ("E60", &["d4 Nf6 c4 g6"]),
];

#[test]
fn codes_fit_the_first_moves() {
    for Opening { eco, name, moves } in openings::all() {
        let is_code = eco.len() == 3
            && eco.starts_with(['A', 'B', 'C', 'D', 'E'])
            && eco[1..].bytes().all(|byte| byte.is_ascii_digit());
        assert!(is_code, "{eco} {name}");
        let (_, starts) = FIRST_MOVES.iter().rev().find(|(from, _)| from <= eco).unwrap();
        assert!(starts.iter().any(|start| moves.starts_with(start)), "{eco} {name}: {moves}");
    }
}

#[test]
fn the_order_of_moves_does_not_matter() {
    assert_eq!(name("Nf3 d5 d4"), name("d4 d5 Nf3"));
    assert_eq!(
        name("c4 Nf6 d4 g6 Nc3 Bg7 e4 d6"),
        Some("King's Indian Defence: Normal, Standard Development")
    );
    assert_eq!(name("d4 e6 e4 d5 Nc3"), Some("French Defence: Paulsen Variation"));
    // Here Black could still capture en passant; the usual order leaves no such right.
    let (with_right, without) = (after("e4 d5 e5 e6 d4"), after("e4 e6 d4 d5 e5"));
    assert_eq!(openings::lookup(&with_right), openings::lookup(&without));
    assert_eq!(name("e4 e6 e5 d5 d4"), Some("French Defence: Advance Variation"));
}

#[test]
fn a_game_has_its_last_name() {
    let game = |moves: &str| {
        let texts: Vec<_> = moves.split(' ').collect();
        openings::of_game((0..=texts.len()).map(|plies| after(&texts[..plies].join(" "))))
    };
    let berlin = game("e4 e5 Nf3 Nc6 Bb5 Nf6 O-O Nxe4 d4 Nd6 Bxc6 dxc6 dxe5 Nf5 Qxd8+ Kxd8 h3 h5").unwrap();
    assert_eq!((berlin.eco, berlin.name), ("C67", "Ruy Lopez: Berlin Wall"));
    // A position of the line without a name of its own.
    assert!(openings::contains(&after("e4 c5 Nf3 d6 d4 cxd4")) && name("e4 c5 Nf3 d6 d4 cxd4").is_none());
    assert_eq!(game("e4 c5 Nf3 d6 d4 cxd4").unwrap().eco, "B50");
    assert_eq!(openings::of_game([Position::start()]), None);
    assert!(!openings::contains(&after("a3 a6 b3 b6")));
}
