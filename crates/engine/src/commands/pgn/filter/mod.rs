//! `ferz pgn filter`: selects games.

mod criteria;
mod matcher;
mod tape;

use std::io::Write;
use std::mem;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ferz_notation::pgn::parallel::Batch;

use super::reading::{Files, Stop, Tally};
use crate::progress::tell;
use crate::terminal::Output;
use criteria::{Criteria, CriteriaOptions};
use matcher::Matcher;
use tape::Tape;

/// Copy the games that meet all criteria, unchanged
///
/// A broken game is judged by what can be read of it: what is wrong with games, `ferz pgn check` tells.
#[derive(Args)]
pub(crate) struct Filter {
    #[command(flatten)]
    files: Files,

    #[command(flatten)]
    criteria: CriteriaOptions,

    /// Copy the other games: those that do not meet all criteria
    #[arg(long)]
    invert: bool,

    /// Stop after so many games
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

/// What was found in some games.
struct Selection {
    /// Where the games are, in bytes from the origin of the batch on.
    places: Vec<std::ops::Range<u64>>,
    end: u64,
    games: u64,
}

impl Filter {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let criteria = Criteria::new(&self.criteria)?;
        let tally = Tally::new();
        let tape = Tape::default();
        let mut out = Output::new(out);
        let mut copied = 0;
        let mut separator: &[u8] = b"";
        if self.limit != Some(0) {
            let work = |batch: &mut Batch<'_>| self.select(batch, &criteria);
            self.files.read_through(
                &tally,
                |file| tape.record(file),
                work,
                |selection, source| {
                    tally.add(selection.games, 0);
                    let start = source.origin.place.byte;
                    for place in selection.places {
                        let text = tape.text(start + place.start..start + place.end);
                        let line_end: &[u8] = if text.contains(&b'\r') { b"\r\n" } else { b"\n" };
                        let separator = mem::replace(&mut separator, line_end);
                        let game = [separator, tape::trim(&text), line_end].concat();
                        out.write(&game, source.progress).map_err(Stop::output)?;
                        copied += 1;
                        if self.limit == Some(copied) {
                            return Err(Stop::Enough);
                        }
                    }
                    tape.forget_up_to(start + selection.end);
                    Ok(())
                },
            )?;
        }
        tell(format_args!("{copied} of {} games, {}", tally.games(), tally.speed()));
        Ok(tally.exit_code(false))
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
