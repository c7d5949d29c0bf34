//! Other engines beside ours: UCI programs that the command line of the server names.
//!
//! A tab has at most one such process, with a thread that talks to it and a thread that reads its output. The program
//! may do anything: print without end, say nothing, die. So every wait has an end, output is read at a limited rate, and
//! a process that does not obey is killed.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use ferz_session::other_engine::{OtherOptions, OtherProgress};
use ferz_session::protocol::OtherAnalysis;
use ferz_session::{ANALYSIS_TIME, OtherTask, SearchEvent};
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

use super::Busy;

/// The most processes of all tabs.
const MAX_PROCESSES: usize = 8;
/// How long an engine may take to start.
const START_PATIENCE: Duration = Duration::from_secs(10);
/// How long an engine may take to stop a search.
const STOP_PATIENCE: Duration = Duration::from_secs(2);
/// A process without work is ended after this time.
const IDLE_LIMIT: Duration = Duration::from_secs(60);
/// How often an engine that ends by itself is started again for one position.
const MAX_RESTARTS: usize = 2;
/// The longest line of output in bytes. Longer ones are skipped.
const MAX_LINE: u64 = 8 << 10;
/// Lines that are read in each [`READ_PERIOD`]. After that the engine has to wait.
const LINES_PER_PERIOD: usize = 250;
const READ_PERIOD: Duration = Duration::from_millis(250);

/// A program on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OtherProgram {
    /// Its name on the page, which is unique.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

/// All other engines of a server.
#[derive(Debug, Default)]
pub(crate) struct OtherPrograms {
    programs: Vec<OtherProgram>,
    running: AtomicUsize,
}

impl OtherPrograms {
    pub(crate) fn new(programs: Vec<OtherProgram>) -> OtherPrograms {
        OtherPrograms { programs, running: AtomicUsize::new(0) }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.programs.iter().map(|program| program.name.as_str())
    }
}

/// The other engine of a tab. Dropping it ends the process.
#[derive(Debug)]
pub(super) struct OtherEngine {
    shared: Arc<OtherShared>,
    /// The queue of the thread, if it has been started.
    events: Option<Sender<Event>>,
}

/// What the tab and the thread of its other engine share.
#[derive(Debug)]
struct OtherShared {
    programs: Arc<OtherPrograms>,
    notices: UnboundedSender<SearchEvent>,
    news: Arc<Notify>,
    progress: Mutex<Option<OtherProgress>>,
    is_on: AtomicBool,
}

/// What the thread of an other engine waits for.
#[derive(Debug)]
enum Event {
    /// Analyse this from now on; `None` is nothing.
    Job(Option<Box<OtherTask>>),
    /// The tab is closed.
    Close,
    /// A line of the process with this number.
    Line(usize, String),
    /// That process has closed its output.
    End(usize),
}

impl OtherEngine {
    pub(super) fn new(
        programs: Arc<OtherPrograms>,
        notices: UnboundedSender<SearchEvent>,
        news: Arc<Notify>,
    ) -> OtherEngine {
        let (progress, is_on) = (Mutex::default(), AtomicBool::new(false));
        OtherEngine {
            shared: Arc::new(OtherShared { programs, notices, news, progress, is_on }),
            events: None,
        }
    }

    /// Analyses a position from now on; `None` ends the analysis.
    pub(super) fn order(&mut self, task: Option<OtherTask>) {
        self.shared.is_on.store(task.is_some(), Relaxed);
        if self.events.is_none() && task.is_some() {
            self.events = OtherThread::start(&self.shared);
            if self.events.is_none() {
                self.shared.notice(super::NO_MEMORY.to_owned());
            }
        }
        if let Some(events) = &self.events {
            // The thread ends after `Close` alone.
            let _ = events.send(Event::Job(task.map(Box::new)));
        }
        self.shared.news.notify_one();
    }

    /// The results for the tree with this numbering; [`Busy`] if the thread is writing them.
    pub(super) fn analysis(&self, numbering: u64) -> Result<Option<OtherAnalysis>, Busy> {
        let progress = match self.shared.progress.try_lock() {
            Ok(progress) => progress,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(Busy),
        };
        let known = progress.as_ref().filter(|known| known.numbering() == numbering);
        Ok(known.map(|known| known.message(self.shared.is_on.load(Relaxed))))
    }
}

impl Drop for OtherEngine {
    fn drop(&mut self) {
        if let Some(events) = &self.events {
            let _ = events.send(Event::Close);
        }
    }
}

impl OtherShared {
    /// Sends a notice. An error means that the tab is closed.
    fn notice(&self, message: String) {
        let _ = self.notices.send(SearchEvent::Failed { re: None, message });
    }

    /// Changes the results, and notifies the tab if they are worth a message.
    fn update(&self, change: impl FnOnce(&mut OtherProgress) -> bool) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if progress.as_mut().is_some_and(change) {
            self.news.notify_one();
        }
    }
}

/// The thread of a tab's other engine.
struct OtherThread {
    shared: Arc<OtherShared>,
    events: Receiver<Event>,
    sender: Sender<Event>,
    process: Option<UciProcess>,
    /// The processes started so far.
    count: usize,
    /// A job or the end, which came while the thread was waiting for the engine.
    pending: Option<Event>,
}

/// What a new job does to a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OnJob {
    /// It ends the wait.
    End,
    /// It is kept for later.
    Keep,
}

/// Why a wait for the engine ended without success.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Trouble {
    /// The process has ended.
    Ended,
    /// It has not answered in time.
    Late,
    /// The tab wants something else.
    Pending,
}

impl OtherThread {
    /// Starts a thread and returns its queue; `None` if the system refuses.
    fn start(shared: &Arc<OtherShared>) -> Option<Sender<Event>> {
        let (sender, events) = channel();
        let shared = Arc::clone(shared);
        let thread =
            OtherThread { shared, events, sender: sender.clone(), process: None, count: 0, pending: None };
        let builder = thread::Builder::new().name("other engine".to_owned());
        builder.spawn(move || thread.run()).ok().map(|_| sender)
    }

    fn run(mut self) {
        loop {
            let event = match self.pending.take() {
                Some(event) => Ok(event),
                None => self.events.recv_timeout(IDLE_LIMIT),
            };
            match event {
                Ok(Event::Job(Some(task))) => self.analyse(&task),
                Ok(Event::Close) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => self.process = None,
                // Late output of an engine that was stopped.
                Ok(Event::Job(None) | Event::Line(..)) => {}
                Ok(Event::End(number)) => {
                    self.process.take_if(|process| process.number == number);
                }
            }
        }
    }

    /// Analyses until the engine ends the search or the tab wants something else.
    fn analyse(&mut self, task: &OtherTask) {
        let Some(program) = self.shared.programs.programs.iter().find(|it| it.name == task.engine).cloned()
        else {
            return;
        };
        let progress = OtherProgress::new(task.clone(), program.name.clone());
        *self.shared.progress.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
        for restart in 0..=MAX_RESTARTS {
            let problem = match self.search(task, &program) {
                Ok(()) => return self.finish(None),
                Err(Problem::Trouble(Trouble::Pending)) => return self.stop(),
                Err(Problem::Sentence(sentence)) => return self.finish(Some(sentence)),
                Err(Problem::Trouble(Trouble::Late)) => "does not answer",
                Err(Problem::Trouble(Trouble::Ended)) => "ended unexpectedly",
            };
            self.process = None;
            let name = &program.name;
            if restart == MAX_RESTARTS {
                return self.finish(Some(format!("{name} {problem}.")));
            }
            self.shared.notice(format!("{name} {problem}. It was started again."));
        }
    }

    fn finish(&self, problem: Option<String>) {
        self.shared.update(|progress| {
            progress.finish(problem);
            true
        });
    }

    fn search(&mut self, task: &OtherTask, program: &OtherProgram) -> Result<(), Problem> {
        self.process.take_if(|process| process.program != *program);
        if self.process.is_none() {
            self.start_process(program)?;
        }
        let Some(process) = &mut self.process else { return Err(Trouble::Ended.into()) };
        if let Some(name) = &process.options.name {
            self.shared.update(|progress| {
                progress.set_name(name);
                false
            });
        }
        let commands =
            process.options.commands(&task.analysis).map_err(|it| Problem::Sentence(it.to_owned()))?;
        process.send(&commands)?;
        process.is_searching = true;
        let shared = Arc::clone(&self.shared);
        let patience = ANALYSIS_TIME + STOP_PATIENCE;
        let waited = self.wait(patience, OnJob::End, |text| {
            shared.update(|progress| progress.note(text));
            text.starts_with("bestmove")
        });
        if let (Ok(()), Some(process)) = (waited, &mut self.process) {
            process.is_searching = false;
        }
        Ok(waited?)
    }

    fn start_process(&mut self, program: &OtherProgram) -> Result<(), Problem> {
        self.count += 1;
        let process = UciProcess::start(&self.shared.programs, program, self.count, self.sender.clone());
        self.process = Some(process.map_err(Problem::Sentence)?);
        let mut options = OtherOptions::default();
        self.send(&["uci"])?;
        self.wait(START_PATIENCE, OnJob::Keep, |text| {
            options.note(text);
            text == "uciok"
        })?;
        self.send(&["isready"])?;
        self.wait(START_PATIENCE, OnJob::Keep, |text| text == "readyok")?;
        if let Some(process) = &mut self.process {
            process.options = options;
        }
        Ok(())
    }

    fn send(&mut self, commands: &[&str]) -> Result<(), Trouble> {
        self.process.as_mut().ok_or(Trouble::Ended)?.send(commands)
    }

    /// Stops the search because the tab wants something else. A process that is late is killed.
    fn stop(&mut self) {
        let is_searching = self.process.as_ref().is_some_and(|process| process.is_searching);
        let is_closed = matches!(self.pending, Some(Event::Close));
        let is_bestmove = |text: &str| text.starts_with("bestmove");
        if is_searching
            && !is_closed
            && self.send(&["stop"]).is_ok()
            && self.wait(STOP_PATIENCE, OnJob::Keep, is_bestmove).is_ok()
            && let Some(process) = &mut self.process
        {
            process.is_searching = false;
        } else {
            self.process = None;
        }
    }

    /// Waits for a line of the process.
    fn wait(
        &mut self,
        patience: Duration,
        on_job: OnJob,
        mut is_last: impl FnMut(&str) -> bool,
    ) -> Result<(), Trouble> {
        let number = self.process.as_ref().ok_or(Trouble::Ended)?.number;
        let deadline = Instant::now() + patience;
        loop {
            match self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Event::Line(from, text)) if from == number => {
                    if is_last(&text) {
                        return Ok(());
                    }
                }
                Ok(Event::End(from)) if from == number => return Err(Trouble::Ended),
                // Of an earlier process.
                Ok(Event::Line(..) | Event::End(_)) => {}
                Ok(event @ (Event::Job(_) | Event::Close)) => {
                    let goes_on = on_job == OnJob::Keep && matches!(event, Event::Job(_));
                    // Only the last wish counts.
                    self.pending = Some(event);
                    if !goes_on {
                        return Err(Trouble::Pending);
                    }
                }
                Err(_) => return Err(Trouble::Late),
            }
        }
    }
}

/// Why an engine does not analyse.
enum Problem {
    Trouble(Trouble),
    /// A sentence for the user. Trying again would not help.
    Sentence(String),
}

impl From<Trouble> for Problem {
    fn from(trouble: Trouble) -> Problem {
        Problem::Trouble(trouble)
    }
}

/// A running UCI engine, killed on drop.
struct UciProcess {
    program: OtherProgram,
    number: usize,
    child: Child,
    input: ChildStdin,
    options: OtherOptions,
    is_searching: bool,
    programs: Arc<OtherPrograms>,
}

impl UciProcess {
    fn start(
        programs: &Arc<OtherPrograms>,
        program: &OtherProgram,
        number: usize,
        events: Sender<Event>,
    ) -> Result<UciProcess, String> {
        let reserved = programs
            .running
            .fetch_update(Relaxed, Relaxed, |count| (count < MAX_PROCESSES).then_some(count + 1));
        if reserved.is_err() {
            return Err("Too many engines are running in other tabs. Close a tab and try again.".to_owned());
        }
        let mut command = Command::new(&program.path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(windows)]
        {
            use std::os::windows::process::CommandExt;
            use windows_sys::Win32::System::Threading::BELOW_NORMAL_PRIORITY_CLASS;
            command.creation_flags(BELOW_NORMAL_PRIORITY_CLASS);
        }
        #[cfg(target_os = "linux")]
        tie_to_server(&mut command);
        let started = command.spawn().ok().and_then(|mut child| {
            let streams = child.stdin.take().zip(child.stdout.take());
            streams.map(|(input, output)| (child, input, output))
        });
        let Some((child, input, output)) = started else {
            programs.running.fetch_sub(1, Relaxed);
            return Err(format!("{} cannot be started. Check the program after --engine.", program.name));
        };
        #[cfg(target_os = "linux")]
        {
            // Failures do no harm.
            let _ = rustix::process::setpriority_process(Some(rustix::process::Pid::from_child(&child)), 10);
            let _ = rustix::fs::fcntl_setfl(&input, rustix::fs::OFlags::NONBLOCK);
        }
        let process = UciProcess {
            program: program.clone(),
            number,
            child,
            input,
            options: OtherOptions::default(),
            is_searching: false,
            programs: Arc::clone(programs),
        };
        let builder = thread::Builder::new().name("engine output".to_owned());
        let reader = builder.spawn(move || read_lines(output, number, &events));
        reader.map(|_| process).map_err(|_| super::NO_MEMORY.to_owned())
    }

    /// Sends commands. They are short: if the pipe fills up, the engine has not read the ones before.
    fn send(&mut self, commands: &[impl AsRef<str>]) -> Result<(), Trouble> {
        let text: String = commands.iter().map(|command| format!("{}\n", command.as_ref())).collect();
        self.input.write_all(text.as_bytes()).and_then(|()| self.input.flush()).map_err(|error| {
            match error.kind() {
                ErrorKind::WouldBlock => Trouble::Late,
                _ => Trouble::Ended,
            }
        })
    }
}

impl Drop for UciProcess {
    fn drop(&mut self) {
        // All fail only if it has already ended. What it has started is in its group.
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.programs.running.fetch_sub(1, Relaxed);
    }
}

/// Makes the system kill the engine when the server ends, however that happens, and gives it a process group.
#[cfg(target_os = "linux")]
fn tie_to_server(command: &mut Command) {
    use std::os::unix::process::CommandExt;

    use rustix::process::{Signal, set_parent_process_death_signal};
    command.process_group(0);
    let tie = || set_parent_process_death_signal(Some(Signal::KILL)).map_err(std::io::Error::from);
    // SAFETY: the closure makes one system call, which is allowed between fork and exec, and allocates nothing.
    unsafe { command.pre_exec(tie) };
}

/// Passes the lines of a process on, slowly enough for the thread that takes them.
fn read_lines(output: ChildStdout, number: usize, events: &Sender<Event>) {
    let mut reader = BufReader::new(output);
    let mut line = Vec::new();
    // Whether the next bytes are the rest of a line that is too long.
    let mut is_rest = false;
    let mut period = Instant::now();
    for count in 1_usize.. {
        line.clear();
        match reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        let is_whole = line.ends_with(b"\n");
        if is_whole && !is_rest {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            if events.send(Event::Line(number, text)).is_err() {
                return;
            }
        }
        is_rest = !is_whole;
        if count.is_multiple_of(LINES_PER_PERIOD) {
            thread::sleep((period + READ_PERIOD).saturating_duration_since(Instant::now()));
            period = Instant::now();
        }
    }
    let _ = events.send(Event::End(number));
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_does_not_read_is_given_up() {
        // It writes without end, and its input fills up.
        let program = OtherProgram { name: "yes".to_owned(), path: "/usr/bin/yes".into() };
        let programs = Arc::new(OtherPrograms::new(vec![program.clone()]));
        let (events, _lines) = channel();
        let mut process = UciProcess::start(&programs, &program, 1, events).expect("it starts");
        let command = "x".repeat(1_000);
        let trouble = (0..2_000).find_map(|_| process.send(&[&command]).err());
        assert_eq!(trouble, Some(Trouble::Late));
        drop(process);
        assert_eq!(programs.running.load(Relaxed), 0);
    }
}
