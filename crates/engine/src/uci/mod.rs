//! The Universal Chess Interface on standard input and output.
//!
//! There are three threads. One reads lines ([`input`]), one owns the engine ([`engine_thread`]), and the session
//! between them never waits for either, so `stop`, `isready` and `quit` take effect at once. Long work is a job in the
//! queue of the engine thread, which runs jobs in the order of their commands. Only if the queue is full, after a flood of
//! commands, does the session wait for room.
//!
//! A `go` during a bounded search queues behind it, so commands can come from a file. An unbounded search (`infinite`,
//! `ponder`) is stopped first. `position` and search options apply from the next `go` on. Changes to the engine itself
//! (`ucinewgame`, Hash, Threads) wait until the search has ended. Only one search runs at a time, and each prints
//! exactly one best move.

mod board;
mod command;
mod engine_thread;
mod format;
mod go;
mod help;
mod input;
mod options;
mod output;
mod perft;
mod threads;
mod words;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

use ferz_board::Game;
use ferz_eval::Network;

use crate::allocator::give_large_blocks_back;
use crate::books::OpeningBook;
use crate::drawing::draw_evaluation;
use crate::{bench, cpu, fen_argument, networks, tables};
use command::{PositionCommand, Quoted, SetOption, UciCommand};
use engine_thread::{EngineJob, JobHandle, SearchJob};
use format::InfoStyle;
use go::GoCommand;
use input::InputLine;
use options::{EngineChange, OptionEffect, UciSettings};
use output::{print, print_error, print_info};

/// Lines read ahead. More wait in the pipe.
const EVENTS_AHEAD: usize = 16;
/// How long the program waits for a stopped search before it exits. A client that no longer reads, or a table that is
/// still being cleared, must not keep the program alive.
const STOP_TIMEOUT: Duration = Duration::from_millis(500);
/// How long the program waits for bench and perft after the end of its input, and for room in a full queue.
const COUNT_TIMEOUT: Duration = Duration::from_secs(60);

/// The time between two looks at a full queue.
const ROOM_INTERVAL: Duration = Duration::from_millis(1);

/// The maximum number of queued searches. One more stops those before it.
const MAX_QUEUED: usize = 64;

/// What the other threads send to the session.
#[derive(Debug)]
enum UciEvent {
    Line(InputLine),
    /// The input has ended, or cannot be read.
    InputEnd(Option<io::Error>),
    /// The engine thread could not print.
    OutputLost(io::Error),
    /// The engine thread has finished all jobs.
    EngineThreadEnd,
}

/// Whether the session continues after a command.
#[derive(PartialEq, Eq, Debug)]
enum NextStep {
    Continue,
    Quit,
}

/// Runs a UCI session on standard input and output.
pub(crate) fn run() -> anyhow::Result<ExitCode> {
    give_large_blocks_back();
    let (sender, events) = mpsc::sync_channel(EVENTS_AHEAD);
    let jobs = engine_thread::spawn(sender.clone())?;
    input::spawn(sender)?;
    if io::stdout().is_terminal() {
        print(format_args!("{}. Type help for the commands, quit to exit.", identity()))?;
    }
    let session = UciSession {
        game: Arc::default(),
        is_stale: false,
        settings: UciSettings::default(),
        network: Some(Network::embedded()),
        is_debug: false,
        jobs,
        pending: Vec::new(),
    };
    session.run(&events)?;
    Ok(ExitCode::SUCCESS)
}

/// Name and version.
fn identity() -> String {
    format!("Ferz {}", env!("CARGO_PKG_VERSION"))
}

struct UciSession {
    game: Arc<Game>,
    /// Whether the last `position` command was rejected, so that the game is not the one the client means.
    is_stale: bool,
    settings: UciSettings,
    /// The network of the engine, or `None` for the classical evaluation. The session keeps a reference of its own
    /// because `d` and `eval` are answered at once, while the engine thread may be searching.
    network: Option<Arc<Network>>,
    is_debug: bool,
    jobs: SyncSender<EngineJob>,
    /// Long jobs that were sent to the engine thread. Some may have finished.
    pending: Vec<PendingJob>,
}

struct PendingJob {
    handle: Arc<JobHandle>,
    kind: JobKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum JobKind {
    /// Runs until `stop`, or until the next job is sent.
    OpenEnded,
    /// Ends by itself. The next search waits for it.
    Search,
    /// A bench or perft: ends by itself, and its result is wanted even after the end of the input
    /// (`echo bench | ferz`).
    Count,
}

impl UciSession {
    fn run(mut self, events: &Receiver<UciEvent>) -> io::Result<()> {
        loop {
            // The sending threads always send a last event before they end.
            match events.recv().map_err(io::Error::other)? {
                UciEvent::Line(InputLine::Text { text, read_at }) => {
                    if self.execute(&text, read_at)? == NextStep::Quit {
                        self.stop(|kind| kind != JobKind::Count);
                        return self.end(events, STOP_TIMEOUT).map(drop);
                    }
                }
                UciEvent::Line(InputLine::TooLong) => print_error("line too long, ignored")?,
                UciEvent::InputEnd(error) => {
                    self.stop(|kind| kind != JobKind::Count);
                    let is_counting = self.unfinished().any(|kind| kind == JobKind::Count);
                    let has_ended =
                        self.end(events, if is_counting { COUNT_TIMEOUT } else { STOP_TIMEOUT })?;
                    if is_counting && !has_ended {
                        let seconds = COUNT_TIMEOUT.as_secs();
                        let problem =
                            format!("no result of bench or perft {seconds} s after the end of the input");
                        return Err(io::Error::new(io::ErrorKind::TimedOut, problem));
                    }
                    return error.map_or(Ok(()), Err);
                }
                UciEvent::OutputLost(error) => return Err(error),
                UciEvent::EngineThreadEnd => {
                    return Err(io::Error::other("the engine thread has ended"));
                }
            }
        }
    }

    /// Waits at most this long for the remaining jobs of the engine thread. Returns whether they have ended.
    fn end(self, events: &Receiver<UciEvent>, timeout: Duration) -> io::Result<bool> {
        // The engine thread ends after its last job once the queue is closed.
        drop(self.jobs);
        let deadline = Instant::now() + timeout;
        loop {
            let event = events.recv_timeout(deadline.saturating_duration_since(Instant::now()));
            match event {
                Ok(UciEvent::OutputLost(error)) => return Err(error),
                Ok(UciEvent::EngineThreadEnd) => return Ok(true),
                Err(_) => return Ok(false),
                Ok(UciEvent::Line(_) | UciEvent::InputEnd(_)) => {}
            }
        }
    }

    fn execute(&mut self, line: &str, read_at: Duration) -> io::Result<NextStep> {
        let command = match UciCommand::parse(line) {
            Ok(Some(command)) => command,
            Ok(None) => return Ok(NextStep::Continue),
            Err(error) => {
                // A malformed `position` command is rejected like an illegal position.
                self.is_stale |= error.is_about_position();
                return print_error(error).map(|()| NextStep::Continue);
            }
        };
        match command {
            UciCommand::Uci => introduce(),
            UciCommand::IsReady if self.unfinished().next().is_some() => print("readyok"),
            UciCommand::IsReady => {
                self.send(EngineJob::Ready);
                Ok(())
            }
            UciCommand::NewGame => {
                self.send(EngineJob::Change(EngineChange::Clear));
                Ok(())
            }
            UciCommand::Position(position) => self.set_position(&position),
            UciCommand::Go(go) => self.go(&go, read_at),
            UciCommand::Stop => {
                self.stop(|_| true);
                Ok(())
            }
            UciCommand::PonderHit => {
                self.pending.iter().for_each(|job| job.handle.signals.ponder_hit());
                Ok(())
            }
            UciCommand::SetOption(option) => self.set_option(&option),
            UciCommand::Debug(on) => {
                self.is_debug = on;
                Ok(())
            }
            UciCommand::Register => Ok(()),
            UciCommand::Quit => return Ok(NextStep::Quit),
            UciCommand::Show => print(board::drawing(self.game.position(), self.network.as_deref())),
            UciCommand::Evaluate => print(draw_evaluation(self.game.position(), self.network.as_deref())),
            UciCommand::Bench { depth } => {
                let handle = self.begin(JobKind::Count);
                self.send(EngineJob::Bench { depth: depth.unwrap_or(bench::DEFAULT_DEPTH), handle });
                Ok(())
            }
            UciCommand::Flip => {
                self.game = Arc::new(Game::new(self.game.position().with_colors_exchanged()));
                Ok(())
            }
            UciCommand::Compiler => print(cpu::build_description()),
            UciCommand::Help => print(help::TEXT),
        }?;
        Ok(NextStep::Continue)
    }

    /// The kinds of the jobs that have not finished.
    fn unfinished(&self) -> impl Iterator<Item = JobKind> {
        self.pending.iter().filter(|job| !job.handle.is_finished()).map(|job| job.kind)
    }

    /// Stops the jobs of some kinds.
    fn stop(&self, is_selected: impl Fn(JobKind) -> bool) {
        let selected = self.pending.iter().filter(|job| is_selected(job.kind));
        selected.for_each(|job| job.handle.signals.stop());
    }

    /// Stops an open-ended search and makes a handle for the next job.
    fn begin(&mut self, kind: JobKind) -> Arc<JobHandle> {
        self.stop(|kind| kind == JobKind::OpenEnded);
        self.pending.retain(|job| !job.handle.is_finished());
        if self.pending.len() >= MAX_QUEUED {
            self.stop(|kind| kind != JobKind::Count);
        }
        let handle = Arc::new(JobHandle::default());
        self.pending.push(PendingJob { handle: handle.clone(), kind });
        handle
    }

    /// Appends a job to the queue. If it is full, searches are stopped, and the session waits for room, so a flood of
    /// commands does not fill the memory. If the engine thread has ended, its last event is already on the way.
    fn send(&self, job: EngineJob) {
        let Err(TrySendError::Full(mut job)) = self.jobs.try_send(job) else { return };
        self.stop(|kind| kind != JobKind::Count);
        // The results of counts are wanted, for example of a file with many. But one of them may take for ever.
        let deadline = Instant::now() + COUNT_TIMEOUT;
        while let Err(TrySendError::Full(returned)) = self.jobs.try_send(job) {
            job = returned;
            if Instant::now() > deadline {
                self.stop(|_| true);
            }
            thread::sleep(ROOM_INTERVAL);
        }
    }

    fn set_position(&mut self, command: &PositionCommand<'_>) -> io::Result<()> {
        match board::set_up(command) {
            Ok((game, repairs)) => {
                self.game = Arc::new(game);
                self.is_stale = false;
                let is_reported = |repair: &&_| self.is_debug || board::changes_position(repair);
                repairs
                    .iter()
                    .filter(is_reported)
                    .try_for_each(|it| print_info(format_args!("position: {it}")))
            }
            Err(error) => {
                self.is_stale = true;
                print_error(error)
            }
        }
    }

    fn set_option(&mut self, option: &SetOption<'_>) -> io::Result<()> {
        match self.settings.set(option) {
            Ok(OptionEffect::Done) => Ok(()),
            Ok(OptionEffect::Engine(change)) => {
                self.send(EngineJob::Change(change));
                Ok(())
            }
            Ok(OptionEffect::EvalFile(file)) => self.set_network(file),
            Ok(OptionEffect::SyzygyPath(list)) => self.set_tablebases(list),
            Ok(OptionEffect::BookFile(file)) => self.set_book(file),
            Err(error) => print_error(error),
        }
    }

    /// Loads a network. If it cannot be used, nothing changes.
    fn set_network(&mut self, file: &str) -> io::Result<()> {
        match networks::load(Path::new(file)) {
            Ok(network) => {
                self.network = network.clone();
                self.send(EngineJob::Change(EngineChange::Network(network)));
                Ok(())
            }
            Err(error) => print_error(format_args!("EvalFile: {error:#}; evaluation unchanged")),
        }
    }

    /// Finds endgame tables. If there are none, nothing changes; an empty list removes them.
    fn set_tablebases(&mut self, list: &str) -> io::Result<()> {
        match tables::open(list) {
            Ok(tables) => {
                if !tables.is_empty() {
                    print_info(tables::description(&tables))?;
                }
                self.send(EngineJob::Tablebases(tables));
                Ok(())
            }
            Err(error) => print_error(format_args!("SyzygyPath: {error:#}; tables unchanged")),
        }
    }

    /// Opens a book. If it cannot be used, nothing changes.
    fn set_book(&mut self, file: &str) -> io::Result<()> {
        match OpeningBook::open(Path::new(file)) {
            Ok(book) => {
                self.send(EngineJob::SetBook(Box::new(book)));
                Ok(())
            }
            Err(error) => print_error(format_args!("BookFile: {error:#}; book unchanged")),
        }
    }

    fn go(&mut self, go: &GoCommand<'_>, read_at: Duration) -> io::Result<()> {
        for keyword in &go.unreadable {
            print_error(format_args!("go: {keyword} needs a number"))?;
        }
        let position = *self.game.position();
        let castling = fen_argument::castling_text(&position, self.settings.castling());
        if let Some(depth) = go.perft {
            let handle = self.begin(JobKind::Count);
            self.send(EngineJob::Perft { position, depth, castling, handle });
            return Ok(());
        }
        let mut search_moves = Vec::new();
        for text in &go.search_moves {
            match board::find_move(&position, text) {
                Ok(mv) => search_moves.push(mv),
                Err(error) => print_error(format_args!("go: searchmoves {}: {error}", Quoted(text)))?,
            }
        }
        let mut limits = go.limits(position.side_to_move(), search_moves, read_at);
        self.settings.soften(&mut limits);
        let is_open_ended = limits.infinite || limits.ponder;
        // Who asks for a mate wants a proof.
        let book = self.settings.book().filter(|_| !is_open_ended && limits.mate.is_none());
        let handle = self.begin(if is_open_ended { JobKind::OpenEnded } else { JobKind::Search });
        self.send(EngineJob::Search(Box::new(SearchJob {
            game: self.game.clone(),
            limits,
            options: self.settings.search_options(),
            book,
            style: InfoStyle { castling, show_wdl: self.settings.show_wdl },
            is_stale: self.is_stale,
            handle,
        })));
        Ok(())
    }
}

/// Answers `uci`.
fn introduce() -> io::Result<()> {
    let mut text = format!("id name {}\nid author {}\n\n", identity(), env!("CARGO_PKG_AUTHORS"));
    for option in options::announcement() {
        text += &option;
        text.push('\n');
    }
    print(text + "uciok")
}
