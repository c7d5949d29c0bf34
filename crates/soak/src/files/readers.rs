//! Readers of files: the libraries in this process, and the program.

use std::fs::{self, File};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fastrand::Rng;
use ferz_eval::Network;
use ferz_notation::epd::Epd;
use ferz_notation::pgn::{self, WriteOptions};
use ferz_notation::polyglot::{Book, BookFile, Variety};

use super::samples::{FileKind, SampleFile, positions};
use super::{MEMORY_MIB, PATIENCE};
use crate::process::{FerzProcess, peak_mib};
use crate::random::RandomChoice as _;

/// Reads a file with a library and uses its contents. Whether it was accepted; `None` if only the program reads it.
pub(super) fn read(kind: FileKind, bytes: &[u8]) -> Option<bool> {
    match kind {
        FileKind::Net | FileKind::HalfKp => Some(read_net(bytes)),
        FileKind::Book => Some(read_book(bytes)),
        FileKind::Pgn => Some(read_pgn(bytes)),
        FileKind::Epd => Some(read_epd(bytes)),
        FileKind::Zst | FileKind::Games | FileKind::Packed => None,
    }
}

fn read_net(bytes: &[u8]) -> bool {
    let network = match Network::from_bytes(bytes) {
        Ok(network) => network,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    };
    for position in positions() {
        let value = network.evaluate(position);
        assert!(value.checked_mul(1000).is_some(), "{value} is out of range");
        let _ = network.centipawns(value);
    }
    true
}

fn read_book(bytes: &[u8]) -> bool {
    let Ok(book) = Book::from_bytes(bytes) else { return false };
    for position in positions() {
        let chosen = [0, 1 << 40, u64::MAX].map(|random| book.choose(position, Variety::BY_WEIGHT, random));
        let mut moves = chosen.into_iter().flatten().chain(book.moves(position).map(|it| it.mv));
        assert!(moves.all(|mv| position.is_legal(mv)), "{position}");
    }
    look_up(&book, bytes);
    true
}

/// On disk the same moves are found as in memory, or the file is not sorted.
fn look_up(book: &Book, bytes: &[u8]) {
    let Ok(mut file) = BookFile::new(Cursor::new(bytes)) else {
        assert!(!book.was_sorted());
        return;
    };
    for position in positions() {
        match file.moves(position) {
            Ok(moves) if book.was_sorted() => {
                assert_eq!(moves, book.moves(position).collect::<Vec<_>>(), "{position}");
            }
            Ok(moves) => assert!(moves.iter().all(|it| position.is_legal(it.mv)), "{position}"),
            Err(error) => assert!(!book.was_sorted(), "{position}: {error}"),
        }
    }
}

/// Games are the same after being written and read again.
fn read_pgn(bytes: &[u8]) -> bool {
    let (mut games, mut problems) = (0, 0);
    for game in pgn::games(bytes) {
        let game = game.expect("reading from memory does not fail");
        games += 1;
        problems += game.problems().len();
        let written = game.to_pgn(&WriteOptions::default());
        let again = pgn::games(written.as_bytes()).next().expect("a game was written");
        assert_eq!(
            again.expect("reading from memory does not fail").to_pgn(&WriteOptions::default()),
            written
        );
    }
    games > 0 && problems == 0
}

fn read_epd(bytes: &[u8]) -> bool {
    let mut problems = 0;
    for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        match Epd::parse_lenient(&pgn::text(line)) {
            Ok((epd, found)) => {
                problems += found.len();
                assert_eq!(Epd::parse_lenient(&epd.to_string()).map(|(again, _)| again), Ok(epd));
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                problems += 1;
            }
        }
    }
    problems == 0
}

/// The program with a folder of its own: a command for every file, and an engine that is given every net.
pub(super) struct ProgramReader {
    ferz: PathBuf,
    folder: PathBuf,
    engine: FerzProcess,
    /// The result of a search before any net was tried.
    search: String,
}

/// What the program did with a file.
pub(super) struct ReadOutcome {
    pub(super) time: Duration,
    pub(super) peak_mib: u64,
    pub(super) is_accepted: bool,
    /// The promise that was broken.
    pub(super) problem: Option<String>,
}

impl ProgramReader {
    pub(super) fn start(ferz: &Path, folder: &Path) -> Result<ProgramReader> {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let mut engine = FerzProcess::engine(ferz)?;
        let search = search(&mut engine)?;
        Ok(ProgramReader { ferz: ferz.to_owned(), folder: folder.to_owned(), engine, search })
    }

    /// Passes a file to a command that reads this kind of file.
    pub(super) fn read(
        &mut self,
        sample: &SampleFile,
        bytes: &[u8],
        random: &mut Rng,
    ) -> Result<ReadOutcome> {
        let file = self.folder.join(format!("file.{}", sample.kind.extension()));
        fs::write(&file, bytes).with_context(|| file.display().to_string())?;
        let (name, out) = (file.display().to_string(), self.folder.join("out").display().to_string());
        let command = match sample.kind {
            FileKind::Net | FileKind::HalfKp => "position --net FILE",
            FileKind::Pgn | FileKind::Zst => random.pick(&[
                "pgn check --threads 1 FILE",
                "pgn check --threads 2 FILE",
                "pgn fmt --threads 1 FILE",
                "pgn epd --threads 2 FILE",
                "pgn stats --threads 2 FILE",
                "pgn filter --threads 1 FILE",
            ]),
            FileKind::Epd => "epd --list FILE",
            FileKind::Games | FileKind::Packed => random.pick(&[
                "data stats FILE",
                "data stats FILE --recover",
                "data unpack FILE --out OUT",
                "data unpack FILE --out OUT --recover",
                "data convert FILE --out OUT",
                "data convert FILE --out OUT --recover",
                "data pack FILE --out OUT",
                "data pack FILE --out OUT --recover",
            ]),
            FileKind::Book => random.pick(&[
                "pgn check FILE",
                "book show FILE",
                "book dump FILE",
                "book dump FILE --format pgn",
                "book merge FILE FILE --out OUT",
                "book prune FILE --plies 8 --top 3 --out OUT",
            ]),
        };
        let args: Vec<&str> = command
            .split(' ')
            .map(|word| match word {
                "FILE" => &name,
                "OUT" => &out,
                word => word,
            })
            .collect();
        let mut outcome = self.run(&args, &name)?;
        if sample.kind == FileKind::Net && outcome.problem.is_none() && bytes != sample.bytes {
            outcome.problem = self.try_net(&name)?;
        }
        if sample.kind == FileKind::Book && outcome.problem.is_none() {
            outcome.problem = self.try_book(&name)?;
        }
        Ok(outcome)
    }

    fn run(&self, args: &[&str], name: &str) -> Result<ReadOutcome> {
        let stderr = self.folder.join("stderr");
        let started = Instant::now();
        let mut child = Command::new(&self.ferz)
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&stderr).with_context(|| stderr.display().to_string())?)
            .spawn()
            .with_context(|| self.ferz.display().to_string())?;
        let mut peak = 0;
        let status = loop {
            peak = peak_mib(child.id()).unwrap_or(0).max(peak);
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
        let errors = String::from_utf8_lossy(&fs::read(&stderr)?).into_owned();
        let code = status.and_then(|status| status.code());
        let command = args.join(" ");
        let problem = if status.is_none() {
            Some(format!("hangs: {command}"))
        } else if !matches!(code, Some(0..=2)) || errors.contains("panicked") {
            Some(format!("ends with {status:?}: {command}: {errors}"))
        } else if code == Some(2) && !errors.contains(name) {
            Some(format!("does not name the file: {command}: {errors}"))
        } else {
            (peak > MEMORY_MIB).then(|| format!("takes {peak} MiB: {command}"))
        };
        Ok(ReadOutcome { time: started.elapsed(), peak_mib: peak, is_accepted: code == Some(0), problem })
    }

    /// Gives a damaged net to the engine, which must report an error and keep the net it has.
    fn try_net(&mut self, name: &str) -> Result<Option<String>> {
        let (_, answer) = self.engine.ask(&format!("setoption name EvalFile value {name}"), "", PATIENCE)?;
        if !answer.starts_with("info string error") || !answer.contains(name) {
            return Ok(Some(format!("the engine answers: {answer}")));
        }
        let search = search(&mut self.engine)?;
        Ok((search != self.search).then(|| format!("a different search: {search}, not {}", self.search)))
    }

    /// Gives a book to the engine, which must use it or report an error, and play a move in any case.
    fn try_book(&mut self, name: &str) -> Result<Option<String>> {
        self.engine
            .send(&format!("setoption name BookFile value {name}\nsetoption name OwnBook value true"))?;
        self.engine.send("position startpos\ngo nodes 100")?;
        let best = loop {
            let (_, line) = self.engine.line(PATIENCE)?.context("no best move")?;
            if let Some(error) = line.strip_prefix("info string error: ")
                && !(error.starts_with("BookFile: ")
                    && (error.contains(name) || error.contains("searching instead")))
            {
                return Ok(Some(format!("the engine reports: {error}")));
            }
            if let Some(best) = line.strip_prefix("bestmove ") {
                break best.split(' ').next().unwrap_or_default().to_owned();
            }
        };
        self.engine.send("setoption name OwnBook value false\nsetoption name BookFile value <empty>")?;
        let is_legal = ferz_board::Position::start().parse_uci(&best).is_ok();
        Ok((!is_legal).then(|| format!("the engine plays {best}")))
    }

    pub(super) fn quit(self) -> Result<()> {
        self.engine.quit()
    }
}

/// Score and nodes of the last iteration, and the best move.
fn search(engine: &mut FerzProcess) -> Result<String> {
    engine.send("ucinewgame\nposition startpos\ngo nodes 3000")?;
    let mut last = String::new();
    loop {
        let (_, line) = engine.line(PATIENCE)?.context("no best move")?;
        if line.starts_with("bestmove ") {
            return Ok(last + &line);
        }
        let after = |name: &str| line.split_once(name).map_or("", |(_, rest)| rest);
        let (score, nodes) = (after(" score "), after(" nodes "));
        let words = score.split(' ').take(2).chain(nodes.split(' ').take(1));
        last = words.map(|word| format!("{word} ")).collect();
    }
}
