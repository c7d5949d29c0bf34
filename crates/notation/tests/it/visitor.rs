//! Visitors that stop the reader, and those that look at positions.

use std::ops::ControlFlow;

use ferz_board::{Move, Position};
use ferz_notation::pgn::{Diagnostic, GameResult, GameTree, Movetext, Place, Reader, Stop, Visitor};
use ferz_notation::san::San;

/// Records every event with its position, and stops at a given one.
#[derive(Default)]
struct Log {
    text: String,
    /// The move, in SAN, at which to stop, and how much is skipped.
    stop: Option<(&'static str, Stop)>,
    depth: usize,
}

impl Log {
    fn flow_at(&self, word: &str) -> ControlFlow<Stop> {
        match self.stop {
            Some((at, stop)) if at == word => ControlFlow::Break(stop),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl Visitor for Log {
    const MOVETEXT: Movetext = Movetext::Positions;

    fn begin_moves(&mut self, _: &Position) -> ControlFlow<Stop> {
        self.flow_at("start")
    }
    fn play(&mut self, before: &Position, mv: Option<Move>, after: &Position) -> ControlFlow<Stop> {
        let mut next = *before;
        let word = match mv {
            Some(mv) => {
                next.play(mv).expect("the reader has checked it");
                San::new(before, mv).to_string()
            }
            None => {
                next = before.null_move().expect("the reader has checked it");
                "--".to_owned()
            }
        };
        assert_eq!(next, *after);
        assert_eq!(next.key(), after.key());
        self.text += &format!("{word} ");
        self.flow_at(&word)
    }
    fn comment(&mut self, _: &[u8], _: bool) {
        self.text += "{} ";
    }
    fn begin_variation(&mut self) -> ControlFlow<Stop> {
        self.text += "( ";
        self.depth += 1;
        self.flow_at("(")
    }
    fn end_variation(&mut self) {
        self.text += ") ";
        self.depth -= 1;
    }
    fn problem(&mut self, problem: Diagnostic) {
        self.text += &format!("{} ", problem.kind.name());
    }
    fn end_game(&mut self, result: GameResult) {
        assert_eq!(self.depth, 0);
        self.text += &format!("{result}\n");
    }
}

const FILE: &str = "1. e4 {a} e5 (1... c5 2. Nf3 (2. c3 d5) d6 {b}) (1... -- 2. d4) 2. O-O Nc6 (1-0) 3. a4 1/2-1/2 {c}\n\n\
                    [Result \"0-1\"]\n\n1. d4 d5 (1... f5\n\n1. c4 *\n";

fn read(file: &str, stop: Option<(&'static str, Stop)>) -> String {
    let mut log = Log { stop, ..Log::default() };
    let mut reader = Reader::new(file.as_bytes());
    while reader.read_game(&mut log).expect("memory can be read") {}
    assert!(!reader.read_game(&mut log).expect("memory can be read"));
    log.text
}

#[test]
fn a_visitor_stops_a_line_a_game_or_the_reading() {
    let file = FILE.replace("2. O-O Nc6", "2. Bc4 Nc6").replace("\n\n1. c4", ")\n\n[Event \"x\"]\n\n1. c4");
    let last = "d4 d5 ( f5 ) 0-1\nc4 *\n";
    for (stop, expected) in [
        (None, "e4 {} e5 ( c5 Nf3 ( c3 d5 ) d6 {} ) ( -- d4 ) Bc4 Nc6 ( ) a4 1/2-1/2 {}"),
        (Some(("c5", Stop::Line)), "e4 {} e5 ( c5 ) ( -- d4 ) Bc4 Nc6 ( ) a4 1/2-1/2 {}"),
        (Some(("c3", Stop::Line)), "e4 {} e5 ( c5 Nf3 ( c3 ) d6 {} ) ( -- d4 ) Bc4 Nc6 ( ) a4 1/2-1/2 {}"),
        (Some(("Nf3", Stop::Line)), "e4 {} e5 ( c5 Nf3 ) ( -- d4 ) Bc4 Nc6 ( ) a4 1/2-1/2 {}"),
        (Some(("Bc4", Stop::Line)), "e4 {} e5 ( c5 Nf3 ( c3 d5 ) d6 {} ) ( -- d4 ) Bc4 1/2-1/2"),
        (Some(("e5", Stop::Game)), "e4 {} e5 1/2-1/2"),
        (Some(("c3", Stop::Game)), "e4 {} e5 ( c5 Nf3 ( c3 ) ) 1/2-1/2"),
    ] {
        let expected = expected.replace("1/2-1/2 {}", "{} 1/2-1/2");
        assert_eq!(read(&file, stop), format!("{expected}\n{last}"), "{stop:?}");
    }
    for stop in [Stop::Line, Stop::Game] {
        assert_eq!(read(&file, Some(("start", stop))), "1/2-1/2\n0-1\n*\n", "{stop:?}");
    }
    let without_variations = "e4 {} e5 ( ) ( ) Bc4 Nc6 ( ) a4 {} 1/2-1/2\nd4 d5 ( ) 0-1\nc4 *\n";
    assert_eq!(read(&file, Some(("(", Stop::Line))), without_variations);
    // The first game is the last, and its result is not looked for.
    assert_eq!(read(&file, Some(("start", Stop::Reading))), "*\n");
    assert_eq!(read(&file, Some(("c3", Stop::Reading))), "e4 {} e5 ( c5 Nf3 ( c3 ) ) *\n");
    assert_eq!(read(&file, Some(("c4", Stop::Reading))), read(&file, None));
}

/// Also at the very end of a file.
#[test]
fn a_stop_at_the_last_move_is_no_problem() {
    for (file, expected) in [("1. e4", "e4 *\n"), ("1. e4 e5 (1... c5", "e4 e5 ( c5 ) *\n")] {
        for stop in [Stop::Game, Stop::Reading] {
            let at = if file.len() > 5 { "c5" } else { "e4" };
            assert_eq!(read(file, Some((at, stop))), expected);
        }
    }
    assert_eq!(read("1. e4 e5 (1... c5", Some(("c5", Stop::Line))), "e4 e5 ( c5 unclosed-variation ) *\n");
}

/// The last argument of `end_game` is what a tree calls the termination.
#[test]
fn the_result_is_that_of_the_tree() {
    for file in [
        "1. e4 1-0",
        "[Result \"0-1\"]\n\n1. e4",
        "[Event \"x\"]\n[Result \"0-1\"]\n[Result \"1-0\"]\n\n1. e4",
        "[Event \"x\"]\n[Result \"?\"]\n[Result \"1-0\"]\n\n1. e4",
        "[Result \"0-1\"]\n\n1. e4 1/2",
        "[Result \"0-1\"]\n\n1. e4 *",
        "[Variant \"Antichess\"]\n[Result \"0-1\"]\n\n1. e4",
        "[Variant \"Antichess\"]\n\n1. e4 1-0",
        "1. e4 (1. d4 1-0) e5",
    ] {
        let tree: GameTree = file.parse().expect("a game");
        let log = read(file, None);
        assert!(log.trim_end().ends_with(tree.termination().as_str()), "{file}: {log}");
    }
}

/// Where games and comments begin.
#[test]
fn places_of_games_and_comments() {
    #[derive(Default)]
    struct Places(Vec<(u64, u64)>);
    impl Visitor for Places {
        const PLACES: bool = true;
        fn begins_at(&mut self, place: Place) {
            self.0.push((place.line, place.column));
        }
    }
    let file = "\n[Event \"A\"]\n\n1. e4 {x} e5\n{y\nz} 2. Nf3 ; rest\n*\n\n1. d4 {w} *\n".as_bytes();
    let (mut reader, mut places) = (Reader::new(file), Places::default());
    while reader.read_game(&mut places).expect("memory can be read") {}
    assert_eq!(places.0, [(2, 1), (4, 7), (5, 1), (6, 11), (9, 1), (9, 7)]);
}
