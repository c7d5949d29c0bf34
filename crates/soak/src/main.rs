//! Long runs of Ferz under load, faults and hostile input: `make soak`, or
//! `cargo run --profile soak -p ferz-soak -- --help`.
//!
//! Every part is bounded in time, ends with a line of figures, and with exit code 1 if a promise of
//! `docs/reliability.md` was broken.

#![allow(dead_code)]

mod files;
mod process;
mod random;
mod storm;

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
    Files(files::Files),
    Storm(storm::Storm),
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    match args.part {
        Part::Files(files) => files.run(&args.ferz),
        Part::Storm(storm) => storm.run(),
    }
}
