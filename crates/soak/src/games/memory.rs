//! What an engine keeps: as much memory as its options say, and no more after thousands of games.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::resources;
use super::verdict::{Event, Fault};
use crate::process::Engine;

const PATIENCE: Duration = Duration::from_secs(30);
/// Sizes of the table that are tried, in MiB, up and down: what was given back must be gone.
const SIZES: [u64; 10] = [16, 64, 256, 1024, 64, 16, 64, 16, 1, 64];
/// Memory may differ from what the options say by this share of it.
const TOLERANCE: f64 = 0.05;
/// After thousands of games, by this.
pub(super) const GROWTH: f64 = 0.02;

/// What was found, in words, and what was wrong with it.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) lines: Vec<String>,
    pub(super) events: Vec<Event>,
}

impl Findings {
    fn blame(&mut self, what: String) {
        self.events.push(Event { fault: Fault::Growth, what });
    }
}

/// Asks an engine for tables of several sizes and compares what it takes.
pub(super) fn sizes(program: &Path) -> Result<Findings> {
    let mut findings = Findings::default();
    let mut engine = Engine::ready(program)?;
    let Some(available) = resources::available() else {
        findings.lines.push("memory: not known on this system".to_owned());
        return Ok(findings);
    };
    let mut fixed = None;
    let mut worst = 0.0_f64;
    let mut tried = Vec::new();
    for size in SIZES {
        if size * 1024 * 2 > available {
            findings.lines.push(format!("memory: a table of {size} MiB is too large for this machine"));
            continue;
        }
        engine.send(&format!("setoption name Hash value {size}"))?;
        engine.send("ucinewgame")?;
        engine.send("go nodes 20000")?;
        engine.wait_for("bestmove", PATIENCE)?;
        engine.synchronize(PATIENCE)?;
        let resident = resources::resident(engine.id()).context("no such process")? as f64 / 1024.0;
        // What is not the table is taken from the smallest.
        let fixed = *fixed.get_or_insert(resident - size as f64);
        let expected = fixed + size as f64;
        let deviation = resident / expected - 1.0;
        worst = worst.max(deviation.abs());
        tried.push(format!("{size}: {resident:.1}"));
        if deviation.abs() > TOLERANCE {
            findings.blame(format!("Hash {size}: {resident:.1} MiB instead of {expected:.1}"));
        }
    }
    let tried = tried.join(", ");
    let share = worst * 100.0;
    findings
        .lines
        .push(format!("memory: MiB resident by Hash: {tried}; within {share:.1} % of what is said"));
    engine.quit()?;
    Ok(findings)
}

/// Begins game after game, with tables that change, and looks at what is kept.
pub(super) fn new_games(program: &Path, games: usize) -> Result<Findings> {
    let mut findings = Findings::default();
    let mut engine = Engine::ready(program)?;
    let mut first = None;
    for game in 0..games {
        if game % 5 == 0 {
            let size = if game % 10 == 0 { 16 } else { 64 };
            engine.send(&format!("setoption name Hash value {size}"))?;
        }
        engine.send("ucinewgame")?;
        engine.send("position startpos")?;
        engine.send("go nodes 200")?;
        engine.wait_for("bestmove", PATIENCE)?;
        // The small table, in the first tenth and at the end.
        let is_small = game % 10 < 5;
        if first.is_none() && is_small && game >= games / 10 {
            first = Some((resources::resident(engine.id()), resources::open_files(engine.id())));
        }
    }
    engine.send("setoption name Hash value 16")?;
    engine.send("ucinewgame")?;
    engine.send("go nodes 200")?;
    engine.wait_for("bestmove", PATIENCE)?;
    let Some((Some(memory_before), Some(files_before))) = first else {
        findings.lines.push(format!("{games} new games: memory is not known on this system"));
        return Ok(findings);
    };
    let memory = resources::resident(engine.id()).context("no such process")?;
    let files = resources::open_files(engine.id()).context("no such process")?;
    let growth = memory as f64 / memory_before as f64 - 1.0;
    let share = growth * 100.0;
    findings.lines.push(format!(
        "{games} new games: memory {share:+.2} % ({memory_before} to {memory} KiB), files {files_before} to {files}"
    ));
    if growth > GROWTH || files > files_before {
        findings.blame(findings.lines.join(", "));
    }
    engine.quit()?;
    Ok(findings)
}
