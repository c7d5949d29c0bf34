//! A chess clock, held by the one who asks.

use std::time::Duration;

use super::plan::Control;
use super::verdict::{Event, Fault, event};

/// A time for the move is no clock that runs out: no process can promise a millisecond. So much later is a loss.
const ALLOWANCE: Duration = Duration::from_millis(100);

/// The clocks of both sides, White's first.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    control: Control,
    sides: [Side; 2],
}

#[derive(Clone, Copy, Debug)]
struct Side {
    remaining: Duration,
    moves_played: u32,
}

/// How near a move came to its limit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Margin {
    /// There was no limit of time.
    Untimed,
    /// So much was left on the clock.
    Left(Duration),
    /// So many milliseconds more than the time for the move were used, or fewer.
    Over(f64),
}

impl Clocks {
    pub(super) fn new(control: Control) -> Clocks {
        let remaining = if let Control::Clock { base, .. } = control { base } else { Duration::ZERO };
        Clocks { control, sides: [Side { remaining, moves_played: 0 }; 2] }
    }

    /// What `go` is followed by, for a side.
    pub(super) fn limits(&self, side: usize) -> String {
        match self.control {
            Control::Nodes(nodes) => format!("nodes {nodes}"),
            Control::MoveTime(time) => format!("movetime {}", time.as_millis()),
            Control::Clock { increment, moves, .. } => {
                let [white, black] = self.sides.map(|side| side.remaining.as_millis());
                let increment = increment.as_millis();
                let mut text = format!("wtime {white} btime {black} winc {increment} binc {increment}");
                if let Some(moves) = moves {
                    text += &format!(" movestogo {}", moves - self.sides[side].moves_played % moves);
                }
                text
            }
        }
    }

    /// How long to wait for an answer at most, beside the time that is anybody's guess.
    pub(super) fn remaining(&self, side: usize) -> Duration {
        self.sides[side].remaining
    }

    /// A side has moved.
    pub(super) fn spend(&mut self, side: usize, used: Duration) -> Result<Margin, Event> {
        match self.control {
            Control::Nodes(_) => Ok(Margin::Untimed),
            Control::MoveTime(time) if used > time + ALLOWANCE => {
                event(Fault::TimeLoss, format_args!("{used:?} used of {time:?}"))
            }
            Control::MoveTime(time) => Ok(Margin::Over((used.as_secs_f64() - time.as_secs_f64()) * 1e3)),
            Control::Clock { base, increment, moves } => {
                let Side { remaining, moves_played } = &mut self.sides[side];
                let Some(left) = remaining.checked_sub(used) else {
                    return event(Fault::TimeLoss, format_args!("{used:?} used, {remaining:?} left"));
                };
                *moves_played += 1;
                let is_control = moves.is_some_and(|moves| *moves_played % moves == 0);
                *remaining = left + increment + if is_control { base } else { Duration::ZERO };
                Ok(Margin::Left(left))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_clock_runs_and_is_filled_up() {
        let control = Control::Clock { base: ms(100), increment: ms(5), moves: Some(2) };
        let mut clocks = Clocks::new(control);
        assert_eq!(clocks.limits(0), "wtime 100 btime 100 winc 5 binc 5 movestogo 2");
        assert_eq!(clocks.spend(0, ms(30)).expect("in time"), Margin::Left(ms(70)));
        assert_eq!(clocks.limits(0), "wtime 75 btime 100 winc 5 binc 5 movestogo 1");
        assert_eq!(clocks.limits(1), "wtime 75 btime 100 winc 5 binc 5 movestogo 2");
        assert_eq!(clocks.spend(0, ms(75)).expect("in time"), Margin::Left(ms(0)));
        assert_eq!(clocks.remaining(0), ms(105));
        assert_eq!(clocks.spend(1, ms(101)).expect_err("too late").fault, Fault::TimeLoss);
    }

    #[test]
    fn a_time_for_the_move_has_some_allowance() {
        let mut clocks = Clocks::new(Control::MoveTime(ms(20)));
        assert_eq!(clocks.limits(1), "movetime 20");
        assert!(matches!(clocks.spend(0, ms(25)), Ok(Margin::Over(over)) if (over - 5.0).abs() < 1e-6));
        assert_eq!(clocks.spend(0, ms(121)).expect_err("too late").fault, Fault::TimeLoss);
    }
}
