//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

pub const USAGE: &str = "\
Usage: spsa [OPTIONS]

What to do, if not to tune:
  --help          print this
  --list          print the numbers that can be tuned, as OpenBench takes them
  --check FILE    play the numbers in a file against those in the source
  --games N       so many games for --check (1000)

Tuning:
  --pairs N       pairs of games in all (10000)
  --out FILE      where the numbers are kept, and where they are found by --resume (spsa.txt)
  --resume        go on with that file
  --only A,B      tune only numbers whose names begin so (all)
  --rate X        how fast to learn at the end, `r_end` elsewhere (0.002)
  --ahead N       how many pairs are begun before what the first of them taught is used (4 a thread)

Games:
  --nodes N       nodes of a move (8000)
  --net FILE      the net to evaluate with; `classical` is none (embedded)
  --hash MIB      the size of either side's table (8)
  --threads N     how many games at a time (all cores)
  --seed N        other seeds make other games, the same seed and --ahead the same ones (0)
  --every N       pairs between lines of progress, and between saves (100)";

/// What is to be done.
#[derive(Debug)]
pub enum Task {
    Help,
    List,
    Tune,
    Check { file: PathBuf, games: u64 },
}

/// What the command line asks for.
#[derive(Debug)]
pub struct Options {
    pub task: Task,
    pub pairs: u64,
    pub out: PathBuf,
    pub resume: bool,
    pub only: Vec<String>,
    pub rate: f64,
    pub ahead: u64,
    pub nodes: u64,
    pub net: PathBuf,
    pub hash: usize,
    pub threads: usize,
    pub seed: u64,
    pub every: u64,
}

impl Options {
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            task: Task::Tune,
            pairs: 10_000,
            out: "spsa.txt".into(),
            resume: false,
            only: Vec::new(),
            rate: 0.002,
            ahead: 0,
            nodes: 8000,
            net: "embedded".into(),
            hash: 8,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            seed: 0,
            every: 100,
        };
        let mut check = None;
        let mut games = 1000;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next();
            match argument.as_str() {
                "--list" => options.task = Task::List,
                "--check" => check = Some(text(&argument, value())?.into()),
                "--games" => games = at_least_one(&argument, value())?,
                "--pairs" => options.pairs = at_least_one(&argument, value())?,
                "--out" => options.out = text(&argument, value())?.into(),
                "--resume" => options.resume = true,
                "--only" => options.only = text(&argument, value())?.split(',').map(str::to_owned).collect(),
                "--rate" => options.rate = number(&argument, value())?,
                "--ahead" => options.ahead = at_least_one(&argument, value())?,
                "--nodes" => options.nodes = at_least_one(&argument, value())?,
                "--net" => options.net = text(&argument, value())?.into(),
                "--hash" => options.hash = at_least_one(&argument, value())? as usize,
                "--threads" => options.threads = at_least_one(&argument, value())? as usize,
                "--seed" => options.seed = number(&argument, value())?,
                "--every" => options.every = at_least_one(&argument, value())?,
                "--help" => options.task = Task::Help,
                _ => return Err(format!("unknown option {argument}")),
            }
        }
        if let Some(file) = check {
            options.task = Task::Check { file, games };
        }
        if options.ahead == 0 {
            options.ahead = 4 * options.threads as u64;
        }
        if !(options.rate > 0.0 && options.rate < 1.0) {
            return Err(format!("--rate {} is not between 0 and 1", options.rate));
        }
        if options.resume && !options.only.is_empty() {
            return Err("--resume tunes what the file contains, --only is for a new one".to_owned());
        }
        Ok(options)
    }
}

fn text(option: &str, value: Option<String>) -> Result<String, String> {
    value.ok_or_else(|| format!("{option} needs a value"))
}

fn number<T: FromStr>(option: &str, value: Option<String>) -> Result<T, String> {
    let value = text(option, value)?;
    value.parse().map_err(|_| format!("{option} needs a number, not {value}"))
}

fn at_least_one(option: &str, value: Option<String>) -> Result<u64, String> {
    match number(option, value)? {
        0 => Err(format!("{option} needs a number above 0")),
        number => Ok(number),
    }
}
