//! Engines and their searches.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use ferz_board::Move;
use ferz_search::{Bound, Engine, Host, Limits, Line, Report, Score, SearchOptions, Signals};

use crate::buffers::{numbers, set_moves, set_numbers, with_input};
use crate::game;
use crate::handles::Handles;
use crate::host;

thread_local! {
    static ENGINES: RefCell<Handles<Engine>> = const { RefCell::new(Handles::new()) };
}

/// A line of a running search.
const RUNNING: u32 = 0;
/// A line of the result.
const FINAL: u32 = 1;

fn take(handle: u32) -> Option<Box<Engine>> {
    ENGINES.with_borrow_mut(|engines| engines.take(handle))
}

fn put_back(handle: u32, engine: Box<Engine>) {
    ENGINES.with_borrow_mut(|engines| engines.put_back(handle, engine));
}

/// Zero and below stand for "no limit".
fn limit(number: f64) -> Option<u64> {
    (number > 0.0).then_some(number as u64)
}

fn report_line(kind: u32, line: &Line) {
    let (is_mate, score) = match line.score {
        Score::Centipawns(value) => (0.0, value),
        Score::Mate(moves) => (1.0, moves),
    };
    let bound = match line.bound {
        Bound::Exact => 0.0,
        Bound::Lower => 1.0,
        Bound::Upper => 2.0,
    };
    let moves = set_moves(&line.moves);
    set_numbers(&[
        line.depth.into(),
        line.selective_depth.into(),
        line.rank as f64,
        is_mate,
        score.into(),
        bound,
        line.wdl.win().into(),
        line.wdl.draw().into(),
        line.wdl.loss().into(),
        line.nodes as f64,
        line.hashfull.into(),
        line.time.as_secs_f64() * 1000.0,
        moves.into(),
    ]);
    host::report(kind);
}

exports! {
    /// An engine with a transposition table of this many MiB: its handle, or -1 if the memory is not there.
    fn engine_new(hash: u32) -> i32 {
        let Ok(mut engine) = Engine::new(hash as usize) else { return -1 };
        // The standard library has no clock on this platform.
        engine.set_host(Host::default().now(|| Duration::from_secs_f64(host::now() / 1000.0)));
        ENGINES.with_borrow_mut(|engines| engines.insert(|_| engine)) as i32
    }

    /// Gives the memory of an engine back.
    fn engine_free(handle: u32) {
        ENGINES.with_borrow_mut(|engines| engines.remove(handle));
    }

    /// Forgets all searches; 0 if the engine searches.
    fn engine_clear(handle: u32) -> u32 {
        let Some(mut engine) = take(handle) else { return 0 };
        engine.clear();
        put_back(handle, engine);
        1
    }

    /// Searches the current game. Numbers: depth, nodes, milliseconds, mate, lines, Elo, seed. The input has this many
    /// moves, two bytes each, to which the root is restricted.
    ///
    /// Returns 0 if the engine searches or is gone. Else the numbers are: best move, expected reply, nodes, milliseconds.
    fn engine_search(handle: u32, moves: usize) -> u32 {
        let Some(mut engine) = take(handle) else { return 0 };
        let [depth, nodes, time, mate, lines, elo, seed] = numbers();
        let mut limits = Limits::new();
        limits.depth = limit(depth).map(|depth| depth as u32);
        limits.nodes = limit(nodes);
        limits.mate = limit(mate).map(|moves| moves as u32);
        limits.move_time = (time > 0.0).then(|| Duration::from_secs_f64(time / 1000.0));
        limits.search_moves = with_input(2 * moves, |bytes| {
            let pairs = bytes.chunks_exact(2);
            pairs.filter_map(|pair| Move::from_bits(u16::from_le_bytes([pair[0], pair[1]]))).collect()
        });
        let mut options = SearchOptions::new().lines(lines.clamp(1.0, 256.0) as usize).seed(seed as u64);
        // The limit is what the caller says: nothing is on the way to a user interface.
        options.move_overhead = Duration::ZERO;
        options.elo = limit(elo).map(|elo| elo as u32);

        let signals = Arc::new(Signals::new());
        let stop = Arc::clone(&signals);
        let host = engine.host().clone();
        engine.set_host(host.clone().poll(move || {
            if host::poll() {
                stop.stop();
            }
        }));
        let game = game::current();
        let conclusion = engine.search_on_this_thread(&game, &limits, &options, &signals, &mut |report| {
            if let Report::Line(line) = report {
                report_line(RUNNING, line);
            }
        });
        engine.set_host(host);
        put_back(handle, engine);
        conclusion.lines.iter().for_each(|line| report_line(FINAL, line));
        let bits = |mv: Option<Move>| mv.map_or(0.0, |mv| mv.bits().into());
        let time = conclusion.time.as_secs_f64() * 1000.0;
        set_numbers(&[bits(conclusion.best), bits(conclusion.ponder), conclusion.nodes as f64, time]);
        1
    }
}
