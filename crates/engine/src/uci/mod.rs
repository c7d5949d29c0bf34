//! The Universal Chess Interface on standard input and output.
//!
//! Three threads: one reads lines ([`input`]), one searches ([`searcher`]), and the session between them never
//! waits for either, so that `stop`, `isready` and `quit` are heard at once. What takes long is a job in the
//! searcher's queue; jobs are done in the order of their commands.
//!
//! While a search runs, `go` waits for its end, so that commands can come from a file; a search without an end of its
//! own (`infinite`, `ponder`) is stopped. Its best move is printed, then the new search begins. `position` and options
//! of the search count from the next `go` on. What changes the engine itself (`ucinewgame`, Hash, Threads) waits until
//! the search has ended. There is never more than one search, and every one has its best move.

mod board;
mod command;
mod evaluation;
mod format;
mod go;
mod help;
mod input;
mod options;
mod output;
mod perft;
mod searcher;
mod words;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use ferz_board::Game;
use ferz_eval::Network;

pub(crate) use format::{per_second, uci_score};

use crate::allocator::give_large_blocks_back;
use crate::{bench, cpu, fen_argument, networks};
use command::{Command, PositionCommand, Quoted, SetOption};
use format::Style;
use go::Go;
use input::Line;
use options::{Change, Effect, Settings};
use output::{complain, print, remark};
use searcher::{Job, Search, Ticket};

/// Lines that are read ahead; more wait in the pipe, so that a flood does not fill the memory.
const EVENTS_AHEAD: usize = 16;
/// How long the end waits for a search that was told to stop. A reader that no longer reads, or a table that is
/// still being cleared, must not keep the program alive.
const FAREWELL: Duration = Duration::from_millis(500);
/// How long the end of the input waits for a bench or a count of moves that nobody has stopped. Not for ever: whoever
/// wanted it may be gone.
const LAST_COUNT: Duration = Duration::from_secs(60);

/// Searches that may wait for each other; with more, those before are stopped.
const MOST_WAITING: usize = 64;

/// What the session hears.
#[derive(Debug)]
enum Event {
    Line(Line),
    /// Nothing more will come; perhaps because it cannot be read.
    InputEnd(Option<io::Error>),
    /// The searcher could not print.
    OutputLost(io::Error),
    /// The searcher has done all its jobs and ended.
    SearcherEnd,
}

/// How a session goes on after a line.
#[derive(PartialEq, Eq, Debug)]
enum Flow {
    Continue,
    Quit,
}

/// Speaks the protocol until it is over.
pub(crate) fn run() -> anyhow::Result<ExitCode> {
    give_large_blocks_back();
    let (sender, events) = mpsc::sync_channel(EVENTS_AHEAD);
    let jobs = searcher::spawn(sender.clone())?;
    input::spawn(sender)?;
    if io::stdout().is_terminal() {
        print(format_args!("{}; help lists the commands, quit ends", identity()))?;
    }
    let session = Session {
        game: Game::default(),
        is_stale: false,
        settings: Settings::default(),
        network: Some(Network::embedded()),
        is_debug: false,
        jobs,
        outstanding: Vec::new(),
    };
    session.run(&events)?;
    Ok(ExitCode::SUCCESS)
}

/// Name and version.
fn identity() -> String {
    format!("Ferz {}", env!("CARGO_PKG_VERSION"))
}

struct Session {
    game: Game,
    /// Whether the game is not the one last asked for, because that one was refused.
    is_stale: bool,
    settings: Settings,
    /// What the engine evaluates with; none is the default evaluation.
    network: Option<Arc<Network>>,
    is_debug: bool,
    jobs: Sender<Job>,
    /// Jobs that take long; some may have ended.
    outstanding: Vec<Outstanding>,
}

struct Outstanding {
    ticket: Arc<Ticket>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Ends when the next one begins: nobody else would end it.
    Endless,
    /// Ends by itself, and the next one waits for that.
    Search,
    /// Ends by itself. Its result is wanted even if no more commands come (`echo bench | ferz`).
    Count,
}

impl Session {
    fn run(mut self, events: &Receiver<Event>) -> io::Result<()> {
        loop {
            // The senders live in threads that end with a last word.
            match events.recv().map_err(io::Error::other)? {
                Event::Line(Line::Text { text, read_at }) => {
                    if self.obey(&text, read_at)? == Flow::Quit {
                        self.stop(|kind| kind != Kind::Count);
                        return self.end(events, FAREWELL);
                    }
                }
                Event::Line(Line::TooLong) => complain("the line is too long and was passed over")?,
                Event::InputEnd(error) => {
                    self.stop(|kind| kind != Kind::Count);
                    let is_counting = self.busy_with().any(|kind| kind == Kind::Count);
                    self.end(events, if is_counting { LAST_COUNT } else { FAREWELL })?;
                    return error.map_or(Ok(()), Err);
                }
                Event::OutputLost(error) => return Err(error),
                Event::SearcherEnd => return Err(searcher_is_gone()),
            }
        }
    }

    /// Lets the searcher do what is left, for so long, and then ends.
    fn end(self, events: &Receiver<Event>, patience: Duration) -> io::Result<()> {
        // Without anybody to send jobs the searcher ends after the last one.
        drop(self.jobs);
        let deadline = Instant::now() + patience;
        loop {
            let event = events.recv_timeout(deadline.saturating_duration_since(Instant::now()));
            match event {
                Ok(Event::OutputLost(error)) => return Err(error),
                Ok(Event::SearcherEnd) | Err(_) => return Ok(()),
                Ok(Event::Line(_) | Event::InputEnd(_)) => {}
            }
        }
    }

    fn obey(&mut self, line: &str, read_at: Duration) -> io::Result<Flow> {
        let command = match Command::parse(line) {
            Ok(Some(command)) => command,
            Ok(None) => return Ok(Flow::Continue),
            Err(misunderstanding) => {
                // A position that cannot be made out is refused like one that is not legal.
                self.is_stale |= misunderstanding.is_about_position();
                return complain(misunderstanding).map(|()| Flow::Continue);
            }
        };
        match command {
            Command::Uci => introduce(),
            Command::IsReady if self.busy_with().next().is_some() => print("readyok"),
            Command::IsReady => {
                self.send(Job::Ready);
                Ok(())
            }
            Command::NewGame => {
                self.send(Job::Change(Change::Clear));
                Ok(())
            }
            Command::Position(position) => self.set_position(&position),
            Command::Go(go) => self.go(&go, read_at),
            Command::Stop => {
                self.stop(|_| true);
                Ok(())
            }
            Command::PonderHit => {
                self.outstanding.iter().for_each(|job| job.ticket.signals.ponder_hit());
                Ok(())
            }
            Command::SetOption(option) => self.set_option(&option),
            Command::Debug(on) => {
                self.is_debug = on;
                Ok(())
            }
            Command::Register => Ok(()),
            Command::Quit => return Ok(Flow::Quit),
            Command::Show => print(board::drawing(self.game.position(), self.network.as_deref())),
            Command::Evaluate => {
                print(evaluation::evaluation_table(self.game.position(), self.network.as_deref()))
            }
            Command::Bench { depth } => {
                let ticket = self.begin(Kind::Count);
                self.send(Job::Bench { depth: depth.unwrap_or(bench::DEFAULT_DEPTH), ticket });
                Ok(())
            }
            Command::Flip => {
                self.game = Game::new(self.game.position().with_colors_exchanged());
                Ok(())
            }
            Command::Compiler => print(cpu::build_description()),
            Command::Help => print(help::TEXT),
        }?;
        Ok(Flow::Continue)
    }

    /// What is not done yet.
    fn busy_with(&self) -> impl Iterator<Item = Kind> {
        self.outstanding.iter().filter(|job| !job.ticket.is_finished()).map(|job| job.kind)
    }

    fn stop(&self, is_meant: impl Fn(Kind) -> bool) {
        let meant = self.outstanding.iter().filter(|job| is_meant(job.kind));
        meant.for_each(|job| job.ticket.signals.stop());
    }

    /// Stops a search that has no end of its own and makes out a ticket for what comes next.
    fn begin(&mut self, kind: Kind) -> Arc<Ticket> {
        self.stop(|kind| kind == Kind::Endless);
        self.outstanding.retain(|job| !job.ticket.is_finished());
        if self.outstanding.len() >= MOST_WAITING {
            self.stop(|kind| kind != Kind::Count);
        }
        let ticket = Arc::new(Ticket::default());
        self.outstanding.push(Outstanding { ticket: ticket.clone(), kind });
        ticket
    }

    /// Puts a job at the end of the queue. A searcher that is gone has left its last word, which is on its way here.
    fn send(&self, job: Job) {
        let _ = self.jobs.send(job);
    }

    fn set_position(&mut self, command: &PositionCommand<'_>) -> io::Result<()> {
        match board::set_up(command) {
            Ok((game, repairs)) => {
                self.game = game;
                self.is_stale = false;
                let is_worth_a_word = |repair: &&_| self.is_debug || board::is_change(repair);
                repairs
                    .iter()
                    .filter(is_worth_a_word)
                    .try_for_each(|it| remark(format_args!("position: {it}")))
            }
            Err(refusal) => {
                self.is_stale = true;
                complain(refusal)
            }
        }
    }

    fn set_option(&mut self, option: &SetOption<'_>) -> io::Result<()> {
        match self.settings.set(option) {
            Ok(Effect::Done) => Ok(()),
            Ok(Effect::Engine(change)) => {
                self.send(Job::Change(change));
                Ok(())
            }
            Ok(Effect::EvalFile(file)) => self.set_network(file),
            Err(refusal) => complain(refusal),
        }
    }

    /// Loads a net; one that cannot be used changes nothing.
    fn set_network(&mut self, file: &str) -> io::Result<()> {
        match networks::load(Path::new(file)) {
            Ok(network) => {
                self.network = network.clone();
                self.send(Job::Change(Change::Network(network)));
                Ok(())
            }
            Err(error) => complain(format_args!("EvalFile: {error:#}; the evaluation stays as it is")),
        }
    }

    fn go(&mut self, go: &Go<'_>, read_at: Duration) -> io::Result<()> {
        for keyword in &go.unreadable {
            complain(format_args!("go: {keyword} needs a number"))?;
        }
        let position = *self.game.position();
        let castling = fen_argument::castling_text(&position, self.settings.castling());
        if let Some(depth) = go.perft {
            let ticket = self.begin(Kind::Count);
            self.send(Job::Perft { position, depth, castling, ticket });
            return Ok(());
        }
        let mut search_moves = Vec::new();
        for text in &go.search_moves {
            match board::find_move(&position, text) {
                Ok(mv) => search_moves.push(mv),
                Err(error) => complain(format_args!("go: searchmoves {}: {error}", Quoted(text)))?,
            }
        }
        let limits = go.limits(position.side_to_move(), search_moves, read_at);
        let ends_by_itself = !limits.infinite && !limits.ponder;
        let ticket = self.begin(if ends_by_itself { Kind::Search } else { Kind::Endless });
        self.send(Job::Search(Box::new(Search {
            game: self.game.clone(),
            limits,
            options: self.settings.search_options(),
            style: Style { castling, show_wdl: self.settings.show_wdl },
            is_stale: self.is_stale,
            ticket,
        })));
        Ok(())
    }
}

fn introduce() -> io::Result<()> {
    let mut text = format!("id name {}\nid author {}\n\n", identity(), env!("CARGO_PKG_AUTHORS"));
    for option in options::announcement() {
        text += &option;
        text.push('\n');
    }
    print(text + "uciok")
}

fn searcher_is_gone() -> io::Error {
    io::Error::other("the search thread has ended")
}
