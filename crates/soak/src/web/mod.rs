//! Many tabs at a time on one server, with faults and restarts.
//!
//! A run has two halves. In the first the server is killed and restarted again and again; in the second it runs through.
//! After each half all tabs are closed, and the server must come to rest with what it used at the start: that is how
//! leaks are found.

mod faults;
mod page;
mod tab;
mod texts;
mod user;
mod wire;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::Args;
use fastrand::Rng;

use crate::figures::SoakFigures;
use wire::{ServerProcess, ServerUsage};

/// The server disagrees with the rules of chess or with what the page has done.
const WRONG_STATE: &str = "wrong state";
/// An answer to a different question, a second one, or an error without a reason.
const WRONG_ANSWER: &str = "wrong answer";
const NO_ANSWER: &str = "no answer";
/// A socket was closed, or did not open, without a reason.
const LOST: &str = "lost tab";
/// An attack was not refused, or in the wrong way.
const UNGUARDED: &str = "unguarded";
/// The server ended, or wrote to its standard error.
const SERVER_FAULT: &str = "server fault";
/// Memory, threads, files or processor time are not given back.
const LEAK: &str = "leak";

/// Use the page's server with many tabs, faults and restarts
#[derive(Args, Debug)]
pub(crate) struct WebArgs {
    /// How long to go on, without the pauses
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// Tabs open at the same time
    #[arg(long, default_value_t = 50)]
    sockets: usize,
    /// Analyses, games against the engine and reviews at the same time
    #[arg(long, default_value_t = 10)]
    analyses: usize,
    /// Seed of the random generator
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

const ATTACKERS: usize = 4;
const VISITORS: usize = 2;
/// How often the server is killed in the first half.
const RESTART_INTERVAL: Duration = Duration::from_secs(20);
/// How long the server may take to come to rest: slow requests and unread answers have to time out.
const REST_PATIENCE: Duration = Duration::from_secs(60);
/// Most memory with two hundred idle connections, and most growth from the first half to the second.
const IDLE_MEMORY_KIB: u64 = 150 << 10;
const GROWTH_KIB: u64 = 24 << 10;

/// What all threads share.
#[derive(Debug, Default)]
struct WebRun {
    port: u16,
    figures: SoakFigures,
    /// How many more searches may be started.
    searches: AtomicUsize,
    /// Counts when the server is about to be killed, and when it is back.
    restarts: AtomicU64,
    /// Counts when a flood of connections begins, and when it is over. One flood at a time.
    floods: AtomicU64,
    flood: Mutex<()>,
    is_over: AtomicBool,
    is_resting: AtomicBool,
    /// Threads that are not at rest.
    awake: AtomicUsize,
}

impl WebRun {
    fn is_on(&self) -> bool {
        !self.is_over.load(Relaxed)
    }

    fn is_resting(&self) -> bool {
        self.is_resting.load(Relaxed)
    }

    /// Waits during a rest.
    fn rest_if_asked(&self) {
        if self.is_resting() {
            self.awake.fetch_sub(1, Relaxed);
            while self.is_resting() {
                thread::sleep(Duration::from_millis(20));
            }
            self.awake.fetch_add(1, Relaxed);
        }
    }

    /// Waits, but not into a rest or beyond the end.
    fn pause(&self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end && self.is_on() && !self.is_resting() {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Restarts and floods so far; odd numbers while one goes on.
    fn disturbances(&self) -> [u64; 2] {
        [self.restarts.load(Relaxed), self.floods.load(Relaxed)]
    }

    /// Whether the server was away or flooded since then.
    fn is_disturbed(&self, before: [u64; 2]) -> bool {
        self.disturbances() != before || before.iter().any(|count| count % 2 == 1)
    }
}

impl WebArgs {
    pub(crate) fn run(&self, program: &Path) -> Result<ExitCode> {
        ensure!(self.sockets <= 60, "the server has 64 places, and attackers need some of them");
        let server = ServerProcess::start(program, 0)?;
        let files = wire::page_files(server.port)?;
        let run = WebRun {
            port: server.port,
            searches: AtomicUsize::new(self.analyses),
            awake: AtomicUsize::new(self.sockets + ATTACKERS + VISITORS),
            ..WebRun::default()
        };
        let mut seeds = Rng::with_seed(self.seed);
        let mut supervisor = Supervisor { baseline: server.usage()?, server, run: &run };
        let (run, files) = (&run, &files);
        let result = thread::scope(|scope| {
            for number in 0..self.sockets + ATTACKERS + VISITORS {
                let random = seeds.fork();
                scope.spawn(move || {
                    if number < self.sockets {
                        user::use_page(run, random);
                    } else if number < self.sockets + ATTACKERS {
                        faults::attack(run, random);
                    } else {
                        wire::load_files(run, random, files);
                    }
                });
            }
            let result = supervisor.supervise(self);
            run.is_over.store(true, Relaxed);
            run.is_resting.store(false, Relaxed);
            result
        });
        result?;
        run.figures.count("restarts", run.restarts.load(Relaxed) as usize / 2);
        let title = format!("web, {} s, {} sockets, {} analyses", self.seconds, self.sockets, self.analyses);
        Ok(run.figures.finish(&title))
    }
}

/// Starts, kills and watches the server.
struct Supervisor<'a> {
    server: ServerProcess,
    /// Before anything was done.
    baseline: ServerUsage,
    run: &'a WebRun,
}

impl Supervisor<'_> {
    fn supervise(&mut self, args: &WebArgs) -> Result<()> {
        let half = Duration::from_secs(args.seconds) / 2;
        self.stand_by(half, true)?;
        let first = self.rest()?;
        self.run.is_resting.store(false, Relaxed);
        self.stand_by(half, false)?;
        let second = self.rest()?;
        if second.memory_kib > first.memory_kib + GROWTH_KIB {
            let (first, second) = (first.memory_kib, second.memory_kib);
            self.run
                .figures
                .note(LEAK, format_args!("{second} KiB after the second half, {first} after the first"));
        }
        let idle = self.idle_memory()?;
        println!(
            "at rest after each half: {} and {} MiB, {} and {} threads, {} and {} files; {} MiB with idle tabs",
            first.memory_kib / 1024,
            second.memory_kib / 1024,
            first.threads,
            second.threads,
            first.files,
            second.files,
            idle / 1024
        );
        Ok(())
    }

    /// Lets things go on for some time, with or without killing the server.
    fn stand_by(&mut self, time: Duration, with_restarts: bool) -> Result<()> {
        let start = Instant::now();
        let interval = RESTART_INTERVAL.min(time / 4);
        let mut restart_at = start + interval;
        while start.elapsed() < time {
            thread::sleep(Duration::from_millis(200));
            self.check_server()?;
            // The last quarter is long enough to use everything.
            if with_restarts && Instant::now() >= restart_at && start.elapsed() < time * 3 / 4 {
                restart_at += interval;
                self.restart()?;
            }
        }
        Ok(())
    }

    fn restart(&mut self) -> Result<()> {
        self.run.restarts.fetch_add(1, Relaxed);
        self.server.restart()?;
        self.run.restarts.fetch_add(1, Relaxed);
        Ok(())
    }

    fn check_server(&mut self) -> Result<()> {
        for line in self.server.process.take_errors() {
            self.run.figures.note(SERVER_FAULT, line);
        }
        if self.server.process.is_running()? {
            self.run.figures.peak("MiB at most", self.server.usage()?.memory_kib / 1024);
        } else {
            self.run.figures.note(SERVER_FAULT, "the server has ended");
            self.restart()?;
        }
        Ok(())
    }

    /// Closes all tabs and waits until the server is idle and uses no more than at the start.
    fn rest(&mut self) -> Result<ServerUsage> {
        self.run.is_resting.store(true, Relaxed);
        let deadline = Instant::now() + REST_PATIENCE;
        while self.run.awake.load(Relaxed) > 0 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(100));
        }
        let deadline = Instant::now() + REST_PATIENCE;
        let mut before = self.server.usage()?;
        loop {
            thread::sleep(Duration::from_millis(500));
            self.check_server()?;
            let now = self.server.usage()?;
            let is_busy = now.cpu - before.cpu > Duration::from_millis(30);
            let is_larger = now.threads > self.baseline.threads || now.files > self.baseline.files;
            if !is_busy && !is_larger {
                return Ok(now);
            }
            if Instant::now() > deadline {
                let what = format_args!("at rest {now:?}, at the start {:?}, busy: {is_busy}", self.baseline);
                self.run.figures.note(LEAK, what);
                return Ok(now);
            }
            before = now;
        }
    }

    /// Memory in KiB with two hundred idle connections, as many tabs among them as there are places.
    fn idle_memory(&mut self) -> Result<u64> {
        let port = self.run.port;
        let mut sockets: Vec<_> = (0..64).map_while(|_| wire::own_socket(port).ok()).collect();
        let streams: Vec<_> = (0..136).map_while(|_| wire::connect(port).ok()).collect();
        for socket in &mut sockets {
            socket.send(tungstenite::Message::text(r#"{"type":"hello"}"#))?;
        }
        thread::sleep(Duration::from_secs(3));
        let memory = self.server.usage()?.memory_kib;
        let (tabs, others) = (sockets.len(), streams.len());
        if tabs < 64 || others < 136 || memory > IDLE_MEMORY_KIB {
            let what = format_args!("{memory} KiB with {tabs} idle tabs and {others} other connections");
            self.run.figures.note(LEAK, what);
        }
        Ok(memory)
    }
}
