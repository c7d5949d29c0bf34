//! Dead positions: the verdicts are proofs.

use std::collections::HashSet;

use ferz_board::{
    CastlingMode, Color, DeadPositionSearch, DeadPositionVerdict, DrawReason, File, Game, Outcome, Piece,
    PieceType, Position, Rank, Setup, Square, Winnability,
};

/// Positions and the sides that can mate in them.
const POSITIONS: [(&str, &str); 38] = [
    // Material.
    ("WB", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ("--", "8/3k4/8/8/8/3K4/8/8 w - - 0 1"),
    ("--", "8/3k4/8/8/8/3K1N2/8/8 b - - 0 1"),
    ("--", "8/3k1b2/8/8/8/3K1B2/8/8 w - - 0 1"),
    ("WB", "8/3kb3/8/8/8/3K1B2/8/8 w - - 0 1"),
    ("WB", "8/3kn3/8/8/8/3K1B2/8/8 w - - 0 1"),
    ("WB", "8/3kn3/8/8/8/3K1N2/8/8 w - - 0 1"),
    ("W-", "8/3k4/8/8/8/3KNN2/8/8 w - - 0 1"),
    ("W-", "8/3k4/8/8/8/3KR3/8/8 w - - 0 1"),
    ("-B", "8/3kq3/8/8/8/3KN3/8/8 w - - 0 1"),
    ("-B", "8/3kr3/8/8/8/3KB3/8/8 w - - 0 1"),
    ("WB", "8/3kr3/8/8/8/3KN3/8/8 w - - 0 1"),
    ("WB", "8/3k3p/8/8/8/3KN3/8/8 w - - 0 1"),
    ("WB", "8/3k3p/8/8/8/3KB3/8/8 w - - 0 1"),
    // Mates and stalemates on the board.
    ("W-", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"),
    ("--", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
    // Forced captures and stalemates.
    ("--", "k7/1Q6/8/8/8/8/8/7K b - - 0 1"),
    ("--", "7k/8/8/8/8/8/1r6/K7 w - - 0 1"),
    ("-B", "7k/8/8/8/8/8/1r6/K7 b - - 0 1"),
    // Walls that nothing can pass.
    ("--", "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1"),
    ("--", "4k3/8/8/1p1p1p1p/1P1P1P1P/8/8/4K3 b - - 0 1"),
    ("--", "2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 w - - 0 1"),
    ("--", "4k3/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/4K3 w - - 0 1"),
    ("--", "8/1k6/4p1p1/1p1pP1Pp/1P1P3P/8/4K3/8 w - - 0 1"),
    // Walls with a gap, or with men that can break them.
    ("WB", "4k3/8/8/p1p1p3/P1P1P3/8/8/4K3 w - - 0 1"),
    ("WB", "4k3/8/8/p1p1p1p1/P1P1P1P1/8/5N2/4K3 w - - 0 1"),
    ("WB", "4k3/3bb3/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1"),
    ("WB", "4k3/8/p7/2p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1"),
    // Men that are locked in for ever.
    ("--", "8/4k3/8/8/1p1p1p1p/1PpP1P1P/2P2K2/N7 b - - 0 1"),
    ("--", "1k6/8/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/K5B1 w - - 0 1"),
    // The king alternates between two squares and is stalemated when the other one comes near.
    ("--", "8/8/7p/5p1P/3b1p1K/5Pp1/6P1/5k2 w - - 0 1"),
    ("--", "8/b1b5/k6p/5p1P/5p2/5PpK/6P1/8 w - - 0 1"),
    // En passant opens the wall.
    ("WB", "4k3/8/8/p1pPp1p1/P1P1P1P1/8/8/4K3 w - c6 0 1"),
    // Castling rights.
    ("WB", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
    // A pawn that promotes beside its king's jailers.
    ("W-", "k7/P7/8/1P6/8/8/8/7K w - - 0 1"),
    ("--", "k7/P7/K7/8/8/8/8/8 b - - 0 1"),
    ("-B", "8/8/8/8/8/k7/p1K5/8 b - - 0 1"),
    ("WB", "8/pppppppp/8/3k4/8/3K4/PPPPPPPP/8 w - - 0 1"),
];

fn sides(position: &Position) -> String {
    let mut search = DeadPositionSearch::new();
    Color::ALL
        .map(|color| match search.winnability(position, color) {
            Winnability::Winnable(_) => color.to_char().to_ascii_uppercase(),
            Winnability::Unwinnable => '-',
            Winnability::Unknown => '?',
        })
        .iter()
        .collect()
}

#[test]
fn who_can_mate() {
    let mut wrong = Vec::new();
    for (expected, fen) in POSITIONS {
        let position = Position::from_fen(fen).unwrap();
        let found = sides(&position);
        if found != expected {
            wrong.push(format!("{fen}: {found}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn helpmates_are_legal_and_end_with_mate() {
    let mut search = DeadPositionSearch::new();
    for (expected, fen) in POSITIONS {
        let position = Position::from_fen(fen).unwrap();
        let mut alive = false;
        for color in Color::ALL {
            if let Winnability::Winnable(helpmate) = search.winnability(&position, color) {
                alive = true;
                assert_eq!(helpmate.winner, color, "{fen}");
                let mut end = position;
                helpmate.moves.iter().for_each(|&mv| end.play(mv).unwrap());
                assert!(end.is_checkmate() && end.side_to_move() != color, "{fen}");
            }
        }
        let verdict = search.verdict(&position);
        assert_eq!(verdict == DeadPositionVerdict::Dead, expected == "--", "{fen}");
        assert_eq!(verdict.name(), if alive { "alive" } else { "dead" }, "{fen}");
    }
}

#[test]
fn colours_and_sides_of_the_board_are_equal() {
    for (expected, fen) in POSITIONS {
        let position = Position::from_fen(fen).unwrap();
        let exchanged: String = sides(&position.with_colors_exchanged())
            .chars()
            .rev()
            .map(|side| match side {
                'W' => 'B',
                'B' => 'W',
                other => other,
            })
            .collect();
        assert_eq!(exchanged, expected, "{fen} with colours exchanged");
        if position.castling_rooks().is_empty() {
            assert_eq!(sides(&mirrored(&position)), expected, "{fen} in the mirror");
        }
    }
}

fn mirrored(position: &Position) -> Position {
    let mut setup = Setup::empty();
    for (square, piece) in position.board() {
        setup.board.set(square.flip_file(), Some(piece));
    }
    setup.side_to_move = position.side_to_move();
    setup.en_passant = position.legal_en_passant().map(Square::flip_file);
    Position::from_setup(&setup, CastlingMode::Standard).unwrap()
}

#[test]
fn successors_of_dead_positions_are_dead() {
    let mut search = DeadPositionSearch::new();
    for (_, fen) in POSITIONS.into_iter().filter(|&(expected, _)| expected == "--") {
        let position = Position::from_fen(fen).unwrap();
        position.for_each_child(|mv, child| {
            assert_eq!(search.verdict(child), DeadPositionVerdict::Dead, "{mv:?} in {fen}");
        });
    }
}

/// Whether a colour can mate, by visiting every position there is; `None` if there are more than this many.
fn visit_all(root: &Position, winner: Color, limit: usize) -> Option<bool> {
    let mut seen = HashSet::from([root.key128()]);
    let mut open = vec![*root];
    while let Some(position) = open.pop() {
        if position.is_checkmate() && position.side_to_move() != winner {
            return Some(true);
        }
        position.for_each_child(|_, child| {
            if seen.insert(child.key128()) {
                open.push(*child);
            }
        });
        if seen.len() > limit {
            return None;
        }
    }
    Some(false)
}

/// Kings on their sides of a wall of blocked pawns, which may have a gap, and perhaps one more man.
fn random_wall(rng: &mut fastrand::Rng) -> Option<Position> {
    let mut setup = Setup::empty();
    let first = rng.usize(..2);
    let mut rank = rng.usize(2..5);
    for file in File::ALL.into_iter().skip(first).step_by(2) {
        // Neighbours may stand one rank apart.
        rank = (rank + rng.usize(..3)).clamp(2, 5) - usize::from(rank > 1);
        if rng.u8(..16) > 0 {
            setup.board.set(Square::from_coords(file, Rank::ALL[rank]), Some(Piece::WhitePawn));
            setup.board.set(Square::from_coords(file, Rank::ALL[rank + 1]), Some(Piece::BlackPawn));
        }
    }
    let extra = [Piece::WhiteBishop, Piece::BlackBishop, Piece::WhiteKnight, Piece::BlackPawn];
    let extra = rng.choice(extra).filter(|_| rng.u8(..4) > 0);
    for piece in [Piece::WhiteKing, Piece::BlackKing].into_iter().chain(extra) {
        let ranks = if piece.color() == Color::White { 0..2 } else { 6..8 };
        let is_free = |&square: &Square| {
            ranks.contains(&square.rank().index())
                && setup.board.piece_at(square).is_none()
                && !(piece.piece_type() == PieceType::Pawn && square.rank() == Rank::Eighth)
        };
        let free: Vec<_> = Square::ALL.into_iter().filter(is_free).collect();
        setup.board.set(rng.choice(free)?, Some(piece));
    }
    setup.side_to_move = rng.choice(Color::ALL)?;
    Position::from_setup(&setup, CastlingMode::Standard).ok()
}

/// Kings and up to three other men anywhere.
fn random_ending(rng: &mut fastrand::Rng) -> Option<Position> {
    let mut setup = Setup::empty();
    let men = (0..rng.usize(1..4)).filter_map(|_| rng.choice(Piece::ALL));
    let men: Vec<_> = men.filter(|piece| piece.piece_type() != PieceType::King).collect();
    for piece in [Piece::WhiteKing, Piece::BlackKing].into_iter().chain(men) {
        setup.board.set(rng.choice(Square::ALL)?, Some(piece));
    }
    setup.side_to_move = rng.choice(Color::ALL)?;
    Position::from_setup(&setup, CastlingMode::Standard).ok()
}

#[test]
fn dead_walls_agree_with_exhaustive_search() {
    let mut rng = fastrand::Rng::with_seed(17);
    let mut search = DeadPositionSearch::new();
    let mut decided = 0;
    for _ in 0..150 {
        let Some(position) = random_wall(&mut rng) else { continue };
        for color in Color::ALL {
            let Some(can_mate) = visit_all(&position, color, 5_000) else { continue };
            let expected = if can_mate { "winnable" } else { "unwinnable" };
            let answer = match search.winnability(&position, color) {
                Winnability::Winnable(_) => "winnable",
                Winnability::Unwinnable => "unwinnable",
                Winnability::Unknown => "unknown",
            };
            assert_eq!(answer, expected, "{color} in {position}");
            decided += 1;
        }
    }
    assert!(decided > 50, "{decided}");
}

/// What random games end in is possible.
#[test]
fn mates_of_random_games_are_not_excluded() {
    let mut rng = fastrand::Rng::with_seed(18);
    let mut search = DeadPositionSearch::new();
    let mut mates = 0;
    for number in 0..2_000 {
        let start = if number % 2 == 0 { random_ending(&mut rng) } else { random_wall(&mut rng) };
        let Some(start) = start else { continue };
        for _ in 0..10 {
            let mut line = vec![start];
            for _ in 0..60 {
                let Some(&mv) = rng.choice(line[line.len() - 1].legal_moves().as_slice()) else { break };
                let mut next = line[line.len() - 1];
                next.play_unchecked(mv);
                line.push(next);
            }
            let end = line[line.len() - 1];
            if end.is_checkmate() {
                mates += 1;
                for position in line {
                    let answer = search.winnability(&position, !end.side_to_move());
                    assert_ne!(answer, Winnability::Unwinnable, "{end} follows {position}");
                }
            }
        }
    }
    assert!(mates > 20, "{mates}");
}

#[test]
fn any_effort_is_bounded() {
    let wall = Position::from_fen("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1").unwrap();
    let start = Position::start();
    // The analysis alone proves walls. A helpmate needs nodes.
    assert_eq!(DeadPositionSearch::new().nodes(0).verdict(&wall), DeadPositionVerdict::Dead);
    for nodes in [0, 1, 2] {
        let mut search = DeadPositionSearch::new().nodes(nodes);
        assert_eq!(search.verdict(&start), DeadPositionVerdict::Unknown);
        assert!(search.searched() <= 2 * nodes.max(1));
        assert!(search.wins_on_time(&start, Color::Black), "what is not known does not take the win away");
    }
    let mut search = DeadPositionSearch::new().nodes(u64::MAX);
    assert_eq!(search.verdict(&wall), DeadPositionVerdict::Dead);
    assert_eq!(search.verdict(&start).name(), "alive");
    // One search answers many questions, and each as if it were the first.
    let searched = search.searched();
    let _ = search.verdict(&wall);
    let _ = search.verdict(&start);
    assert_eq!(search.searched(), searched);
}

#[test]
fn games_end_in_dead_positions_on_request() {
    let mut search = DeadPositionSearch::new();
    let mut game = Game::new(Position::from_fen("4k3/8/8/p1p1p3/P1P1P3/8/8/4K3 w - - 0 1").unwrap());
    assert_eq!(game.outcome_with(&mut search), None);
    let wall = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1";
    game = Game::new(Position::from_fen(wall).unwrap());
    assert_eq!(game.outcome(), None);
    let outcome = game.outcome_with(&mut search);
    assert_eq!(outcome, Some(Outcome::Draw(DrawReason::DeadPosition)));
    assert_eq!(outcome.map(Outcome::name), Some("dead-position"));
    // Rules that need no search come first.
    game = Game::new(Position::from_fen("8/3k4/8/8/8/3K4/8/8 w - - 0 1").unwrap());
    assert_eq!(game.outcome_with(&mut search), Some(Outcome::Draw(DrawReason::InsufficientMaterial)));
    assert!(!search.wins_on_time(&Position::from_fen(wall).unwrap(), Color::White));
}
