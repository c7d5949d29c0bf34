//! What is read does not depend on how the input is cut, neither into parts nor into reads.

use std::ops::ControlFlow;

use fastrand::Rng;
use ferz_board::{CastlingMode, Move, Position};

use super::*;
use crate::pgn::{GameResult, Nag, Stop};

/// Everything that is told, as text.
#[derive(Default)]
struct Log {
    events: Vec<String>,
    problems: Vec<(usize, Diagnostic)>,
    comment: Vec<u8>,
}

impl Log {
    fn push(&mut self, event: impl Into<String>) {
        self.events.push(event.into());
    }
}

impl Visitor for Log {
    fn begin_game(&mut self) {
        self.push("game");
    }
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        self.push(format!("{} = {}", name.escape_ascii(), value.escape_ascii()));
    }
    fn begin_moves(&mut self, start: &Position) -> ControlFlow<Stop> {
        self.push(start.to_string());
        ControlFlow::Continue(())
    }
    fn mv(&mut self, mv: Option<Move>) -> ControlFlow<Stop> {
        self.push(mv.map_or("--".to_owned(), |mv| mv.uci(CastlingMode::Chess960).to_string()));
        ControlFlow::Continue(())
    }
    fn comment(&mut self, part: &[u8], last: bool) {
        self.comment.extend(part);
        if last {
            let comment = mem::take(&mut self.comment);
            self.push(format!("{{{}}}", comment.escape_ascii()));
        }
    }
    fn nag(&mut self, nag: Nag) {
        self.push(format!("${}", nag.0));
    }
    fn begin_variation(&mut self) -> ControlFlow<Stop> {
        self.push("(");
        ControlFlow::Continue(())
    }
    fn end_variation(&mut self) {
        self.push(")");
    }
    fn result(&mut self, result: GameResult) {
        self.push(result.as_str());
    }
    fn problem(&mut self, problem: Diagnostic) {
        self.problems.push((self.events.len(), problem));
    }
    fn end_game(&mut self, result: GameResult) {
        self.push(format!("end {result}"));
    }
}

/// All events of a file with its problems between them, and the error at its end.
fn log(input: impl Read + Send, threads: usize, part_len: usize) -> Vec<String> {
    let mut all = Vec::new();
    let work = |batch: &mut Batch<'_>| batch.read_all(Log::default());
    let outcome = read_in(Splitter::new(input, part_len), threads, work, |log, origin| {
        let mut problems = log.problems.into_iter().peekable();
        let mut tell = |all: &mut Vec<String>, at| {
            while let Some((_, mut problem)) = problems.next_if(|problem| problem.0 == at) {
                origin.locate(&mut problem);
                all.push(format!("at {}: {problem}", problem.place.byte));
            }
        };
        for (at, event) in log.events.into_iter().enumerate() {
            tell(&mut all, at);
            all.push(event);
            tell(&mut all, at + 1);
        }
        tell(&mut all, 0);
        Ok::<_, io::Error>(())
    });
    all.extend(outcome.err().map(|error| format!("error: {error}")));
    all
}

/// Shows no more than the first difference.
fn assert_same(left: &[String], right: &[String], text: &[u8]) {
    let same = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let next = |events: &[String]| events.get(same).cloned();
    assert_eq!(next(left), next(right), "event {same} of {}", text.escape_ascii());
}

/// Text that is all about beginnings and ends.
fn random_text(random: &mut Rng, len: usize) -> Vec<u8> {
    const WORDS: [&[u8]; 36] = [
        b"\n\n[Event \"x\"]\n",
        b"\n\n[Event \"y\"]\n\n1. e4 e5 2. Nf3 *",
        b"\r\n\r\n[Event \"z\"]\r\n[Site \"?\"]\r\n\r\n1. d4 d5 1-0",
        b"\n\r\n[Event \"",
        b"\n[Event \"a\"]",
        b"\n\n[Site \"b\"]\n",
        b"\n\n[Eve",
        b"\n\n\n",
        b"\r\r[Event \"c\"]\r",
        b" \n",
        b"\n\t\n[Event \"d\"]\n",
        b"\n",
        b"\r\n",
        b"\r",
        b"{",
        b"}",
        b"(",
        b")",
        b";",
        b"\n%",
        b" 1. e4 ",
        b" e5 ",
        b" Nf3 ",
        b" Ke2 ",
        b" O-O ",
        b" 1-0 ",
        b" * ",
        b" $1 ",
        b"[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n",
        b"[FEN \"8\"]\n",
        b"[Bad]\n",
        b"&",
        b"\"",
        b"\\",
        b"\xff\xfe",
        b"--",
    ];
    let mut text = Vec::new();
    while text.len() < len {
        text.extend(WORDS[random.usize(..WORDS.len())]);
    }
    text
}
/// Gives a few bytes at a time, and fails at the end if it is to.
struct Trickle<'a> {
    bytes: &'a [u8],
    random: Rng,
    fails: bool,
}

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.fails && self.bytes.is_empty() {
            return Err(io::Error::other("broken"));
        }
        let len = buffer.len().min(1 + self.random.usize(..100));
        self.bytes.read(&mut buffer[..len])
    }
}

#[test]
fn threads_and_parts_make_no_difference() {
    let mut random = Rng::with_seed(1);
    for round in 0..400 {
        let len = random.usize(..6000);
        let mut text = random_text(&mut random, len);
        if round % 16 == 0 {
            text.splice(0..0, *b"\xff\xfe");
        }
        let expected = log(&text[..], 1, PART);
        for part_len in [12, 40, 300, 2000] {
            assert_same(&log(&text[..], 3, part_len), &expected, &text);
        }
    }
}

#[test]
fn short_reads_and_errors_make_no_difference() {
    let mut random = Rng::with_seed(2);
    for round in 0..300 {
        let len = random.usize(..4000);
        let text = random_text(&mut random, len);
        let trickle = |fails| Trickle { bytes: &text, random: Rng::with_seed(round), fails };
        let expected = log(&text[..], 1, PART);
        assert_same(&log(trickle(false), 1, PART), &expected, &text);
        // Of the last line before an error, more or less may be read.
        for (threads, part_len) in [(1, PART), (2, 40), (2, 300)] {
            let mut events = log(trickle(true), threads, part_len);
            assert_eq!(events.pop().as_deref(), Some("error: broken"));
            assert_same(&events, &expected[..events.len()], &text);
        }
    }
}

#[test]
fn an_empty_line_and_the_first_tag_always_begin_a_game() {
    for before in
        ["", "[Event \"a\"]", "1. e4", "1. e4 {open", "1. e4 (1. d4 {open", "; x", "%", "[x", "1. Ke2"]
    {
        let text = format!("[Event \"a\"]\n\n{before}\n\n[Event \"b\"]\n\n1. d4 *\n");
        for threads in [1, 2] {
            let events = log(text.as_bytes(), threads, 12);
            let last = events.iter().rposition(|event| event == "game").expect("there are games");
            assert_eq!(events[last + 1], "Event = b", "{text}");
            assert_eq!(events[last + 3..], ["d2d4", "*", "end *"], "{text}");
        }
    }
}

#[test]
fn games_that_are_not_wanted_are_counted() {
    let text = "[Event \"a\"]\n\n1. Ke2 *\n\n[Event \"b\"]\n\n1. e4 *\n\n".repeat(40);
    for (threads, part_len) in [(1, 100), (2, 100)] {
        let mut seen = Vec::new();
        let work = |batch: &mut Batch<'_>| {
            // Only the first game of a batch.
            let mut log = Log::default();
            batch.read_game(&mut log);
            log.problems
        };
        read_in(Splitter::new(text.as_bytes(), part_len), threads, work, |problems, origin| {
            for (_, mut problem) in problems {
                origin.locate(&mut problem);
                seen.push((problem.game, problem.place));
            }
            Ok::<_, io::Error>(())
        })
        .expect("nothing fails");
        assert!(!seen.is_empty());
        for (game, place) in seen {
            assert_eq!((place.byte, place.line), (45 * (game / 2) + 16, 8 * (game / 2) + 3), "game {game}");
        }
    }
}

#[test]
fn an_error_of_the_receiver_ends_the_reading() {
    let text = "[Event \"a\"]\n\n1. e4 *\n\n".repeat(1000);
    for threads in [1, 3] {
        let mut calls = 0;
        let outcome = read_in(
            Splitter::new(text.as_bytes(), 100),
            threads,
            |_| (),
            |(), _| {
                calls += 1;
                if calls == 3 { Err(io::Error::other("enough")) } else { Ok(()) }
            },
        );
        assert_eq!(outcome.unwrap_err().to_string(), "enough");
        assert_eq!(calls, 3);
    }
}

#[test]
#[should_panic = "a scoped thread panicked"]
fn a_panic_is_passed_on() {
    let text = "[Event \"a\"]\n\n1. e4 *\n\n".repeat(1000);
    let work = |_: &mut Batch<'_>| panic!("on purpose");
    let _ = read_in::<(), io::Error>(Splitter::new(text.as_bytes(), 100), 2, work, |(), _| Ok(()));
}

/// Two threads that ask at the same time for what the splitter has refused both get nothing.
#[test]
fn what_cannot_be_split_is_refused_to_every_thread() {
    let text = b"\xff\xfe 1-0 \n\n[Event \"x\"]\n\n1. e4 *\n\n[Event \"y\"]\n\n1. d4 *\n\n[Event \"z\"]\n\n*"
        .repeat(3);
    let queue = Queue::new(Splitter::new(&text[..], 40), 8);
    let mut part = Part::default();
    assert_eq!(queue.take(&mut part), None);
    assert_eq!(queue.take(&mut part), None, "asked again before the first thread has left");
}

/// What comes before a stop is delivered, and nothing behind it, however many threads are ahead.
#[test]
fn a_stop_ends_the_reading() {
    struct UntilWanted(Vec<String>);
    impl Visitor for UntilWanted {
        fn tag(&mut self, _: &[u8], value: &[u8]) {
            self.0.push(value.escape_ascii().to_string());
        }
        fn mv(&mut self, mv: Option<Move>) -> ControlFlow<Stop> {
            let is_wanted = mv.is_some_and(|mv| mv.uci(CastlingMode::Standard).to_string() == "d2d4");
            if is_wanted { ControlFlow::Break(Stop::Reading) } else { ControlFlow::Continue(()) }
        }
    }
    let games = (0..1000).map(|game| {
        let mv = if game == 700 || game == 701 { "d4" } else { "e4" };
        format!("[Event \"{game}\"]\n\n1. {mv} (1. c4) *\n\n")
    });
    let text: String = games.collect();
    let expected: Vec<_> = (0..=700).map(|game| game.to_string()).collect();
    for (threads, part_len) in [(1, PART), (1, 100), (3, 100), (3, 1000), (3, PART)] {
        let mut seen = Vec::new();
        let work = |batch: &mut Batch<'_>| batch.read_all(UntilWanted(Vec::new())).0;
        read_in(Splitter::new(text.as_bytes(), part_len), threads, work, |mut names, _| {
            seen.append(&mut names);
            Ok::<_, io::Error>(())
        })
        .expect("nothing fails");
        assert_eq!(seen, expected, "{threads} threads, {part_len} bytes");
    }
}
