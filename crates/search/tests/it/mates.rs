//! Mates are proven, shortest, and as the fifty-move rule allows.

use fastrand::Rng;
use ferz_board::{Color, Game, Move, Piece, Position};
use ferz_search::{Bound, Engine, Limits, Score, SearchOptions};

use crate::referee::{End, Referee, check};
use crate::runs::{Run, depth, engine, nodes, run, shared};
use crate::sample::{game, random_game, random_placement, with_clock};
use crate::solver::{is_mated, longest_defence, mates, shortest_mate};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The solver looks no further.
const LIMIT: u32 = 3;
/// More than any of these mates needs.
const PLENTY: u64 = 400_000;

fn mate_within(moves: u32, limit: u64) -> Limits {
    nodes(limit).mate(moves)
}

/// Checks that the search reports no shorter mate than there is, and none where there is none.
fn assert_no_false_mate(position: &Position, run: &Run, mate: Option<u32>, mated: Option<u32>) {
    for line in run.lines.iter().chain(&run.conclusion.lines) {
        let (Score::Mate(moves), 1) = (line.score, line.rank) else { continue };
        let claimed = moves.unsigned_abs();
        let least = mate.unwrap_or(LIMIT + 1);
        if moves > 0 && line.bound != Bound::Upper {
            assert!(claimed >= least, "{position}: mate in {claimed}, but {mate:?}: {line:?}");
        }
        // Being mated in more moves than are needed is an error only if it is the last word.
        if moves < 0 && line.bound != Bound::Lower && claimed <= LIMIT {
            assert!(mated.is_some(), "{position}: mated in {claimed}, but it is not: {line:?}");
            assert!(mated.is_some_and(|it| claimed >= it), "{position}: {mated:?}: {line:?}");
        }
    }
}

/// Compares a search with the solver. Returns what there was to find.
fn compare(engine: &mut Engine, position: &Position, deep: u32) -> Option<i32> {
    let game = Game::new(*position);
    let mate = shortest_mate(position, deep);
    let mated = if mate.is_none() { longest_defence(position, deep.min(2)) } else { None };
    let options = SearchOptions::default();
    let truth = match (mate, mated) {
        (Some(moves), _) => Some(moves as i32),
        (_, Some(moves)) => Some(-(moves as i32)),
        _ => None,
    };
    let Some(truth) = truth else {
        let run = run(engine, &game, &nodes(4_000), &options);
        check(&game, &run, &options, &position.to_string());
        if deep == LIMIT {
            assert_no_false_mate(position, &run, mate, longest_defence(position, LIMIT));
        }
        return None;
    };
    let run = run(engine, &game, &mate_within(truth.unsigned_abs(), PLENTY), &options);
    check(&game, &run, &options, &position.to_string());
    assert_eq!(run.score(), Score::Mate(truth), "{position}: {:?}", run.conclusion);
    assert!(run.conclusion.nodes < PLENTY);
    if truth > 0 {
        let mut after = *position;
        after.play(run.conclusion.best.unwrap()).unwrap();
        assert!(is_mated(&after, truth as u32 - 1), "{position}: {:?} does not mate in time", run.conclusion);
        assert_no_false_mate(position, &run, mate, mated);
    }
    // One move less is not enough, however long it looks.
    if truth > 1 {
        let run = crate::runs::run(engine, &game, &mate_within(truth as u32 - 1, 10_000), &options);
        assert_no_false_mate(position, &run, mate, mated);
    }
    Some(truth)
}

/// How often each answer must have come up for a test to mean something.
fn assert_varied(found: &[Option<i32>], wanted: &[(i32, usize)]) {
    for &(moves, least) in wanted {
        let count = found.iter().filter(|&&it| it == Some(moves)).count();
        assert!(count >= least, "mates in {moves}: {count}");
    }
}

const PIECES: [&[Piece]; 7] = [
    &[Piece::WhiteKing, Piece::BlackKing, Piece::WhiteQueen],
    &[Piece::WhiteKing, Piece::BlackKing, Piece::WhiteRook],
    &[Piece::WhiteKing, Piece::BlackKing, Piece::WhiteRook, Piece::WhiteRook],
    &[Piece::WhiteKing, Piece::BlackKing, Piece::WhiteBishop, Piece::WhiteBishop, Piece::BlackPawn],
    &[Piece::WhiteKing, Piece::BlackKing, Piece::WhitePawn, Piece::WhitePawn],
    &[Piece::WhiteKing, Piece::BlackKing, Piece::WhiteQueen, Piece::BlackRook],
    &[Piece::WhiteKing, Piece::BlackKing, Piece::WhiteQueen, Piece::WhiteKnight, Piece::BlackQueen],
];

/// Positions with few pieces, where mates in two and three are frequent.
fn for_endings(seed: u64, count: usize, mut visit: impl FnMut(&Position)) {
    let mut random = Rng::with_seed(seed);
    for index in 0..count {
        let side = if random.usize(..4) == 0 { Color::Black } else { Color::White };
        let position = random_placement(PIECES[index % PIECES.len()], side, &mut random);
        let king = position.king(Color::Black);
        let at_the_edge = [king.file().index(), king.rank().index()].iter().any(|&it| it == 0 || it == 7);
        if (at_the_edge || index % 3 == 0)
            && position.has_legal_moves()
            && !position.is_insufficient_material()
        {
            visit(&position);
        }
    }
}

#[test]
fn in_endings_the_shortest_is_found() {
    let _shared = shared();
    let mut engine = engine();
    let mut found = Vec::new();
    for_endings(19, 1600, |position| {
        if found.len() % 10 == 0 {
            engine.clear();
        }
        found.push(compare(&mut engine, position, LIMIT));
    });
    assert_varied(&found, &[(1, 20), (2, 20), (3, 20), (-1, 2), (-2, 3)]);
}

#[test]
fn in_random_middlegames_the_shortest_is_found() {
    let _shared = shared();
    let mut random = Rng::with_seed(23);
    let mut engine = engine();
    let mut found = Vec::new();
    for _ in 0..1_500 {
        let plies = 10 + random.usize(..100);
        let game = random_game(Position::start(), plies, &mut random);
        found.push(compare(&mut engine, game.position(), 2));
    }
    assert_varied(&found, &[(1, 10), (2, 5)]);
}

/// Mates in three among many pieces: proven move by move, as trying everything takes too long.
#[test]
fn claims_of_a_mate_in_three_are_true() {
    let _shared = shared();
    let mut random = Rng::with_seed(29);
    let mut engine = engine();
    let mut claims = 0;
    for _ in 0..500 {
        let plies = 10 + random.usize(..100);
        let game = random_game(Position::start(), plies, &mut random);
        let position = game.position();
        let run = run(&mut engine, &game, &mate_within(3, 4_000), &SearchOptions::default());
        let line = &run.conclusion.lines[0];
        let (Score::Mate(moves @ (-2..=3)), Bound::Exact) = (line.score, line.bound) else { continue };
        claims += 1;
        let best = run.conclusion.best.unwrap();
        let mut after = *position;
        after.play(best).unwrap();
        if moves > 0 {
            assert!(
                is_mated(&after, moves as u32 - 1),
                "{position}: {best:?} does not mate in {moves}: {:?}",
                run.lines
            );
        } else {
            assert!(
                is_mated(position, moves.unsigned_abs()),
                "{position} is not mated in {moves}: {:?}",
                run.lines
            );
        }
    }
    assert!(claims > 15, "{claims}");
}

/// Mate on the hundredth ply counts; later it is a draw.
#[test]
fn the_fifty_move_rule_is_in_time_or_too_late() {
    let _shared = shared();
    let mut engine = engine();
    let (mut in_time, mut too_late) = (0, 0);
    for_endings(31, 300, |position| {
        let Some(moves) = shortest_mate(position, LIMIT) else { return };
        for clock in 94..=100 {
            let late = with_clock(position, clock);
            if !late.has_legal_moves() {
                continue;
            }
            match shortest_mate(&late, LIMIT) {
                Some(it) if it == moves => in_time += 1,
                _ => too_late += 1,
            }
            compare_at_clock(&mut engine, &late);
        }
    });
    assert!(in_time > 70 && too_late > 50, "{in_time} {too_late}");
}

fn compare_at_clock(engine: &mut Engine, position: &Position) {
    let game = Game::new(*position);
    let options = SearchOptions::default();
    let truth = shortest_mate(position, LIMIT);
    let limits = mate_within(truth.unwrap_or(LIMIT), if truth.is_some() { PLENTY } else { 3_000 });
    let run = run(engine, &game, &limits, &options);
    let what = position.to_string();
    check(&game, &run, &options, &what);
    assert_no_false_mate(position, &run, truth, longest_defence(position, 2));
    if let Some(moves) = truth {
        assert_eq!(run.score(), Score::Mate(moves as i32), "{what}: {:?}", run.conclusion);
    }
}

/// What was learnt with time on the clock of fifty moves is not believed without.
#[test]
fn a_mate_remembered_is_not_played_too_late() {
    let _shared = shared();
    let mut engine = engine();
    let mut checked = 0;
    for_endings(37, 300, |position| {
        let Some(moves @ 2..) = shortest_mate(position, LIMIT) else { return };
        let run_at = |engine: &mut Engine, clock: u32, limits: &Limits| {
            let game = Game::new(with_clock(position, clock));
            let run = run(engine, &game, limits, &SearchOptions::default());
            check(&game, &run, &SearchOptions::default(), &game.position().to_string());
            run
        };
        let before = run_at(&mut engine, 88, &mate_within(moves, PLENTY));
        assert_eq!(before.score(), Score::Mate(moves as i32), "{position}: {:?}", before.lines);
        let late = with_clock(position, 98);
        if !mates(&late, LIMIT) {
            let after = run_at(&mut engine, 98, &nodes(3_000));
            assert_no_false_mate(&late, &after, None, None);
            checked += 1;
        }
    });
    assert!(checked > 10, "{checked}");
}

/// Neither a mix of a mate and an evaluation nor a mate that comes too late is shown as a fortune.
#[test]
fn no_value_lies_between_evaluations_and_mates() {
    let _shared = shared();
    // Above 10000 there are only mates, and 100 centipawns are never less than a value of 80.
    let most = 10_000 * 100 / 80;
    let fens = [
        "8/8/1k6/R7/8/8/8/2K5 w - - 0 69",
        "8/8/8/7r/2K1k3/8/8/8 b - - 4 68",
        "8/2k5/8/3R4/8/8/8/2K5 w - - 2 70",
    ];
    for (fen, limit) in fens.into_iter().flat_map(|fen| [(fen, 25_000), (fen, 60_000), (fen, 140_000)]) {
        let mut engine = engine();
        let mut game = game(fen, &[]);
        while game.outcome().is_none() && game.moves().len() < 60 {
            let run = run(&mut engine, &game, &nodes(limit), &SearchOptions::default());
            for line in run.lines.iter().chain(&run.conclusion.lines) {
                if let Score::Centipawns(value) = line.score {
                    assert!(value.abs() <= most, "{}: {line:?}", game.position());
                }
            }
            game.play(run.conclusion.best.expect("a move")).expect("a legal one");
        }
    }
}

/// Plays an announced mate to its end. The defence is the engine's own, which holds out as long as it can, or any.
/// Returns how many moves were announced, if a mate was.
fn carry_out(
    engine: &mut Engine,
    position: &Position,
    defence: &mut dyn FnMut(&Position) -> Option<Move>,
) -> Option<i32> {
    let options = SearchOptions::default();
    let mut game = Game::new(*position);
    let mut referee = Referee::new(&game);
    let mut announced = None;
    loop {
        let run = run(engine, &game, &nodes(20_000), &options);
        check(&game, &run, &options, &position.to_string());
        let line = &run.conclusion.lines[0];
        // Once it was announced, its line may be incomplete: the mate is no longer than the score says.
        let is_announced = line.bound == Bound::Exact || announced.is_some() && line.bound == Bound::Lower;
        let (Score::Mate(moves @ 1..), true) = (line.score, is_announced) else {
            assert_eq!(
                announced,
                None,
                "{position} {:?}: the mate is lost: {line:?}",
                game.moves().collect::<Vec<_>>()
            );
            return None;
        };
        let left = announced.get_or_insert((moves, moves)).1;
        assert!(
            moves <= left,
            "{position} {:?}: mate in {moves}, not {left}",
            game.moves().collect::<Vec<_>>()
        );
        let mut play = |mv: Move| {
            assert!(referee.play(mv));
            game.play(mv).expect("a legal move");
            referee.end()
        };
        if let Some(end) = play(run.conclusion.best.expect("a move")) {
            assert_eq!(end, End::Mate, "{position}");
            return announced.map(|(moves, _)| moves);
        }
        announced = announced.map(|(first, _)| (first, moves - 1));
        let answer = defence(game.position()).unwrap_or_else(|| {
            let run = crate::runs::run(engine, &game, &nodes(20_000), &options);
            run.conclusion.best.expect("not mated yet")
        });
        assert!(referee.play(answer));
        game.play(answer).expect("a legal move");
        assert_eq!(referee.end(), None, "{position}");
    }
}

/// An announced mate is given in time, whatever the defence.
#[test]
fn announced_mates_are_carried_out() {
    let _shared = shared();
    let mut random = Rng::with_seed(53);
    let mut engine = engine();
    let mut announced = Vec::new();
    for_endings(59, 400, |position| {
        engine.clear();
        announced.extend(carry_out(&mut engine, position, &mut |_| None));
        let mut any = |position: &Position| random.choice(position.legal_moves());
        announced.extend(carry_out(&mut engine, position, &mut any));
    });
    let long = announced.iter().filter(|&&moves| moves > 5).count();
    assert!(announced.len() > 60 && long > 15, "{announced:?}");
}

/// A stopped search leaves no half-finished results in the transposition table.
#[test]
fn searches_broken_off_leave_nothing_false_behind() {
    let _shared = shared();
    let mut engine = engine();
    let mut tried = 0;
    for_endings(61, 300, |position| {
        let Some(moves @ 2..) = shortest_mate(position, LIMIT) else { return };
        let game = Game::new(*position);
        tried += 1;
        engine.clear();
        for limit in (1..40).chain([97, 331, 1_009]) {
            run(&mut engine, &game, &nodes(limit), &SearchOptions::default());
        }
        let run = run(&mut engine, &game, &mate_within(moves, PLENTY), &SearchOptions::default());
        check(&game, &run, &SearchOptions::default(), &position.to_string());
        assert_eq!(run.score(), Score::Mate(moves as i32), "{position}: {:?}", run.lines);
    });
    assert!(tried > 15, "{tried}");
}

#[test]
fn a_mate_limit_ends_the_search() {
    let _shared = shared();
    let game = game("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", &[]);
    let limits = Limits::default().mate(1);
    let run = run(&mut engine(), &game, &limits, &SearchOptions::default());
    assert_eq!(run.score(), Score::Mate(1));
    assert!(run.conclusion.nodes < 10_000, "{}", run.conclusion.nodes);
}

/// After 1. Kc7 Ka7 2. Ra2 is mate, but not in a game in which 1... Ka7 would repeat a position for the third time.
#[test]
fn a_mate_that_a_repetition_prevents_is_not_announced() {
    let _shared = shared();
    let mut engine = engine();
    let position = "k7/8/2K5/8/8/8/7R/8 w - - 0 1";
    let alone = game(position, &[]);
    assert_eq!(run(&mut engine, &alone, &depth(8), &SearchOptions::default()).score(), Score::Mate(2));
    // A search of a single node finds it in the table alone.
    assert_eq!(run(&mut engine, &alone, &nodes(1), &SearchOptions::default()).score(), Score::Mate(2));
    let moves = ["h2h3", "a7a6", "h3h2", "a6a7", "c7c6", "a7a8"];
    let repeated = game("8/k1K5/8/8/8/8/7R/8 w - - 0 1", &moves);
    let found = run(&mut engine, &repeated, &nodes(1), &SearchOptions::default());
    assert!(found.lines.iter().all(|it| matches!(it.score, Score::Centipawns(_))), "{:?}", found.conclusion);
}

/// That one move is mated says nothing about the position: a later search must not find a mate in it.
#[test]
fn a_search_of_some_moves_proves_no_mate() {
    let _shared = shared();
    let mut engine = engine();
    let after = game(START, &["f2f3", "e7e5"]);
    let blunder = after.position().parse_uci("g2g4").expect("legal");
    let mated = run(&mut engine, &after, &depth(4).search_moves([blunder]), &SearchOptions::default());
    assert_eq!(mated.score(), Score::Mate(-1));
    let before = game(START, &["f2f3"]);
    let found = run(&mut engine, &before, &depth(8), &SearchOptions::default());
    assert!(found.lines.iter().all(|it| matches!(it.score, Score::Centipawns(_))), "{:?}", found.conclusion);
}
