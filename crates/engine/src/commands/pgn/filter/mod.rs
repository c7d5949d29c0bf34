//! `ferz pgn filter`.

mod criteria;
mod matcher;
mod tape;

use std::io::Write;
use std::mem;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ferz_notation::pgn::parallel::Batch;

use super::reading::{PgnFiles, ReadTotals, Stop};
use crate::progress::note;
use crate::terminal::TextOutput;
use criteria::{Criteria, CriteriaOptions};
use matcher::Matcher;
use tape::Tape;

/// Print the games that meet all criteria, unchanged
///
/// A broken game is judged by its readable part. Use `ferz pgn check` to find problems.
#[derive(Args)]
pub(crate) struct FilterGames {
    #[command(flatten)]
    files: PgnFiles,

    #[command(flatten)]
    criteria: CriteriaOptions,

    /// Print the games that do not meet all criteria instead
    #[arg(long)]
    invert: bool,

    /// Stop after N games
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

/// The selected games of a batch.
struct Selection {
    /// Byte ranges of the games, relative to the start of the batch.
    places: Vec<std::ops::Range<u64>>,
    end: u64,
    games: u64,
}

impl FilterGames {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let criteria = Criteria::new(&self.criteria)?;
        let totals = ReadTotals::new();
        let tape = Tape::default();
        let mut out = TextOutput::new(out);
        let mut copied = 0;
        let mut separator: &[u8] = b"";
        if self.limit != Some(0) {
            let work = |batch: &mut Batch<'_>| self.select(batch, &criteria);
            self.files.read_through(
                &totals,
                |file| tape.record(file),
                work,
                |selection, source| {
                    totals.add(selection.games, 0);
                    let start = source.origin.place.byte;
                    for place in selection.places {
                        let text = tape.text(start + place.start..start + place.end);
                        let line_end = tape::line_end(&text);
                        let separator = mem::replace(&mut separator, line_end);
                        let game = [separator, tape::trim(&text), line_end].concat();
                        out.write(&game, source.progress).map_err(Stop::output)?;
                        copied += 1;
                        if self.limit == Some(copied) {
                            return Err(Stop::Enough);
                        }
                    }
                    tape.drop_before(start + selection.end);
                    Ok(())
                },
            )?;
        }
        note(format_args!("{copied} of {} games, {}", totals.games(), totals.speed()));
        Ok(totals.exit_code(false))
    }

    fn select(&self, batch: &mut Batch<'_>, criteria: &Criteria) -> Selection {
        let mut matcher = Matcher::new(criteria);
        let mut places = Vec::new();
        let mut start = batch.offset();
        let mut games = 0;
        while batch.read_game(&mut matcher) {
            let end = batch.offset();
            if matcher.is_match() != self.invert {
                places.push(start..end);
            }
            start = end;
            games += 1;
        }
        Selection { places, end: start, games }
    }
}
