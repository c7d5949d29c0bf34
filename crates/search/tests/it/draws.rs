//! Draws are seen: stalemates, repetitions, dead positions and fifty moves.

use fastrand::Rng;
use ferz_board::{Color, Game, Piece, Position};
use ferz_search::{Limits, Score, SearchOptions};

use crate::referee::check;
use crate::runs::{Run, depth, engine, lines, nodes, run, shared, worth};
use crate::sample::{at, game, random_placement, with_clock};
use crate::solver::mates;

fn searched(game: &Game, limits: &Limits) -> Run {
    let run = run(&mut engine(), game, limits, &SearchOptions::default());
    check(game, &run, &SearchOptions::default(), &game.position().to_string());
    run
}

/// The score if nothing but this move is looked at.
fn score_of(game: &Game, mv: &str, plies: u32) -> Score {
    let mv = game.position().parse_uci(mv).unwrap();
    searched(game, &depth(plies).search_moves(vec![mv])).score()
}

const DRAW: Score = Score::Centipawns(0);

#[test]
fn dead_positions_are_worth_nothing() {
    let _shared = shared();
    for fen in [
        "8/8/3k4/8/8/3K4/8/8 w - - 0 1",
        "8/8/3k4/8/8/3KN3/8/8 b - - 0 1",
        "8/8/3k4/8/8/3KB3/8/8 w - - 0 1",
        "8/8/3kb3/8/8/3K1B2/8/8 w - - 0 1",
        "B1b1k3/3b4/4b3/8/8/8/8/4KB2 w - - 0 1",
        "7k/B1B5/1B1B4/B1B5/8/8/8/K7 b - - 0 1",
    ] {
        assert!(at(fen).is_insufficient_material());
        for line in run(&mut engine(), &game(fen, &[]), &depth(6), &lines(4)).lines {
            assert_eq!(line.score, DRAW, "{fen}: {line:?}");
        }
    }
}

#[test]
fn pawns_that_cannot_be_promoted_are_worth_nothing() {
    let _shared = shared();
    for fen in ["4k3/4P3/3K4/8/8/8/8/8 w - - 0 1", "k7/P7/1K6/8/8/8/8/8 w - - 0 1"] {
        assert_eq!(searched(&game(fen, &[]), &depth(10)).score(), DRAW, "{fen}");
    }
}

#[test]
fn the_winner_does_not_give_stalemate() {
    let _shared = shared();
    for (fen, blunder) in [
        ("7k/8/8/6K1/8/8/8/5Q2 w - - 0 1", "f1f7"),
        ("k7/8/8/1K6/8/8/2Q5/8 w - - 0 1", "c2c7"),
        ("5k2/5P2/8/6K1/8/8/8/8 w - - 0 1", "g5f6"),
    ] {
        let game = game(fen, &[]);
        // Stalemate is not detected at the horizon.
        for plies in 2..8 {
            assert_eq!(score_of(&game, blunder, plies), DRAW, "{fen} {blunder}");
        }
        let free = searched(&game, &depth(6));
        if worth(free.score()) > 0 {
            assert_ne!(free.conclusion.best, game.position().parse_uci(blunder).ok(), "{fen}");
        }
    }
}

/// Whether a move leaves the other side nothing but answers that end the game in a draw.
fn can_force_a_draw(position: &Position) -> bool {
    position.legal_moves().into_iter().any(|mv| {
        let mut child = *position;
        child.play_unchecked(mv);
        child.has_legal_moves()
            && child.legal_moves().into_iter().all(|answer| {
                let mut end = child;
                end.play_unchecked(answer);
                end.is_stalemate() || end.is_insufficient_material()
            })
    })
}

/// Far behind, but there is a way to be stalemated or to take the last piece.
#[test]
fn the_loser_finds_the_draw() {
    let _shared = shared();
    let mut random = Rng::with_seed(41);
    let weak = [Piece::BlackRook, Piece::BlackPawn, Piece::BlackKnight, Piece::BlackQueen];
    let strong = [Piece::WhiteQueen, Piece::WhiteRook, Piece::WhitePawn];
    let mut found = 0;
    for index in 0..60_000 {
        let pieces =
            [Piece::WhiteKing, Piece::BlackKing, weak[index % weak.len()], strong[index / 7 % strong.len()]];
        let position = random_placement(&pieces, Color::Black, &mut random);
        if !can_force_a_draw(&position) {
            continue;
        }
        found += 1;
        let score = searched(&Game::new(position), &depth(4)).score();
        assert!(worth(score) >= 0, "{position}: {score:?}");
    }
    assert!(found > 20, "{found}");
}

#[test]
fn perpetual_check_is_found() {
    let _shared = shared();
    let game = game("5rk1/5p1p/5Q2/8/8/8/r3q1PP/7K w - - 0 1", &[]);
    let run = searched(&game, &depth(10));
    assert_eq!(run.score(), DRAW);
    assert_eq!(run.conclusion.best, game.position().parse_uci("f6g5").ok());
    // Everything else loses.
    let mut others: Vec<_> = game.position().legal_moves().into_iter().collect();
    others.retain(|&mv| Some(mv) != run.conclusion.best);
    let without = searched(&game, &depth(8).search_moves(others));
    assert!(worth(without.score()) < -300, "{:?}", without.score());
}

/// The third time counts, also before the search began; the second does not.
#[test]
fn the_loser_repeats_what_the_game_has_repeated() {
    let _shared = shared();
    let fen = "8/8/8/3k4/8/8/8/K6R w - - 0 1";
    let there_and_back = ["h1h2", "d5d4", "h2h1", "d4d5"];
    let mut moves: Vec<&str> = there_and_back.into_iter().cycle().take(7).collect();
    let third = game(fen, &moves);
    assert_eq!(score_of(&third, "d4d5", 5), DRAW);
    assert_eq!(searched(&third, &depth(8)).score(), DRAW);
    moves.truncate(3);
    let second = game(fen, &moves);
    assert!(worth(score_of(&second, "d4d5", 5)) < -100);
}

/// A double step that no pawn may capture en passant does not make a different position.
#[test]
fn en_passant_that_is_not_legal_does_not_make_a_new_position() {
    let _shared = shared();
    // There and back, twice by different squares, and all but the last move.
    let shuffle = |[a, b, c, d]: [&'static str; 4]| ["e2e4", a, "e1d1", b, "d1e1", c, "e1f1", d];
    // The capture would leave the king to the rook.
    let pinned = game("8/8/8/8/R2p3k/8/4P3/4K3 w - - 0 1", &shuffle(["h4h5", "h5h4", "h4h3", "h3h4"]));
    for plies in 1..6 {
        assert_eq!(score_of(&pinned, "f1e1", plies), DRAW);
    }
    // Here it was possible the first time.
    let free = game("7k/8/8/8/R2p4/8/4P3/4K3 w - - 0 1", &shuffle(["h8h7", "h7h8", "h8g8", "g8h8"]));
    for plies in 1..6 {
        let score = score_of(&free, "f1e1", plies);
        assert!(worth(score) > 100, "{plies}: {score:?}");
    }
}

#[test]
fn no_queen_wins_when_fifty_moves_are_over() {
    let _shared = shared();
    let mut random = Rng::with_seed(43);
    let pieces = [Piece::WhiteKing, Piece::BlackKing, Piece::WhiteQueen];
    let mut tried = 0;
    for index in 0..120 {
        let side = if index % 4 == 0 { Color::Black } else { Color::White };
        let clock = if side == Color::White { 98 + index % 2 } else { 99 };
        let position = with_clock(&random_placement(&pieces, side, &mut random), clock);
        if position.has_legal_moves() && !mates(&position, 1) {
            tried += 1;
            for limits in [depth(4), nodes(2_000)] {
                assert_eq!(searched(&Game::new(position), &limits).score(), DRAW, "{position}");
            }
        }
    }
    assert!(tried > 60, "{tried}");
}

/// A pawn move begins the count anew.
#[test]
fn fifty_moves_begin_anew_with_a_pawn() {
    let _shared = shared();
    let game = game("8/8/8/8/3k4/8/P6R/K7 w - - 99 90", &[]);
    let run = searched(&game, &depth(6));
    assert!(worth(run.score()) > 100, "{:?}", run.score());
    let mv = run.conclusion.best.unwrap();
    assert_eq!(game.position().piece_at(mv.from()), Some(Piece::WhitePawn));
}

/// Endings that are drawn, and known to be by rule. Those of four men are as tables have them, the others as books.
const KNOWN_DRAWS: [&str; 40] = [
    // The wrong bishop.
    "7k/8/8/8/7P/4K3/4B3/8 w - - 0 1",
    "k7/8/1K6/P7/8/8/8/2B5 w - - 0 1",
    "1k6/8/PK6/8/8/8/5B2/8 b - - 0 1",
    "8/1k6/8/P7/8/3K4/8/4B3 w - - 0 1",
    "6k1/8/6KP/8/8/8/6B1/8 w - - 0 1",
    "7k/8/7P/8/8/8/2B5/K7 b - - 0 1",
    "7k/8/8/8/7P/7P/4B3/4K3 w - - 0 1",
    "k7/8/8/P7/P7/8/1B6/1K6 w - - 0 1",
    "7k/8/3p4/8/7P/4K3/4B3/8 w - - 0 1",
    // Rook pawns, and a pawn that the king stops.
    "7k/8/8/8/7P/6K1/7P/8 w - - 0 1",
    "k7/8/8/8/P7/P7/8/K7 w - - 0 1",
    "8/8/8/8/4k3/8/4P3/4K3 b - - 0 1",
    "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1",
    "k7/8/K7/P7/8/8/8/8 w - - 0 1",
    // Knights.
    "8/8/4k3/8/8/3NKN2/8/8 w - - 0 1",
    "k7/8/1K6/8/8/2N5/3N4/8 w - - 0 1",
    "7k/7P/8/6N1/8/5K2/8/8 w - - 0 1",
    "8/8/4k3/6p1/8/3NK3/8/8 w - - 0 1",
    // Rook or queen against its like or a minor piece.
    "8/8/8/3k4/3n4/8/3K4/7R w - - 0 1",
    "6R1/n7/8/3K4/8/4k3/8/8 b - - 0 1",
    "3n4/8/8/7k/8/8/6K1/R7 w - - 0 1",
    "6k1/8/6KR/8/8/8/8/b7 b - - 0 1",
    "8/8/8/3kb3/8/3K4/8/7R w - - 0 1",
    "8/2R5/6b1/3K4/8/2k5/8/8 b - - 0 1",
    "8/8/8/4k3/8/r7/4K3/7R w - - 0 1",
    "8/6r1/7k/8/3R4/4K3/8/8 w - - 0 1",
    "8/8/4k3/8/q7/8/4K3/6Q1 w - - 0 1",
    "8/7Q/2q5/8/5K2/8/5k2/8 b - - 0 1",
    // A queen against a pawn.
    "8/8/K7/8/8/8/2pk4/Q7 w - - 0 1",
    "8/3K4/8/3Q4/8/k7/p7/8 b - - 0 1",
    "7K/8/2Q5/8/8/8/5p2/6k1 b - - 0 1",
    "8/8/1K2Q3/8/8/8/5p2/6k1 w - - 0 1",
    // Minor pieces.
    "8/8/3bk3/8/8/3NK3/8/8 w - - 0 1",
    "8/8/3bk3/8/8/3BK3/8/8 w - - 0 1",
    "8/8/3nk3/8/8/3NK3/8/8 b - - 0 1",
    "8/8/8/8/5p2/4kB2/8/6K1 w - - 0 1",
    // Bishops of opposite colours, and a king that blocks the pawn.
    "8/5k2/4b3/8/2P5/4B3/5K2/8 w - - 0 1",
    "8/8/3k4/2bP4/4B3/4K3/8/8 w - - 0 1",
    "4k3/8/4PK2/8/8/8/1B6/6b1 w - - 0 1",
    "4k3/8/4PK2/8/8/8/1B6/6n1 w - - 0 1",
];

#[test]
fn known_draws_are_shown_as_draws() {
    let _shared = shared();
    let mut engine = engine();
    for fen in KNOWN_DRAWS {
        engine.clear();
        let run = run(&mut engine, &game(fen, &[]), &depth(18), &SearchOptions::default());
        assert!(worth(run.score()).abs() <= 50, "{fen}: {:?}", run.score());
    }
}
