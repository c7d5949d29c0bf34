//! Files made to break readers, each read as `pgn_expected.tsv` says, on every way there is.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fastrand::Rng;
use ferz_board::Move;
use ferz_notation::pgn::{self, Diagnostic, GameTree, Movetext, Problem, Reader, Stop, Visitor, parallel};

/// What a table says about a file.
struct Expected {
    file: String,
    /// Half-moves of the main lines, where they are certain.
    plies: Vec<Option<usize>>,
    problems: BTreeSet<String>,
}

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn expected() -> Vec<Expected> {
    let table = fs::read_to_string(data("pgn_expected.tsv")).expect("the table is there");
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let columns: Vec<_> = line.split('\t').collect();
        let list = |column: &str| column.split(',').map(str::to_owned).filter(|item| item != "-").collect();
        let games: usize = columns[1].parse().expect(line);
        let mut plies: Vec<_> = columns[2].split(',').map(|plies| plies.parse().ok()).collect();
        plies.resize(games, None);
        Expected { file: columns[0].to_owned(), plies, problems: list(columns[3]) }
    };
    rows.map(row).collect()
}

/// The text of a file. Those that are large are made here.
fn text(file: &str) -> Vec<u8> {
    const TAGS: &str = "[Event \"t\"]\n[Site \"?\"]\n[Date \"2024.01.01\"]\n[Round \"1\"]\n[White \"A\"]\n\
                        [Black \"B\"]\n[Result \"*\"]\n\n";
    let moves = match &file[..2] {
        "17" => format!("1. e4{}{} *\n", " (1. d4".repeat(20_000), ")".repeat(20_000)),
        "18" => format!("1. e4 {}e5 *\n", "(1. d4) ".repeat(5_000)),
        "19" => {
            let four = |i| format!("{}. Nf3 Nf6 {}. Ng1 Ng8 ", 2 * i + 1, 2 * i + 2);
            (0..1_500).map(four).collect::<String>() + "*\n"
        }
        "21" => format!("1. e4 {{{}}} e5 *\n", "y".repeat(3_000_000)),
        "60" => return vec![b'['; 100_000],
        _ => return fs::read(data("pgn_torture").join(file)).expect(file),
    };
    (TAGS.to_owned() + &moves).into_bytes()
}

/// What is counted of a file.
#[derive(Default, PartialEq, Eq, Debug)]
struct Count {
    plies: Vec<usize>,
    problems: Vec<Diagnostic>,
    depth: usize,
}

impl Count {
    fn kinds(&self) -> BTreeSet<String> {
        self.problems.iter().map(|problem| problem.kind.name().to_owned()).collect()
    }
}

impl Visitor for Count {
    fn begin_game(&mut self) {
        self.plies.push(0);
    }
    fn mv(&mut self, _: Option<Move>) -> ControlFlow<Stop> {
        if self.depth == 0 {
            *self.plies.last_mut().expect("a game has begun") += 1;
        }
        ControlFlow::Continue(())
    }
    fn begin_variation(&mut self) -> ControlFlow<Stop> {
        self.depth += 1;
        ControlFlow::Continue(())
    }
    fn end_variation(&mut self) {
        self.depth -= 1;
    }
    fn problem(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }
}

fn count(text: &[u8]) -> Count {
    let mut reader = Reader::new(text);
    let mut count = Count::default();
    while reader.read_game(&mut count).expect("memory can be read") {}
    assert_eq!(reader.games(), count.plies.len() as u64);
    assert_eq!(count.depth, 0);
    count
}

#[test]
fn every_file_is_read_as_expected() {
    for Expected { file, plies, problems } in expected() {
        let start = Instant::now();
        let count = count(&text(&file));
        assert_eq!(count.plies.len(), plies.len(), "{file}");
        for (read, expected) in count.plies.iter().zip(plies) {
            assert_eq!(*read, expected.unwrap_or(*read), "{file}");
        }
        assert_eq!(count.kinds(), problems, "{file}");
        assert!(start.elapsed() < Duration::from_secs(2), "{file}: {:?}", start.elapsed());
    }
}

#[test]
fn trees_and_threads_see_the_same() {
    for Expected { file, .. } in expected() {
        let text = text(&file);
        let expected = count(&text);
        let trees: Vec<_> = pgn::games(&text[..]).collect::<io::Result<_>>().expect("memory can be read");
        let plies: Vec<_> = trees.iter().map(|tree| tree.main_line().count()).collect();
        assert_eq!(plies, expected.plies, "{file}");

        let mut parts = Count::default();
        let work = |batch: &mut parallel::Batch<'_>| batch.read_all(Count::default());
        parallel::read(&text[..], 2, work, |count, origin| {
            parts.plies.extend(count.plies);
            parts.problems.extend(count.problems.into_iter().map(|mut problem| {
                origin.locate(&mut problem);
                problem
            }));
            Ok::<_, io::Error>(())
        })
        .expect("memory can be read");
        assert_eq!(parts, expected, "{file}");
    }
}

/// A word that ends with digits is told once, whatever stands behind it.
#[test]
fn digits_at_the_end_of_a_word_are_no_word() {
    #[derive(Default)]
    struct Words(Vec<String>);
    impl Visitor for Words {
        const MOVETEXT: Movetext = Movetext::Tokens;

        fn san(&mut self, text: &[u8]) -> ControlFlow<Stop> {
            self.0.push(String::from_utf8_lossy(text).into_owned());
            ControlFlow::Continue(())
        }
    }
    for word in ["Nf3", "x0000", "ag0000", "Ra0000"] {
        for behind in ["\"", "{!}", "$1", ")"] {
            for blanks in [1, 63, 64, 200] {
                let text = format!("1. {word}{behind} e5{}2. d4 *", " ".repeat(blanks));
                let mut words = Words::default();
                Reader::new(text.as_bytes()).read_game(&mut words).expect("memory can be read");
                assert_eq!(words.0, [word, "e5", "d4"], "{text}");
            }
        }
    }
}

/// Reading ends, and tells the same number of games, whatever is looked at.
#[test]
fn what_is_skipped_makes_no_difference_to_games() {
    struct Skip;
    impl Visitor for Skip {
        const MOVETEXT: Movetext = Movetext::Skip;
    }
    struct Tokens;
    impl Visitor for Tokens {
        const MOVETEXT: Movetext = Movetext::Tokens;
    }
    fn games<V: Visitor>(text: &[u8], mut visitor: V) -> u64 {
        let mut reader = Reader::new(text);
        while reader.read_game(&mut visitor).expect("memory can be read") {}
        reader.games()
    }
    for Expected { file, plies, .. } in expected() {
        let text = text(&file);
        assert_eq!(games(&text, Skip), plies.len() as u64, "{file}");
        assert_eq!(games(&text, Tokens), plies.len() as u64, "{file}");
    }
}

/// Only who wants the moves is told that a result contradicts its tag, however the tag was found.
#[test]
fn results_are_compared_for_those_who_want_moves() {
    #[derive(Default)]
    struct Told<const MOVES: bool>(usize);
    impl<const MOVES: bool> Visitor for Told<MOVES> {
        const MOVETEXT: Movetext = if MOVES { Movetext::Moves } else { Movetext::Tokens };
        fn problem(&mut self, problem: Diagnostic) {
            self.0 += usize::from(problem.kind == Problem::ResultMismatch);
        }
    }
    fn told<const MOVES: bool>(text: &str) -> usize {
        let mut told = Told::<MOVES>::default();
        Reader::new(text.as_bytes()).read_game(&mut told).expect("memory can be read");
        told.0
    }
    for tags in ["[Result \"0-1\"]", "[Event \"C\"]\n[Result \"0-1\"]"] {
        for blanks in [0, 100] {
            let text = format!("{tags}\n\n1. e4 e5{} 1-0\n", " ".repeat(blanks));
            assert_eq!((told::<true>(&text), told::<false>(&text)), (1, 0), "{text}");
        }
    }
}

/// What is left of a tag that is not closed is kept, and said to be broken. Bare quotes and a backslash at the end, as
/// programs write them, are not.
#[test]
fn tags_that_are_not_closed_are_kept_and_told() {
    for (line, value, is_closed) in [
        ("[White \"a\"", "a", false),
        ("[White \"a]", "a]", false),
        ("[White \"a\" b]", "a", false),
        ("[White \"", "", false),
        ("[White \"a \"b\" c\"]", "a \"b\" c", true),
        ("[White \"a\\\"]", "a\\", true),
        ("[White \"a\" ] ", "a", true),
    ] {
        let text = format!("[Event \"x\"]\n{line}\n[Black \"c\"]\n\n1. e4 *\n");
        let tree: GameTree = text.parse().expect(line);
        assert_eq!(
            (tree.tag("White").as_deref(), tree.tag("Black").as_deref()),
            (Some(value), Some("c")),
            "{line}"
        );
        assert_eq!(tree.main_line().count(), 1, "{line}");
        let told: Vec<_> = tree.problems().iter().map(|problem| (problem.kind, problem.place.line)).collect();
        assert_eq!(told, if is_closed { vec![] } else { vec![(Problem::UnclosedTag, 2)] }, "{line}");
    }
}

/// A file may end anywhere, and any byte of it may be another.
#[test]
fn damaged_files_are_read_to_their_end() {
    let mut random = Rng::with_seed(1);
    for Expected { file, .. } in expected() {
        let text = text(&file);
        for _ in 0..if text.len() < 5_000 { 40 } else { 1 } {
            let mut damaged = text[..random.usize(..text.len() + 1)].to_vec();
            for _ in 0..random.usize(..4) {
                if let Some(last) = damaged.len().checked_sub(1) {
                    damaged[random.usize(..last + 1)] = random.u8(..);
                }
            }
            let mut tree = GameTree::new();
            let mut reader = Reader::new(&damaged[..]);
            while tree.read(&mut reader).expect("memory can be read") {
                assert!(tree.main_line().count() <= damaged.len());
            }
            assert_eq!(reader.offset(), damaged.len() as u64, "{file}: {}", damaged.escape_ascii());
        }
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_tag() {
    let tree = pgn::games(&text("04_bom_utf8.pgn")[..]).next().expect("a game").expect("memory can be read");
    assert!(tree.tag("Event").is_some());
}

/// Each problem is found again by its place: the quoted text stands there.
#[test]
fn places_are_right() {
    for Expected { file, .. } in expected() {
        let text = text(&file);
        for problem in count(&text).problems {
            let before = &text[..problem.place.byte as usize];
            let line_start =
                before.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1);
            assert_eq!(problem.place.column, (before.len() - line_start) as u64 + 1, "{file}: {problem}");
            let lines = pgn::text(before).replace("\r\n", "\n").replace('\r', "\n").matches('\n').count();
            assert_eq!(problem.place.line, lines as u64 + 1, "{file}: {problem}");
            let rest = pgn::text(&text[before.len()..]);
            assert!(rest.starts_with(&problem.token), "{file}: {problem}");
        }
    }
}

/// What is quoted can be read, and does nothing to a terminal.
#[test]
fn quotes_are_quoted_as_they_are_and_controls_are_not() {
    let count = count(b"[Variant \"King's \x1b[31m\"]\n\n1. e4 *\n");
    assert_eq!(
        count.problems[0].to_string(),
        "1:1: other-variant: the variant is not chess; moves skipped (game 1): \
         [Variant \"King's \\u{1b}[31m\"]"
    );
}

/// Counts games and comments.
#[derive(Default)]
struct Counts {
    comments: usize,
    problems: Vec<Problem>,
}

impl Visitor for Counts {
    fn comment(&mut self, _: &[u8], last: bool) {
        self.comments += usize::from(last);
    }

    fn problem(&mut self, problem: Diagnostic) {
        self.problems.push(problem.kind);
    }
}

#[test]
fn what_stands_behind_a_result_is_no_game() {
    for (file, comments) in [
        ("1. e4 e5 1-0 {good}\n\n1. d4 *", 1),
        ("1. e4 e5 1-0 ; good\n\n1. d4 *", 1),
        ("1. e4 e5 1-0 1-0 *\n1. d4 *", 0),
        ("1. e4 Ke5 1-0 {good}\n1. d4 *", 1),
    ] {
        let (mut reader, mut counts) = (Reader::new(file.as_bytes()), Counts::default());
        while reader.read_game(&mut counts).expect("memory can be read") {}
        assert_eq!((reader.games(), counts.comments), (2, comments), "{file}");
    }
}

#[test]
fn a_tag_of_megabytes_is_one_problem() {
    let file = format!("[Event \"{}\"]\n\n1. e4 *\n", "x".repeat(3 << 20));
    let (mut reader, mut counts) = (Reader::new(file.as_bytes()), Counts::default());
    while reader.read_game(&mut counts).expect("memory can be read") {}
    assert_eq!((reader.games(), &counts.problems[..]), (1, &[Problem::TagTooLong][..]));
}
