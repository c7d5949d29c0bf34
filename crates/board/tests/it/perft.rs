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

/// Nodes, captures, en passant, castles, promotions, checks, discovered checks, double checks and mates at the depths from
/// 1, as the Chess Programming Wiki has them.
const KINDS: [(&str, &[[u64; 9]]); 4] = [
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        &[
            [20, 0, 0, 0, 0, 0, 0, 0, 0],
            [400, 0, 0, 0, 0, 0, 0, 0, 0],
            [8_902, 34, 0, 0, 0, 12, 0, 0, 0],
            [197_281, 1_576, 0, 0, 0, 469, 0, 0, 8],
            [4_865_609, 82_719, 258, 0, 0, 27_351, 6, 0, 347],
        ],
    ),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        &[
            [48, 8, 0, 2, 0, 0, 0, 0, 0],
            [2_039, 351, 1, 91, 0, 3, 0, 0, 0],
            [97_862, 17_102, 45, 3_162, 0, 993, 0, 0, 1],
            [4_085_603, 757_163, 1_929, 128_013, 15_172, 25_523, 42, 6, 43],
        ],
    ),
    (
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        &[
            [14, 1, 0, 0, 0, 2, 0, 0, 0],
            [191, 14, 0, 0, 0, 10, 0, 0, 0],
            [2_812, 209, 2, 0, 0, 267, 3, 0, 0],
            [43_238, 3_348, 123, 0, 0, 1_680, 106, 0, 17],
            [674_624, 52_051, 1_165, 0, 0, 52_950, 1_292, 3, 0],
        ],
    ),
    (
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        &[
            [6, 0, 0, 0, 0, 0, 0, 0, 0],
            [264, 87, 0, 6, 48, 10, 0, 0, 0],
            [9_467, 1_021, 4, 0, 120, 38, 2, 0, 22],
            [422_333, 131_393, 0, 7_795, 60_032, 15_492, 19, 0, 5],
        ],
    ),
];

#[test]
fn kinds_of_moves_are_counted_as_the_wiki_has_them() {
    for (fen, rows) in KINDS {
        let position = Position::from_fen(fen).expect(fen);
        for (depth, row) in (1..).zip(rows) {
            let counts = perft::kinds(&position, depth);
            assert_eq!(counts.rows().map(|(_, number)| number), *row, "depth {depth} of {fen}");
            assert_eq!(perft::Run::new(&position, depth).threads(2).kinds(), Some(counts));
        }
    }
    assert_eq!(perft::kinds(&Position::start(), 0).nodes, 1);
    let stopped = Position::start();
    assert_eq!(perft::Run::new(&stopped, 9).stop_when(&|| true).kinds(), None);
}

/// A divide is read as programs print it.
#[test]
fn divides_of_all_common_formats_are_read() {
    for text in [
        "e2e4: 20\nd2d4: 20\n\nNodes searched: 40\n",
        "e2e4 20\nd2d4 20\n\n40",
        "e2e4 - 20\r\nd2d4 - 20\r\nTotal: 40\r\n",
        "Perft depth 2\ne2e4: 20\nd2d4: 20\nnodes 40 time 1 nps 40000\n",
        "uciok\nE2E4 = 20\nd2d4\t|20\nMoves: 2\nTotal nodes: 40\nTotal time: 12",
    ] {
        let divide: perft::Divide = text.parse().expect(text);
        let moves: Vec<_> = divide.by_move.iter().map(|(mv, count)| (mv.to_string(), *count)).collect();
        assert_eq!(moves, [("e2e4".to_owned(), 20), ("d2d4".to_owned(), 20)], "{text}");
        assert_eq!(divide.total, Some(40), "{text}");
    }
    assert_eq!("1,234\n".parse::<perft::Divide>().map(|divide| divide.total), Ok(Some(1_234)));
    assert_eq!("".parse::<perft::Divide>(), Err(perft::DivideError::Empty));
    assert_eq!("hello\nworld".parse::<perft::Divide>(), Err(perft::DivideError::Empty));
    assert_eq!("\ne2e4: many".parse::<perft::Divide>(), Err(perft::DivideError::Line(2)));
    assert_eq!("e2e4: 1 2".parse::<perft::Divide>(), Err(perft::DivideError::Line(1)));
}

#[test]
fn differences_are_sorted_by_what_is_wrong() {
    use perft::Difference;
    let position = Position::start();
    let ours = perft::Run::new(&position, 2).divide().expect("not stopped");
    let mut lines: Vec<_> = ours
        .by_move
        .iter()
        .map(|(mv, count)| format!("{}: {count}", mv.uci(CastlingMode::Standard)))
        .collect();
    let compare = |lines: &[String]| {
        let theirs = lines.join("\n").parse().expect("a divide");
        perft::compare(&position, &ours, &theirs)
    };
    assert_eq!(compare(&lines), []);
    let mut with_total = lines.clone();
    with_total.push("total 401".to_owned());
    assert_eq!(compare(&with_total), [Difference::Total { ours: 400, theirs: 401 }]);

    let mv = |text| position.parse_uci(text).expect(text);
    lines.retain(|line| !line.starts_with("g1f3"));
    lines.iter_mut().filter(|line| line.starts_with("a2a3")).for_each(|line| *line = "a2a3: 21".to_owned());
    lines.extend(["e2e4 20".to_owned(), "e2e5 20".to_owned()]);
    let differences = compare(&lines);
    assert!(matches!(differences[0], Difference::Extra { .. }), "{differences:?}");
    assert_eq!(differences[1], Difference::Missing(mv("g1f3")));
    assert_eq!(differences[2], Difference::Repeated(mv("e2e4")));
    assert_eq!(differences[3], Difference::Count { mv: mv("a2a3"), ours: 20, theirs: 21 });
    assert_eq!(differences.len(), 4);
}

/// A program that counts right, but not below moves that it took back.
#[test]
fn a_program_that_is_wrong_only_from_above_is_found() {
    let position = Position::start();
    let ask = |moves: &[ferz_board::Move], depth| -> Result<perft::Divide, ()> {
        let mut here = position;
        moves.iter().for_each(|&mv| here.play_unchecked(mv));
        let counts = perft::Run::new(&here, depth).divide().ok_or(())?;
        let wrong = u64::from(moves.is_empty() && depth == 3);
        let by_move =
            counts.by_move.iter().map(|&(mv, count)| (mv.uci(CastlingMode::Standard), count + wrong));
        Ok(perft::Divide { by_move: by_move.collect(), total: None })
    };
    let found = perft::find_difference(&position, 3, ask).expect("answers").expect("a difference");
    assert_eq!((found.moves.len(), found.depth, &found.differences[..]), (1, 2, &[][..]));
    assert_eq!(perft::find_difference(&position, 2, ask), Ok(None));
}
