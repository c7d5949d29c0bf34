//! `ferz data import`.

mod collect;
mod comment;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use ferz_notation::pgn::parallel::Batch;

use self::collect::GameCollector;
use super::output::GameSink;
use crate::commands::pgn::reading::{PgnFiles, ReadTotals, Stop};
use crate::input;
use crate::new_file::NewFile;
use crate::progress::note;
use ferz_selfplay::data::header::{GamesOrigin, Header, ScoreUnit};

/// Import games from PGN files of OpenBench, fastchess or cutechess
///
/// A comment after each move must begin with the score and depth of the side that moves, as in `+0.53/5` or `-M4/20`.
/// Moves before the first score are the opening: the game starts after them. Variations are ignored.
///
/// A game that cannot be used is reported on stderr as `file:line:column` and skipped; the exit code is then 1. Games
/// that were lost on time, by a crash or by an illegal move are skipped, too, if the tag `Termination` says so. The last
/// line is `<n> of <n> games <n> positions`.
///
/// OpenBench packs its files: `tar xf 5.pgn.tar && bzcat *.bz2 | ferz data import - --out 5.games`
#[derive(Args)]
pub(crate) struct Import {
    #[command(flatten)]
    files: PgnFiles,

    /// The output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Turn displayed centipawns into raw search values with the WDL model of this program. Only for games of Ferz with
    /// the same model; they can then be merged with those of `ferz datagen`
    #[arg(long)]
    raw: bool,

    /// Pack the output
    #[arg(long)]
    packed: bool,

    /// A note about the engine, stored in the file
    #[arg(long, value_name = "TEXT", default_value = "")]
    engine_note: String,
}

impl Import {
    /// Writes the games and prints their number.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let scores = if self.raw { ScoreUnit::Raw } else { ScoreUnit::Displayed };
        let program = concat!("ferz ", env!("CARGO_PKG_VERSION"));
        let header = Header::new(vec![GamesOrigin::imported(program, self.engine_note, scores)]);
        let file = NewFile::create(&self.out, self.files.paths())?;
        let mut sink = GameSink::new(file, &header, self.packed)?;
        let totals = ReadTotals::new();
        let work = |batch: &mut Batch<'_>| batch.read_all(GameCollector::new(scores));
        let mut skipped = 0;
        self.files.read(&totals, work, |collector, source| {
            let (games, problems) = (collector.games, collector.skipped);
            totals.add(collector.read, games.iter().map(|game| game.plies.len() as u64).sum());
            skipped += problems.len();
            if !problems.is_empty() {
                let lines = problems.iter().map(|problem| problem.line(source.name, source.origin));
                source.progress.suspend(|| lines.for_each(note));
            }
            games.iter().try_for_each(|game| sink.push(game)).map_err(Stop::Failed)
        })?;
        if totals.has_unreadable() {
            bail!("{}: not written, because a file could not be read", input::name(&self.out));
        }
        let count = sink.finish()?;
        writeln!(out, "{} of {} games {} positions", count.games, totals.games(), count.plies)?;
        Ok(totals.exit_code(skipped > 0))
    }
}
