//! The criteria of `ferz pgn filter`.

use anyhow::{Context, Result, anyhow};
use clap::Args;
use ferz_board::{CastlingMode, Move, Position, Repair};
use ferz_notation::pgn::{GameResult, tag_value};
use ferz_notation::san;

use super::super::range::NumberRange;
use crate::fen_argument;
use crate::progress::note;

/// The criteria on the command line.
#[derive(Args)]
pub(super) struct CriteriaOptions {
    /// `Name=value` (the tag has this value) or `Name~part` (its value contains this text). If repeated, all must hold
    #[arg(long = "tag", value_name = "TEST")]
    tags: Vec<String>,

    /// Ignore case in `--tag`
    #[arg(long)]
    ignore_case: bool,

    /// The result: 1-0, 0-1, 1/2-1/2 or *. If repeated, one must hold. The tag counts only if there is no result after
    /// the moves
    #[arg(long = "result", value_name = "RESULT", allow_hyphen_values = true)]
    results: Vec<String>,

    /// Both ratings (`WhiteElo` and `BlackElo`) are in this range: 2500..2700, 2500.. or ..2000
    #[arg(long, value_name = "MIN..MAX")]
    elo: Option<NumberRange>,

    /// The number of half-moves of the main line is in this range: 20..80, 20.. or ..80
    #[arg(long, value_name = "MIN..MAX")]
    length: Option<NumberRange>,

    /// The position (FEN) occurs in the main line. Clocks are ignored and may be missing
    #[arg(long, value_name = "FEN")]
    position: Option<String>,

    /// The game starts with these moves, such as "1. e4 e5 2. Nf3"
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
}

/// The parsed criteria.
pub(super) struct Criteria {
    pub(super) tags: Vec<TagTest>,
    pub(super) results: Vec<GameResult>,
    pub(super) elo: Option<NumberRange>,
    pub(super) length: Option<NumberRange>,
    /// The key of the position.
    pub(super) position: Option<u64>,
    pub(super) moves: Vec<Move>,
}

impl Criteria {
    pub(super) fn new(options: &CriteriaOptions) -> Result<Criteria> {
        let tag = |text: &String| TagTest::parse(text, options.ignore_case);
        let result = |text: &String| {
            GameResult::from_ascii(text.as_bytes())
                .with_context(|| format!("--result: expected 1-0, 0-1, 1/2-1/2 or *, found {text:?}"))
        };
        let position = |fen: &String| -> Result<u64> {
            let (position, repairs) = fen_argument::lenient(fen, CastlingMode::Chess960)?;
            let is_reported = |repair: &&Repair| !matches!(repair, Repair::Missing(_));
            repairs.iter().filter(is_reported).for_each(|repair| note(format_args!("note: {repair}")));
            Ok(position.repetition_key())
        };
        Ok(Criteria {
            tags: options.tags.iter().map(tag).collect::<Result<_>>()?,
            results: options.results.iter().map(result).collect::<Result<_>>()?,
            elo: options.elo,
            length: options.length,
            position: options.position.as_ref().map(position).transpose()?,
            moves: parse_moves(options.moves.as_deref().unwrap_or_default())?,
        })
    }

    /// Whether the moves must be read.
    pub(super) fn need_moves(&self) -> bool {
        self.length.is_some() || self.position.is_some() || !self.moves.is_empty()
    }
}

/// Parses moves from the start position, with or without move numbers.
fn parse_moves(text: &str) -> Result<Vec<Move>> {
    let mut position = Position::start();
    let mut moves = Vec::new();
    for word in text.split_ascii_whitespace() {
        // `1.`, `1...` and `1.e4` are all accepted.
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let word = if word.contains('.') { word.trim_start_matches(is_number) } else { word };
        if word.is_empty() {
            continue;
        }
        let mv = san::parse_lenient(&position, word).map_err(|error| anyhow!("--moves: {error}"))?;
        position.play_unchecked(mv);
        moves.push(mv);
    }
    Ok(moves)
}

/// A test of one tag.
pub(super) struct TagTest {
    name: String,
    wanted: String,
    relation: Relation,
    ignore_case: bool,
}

#[derive(Clone, Copy)]
enum Relation {
    Equals,
    Contains,
}

impl TagTest {
    fn parse(text: &str, ignore_case: bool) -> Result<TagTest> {
        let at = text.find(['=', '~']).filter(|&at| at > 0);
        let at = at.with_context(|| format!("--tag: expected Name=value or Name~part, found {text:?}"))?;
        let relation = if text[at..].starts_with('=') { Relation::Equals } else { Relation::Contains };
        let wanted = &text[at + 1..];
        let wanted = if ignore_case { wanted.to_lowercase() } else { wanted.to_owned() };
        Ok(TagTest { name: text[..at].to_owned(), wanted, relation, ignore_case })
    }

    /// Whether a tag passes. The value is as written in the file.
    pub(super) fn passes(&self, name: &[u8], value: &[u8]) -> bool {
        if name != self.name.as_bytes() {
            return false;
        }
        let value = tag_value(value);
        let value = if self.ignore_case { value.to_lowercase() } else { value };
        match self.relation {
            Relation::Equals => value == self.wanted,
            Relation::Contains => value.contains(&self.wanted),
        }
    }
}
