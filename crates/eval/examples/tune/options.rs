//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

pub const USAGE: &str = "\
Usage: tune [OPTIONS] GAMES.pgn... > weights.rs

  --lambda X      share of the game result in the target, the rest is the search score (0.3)
  --per-game N    take at most N positions from a game (100)
  --epochs N      stop after N epochs (100)
  --batch N       positions per step (16384)
  --rate X        learning rate, in centipawns (0.3)
  --prior N       old weights count as much as N positions with that feature (500)
  --threads N     (all cores)";

/// The options.
#[derive(Debug)]
pub struct Options {
    pub files: Vec<PathBuf>,
    pub lambda: f32,
    pub per_game: usize,
    pub epochs: usize,
    pub batch: usize,
    pub rate: f32,
    pub prior: f32,
    pub threads: usize,
}

impl Options {
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            files: Vec::new(),
            lambda: 0.3,
            per_game: 100,
            epochs: 100,
            batch: 16_384,
            rate: 0.3,
            prior: 500.0,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next();
            match argument.as_str() {
                "--lambda" => options.lambda = number(&argument, value())?,
                "--per-game" => options.per_game = number(&argument, value())?,
                "--epochs" => options.epochs = number(&argument, value())?,
                "--batch" => options.batch = number::<usize>(&argument, value())?.max(1),
                "--rate" => options.rate = number(&argument, value())?,
                "--prior" => options.prior = number(&argument, value())?,
                "--threads" => options.threads = number::<usize>(&argument, value())?.max(1),
                _ if argument.starts_with('-') => return Err(format!("unknown option {argument}")),
                _ => options.files.push(argument.into()),
            }
        }
        if options.files.is_empty() {
            return Err("no games given".to_owned());
        }
        if !(0.0..=1.0).contains(&options.lambda) {
            return Err(format!("--lambda {}: expected a number from 0 to 1", options.lambda));
        }
        Ok(options)
    }

    /// The names of the files without their folders.
    pub fn file_names(&self) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.files.iter().map(name).collect()
    }
}

fn number<T: FromStr>(option: &str, value: Option<String>) -> Result<T, String> {
    let value = value.ok_or_else(|| format!("{option} needs a number"))?;
    value.parse().map_err(|_| format!("{option} needs a number, not {value}"))
}
