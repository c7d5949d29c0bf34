//! Every line that a search reports can be played, and ends where the game does.

use fastrand::Rng;
use ferz_board::{Game, Position};
use ferz_search::{Engine, SearchOptions};

use crate::referee::{Referee, check};
use crate::runs::{depth, engine, lines, nodes, run, shared};
use crate::sample::{at, chess960_start, game, random_game, repeat, with_clock};

/// Searches with random limits.
fn search_and_check(engine: &mut Engine, game: &Game, random: &mut Rng) {
    let limits = match random.usize(..3) {
        0 => depth(1 + random.usize(..7) as u32),
        _ => nodes(500 + random.usize(..5500) as u64),
    };
    let options = lines(1 + random.usize(..5));
    let played: Vec<_> = game.moves().collect();
    let what = format!("{} {played:?} {limits:?} {options:?}", game.start());
    check(game, &run(engine, game, &limits, &options), &options, &what);
}

#[test]
fn of_random_standard_games() {
    let _shared = shared();
    let mut random = Rng::with_seed(3);
    let mut engine = engine();
    for _ in 0..250 {
        let plies = random.usize(..140);
        let game = random_game(Position::start(), plies, &mut random);
        search_and_check(&mut engine, &game, &mut random);
    }
}

#[test]
fn of_random_chess960_games() {
    let _shared = shared();
    let mut random = Rng::with_seed(960);
    let mut engine = engine();
    for _ in 0..200 {
        let start = chess960_start(&mut random);
        let plies = random.usize(..60);
        let game = random_game(start, plies, &mut random);
        search_and_check(&mut engine, &game, &mut random);
    }
}

#[test]
fn with_two_threads() {
    let _shared = shared();
    let mut random = Rng::with_seed(5);
    let mut engine = engine();
    engine.set_threads(2).unwrap();
    for _ in 0..150 {
        let start = if random.usize(..2) == 0 { Position::start() } else { chess960_start(&mut random) };
        let plies = random.usize(..120);
        let game = random_game(start, plies, &mut random);
        search_and_check(&mut engine, &game, &mut random);
    }
}

/// Few pieces, so that lines come to mates, stalemates, promotions and bare kings.
const ENDINGS: [&str; 12] = [
    "8/8/8/4k3/8/8/3QK3/8 w - - 0 1",
    "8/8/8/8/4k3/8/8/R3K2R w KQ - 0 1",
    "8/8/2k5/8/8/3BBK2/8/8 w - - 0 1",
    "8/8/8/3k4/8/2NB4/8/K7 b - - 0 1",
    "8/4k3/8/4P3/4K3/8/8/8 w - - 0 1",
    "4k3/4P3/3K4/8/8/8/8/8 w - - 0 1",
    "7k/5Q2/8/6K1/8/8/8/8 b - - 0 1",
    "k7/2Q5/8/1K6/8/8/8/8 w - - 0 1",
    "8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1",
    "8/8/8/8/8/1k6/p7/K7 w - - 0 1",
    "8/8/1p6/8/P7/k7/8/K7 w - - 0 1",
    "8/8/8/8/5kp1/8/6P1/5BK1 b - - 0 1",
];

#[test]
fn of_endings() {
    let _shared = shared();
    let mut random = Rng::with_seed(7);
    let mut engine = engine();
    for round in 0..10 {
        for fen in ENDINGS {
            let game = random_game(at(fen), round, &mut random);
            search_and_check(&mut engine, &game, &mut random);
        }
    }
}

/// Games in which the position on the board has been there before, once or twice.
#[test]
fn after_repetitions() {
    let _shared = shared();
    let mut random = Rng::with_seed(11);
    let mut engine = engine();
    let mut repeated = [0; 4];
    for index in 0..200 {
        let start = if index % 4 == 0 { at(ENDINGS[index / 4 % 5]) } else { Position::start() };
        let mut game = random_game(start, index % 37, &mut random);
        for _ in 0..1 + index % 2 {
            repeat(&mut game, &mut random);
        }
        // Not always where it began.
        if index % 3 == 0
            && let Some(mv) = random.choice(game.position().legal_moves())
        {
            game.play(mv).unwrap();
        }
        repeated[game.repetitions().min(3) as usize] += 1;
        search_and_check(&mut engine, &game, &mut random);
    }
    assert!(repeated[2] > 30 && repeated[3] > 30, "{repeated:?}");
}

#[test]
fn near_the_fifty_move_rule() {
    let _shared = shared();
    let mut random = Rng::with_seed(13);
    let mut engine = engine();
    for index in 0..240 {
        let base = if index % 2 == 0 {
            at(ENDINGS[index / 2 % ENDINGS.len()])
        } else {
            *random_game(Position::start(), 20 + index % 80, &mut random).position()
        };
        let game = Game::new(with_clock(&base, 90 + index as u32 % 12));
        search_and_check(&mut engine, &game, &mut random);
    }
}

/// A search that ends before it knows anything still has a legal move, and neither a line nor a made-up score.
#[test]
fn of_searches_that_hardly_begin() {
    let _shared = shared();
    let mut random = Rng::with_seed(17);
    let mut engine = engine();
    for limit in 0..120 {
        let plies = random.usize(..60);
        let game = random_game(Position::start(), plies, &mut random);
        for count in [1, 4] {
            let what = format!("{} with {limit} nodes and {count} lines", game.position());
            check(&game, &run(&mut engine, &game, &nodes(limit), &lines(count)), &lines(count), &what);
        }
    }
}

/// Lines that the nodes did not suffice for are left out. They are not draws.
#[test]
fn lines_that_were_not_searched_are_missing() {
    let _shared = shared();
    let game = game("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", &[]);
    let found = |limit| run(&mut engine(), &game, &nodes(limit), &lines(3)).conclusion;
    let none = found(0);
    assert!(none.best.is_some() && none.lines.is_empty(), "{none:?}");
    let few = found(20);
    assert!((1..3).contains(&few.lines.len()), "{few:?}");
    for limit in 0..200 {
        let conclusion = found(limit);
        assert!(conclusion.lines.iter().all(|line| line.depth >= 1), "{conclusion:?}");
    }
    assert_eq!(found(2_000).lines.len(), 3);
}

/// The engine plays itself and keeps its transposition table, so that lines contain old entries.
#[test]
fn of_whole_games() {
    let _shared = shared();
    let mut engine = Engine::new(1).unwrap();
    for fen in ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", ENDINGS[3], ENDINGS[4]] {
        let mut game = game(fen, &[]);
        for _ in 0..150 {
            let run = run(&mut engine, &game, &nodes(3_000), &SearchOptions::default());
            let played: Vec<_> = game.moves().collect();
            check(&game, &run, &SearchOptions::default(), &format!("{fen} {played:?}"));
            let Some(best) = run.conclusion.best else { break };
            game.play(best).unwrap();
        }
    }
}

/// No answer is expected to a move that ends the game.
#[test]
fn nobody_ponders_after_the_end() {
    let _shared = shared();
    let games = [
        game("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", &[]),
        game("8/8/8/8/8/4k3/1q6/K7 w - - 0 1", &[]),
        game("4k3/5R2/8/8/1R6/8/6K1/8 w - - 99 100", &[]),
        game("8/8/8/3k4/8/8/8/K6R w - - 0 1", &["h1h2", "d5d4", "h2h1", "d4d5", "h1h2", "d5d4", "h2h1"]),
    ];
    for game in games {
        let mut engine = engine();
        for plies in 1..8 {
            let run = run(&mut engine, &game, &depth(plies), &SearchOptions::default());
            let mut referee = Referee::new(&game);
            assert!(referee.play(run.conclusion.best.unwrap()));
            assert!(
                referee.end().is_none() || run.conclusion.ponder.is_none(),
                "{}: {run:?}",
                game.position()
            );
        }
    }
}

#[test]
fn lines_do_not_depend_on_who_listens() {
    let _shared = shared();
    let limits = nodes(5_000).search_moves(Vec::new());
    let silent = engine().search(
        &Game::default(),
        &limits,
        &SearchOptions::default(),
        &ferz_search::Signals::new(),
        &mut |_| {},
    );
    let heard = run(&mut engine(), &Game::default(), &limits, &SearchOptions::default());
    assert_eq!(silent.nodes, heard.conclusion.nodes);
    assert_eq!(silent.lines[0].moves, heard.conclusion.lines[0].moves);
}
