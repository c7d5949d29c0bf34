//! `ferz pgn fmt`: games in the export format.

use std::io::{self, Write};
use std::mem;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, value_parser};
use ferz_notation::pgn::parallel::Batch;
use ferz_notation::pgn::{BoundedTree, GameTooLarge, PgnWriter, WriteOptions};

use super::problems::Problems;
use super::reading::{PgnFiles, ReadTotals, Stop};
use crate::progress::note;
use crate::terminal::TextOutput;

/// Print games in PGN export format
///
/// Writes the seven-tag roster first, moves in SAN, and lines of fewer than 80 characters. Keeps variations, comments
/// and NAGs. Problems are reported on stderr with exit code 1; moves that cannot be read are written as they are.
#[derive(Args)]
pub(crate) struct FormatGames {
    #[command(flatten)]
    files: PgnFiles,

    /// Omit comments
    #[arg(long)]
    no_comments: bool,

    /// Omit variations
    #[arg(long)]
    no_variations: bool,

    /// Omit NAGs (annotation glyphs)
    #[arg(long)]
    no_nags: bool,

    /// Write NAGs as symbols where possible: `!?` instead of `$5`
    #[arg(long)]
    symbols: bool,

    /// Keep the tags as they are: add none, do not sort them
    #[arg(long)]
    keep_tags: bool,

    /// Maximum length of a line of moves
    #[arg(long, value_name = "COLUMNS", default_value_t = 79, value_parser = value_parser!(u16).range(1..))]
    width: u16,
}

impl FormatGames {
    fn options(&self) -> WriteOptions {
        WriteOptions::new()
            .line_width(self.width.into())
            .roster(!self.keep_tags)
            .comments(!self.no_comments)
            .variations(!self.no_variations)
            .nags(!self.no_nags)
            .symbols(self.symbols)
    }

    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let totals = ReadTotals::new();
        let mut out = TextOutput::new(out);
        let (mut problems, mut is_first) = (0, true);
        let work = |batch: &mut Batch<'_>| {
            let (mut formatted, mut game) = (Formatted::new(self.options()), BoundedTree::default());
            while batch.read_game(&mut game) && formatted.add(&mut game) {}
            formatted.problems.add_all(game.take_diagnostics());
            formatted.too_large = game.tree().err();
            formatted
        };
        self.files.read(&totals, work, |formatted, source| {
            let Formatted { writer, games, moves, problems: found, too_large } = formatted;
            totals.add(games, moves);
            problems += found.count();
            let text = writer.into_inner();
            if !text.is_empty() && !mem::replace(&mut is_first, false) {
                out.write(b"\n", source.progress).map_err(Stop::output)?;
            }
            out.write(&text, source.progress).map_err(Stop::output)?;
            if found.count() > 0 {
                source.progress.suspend(|| found.lines(&source).for_each(note));
            }
            too_large.map_or(Ok(()), |error| Err(Stop::Unreadable(io::Error::other(error))))
        })?;
        note(format_args!("{} games, {} moves, {}", totals.games(), totals.moves(), totals.speed()));
        Ok(totals.exit_code(problems > 0))
    }
}

/// The formatted text of a batch, and its problems.
struct Formatted {
    writer: PgnWriter<Vec<u8>>,
    games: u64,
    /// Half-moves of the main lines.
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
