//! The program as a reader.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::samples::{Kind, Sample};
use super::{MEMORY, PATIENCE, Verdict};
use crate::process::Engine;
use crate::random::Random;

/// What the engine does with the net it has: it must not change.
const SEARCH: &str = "go nodes 3000";

/// The program in a folder of its own: a command for every file, and an engine that is given every net.
pub(super) struct Program {
    ferz: PathBuf,
    folder: PathBuf,
    engine: Engine,
    /// The last words of a search before any net was tried.
    search: Vec<String>,
}

/// What became of a file.
pub(super) struct Judged {
    pub(super) time: Duration,
    /// In MiB.
    pub(super) memory: u64,
    pub(super) verdict: Verdict,
    /// What should not have happened.
    pub(super) problem: Option<String>,
}

impl Program {
    pub(super) fn start(ferz: &Path, folder: &Path) -> Result<Program> {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let mut engine = Engine::ready(ferz)?;
        let search = search(&mut engine)?;
        Ok(Program { ferz: ferz.to_owned(), folder: folder.to_owned(), engine, search })
    }

    /// Gives a file to a command that reads such files.
    pub(super) fn judge(&mut self, sample: &Sample, bytes: &[u8], random: &mut Random) -> Result<Judged> {
        let file = self.folder.join(format!("file.{}", sample.kind.extension()));
        let name = file.to_str().context("the folder for temporary files has an odd name")?.to_owned();
        fs::write(&file, bytes).with_context(|| name.clone())?;
        let out = self.folder.join("out");
        let out = out.to_str().context("the folder for temporary files has an odd name")?;
        let mut args: Vec<&str> = match sample.kind {
            Kind::Net | Kind::HalfKp => vec!["position", "--net", &name],
            Kind::Pgn | Kind::Zst => {
                let command = *random.pick(&["check", "fmt", "epd", "stats", "filter"]);
                vec!["pgn", command, "--threads", *random.pick(&["1", "2"]), &name]
            }
            Kind::Epd => vec!["epd", "--list", &name],
            Kind::Games | Kind::Packed => match random.below(4) {
                0 => vec!["data", "stats", &name],
                1 => vec!["data", "unpack", &name, "--out", out],
                2 => vec!["data", "convert", &name, "--out", out],
                _ => vec!["data", "pack", &name, "--out", out],
            },
            // No command reads books; what is one is no file of games.
            Kind::Book => vec!["pgn", "check", &name],
        };
        if args[0] == "data" && random.percent(50) {
            args.push("--recover");
        }
        let mut judged = self.run(&args, &name)?;
        if sample.kind == Kind::Net && judged.problem.is_none() && bytes != sample.bytes {
            judged.problem = self.try_net(&name)?;
        }
        Ok(judged)
    }

    fn run(&self, args: &[&str], name: &str) -> Result<Judged> {
        let told = self.folder.join("stderr");
        let started = Instant::now();
        let mut child = Command::new(&self.ferz)
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&told).with_context(|| told.display().to_string())?)
            .spawn()
            .with_context(|| self.ferz.display().to_string())?;
        let mut memory = 0;
        let status = loop {
            memory = memory_peak(child.id()).unwrap_or(0).max(memory);
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if started.elapsed() > PATIENCE {
                child.kill()?;
                child.wait()?;
                break None;
            }
            thread::sleep(Duration::from_millis(1));
        };
        let words = String::from_utf8_lossy(&fs::read(&told)?).into_owned();
        let code = status.and_then(|status| status.code());
        let command = args.join(" ");
        let problem = if status.is_none() {
            Some(format!("hangs: {command}"))
        } else if !matches!(code, Some(0..=2)) || words.contains("panicked") {
            Some(format!("ends with {status:?}: {command}: {words}"))
        } else if code == Some(2) && !words.contains(name) {
            Some(format!("does not name the file: {command}: {words}"))
        } else if memory > MEMORY {
            Some(format!("takes {memory} MiB: {command}"))
        } else {
            None
        };
        let verdict = if code == Some(0) { Verdict::Accepted } else { Verdict::Refused };
        Ok(Judged { time: started.elapsed(), memory, verdict, problem })
    }

    /// Gives a damaged net to the engine, which must go on as if nothing had happened.
    fn try_net(&mut self, name: &str) -> Result<Option<String>> {
        self.engine.send(&format!("setoption name EvalFile value {name}"))?;
        let (_, answer) = self.engine.wait_for("", PATIENCE)?;
        if !answer.starts_with(&format!("info string error: EvalFile: {name}: "))
            || !answer.ends_with("; the evaluation stays as it is")
        {
            return Ok(Some(format!("the engine says: {answer}")));
        }
        let search = search(&mut self.engine)?;
        Ok((search != self.search).then(|| format!("another search: {search:?}, not {:?}", self.search)))
    }

    pub(super) fn end(self) -> Result<()> {
        self.engine.quit()
    }
}

/// Depth, score and line of the last iteration, and the best move.
fn search(engine: &mut Engine) -> Result<Vec<String>> {
    engine.send("ucinewgame")?;
    engine.send("position startpos")?;
    engine.send(SEARCH)?;
    let mut last = String::new();
    loop {
        let (_, line) = engine.wait_for("", PATIENCE)?;
        if line.starts_with("bestmove ") {
            ensure!(!last.is_empty(), "nothing was said before {line}");
            let words: Vec<_> = last.split(' ').collect();
            let value = |name: &str| {
                words.iter().skip_while(|&&word| word != name).take(3).copied().collect::<Vec<_>>()
            };
            return Ok([
                value("depth").join(" "),
                value("score").join(" "),
                value("nodes")[..2].join(" "),
                line,
            ]
            .into());
        }
        if line.starts_with("info depth ") {
            last = line;
        }
    }
}

/// The most memory that a process has had so far, in MiB; `None` if it has ended, or nobody tells.
pub(super) fn memory_peak(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? >> 10)
}
