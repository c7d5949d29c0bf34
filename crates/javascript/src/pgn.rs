//! PGN: a reader whose events are numbers and one text, and a writer.

use std::cell::RefCell;
use std::io::{self, Read};
use std::ops::ControlFlow;

use ferz_board::{CastlingMode, CastlingStyle, EnPassantMode, Move, Position};
use ferz_notation::pgn::{
    self, BoundedTree, Diagnostic, GameResult, Movetext, Nag, PgnWriter, Problem, Reader, Stop, TreeLimits,
    Visitor, WriteOptions,
};
use ferz_notation::san::San;

use crate::buffers::{san_bytes, set_output, with_input};
use crate::error::fail;
use crate::handles::Handles;
use crate::host;

/// Events: a number for the kind, and what follows it.
mod event {
    /// Nothing: the text is the name, then comes [`TAG_VALUE`].
    pub const TAG_NAME: u32 = 0;
    pub const TAG_VALUE: u32 = 1;
    /// The text is a FEN.
    pub const START: u32 = 2;
    /// The bits (0 for a null move), bit 16 for the castling of Chess960; then SAN in two words.
    pub const MOVE: u32 = 3;
    pub const COMMENT: u32 = 4;
    /// The number.
    pub const NAG: u32 = 5;
    pub const BEGIN_VARIATION: u32 = 6;
    pub const END_VARIATION: u32 = 7;
    /// Movetext that could not be read.
    pub const UNREAD: u32 = 8;
    /// Line, column, byte (two words), game, ply; then three texts: code, message, token.
    pub const PROBLEM: u32 = 9;
    pub const TEXT: u32 = 10;
    /// 0 unknown, 1 White, 2 Black, 3 draw. The game is complete.
    pub const END_GAME: u32 = 11;
    /// The game is too large and was cut.
    pub const CUT: u32 = 12;
}

/// After this many words the events are handed over.
const BATCH: usize = 16 << 10;
/// The most words and bytes of one game; no game of people comes near.
const MAX_WORDS: usize = 4 << 20;
const MAX_TEXT: usize = 16 << 20;

/// Records games as events.
#[derive(Default)]
struct Recorder {
    events: Vec<u32>,
    /// The texts of all events one after the other. Events have their lengths in UTF-16, as JavaScript counts.
    text: String,
    /// The parts of a comment or of unread movetext.
    parts: Vec<u8>,
    /// Where the present game begins.
    first_event: usize,
    first_text: usize,
    is_cut: bool,
}

impl Recorder {
    fn clear(&mut self) {
        self.events.clear();
        self.text.clear();
        // One large game must not hold its memory for ever.
        self.events.shrink_to(2 * BATCH);
        self.text.shrink_to(8 * BATCH);
        (self.first_event, self.first_text, self.is_cut) = (0, 0, false);
    }

    fn put_text(&mut self, kind: u32, text: &str) {
        if self.text.len() - self.first_text + text.len() > MAX_TEXT {
            self.is_cut = true;
            return self.put_text_unchecked(kind, "");
        }
        self.put_text_unchecked(kind, text);
    }

    fn put_text_unchecked(&mut self, kind: u32, text: &str) {
        let units = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
        self.events.extend([kind, units as u32]);
        self.text.push_str(text);
    }

    fn put_parts(&mut self, kind: u32, part: &[u8], last: bool) {
        if self.parts.len() < MAX_TEXT {
            self.parts.extend_from_slice(part);
        } else {
            self.is_cut = true;
        }
        if last {
            let text = pgn::text(&self.parts);
            self.parts = Vec::new();
            self.put_text(kind, &text);
        }
    }

    fn flow(&mut self) -> ControlFlow<Stop> {
        self.is_cut |= self.events.len() - self.first_event > MAX_WORDS;
        if self.is_cut { ControlFlow::Break(Stop::Game) } else { ControlFlow::Continue(()) }
    }
}

impl Visitor for Recorder {
    const MOVETEXT: Movetext = Movetext::Positions;

    fn begin_game(&mut self) {
        (self.first_event, self.first_text, self.is_cut) = (self.events.len(), self.text.len(), false);
    }

    fn tag(&mut self, name: &[u8], value: &[u8]) {
        if self.flow().is_continue() {
            self.put_text(event::TAG_NAME, &pgn::text(name));
            self.put_text(event::TAG_VALUE, &pgn::tag_value(value));
        }
    }

    fn begin_moves(&mut self, start: &Position) -> ControlFlow<Stop> {
        if *start == Position::start() {
            self.put_text(event::START, "");
        } else {
            let fen = start.fen(EnPassantMode::Always, CastlingStyle::XFen);
            self.put_text(event::START, fen.as_str());
        }
        self.flow()
    }

    fn play(&mut self, before: &Position, mv: Option<Move>, _: &Position) -> ControlFlow<Stop> {
        let (bits, san) = match mv {
            Some(mv) => {
                let chess960 = mv.is_castling() && before.castling_mode() == CastlingMode::Chess960;
                (u32::from(mv.bits()) | u32::from(chess960) << 16, San::new(before, mv))
            }
            None => (0, San::NULL),
        };
        let [a, b, c, d, e, f, g, h] = san_bytes(&san);
        let words = [u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])];
        self.events.extend([event::MOVE, bits, words[0], words[1]]);
        self.flow()
    }

    fn comment(&mut self, part: &[u8], last: bool) {
        self.put_parts(event::COMMENT, part, last);
    }

    fn nag(&mut self, nag: Nag) {
        if self.flow().is_continue() {
            self.events.extend([event::NAG, nag.0.into()]);
        }
    }

    fn unread(&mut self, part: &[u8], last: bool) {
        self.put_parts(event::UNREAD, part, last);
    }

    fn begin_variation(&mut self) -> ControlFlow<Stop> {
        self.events.push(event::BEGIN_VARIATION);
        self.flow()
    }

    fn end_variation(&mut self) {
        self.events.push(event::END_VARIATION);
    }

    fn problem(&mut self, problem: Diagnostic) {
        // Limited like the rest of a game, although problems come before it begins, too.
        if self.flow().is_break() {
            return;
        }
        let place = problem.place;
        self.events.extend([
            event::PROBLEM,
            place.line as u32,
            place.column as u32,
            place.byte as u32,
            (place.byte >> 32) as u32,
            problem.game as u32,
            problem.ply,
        ]);
        self.put_text(event::TEXT, problem.kind.name());
        self.put_text(event::TEXT, &problem.kind.to_string());
        self.put_text(event::TEXT, &problem.token);
    }

    fn end_game(&mut self, result: GameResult) {
        if self.is_cut {
            self.events.push(event::CUT);
        }
        let code = match result {
            GameResult::Unknown => 0,
            GameResult::Win(color) => 1 + u32::from(color.is_black()),
            GameResult::Draw => 3,
        };
        self.events.extend([event::END_GAME, code]);
        (self.first_event, self.first_text, self.is_cut) = (self.events.len(), self.text.len(), false);
    }
}

/// Text that JavaScript supplies.
struct Source(u32);

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        host::read(self.0, buffer).ok_or_else(|| io::Error::other("JavaScript has the error"))
    }
}

struct OpenReader {
    reader: Reader<Source>,
    recorder: Recorder,
}

thread_local! {
    static READERS: RefCell<Handles<OpenReader>> = const { RefCell::new(Handles::new()) };
}

fn with_recorder<R: Default>(handle: u32, work: impl FnOnce(&Recorder) -> R) -> R {
    READERS.with_borrow(|readers| readers.get(handle).map_or_else(R::default, |open| work(&open.recorder)))
}

exports! {
    /// Opens a reader; returns its handle.
    fn pgn_open() -> u32 {
        READERS.with_borrow_mut(|readers| {
            readers.insert(|handle| {
                OpenReader { reader: Reader::new(Source(handle)), recorder: Recorder::default() }
            })
        })
    }

    /// Reads some games: 1 if there may be more, 0 at the end, 2 if JavaScript has an error, 3 if the reader is at work
    /// already.
    fn pgn_read(handle: u32) -> u32 {
        let taken = READERS.with_borrow_mut(|readers| readers.take(handle));
        let Some(mut open) = taken else { return 3 };
        let OpenReader { reader, recorder } = &mut *open;
        recorder.clear();
        let status = loop {
            match reader.read_game(recorder) {
                Ok(true) if recorder.events.len() < BATCH => {}
                Ok(more) => break u32::from(more),
                Err(_) => break 2,
            }
        };
        READERS.with_borrow_mut(|readers| readers.put_back(handle, open));
        status
    }

    /// Where the events are.
    fn pgn_events_address(handle: u32) -> usize {
        with_recorder(handle, |recorder| recorder.events.as_ptr().addr())
    }

    /// How many words they have.
    fn pgn_events_length(handle: u32) -> usize {
        with_recorder(handle, |recorder| recorder.events.len())
    }

    /// Where their text is.
    fn pgn_text_address(handle: u32) -> usize {
        with_recorder(handle, |recorder| recorder.text.as_ptr().addr())
    }

    /// How many bytes it has.
    fn pgn_text_length(handle: u32) -> usize {
        with_recorder(handle, |recorder| recorder.text.len())
    }

    /// Closes a reader.
    fn pgn_close(handle: u32) {
        READERS.with_borrow_mut(|readers| readers.remove(handle));
    }

    /// Writes the game in the input in export format. Flags: 1 comments, 2 variations, 4 NAGs, 8 NAGs as symbols, 16 all
    /// seven roster tags, 32 problems are no error. Returns the length of the output; bit 31 is set if it is an error.
    fn pgn_write(length: usize, line_width: u32, flags: u32) -> u32 {
        const FAILED: u32 = 1 << 31;
        let has = |flag| flags & flag != 0;
        let options = WriteOptions::new()
            .line_width(line_width as usize)
            .comments(has(1))
            .variations(has(2))
            .nags(has(4))
            .symbols(has(8))
            .roster(has(16));
        with_input(length, |bytes| {
            let mut game = BoundedTree::new(TreeLimits::default());
            if !matches!(Reader::new(bytes).read_game(&mut game), Ok(true)) {
                return FAILED | fail("no-game", "the game is empty", &[]);
            }
            let problems = game.take_diagnostics().kept;
            let tree = match game.tree() {
                Ok(tree) => tree,
                Err(error) => return FAILED | fail("too-large", error, &[]),
            };
            // What the tree keeps as text is not lost, but it is not what the caller meant.
            let is_lost = |problem: &Diagnostic| {
                !tree.is_complete() || matches!(problem.kind, Problem::NotAMove | Problem::StrayCharacter)
            };
            if let Some(problem) = problems.iter().find(|problem| !has(32) && is_lost(problem)) {
                let message = if problem.token.is_empty() {
                    problem.kind.to_string()
                } else {
                    format!("{}: {}", problem.kind, problem.token.escape_debug())
                };
                return FAILED | fail(problem.kind.name(), message, &[problem.ply.to_string()]);
            }
            let mut writer = PgnWriter::with_options(Vec::new(), options);
            match writer.write(tree) {
                Ok(()) => set_output(writer.get_ref()),
                Err(error) => FAILED | fail("write", error, &[]),
            }
        })
    }
}
