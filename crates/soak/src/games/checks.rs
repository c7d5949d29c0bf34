//! What an engine keeps: as much memory as its options say, no more after thousands of games.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::GROWTH;
use crate::figures::SoakFigures;
use crate::process::{FerzProcess, open_files, resident_kib};

const PATIENCE: Duration = Duration::from_secs(60);
/// Resident memory may grow by this share over thousands of games.
pub(super) const MAX_GROWTH: f64 = 0.02;

/// Compares resident memory with `Hash`, which goes up and down.
pub(super) fn hash_sizes(program: &Path, _: usize, figures: &SoakFigures) -> Result<()> {
    const TOLERANCE: f64 = 0.05;
    let mut engine = FerzProcess::engine(program)?;
    let mut fixed = None;
    let mut worst = 0.0_f64;
    let mut measured = Vec::new();
    for size in [16, 64, 256, 1024, 64, 16, 64, 16, 1, 64] {
        engine.send(&format!("setoption name Hash value {size}"))?;
        engine.send("ucinewgame")?;
        engine.ask("go nodes 20000", "bestmove", PATIENCE)?;
        engine.ask("isready", "readyok", PATIENCE)?;
        let resident = resident_kib(engine.id()).context("memory is not known")? as f64 / 1024.0;
        // All but the table, measured once.
        let expected = *fixed.get_or_insert(resident - f64::from(size)) + f64::from(size);
        let deviation = (resident / expected - 1.0).abs();
        worst = worst.max(deviation);
        measured.push(format!("{size}: {resident:.1}"));
        if deviation > TOLERANCE {
            figures.note(GROWTH, format_args!("Hash {size}: {resident:.1} MiB instead of {expected:.1}"));
        }
    }
    println!("MiB resident by Hash: {}; within {:.1} %", measured.join(", "), worst * 100.0);
    engine.quit()
}

/// Starts game after game, with a table that changes, and compares what is kept with the first tenth.
pub(super) fn new_games(program: &Path, games: usize, figures: &SoakFigures) -> Result<()> {
    let mut engine = FerzProcess::engine(program)?;
    let mut first = None;
    let mut usage = (0, 0);
    // The last game has the small table again.
    for game in 0..=games.next_multiple_of(10) {
        if game % 5 == 0 {
            engine.send(&format!("setoption name Hash value {}", if game % 10 == 0 { 16 } else { 64 }))?;
        }
        engine.send("ucinewgame")?;
        engine.send("position startpos")?;
        engine.ask("go nodes 200", "bestmove", PATIENCE)?;
        if game % 10 == 0 {
            let memory = resident_kib(engine.id()).context("memory is not known")?;
            usage = (memory, open_files(engine.id()).context("open files are not known")?);
            if game >= games / 10 {
                first.get_or_insert(usage);
            }
        }
    }
    let (memory_before, files_before) = first.context("too few games")?;
    let (memory, files) = usage;
    let growth = memory as f64 / memory_before as f64 - 1.0;
    let text = format!(
        "{games} new games: memory {:+.2} % ({memory_before} to {memory} KiB), open files {files_before} to {files}",
        growth * 100.0
    );
    println!("{text}");
    if growth > MAX_GROWTH || files > files_before {
        figures.note(GROWTH, text);
    }
    engine.quit()
}
