//! `ferz library list`.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use ferz_library::{Library, Sort};

use super::path;
use super::query::QueryArguments;
use crate::library_path::LibraryArgument;

/// List games of the library
///
/// A line for each game: number, date, players with their ratings, result, ECO code, plies and event, with tabs between
/// them. The last line is `<n> of <n> games`.
#[derive(Args)]
pub(crate) struct ListGames {
    #[command(flatten)]
    query: QueryArguments,

    /// The order
    #[arg(long, value_name = "ORDER", default_value = "added")]
    sort: SortOrder,

    /// Smallest or earliest first
    #[arg(long)]
    ascending: bool,

    /// List at most N games
    #[arg(long, value_name = "N", default_value_t = 50)]
    count: usize,

    /// Leave out the first N games of the list
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,

    #[command(flatten)]
    library: LibraryArgument,
}

/// The order of a list.
#[derive(Clone, Copy, ValueEnum)]
enum SortOrder {
    Added,
    Date,
    White,
    Black,
    Result,
    Opening,
    Plies,
    Elo,
}

impl From<SortOrder> for Sort {
    fn from(order: SortOrder) -> Sort {
        match order {
            SortOrder::Added => Sort::Added,
            SortOrder::Date => Sort::Date,
            SortOrder::White => Sort::White,
            SortOrder::Black => Sort::Black,
            SortOrder::Result => Sort::Result,
            SortOrder::Opening => Sort::Opening,
            SortOrder::Plies => Sort::Plies,
            SortOrder::Elo => Sort::Elo,
        }
    }
}

impl ListGames {
    /// Prints the list.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let mut library = Library::open(path(&self.library)?)?;
        let query = self.query.query()?;
        let page = library.list(&query, self.sort.into(), !self.ascending, self.skip, self.count)?;
        let player = |name: &str, elo: Option<u16>| match elo {
            Some(elo) => format!("{name} ({elo})"),
            None => name.to_owned(),
        };
        for game in &page.games {
            writeln!(
                out,
                "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
                game.id,
                game.date,
                player(&game.white, game.white_elo),
                player(&game.black, game.black_elo),
                game.result,
                game.eco,
                game.plies,
                game.event
            )?;
        }
        writeln!(out, "{} of {} games", page.games.len(), page.total)?;
        Ok(ExitCode::SUCCESS)
    }
}
