//! How long a chess program waits for the engine, measured one thing at a time.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::figures::Times;
use crate::process::Engine;
use crate::random::Random;

const PATIENCE: Duration = Duration::from_secs(10);
const STARTS: usize = 20;
const NEW_GAMES: usize = 10;
const STOPS: usize = 150;
/// In MiB.
const LARGE_HASH: usize = 1024;

/// Where a stop is hardest to hear: every pawn can promote, and quiescence explodes; and a usual one.
const POSITIONS: [&str; 2] =
    ["fen 8/PPPPPPPP/nr4RN/qb4BQ/kb4BK/nr4RN/pppppppp/8 w - - 0 1", "startpos moves e2e4 e7e5"];

/// What was measured.
#[derive(Default, Debug)]
pub(super) struct Latencies {
    /// From the start of the program to `uciok`.
    pub(super) start: Times,
    /// From `ucinewgame` to `readyok` with a large table.
    pub(super) new_game: Times,
    /// From `stop` to the best move.
    pub(super) stop: Times,
}

pub(super) fn measure(program: &Path, seed: u64) -> Result<Latencies> {
    let mut latencies = Latencies::default();
    for _ in 0..STARTS {
        let start = Instant::now();
        let mut engine = Engine::start(program, &[])?;
        engine.send("uci")?;
        latencies.start.push(engine.wait_for("uciok", PATIENCE)?.0 - start);
        engine.quit()?;
    }
    let mut engine = Engine::ready(program)?;
    engine.send(&format!("setoption name Hash value {LARGE_HASH}"))?;
    engine.synchronize(PATIENCE)?;
    for _ in 0..NEW_GAMES {
        let start = Instant::now();
        engine.send("ucinewgame\nisready")?;
        latencies.new_game.push(engine.wait_for("readyok", PATIENCE)?.0 - start);
    }
    engine.send("setoption name Hash value 16")?;
    let mut random = Random::new(seed);
    for number in 0..STOPS {
        engine.send(&format!("position {}", POSITIONS[number % POSITIONS.len()]))?;
        engine.synchronize(PATIENCE)?;
        engine.send("go infinite")?;
        thread::sleep(Duration::from_millis(random.below(40) as u64));
        let start = Instant::now();
        engine.send("stop")?;
        let (when, line) = engine.wait_for("bestmove ", PATIENCE)?;
        ensure!(line != "bestmove 0000" && line != "bestmove (none)", "no move: {line}");
        latencies.stop.push(when - start);
    }
    engine.quit()?;
    Ok(latencies)
}
