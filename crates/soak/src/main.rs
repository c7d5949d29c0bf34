//! Long runs of Ferz under load, faults and hostile input: `make soak`, or
//! `cargo run --profile soak -p ferz-soak -- --help`.
//!
//! Every part is bounded in time, prints its figures, and exits with 1 if a promise of `docs/reliability.md` was
//! broken.
//!
//! This source is licensed under MIT OR Apache-2.0 like the rest of Ferz. The program links shakmaty, so the binary is
//! under GPL-3.0-or-later; it is a development tool and never distributed.

mod dead;
mod endings;
mod figures;
mod files;
mod games;
mod process;
mod random;
mod rules;
mod storm;
mod tables;
mod uci;
mod web;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Long runs of Ferz under load, faults and hostile input
#[derive(Parser)]
struct Args {
    /// The engine to test
    #[arg(long, value_name = "FILE", default_value = "target/soak/ferz")]
    ferz: PathBuf,
    #[command(subcommand)]
    part: SoakPart,
}

#[derive(Subcommand)]
enum SoakPart {
    Games(games::GamesArgs),
    Uci(uci::UciArgs),
    Files(files::FilesArgs),
    Web(web::WebArgs),
    Storm(storm::StormArgs),
    Tables(tables::TablesArgs),
    Endings(endings::EndingsArgs),
    Dead(dead::DeadArgs),
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    match args.part {
        SoakPart::Games(games) => games.run(&args.ferz),
        SoakPart::Uci(uci) => uci.run(&args.ferz),
        SoakPart::Files(files) => files.run(&args.ferz),
        SoakPart::Web(web) => web.run(&args.ferz),
        SoakPart::Storm(storm) => storm.run(),
        SoakPart::Tables(tables) => tables.run(),
        SoakPart::Endings(endings) => endings.run(),
        SoakPart::Dead(dead) => dead.run(),
    }
}
