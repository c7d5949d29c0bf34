//! Positions with known reasons, and facts about random moves checked with an independent board.

mod judged;
mod referee;

use ferz_board::{Color, PieceType, Position, Square};
use ferz_notation::san;
use ferz_search::{Engine, Limits, Signals};

use super::*;

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn man(piece: PieceType, square: Square) -> PlacedPiece {
    PlacedPiece { piece, square }
}

fn explained(fen: &str, asked: Option<&str>) -> Explanation {
    explained_within(30_000, fen, asked)
}

fn explained_within(nodes: u64, fen: &str, asked: Option<&str>) -> Explanation {
    let position = position(fen);
    let asked = asked.map(|text| san::parse(&position, text).expect("a legal move"));
    let limits = Limits::default().nodes(nodes);
    let mut engine = Engine::new(8).expect("memory");
    explain(&mut engine, &position, asked, &limits, &Signals::new()).expect("there is a move")
}

fn text(explanation: &Explanation) -> String {
    explanation.paragraphs().join("\n")
}

#[track_caller]
fn assert_says(explanation: &Explanation, parts: &[&str]) {
    let text = text(explanation);
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}

#[test]
fn a_fork() {
    let fork = explained("3q3k/6pp/8/4N3/8/8/6PP/6K1 w - - 0 1", None);
    let targets = vec![man(PieceType::Queen, Square::D8), man(PieceType::King, Square::H8)];
    assert_eq!(fork.best.facts, [Fact::Check, Fact::Forks { targets }]);
    assert_says(
        &fork,
        &["The best move is Nf7+ (+", "forks the queen on d8 and the king on h8", "has won a queen"],
    );
    // The queen would fork, too.
    assert_says(&fork, &["If White did nothing, Black would play Qd4+"]);
}

#[test]
fn a_pin() {
    let pin = explained("4k3/pppp1ppp/8/4q3/8/8/PPP2PPP/R4K2 w - - 0 1", None);
    let pinned = man(PieceType::Queen, Square::E5);
    assert!(pin.best.facts.contains(&Fact::PinsToKing { pinned }), "{:?}", pin.best.facts);
    assert_says(
        &pin,
        &["The best move is Re1", "pins the queen on e5 to the king", "White has won a queen for a rook"],
    );
}

#[test]
fn a_back_rank_mate() {
    let mate = explained("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", Some("Kf1"));
    assert_eq!(mate.best.facts, [Fact::Checkmate, Fact::BackRankMate]);
    assert_says(
        &mate,
        &[
            "Rd8# (White mates in 1). It is a back-rank mate.",
            "Kf1 is an inaccuracy (",
            "): it misses mate in 1.",
        ],
    );

    let greed = explained("6k1/3r1ppp/8/8/8/7N/n4PPP/R5K1 w - - 0 1", Some("Rxa2"));
    let asked = greed.asked.as_ref().expect("asked about");
    assert!(matches!(
        asked.verdict,
        Verdict::Other { judgement: Judgement::Blunder, remark: Some(Remark::AllowsMate(1)), .. }
    ));
    let (_, _, facts) = asked.answer.as_ref().expect("an answer");
    assert_eq!(facts, &[Fact::Checkmate, Fact::BackRankMate]);
    assert_says(
        &greed,
        &[
            "Rxa2 is a blunder (Black mates in 1): it allows mate in 1.",
            "Black's best answer is Rd1#, which is a back-rank mate.",
        ],
    );
}

#[test]
fn a_threat_of_mate() {
    let threatened =
        explained("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3", Some("h6"));
    let threat = threatened.threat.as_ref().expect("Qxf7");
    assert!(threat.facts.contains(&Fact::Checkmate));
    assert_says(
        &threatened,
        &["If Black did nothing, White would play Qxf7# (White mates in 1).", "h6 is a blunder"],
    );
    assert_says(&threatened, &["h6 is a blunder (White mates in 1): it allows mate in 1."]);
    let meets = san::parse(&threatened.position, "Nf6").expect("legal");
    let shield = Fact::Shields { man: man(PieceType::Pawn, Square::F7) };
    assert!(facts(&threatened.position, meets).contains(&shield));
}

#[test]
fn a_hanging_piece() {
    let hanging = explained("4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1", Some("Kf2"));
    let free = Fact::Captures { victim: man(PieceType::Knight, Square::D5), is_free: true };
    assert_eq!(hanging.best.facts[0], free);
    assert_says(&hanging, &["Rxd5", "captures the knight on d5 (no recapture)", "has won a knight"]);
    let Some(Verdict::Other { judgement, .. }) = hanging.asked.as_ref().map(|asked| asked.verdict) else {
        panic!("another move than the best")
    };
    assert!(judgement.is_error(), "{}", text(&hanging));
}

fn facts_of(fen: &str, mv: &str) -> Vec<Fact> {
    let position = position(fen);
    facts(&position, san::parse(&position, mv).unwrap_or_else(|error| panic!("{fen}: {error}")))
}

#[test]
fn a_trapped_piece() {
    let trap = explained("3r2k1/B1p2ppp/1p6/8/8/7P/5PP1/6K1 b - - 0 1", None);
    let target = man(PieceType::Bishop, Square::A7);
    assert!(trap.best.facts.contains(&Fact::Traps { target }), "{}", text(&trap));
    assert_says(&trap, &["The best move is Ra8", "traps the bishop on a7", "Black has won a bishop"]);
}

#[test]
fn a_promotion_race() {
    let race = explained("8/1P5k/8/8/8/p7/7K/8 w - - 0 1", Some("Kg3"));
    assert_eq!(race.best.facts[0], Fact::Promotes { to: PieceType::Queen });
    assert_says(&race, &["The best move is b8=Q", "promotes to a queen"]);
    let step = facts_of("8/8/1P5k/8/8/p7/7K/8 w - - 0 1", "b7");
    assert!(step.contains(&Fact::AdvancesPassedPawn { square: Square::B7, steps_left: 1 }), "{step:?}");
    let passed = facts_of("4k3/8/8/1p1p4/2P5/8/8/4K3 w - - 0 1", "cxb5");
    assert!(!passed.iter().any(|fact| matches!(fact, Fact::AdvancesPassedPawn { .. })), "{passed:?}");
    assert!(passed.contains(&Fact::MakesPassedPawn { square: Square::B5 }), "{passed:?}");
}

#[test]
fn stalemate_is_a_trick_and_a_blunder() {
    let trick = explained("k7/8/8/8/8/1q6/6R1/K7 w - - 0 1", None);
    assert!((0.3..=0.7).contains(&trick.best.line.assessment.expected_score(Color::White)));
    let blunder = explained("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", Some("Kg6"));
    let asked = blunder.asked.as_ref().expect("asked about");
    assert_eq!((asked.choice.facts.as_slice(), &asked.answer.is_none()), (&[Fact::Stalemate][..], &true));
    assert_says(
        &blunder,
        &[
            "Kg6 is stalemate: Black has no legal move and is not in check.",
            "It is a blunder.",
            " was mate in ",
        ],
    );
    // The position of a new user who had pressed Qf7.
    let missed = explained("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", Some("Qf7"));
    assert_says(&missed, &["Qf7 is stalemate: Black has no legal move", "Qf8# was mate."]);
}

/// A search of all moves overlooks the win, a search of the move alone finds it. Then that move is the best.
#[test]
fn a_move_that_turns_out_better_is_the_best() {
    let zugzwang = explained("8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1", Some("Rf1"));
    assert_eq!(zugzwang.asked.as_ref().map(|asked| asked.verdict), Some(Verdict::Best));
    assert_says(&zugzwang, &["The best move is Rf1", "Rf1 is the best move."]);
}

/// A lost tempo is worse, but it is not a threat.
#[test]
fn a_tempo_is_no_threat() {
    let opening = explained("r1bqkbnr/pp1ppppp/2n5/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", None);
    assert!(opening.threat.is_none(), "{}", text(&opening));
}

#[test]
fn a_quiet_move_is_compared_with_the_best() {
    let quiet = explained("r4rk1/ppp2ppp/8/8/8/8/PPP2PPP/R4RK1 w - - 0 1", Some("h3"));
    let file = ferz_board::File::D;
    assert!(
        facts_of("r4rk1/ppp2ppp/8/8/8/8/PPP2PPP/R4RK1 w - - 0 1", "Rad1")
            .contains(&Fact::TakesOpenFile { file })
    );
    let settled = quiet.best.line.settled.as_ref().expect("nothing hangs");
    assert_eq!(settled.worth(), 0, "{}", text(&quiet));
    let opening = explained("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", Some("f3"));
    assert_says(&opening, &["f3 is an inaccuracy ("]);
    let verdict = opening.asked.as_ref().map(|asked| asked.verdict);
    assert!(matches!(verdict, Some(Verdict::Other { loss, .. }) if loss > 0.02), "{verdict:?}");
    assert!(opening.threat.is_none());
}

#[test]
fn other_deeds() {
    for (fen, mv, words) in [
        ("4k3/8/8/4N3/8/8/8/K3R3 w - - 0 1", "Nc6+", "uncovers a check by the rook on e1"),
        ("4k3/8/8/8/4N3/8/8/K3R3 w - - 0 1", "Nf6+", "gives double check"),
        ("6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - 0 1", "Rd1", "threatens mate with Rd8#"),
        ("3qk3/8/8/8/8/3N4/8/K2R4 w - - 0 1", "Nf4", "opens the line of the rook on d1 to the queen on d8"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O-O", "castles on the queen's side"),
        ("4k3/8/2p5/8/8/2N5/8/4K3 w - - 0 1", "Nd5", "offers the knight on d5"),
        ("4q3/8/8/4k3/8/8/8/K6R w - - 0 1", "Re1+", "skewers the king on e5 and the queen on e8"),
        ("3qk3/8/5n2/8/8/8/8/K1B5 w - - 0 1", "Bg5", "pins the knight on f6 to the queen on d8"),
        ("r2qk2r/8/2n5/8/4B3/8/8/3QK3 w - - 0 1", "Bxc6+", "captures the knight on c6 (no recapture)"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "exd6", "captures the pawn on d5 (no recapture)"),
        ("4k3/8/4p3/3b4/8/2N5/8/4K3 w - - 0 1", "Nxd5", "trades the knight for the bishop"),
        ("4k3/8/8/4r3/8/3P4/4N3/4K3 b - - 0 1", "Rd5", "threatens to win the pawn on d3"),
        ("4k3/8/8/8/7b/8/5N2/4K2R b - - 0 1", "Bxf2+", "captures the knight on f2"),
        (
            "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 1",
            "g6",
            "attacks the queen on h5",
        ),
        ("4k3/8/8/8/3n4/8/4P3/3RK3 w - - 0 1", "e3", "attacks the knight on d4"),
        ("7k/8/8/8/2b5/8/4R3/4K3 w - - 0 1", "Rd2", "brings the rook from e2 to safety"),
        ("4k3/8/8/3r4/8/3N4/8/K4R2 w - - 0 1", "Rf3", "protects the knight on d3"),
        ("r4r1k/6pp/8/6N1/8/8/6PP/6K1 w - - 0 1", "Nf7+", "gives check"),
        ("6rk/6pp/7N/8/8/8/6PP/6K1 w - - 0 1", "Nf7#", "is a smothered mate"),
        (
            "6k1/5pp1/5n1p/3b2B1/8/8/5PPP/3R2K1 w - - 0 1",
            "Bxf6",
            "removes the knight that protected the bishop on d5",
        ),
        ("8/8/8/4k3/8/8/3KP3/8 w - - 0 1", "Ke3", "takes the opposition"),
        ("4k3/8/8/8/8/8/P7/3K4 w - - 0 1", "Ke2", "takes the distant opposition"),
        ("6k1/8/8/8/3P4/3N4/8/6K1 w - - 0 1", "Ne5", "places the knight on an outpost on e5"),
        ("3r2k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - 0 1", "h3", "gives the king an escape square on h2"),
        ("6k1/pp3ppp/8/8/8/8/PP3PPP/2R3K1 w - - 0 1", "Rc7", "brings the rook to the seventh rank"),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "e4",
            "occupies the centre with a pawn on e4",
        ),
        (
            "rn1qkbnr/ppp2p1p/3p2p1/4p3/2B1P1b1/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 5",
            "Nxe5",
            "offers the queen on d1",
        ),
    ] {
        let found: Vec<_> = facts_of(fen, mv).iter().map(Fact::words).collect();
        assert!(found.iter().any(|it| it == words), "{fen} {mv}: {words:?} is not in {found:?}");
    }
}

#[test]
fn the_next_moves_show_a_deflection() {
    let position = position("3r2k1/5pp1/7p/3q4/8/8/5PPP/3QR1K1 w - - 0 1");
    let line = ferz_notation::line::parse_uci(&position, ["e1e8", "d8e8", "d1d5"]).expect("legal");
    let (defender, target) = (man(PieceType::Rook, Square::D8), man(PieceType::Queen, Square::D5));
    let deflection = Fact::Deflects { defender, target };
    assert_eq!(line_facts(&position, &line), std::slice::from_ref(&deflection));
    assert_eq!(deflection.words(), "lures the rook on d8 away from the queen on d5");
    assert!(referee::confirms_line(&position, &line, &deflection));
    let declined = ferz_notation::line::parse_uci(&position, ["e1e8", "g8h7", "d1d5"]).expect("legal");
    assert_eq!(line_facts(&position, &declined), []);
}

#[test]
fn the_obvious_reply_is_refuted() {
    let legal = explained_within(300_000, LEGAL, Some("Nxe5"));
    assert_says(&legal, &["offers the queen on d1", "If 5… Bxd1, then 6. Bxf7+ Ke7 7. Nd5# mates."]);
}

#[test]
fn a_piece_that_is_trapped_where_it_went_has_not_escaped() {
    let scandinavian = "rnb1kbnr/ppp1pppp/8/3q4/8/2N5/PPPP1PPP/R1BQKBNR b KQkq - 1 3";
    let [best, asked, ..] = &explained(scandinavian, Some("Qc6")).paragraphs()[..] else {
        panic!("two moves")
    };
    assert!(best.contains("to safety"), "{best}");
    assert!(asked.contains("after Bb5") && !asked.contains("to safety"), "{asked}");
}

/// Légal's mate.
const LEGAL: &str = "rn1qkbnr/ppp2p1p/3p2p1/4p3/2B1P1b1/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 5";

/// With an empty transposition table of any size, also where a search of a fiftieth of a second prefers another move.
#[test]
fn a_cold_table_does_not_change_the_best_move() {
    let position = position("r1b1rnk1/1p4pp/p1p2p2/3pN2n/3P1PPq/2NBPR1P/PPQ5/2R3K1 w - - 0 1");
    let best = san::parse(&position, "Bxh7+").expect("legal");
    let limits = Limits::default().nodes(800_000);
    let signals = Signals::new();
    for hash in 1..=8 {
        let mut engine = Engine::new(hash).expect("memory");
        let choice = Explainer::new(&mut engine, &limits, &signals).choose(&position, None);
        assert_eq!(choice.map(|choice| choice.mv), Some(best), "{hash} MiB");
    }
}

/// The analysis beside the explanation prefers h3, which a short search does not.
#[test]
fn a_known_line_is_explained() {
    let position = position("r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8");
    let h3 = san::parse(&position, "h3").expect("legal");
    let mut engine = Engine::new(4).expect("memory");
    let (limits, signals) = (Limits::default().nodes(5_000), Signals::new());
    let only = limits.clone().search_moves([h3]);
    let game = ferz_board::Game::new(position);
    let found = engine.search(&game, &only, &Default::default(), &signals, &mut |_| {});
    let known = [KnownLine { position, line: found.lines[0].clone() }];
    let explained = Explainer::new(&mut engine, &limits, &signals).known(&known).explain(&position, None);
    let explained = explained.expect("not stopped");
    assert_eq!((explained.best.mv, explained.best.line.assessment.score), (h3, found.lines[0].score));

    // The move played and the position after it agree as well.
    let mut after = position;
    after.play_unchecked(h3);
    let mut explainer = Explainer::new(&mut engine, &limits, &signals).known(&known);
    let next = explainer.explain(&after, None).expect("not stopped");
    let played = explainer.explain_played(&position, h3, Some(&next), None).expect("not stopped");
    let asked = played.asked.expect("asked about");
    assert_eq!(asked.choice.line.moves[1], next.best.mv);
    assert_eq!(asked.choice.line.assessment.score, next.best.line.assessment.score);
}

#[test]
fn a_move_that_ended_the_game_is_explained() {
    let mut engine = Engine::new(1).expect("memory");
    let (limits, signals) = (Limits::default().nodes(5_000), Signals::new());
    let mut explain_end = |fen: &str, mv: &str, outcome: Option<Outcome>| {
        let position = position(fen);
        let mv = san::parse(&position, mv).expect("legal");
        let mut after = position;
        after.play_unchecked(mv);
        let outcome = outcome.or(after.outcome());
        let mut explainer = Explainer::new(&mut engine, &limits, &signals);
        let played = explainer.explain_played(&position, mv, None, outcome).expect("not stopped");
        played.about_asked(played.asked.as_ref().expect("asked about"), LineDisplay::BesideText)
    };
    let mate = explain_end("6rk/6pp/7N/8/8/8/6PP/6K1 w - - 0 1", "Nf7#", None);
    assert_eq!(mate, "Nf7# is checkmate: White wins. It is a smothered mate.");
    let stalemate = explain_end("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "Qf7", None);
    assert!(stalemate.ends_with("The game is drawn. It is a blunder. Qf8# was mate."), "{stalemate}");
    let bare = explain_end("8/8/8/8/8/4K3/4p3/7k w - - 0 1", "Kxe2", None);
    assert!(
        bare.starts_with("After Kxe2 the game is over: draw by insufficient material. There was no"),
        "{bare}"
    );
    let repeated = explain_end(
        "8/8/8/4k3/4p3/4K3/8/8 w - - 0 1",
        "Kd2",
        Some(Outcome::Draw(ferz_board::DrawReason::FivefoldRepetition)),
    );
    assert!(repeated.starts_with("After Kd2 the game is over: draw by fivefold repetition."), "{repeated}");
}

/// Positions of random games, each with a legal move.
fn random_positions(games: usize, plies: usize) -> Vec<(Position, Move)> {
    let mut seed = 0x5eed_u64;
    let mut random = move |bound: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % bound
    };
    let mut positions = Vec::new();
    for _ in 0..games {
        let mut position = Position::start();
        for _ in 0..random(plies) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random(moves.len())];
            positions.push((position, mv));
            position.play_unchecked(mv);
        }
    }
    positions
}

#[track_caller]
fn assert_true(position: &Position, mv: Move, facts: &[Fact]) {
    for fact in facts {
        assert!(referee::confirms(position, mv, fact), "{position} {mv:?}: {}", fact.words());
    }
}

/// Everything that is said about a move and its line, checked with the board of shakmaty.
#[track_caller]
fn assert_confirmed(choice: &ExplainedMove) {
    let ExplainedMove { position, line, facts, .. } = choice;
    for fact in facts {
        assert!(referee::confirms_line(position, &line.moves, fact), "{position}: {}", fact.words());
    }
    assert_balanced(position, line);
    let Some(settled) = &line.settled else { return };
    let mut end = *position;
    line.moves[..settled.plies].iter().for_each(|&mv| end.play(mv).expect("the line is legal"));
    for change in &settled.changes {
        assert!(referee::confirms_change(position, &end, change), "{position}: {}", change.words());
    }
}

/// Every fact about every move of random games, checked with the board of shakmaty.
#[test]
fn every_claim_is_true() {
    let mut seen = std::collections::BTreeMap::new();
    for (position, mv) in random_positions(150, 160) {
        let facts = facts(&position, mv);
        assert_true(&position, mv, &facts);
        for fact in facts {
            let name = format!("{fact:?}").split([' ', '{']).next().unwrap_or_default().to_owned();
            *seen.entry(name).or_insert(0) += 1;
        }
    }
    // Castling, stalemate and the like are rare in random games, but nearly every kind of fact must occur.
    assert!(seen.len() >= 20, "{seen:?}");
    assert!(seen.values().sum::<i32>() > 5_000, "{seen:?}");
}

/// The material that a line wins, counted in the letters of the FEN.
#[track_caller]
fn assert_balanced(start: &Position, line: &ExpectedLine) {
    let Some(settled) = &line.settled else { return };
    let mut end = *start;
    for &mv in &line.moves[..settled.plies] {
        end.play(mv).expect("the line is legal");
    }
    let lead = |position: &Position, letter: char| {
        let fen = position.to_string();
        let count =
            |letter: char| fen.chars().take_while(|&c| c != ' ').filter(|&c| c == letter).count() as i32;
        let lead = count(letter.to_ascii_uppercase()) - count(letter);
        if start.side_to_move() == Color::White { lead } else { -lead }
    };
    for (letter, change) in ['p', 'n', 'b', 'r', 'q'].into_iter().zip(settled.material) {
        assert_eq!(lead(&end, letter) - lead(start, letter), change, "{start}: {letter}");
    }
}

#[test]
fn explanations_of_random_positions_are_true() {
    let limits = Limits::default().nodes(500);
    let positions = random_positions(12, 160);
    let mut engine = Engine::new(1).expect("memory");
    let mut explain = |(position, mv)| explain(&mut engine, &position, Some(mv), &limits, &Signals::new());
    let explained: Vec<_> = positions.into_iter().filter_map(&mut explain).collect();
    assert!(explained.len() > 300, "{}", explained.len());
    let mut threats = 0;
    for explanation in explained {
        let Explanation { best, asked, threat, .. } = &explanation;
        let asked = asked.as_ref().expect("asked about");
        for choice in [best, &asked.choice].into_iter().chain(threat) {
            assert_confirmed(choice);
        }
        if let Some((position, mv, facts)) = &asked.answer {
            assert_true(position, *mv, facts);
        }
        threats += usize::from(threat.is_some());
        let paragraphs = explanation.paragraphs();
        assert!(paragraphs.iter().all(|it| it.ends_with(['.', '…']) && !it.contains("  ")), "{paragraphs:?}");
    }
    assert!(threats > 30, "{threats}");
}

#[test]
fn endgame_knowledge_is_named() {
    let draw = explained("7k/8/8/8/7P/4K3/4B3/8 w - - 0 1", None);
    assert!(draw.paragraphs()[0].starts_with("Known draw: wrong bishop. "), "{:?}", draw.paragraphs());
    // The king takes the last pawn, and bishop and knight mate a bare king.
    let line = explained("8/8/8/4k3/8/8/p1N5/K5B1 w - - 0 1", None);
    assert!(line.best.line.rule.is_some(), "{:?}", line.best);
    let text = line.paragraphs().concat();
    assert!(text.contains("At the end of the line: "), "{text}");
}
