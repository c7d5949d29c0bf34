//! How much stack a search may need.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use ferz_board::Game;
use ferz_search::{Engine, Host, Limits, Report, SearchOptions, Signals};

/// Everything is blocked for ever, and White is two bishops up and does not want to repeat positions. So principal
/// variations get long, and hardly any other path gets longer.
const FORTRESS: &str = "4k3/8/6p1/1p1p1pPp/pPpPpP2/P1P1P3/7P/2BBK3 w - - 0 1";
/// Nodes of one search: enough for a line of 50 plies.
const NODES: u64 = 2_000_000;
/// A further search starts when the present one is this many plies deep.
const PLIES_OF_A_LEVEL: usize = 20;

/// Searches inside searches.
struct DeepStack {
    now: fn() -> Duration,
    poll: fn(),
    /// The stack pointer at the start, and the least one that was seen.
    start: usize,
    lowest: AtomicUsize,
    /// The bytes of a ply; 0 until they have been measured.
    ply: AtomicUsize,
    plies: usize,
    is_reached: AtomicBool,
}

fn stack_pointer() -> usize {
    let here = 0u8;
    (&raw const *black_box(&here)).addr()
}

/// Puts the frames of this many plies on the stack, and polls there. No position is known whose paths really get that
/// long within seconds, so further searches start in the middle of searches. Returns the number of plies.
pub fn deep_stack(plies: u32, now: fn() -> Duration, poll: fn()) -> u32 {
    let start = stack_pointer();
    let stack = Arc::new(DeepStack {
        now,
        poll,
        start,
        lowest: AtomicUsize::new(start),
        ply: AtomicUsize::new(0),
        plies: plies as usize,
        is_reached: AtomicBool::new(false),
    });
    // A singular extension searches a node inside the search of the same node, so a ply has up to two frames. On the
    // path that is measured here about one in three has, and half as much again makes up for the rest.
    let longest = stack.search(usize::MAX);
    stack.ply.store(stack.used() * 3 / 2 / longest.max(1), Relaxed);
    stack.lowest.store(start, Relaxed);
    stack.search(start);
    (stack.used() / stack.ply.load(Relaxed).max(1)) as u32
}

impl DeepStack {
    fn used(&self) -> usize {
        self.start - self.lowest.load(Relaxed)
    }

    /// Searches, with the stack pointer of the caller. Returns the plies of the longest path.
    fn search(self: &Arc<DeepStack>, level_start: usize) -> usize {
        let mut engine = Engine::new(1).expect("memory for 1 MiB");
        let signals = Arc::new(Signals::new());
        let (stack, stop) = (Arc::clone(self), Arc::clone(&signals));
        let poll = move || {
            stack.on_poll(level_start);
            if stack.is_reached.load(Relaxed) {
                stop.stop();
            }
        };
        engine.set_host(Host::default().now(self.now).poll(poll));
        let game = Game::new(FORTRESS.parse().expect("a valid FEN"));
        let mut longest = 0;
        let limits = Limits::default().nodes(NODES);
        engine.search(&game, &limits, &SearchOptions::default(), &signals, &mut |report| {
            if let Report::Line(line) = report {
                longest = longest.max(line.selective_depth as usize);
            }
        });
        longest
    }

    fn on_poll(self: &Arc<DeepStack>, level_start: usize) {
        let here = stack_pointer();
        self.lowest.fetch_min(here, Relaxed);
        (self.poll)();
        let ply = self.ply.load(Relaxed);
        if ply == 0 || self.is_reached.load(Relaxed) {
            return;
        }
        if self.used() >= self.plies * ply {
            self.is_reached.store(true, Relaxed);
        } else if level_start - here >= PLIES_OF_A_LEVEL * ply {
            self.search(here);
        }
    }
}
