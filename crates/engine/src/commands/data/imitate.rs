//! `ferz data imitate`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, value_parser};
use ferz_board::{Color, Position};
use ferz_eval::Evaluator;

use super::reading::GameFiles;
use crate::new_file::NewFile;
use crate::{input, networks};
use ferz_selfplay::data::{GameScore, training};
use ferz_selfplay::datagen::random::SplitMix64;

/// Write training records scored by a static evaluation, to pre-train a network
///
/// Plays a few random moves from every position of a game and scores the new position with an evaluation, without a
/// search, in the evaluation's own centipawns. Such positions are plentiful and resemble those of a search, hanging
/// pieces included, so a new network can learn an existing evaluation before it learns from games. Positions in check
/// are skipped: a search never evaluates them.
///
/// The records are those of `convert`, with the result of the game. The last line is `<n> of <n> positions`.
#[derive(Args)]
pub(crate) struct Imitate {
    #[command(flatten)]
    files: GameFiles,

    /// The output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// The evaluation: a network file, `embedded` or `classical`. Repeat the option to average several
    #[arg(long = "net", value_name = "FILE", default_value = networks::CLASSICAL)]
    nets: Vec<PathBuf>,

    /// Play 1 to N random moves
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = value_parser!(u64).range(1..=100))]
    plies: u64,

    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

impl Imitate {
    /// Writes the records and prints their number.
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
                let Some(near) = play_random_moves(position, 1 + random.below(self.plies), &mut random)
                else {
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

/// Plays random moves; `None` if the game ends before, or if the last position is in check.
fn play_random_moves(mut position: Position, plies: u64, random: &mut SplitMix64) -> Option<Position> {
    for _ in 0..plies {
        position.play_unchecked(random.choice(&position.legal_moves())?);
    }
    (!position.is_check()).then_some(position)
}

/// The mean of the evaluations of a position, for the side to move.
fn mean(evaluators: &mut [Evaluator], position: &Position) -> i32 {
    let count = evaluators.len() as i32;
    let values = evaluators.iter_mut().map(|evaluator| {
        evaluator.reset(position);
        evaluator.evaluate(position)
    });
    values.sum::<i32>() / count
}

/// A value as a score from White's point of view.
fn score(value: i32, side: Color) -> GameScore {
    GameScore::from_evaluation(value).relative_to(side)
}
