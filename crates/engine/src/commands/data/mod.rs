//! `ferz data`.

mod convert;
mod imitate;
mod import;
mod output;
mod reading;
mod rewrite;
mod shuffle;
mod stats;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

/// Work with training data: count, pack, merge, shuffle, convert and import games
///
/// Every command but `import` reads the files of `ferz datagen`, packed or plain. An incomplete last game is noted on
/// stderr and ignored. Other damage ends the command with exit code 2, or is skipped and counted with `--recover`.
#[derive(Subcommand)]
pub(crate) enum Data {
    Stats(stats::DataStats),
    Pack(rewrite::Pack),
    Unpack(rewrite::Unpack),
    Merge(rewrite::Merge),
    Shuffle(shuffle::Shuffle),
    Convert(convert::Convert),
    Imitate(imitate::Imitate),
    Import(import::Import),
}

impl Data {
    /// Runs the command and returns its exit code.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        match self {
            Data::Stats(stats) => stats.run(out),
            Data::Pack(pack) => pack.run(out),
            Data::Unpack(unpack) => unpack.run(out),
            Data::Merge(merge) => merge.run(out),
            Data::Shuffle(shuffle) => shuffle.run(out),
            Data::Convert(convert) => convert.run(out),
            Data::Imitate(imitate) => imitate.run(out),
            Data::Import(import) => import.run(out),
        }
    }
}
