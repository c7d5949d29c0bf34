//! `ferz pgn fmt`: games in the export format.

use std::io::Write;
use std::mem;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, value_parser};
use ferz_notation::pgn::parallel::Batch;
use ferz_notation::pgn::{GameTree, PgnWriter, WriteOptions};

use super::bounded_tree::BoundedTree;
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
            let (mut formatted, mut game) = (Formatted::new(self.options()), BoundedTree::new());
            while batch.read_game(&mut game) && !game.is_too_long() {
                formatted.add(game.tree());
            }
            (formatted, game)
        };
        self.files.read(&tally, work, |(Formatted { writer, moves }, mut game), source| {
            let (is_too_long, games, found) = (game.is_too_long(), game.games(), game.take_problems());
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
            if is_too_long {
                return Err(Stop::Unreadable(BoundedTree::too_long()));
            }
            Ok(())
        })?;
        tell(format_args!("{} games, {} moves, {}", tally.games(), tally.moves(), tally.speed()));
        Ok(tally.exit_code(problems > 0))
    }
}

/// The text of some games.
struct Formatted {
    writer: PgnWriter<Vec<u8>>,
    /// Those of main lines.
    moves: u64,
}

impl Formatted {
    fn new(options: WriteOptions) -> Formatted {
        Formatted { writer: PgnWriter::with_options(Vec::new(), options), moves: 0 }
    }

    fn add(&mut self, game: &GameTree) {
        self.moves += game.main_line().count() as u64;
        // A vector takes everything.
        let _ = self.writer.write(game);
    }
}
