//! PGN: a streaming reader for files of any size, a game tree, and a writer.

pub mod annotation;
mod byte_masks;
mod diagnostic;
mod game_result;
mod input;
pub mod parallel;
mod reader;
mod replay;
mod scan;
mod sight;
mod tag;
mod token;
mod tree;
mod vectors;
mod write;

pub use diagnostic::{Diagnostic, Problem};
pub use game_result::NotAResult;
pub use input::Place;
pub use reader::Reader;
pub use tree::{
    BoundedDiagnostics, BoundedTree, Children, Comments, EditError, GameTooLarge, GameTree, Games, LineMoves,
    MainLinePositions, Nags, NoGame, NodeId, Positions, TagError, Tags, TreeBuilder, TreeLimit, TreeLimits,
    UnreadVariations, Walk, WalkEvent, games,
};
pub use write::{PgnWriter, WriteOptions};

use core::ops::ControlFlow;

use ferz_board::{Color, Move, Outcome, Position};

use tag::ShortTag;

/// What a reader does with the moves of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Movetext {
    /// Nothing: the text is skipped up to the next game.
    Skip,
    /// Takes it apart, without a board: [`Visitor::san`] is called.
    Tokens,
    /// Plays and so proves every move legal: [`Visitor::mv`] is called.
    Moves,
    /// The same, on a full [`Position`] with its key: [`Visitor::play`] is called.
    Positions,
}

impl Movetext {
    /// Whether the moves are played.
    const fn is_played(self) -> bool {
        matches!(self, Movetext::Moves | Movetext::Positions)
    }
}

/// How much a [`Visitor`] skips.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stop {
    /// The rest of the variation; in the main line the rest of the game.
    Line,
    /// The rest of the game. Its result is still reported.
    Game,
    /// The rest of the file. The present game is the last one: the next [`Reader::read_game`] returns false.
    Reading,
}

/// Receives the contents of a PGN file in their order.
///
/// Every method has a default that does nothing. The reader skips what the constants exclude.
///
/// Methods that return a [`ControlFlow`] can stop the reader. Whatever is skipped, [`end_variation`] is called for every
/// variation that has begun and [`end_game`] for every game. A visitor that always continues pays nothing for it.
///
/// The first moves of all games, with the positions they are played in:
///
/// ```
/// use std::collections::HashMap;
/// use std::ops::ControlFlow;
///
/// use ferz_board::{Move, Position};
/// use ferz_notation::pgn::{GameResult, Movetext, Reader, Stop, Visitor};
///
/// #[derive(Default)]
/// struct Explorer { ply: u32, played: HashMap<(u64, Move), u32>, draws: u32 }
///
/// impl Visitor for Explorer {
///     const MOVETEXT: Movetext = Movetext::Positions;
///     const VARIATIONS: bool = false;
///
///     fn begin_game(&mut self) { self.ply = 0 }
///
///     fn play(&mut self, before: &Position, mv: Option<Move>, _: &Position) -> ControlFlow<Stop> {
///         if let Some(mv) = mv {
///             *self.played.entry((before.repetition_key(), mv)).or_default() += 1;
///         }
///         self.ply += 1;
///         if self.ply < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(Stop::Game) }
///     }
///
///     fn end_game(&mut self, result: GameResult) { self.draws += u32::from(result == GameResult::Draw) }
/// }
///
/// let file = "1. e4 e5 2. Nf3 Nc6 3. Bb5 1/2-1/2\n\n[Result \"1/2-1/2\"]\n\n1. e4 c5\n".as_bytes();
/// let (mut reader, mut explorer) = (Reader::new(file), Explorer::default());
/// while reader.read_game(&mut explorer)? {}
/// let start = Position::start();
/// assert_eq!(explorer.played[&(start.repetition_key(), start.parse_uci("e2e4")?)], 2);
/// assert_eq!((explorer.played.len(), explorer.draws), (4, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`end_variation`]: Visitor::end_variation
/// [`end_game`]: Visitor::end_game
pub trait Visitor {
    /// What is done with the moves.
    const MOVETEXT: Movetext = Movetext::Moves;
    /// Whether variations are read, or skipped.
    const VARIATIONS: bool = true;
    /// Whether [`Visitor::begins_at`] is called.
    const PLACES: bool = false;

    /// Where the game or comment begins that comes next ([`Visitor::PLACES`]).
    #[inline]
    fn begins_at(&mut self, place: Place) {
        let _ = place;
    }

    /// A game begins.
    #[inline]
    fn begin_game(&mut self) {}

    /// A tag. The value is as written, see [`tag_value`].
    #[inline]
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        let _ = (name, value);
    }

    /// A short tag of the usual form. Only this crate can override it (no other can name the type), to store tags faster
    /// than name and value one by one.
    #[doc(hidden)]
    #[inline]
    fn short_tag(&mut self, tag: ShortTag<'_>) {
        self.tag(tag.name(), tag.value());
    }

    /// The tags are complete, and the moves begin from this position.
    #[inline]
    fn begin_moves(&mut self, start: &Position) -> ControlFlow<Stop> {
        let _ = start;
        ControlFlow::Continue(())
    }

    /// A legal move, `None` for a null move ([`Movetext::Moves`]).
    #[inline]
    fn mv(&mut self, mv: Option<Move>) -> ControlFlow<Stop> {
        let _ = mv;
        ControlFlow::Continue(())
    }

    /// A legal move, `None` for a null move, with the positions before and after it ([`Movetext::Positions`]).
    #[inline]
    fn play(&mut self, before: &Position, mv: Option<Move>, after: &Position) -> ControlFlow<Stop> {
        let _ = (before, mv, after);
        ControlFlow::Continue(())
    }

    /// The text of a move ([`Movetext::Tokens`]).
    #[inline]
    fn san(&mut self, text: &[u8]) -> ControlFlow<Stop> {
        let _ = text;
        ControlFlow::Continue(())
    }

    /// A comment, without its braces. Long ones come in several parts; `last` is true for the last.
    #[inline]
    fn comment(&mut self, part: &[u8], last: bool) {
        let _ = (part, last);
    }

    /// A numeric annotation glyph, also where `!?` and the like were written.
    #[inline]
    fn nag(&mut self, nag: Nag) {
        let _ = nag;
    }

    /// Movetext that cannot be read as legal moves: the rest of a line from an illegal move on, a variation (in its
    /// brackets) that replaces no move or is nested too deeply, or all moves of a game whose start is unknown. It comes in
    /// parts; `last` is true for the last, which may be empty.
    ///
    /// The text is as written, except that blanks are reduced to one, and what would disturb the text behind it is put
    /// right: comments and brackets are closed; results, escaped lines and closing brackets without an opening one are
    /// left out.
    #[inline]
    fn unread(&mut self, part: &[u8], last: bool) {
        let _ = (part, last);
    }

    /// A variation begins: alternatives to the last move. [`Stop::Line`] skips it.
    #[inline]
    fn begin_variation(&mut self) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }

    /// It ends.
    #[inline]
    fn end_variation(&mut self) {}

    /// The result at the end of the game, if it is there.
    #[inline]
    fn result(&mut self, result: GameResult) {
        let _ = result;
    }

    /// A problem. Reading goes on.
    #[inline]
    fn problem(&mut self, problem: Diagnostic) {
        let _ = problem;
    }

    /// The game is over. The result is the one behind the moves, or else that of the `Result` tag, or else unknown.
    #[inline]
    fn end_game(&mut self, result: GameResult) {
        let _ = result;
    }
}

/// A numeric annotation glyph, `$0` to `$255`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Nag(pub u8);

impl Nag {
    /// `!`
    pub const GOOD: Nag = Nag(1);
    /// `?`
    pub const MISTAKE: Nag = Nag(2);
    /// `!!`
    pub const BRILLIANT: Nag = Nag(3);
    /// `??`
    pub const BLUNDER: Nag = Nag(4);
    /// `!?`
    pub const INTERESTING: Nag = Nag(5);
    /// `?!`
    pub const DUBIOUS: Nag = Nag(6);

    /// The usual sign, if there is one in ASCII: `!?`, `+-` …
    #[must_use]
    pub const fn symbol(self) -> Option<&'static str> {
        Some(match self.0 {
            1 => "!",
            2 => "?",
            3 => "!!",
            4 => "??",
            5 => "!?",
            6 => "?!",
            10 => "=",
            14 => "+=",
            15 => "=+",
            16 => "+/-",
            17 => "-/+",
            18 => "+-",
            19 => "-+",
            _ => return None,
        })
    }

    /// What a sign in a game means.
    #[must_use]
    pub const fn from_symbol(symbol: &[u8]) -> Option<Nag> {
        Some(Nag(match symbol {
            b"!" => 1,
            b"?" => 2,
            b"!!" => 3,
            b"??" => 4,
            b"!?" => 5,
            b"?!" => 6,
            b"=" => 10,
            b"+=" | b"+/=" => 14,
            b"=+" | b"=/+" => 15,
            b"+/-" => 16,
            b"-/+" => 17,
            b"+-" => 18,
            b"-+" => 19,
            b"N" | b"TN" => 146,
            _ => return None,
        }))
    }
}

/// The result of a game as PGN writes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameResult {
    /// `1-0` or `0-1`
    Win(Color),
    /// `1/2-1/2`
    Draw,
    /// `*`: the game goes on, or its end is unknown.
    Unknown,
}

impl GameResult {
    /// The PGN text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            GameResult::Win(Color::White) => "1-0",
            GameResult::Win(Color::Black) => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        }
    }

    /// Reads the PGN text; `1/2` and `½` are draws, too.
    #[must_use]
    pub const fn from_ascii(text: &[u8]) -> Option<GameResult> {
        match text {
            b"1-0" => Some(GameResult::Win(Color::White)),
            b"0-1" => Some(GameResult::Win(Color::Black)),
            b"1/2-1/2" | b"1/2" | b"\xc2\xbd" | b"\xbd" => Some(GameResult::Draw),
            b"*" => Some(GameResult::Unknown),
            _ => None,
        }
    }
}

/// The result of a game that ended on the board.
///
/// ```
/// use ferz_board::{DrawReason, Outcome};
/// use ferz_notation::pgn::GameResult;
/// assert_eq!(GameResult::from(Outcome::Draw(DrawReason::Stalemate)).as_str(), "1/2-1/2");
/// ```
impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> GameResult {
        outcome.winner().map_or(GameResult::Draw, GameResult::Win)
    }
}

impl core::fmt::Display for GameResult {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.as_str())
    }
}

/// A tag value or comment as text: UTF-8, or else Latin-1, which every file that is not UTF-8 is read as.
#[must_use]
pub fn text(bytes: &[u8]) -> String {
    match core::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// A tag value as text, with `\"` and `\\` resolved.
#[must_use]
pub fn tag_value(bytes: &[u8]) -> String {
    let mut resolved = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter();
    while let Some(&byte) = rest.next() {
        let escaped = matches!(rest.as_slice().first(), Some(b'"' | b'\\'));
        match rest.as_slice().first() {
            Some(&next) if byte == b'\\' && escaped => {
                resolved.push(next);
                rest.next();
            }
            _ => resolved.push(byte),
        }
    }
    text(&resolved)
}
