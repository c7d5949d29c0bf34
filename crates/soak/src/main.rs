//! Long runs of Ferz under load, faults and hostile input: `make soak`, or
//! `cargo run --profile soak -p ferz-soak -- --help`.
//!
//! Every part is bounded in time, ends with a line of figures, and with exit code 1 if a promise of
//! `docs/reliability.md` was broken.

mod embedded;
mod files;
mod games;
mod process;
mod random;
mod storm;
mod uci;
mod web;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Long runs of Ferz under load, faults and hostile input
#[derive(Parser)]
struct Args {
    /// The engine to be tried
    #[arg(long, value_name = "FILE", default_value = "target/soak/ferz")]
    ferz: PathBuf,
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// The page's server, with many tabs, faults and restarts
    Web(web::Options),
    /// Games against itself under a referee, by nodes and by the clock, and the memory they take
    Games(games::Games),
    Uci(uci::Options),
    Files(files::Files),
    Storm(storm::Storm),
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    match args.part {
        Part::Web(options) => web::run(&args.ferz, &options),
        Part::Games(games) => games.run(&args.ferz),
        Part::Uci(options) => uci::run(&args.ferz, &options),
        Part::Files(files) => files.run(&args.ferz),
        Part::Storm(storm) => storm.run(),
    }
}
