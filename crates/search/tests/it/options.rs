//! Settings of a search: moves, lines, hash, threads, strength.

use fastrand::Rng;
use ferz_board::{Game, Move, Position};
use ferz_search::{Bound, Engine, Limits, Score, SearchOptions};

use crate::referee::check;
use crate::runs::{depth, engine, lines, nodes, run, shared, worth};
use crate::sample::{at, game, random_game};

fn moves(position: &Position, texts: &[&str]) -> Vec<Move> {
    texts.iter().map(|text| position.parse_uci(text).unwrap()).collect()
}

#[test]
fn only_the_moves_asked_for_are_looked_at() {
    let _shared = shared();
    let game = Game::default();
    let wanted = moves(game.position(), &["a2a3", "h2h4", "g1h3"]);
    for count in 1..6 {
        let limits = nodes(5_000).search_moves(wanted.clone());
        let run = run(&mut engine(), &game, &limits, &lines(count));
        check(&game, &run, &lines(count), "three moves");
        assert_eq!(run.conclusion.lines.len(), count.min(3));
        assert!(run.lines.iter().all(|line| wanted.contains(&line.moves[0])));
    }
    for &mv in &game.position().legal_moves() {
        let limits = depth(3).search_moves([mv]);
        assert_eq!(run(&mut engine(), &game, &limits, &SearchOptions::default()).conclusion.best, Some(mv));
    }
}

#[test]
fn illegal_moves_are_ignored() {
    let _shared = shared();
    let game = Game::default();
    let foreign = moves(&at("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"), &["a1a8", "e1g1", "e1d2"]);
    let legal = moves(game.position(), &["b2b3"]);
    let limits = |search_moves: &[Move]| nodes(3_000).search_moves(search_moves.to_vec());
    let both =
        run(&mut engine(), &game, &limits(&[&foreign[..], &legal[..]].concat()), &SearchOptions::default());
    let one = run(&mut engine(), &game, &limits(&legal), &SearchOptions::default());
    assert_eq!(both.essence(), one.essence());
    let none_left = run(&mut engine(), &game, &limits(&foreign), &SearchOptions::default());
    assert_eq!(
        none_left.essence(),
        run(&mut engine(), &game, &nodes(3_000), &SearchOptions::default()).essence()
    );
}

pub fn some_games(seed: u64, count: usize) -> Vec<Game> {
    let mut random = Rng::with_seed(seed);
    (0..count)
        .map(|_| {
            let plies = random.usize(..80);
            random_game(Position::start(), plies, &mut random)
        })
        .collect()
}

#[test]
fn lines_begin_with_different_moves_and_the_best_comes_first() {
    let _shared = shared();
    let mut engine = engine();
    for (index, game) in some_games(47, 60).iter().enumerate() {
        let wanted = 2 + index % 5;
        let run = run(&mut engine, game, &depth(2 + index as u32 % 5), &lines(wanted));
        let concluded = &run.conclusion.lines;
        let legal = game.position().legal_moves().len();
        assert_eq!(concluded.len(), wanted.min(legal));
        let iterations = run.lines.chunks(concluded.len()).chain([&concluded[..]]);
        for iteration in iterations {
            for (index, line) in iteration.iter().enumerate() {
                assert_eq!(
                    (line.rank, line.bound, line.depth),
                    (index + 1, Bound::Exact, iteration[0].depth)
                );
            }
            let mut first: Vec<_> = iteration.iter().map(|line| line.moves[0]).collect();
            first.sort();
            first.dedup();
            assert_eq!(first.len(), iteration.len(), "{}: {iteration:?}", game.position());
            assert!(
                iteration.windows(2).all(|pair| worth(pair[0].score) >= worth(pair[1].score)),
                "{}: {iteration:?}",
                game.position()
            );
        }
    }
}

/// Also if the last iteration was broken off.
#[test]
fn the_conclusion_is_in_order_whenever_the_search_ends() {
    let _shared = shared();
    let mut engine = engine();
    let mut random = Rng::with_seed(53);
    for game in some_games(53, 150) {
        let limit = 1_000 + random.usize(..5_000) as u64;
        let count = 2 + random.usize(..4);
        let run = run(&mut engine, &game, &nodes(limit), &lines(count));
        let concluded = &run.conclusion.lines;
        for pair in concluded.windows(2) {
            let comparable = pair[0].depth == pair[1].depth && pair.iter().all(|it| it.bound == Bound::Exact);
            let in_order = !comparable || worth(pair[0].score) >= worth(pair[1].score);
            let what = format!("{} with {limit} nodes: {concluded:?}", game.position());
            assert!(in_order && pair[0].depth >= pair[1].depth, "{what}");
        }
    }
}

/// An iteration that is broken off says something new, or the last complete one has the last word.
#[test]
fn an_iteration_broken_off_does_not_bring_back_what_is_out_of_date() {
    let _shared = shared();
    let mut engine = engine();
    let mut random = Rng::with_seed(59);
    let mut games = some_games(59, 80);
    games.push(game("Q7/K7/8/4k3/8/8/8/8 w - - 98 100", &[]));
    for game in games {
        for _ in 0..4 {
            let limit = 300 + random.usize(..4_000) as u64;
            engine.clear();
            let run = run(&mut engine, &game, &nodes(limit), &SearchOptions::default());
            let [.., complete, last] = &run.lines[..] else { continue };
            let what = format!("{} with {limit} nodes: {complete:?}, then {last:?}", game.position());
            // A mate that the table has proven in the meantime is new, whatever the depth.
            let is_proven = last.bound == Bound::Lower && matches!(last.score, Score::Mate(1..));
            if last.depth == complete.depth && !is_proven {
                assert_eq!((&last.moves, last.score), (&complete.moves, complete.score), "{what}");
            } else if !is_proven {
                assert_eq!(last.depth, complete.depth + 1, "{what}");
            }
        }
    }
}

#[test]
fn as_many_lines_as_there_are_moves_and_at_least_one() {
    let _shared = shared();
    let game = game("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", &[]);
    let legal = game.position().legal_moves().len();
    for (asked, given) in [(0, 1), (1, 1), (legal, legal), (usize::MAX, legal)] {
        let run = run(&mut engine(), &game, &depth(3), &lines(asked));
        assert_eq!(run.conclusion.lines.len(), given);
    }
}

#[test]
fn a_table_fills_up_and_not_further() {
    let _shared = shared();
    let mut engine = Engine::new(1).unwrap();
    let mut fullest = 0;
    for game in some_games(61, 3) {
        let run = run(&mut engine, &game, &nodes(250_000), &SearchOptions::default());
        let counts: Vec<_> = run.lines.iter().map(|line| line.hashfull).collect();
        assert!(counts.iter().all(|&it| it <= 1000), "{counts:?}");
        fullest = fullest.max(*counts.last().unwrap());
    }
    assert!(fullest > 300, "{fullest}");
}

#[test]
fn a_table_that_cannot_be_had_changes_nothing() {
    let _shared = shared();
    let game = Game::default();
    let (mut refused, mut plain) = (engine(), engine());
    for limit in [4_000, 6_000] {
        for mebibytes in [usize::MAX, usize::MAX >> 20, 1 << 43] {
            assert_eq!(refused.set_hash(mebibytes).unwrap_err().mebibytes, mebibytes);
        }
        // What it has learnt is still there.
        let expected = run(&mut plain, &game, &nodes(limit), &SearchOptions::default()).essence();
        assert_eq!(run(&mut refused, &game, &nodes(limit), &SearchOptions::default()).essence(), expected);
    }
    assert!(Engine::new(usize::MAX).is_err());
}

#[test]
fn the_smallest_table_will_do() {
    let _shared = shared();
    let mut engine = Engine::new(0).unwrap();
    for game in some_games(67, 5) {
        let run = run(&mut engine, &game, &nodes(5_000), &lines(2));
        check(&game, &run, &lines(2), "the smallest table");
    }
}

#[test]
fn threads_come_and_go() {
    let _shared = shared();
    let mut engine = engine();
    for (threads, expected) in [(1, 1), (4, 4), (1, 1), (3, 3), (0, 1), (2, 2)] {
        engine.set_threads(threads).unwrap();
        assert_eq!(engine.threads(), expected);
        for game in some_games(71 + threads as u64, 8) {
            for options in [SearchOptions::default(), lines(3)] {
                let run = run(&mut engine, &game, &nodes(8_000), &options);
                check(&game, &run, &options, &format!("{threads} threads, {}", game.position()));
            }
        }
    }
}

#[test]
fn four_threads_come_to_the_same_mate_as_one() {
    let _shared = shared();
    let mut engine = engine();
    engine.set_threads(4).unwrap();
    let game = game("8/8/8/8/8/3k4/8/3K3R b - - 0 1", &[]);
    for limits in [depth(5), nodes(20_000)] {
        let run = run(&mut engine, &game, &limits, &SearchOptions::default());
        check(&game, &run, &SearchOptions::default(), "four threads");
    }
    let mate = crate::sample::game("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", &[]);
    for limits in [depth(5), nodes(20_000), Limits::default().mate(1)] {
        let run = run(&mut engine, &mate, &limits, &SearchOptions::default());
        check(&mate, &run, &SearchOptions::default(), "four threads");
        assert_eq!(run.score(), Score::Mate(1));
    }
}

fn weak(elo: u32, seed: Option<u64>) -> SearchOptions {
    let mut options = SearchOptions::default().elo(elo);
    options.seed = seed;
    options
}

#[test]
fn weak_players_play_by_the_rules_too() {
    let _shared = shared();
    let mut engine = engine();
    for (index, game) in some_games(79, 60).iter().enumerate() {
        let elo = [0, 400, 1000, 2200, 2800, u32::MAX][index % 6];
        let options = weak(elo, Some(index as u64)).lines(1 + index % 3);
        let run = run(&mut engine, game, &nodes(3_000), &options);
        check(game, &run, &options, &format!("Elo {elo}, {}", game.position()));
        assert!(run.conclusion.nodes <= 3_000);
    }
    let mated = game("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", &[]);
    assert_eq!(run(&mut engine, &mated, &nodes(3_000), &weak(1500, None)).conclusion.best, None);
}

#[test]
fn weak_players_err_the_same_way_with_the_same_seed() {
    let _shared = shared();
    let mut choices = Vec::new();
    for seed in 0..12 {
        let play = || run(&mut engine(), &Game::default(), &Limits::default(), &weak(1000, Some(seed)));
        assert_eq!(play().essence(), play().essence());
        choices.push(play().conclusion.best);
    }
    choices.sort();
    choices.dedup();
    assert!(choices.len() > 1, "another seed, another mistake");
}

#[test]
fn players_of_different_strength_do_not_learn_from_each_other() {
    let _shared = shared();
    let game = Game::default();
    let strengths = [SearchOptions::default(), weak(1800, Some(3)), weak(800, Some(3))];
    let fresh =
        strengths.each_ref().map(|options| run(&mut engine(), &game, &nodes(5_000), options).essence());
    let mut engine = engine();
    for index in [0, 1, 2, 0, 2, 1, 0] {
        let essence = run(&mut engine, &game, &nodes(5_000), &strengths[index]).essence();
        assert_eq!(essence, fresh[index], "strength {index}");
    }
}

#[test]
fn weak_players_use_the_network() {
    let _shared = shared();
    let mut classical = engine();
    classical.set_network(None);
    let essence =
        |engine: &mut Engine| run(engine, &Game::default(), &nodes(5_000), &weak(1800, Some(3))).essence();
    assert_ne!(essence(&mut engine()), essence(&mut classical));
}

#[test]
fn weak_players_look_only_where_they_are_told_to() {
    let _shared = shared();
    let game = Game::default();
    let wanted = moves(game.position(), &["a2a3", "h2h4"]);
    let limits = Limits::default().search_moves(wanted.clone());
    for seed in 0..12 {
        let run = run(&mut engine(), &game, &limits, &weak(1000, Some(seed)));
        assert!(wanted.contains(&run.conclusion.best.unwrap()));
    }
}
