//! Search parameters that are variables (feature `tune`).

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use ferz_board::Game;
use ferz_search::{Host, Limits, SearchOptions, SearchParameter, SearchParameters, TimeControl, bench};

use crate::runs::{Essence, depth, engine, nodes, run, shared};
use crate::sample::game;

const MIDDLE_GAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8";

/// The result of a new engine with these parameters.
fn search_with(parameters: SearchParameters, game: &Game) -> Essence {
    let mut engine = engine();
    engine.set_parameters(parameters);
    run(&mut engine, game, &nodes(20_000), &SearchOptions::default()).essence()
}

/// The same with two seconds left for the game, on a clock that goes on by a millisecond whenever it is read.
fn search_by_clock(parameters: SearchParameters, game: &Game) -> Essence {
    let mut engine = engine();
    let reads = AtomicU64::new(0);
    engine
        .set_host(Host::default().now(move || Duration::from_millis(reads.fetch_add(1, Ordering::Relaxed))));
    engine.set_parameters(parameters);
    let clock = TimeControl::new(Duration::from_secs(2)).increment(Duration::from_millis(20));
    run(&mut engine, game, &Limits::default().time_control(clock), &SearchOptions::default()).essence()
}

fn index(name: &str) -> usize {
    SearchParameter::all().iter().position(|it| it.name == name).expect(name)
}

fn changed(name: &str, value: i32) -> SearchParameters {
    let mut parameters = SearchParameters::default();
    parameters.set(index(name), value);
    parameters
}

#[test]
fn every_parameter_has_room_on_either_side() {
    for SearchParameter { name, meaning, value, range, step, .. } in SearchParameter::all() {
        let width = f64::from(range.end() - range.start());
        assert!(range.start() < value && value < range.end(), "{name}");
        assert!(*step >= 0.5 && (0.02..0.08).contains(&(step / width)), "{name}: {step} of {width}");
        assert!(!meaning.is_empty() && !meaning.starts_with(' '), "{name}");
        let named = SearchParameter::all().iter().filter(|it| it.name == *name);
        assert_eq!(named.count(), 1, "{name}");
    }
    let defaults: Vec<_> = SearchParameter::all().iter().map(|it| it.value).collect();
    assert_eq!(SearchParameters::default().values(), defaults);
}

/// Every parameter is read by the search, from where it is set.
#[test]
fn every_parameter_changes_some_search() {
    let _shared = shared();
    let mut games = vec![
        game(MIDDLE_GAME, &[]),
        game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", &[]),
        game("8/5pk1/4p1p1/7p/1R5P/2r3P1/5PK1/8 w - - 30 50", &[]),
        // Full of threats, for what rarely happens.
        game("r1b1k2r/ppppnppp/2n2q2/2b5/3NP3/2P1B3/PP3PPP/RN1QKB1R w KQkq - 0 1", &[]),
        game("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", &[]),
        game("r4rk1/1b2bppp/ppn1p3/4P1q1/2pN4/2N1B3/PPQ2PPP/3R1RK1 w - - 0 1", &[]),
        game("8/8/1p1k4/p1p1p3/P1P1P1p1/1P4Pp/5K1P/8 w - - 0 1", &[]),
        // A recapture.
        game(MIDDLE_GAME, &["f3e5", "c6e5"]),
    ];
    // The rarest happens in one of these. Those of Chess960 cannot be read like this.
    games.extend(bench::POSITIONS.iter().filter_map(|fen| Some(Game::new(fen.parse().ok()?))));
    let searches = [search_with, search_by_clock];
    let usual = searches
        .map(|search| games.iter().map(|it| search(SearchParameters::default(), it)).collect::<Vec<_>>());
    for parameter in SearchParameter::all() {
        let SearchParameter { name, range, .. } = parameter;
        let ends = [*range.start(), *range.end()].map(|value| changed(name, value));
        let kind = usize::from(parameter.needs_clock());
        let makes_a_difference = |(game, usual): (&Game, &Essence)| {
            ends.into_iter().any(|parameters| searches[kind](parameters, game) != *usual)
        };
        assert!(games.iter().zip(&usual[kind]).any(makes_a_difference), "{name}");
    }
}

#[test]
fn what_was_changed_can_be_changed_back() {
    let _shared = shared();
    let (start, limit) = (Game::default(), depth(9));
    let mut engine = engine();
    let expected = run(&mut engine, &start, &limit, &SearchOptions::default()).essence();
    engine.clear();
    engine.set_parameters(changed("lmr_base", 1000));
    assert_ne!(run(&mut engine, &start, &limit, &SearchOptions::default()).essence(), expected);
    engine.clear();
    engine.set_parameters(SearchParameters::default());
    assert_eq!(run(&mut engine, &start, &limit, &SearchOptions::default()).essence(), expected);
}

#[test]
fn values_stay_in_their_range() {
    let parameters = changed("nmp_eval_divisor", 0);
    let lowest = *SearchParameter::all()[index("nmp_eval_divisor")].range.start();
    assert_eq!(parameters.values()[index("nmp_eval_divisor")], lowest);
    assert!(lowest > 0, "it is divided by");
}

#[test]
fn engines_with_different_parameters_do_not_disturb_each_other() {
    let _shared = shared();
    let game = game(MIDDLE_GAME, &[]);
    let sets = [SearchParameters::default(), changed("aspiration_delta", 30), changed("futility_base", 200)];
    let alone = sets.map(|set| search_with(set, &game));
    assert!(alone[0] != alone[1] && alone[1] != alone[2] && alone[0] != alone[2]);
    // On threads of their own, and by turns on one.
    thread::scope(|scope| {
        for (&set, alone) in sets.iter().zip(&alone) {
            let game = &game;
            scope.spawn(move || (0..5).for_each(|_| assert_eq!(search_with(set, game), *alone)));
        }
    });
    let mut engines = sets.map(|set| {
        let mut engine = engine();
        engine.set_parameters(set);
        engine
    });
    let searched = [60, 10].map(|share| search_by_clock(changed("time_share", share), &game).4);
    assert!(searched[0] > searched[1], "{searched:?} nodes");
    for _ in 0..3 {
        for (engine, alone) in engines.iter_mut().zip(&alone) {
            engine.clear();
            assert_eq!(run(engine, &game, &nodes(20_000), &SearchOptions::default()).essence(), *alone);
        }
    }
}
