//! What games are selected by.

use anyhow::{Context, Result, anyhow};
use clap::Args;
use ferz_board::{CastlingMode, Move, Position, Repair};
use ferz_notation::pgn::{GameResult, tag_value};
use ferz_notation::san;

use super::super::range::Range;
use crate::fen_argument;
use crate::progress::tell;

/// The criteria as they are given.
#[derive(Args)]
pub(super) struct CriteriaOptions {
    /// `Name=value`: there is such a tag with this value; `Name~part`: one whose value contains this. May be given
    /// several times: all must hold
    #[arg(long = "tag", value_name = "TEST")]
    tags: Vec<String>,

    /// Capital and small letters are the same in `--tag`
    #[arg(long)]
    ignore_case: bool,

    /// The result: 1-0, 0-1, 1/2-1/2 or *. May be given several times: one must hold. What stands behind the moves
    /// counts, and only without that the tag
    #[arg(long = "result", value_name = "RESULT", allow_hyphen_values = true)]
    results: Vec<String>,

    /// Both ratings (`WhiteElo` and `BlackElo`) are in this range, ends included: 2500..2700, 2500.., ..2000
    #[arg(long, value_name = "MIN..MAX")]
    elo: Option<Range>,

    /// The main line has so many half-moves, ends included: 20..80, 20.., ..80
    #[arg(long, value_name = "MIN..MAX")]
    length: Option<Range>,

    /// The position occurs in the main line, by whatever moves; clocks do not matter. Given as FEN, whose clocks may
    /// be missing
    #[arg(long, value_name = "FEN")]
    position: Option<String>,

    /// The game begins with these moves, e.g. "1. e4 e5 2. Nf3"
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
}

/// The criteria as they are used.
pub(super) struct Criteria {
    pub(super) tags: Vec<TagTest>,
    pub(super) results: Vec<GameResult>,
    pub(super) elo: Option<Range>,
    pub(super) length: Option<Range>,
    /// The key of the position.
    pub(super) position: Option<u64>,
    pub(super) moves: Vec<Move>,
}

impl Criteria {
    pub(super) fn new(options: &CriteriaOptions) -> Result<Criteria> {
        let tag = |text: &String| TagTest::parse(text, options.ignore_case);
        let result = |text: &String| {
            GameResult::from_ascii(text.as_bytes())
                .with_context(|| format!("--result: {text:?} is no result"))
        };
        let position = |fen: &String| -> Result<u64> {
            let (position, repairs) = fen_argument::lenient(fen, CastlingMode::Chess960)?;
            let is_worth_a_word = |repair: &&Repair| !matches!(repair, Repair::Missing(_));
            repairs.iter().filter(is_worth_a_word).for_each(|repair| tell(format_args!("note: {repair}")));
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
    pub(super) fn ask_for_moves(&self) -> bool {
        self.length.is_some() || self.position.is_some() || !self.moves.is_empty()
    }
}

/// Moves from the start position, with or without numbers.
fn parse_moves(text: &str) -> Result<Vec<Move>> {
    let mut position = Position::start();
    let mut moves = Vec::new();
    for word in text.split_ascii_whitespace() {
        // `1.`, `1...` and `1.e4` are all seen.
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
        let at = at.with_context(|| format!("--tag: {text:?} is neither Name=value nor Name~part"))?;
        let relation = if text[at..].starts_with('=') { Relation::Equals } else { Relation::Contains };
        let wanted = &text[at + 1..];
        let wanted = if ignore_case { wanted.to_lowercase() } else { wanted.to_owned() };
        Ok(TagTest { name: text[..at].to_owned(), wanted, relation, ignore_case })
    }

    /// Whether a tag passes; the value is as written in the file.
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
