//! Fits the WDL model (win, draw and loss probabilities) to games.
//!
//! ```text
//! cargo run --release -p ferz-search --example fit_wdl -- games.pgn
//! ```
//!
//! prints the constants for `src/wdl.rs` and how well they predict the results of held-out games. The games need the
//! scores of the search in their comments (`{+0.31/10 0.5s}`, from the mover's point of view) and must be played with
//! this evaluation: values of a different one have different win probabilities. Scores are printed with the model of
//! the program that played. If that is not the one compiled in now, give its polynomial with `--half`.
//!
//! The model is about equal players. With `--player` the games may be against stronger and weaker opponents: what the
//! player's strength is worth against each is fitted, too, and added to the values.

mod fit;
mod options;
mod sample;

use std::process::ExitCode;

use ferz_search::WdlModel;

use fit::{fit, log_likelihood};
use options::Options;
use sample::{Outcome, Sample, Sets};

/// How often the model and the advantages are fitted in turns.
const ROUNDS: usize = 8;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("{problem}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let sets = sample::read(options)?;
    println!(
        "{} positions to learn from and {} held out, of {} games; {} repeated and {} broken games left out",
        sets.train.len(),
        sets.held_out.len(),
        sets.games,
        sets.repeated,
        sets.broken
    );
    if sets.train.len() < 1000 || sets.held_out.is_empty() {
        return Err("too few positions".to_owned());
    }
    let (fitted, advantages) = fit_with_advantages(&sets, options.prior);
    for (name, advantage) in sets.opponents.iter().zip(&advantages) {
        println!("{name}: {advantage:+.0} for the player's strength");
    }
    let adjusted = |samples: &[Sample]| -> Vec<Sample> {
        samples.iter().map(|it| it.with_advantage(it.opponent.map_or(0.0, |it| advantages[it]))).collect()
    };
    let (train, held_out) = (adjusted(&sets.train), adjusted(&sets.held_out));
    let fitted = WdlModel::new(fitted.half().map(rounded), fitted.spread().map(rounded));

    println!("\n    half: {:?},\n    spread: {:?},\n", fitted.half(), fitted.spread());
    for (name, samples) in [("learned from", &train), ("held out", &held_out)] {
        println!(
            "log-likelihood per position, {name}: {:.5} with the model compiled in, {:.5} with the new one",
            log_likelihood(&WdlModel::CURRENT, samples),
            log_likelihood(&fitted, samples)
        );
    }
    let all = [train, held_out.clone()].concat();
    print_curves(&fitted, &all);
    println!("\nBy value, all positions:");
    print_buckets(&fitted, &all, &BY_VALUE, |sample| sample.value);
    println!("\nBy value, positions held out:");
    print_buckets(&fitted, &held_out, &BY_VALUE, |sample| sample.value);
    println!("\nBy material, all positions:");
    print_buckets(&fitted, &all, &BY_MATERIAL, |sample| f64::from(sample.material));
    println!("\nBy material, values from 100 to 250, all positions:");
    let better: Vec<Sample> =
        all.iter().copied().filter(|sample| (100.0..250.0).contains(&sample.value)).collect();
    print_buckets(&fitted, &better, &BY_MATERIAL, |sample| f64::from(sample.material));
    Ok(())
}

/// Fits the model and what the player's strength is worth against each opponent, in turns.
fn fit_with_advantages(sets: &Sets, prior: f64) -> (WdlModel, Vec<f64>) {
    let mut advantages = vec![0.0; sets.opponents.len()];
    let mut model = fit(&sets.train, prior);
    for _ in 0..if advantages.is_empty() { 0 } else { ROUNDS } {
        for (opponent, advantage) in advantages.iter_mut().enumerate() {
            let games: Vec<Sample> =
                sets.train.iter().copied().filter(|sample| sample.opponent == Some(opponent)).collect();
            *advantage = if games.is_empty() { 0.0 } else { fit::advantage(&model, &games) };
        }
        let adjusted = |it: &Sample| it.with_advantage(it.opponent.map_or(0.0, |it| advantages[it]));
        let samples: Vec<_> = sets.train.iter().map(adjusted).collect();
        model = fit(&samples, prior);
    }
    (model, advantages)
}

fn rounded(coefficient: f64) -> f64 {
    (100.0 * coefficient).round() / 100.0
}

fn print_curves(model: &WdlModel, samples: &[Sample]) {
    println!("\nmaterial  positions    half  spread");
    for material in fit::materials().step_by(10) {
        let count = samples.iter().filter(|sample| sample.material.abs_diff(material) <= 5).count();
        println!("{material:8} {count:10} {:7.1} {:7.1}", model.half_at(material), model.spread_at(material));
    }
}

const BY_VALUE: [f64; 18] = [
    -2500.0, -600.0, -400.0, -300.0, -200.0, -150.0, -100.0, -50.0, -20.0, 20.0, 50.0, 100.0, 150.0, 200.0,
    300.0, 400.0, 600.0, 2500.0,
];
const BY_MATERIAL: [f64; 9] = [8.0, 16.0, 24.0, 32.0, 40.0, 48.0, 56.0, 64.0, 79.0];

/// Expected and observed results in percent, between each two of the edges.
fn print_buckets(model: &WdlModel, samples: &[Sample], edges: &[f64], key: impl Fn(&Sample) -> f64) {
    println!("         from ..  below  positions    expected W / D / L    observed W / D / L");
    for pair in edges.windows(2) {
        let range = pair[0]..pair[1];
        let bucket: Vec<&Sample> = samples.iter().filter(|sample| range.contains(&key(sample))).collect();
        if bucket.is_empty() {
            continue;
        }
        let percent = 100.0 / bucket.len() as f64;
        let chance = |sign: f64| {
            let probabilities = bucket.iter().map(|sample| model.win(sign * sample.value, sample.material));
            percent * probabilities.sum::<f64>()
        };
        let share =
            |outcome| percent * bucket.iter().filter(|sample| sample.outcome == outcome).count() as f64;
        let (win, loss) = (chance(1.0), chance(-1.0));
        println!(
            "{:13.0} .. {:6.0} {:10}   {win:5.1} / {:5.1} / {loss:5.1}   {:5.1} / {:5.1} / {:5.1}",
            pair[0],
            pair[1],
            bucket.len(),
            100.0 - win - loss,
            share(Outcome::Win),
            share(Outcome::Draw),
            share(Outcome::Loss)
        );
    }
}
