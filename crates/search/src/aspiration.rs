//! Aspiration windows.

use std::time::Duration;

use crate::node::RootNode;
use crate::parameters::params;
use crate::root_move::RootMove;
use crate::value::{INFINITE, Value, is_decisive};
use crate::worker::Worker;

/// Iterations up to this depth are cheap enough for the full window.
const FULL_WINDOW_DEPTH: i32 = 3;
/// Values beyond this do not widen the window further.
const WIDENING_LIMIT: Value = 3000;
/// The window widens with the square of the value, divided by this: large values vary more.
const WIDENING_DIVISOR: Value = 12_000;
/// Lazy SMP: helper threads have windows of this number of different widths, so that they search different trees.
const THREAD_WIDTHS: Value = 4;
/// After this time, windows that fail and the root moves being searched are reported.
const REPORT_AFTER: Duration = Duration::from_secs(3);

impl Worker<'_> {
    /// One iteration with an aspiration window: a narrow window around the expected value cuts off more. It is widened
    /// and searched again while the value lies outside.
    pub(crate) fn aspiration_window(&mut self) {
        let first = self.first_root_move;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut delta = params::aspiration_delta();
        if let Some(average) = self.root_moves[first].average_value
            && self.root_depth > FULL_WINDOW_DEPTH
        {
            let size = average.abs().min(WIDENING_LIMIT);
            delta += size * size / WIDENING_DIVISOR;
            delta += self.id as Value % THREAD_WIDTHS;
            alpha = (average - delta).max(-INFINITE);
            beta = (average + delta).min(INFINITE);
        }
        let mut failed_high = 0;
        loop {
            // After a fail high a shallower search will do to confirm that the move is better.
            let depth = (self.root_depth - failed_high).max(1);
            self.report_current_moves = self.id == 0 && self.shared.time.elapsed() >= REPORT_AFTER;
            let value = self.search::<RootNode>(0, alpha, beta, depth, false);
            self.root_moves[first..].sort_by_key(RootMove::order);
            if self.stopped {
                return;
            }
            if value <= alpha && alpha > -INFINITE {
                // Fail low.
                beta = (alpha + beta) / 2;
                alpha = if is_decisive(value) { -INFINITE } else { (value - delta).max(-INFINITE) };
                failed_high = 0;
            } else if value >= beta && beta < INFINITE {
                // Fail high.
                alpha = alpha.max(beta - delta);
                beta = if is_decisive(value) { INFINITE } else { (value + delta).min(INFINITE) };
                failed_high += 1;
            } else {
                return;
            }
            // Grow quickly: every failed window costs a search.
            delta += delta / 3 + 4;
            if self.report_current_moves {
                self.report_line(first);
            }
        }
    }
}
