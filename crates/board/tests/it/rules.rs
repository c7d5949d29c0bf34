//! How games end, and what may be claimed before.

use std::time::{Duration, Instant};

use fastrand::Rng;
use ferz_board::{Color, DrawClaim, DrawReason, Game, Move, MoveKind, Outcome, Position, Square};

use crate::random::chess960_start;

fn game_from(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}")))
}

/// Plays moves in UCI notation.
fn play(game: &mut Game, moves: &str) {
    for text in moves.split_whitespace() {
        let mv = game.position().parse_uci(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        game.play(mv).expect("a parsed move is legal");
    }
}

fn find(game: &Game, text: &str) -> Move {
    game.position().parse_uci(text).expect("a legal move")
}

const KNIGHTS_OUT_AND_BACK: &str = "g1f3 g8f6 f3g1 f6g8";

#[test]
fn checkmate_comes_before_every_draw() {
    // The mating move is the hundredth, then the 150th ply without capture or pawn move.
    for clock in [99, 149] {
        let mut game = game_from(&format!("6k1/5ppp/8/8/8/8/8/K2R4 w - - {clock} 120"));
        play(&mut game, "d1d8");
        assert_eq!(game.outcome(), Some(Outcome::Checkmate { winner: Color::White }));
        assert!(!game.can_claim(DrawClaim::FiftyMoves), "a mate on the board cannot be claimed away");
    }
}

#[test]
fn fifty_moves_are_claimed_seventy_five_end_the_game() {
    let mut game = game_from("4k3/8/8/8/8/8/R3P3/4K3 w - - 98 80");
    let (rook_move, pawn_move) = (find(&game, "a2a3"), find(&game, "e2e3"));
    assert!(!game.can_claim_with(rook_move, DrawClaim::FiftyMoves), "one ply too early");
    play(&mut game, "a2b2");
    assert!(!game.can_claim(DrawClaim::FiftyMoves));
    let black_move = find(&game, "e8d8");
    assert!(game.can_claim_with(black_move, DrawClaim::FiftyMoves));
    play(&mut game, "e8d8");
    assert!(game.can_claim(DrawClaim::FiftyMoves));
    assert!(!game.can_claim_with(pawn_move, DrawClaim::FiftyMoves), "the pawn move would end the count");
    assert_eq!(game.outcome(), None, "a draw only if it is claimed");
    play(&mut game, "e2e3");
    assert!(!game.can_claim(DrawClaim::FiftyMoves));

    let mut game = game_from("4k3/8/8/8/8/8/R3P3/4K3 w - - 149 100");
    assert_eq!(game.outcome(), None);
    play(&mut game, "a2b2");
    assert_eq!(game.outcome(), Some(Outcome::Draw(DrawReason::SeventyFiveMoves)));
    game.undo();
    play(&mut game, "e2e3");
    assert_eq!(game.outcome(), None, "a pawn move starts a new count");
}

#[test]
fn a_threefold_is_claimed_a_fivefold_ends_the_game() {
    let mut game = Game::default();
    for times in 2..=5 {
        assert_eq!(game.outcome(), None);
        play(&mut game, "g1f3 g8f6 f3g1");
        let back = find(&game, "f6g8");
        assert_eq!(game.can_claim_with(back, DrawClaim::ThreefoldRepetition), times >= 3);
        game.play(back).expect("legal");
        assert_eq!(game.repetitions(), times);
        assert_eq!(game.can_claim(DrawClaim::ThreefoldRepetition), times >= 3);
    }
    assert_eq!(game.outcome(), Some(Outcome::Draw(DrawReason::FivefoldRepetition)));
    game.undo();
    assert_eq!(game.outcome(), None);
    assert_eq!(game.repetitions(), 4, "the knight on g1 again, Black to move");
}

#[test]
fn a_claim_needs_a_legal_move() {
    let mut game = Game::default();
    play(&mut game, KNIGHTS_OUT_AND_BACK);
    play(&mut game, "g1f3 g8f6 f3g1");
    let illegal = Move::new(Square::F6, Square::G7, MoveKind::Normal).expect("two squares");
    assert!(!game.can_claim_with(illegal, DrawClaim::ThreefoldRepetition));
}

#[test]
fn an_en_passant_square_nobody_can_use_makes_no_difference() {
    // No pawn beside it.
    let mut game = Game::default();
    play(&mut game, "e2e4 g8f6 g1f3 f6g8 f3g1");
    assert_eq!(game.repetitions(), 2);
    // A pawn beside it, but its capture would open the fourth rank to the rook.
    let mut game = game_from("8/8/8/8/1k2p2R/8/3P4/4K3 w - - 0 1");
    play(&mut game, "d2d4");
    assert_eq!(game.position().en_passant(), Some(Square::D3));
    assert_eq!(game.position().legal_en_passant(), None);
    let first_key = game.position().key();
    for times in 2..=3 {
        play(&mut game, "b4b3 e1f1 b3b4 f1e1");
        assert_eq!(game.repetitions(), times);
    }
    assert_ne!(game.position().key(), first_key, "the Polyglot key counts the pinned pawn");
}

#[test]
fn an_en_passant_capture_that_is_possible_makes_the_position_another() {
    let mut game = game_from("8/8/8/8/1k2p3/7R/3P4/4K3 w - - 0 1");
    play(&mut game, "d2d4");
    assert_eq!(game.position().legal_en_passant(), Some(Square::D3));
    play(&mut game, "b4b5 e1f1 b5b4 f1e1");
    assert_eq!(game.repetitions(), 1, "now the capture is no longer possible");
    play(&mut game, "b4b5 e1f1 b5b4 f1e1");
    assert_eq!(game.repetitions(), 2);
}

#[test]
fn a_lost_castling_right_makes_the_position_another() {
    let mut game = game_from("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    play(&mut game, "a1b1 a8b8 b1a1 b8a8");
    assert_eq!(game.repetitions(), 1);
    play(&mut game, "a1b1 a8b8 b1a1 b8a8");
    assert_eq!(game.repetitions(), 2);
}

#[test]
fn the_other_side_to_move_makes_the_position_another() {
    // White loses a move with the king: the same squares, Black to move.
    let mut game = game_from("8/8/8/4k3/8/8/8/R3K3 w - - 0 1");
    play(&mut game, "e1d1 e5d5 d1d2 d5e5 d2e1");
    assert_eq!(game.repetitions(), 1);
}

#[test]
fn an_irreversible_move_forgets_what_was_before() {
    let mut game = Game::default();
    play(&mut game, KNIGHTS_OUT_AND_BACK);
    play(&mut game, "e2e4 e7e5");
    assert_eq!(game.repetitions(), 1);
    play(&mut game, KNIGHTS_OUT_AND_BACK);
    assert_eq!(game.repetitions(), 2);
}

#[test]
fn a_start_with_a_high_clock_has_no_history() {
    let mut game = game_from("4k3/8/8/8/8/8/8/R3K3 w - - 90 100");
    play(&mut game, "a1a2 e8d8 a2a1 d8e8");
    assert_eq!(game.repetitions(), 2);
    assert_eq!(game.ply(), 4);
    assert_eq!(game.start().halfmove_clock(), 90);
}

#[test]
fn stalemate_is_a_draw() {
    let mut game = game_from("8/8/8/8/5k2/8/5p2/5K2 b - - 0 1");
    play(&mut game, "f4f3");
    assert_eq!(game.outcome(), Some(Outcome::Draw(DrawReason::Stalemate)));
    assert!(!game.position().is_checkmate());
}

#[test]
fn undo_restores_everything() {
    let mut random = Rng::with_seed(75);
    for _ in 0..50 {
        let mut game = Game::new(chess960_start(&mut random));
        let mut stages = Vec::new();
        while let Some(mv) = random.choice(game.position().legal_moves()).filter(|_| stages.len() < 150) {
            stages.push((game.clone(), mv));
            game.play(mv).expect("a listed move is legal");
        }
        assert!(game.moves().eq(stages.iter().map(|&(_, mv)| mv)));
        for (stage, mv) in stages.into_iter().rev() {
            assert_eq!(game.undo(), Some(mv));
            assert_eq!(game, stage);
        }
        assert_eq!(game.undo(), None);
    }
}

#[test]
fn repetition_keys_are_those_of_all_positions_played() {
    let mut game = Game::default();
    let mut position = Position::start();
    let mut keys = vec![position.repetition_key()];
    for text in "e2e4 g8f6 g1f3 f6g8 f3g1".split(' ') {
        play(&mut game, text);
        position.play_unchecked(position.parse_uci(text).expect("legal"));
        keys.push(position.repetition_key());
        assert_eq!(game.repetition_keys().collect::<Vec<_>>(), keys);
    }
    assert_eq!(game.repetition_keys().len(), game.ply() + 1);
    assert_eq!(game.repetition_keys().next_back(), Some(keys[1]), "the position after 1. e4 again");
    game.undo();
    assert!(game.repetition_keys().eq(keys[..5].iter().copied()));
}

#[test]
fn an_illegal_move_does_not_enter_the_game() {
    let mut game = Game::default();
    let illegal = Move::new(Square::E2, Square::E5, MoveKind::Normal).expect("two squares");
    assert!(game.play(illegal).is_err());
    assert_eq!(game, Game::default());
}

#[test]
fn outcomes_read_well() {
    let white = Outcome::Checkmate { winner: Color::White };
    assert_eq!((white.to_string().as_str(), white.result()), ("White wins by checkmate", "1-0"));
    assert_eq!(Outcome::Checkmate { winner: Color::Black }.result(), "0-1");
    let draw = Outcome::Draw(DrawReason::SeventyFiveMoves);
    assert_eq!((draw.to_string().as_str(), draw.result()), ("draw by the 75-move rule", "1/2-1/2"));
    assert_eq!((white.winner(), draw.winner()), (Some(Color::White), None));
}

/// Whether White, whether Black cannot mate, with any help.
#[test]
fn material_that_cannot_mate() {
    for (placement, white, black) in [
        ("8/8/1k6/8/8/4K3/8/8", true, true),
        ("8/8/1k6/8/8/4K1B1/8/8", true, true),
        ("8/8/1k6/8/8/4K1N1/8/8", true, true),
        ("8/8/1k6/8/8/4K1R1/8/8", false, true),
        ("8/8/1k6/8/8/4K1Q1/8/8", false, true),
        ("8/8/1k6/8/8/4K1P1/8/8", false, true),
        // Two knights mate if the other side helps.
        ("8/8/1k6/8/8/4KN1N/8/8", false, true),
        ("8/8/1k6/8/8/4KN1B/8/8", false, true),
        ("8/8/1k6/8/8/4K1BB/8/8", false, true),
        // Bishops on squares of one shade do not, however many and whose.
        ("8/8/1k6/8/8/4KB1B/8/8", true, true),
        ("8/8/1kb5/8/8/4K2B/8/8", true, true),
        ("8/8/1k1b4/8/8/4K2B/8/8", false, false),
        // A lone minor piece mates a king that its own pieces hem in.
        ("8/8/1kp5/8/8/4K1N1/8/8", false, false),
        ("8/8/1kn5/8/8/4K1N1/8/8", false, false),
        ("8/8/1kn5/8/8/4K2B/8/8", false, false),
        ("8/8/1kr5/8/8/4K1N1/8/8", false, false),
        ("8/8/1kq5/8/8/4K1N1/8/8", true, false),
        ("8/8/1kr5/8/8/4K2B/8/8", true, false),
        ("8/8/1kq5/8/8/4K2B/8/8", true, false),
        ("8/8/1kp5/8/8/4K2B/8/8", false, false),
    ] {
        let fen = &format!("{placement} w - - 0 1");
        let position = Position::from_fen(fen).expect(fen);
        assert_eq!(position.cannot_mate(Color::White), white, "White in {fen}");
        assert_eq!(position.cannot_mate(Color::Black), black, "Black in {fen}");
        assert_eq!(position.is_insufficient_material(), white && black, "{fen}");
        let drawn = position.outcome() == Some(Outcome::Draw(DrawReason::InsufficientMaterial));
        assert_eq!(drawn, white && black, "{fen}");
    }
}

/// A search for repetitions that looks back over the whole game must not make long games slow.
#[test]
fn six_thousand_plies_are_played_at_once() {
    const PLIES: usize = 6_000;
    let started = Instant::now();
    let mut random = Rng::with_seed(6_000);
    let mut game = game_from("r2nk2r/8/8/8/8/8/8/R2NK2R w - - 0 1");
    while game.ply() < PLIES {
        let quiet: Vec<Move> = game
            .position()
            .legal_moves()
            .into_iter()
            .filter(|mv| game.position().piece_at(mv.to()).is_none())
            .collect();
        match random.choice(quiet) {
            Some(mv) => game.play(mv).expect("a listed move is legal"),
            // Only captures are left: a step back leads elsewhere.
            None => drop(game.undo()),
        }
    }
    assert_eq!(game.position().halfmove_clock() as usize, PLIES);
    while game.undo().is_some() {}
    assert_eq!(game.position(), game.start());
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}
