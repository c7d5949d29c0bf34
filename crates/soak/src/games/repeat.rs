//! The same question, asked again in the same process, has the same answer.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::memory::Findings;
use super::verdict::{Event, Fault};
use crate::process::Engine;

const PATIENCE: Duration = Duration::from_secs(60);
const GAMES: [&str; 2] = [
    "position startpos moves e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6",
    "position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 moves b4b1 h4g5",
];
/// 100, 150, 225 … nodes.
const LIMITS: i32 = 20;
const BENCH: &str = "bench 6";

/// Two games twice, with growing limits, and the benchmark before and after.
pub(super) fn run(program: &Path) -> Result<Findings> {
    let mut findings = Findings::default();
    let mut engine = Engine::ready(program)?;
    let bench = run_bench(&mut engine)?;
    let (first, second) = (round(&mut engine)?, round(&mut engine)?);
    for (index, (before, after)) in first.iter().zip(&second).enumerate() {
        if before != after {
            let what = format!("question {index}: {before:?} and then {after:?}");
            findings.events.push(Event { fault: Fault::Difference, what });
        }
    }
    let again = run_bench(&mut engine)?;
    if bench != again {
        let what = format!("{BENCH}: {bench} and then {again}");
        findings.events.push(Event { fault: Fault::Difference, what });
    }
    engine.quit()?;
    let same = first.iter().zip(&second).filter(|(before, after)| before == after).count();
    findings
        .lines
        .push(format!("{same} of {} searches had the same answer twice, {BENCH}: {bench}", first.len()));
    Ok(findings)
}

/// Asks all questions; what was said to each.
fn round(engine: &mut Engine) -> Result<Vec<Vec<String>>> {
    let mut said = Vec::new();
    for game in GAMES {
        engine.send("ucinewgame")?;
        for step in 0..LIMITS {
            engine.send(game)?;
            said.push(search(engine, (100.0 * 1.5_f64.powi(step)) as u64)?);
        }
    }
    Ok(said)
}

/// Everything said until the best move, but how long it took.
fn search(engine: &mut Engine, nodes: u64) -> Result<Vec<String>> {
    engine.send(&format!("go nodes {nodes}"))?;
    let mut said = Vec::new();
    loop {
        let (_, line) = engine.line(PATIENCE)?.context("the engine does not answer")?;
        let is_last = line.starts_with("bestmove");
        said.push(without_times(&line));
        if is_last {
            return Ok(said);
        }
    }
}

/// The nodes of a benchmark: `438666 nodes 1234567 nps`.
fn run_bench(engine: &mut Engine) -> Result<String> {
    engine.send(BENCH)?;
    loop {
        let (_, line) = engine.line(PATIENCE)?.context("the benchmark does not end")?;
        if let Some((nodes, _)) = line.split_once(" nodes ")
            && nodes.bytes().all(|byte| byte.is_ascii_digit())
        {
            return Ok(format!("{nodes} nodes"));
        }
    }
}

fn without_times(line: &str) -> String {
    let mut words = line.split_whitespace();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if matches!(word, "time" | "nps") {
            words.next();
        } else {
            kept.push(word);
        }
    }
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_are_left_out() {
        let line = "info depth 3 nodes 12 nps 400 hashfull 0 time 3 pv e2e4";
        assert_eq!(without_times(line), "info depth 3 nodes 12 hashfull 0 pv e2e4");
    }
}
