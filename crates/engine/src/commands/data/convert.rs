//! `ferz data convert`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;

use super::reading::GameFiles;
use crate::input;
use crate::new_file::{NewFile, is_same_place};
use ferz_selfplay::data::training::{self, Filter};

/// Convert games to training records, 32 bytes per position
///
/// Positions keep the order of the games: the trainer shuffles them. All files must have scores in the same unit: records
/// do not name it. The last line is `<n> of <n> positions`.
#[derive(Args)]
#[command(after_long_help = training::LAYOUT)]
pub(crate) struct Convert {
    #[command(flatten)]
    files: GameFiles,

    /// The output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Write the moves as well, 2 bytes per record, to this file
    #[arg(long, value_name = "FILE")]
    moves: Option<PathBuf>,

    /// Skip positions before this ply of the game (random plies count)
    #[arg(long, value_name = "N", default_value_t = 16)]
    min_ply: u32,

    /// Skip positions with a higher score, in the unit of the file; mates are above 30000
    #[arg(long, value_name = "SCORE", default_value_t = 10_000)]
    max_score: u16,

    /// Skip positions with fewer pieces, kings and pawns included
    #[arg(long, value_name = "N", default_value_t = 4)]
    min_pieces: u32,

    /// Skip positions in check
    #[arg(long)]
    no_check: bool,

    /// Skip positions whose best move is a capture or a promotion
    #[arg(long)]
    no_tactical: bool,
}

impl Convert {
    /// Writes the records and prints their number.
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
        if self.moves.as_ref().is_some_and(|moves| is_same_place(moves, &self.out)) {
            bail!("{}: records and moves need different files", name());
        }
        let mut moves = match &self.moves {
            Some(path) => Some((NewFile::create(path, self.files.paths())?, path)),
            None => None,
        };
        let (mut kept, mut all) = (0_u64, 0_u64);
        self.files.for_each_and_header(|game| {
            for (position, ply) in game.positions() {
                all += 1;
                if !filter.accepts(&position, ply) {
                    continue;
                }
                kept += 1;
                let record = training::record(&position, ply.score, game.result);
                file.write_all(&record).with_context(name)?;
                if let Some((file, path)) = &mut moves {
                    let mv = training::move_record(&position, ply.mv);
                    file.write_all(&mv).with_context(|| input::name(path))?;
                }
            }
            Ok(())
        })?;
        // First: whoever waits for the records wants the moves as well.
        if let Some((moves, _)) = moves {
            moves.finish()?;
        }
        file.finish()?;
        writeln!(out, "{kept} of {all} positions")?;
        Ok(ExitCode::SUCCESS)
    }
}
