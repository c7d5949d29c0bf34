//! Diagnostics: what is wrong in a PGN file, and where.

use std::fmt;

use ferz_board::IllegalReason;

use super::input::Place;

/// One problem in a PGN file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What.
    pub kind: Problem,
    /// Where.
    pub place: Place,
    /// The number of the game in the file, from 1.
    pub game: u64,
    /// How many plies of the line were read before.
    pub ply: u32,
    /// The text in question, cut if it is long.
    pub token: String,
    /// Why a move is illegal, if it is clear which piece was meant.
    pub reason: Option<IllegalReason>,
}

/// `line:column: kind: message (game, ply): token: reason`
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column, .. } = self.place;
        write!(f, "{line}:{column}: {}: {} (game {}", self.kind.name(), self.kind, self.game)?;
        if self.ply > 0 {
            write!(f, ", ply {}", self.ply)?;
        }
        f.write_str(")")?;
        if !self.token.is_empty() {
            f.write_str(": ")?;
            write_printable(f, &self.token)?;
        }
        self.reason.map_or(Ok(()), |reason| write!(f, ": {reason}"))
    }
}

/// Writes text from a file so that it cannot control a terminal. Quotes are harmless and stay: most quoted texts are
/// tags.
fn write_printable(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    const QUOTES: [char; 2] = ['"', '\''];
    text.split_inclusive(QUOTES).try_for_each(|part| {
        let plain = part.trim_end_matches(QUOTES);
        write!(f, "{}{}", plain.escape_debug(), &part[plain.len()..])
    })
}

/// The kind of a problem in a PGN file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The file is UTF-16: it must be converted first.
    Utf16,
    /// A line that starts like a tag but is not a tag.
    BadTag,
    /// A tag without its closing quote and bracket; the rest of its line is taken for the value.
    UnclosedTag,
    /// A tag of more than a mebibyte.
    TagTooLong,
    /// The `FEN` tag is not a legal position.
    BadFen,
    /// The `Variant` tag names a game other than chess.
    OtherVariant,
    /// A word that is not a move.
    NotAMove,
    /// A move with a piece letter of another language, as in `Sf3`.
    ForeignMove,
    /// A move that is not legal.
    IllegalMove,
    /// A move that several pieces can make.
    AmbiguousMove,
    /// A character that has no meaning here.
    StrayCharacter,
    /// A `$` without a number from 0 to 255.
    BadNag,
    /// A `)` without a `(`.
    UnopenedVariation,
    /// A `(` without a `)`.
    UnclosedVariation,
    /// A variation without a move that it could replace.
    VariationWithoutMove,
    /// Variations nested too deeply to be read.
    TooDeep,
    /// A `{` without a `}`.
    UnclosedComment,
    /// The result at the end is not that of the `Result` tag.
    ResultMismatch,
}

impl Problem {
    /// A short name for scripts, e.g. `illegal-move`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Problem::Utf16 => "utf-16",
            Problem::BadTag => "bad-tag",
            Problem::UnclosedTag => "unclosed-tag",
            Problem::TagTooLong => "tag-too-long",
            Problem::BadFen => "bad-fen",
            Problem::OtherVariant => "other-variant",
            Problem::NotAMove => "not-a-move",
            Problem::ForeignMove => "foreign-move",
            Problem::IllegalMove => "illegal-move",
            Problem::AmbiguousMove => "ambiguous-move",
            Problem::StrayCharacter => "stray-character",
            Problem::BadNag => "bad-nag",
            Problem::UnopenedVariation => "unopened-variation",
            Problem::UnclosedVariation => "unclosed-variation",
            Problem::VariationWithoutMove => "variation-without-move",
            Problem::TooDeep => "too-deep",
            Problem::UnclosedComment => "unclosed-comment",
            Problem::ResultMismatch => "result-mismatch",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Problem::Utf16 => "the file is UTF-16; convert it to UTF-8",
            Problem::BadTag => "not a tag: expected [Name \"value\"]",
            Problem::UnclosedTag => "the tag is not closed",
            Problem::TagTooLong => "the tag is too long",
            Problem::BadFen => "the FEN tag is not a legal position; moves skipped",
            Problem::OtherVariant => "the variant is not chess; moves skipped",
            Problem::NotAMove => "not a move",
            Problem::ForeignMove => "not an English piece letter (N B R Q K); rest of the line skipped",
            Problem::IllegalMove => "illegal move; rest of the line skipped",
            Problem::AmbiguousMove => "ambiguous move; rest of the line skipped",
            Problem::StrayCharacter => "unexpected character",
            Problem::BadNag => "expected a number from 0 to 255 after $",
            Problem::UnopenedVariation => "no variation to close",
            Problem::UnclosedVariation => "the variation is not closed",
            Problem::VariationWithoutMove => "no move that the variation could replace",
            Problem::TooDeep => "variations are nested too deeply",
            Problem::UnclosedComment => "the comment is not closed",
            Problem::ResultMismatch => "the result contradicts the Result tag",
        })
    }
}
