//! Which games of a library a command uses.

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use ferz_board::Color;
use ferz_library::Query;
use ferz_notation::pgn::GameResult;

/// Which games are meant: those that satisfy every option.
#[derive(Args)]
pub(crate) struct QueryArguments {
    /// Words that occur in the players, the event, the site or the opening
    #[arg(value_name = "WORD")]
    words: Vec<String>,

    /// Part of the name of a player
    #[arg(long, value_name = "NAME")]
    player: Option<String>,

    /// The colour of that player
    #[arg(long, value_name = "COLOUR", requires = "player")]
    color: Option<PlayerColor>,

    /// An ECO code or the start of one, or part of the name of the opening
    #[arg(long, value_name = "ECO")]
    opening: Option<String>,

    /// The result: 1-0, 0-1, 1/2-1/2 or *
    #[arg(long, value_name = "RESULT", allow_hyphen_values = true)]
    result: Option<String>,

    /// The earliest date: 2024, 2024.05 or 2024.05.31
    #[arg(long, value_name = "DATE")]
    from_date: Option<String>,

    /// The latest date
    #[arg(long, value_name = "DATE")]
    to_date: Option<String>,

    /// The lowest rating of the stronger player
    #[arg(long, value_name = "ELO")]
    min_elo: Option<u32>,

    /// Material that was on the board at some time, such as KRPkr
    #[arg(long, value_name = "PIECES")]
    material: Option<String>,

    /// A position that was on the board at some time
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,

    /// A tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,

    /// Deleted games instead of the others
    #[arg(long)]
    deleted: bool,
}

/// The colour of a player.
#[derive(Clone, Copy, ValueEnum)]
enum PlayerColor {
    White,
    Black,
}

impl QueryArguments {
    pub(crate) fn query(&self) -> Result<Query> {
        let result = match &self.result {
            Some(text) => {
                let result = GameResult::from_ascii(text.as_bytes());
                Some(result.with_context(|| format!("'{}' is not a result", text.escape_debug()))?)
            }
            None => None,
        };
        Ok(Query {
            text: Some(self.words.join(" ")),
            player: self.player.clone(),
            color: self.color.map(|color| match color {
                PlayerColor::White => Color::White,
                PlayerColor::Black => Color::Black,
            }),
            opening: self.opening.clone(),
            result,
            date_from: self.from_date.clone(),
            date_to: self.to_date.clone(),
            elo_from: self.min_elo,
            material: self.material.clone(),
            fen: self.fen.clone(),
            tag: self.tag.clone(),
            deleted: self.deleted,
            ..Query::default()
        })
    }
}
