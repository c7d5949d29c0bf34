//! `ferz data`: files of games that the engine played against itself.

mod convert;
mod imitate;
mod output;
mod reading;
mod rewrite;
mod shuffle;
mod stats;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

/// Count, keep, mix and convert the games of `ferz datagen`
///
/// Every command reads both formats. A file whose last game was cut off is read up to there, with a word on standard
/// error. Whatever else is wrong with a file ends the command with code 2; with `--recover` the broken games or
/// blocks are left out and counted.
#[derive(Subcommand)]
pub(crate) enum Data {
    Stats(stats::Stats),
    Pack(rewrite::Pack),
    Unpack(rewrite::Unpack),
    Merge(rewrite::Merge),
    Shuffle(shuffle::Shuffle),
    Convert(convert::Convert),
    Imitate(imitate::Imitate),
}

impl Data {
    /// Does it and says how it went.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        match self {
            Data::Stats(stats) => stats.run(out),
            Data::Pack(pack) => pack.run(out),
            Data::Unpack(unpack) => unpack.run(out),
            Data::Merge(merge) => merge.run(out),
            Data::Shuffle(shuffle) => shuffle.run(out),
            Data::Convert(convert) => convert.run(out),
            Data::Imitate(imitate) => imitate.run(out),
        }
    }
}
