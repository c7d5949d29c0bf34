//! Other programs that count: called once for each divide, or as a UCI engine.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use ferz_board::perft::Divide;

/// A divide has at most 218 lines. More output than this is not a divide.
const MAX_OUTPUT: u64 = 1 << 20;

/// The time between two looks at whether a program has ended.
const POLL: Duration = Duration::from_millis(2);

/// A question to a program: the divide of a position.
pub(super) struct Question<'a> {
    pub(super) depth: u32,
    pub(super) fen: &'a str,
    /// The moves from there to the position, with spaces between them.
    pub(super) moves: &'a str,
}

/// A program that can be asked.
pub(super) enum AskedProgram<'a> {
    Called(Program<'a>),
    Uci(UciProgram<'a>),
}

impl AskedProgram<'_> {
    /// Asks for one divide.
    pub(super) fn divide(&mut self, question: &Question<'_>) -> Result<Divide> {
        match self {
            AskedProgram::Called(program) => program.divide(question),
            AskedProgram::Uci(engine) => engine.divide(question),
        }
    }
}

/// A command and its arguments. Arguments are separated by spaces, unless the whole text is the name of a file.
fn command(text: &str) -> Result<Command> {
    if Path::new(text).exists() {
        return Ok(Command::new(text));
    }
    let mut words = text.split_whitespace();
    let mut command = Command::new(words.next().context("the command is empty")?);
    command.args(words);
    Ok(command)
}

/// A process that is killed when it is no longer needed.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only if it has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Waits for the end.
    fn wait_until(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        loop {
            match self.0.try_wait()? {
                None if Instant::now() < deadline => thread::sleep(POLL),
                status => return Ok(status),
            }
        }
    }
}

/// A program that is called as `CMD DEPTH FEN [MOVES]` and prints a divide: the convention of perftree.
pub(super) struct Program<'a> {
    pub(super) command: &'a str,
    pub(super) timeout: Duration,
}

impl Program<'_> {
    /// Runs the program once.
    fn divide(&self, question: &Question<'_>) -> Result<Divide> {
        self.run(question).with_context(|| {
            let Question { depth, fen, moves } = question;
            format!("{} {depth} \"{fen}\" \"{moves}\"", self.command)
        })
    }

    fn run(&self, question: &Question<'_>) -> Result<Divide> {
        let deadline = Instant::now() + self.timeout;
        let mut command = command(self.command)?;
        command.arg(question.depth.to_string()).arg(question.fen);
        if !question.moves.is_empty() {
            command.arg(question.moves);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = Running(command.spawn().context("cannot be started")?);
        let output = running.0.stdout.take().map(read_all).context("no output")?;
        let messages = running.0.stderr.take().map(read_all).context("no output")?;
        let no_answer = || anyhow!("no answer within {} s (see --timeout)", self.timeout.as_secs());

        let left = deadline.saturating_duration_since(Instant::now());
        let output = output.recv_timeout(left).map_err(|_| no_answer())??;
        ensure!((output.len() as u64) < MAX_OUTPUT, "the output is too long for a divide");
        let status = running.wait_until(deadline)?.ok_or_else(no_answer)?;
        if !status.success() {
            // What it said last is the best explanation; nothing if another process still holds its stderr.
            let messages = messages.recv_timeout(POLL).ok().and_then(Result::ok).unwrap_or_default();
            let messages = String::from_utf8_lossy(&messages).into_owned();
            bail!("failed ({status}) {}", messages.lines().last().unwrap_or_default());
        }
        let output = String::from_utf8_lossy(&output);
        output.parse().with_context(|| match output.lines().next() {
            Some(line) => format!("no divide in the output, which starts with {:?}", cut(line)),
            None => "no output".to_owned(),
        })
    }
}

/// The start of a line, for messages.
fn cut(line: &str) -> String {
    line.chars().take(60).collect()
}

/// Reads to the end, or to the limit, on a thread of its own.
fn read_all(stream: impl Read + Send + 'static) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stream.take(MAX_OUTPUT).read_to_end(&mut bytes);
        // After a timeout nobody listens.
        let _ = sender.send(read.map(|_| bytes));
    });
    receiver
}

/// A UCI engine that knows `go perft`.
pub(super) struct UciProgram<'a> {
    name: &'a str,
    timeout: Duration,
    input: ChildStdin,
    lines: Receiver<String>,
    _running: Running,
}

impl<'a> UciProgram<'a> {
    /// Starts the engine.
    pub(super) fn start(name: &'a str, timeout: Duration, chess960: bool) -> Result<UciProgram<'a>> {
        let mut command = command(name)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().with_context(|| format!("{name}: cannot be started"))?;
        let mut running = Running(child);
        let input = running.0.stdin.take().context("no input")?;
        let output = running.0.stdout.take().context("no output")?;
        let mut engine = UciProgram { name, timeout, input, lines: read_lines(output), _running: running };
        engine.send("uci")?;
        engine.read_until(|line| line == "uciok")?;
        if chess960 {
            engine.send("setoption name UCI_Chess960 value true")?;
        }
        Ok(engine)
    }

    /// Asks for one divide.
    fn divide(&mut self, question: &Question<'_>) -> Result<Divide> {
        let Question { depth, fen, moves } = question;
        let moves = if moves.is_empty() { String::new() } else { format!(" moves {moves}") };
        self.send(&format!("position fen {fen}{moves}"))?;
        self.send(&format!("go perft {depth}"))?;
        // Nothing but the total marks the end of a divide.
        let is_total = |line: &str| line.parse::<Divide>().is_ok_and(|divide| divide.total.is_some());
        let text = self.read_until(is_total)?;
        text.parse().with_context(|| self.name.to_owned())
    }

    fn send(&mut self, line: &str) -> Result<()> {
        let sent = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        // Without its source, or this would be taken for a closed pipe of our own.
        sent.map_err(|error| anyhow!("{}: closed its input: {error}", self.name))
    }

    /// Reads lines up to the one that is expected.
    fn read_until(&mut self, is_last: impl Fn(&str) -> bool) -> Result<String> {
        let deadline = Instant::now() + self.timeout;
        let mut text = String::new();
        while (text.len() as u64) < MAX_OUTPUT {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|error| match error {
                RecvTimeoutError::Timeout => {
                    anyhow!("{}: no answer within {} s (see --timeout)", self.name, self.timeout.as_secs())
                }
                RecvTimeoutError::Disconnected => anyhow!("{}: closed its output", self.name),
            })?;
            let line = line.trim();
            ensure!(!line.starts_with("bestmove"), "{}: does not know go perft", self.name);
            if line.starts_with("info ") || line.starts_with("id ") || line.starts_with("option ") {
                continue;
            }
            text.push_str(line);
            text.push('\n');
            if is_last(line) {
                return Ok(text);
            }
        }
        bail!("{}: the output is too long for a divide", self.name)
    }
}

/// Reads lines on a thread of its own. The channel holds few of them, so an engine that never stops writing waits.
fn read_lines(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::sync_channel(256);
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let read = output.by_ref().take(MAX_OUTPUT).read_until(b'\n', &mut bytes);
            let is_end = !read.is_ok_and(|length| length > 0);
            if is_end || sender.send(String::from_utf8_lossy(&bytes).into_owned()).is_err() {
                return;
            }
        }
    });
    receiver
}
