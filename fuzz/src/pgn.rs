//! Records the events of a PGN reader, for comparison.

use std::io::{self, Read};
use std::mem;
use std::ops::ControlFlow;

use ferz_board::{Move, Position};
use ferz_notation::pgn::{Diagnostic, GameResult, Movetext, Nag, Place, Problem, Stop, Visitor};
use ferz_notation::san;

/// An event of a reader.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Event {
    BeginGame,
    Tag(Vec<u8>, Vec<u8>),
    BeginMoves(Box<Position>),
    Move(Option<Move>),
    San(Vec<u8>),
    Comment(Vec<u8>),
    Nag(Nag),
    BeginVariation,
    EndVariation,
    Result(GameResult),
    Problem(Diagnostic),
    EndGame,
}

impl Event {
    /// Whether every reader reports it, whatever it does with the moves.
    pub fn is_about_game(&self) -> bool {
        matches!(self, Event::BeginGame | Event::Tag(..) | Event::Result(_) | Event::EndGame)
    }
}

/// Skips the moves.
pub const SKIP: u8 = 0;
/// Reads the text of the moves.
pub const TOKENS: u8 = 1;
/// Reads the moves.
pub const MOVES: u8 = 2;
/// Asks for the moves, but declines them in every game.
pub const DECLINE: u8 = 3;
/// Reads the moves with their positions.
pub const POSITIONS: u8 = 4;
/// Stops a variation at its second move, and the game at its fifth.
pub const STOP: u8 = 5;

/// Keeps all events, with the parts of a comment joined, and checks them: moves are legal, refused words are not
/// moves, and everything that begins also ends.
#[derive(Debug, Default)]
pub struct Log<const WANTED: u8, const VARIATIONS: bool> {
    /// The events.
    pub events: Vec<Event>,
    /// The number of calls.
    pub calls: usize,
    comment: Vec<u8>,
    lines: Vec<LogLine>,
    is_in_game: bool,
}

/// A line of moves: the current position, and the one before the last move.
#[derive(Clone, Copy, Debug)]
struct LogLine {
    now: Position,
    before: Option<Position>,
    plies: u32,
}

impl<const WANTED: u8, const VARIATIONS: bool> Log<WANTED, VARIATIONS> {
    fn push(&mut self, event: Event) {
        assert!(self.comment.is_empty(), "{event:?} within a comment");
        self.calls += 1;
        self.events.push(event);
    }

    fn push_in_game(&mut self, event: Event) {
        assert!(self.is_in_game, "{event:?} outside of a game");
        self.push(event);
    }

    fn line(&mut self) -> &mut LogLine {
        self.lines.last_mut().expect("a line is open")
    }
}

impl<const WANTED: u8, const VARIATIONS: bool> Visitor for Log<WANTED, VARIATIONS> {
    const MOVETEXT: Movetext = match WANTED {
        SKIP => Movetext::Skip,
        TOKENS => Movetext::Tokens,
        POSITIONS => Movetext::Positions,
        _ => Movetext::Moves,
    };
    const VARIATIONS: bool = VARIATIONS;

    fn begin_game(&mut self) {
        assert!(!mem::replace(&mut self.is_in_game, true));
        self.push(Event::BeginGame);
    }

    fn tag(&mut self, name: &[u8], value: &[u8]) {
        self.push_in_game(Event::Tag(name.to_vec(), value.to_vec()));
    }

    fn begin_moves(&mut self, start: &Position) -> ControlFlow<Stop> {
        self.push_in_game(Event::BeginMoves(Box::new(*start)));
        self.lines = vec![LogLine { now: *start, before: None, plies: 0 }];
        if WANTED == DECLINE { ControlFlow::Break(Stop::Game) } else { ControlFlow::Continue(()) }
    }

    fn play(&mut self, before: &Position, mv: Option<Move>, after: &Position) -> ControlFlow<Stop> {
        assert_eq!(*before, self.line().now);
        let flow = self.mv(mv);
        assert_eq!(*after, self.line().now);
        flow
    }

    fn mv(&mut self, mv: Option<Move>) -> ControlFlow<Stop> {
        self.push_in_game(Event::Move(mv));
        let LogLine { now, before, plies } = self.line();
        let next = match mv {
            Some(mv) => {
                let mut next = *now;
                next.play(mv).unwrap_or_else(|error| panic!("{now}: {error}"));
                next
            }
            None => now.null_move().unwrap_or_else(|| panic!("{now}: a null move in check")),
        };
        *before = Some(mem::replace(now, next));
        *plies += 1;
        let (plies, depth) = (*plies, self.lines.len());
        match plies {
            2 if WANTED == STOP && depth > 1 => ControlFlow::Break(Stop::Line),
            5 if WANTED == STOP => ControlFlow::Break(Stop::Game),
            _ => ControlFlow::Continue(()),
        }
    }

    fn san(&mut self, text: &[u8]) -> ControlFlow<Stop> {
        assert!(!text.is_empty());
        self.push_in_game(Event::San(text.to_vec()));
        ControlFlow::Continue(())
    }

    fn comment(&mut self, part: &[u8], last: bool) {
        self.comment.extend(part);
        if last {
            let comment = mem::take(&mut self.comment);
            self.push_in_game(Event::Comment(comment));
        } else {
            self.calls += 1;
        }
    }

    fn nag(&mut self, nag: Nag) {
        self.push_in_game(Event::Nag(nag));
    }

    fn begin_variation(&mut self) -> ControlFlow<Stop> {
        assert!(VARIATIONS);
        self.push_in_game(Event::BeginVariation);
        let LogLine { now, before, .. } = *self.line();
        let start = if WANTED == TOKENS { now } else { before.expect("there is a move to be replaced") };
        self.lines.push(LogLine { now: start, before: None, plies: 0 });
        ControlFlow::Continue(())
    }

    fn end_variation(&mut self) {
        self.push_in_game(Event::EndVariation);
        self.lines.pop();
        assert!(!self.lines.is_empty());
    }

    fn result(&mut self, result: GameResult) {
        self.push_in_game(Event::Result(result));
    }

    fn problem(&mut self, problem: Diagnostic) {
        if WANTED == MOVES && is_about_word(&problem) {
            let LogLine { now, .. } = self.line();
            assert!(san::parse_or_null(now, &problem.token).is_err(), "{now}: {problem}");
        }
        self.push(Event::Problem(problem));
    }

    fn end_game(&mut self, _: GameResult) {
        self.push_in_game(Event::EndGame);
        assert!(self.lines.len() <= 1, "a variation is open");
        self.lines.clear();
        self.is_in_game = false;
    }
}

/// Whether the problem quotes a word completely and unchanged.
fn is_about_word(problem: &Diagnostic) -> bool {
    let Diagnostic { kind, token, .. } = problem;
    let is_kind = matches!(
        kind,
        Problem::NotAMove | Problem::ForeignMove | Problem::IllegalMove | Problem::AmbiguousMove
    );
    is_kind && token.is_ascii() && token.len() < 32
}

/// Panics with the first difference between two logs.
pub fn assert_same(left: &[Event], right: &[Event]) {
    let same = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    assert_eq!(left.get(same), right.get(same), "event {same}");
}

/// All places in a file, counted byte by byte.
#[derive(Debug)]
pub struct Places(Vec<Place>);

impl Places {
    /// The places in this file, including its end.
    pub fn new(file: &[u8]) -> Places {
        let mut place = Place { byte: 0, line: 1, column: 1 };
        let mut places = vec![place];
        for (at, &byte) in file.iter().enumerate() {
            let ends_line = byte == b'\n' || byte == b'\r' && file.get(at + 1) != Some(&b'\n');
            let Place { line, column, .. } = place;
            let (line, column) = if ends_line { (line + 1, 1) } else { (line, column + 1) };
            place = Place { byte: at as u64 + 1, line, column };
            places.push(place);
        }
        Places(places)
    }

    /// Whether line and column are those of the byte.
    pub fn has(&self, place: Place) -> bool {
        self.0.get(place.byte as usize) == Some(&place)
    }
}

/// Reads a file in pieces. Its own bytes are their lengths, so the fuzzer chooses them.
#[derive(Clone, Debug)]
pub struct Pieces<'a> {
    file: &'a [u8],
    longest: usize,
    /// How many bytes were given, and in how many pieces.
    given: usize,
    pieces: usize,
}

impl<'a> Pieces<'a> {
    /// Pieces of at most this length.
    pub fn new(file: &'a [u8], longest: usize) -> Pieces<'a> {
        Pieces { file, longest, given: 0, pieces: 0 }
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(&byte) = self.file.get(self.pieces % self.file.len().max(1)) else { return Ok(0) };
        self.pieces += 1;
        let len = (1 + usize::from(byte) % self.longest).min(buffer.len());
        let count = (&self.file[self.given..]).read(&mut buffer[..len])?;
        self.given += count;
        Ok(count)
    }
}
