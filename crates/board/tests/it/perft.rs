//! Perft: every way through the tree of moves finds the leaves that Stockfish and python-chess counted.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use ferz_board::{CastlingMode, FenError, Position, perft};

const STANDARD: &str = include_str!("../data/standard.perft");
const CHESS960: &str = include_str!("../data/chess960.perft");
const SPECIAL: &str = include_str!("../data/special.perft");
const IMPOSSIBLE: &str = include_str!("../data/impossible.perft");

/// The leaves up to which trees are walked where every move is made and checked; the others are counted.
const WALKED_LEAVES: u64 = 100_000;

/// A position and its leaves at depth 1, 2 …
struct Line {
    position: Position,
    leaves: Vec<u64>,
}

impl Line {
    /// The greatest depth with no more leaves than this.
    fn depth_within(&self, limit: u64) -> u32 {
        self.leaves.iter().take_while(|&&leaves| leaves <= limit).count() as u32
    }

    fn leaves_at(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            _ => self.leaves[depth as usize - 1],
        }
    }
}

fn read_strictly(text: &str, mode: CastlingMode) -> Vec<Line> {
    read_suite(text, |fen| Position::from_fen_in(fen, mode))
}

/// Reads lines like `FEN ;D1 20 ;D2 400`; `#` starts a comment.
fn read_suite(text: &str, read_fen: impl Fn(&str) -> Result<Position, FenError>) -> Vec<Line> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let mut parts = line.split(" ;");
            let fen = parts.next().expect("a line starts with a FEN");
            let leaves = parts
                .enumerate()
                .map(|(i, part)| {
                    let (depth, leaves) = part.split_once(' ').expect("depth and leaves");
                    assert_eq!(depth, format!("D{}", i + 1), "depths come in order: {line}");
                    leaves.parse().expect("a number of leaves")
                })
                .collect();
            let position = read_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            Line { position, leaves }
        })
        .collect()
}

fn count_all_ways(suite: &[Line]) {
    // One table for all positions and depths, too small for them: counts must not be mixed up.
    let table = perft::Table::new(1).expect("a mebibyte of memory");
    for Line { position, leaves } in suite {
        for (depth, &leaves) in (1..).zip(leaves) {
            let counts = [
                ("count", perft::count(position, depth)),
                ("count_portable", perft::count_portable(position, depth)),
            ];
            let run = || perft::Run::new(position, depth);
            let runs = [
                ("run", run()),
                ("run with a table", run().table(&table)),
                ("run on two threads", run().threads(2)),
                ("run on two threads with a table", run().threads(2).table(&table)),
            ];
            let runs = runs.map(|(way, run)| {
                let counts = run.divide().expect("not stopped");
                assert_eq!(counts.by_move.iter().map(|&(_, leaves)| leaves).sum::<u64>(), counts.total);
                (way, counts.total)
            });
            for (way, counted) in counts.into_iter().chain(runs) {
                assert_eq!(counted, leaves, "{way} of {position} at depth {depth}");
            }
        }
    }
}

fn walk_all_ways(suite: &[Line]) {
    for line in suite {
        let position = &line.position;
        for depth in 0..=line.depth_within(WALKED_LEAVES) {
            let leaves = line.leaves_at(depth);
            assert_eq!(perft::walk(position, depth), leaves, "walk of {position} at depth {depth}");
            assert_eq!(walk_lists(position, depth), leaves, "lists of {position} at depth {depth}");
            let mut in_place = *position;
            assert_eq!(walk_in_place(&mut in_place, depth), leaves, "{position} in place at depth {depth}");
            assert_eq!(in_place, *position, "taking back restores the position");
        }
    }
}

fn count_mirrored(suite: &[Line]) {
    for line in suite {
        let mirror = line.position.with_colors_exchanged();
        let depth = line.depth_within(WALKED_LEAVES);
        assert_eq!(perft::count(&mirror, depth), line.leaves_at(depth), "mirror of {}", line.position);
    }
}

/// Through lists of moves, each played into a copy.
fn walk_lists(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut child = *position;
    let mut leaves = 0;
    for &mv in &position.legal_moves() {
        position.play_into(mv, &mut child, &mut ());
        leaves += walk_lists(&child, depth - 1);
    }
    leaves
}

/// Through lists of moves, each made and taken back on the one board.
fn walk_in_place(position: &mut Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut leaves = 0;
    for &mv in &position.legal_moves() {
        let undo = position.make(mv, &mut ());
        leaves += walk_in_place(position, depth - 1);
        position.unmake(undo, &mut ());
    }
    leaves
}

#[test]
fn standard_chess_is_counted() {
    count_all_ways(&read_strictly(STANDARD, CastlingMode::Standard));
}

#[test]
fn standard_chess_is_walked() {
    walk_all_ways(&read_strictly(STANDARD, CastlingMode::Standard));
}

#[test]
fn chess960_is_counted() {
    count_all_ways(&read_strictly(CHESS960, CastlingMode::Chess960));
}

#[test]
fn chess960_is_walked() {
    walk_all_ways(&read_strictly(CHESS960, CastlingMode::Chess960));
}

#[test]
fn special_cases_are_counted() {
    count_all_ways(&read_strictly(SPECIAL, CastlingMode::Standard));
}

#[test]
fn special_cases_are_walked() {
    walk_all_ways(&read_strictly(SPECIAL, CastlingMode::Standard));
}

/// The strict reader refuses these positions, so the rest of the library could have forgotten them.
#[test]
fn impossible_checks_that_were_let_pass_are_counted_and_walked() {
    let suite = read_suite(IMPOSSIBLE, |fen| Position::from_fen_lenient(fen).map(|(position, _)| position));
    count_all_ways(&suite);
    walk_all_ways(&suite);
}

#[test]
fn both_colors_play_by_the_same_rules() {
    count_mirrored(&read_strictly(STANDARD, CastlingMode::Standard));
    count_mirrored(&read_strictly(CHESS960, CastlingMode::Chess960));
    count_mirrored(&read_strictly(SPECIAL, CastlingMode::Standard));
}

#[test]
fn divide_names_the_legal_moves_in_their_order() {
    for line in read_strictly(SPECIAL, CastlingMode::Standard) {
        let divide = |depth| perft::Run::new(&line.position, depth).divide().expect("not stopped");
        let divided = divide(1).by_move.into_iter().map(|(mv, _)| mv);
        assert!(divided.eq(line.position.legal_moves()), "{}", line.position);
        assert_eq!(divide(0), perft::Counts { by_move: Vec::new(), total: 1 });
    }
}

#[test]
fn divide_counts_the_leaves_below_each_move() {
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let position = Position::from_fen(kiwipete).expect("legal");
    for depth in [3, 4] {
        let counts = perft::Run::new(&position, depth).threads(3).divide().expect("not stopped");
        for (mv, leaves) in counts.by_move {
            let mut child = position;
            child.play_unchecked(mv);
            assert_eq!(leaves, perft::count(&child, depth - 1), "{mv:?} at depth {depth}");
        }
    }
}

#[test]
fn progress_is_reported_after_every_subtree_and_ends_at_100_percent() {
    for threads in [1, 3] {
        let mut reports = Vec::new();
        let mut report = |progress: perft::Progress| reports.push(progress);
        let position = Position::start();
        let run = perft::Run::new(&position, 4).threads(threads).on_progress(&mut report);
        assert_eq!(run.count(), Some(197_281));
        assert_eq!(reports.len(), 400, "one subtree for each pair of moves");
        for (done, progress) in (1..).zip(&reports) {
            assert_eq!((progress.done, progress.subtrees), (done, 400));
        }
        assert!(reports.is_sorted_by_key(|progress| progress.nodes));
        let last = reports.last().expect("there are reports");
        assert_eq!((last.nodes, last.percent()), (197_281, 100));
    }
}

#[test]
fn a_run_stops_within_a_large_subtree() {
    let table = perft::Table::new(1).expect("a mebibyte of memory");
    let position = Position::from_fen("7k/8/8/8/8/8/8/K7 w - - 0 1").expect("legal");
    let run = || perft::Run::new(&position, 20);
    let calls = AtomicUsize::new(0);
    // Enough calls to get from depth 18 down to the subtrees that are counted in one go.
    let stop = || calls.fetch_add(1, Relaxed) > 15;
    for run in [run(), run().threads(2), run().table(&table), run().walk()] {
        calls.store(0, Relaxed);
        assert_eq!(run.stop_when(&stop).count(), None);
    }
    // A stopped count must not be stored.
    let expected = perft::count(&position, 6);
    assert_eq!(perft::Run::new(&position, 6).table(&table).count(), Some(expected));
    assert_eq!(perft::Run::new(&position, 0).stop_when(&|| true).count(), Some(1));
}

#[test]
fn a_panic_in_a_thread_reaches_the_caller() {
    let position = Position::start();
    let caller = std::thread::current().id();
    let panicking = std::panic::catch_unwind(|| {
        let stop = || {
            assert_eq!(std::thread::current().id(), caller, "the helper fails");
            // The caller leaves the work to its helper.
            std::thread::sleep(std::time::Duration::from_millis(1));
            false
        };
        perft::Run::new(&position, 4).threads(2).stop_when(&stop).count()
    });
    let payload = panicking.expect_err("the helper has panicked");
    let message = payload.downcast_ref::<String>().expect("a message");
    assert!(message.contains("the helper fails"), "{message}");
}

#[test]
fn counts_too_high_for_64_bits_stay_at_the_maximum() {
    let position = Position::from_fen("7k/8/8/8/8/8/8/K7 w - - 0 1").expect("legal");
    let table = perft::Table::new(4).expect("memory");
    assert_eq!(perft::Run::new(&position, 40).table(&table).threads(2).count(), Some(u64::MAX));
}

#[test]
fn a_table_of_one_entry_is_enough() {
    let table = perft::Table::new(0).expect("memory for an entry");
    assert_eq!(perft::Run::new(&Position::start(), 4).table(&table).count(), Some(197_281));
}

#[test]
fn a_table_too_large_for_any_memory_is_refused() {
    assert!(perft::Table::new(usize::MAX).is_none());
    assert!(perft::Table::new(usize::MAX >> 20).is_none());
}
