//! `ferz data imitate`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, value_parser};
use ferz_board::{Color, Position};
use ferz_eval::Evaluator;

use super::output::NewFile;
use super::reading::Files;
use crate::{input, networks};
use ferz_selfplay::data::{GameScore, training};
use ferz_selfplay::datagen::random::SplitMix64;

/// Write positions near those of the games, with nothing but an evaluation of them, for a net to learn it from
///
/// From every position of a game some random moves are played, and what an evaluation says of the position after
/// them is its score: no search, in the evaluation's own centipawns. There is no end to such positions, and they are
/// like those a search sees, pieces left hanging and all; so they teach a new net what an evaluation knows
/// already, before it learns from games. Positions in check, which are never evaluated, are left out.
///
/// The records are those of `convert`; the result is that of the game. The last line is `<n> of <n> positions`.
#[derive(Args)]
pub(crate) struct Imitate {
    #[command(flatten)]
    files: Files,

    /// The new file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Evaluate with this net; `classical` is none. Given several times, the mean of all is taken
    #[arg(long = "net", value_name = "FILE", default_value = networks::CLASSICAL)]
    nets: Vec<PathBuf>,

    /// At most so many random moves are played, at least one
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = value_parser!(u64).range(1..=100))]
    plies: u64,

    /// Another seed makes other moves
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

impl Imitate {
    /// Writes the positions and says how many.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let evaluator = |net| Ok(Evaluator::with_network(&Position::start(), networks::load(net)?));
        let mut teachers = self.nets.iter().map(|net| evaluator(net)).collect::<Result<Vec<Evaluator>>>()?;
        let mut file = NewFile::create(&self.out, self.files.paths())?;
        let (mut games, mut kept, mut all) = (0, 0_u64, 0_u64);
        self.files.for_each(|game| {
            let mut random = SplitMix64::for_number(self.seed, games);
            games += 1;
            for (position, _) in game.positions() {
                all += 1;
                let Some(near) = wander(position, 1 + random.below(self.plies), &mut random) else {
                    continue;
                };
                kept += 1;
                let score = score(mean(&mut teachers, &near), near.side_to_move());
                file.write_all(&training::record(&near, score, game.result))
                    .with_context(|| input::name(&self.out))?;
            }
            Ok(())
        })?;
        file.finish()?;
        writeln!(out, "{kept} of {all} positions")?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Plays so many random moves; `None` if there are none, or if the end is a check.
fn wander(mut position: Position, plies: u64, random: &mut SplitMix64) -> Option<Position> {
    for _ in 0..plies {
        position.play_unchecked(random.choice(&position.legal_moves())?);
    }
    (!position.is_check()).then_some(position)
}

/// What the evaluators say of a position on average, to the side to move.
fn mean(evaluators: &mut [Evaluator], position: &Position) -> i32 {
    let count = evaluators.len() as i32;
    let values = evaluators.iter_mut().map(|evaluator| {
        evaluator.reset(position);
        evaluator.evaluate(position)
    });
    values.sum::<i32>() / count
}

/// From White's point of view; evaluations are far below the scores that mean mates.
fn score(value: i32, side: Color) -> GameScore {
    GameScore::from_evaluation(value).relative_to(side)
}
