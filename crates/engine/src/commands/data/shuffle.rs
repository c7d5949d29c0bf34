//! `ferz data shuffle`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use anyhow::{Context, Result, anyhow};
use clap::{Args, value_parser};

use super::output::GameSink;
use super::reading::GameFiles;
use super::rewrite::summarise;
use crate::input;
use crate::new_file::NewFile;
use crate::progress::ProgressLine;
use ferz_selfplay::data::game_file;
use ferz_selfplay::data::shuffle::Shuffler;

/// Merge files into one, with the games in random order
///
/// The order depends only on the seed, the files and `--memory`. Games that do not fit into memory go through temporary
/// files next to the output file.
#[derive(Args)]
pub(crate) struct Shuffle {
    #[command(flatten)]
    files: GameFiles,

    /// The output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Pack the output
    #[arg(long)]
    packed: bool,

    /// Approximate memory to use
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = value_parser!(u64).range(1..1 << 20))]
    memory: u64,
}

impl Shuffle {
    /// Reads all games, then writes them in random order.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let name = || input::name(&self.out);
        let header = self.files.header()?;
        let file = NewFile::create(&self.out, self.files.paths())?;
        let bytes = self.files.estimated_bytes()?;
        let mut shuffler =
            Shuffler::new(self.seed, bytes, self.memory << 20, &self.out).with_context(name)?;
        let mut buffer = Vec::new();
        let mut games = 0_u64;
        self.files.for_each(|game| {
            buffer.clear();
            game_file::write_bare(&game, &mut buffer);
            games += 1;
            shuffler.push(&buffer).with_context(name)
        })?;
        let mut sink = GameSink::new(file, &header, self.packed)?;
        let written = AtomicU64::new(0);
        let line = || format!("{} of {games} games written", written.load(Relaxed));
        ProgressLine::watch(line, |_| {
            shuffler.finish(|record| -> Result<()> {
                let game = game_file::read_bare(record).map_err(|reason| anyhow!("{}: {reason}", name()))?;
                written.fetch_add(1, Relaxed);
                sink.push(&game)
            })
        })?;
        summarise(sink, &self.out, out)
    }
}
