//! Endgame tables in the search: results, root moves, complete lines, damaged files.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use fastrand::Rng;
use ferz_board::{CastlingMode, Color, DrawClaim, Game, Outcome, PieceType, Position};
use ferz_search::{Conclusion, Engine, Host, Limits, Report, Score, SearchOptions, Signals, Wdl};
use ferz_syzygy::{ProbeError, Tablebases};
use ferz_table_maker::Solutions;

use crate::sample::random_placement;

/// All endings with three men.
static FILES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| Solutions::all().files());

/// The files whose names end so.
fn tables(extension: &str) -> Tablebases {
    let mut tables = Tablebases::new();
    for (name, bytes) in FILES.iter().filter(|(name, _)| name.ends_with(extension)) {
        tables.add_bytes(name, bytes.clone()).expect("a table");
    }
    tables
}

fn engine(tables: Tablebases) -> Engine {
    let mut engine = Engine::new(1).expect("memory for 1 MiB");
    engine.set_tablebases(tables);
    // Lines are complete on slow machines too.
    engine.set_host(Host::default().now(|| Duration::ZERO));
    engine
}

fn search_with(engine: &mut Engine, game: &Game, limits: &Limits, options: &SearchOptions) -> Conclusion {
    engine.search(game, limits, options, &Signals::new(), &mut |_| {})
}

fn search(engine: &mut Engine, fen: &str, nodes: u64) -> Conclusion {
    let game = Game::new(fen.parse().expect("a legal position"));
    search_with(engine, &game, &Limits::default().nodes(nodes), &SearchOptions::default())
}

/// A random position with this white man, White to move.
fn random_position(man: PieceType, random: &mut Rng) -> Position {
    let men = [PieceType::King.of(Color::White), PieceType::King.of(Color::Black), man.of(Color::White)];
    random_placement(&men, Color::White, random)
}

/// Plays for White against the best defence until the game is over or a draw can be claimed.
fn play(engine: &mut Engine, start: Position, nodes: u64) -> Game {
    let defender = tables("");
    let mut game = Game::new(start);
    let claims = [DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves];
    while game.outcome().is_none() && !claims.into_iter().any(|claim| game.can_claim(claim)) {
        let mv = if game.position().side_to_move() == start.side_to_move() {
            let limits = Limits::default().nodes(nodes);
            search_with(engine, &game, &limits, &SearchOptions::default()).best
        } else {
            defender.best_move(game.position()).expect("a table position")
        };
        game.play(mv.expect("the game is not over")).expect("legal");
    }
    game
}

#[test]
fn wins_are_won_with_any_number_of_nodes_and_any_clock() {
    let known = tables("");
    let mut random = Rng::with_seed(17);
    for nodes in [1, 100, 1_000] {
        let mut engine = engine(known.clone());
        let mut games = 0;
        while games < 12 {
            let position =
                random_position([PieceType::Queen, PieceType::Rook, PieceType::Pawn][games % 3], &mut random);
            let distance = known.probe_dtz(&position).expect("a table position").get();
            if distance <= 0 {
                continue;
            }
            games += 1;
            // Every second game begins with a clock that leaves just enough plies.
            let clock = if games % 2 == 0 { 99 - distance as u32 } else { 0 };
            let start = position.with_clocks(clock, 90).expect("clocks that fit");
            engine.clear();
            let game = play(&mut engine, start, nodes);
            let outcome = game.outcome();
            let moves: Vec<_> = game.moves().map(|mv| mv.uci(CastlingMode::Standard).to_string()).collect();
            assert!(
                matches!(outcome, Some(Outcome::Checkmate { .. })),
                "{nodes} nodes: position fen {start} moves {}",
                moves.join(" ")
            );
        }
    }
}

#[test]
fn wins_are_won_with_results_alone() {
    let mut engine = engine(tables("rtbw"));
    let mut random = Rng::with_seed(5);
    for _ in 0..4 {
        let start = loop {
            let position = random_position(PieceType::Queen, &mut random);
            if tables("").probe_dtz(&position).expect("a table position").get() > 0 {
                break position;
            }
        };
        engine.clear();
        let game = play(&mut engine, start, 4_000);
        assert!(matches!(game.outcome(), Some(Outcome::Checkmate { .. })), "{start}");
    }
}

#[test]
fn results_are_shown() {
    let mut engine = engine(tables(""));
    // A draw, however many pawns ahead.
    let draw = search(&mut engine, "8/8/8/8/3k4/8/3P4/3K4 b - - 0 1", 2_000);
    assert_eq!((draw.lines[0].score, draw.lines[0].value), (Score::Centipawns(0), 0));
    assert!(draw.tablebase_hits > 0 && draw.lines[0].tablebase_hits > 0);
    // A win and a loss that a short search does not see.
    let win = search(&mut engine, "8/8/8/3k4/8/8/8/K6R w - - 0 1", 50);
    assert!(matches!(win.lines[0].score, Score::Centipawns(19_000..20_000)), "{}", win.lines[0].score);
    assert_eq!(win.lines[0].wdl, Wdl::WIN);
    let loss = search(&mut engine, "8/8/8/3k4/8/8/8/K6R b - - 0 1", 50);
    assert!(matches!(loss.lines[0].score, Score::Centipawns(-19_999..=-19_000)), "{}", loss.lines[0].score);
    assert_eq!(loss.lines[0].wdl, Wdl::LOSS);
}

#[test]
fn lines_are_completed_to_mate() {
    let mut engine = engine(tables(""));
    for fen in
        ["8/8/8/3k4/8/8/8/K6R w - - 0 1", "8/8/8/3k4/8/8/8/K6R b - - 0 1", "8/8/8/1k6/8/8/1P6/1K6 w - - 0 1"]
    {
        let found = search(&mut engine, fen, 60);
        let mut position: Position = fen.parse().expect("legal");
        for &mv in &found.lines[0].moves {
            position.play(mv).expect("legal");
        }
        let outcome = position.outcome();
        if fen.starts_with("8/8/8/1k6") {
            // The side that has only a draw is not led to a loss.
            assert!(!matches!(outcome, Some(Outcome::Checkmate { .. })), "{fen}");
        } else {
            assert!(matches!(outcome, Some(Outcome::Checkmate { .. })), "{fen} {:?}", found.lines[0]);
        }
    }
}

#[test]
fn nodes_of_the_tree_are_probed() {
    let mut engine = engine(tables(""));
    // After the capture the tables know the win; the pawn would be a queen at once.
    let found = search(&mut engine, "8/8/8/8/3k4/8/1p1K4/1R6 w - - 0 1", 30);
    assert_eq!(
        found.lines[0].moves[0],
        Position::from_fen("8/8/8/8/3k4/8/1p1K4/1R6 w - - 0 1").unwrap().parse_uci("b1b2").unwrap()
    );
    assert_eq!(found.lines[0].score, Score::Centipawns(19_999));
    assert!(found.tablebase_hits > 0);
    // Two captures lead to the tables, deep in the tree of a lost position.
    let lost = search(&mut engine, "8/8/8/8/2k5/2p5/2B1p3/2K5 w - - 0 1", 20_000);
    assert!(lost.tablebase_hits > 0 && lost.lines[0].wdl == Wdl::LOSS, "{:?}", lost.lines[0]);
}

#[test]
fn the_limit_switches_tables_off() {
    let fen = "8/8/8/8/3k4/8/1p1K4/1R6 w - - 0 1";
    let game = Game::new(fen.parse().expect("legal"));
    let limits = Limits::default().depth(9);
    let mut with = engine(tables(""));
    let mut without = engine(Tablebases::new());
    let off = SearchOptions::default().probe_limit(0);
    let (with, without) =
        (search_with(&mut with, &game, &limits, &off), search_with(&mut without, &game, &limits, &off));
    assert_eq!((with.nodes, with.tablebase_hits, with.best), (without.nodes, 0, without.best));
}

#[test]
fn several_lines_keep_to_the_tables() {
    // Some moves win, others draw or lose the pawn.
    let position: Position = "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1".parse().expect("legal");
    let (game, known) = (Game::new(position), tables(""));
    let verdicts = known.probe_moves(&position).expect("a table position");
    let mut engine = engine(known);
    let limits = Limits::default().nodes(3_000);
    let all = search_with(&mut engine, &game, &limits, &SearchOptions::default().lines(99));
    assert_eq!(all.lines.len(), verdicts.len());
    let results: Vec<_> = all
        .lines
        .iter()
        .map(|line| verdicts.iter().find(|it| it.mv == line.moves[0]).expect("a legal move").wdl)
        .collect();
    assert!(results.is_sorted_by(|a, b| a >= b), "{results:?}");
    for (line, wdl) in all.lines.iter().zip(results) {
        assert_eq!(line.value.signum(), wdl.value().signum(), "{line:?}");
    }
    // Only a move that draws.
    let draw = verdicts.iter().find(|it| it.wdl == ferz_syzygy::Wdl::Draw).expect("a drawing move");
    let found = search_with(&mut engine, &game, &limits.search_moves([draw.mv]), &SearchOptions::default());
    assert_eq!((found.best, found.lines[0].value), (Some(draw.mv), 0));
}

#[test]
fn the_fifty_move_rule_can_be_switched_off() {
    let known = tables("");
    let position: Position = "8/8/8/3k4/8/8/8/K6R w - - 90 90".parse().expect("legal");
    assert!(known.probe_dtz(&position).expect("a table position").get() > 12);
    let mut engine = engine(known);
    let (game, limits) = (Game::new(position), Limits::default().nodes(500));
    let late = search_with(&mut engine, &game, &limits, &SearchOptions::default());
    assert!(late.lines[0].value.abs() < 10, "{:?}", late.lines[0]);
    let free = search_with(&mut engine, &game, &limits, &SearchOptions::default().fifty_move_rule(false));
    assert!(free.lines[0].value > 29_000, "{:?}", free.lines[0]);
}

#[test]
fn after_a_repetition_the_shortest_way_is_taken() {
    let known = tables("");
    let mut game = Game::new("8/8/8/3k4/8/8/8/K6R w - - 0 1".parse().expect("legal"));
    for mv in ["a1b1", "d5e5", "b1a1", "e5d5"] {
        game.play_uci(mv).expect("legal");
    }
    let verdicts = known.probe_moves(game.position()).expect("a table position");
    let mut engine = engine(known);
    for nodes in [1, 500, 5_000] {
        let limits = Limits::default().nodes(nodes);
        let best = search_with(&mut engine, &game, &limits, &SearchOptions::default()).best;
        let chosen = verdicts.iter().find(|it| Some(it.mv) == best).expect("a legal move");
        assert_eq!(chosen.dtz, verdicts[0].dtz, "{chosen:?}");
    }
}

#[test]
fn weaker_levels_have_no_tables() {
    let mut engine = engine(tables(""));
    let game = Game::new("8/8/8/3k4/8/8/8/K6R w - - 0 1".parse().expect("legal"));
    let options = SearchOptions::default().elo(1200).seed(1);
    assert_eq!(search_with(&mut engine, &game, &Limits::default(), &options).tablebase_hits, 0);
}

/// A folder with all tables, removed when dropped.
struct TableFolder(PathBuf);

impl TableFolder {
    fn new(name: &str) -> TableFolder {
        let folder = std::env::temp_dir().join(format!("ferz-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        FILES.iter().for_each(|(name, bytes)| fs::write(folder.join(name), bytes).expect("a file"));
        TableFolder(folder)
    }

    fn truncate(&self, length: u64) {
        for (name, _) in FILES.iter() {
            let file = File::options().write(true).open(self.0.join(name)).expect("a file");
            file.set_len(length).expect("a shorter file");
        }
    }
}

impl Drop for TableFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn problem_of(report: &Report) -> Option<ProbeError> {
    match report {
        Report::TableProblem(problem) => Some(problem.clone()),
        _ => None,
    }
}

#[test]
fn damaged_tables_are_reported_once() {
    let folder = TableFolder::new("damaged");
    folder.truncate(40);
    let mut engine = engine(Tablebases::open([&folder.0]).expect("a folder"));
    let game = Game::new("8/8/8/3k4/8/8/8/K6R w - - 0 1".parse().expect("legal"));
    let mut problems = Vec::new();
    for _ in 0..3 {
        let limits = Limits::default().nodes(2_000);
        let report = &mut |report: &Report| problems.extend(problem_of(report));
        let found = engine.search(&game, &limits, &SearchOptions::default(), &Signals::new(), report);
        assert!(found.best.is_some());
        assert_eq!(found.tablebase_hits, 0);
    }
    let texts: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert!(!texts.is_empty() && texts.iter().all(|text| text.contains("KRvK.rtb")), "{texts:?}");
    assert!(texts.len() <= 2, "one for each file: {texts:?}");
    assert_eq!(engine.table_problems().len(), texts.len());
}

#[test]
fn tables_truncated_during_a_search_are_reported() {
    for threads in [1, 3] {
        let folder = TableFolder::new(&format!("truncated-{threads}"));
        let tables = Tablebases::open([&folder.0]).expect("a folder");
        let mut engine = Engine::new(1).expect("memory for 1 MiB");
        engine.set_tablebases(tables);
        engine.set_threads(threads).expect("threads");
        let signals = Signals::new();
        let game = Game::new("8/3r1k2/8/8/8/8/3R1K2/8 w - - 0 1".parse().expect("legal"));
        let mut problems = Vec::new();
        let mut is_truncated = false;
        let report = &mut |report: &Report| {
            // The first iteration probes nothing, so no table has been read.
            if !is_truncated {
                folder.truncate(64);
                is_truncated = true;
            }
            if let Some(problem) = problem_of(report) {
                problems.push(problem);
                signals.stop();
            }
        };
        let limits = Limits::default().nodes(5_000_000);
        let found = engine.search(&game, &limits, &SearchOptions::default(), &signals, report);
        assert!(found.best.is_some());
        // Several threads may have read the tables before the first report.
        let is_named = problems.iter().any(|it| it.to_string().contains("KRvK.rtbw"));
        assert!(is_named || threads > 1, "{problems:?}");
    }
}
