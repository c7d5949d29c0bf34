//! Puzzles whose solutions are known, and positions that are none.

use super::*;

fn engine() -> Engine {
    Engine::new(8).expect("memory")
}

fn proven(fen: &str) -> Option<Puzzle> {
    let game = Game::new(Position::from_fen(fen).expect("a valid FEN"));
    prove(&mut engine(), &game, &PuzzleSettings::with_nodes(5_000, 30_000), &Signals::new())
}

fn line(puzzle: &Puzzle) -> String {
    puzzle.to_game().to_string().lines().last().unwrap_or_default().to_owned()
}

fn found_in(text: &str) -> Vec<FoundPuzzle> {
    let tree: GameTree = text.parse().expect("a game");
    let mut all = Vec::new();
    let settings = PuzzleSettings::with_nodes(5_000, 20_000);
    let mut positions = 0;
    find(&mut engine(), &tree, &settings, &Signals::new(), &mut |step| {
        positions += 1;
        assert_eq!((step.done, step.total), (positions, tree.main_line().count() + 1));
        all.extend(step.found);
    })
    .expect("not stopped");
    all
}

#[test]
fn a_mate_has_one_first_move() {
    let puzzle =
        proven("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4").expect("a puzzle");
    assert_eq!((puzzle.goal, puzzle.moves()), (Goal::Mate(1), 1));
    assert_eq!(puzzle.to_string(), "White to move and mate in 1");
    assert_eq!(line(&puzzle), "4. Qxf7# *");
}

#[test]
fn the_only_move_that_saves_the_draw() {
    let puzzle = proven("8/8/8/8/8/3pk3/8/3K4 w - - 0 1").expect("a puzzle");
    assert_eq!(puzzle.goal, Goal::Draw);
    assert!(line(&puzzle).starts_with("1. Ke1"), "{}", line(&puzzle));
    assert_eq!(puzzle.to_string(), "White to move and draw");
}

#[test]
fn positions_without_a_single_good_move_are_no_puzzles() {
    for fen in [
        // Nothing to win.
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        // Everything wins.
        "7k/8/8/8/8/8/Q7/KQ6 w - - 0 1",
        // One legal move.
        "7k/6Q1/8/8/8/8/8/1B5K b - - 0 1",
        // Two mates.
        "7k/R7/1R6/8/8/8/8/K7 w - - 0 1",
        // Over.
        "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
    ] {
        assert_eq!(proven(fen), None, "{fen}");
    }
}

#[test]
fn solutions_are_legal_and_end_with_the_solver() {
    // A fork.
    let fen = "2q3k1/5ppp/8/3N4/8/8/5PPP/6K1 w - - 0 1";
    let puzzle = proven(fen).expect("a puzzle");
    assert_eq!((puzzle.goal, puzzle.moves()), (Goal::Win, 2));
    assert_eq!(line(&puzzle), "1. Ne7+ Kf8 2. Nxc8 *");
    let mut game = Game::new(puzzle.start);
    for &mv in &puzzle.solution {
        game.play(mv).expect("legal");
    }
    assert_eq!(proven(fen), Some(puzzle), "deterministic");
}

#[test]
fn mistakes_of_a_game_become_puzzles() {
    let found = found_in("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0");
    let [found @ FoundPuzzle { puzzle, .. }] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((found.ply, puzzle.goal), (6, Goal::Mate(1)));
    // Taking back is not a puzzle.
    assert_eq!(found_in("1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 *"), []);
    // Nor is a game without moves.
    assert_eq!(found_in("*"), []);
}

#[test]
fn a_stopped_search_finds_nothing() {
    let signals = Signals::new();
    signals.stop();
    let tree: GameTree = "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 *".parse().expect("a game");
    let mut steps = 0;
    let done = find(&mut engine(), &tree, &PuzzleSettings::default(), &signals, &mut |_| steps += 1);
    assert_eq!((done, steps), (None, 0));
}
