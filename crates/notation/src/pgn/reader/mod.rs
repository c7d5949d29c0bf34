//! The streaming reader: games are tags and moves.

mod moves;
mod skip;
mod tags;

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::LazyLock;

use ferz_board::{IllegalReason, Position};

use super::input::{Input, Place};
use super::replay::Replay;
use super::scan::find_line_end;
#[cfg(target_arch = "x86_64")]
use super::vectors::{Avx2, Avx512};
use super::vectors::{Baseline, Vectors};
use super::{Diagnostic, GameResult, Movetext, Problem, Stop, Visitor};
use skip::{Recipient, Skipped};
use tags::Start;

pub(super) use tags::{is_chess, position_of};

/// How much of a text a diagnostic quotes.
const MAX_QUOTE: usize = 40;

/// Reads games one after the other, in constant memory, and reports their contents to a [`Visitor`].
///
/// ```
/// use std::ops::ControlFlow;
///
/// use ferz_board::Move;
/// use ferz_notation::pgn::{GameResult, Reader, Stop, Visitor};
///
/// #[derive(Default)]
/// struct Count { plies: u32, draws: u32 }
///
/// impl Visitor for Count {
///     const VARIATIONS: bool = false;
///     fn mv(&mut self, _: Option<Move>) -> ControlFlow<Stop> {
///         self.plies += 1;
///         ControlFlow::Continue(())
///     }
///     fn end_game(&mut self, result: GameResult) { self.draws += u32::from(result == GameResult::Draw) }
/// }
///
/// let file = "[White \"Adams\"]\n\n1. e4 e5 (1... c5) 2. Nf3 1/2-1/2\n\n1. d4 d5 *".as_bytes();
/// let mut reader = Reader::new(file);
/// let mut count = Count::default();
/// while reader.read_game(&mut count)? {}
/// assert_eq!((reader.games(), count.plies, count.draws), (2, 5, 1));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    input: Input<R>,
    games: u64,
    /// No game is begun from this byte on.
    end: u64,
    /// The first `Result` tag of the present game, and the result it holds.
    declared: Option<Option<GameResult>>,
    /// The result at the end of the present game.
    result: Option<GameResult>,
    /// Whether a visitor has stopped the reading.
    is_stopped: bool,
}

/// Whether the game goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Over,
}

/// The start position, which nearly every game has.
static START: LazyLock<(Position, Replay)> = LazyLock::new(|| {
    let position = Position::start();
    (position, Replay::new(&position))
});

impl<R: Read> Reader<R> {
    /// A reader of anything that gives bytes; it has a buffer of its own.
    pub fn new(reader: R) -> Reader<R> {
        Reader {
            input: Input::new(reader),
            games: 0,
            end: u64::MAX,
            declared: None,
            result: None,
            is_stopped: false,
        }
    }

    /// How many games have been read.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Where in the file the reader is.
    pub fn place(&mut self) -> Place {
        self.input.here()
    }

    /// How many bytes of the file have been read.
    pub fn offset(&self) -> u64 {
        self.input.offset()
    }

    /// Games that begin at or after this byte are not read.
    pub(super) fn stop_at(&mut self, end: u64) {
        self.end = end;
    }

    /// Whether a visitor has stopped the reading.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Reads the next game; false at the end of the file, and behind a game in which the visitor has stopped the
    /// reading ([`Stop::Reading`]).
    pub fn read_game<V: Visitor>(&mut self, visitor: &mut V) -> io::Result<bool> {
        #[cfg(target_arch = "x86_64")]
        if let Some(vectors) = Avx512::detect() {
            // SAFETY: the value proves that the processor has the instructions.
            return unsafe { self.read_game_avx512(vectors, visitor) };
        } else if let Some(vectors) = Avx2::detect() {
            // SAFETY: as above.
            return unsafe { self.read_game_avx2(vectors, visitor) };
        }
        self.read_game_with(Baseline, visitor)
    }

    /// [`read_game_with`](Reader::read_game_with), compiled for AVX-512.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
    fn read_game_avx512<V: Visitor>(&mut self, vectors: Avx512, visitor: &mut V) -> io::Result<bool> {
        self.read_game_with(vectors, visitor)
    }

    /// [`read_game_with`](Reader::read_game_with), compiled for AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn read_game_avx2<V: Visitor>(&mut self, vectors: Avx2, visitor: &mut V) -> io::Result<bool> {
        self.read_game_with(vectors, visitor)
    }

    #[inline(always)]
    fn read_game_with<V: Visitor>(&mut self, vectors: impl Vectors, visitor: &mut V) -> io::Result<bool> {
        if self.is_stopped {
            return Ok(false);
        }
        if self.input.is_at_file_start() {
            self.skip_byte_order_mark(visitor)?;
        }
        let Some(start) = self.read_tags(vectors, visitor)? else { return Ok(false) };
        let position = match &start {
            _ if V::MOVETEXT == Movetext::Skip => None,
            Start::Standard => Some(&START.0),
            Start::From(position) => Some(&**position),
            Start::Unknown => None,
        };
        match position.map(|position| (position, visitor.begin_moves(position))) {
            Some((position, ControlFlow::Continue(()))) => match start {
                _ if V::MOVETEXT == Movetext::Positions => self.read_moves(vectors, visitor, *position)?,
                Start::Standard => self.read_moves(vectors, visitor, START.1)?,
                _ => self.read_moves(vectors, visitor, Replay::new(position))?,
            },
            Some((_, ControlFlow::Break(Stop::Reading))) => self.is_stopped = true,
            None if matches!(start, Start::Unknown) => self.read_unknown_moves(visitor)?,
            Some((_, ControlFlow::Break(Stop::Line | Stop::Game))) | None => {
                self.skip_moves(visitor, &mut Skipped::new(0, false))?;
                self.read_behind_result(visitor, 0, Recipient::Nobody)?;
            }
        }
        let declared = self.declared.flatten();
        visitor.end_game(self.result.or(declared).unwrap_or(GameResult::Unknown));
        Ok(true)
    }

    /// A byte-order mark is skipped; UTF-16 is refused whole, as nothing in it can be read.
    fn skip_byte_order_mark<V: Visitor>(&mut self, visitor: &mut V) -> io::Result<()> {
        self.input.look_ahead()?;
        match self.input.rest() {
            [0xef, 0xbb, 0xbf, ..] => self.input.advance(3),
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                self.report(visitor, Problem::Utf16, 0, 0);
                while self.input.look_ahead()? {
                    self.input.advance(usize::MAX);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Reports a problem at the cursor and quotes `quoted` bytes.
    #[cold]
    #[inline(never)]
    fn report<V: Visitor>(&mut self, visitor: &mut V, kind: Problem, ply: u32, quoted: usize) {
        self.report_move(visitor, kind, ply, quoted, None);
    }

    /// Reports a problem with a move at the cursor, and why the move is illegal.
    #[cold]
    #[inline(never)]
    fn report_move<V: Visitor>(
        &mut self,
        visitor: &mut V,
        kind: Problem,
        ply: u32,
        quoted: usize,
        reason: Option<IllegalReason>,
    ) {
        let rest = self.input.rest();
        let quote = &rest[..quoted.min(rest.len()).min(MAX_QUOTE)];
        let token = super::text(&quote[..find_line_end(quote).unwrap_or(quote.len())]);
        visitor.problem(Diagnostic { kind, place: self.input.here(), game: self.games, ply, token, reason });
    }

    /// Reports a line that starts like a tag but is not a tag; it may be the first of a game.
    #[cold]
    fn report_bad_tag<V: Visitor>(&mut self, visitor: &mut V, begun: bool) {
        let games = self.games;
        self.games += u64::from(!begun);
        let kind = if self.input.is_full() { Problem::TagTooLong } else { Problem::BadTag };
        self.report(visitor, kind, 0, MAX_QUOTE);
        self.games = games;
    }
}

/// How the first tag of a game begins. Behind an empty line it always begins a new game.
pub(in crate::pgn) const FIRST_TAG: &[u8] = b"[Event \"";
