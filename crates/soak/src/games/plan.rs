//! What kind of game each one is: random, but the same for the same seed and number.

use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;
use ferz_board::{CastlingMode, CastlingStyle, EnPassantMode, Position, Setup};

use crate::random::RandomChoice as _;
use crate::rules::GameRecord;

/// A part of the run: games of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GameStage {
    Nodes,
    Fast,
    Clock,
    MoveTime,
}

impl GameStage {
    pub(super) fn name(self) -> &'static str {
        match self {
            GameStage::Nodes => "at 1000 nodes",
            GameStage::Fast => "at 0.1+0.002",
            GameStage::Clock => "at 0.5+0.005",
            GameStage::MoveTime => "at fixed time per move",
        }
    }
}

/// What limits a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TimeControl {
    Nodes(u64),
    MoveTime(Duration),
    Clock {
        base: Duration,
        increment: Duration,
        /// After this number of moves the base is added again.
        moves: Option<u32>,
    },
}

/// A game to be played.
#[derive(Clone, Debug)]
pub(super) struct GamePlan {
    pub(super) number: usize,
    /// The start position with the opening played.
    pub(super) record: GameRecord,
    /// One process plays both sides, or each side has its own.
    pub(super) processes: usize,
    pub(super) control: TimeControl,
    pub(super) threads: usize,
    /// `MultiPV`.
    pub(super) lines: usize,
    pub(super) ponder: bool,
    /// Whether draws end the game as soon as they can be claimed.
    pub(super) claims: bool,
}

const OPENING_PLIES: usize = 8;

impl GamePlan {
    pub(super) fn new(seed: u64, stage: GameStage, number: usize) -> Result<GamePlan> {
        let mut random = Rng::with_seed(seed ^ Rng::with_seed(number as u64 * 4 + stage as u64).u64(..));
        let is_chess960 = random.usize(..3) == 0;
        let record = loop {
            if let Some(record) = opening(is_chess960, &mut random)? {
                break record;
            }
        };
        let is_timed = stage != GameStage::Nodes;
        let processes = random.usize(1..=2);
        let ponder = processes == 2 && random.percent(25);
        // By the clock, two threads that search at a time are enough for a small machine.
        let threads = if is_timed && ponder { 1 } else { 1 + usize::from(random.percent(15)) };
        Ok(GamePlan {
            number,
            record,
            processes,
            control: control(stage, &mut random),
            threads,
            lines: if random.percent(25) { random.usize(2..=4) } else { 1 },
            ponder,
            claims: is_timed || !random.percent(2),
        })
    }

    /// Whether the game keeps more than one processor busy.
    pub(super) fn is_heavy(&self) -> bool {
        self.ponder || self.threads > 1
    }
}

fn control(stage: GameStage, random: &mut Rng) -> TimeControl {
    let clock = |base, increment, moves| {
        let (base, increment) = (Duration::from_millis(base), Duration::from_millis(increment));
        TimeControl::Clock { base, increment, moves }
    };
    match stage {
        GameStage::Nodes => TimeControl::Nodes(1000),
        GameStage::Fast => clock(100, 2, None),
        GameStage::Clock => clock(500, 5, random.percent(15).then_some(40)),
        GameStage::MoveTime => TimeControl::MoveTime(Duration::from_millis(random.pick(&[1, 20]))),
    }
}

/// A start position and some random moves; `None` if they ended the game.
fn opening(is_chess960: bool, random: &mut Rng) -> Result<Option<GameRecord>> {
    let (setup, mode, style) = if is_chess960 {
        let setup = Setup::chess960(random.u16(..960), random.u16(..960));
        (setup.unwrap_or_else(Setup::start), CastlingMode::Chess960, CastlingStyle::Shredder)
    } else {
        (Setup::start(), CastlingMode::Standard, CastlingStyle::XFen)
    };
    let start = Position::from_setup(&setup, mode)?.fen(EnPassantMode::Always, style);
    let mut record = GameRecord::new(start.to_string(), is_chess960)?;
    for _ in 0..OPENING_PLIES {
        let moves = record.referee.legal_moves();
        record.play(&moves[random.usize(..moves.len())])?;
        if record.referee.end(true).is_some() {
            return Ok(None);
        }
    }
    Ok(Some(record))
}
