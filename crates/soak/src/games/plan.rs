//! What kind of game each one is: chance, but the same for the same seed and number.

use std::fmt;
use std::time::Duration;

use anyhow::Result;
use ferz_board::{CastlingMode, CastlingStyle, EnPassantMode, Position, Setup};

use super::referee::{Draws, Record};
use crate::random::Random;

/// A part of the run: games of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// 1,000 nodes a move, most of them in this process.
    Nodes,
    /// 0.1 s and 2 ms a move.
    Fast,
    /// 0.5 s and 5 ms a move.
    Clock,
    /// A fixed time for every move.
    MoveTime,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Nodes => "at 1000 nodes",
            Stage::Fast => "at 0.1+0.002",
            Stage::Clock => "at 0.5+0.005",
            Stage::MoveTime => "with a time for each move",
        })
    }
}

/// What limits a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Control {
    Nodes(u64),
    MoveTime(Duration),
    Clock {
        base: Duration,
        increment: Duration,
        /// After so many moves the base is added again.
        moves: Option<u32>,
    },
}

/// Who plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Players {
    /// An engine in this process, both sides.
    Library,
    /// A process, both sides.
    OneProcess,
    TwoProcesses,
}

/// A game to be played.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) number: usize,
    /// The start, with the opening played.
    pub(super) record: Record,
    pub(super) players: Players,
    pub(super) control: Control,
    pub(super) threads: usize,
    /// How many lines are wanted.
    pub(super) lines: usize,
    /// Whether engines think in the other's time.
    pub(super) ponder: bool,
    /// When draws end it.
    pub(super) draws: Draws,
}

const OPENING_PLIES: usize = 8;

impl Plan {
    pub(super) fn new(seed: u64, stage: Stage, number: usize) -> Result<Plan> {
        // One step of the generator keeps neighbouring numbers apart.
        let mut random = Random::new(seed ^ Random::new(number as u64 * 4 + stage as u64).next());
        let is_chess960 = random.below(3) == 0;
        let record = loop {
            if let Some(record) = opening(is_chess960, &mut random)? {
                break record;
            }
        };
        let control = control(stage, &mut random);
        let players = match (stage, random.below(10)) {
            (Stage::Nodes, 2..) => Players::Library,
            (_, number) if number % 2 == 0 => Players::OneProcess,
            _ => Players::TwoProcesses,
        };
        let is_timed = stage != Stage::Nodes;
        let is_long = !is_timed && random.percent(2);
        let ponder = players == Players::TwoProcesses && random.percent(if is_timed { 25 } else { 75 });
        // Where clocks run, two engines that think are enough for a small machine.
        let threads = match (is_timed, ponder) {
            (true, true) => 1,
            (true, false) if random.percent(10) => 2,
            (false, _) if random.percent(20) => 2,
            _ => 1,
        };
        Ok(Plan {
            number,
            record,
            players,
            control,
            threads,
            lines: if random.percent(25) { 2 + random.below(3) } else { 1 },
            ponder,
            draws: if is_long { Draws::Automatic } else { Draws::Claimed },
        })
    }

    /// Whether the game keeps more than one processor busy.
    pub(super) fn is_heavy(&self) -> bool {
        self.ponder || self.threads > 1
    }
}

fn control(stage: Stage, random: &mut Random) -> Control {
    let clock = |base, increment, moves| {
        let (base, increment) = (Duration::from_millis(base), Duration::from_millis(increment));
        Control::Clock { base, increment, moves }
    };
    match stage {
        Stage::Nodes => Control::Nodes(1000),
        Stage::Fast => clock(100, 2, None),
        Stage::Clock if random.percent(15) => clock(500, 5, Some(40)),
        Stage::Clock => clock(500, 5, None),
        Stage::MoveTime => Control::MoveTime(Duration::from_millis(*random.pick(&[1, 20]))),
    }
}

/// A start and some random moves; `None` if they ended the game.
fn opening(is_chess960: bool, random: &mut Random) -> Result<Option<Record>> {
    let (setup, mode, style) = if is_chess960 {
        let setup = Setup::chess960(random.below(960) as u16, random.below(960) as u16);
        (setup.unwrap_or_else(Setup::start), CastlingMode::Chess960, CastlingStyle::Shredder)
    } else {
        (Setup::start(), CastlingMode::Standard, CastlingStyle::XFen)
    };
    let start = Position::from_setup(&setup, mode)?.fen(EnPassantMode::Always, style);
    let mut record = Record::new(start.to_string(), is_chess960)?;
    for _ in 0..OPENING_PLIES {
        let moves = record.referee.legal_moves();
        let mv: &String = random.pick(&moves);
        record.play(mv)?;
        if record.referee.end(Draws::Claimed).is_some() {
            return Ok(None);
        }
    }
    Ok(Some(record))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_the_same_for_the_same_seed_and_number() {
        let text = |seed, number| Plan::new(seed, Stage::Clock, number).map(|plan| format!("{plan:?}"));
        assert_eq!(text(1, 2).expect("a plan"), text(1, 2).expect("a plan"));
        assert_ne!(text(1, 2).expect("a plan"), text(1, 3).expect("a plan"));
        assert_ne!(text(1, 2).expect("a plan"), text(2, 2).expect("a plan"));
    }

    #[test]
    fn there_is_something_of_everything() {
        let plans: Vec<Plan> =
            (0..300).map(|number| Plan::new(1, Stage::Nodes, number).expect("a plan")).collect();
        let share = |is: fn(&Plan) -> bool| plans.iter().filter(|plan| is(plan)).count();
        assert!((70..130).contains(&share(|plan| plan.record.is_chess960)));
        assert!((200..280).contains(&share(|plan| plan.players == Players::Library)));
        assert!(share(|plan| plan.ponder) > 0);
        assert!(share(|plan| plan.threads == 2) > 30);
        assert!(share(|plan| plan.lines > 1) > 40);
        assert!(share(|plan| plan.draws == Draws::Automatic) > 0);
    }
}
