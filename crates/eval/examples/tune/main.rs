//! Tunes the weights of the classical evaluation to games (Texel tuning, with gradients).
//!
//! ```text
//! cargo run --release -p ferz-eval --example tune -- games.pgn > weights.rs
//! ```
//!
//! prints a new `weights.rs`; copy it over `src/classical/weights.rs`. The tuner takes quiet positions from the games and
//! looks for the weights with which the evaluation best predicts the results, or a mix of results and search scores, if
//! the comments have scores (`{+0.31/10 0.5s}`). Progress goes to stderr.

mod fit;
mod model;
mod options;
mod sample;

use std::process::ExitCode;
use std::time::Instant;

use ferz_eval::tuning;

use fit::{fit, fit_scale};
use model::{Model, Samples};
use options::Options;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("{problem}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match tune(&options) {
        Ok(weights) => {
            print!("{weights}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// The source text of the new weights.
fn tune(options: &Options) -> Result<String, String> {
    let began = Instant::now();
    let sample::Sets { mut train, mut held_out, games } = sample::read(options)?;
    eprintln!(
        "{} positions from {games} games to learn from, {} held out, {} MB, {:.0} s",
        train.len(),
        held_out.len(),
        (train.bytes() + held_out.bytes()) >> 20,
        began.elapsed().as_secs_f32()
    );
    if train.len() < 1000 || held_out.is_empty() {
        return Err("too few positions".to_owned());
    }

    let start = Model::from_weights(&tuning::current_weights());
    let scales = fit_scale(&start, &train);
    eprintln!(
        "a value of {:.0}, or a search score of {:.0}, wins 73% of the points",
        scales.value, scales.score
    );
    train.set_targets(options.lambda, scales.score);
    held_out.set_targets(options.lambda, scales.score);

    let fitted = fit(&start, &train, &held_out, scales.value, options).rounded();
    let loss = |model: &Model, samples: &Samples| model.loss(samples, scales.value, options.threads);
    let (train_before, train_after) = (loss(&start, &train), loss(&fitted, &train));
    let (held_before, held_after) = (loss(&start, &held_out), loss(&fitted, &held_out));
    eprintln!("loss on what was learned from: {train_before:.6} before, {train_after:.6} after");
    eprintln!("loss on what was held out:     {held_before:.6} before, {held_after:.6} after");
    eprintln!("{:.0} s in all", began.elapsed().as_secs_f32());

    let origin = format!(
        "Fitted to {} positions from {games} games:\n{}.\n\
         Loss {train_before:.6} before, {train_after:.6} after; {held_before:.6} and {held_after:.6} on the {} \
         held out.",
        train.len(),
        options.file_names().join(", "),
        held_out.len(),
    );
    Ok(tuning::render(&fitted.to_weights(), &origin))
}
