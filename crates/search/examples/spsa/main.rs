//! Tunes the search parameters with games (SPSA: simultaneous perturbation stochastic approximation).
//!
//! ```text
//! cargo run --release -p ferz-search --features tune --example spsa -- --pairs 20000 --out tuned.txt
//! cargo run --release -p ferz-search --features tune --example spsa -- --check tuned.txt --games 2000
//! ```
//!
//! The first command moves all parameters at once a little up or down at random, plays a pair of games of these values
//! against their mirror image, and takes a small step towards the winner, again and again. The second plays the result
//! against the values in the source. Copy it to `src/parameters.rs` only if it wins.

mod check;
mod climb;
mod game;
mod options;
mod pairs;
mod state;

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use ferz_eval::Network;
use ferz_search::SearchParameter;

use check::Check;
use climb::Climb;
use options::{Options, SpsaTask};
use state::State;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("{problem}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    let done = match options.task {
        SpsaTask::Help => {
            println!("{}", options::USAGE);
            Ok(())
        }
        SpsaTask::List => {
            SearchParameter::all().iter().for_each(|parameter| println!("{}", parameter.openbench_line()));
            Ok(())
        }
        SpsaTask::Tune => tune(&options),
        SpsaTask::Check { ref file, games } => check(&options, file, games),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn tune(options: &Options) -> Result<(), String> {
    let state = if options.resume {
        State::read(&options.out)?
    } else if options.out.exists() {
        let out = options.out.display();
        return Err(format!("{out} exists: use --resume to continue it or --out for a different file"));
    } else {
        State::new(&options.only)?
    };
    let network = network(&options.net)?;
    let first = state.pairs;
    let mut climb = Climb::new(state, options);
    // A file that cannot be written is noticed now, not after an hour.
    climb.save()?;
    pairs::play(options, network.as_ref(), first..options.pairs, &mut climb)?;
    climb.save()?;
    print!("{}", climb.summary());
    Ok(())
}

fn check(options: &Options, file: &Path, games: u64) -> Result<(), String> {
    let state = State::read(file)?;
    let network = network(&options.net)?;
    let mut check = Check::new(&state, options.every, games.div_ceil(2));
    pairs::play(options, network.as_ref(), 0..games.div_ceil(2), &mut check)?;
    println!("{check}");
    Ok(())
}

/// The network of this name, or in this file; `None` is the classical evaluation.
fn network(name: &Path) -> Result<Option<Arc<Network>>, String> {
    if name == Path::new("embedded") {
        return Ok(Some(Network::embedded()));
    }
    if name == Path::new("classical") {
        return Ok(None);
    }
    let problem = |error: &dyn std::fmt::Display| format!("{}: {error}", name.display());
    if !fs::metadata(name).map_err(|error| problem(&error))?.is_file() {
        return Err(problem(&"not a file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(name).map_err(|error| problem(&error))?;
    file.take(Network::MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| problem(&error))?;
    Network::from_bytes(&bytes).map(|network| Some(Arc::new(network))).map_err(|error| problem(&error))
}
