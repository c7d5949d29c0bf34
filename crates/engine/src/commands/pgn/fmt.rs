//! `ferz pgn fmt`: games in the export format.

use std::io::{self, Write};
use std::mem;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, value_parser};
use ferz_notation::pgn::parallel::Batch;
use ferz_notation::pgn::{BoundedTree, GameTooLarge, PgnWriter, WriteOptions};

use super::problems::Problems;
use super::reading::{Files, Stop, Tally};
use crate::progress::tell;
use crate::terminal::Output;

/// Write games in the export format of PGN
///
/// The seven tags of the standard come first, moves are in SAN and in lines of fewer than 80 characters. Variations,
/// comments and annotation glyphs are kept. Of a broken game, what could be read is written; what is wrong with it
/// is told on standard error, and the exit code is 1.
#[derive(Args)]
pub(crate) struct Format {
    #[command(flatten)]
    files: Files,

    /// Leave out comments
    #[arg(long)]
    no_comments: bool,

    /// Leave out variations
    #[arg(long)]
    no_variations: bool,

    /// Leave out annotation glyphs
    #[arg(long)]
    no_nags: bool,

    /// Write glyphs as `!?` and `+-` where there is such a sign, not as `$5` and `$18`
    #[arg(long)]
    symbols: bool,

    /// Leave the tags as they are: neither added nor put into another order
    #[arg(long)]
    keep_tags: bool,

    /// The longest line of moves
    #[arg(long, value_name = "COLUMNS", default_value_t = 79, value_parser = value_parser!(u16).range(1..))]
    width: u16,
}

impl Format {
    fn options(&self) -> WriteOptions {
        WriteOptions {
            line_width: self.width.into(),
            roster: !self.keep_tags,
            comments: !self.no_comments,
            variations: !self.no_variations,
            nags: !self.no_nags,
            symbols: self.symbols,
        }
    }

    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let tally = Tally::new();
        let mut out = Output::new(out);
        let (mut problems, mut is_first) = (0, true);
        let work = |batch: &mut Batch<'_>| {
            let (mut formatted, mut game) = (Formatted::new(self.options()), BoundedTree::default());
            while batch.read_game(&mut game) && formatted.add(&mut game) {}
            formatted.problems.add_all(game.take_diagnostics());
            formatted.too_large = game.tree().err();
            formatted
        };
        self.files.read(&tally, work, |formatted, source| {
            let Formatted { writer, games, moves, problems: found, too_large } = formatted;
            tally.add(games, moves);
            problems += found.count();
            let text = writer.into_inner();
            if !text.is_empty() && !mem::replace(&mut is_first, false) {
                out.write(b"\n", source.progress).map_err(Stop::output)?;
            }
            out.write(&text, source.progress).map_err(Stop::output)?;
            if found.count() > 0 {
                source.progress.suspend(|| found.lines(&source).for_each(tell));
            }
            too_large.map_or(Ok(()), |error| Err(Stop::Unreadable(io::Error::other(error))))
        })?;
        tell(format_args!("{} games, {} moves, {}", tally.games(), tally.moves(), tally.speed()));
        Ok(tally.exit_code(problems > 0))
    }
}

/// The text of some games, and what is wrong with them.
struct Formatted {
    writer: PgnWriter<Vec<u8>>,
    games: u64,
    /// Those of main lines.
    moves: u64,
    problems: Problems,
    /// Why no further games were read.
    too_large: Option<GameTooLarge>,
}

impl Formatted {
    fn new(options: WriteOptions) -> Formatted {
        let writer = PgnWriter::with_options(Vec::new(), options);
        Formatted { writer, games: 0, moves: 0, problems: Problems::default(), too_large: None }
    }

    /// Adds a game; false if it is too large.
    fn add(&mut self, game: &mut BoundedTree) -> bool {
        self.games += 1;
        self.problems.add_all(game.take_diagnostics());
        let Ok(tree) = game.tree() else { return false };
        self.moves += tree.main_line().count() as u64;
        // Writing to a vector cannot fail.
        let _ = self.writer.write(tree);
        true
    }
}
