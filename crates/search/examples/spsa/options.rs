//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

pub const USAGE: &str = "\
Usage: spsa [OPTIONS]

Instead of tuning:
  --help          print this help
  --list          print all search parameters, as OpenBench takes them
  --check FILE    play the parameters in a file against those in the source
  --games N       number of games for --check (1000)

Tuning:
  --pairs N       total number of game pairs (10000)
  --out FILE      file of the parameters, written often and read by --resume (spsa.txt)
  --resume        continue that file
  --only A,B      tune only parameters whose names begin with A or B (all)
  --rate X        learning rate at the end, `r_end` elsewhere (0.002)
  --ahead N       pairs that may start before the result of the first of them is used (4 per thread)

Games:
  --nodes N       nodes per move (8000)
  --net FILE      network file, `embedded` or `classical` (embedded)
  --hash MIB      size of either side's transposition table (8)
  --threads N     games played at the same time (all cores)
  --seed N        seed; the same seed and --ahead play the same games (0)
  --every N       pairs between lines of progress, and between saves (100)";

/// The task.
#[derive(Debug)]
pub enum SpsaTask {
    Help,
    List,
    Tune,
    Check { file: PathBuf, games: u64 },
}

/// The options of the command line.
#[derive(Debug)]
pub struct Options {
    pub task: SpsaTask,
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
            task: SpsaTask::Tune,
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
                "--list" => options.task = SpsaTask::List,
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
                "--help" => options.task = SpsaTask::Help,
                _ => return Err(format!("unknown option {argument}")),
            }
        }
        if let Some(file) = check {
            options.task = SpsaTask::Check { file, games };
        }
        if options.ahead == 0 {
            options.ahead = 4 * options.threads as u64;
        }
        if !(options.rate > 0.0 && options.rate < 1.0) {
            return Err(format!("--rate {} is not between 0 and 1", options.rate));
        }
        if options.resume && !options.only.is_empty() {
            return Err("--resume tunes the parameters in the file; --only is for a new file".to_owned());
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
