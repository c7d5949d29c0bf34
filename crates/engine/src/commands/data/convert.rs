//! `ferz data convert`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use anyhow::{Context, Result};
use clap::{Args, value_parser};

use super::output::NewFile;
use super::reading::Files;
use crate::input;
use crate::progress::Progress;
use ferz_selfplay::data::shuffle::Shuffler;
use ferz_selfplay::data::training::{self, Filter};

/// Write positions for a trainer, 32 bytes each
///
/// All numbers are little-endian and everything is as the side to move sees it: with Black to move the board is turned
/// upside down. Bytes 0 to 7 are the occupied squares (a1 is bit 0); 8 to 23 a nibble for each of them, the low one
/// first: 0 pawn, 1 knight, 2 bishop, 3 rook, 4 queen, 5 king, +8 for the opponent's; 24 and 25 the score (signed);
/// 26 the result (0 lost, 1 drawn, 2 won); 27 and 28 the squares of the own and the other king; 29 and 30 the ply; 31 is 0.
///
/// The last line is `<n> of <n> positions`.
#[derive(Args)]
pub(crate) struct Convert {
    #[command(flatten)]
    files: Files,

    /// The new file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Leave out positions before this ply of the game, random plies included
    #[arg(long, value_name = "N", default_value_t = 16)]
    min_ply: u32,

    /// Leave out positions with a higher score, in hundredths of a pawn; mates are above 30000
    #[arg(long, value_name = "CP", default_value_t = 10_000)]
    max_score: u16,

    /// Leave out positions with fewer pieces, kings and pawns included
    #[arg(long, value_name = "N", default_value_t = 4)]
    min_pieces: u32,

    /// Leave out positions in check
    #[arg(long)]
    no_check: bool,

    /// Leave out positions in which the best move captures or promotes
    #[arg(long)]
    no_tactical: bool,

    /// Bring the positions into a random order that follows from this seed
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u64>,

    /// How much memory to use for that, about
    #[arg(long, value_name = "MIB", default_value_t = 512, requires = "shuffle", value_parser = value_parser!(u64).range(1..1 << 20))]
    memory: u64,
}

impl Convert {
    /// Writes the positions and says how many.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let name = || input::name(&self.out);
        let filter = Filter {
            min_ply: self.min_ply,
            max_score: self.max_score,
            min_pieces: self.min_pieces,
            no_check: self.no_check,
            no_tactical: self.no_tactical,
        };
        let mut file = NewFile::create(&self.out, self.files.paths())?;
        let mut shuffler = match self.shuffle {
            Some(seed) => {
                // A position is about three and a half bytes in a file of games.
                let bytes = self.files.estimated_bytes()? * 10;
                Some(Shuffler::new(seed, bytes, self.memory << 20, &self.out).with_context(name)?)
            }
            None => None,
        };
        let (mut kept, mut all) = (0_u64, 0_u64);
        self.files.for_each(|game| {
            for (position, ply) in game.positions() {
                all += 1;
                if !filter.accepts(&position, ply) {
                    continue;
                }
                kept += 1;
                let record = training::record(&position, ply.score, game.result);
                match &mut shuffler {
                    Some(shuffler) => shuffler.push(&record),
                    None => file.write_all(&record),
                }
                .with_context(name)?;
            }
            Ok(())
        })?;
        if let Some(shuffler) = shuffler {
            let written = AtomicU64::new(0);
            let line = || format!("{} of {kept} positions written", written.load(Relaxed));
            Progress::watch(line, |_| {
                shuffler.finish(|record| {
                    written.fetch_add(1, Relaxed);
                    file.write_all(record)
                })
            })
            .with_context(name)?;
        }
        file.finish()?;
        writeln!(out, "{kept} of {all} positions")?;
        Ok(ExitCode::SUCCESS)
    }
}
