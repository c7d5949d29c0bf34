//! Many tabs at a time on one server, with faults and restarts.
//!
//! A run has two halves. In the first the server is killed and restarted again and again; the second is one life of it.
//! After each half everybody closes their tabs, and the server must come to rest with what it had at the start: that is
//! how leaks show.

mod faults;
mod figures;
mod page;
mod server;
mod tab;
mod texts;
mod user;
mod visitors;
mod wire;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::random::Random;
use figures::{Breach, Figures};
use server::{Server, Usage};

/// How the server is loaded
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// How long, without the rests
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// Tabs that are open at a time
    #[arg(long, default_value_t = 50)]
    sockets: usize,
    /// Analyses, games against the engine and reviews that run at a time
    #[arg(long, default_value_t = 10)]
    analyses: usize,
    /// Another seed makes everybody do something else
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Who does harm at a time.
const VANDALS: usize = 4;
/// Who loads the page at a time.
const VISITORS: usize = 2;
/// How often the server is killed in the first half.
const RESTART_INTERVAL: Duration = Duration::from_secs(20);
/// How long the server may take to come to rest: slow connections and unread answers have to run out.
const REST_PATIENCE: Duration = Duration::from_secs(60);
/// Memory that may be taken with two hundred idle connections, and that may come with time.
const IDLE_MEMORY_KIB: u64 = 150 << 10;
const GROWTH_KIB: u64 = 24 << 10;

/// What everybody shares.
#[derive(Debug)]
pub(crate) struct World {
    port: u16,
    figures: Figures,
    /// Searches that may be started.
    searches: AtomicUsize,
    /// Goes up when the server is about to be killed, and when it is there again.
    life: AtomicU64,
    /// Goes up when a flood of connections begins, and when it is over.
    floods: AtomicU64,
    /// Held by a flood: one at a time.
    flood: Mutex<()>,
    is_over: AtomicBool,
    is_resting: AtomicBool,
    /// How many are not at rest.
    awake: AtomicUsize,
}

impl World {
    fn is_on(&self) -> bool {
        !self.is_over.load(Relaxed)
    }

    fn is_resting(&self) -> bool {
        self.is_resting.load(Relaxed)
    }

    /// Waits while a rest goes on.
    fn rest_if_asked(&self) {
        if self.is_resting() {
            self.awake.fetch_sub(1, Relaxed);
            while self.is_resting() {
                thread::sleep(Duration::from_millis(20));
            }
            self.awake.fetch_add(1, Relaxed);
        }
    }

    /// Waits, but not beyond the end of what is going on.
    fn pause(&self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end && self.is_on() && !self.is_resting() {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Whether the server was away or flooded since these were read.
    fn is_disturbed(&self, life: u64, floods: u64) -> bool {
        let changed = |counter: &AtomicU64, before: u64| counter.load(Relaxed) != before || before % 2 == 1;
        changed(&self.life, life) || changed(&self.floods, floods)
    }
}

/// Runs the load and judges it.
pub(crate) fn run(program: &Path, options: &Options) -> Result<ExitCode> {
    ensure!(options.sockets <= 60, "the server has 64 places, and those who do harm need some");
    let server = Server::start(program)?;
    let files = visitors::files(server.port)?;
    let world = World {
        port: server.port,
        figures: Figures::default(),
        searches: AtomicUsize::new(options.analyses),
        life: AtomicU64::new(0),
        floods: AtomicU64::new(0),
        flood: Mutex::new(()),
        is_over: AtomicBool::new(false),
        is_resting: AtomicBool::new(false),
        awake: AtomicUsize::new(options.sockets + VANDALS + VISITORS),
    };
    let mut seeds = Random::new(options.seed);
    let (all, files) = (&world, &files);
    let mut watch = Watch { server, world: &world, restarts: 0, peak_kib: 0 };
    // Before anybody comes.
    let baseline = watch.server.usage()?;
    let outcome = thread::scope(|scope| {
        for _ in 0..options.sockets {
            let seed = seeds.next();
            scope.spawn(move || user::live(all, seed));
        }
        for _ in 0..VANDALS {
            let seed = seeds.next();
            scope.spawn(move || faults::harm(all, seed));
        }
        for _ in 0..VISITORS {
            let seed = seeds.next();
            scope.spawn(move || visitors::visit(all, seed, files));
        }
        let outcome = watch.oversee(options, baseline);
        world.is_over.store(true, Relaxed);
        world.is_resting.store(false, Relaxed);
        outcome
    })?;
    report(options, &world, &watch, &outcome);
    Ok(if world.figures.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What came of it.
struct Outcome {
    /// After the first half and after the second.
    rests: [Usage; 2],
    idle_kib: u64,
}

/// Somebody who looks after the server.
struct Watch<'a> {
    server: Server,
    world: &'a World,
    restarts: u64,
    peak_kib: u64,
}

impl Watch<'_> {
    fn oversee(&mut self, options: &Options, baseline: Usage) -> Result<Outcome> {
        let half = Duration::from_secs(options.seconds) / 2;
        self.stand_by(half, true)?;
        let first = self.rest(baseline)?;
        self.world.is_resting.store(false, Relaxed);
        self.stand_by(half, false)?;
        let second = self.rest(baseline)?;
        let growth = second.memory_kib.saturating_sub(first.memory_kib);
        if growth > GROWTH_KIB {
            self.world.figures.note(Breach::Leak, &format!("{growth} KiB more after the second half"));
        }
        Ok(Outcome { rests: [first, second], idle_kib: self.idle_memory()? })
    }

    /// Lets things go on for some time, with or without killing the server.
    fn stand_by(&mut self, time: Duration, with_restarts: bool) -> Result<()> {
        let start = Instant::now();
        let mut restart_at = start + RESTART_INTERVAL.min(time / 4);
        while start.elapsed() < time {
            thread::sleep(Duration::from_millis(200));
            self.listen()?;
            // The last life is to be long enough to use everything.
            if with_restarts && Instant::now() >= restart_at && start.elapsed() < time * 3 / 4 {
                restart_at += RESTART_INTERVAL.min(time / 4);
                self.restart()?;
            }
        }
        Ok(())
    }

    fn restart(&mut self) -> Result<()> {
        self.world.life.fetch_add(1, Relaxed);
        self.server.restart().context("no server after a restart")?;
        self.world.life.fetch_add(1, Relaxed);
        self.restarts += 1;
        Ok(())
    }

    /// Hears what the server complains about, and looks how much memory it takes.
    fn listen(&mut self) -> Result<()> {
        for line in self.server.complaints() {
            self.world.figures.note(Breach::Fault, &line);
        }
        if self.server.is_running()? {
            self.peak_kib = self.peak_kib.max(self.server.usage()?.memory_kib);
        } else {
            self.world.figures.note(Breach::Fault, "the server has ended");
            self.restart()?;
        }
        Ok(())
    }

    /// Sends everybody away and waits until the server has nothing to do, and no more than it had at the start.
    fn rest(&mut self, baseline: Usage) -> Result<Usage> {
        self.world.is_resting.store(true, Relaxed);
        let mut deadline = Instant::now() + REST_PATIENCE;
        while self.world.awake.load(Relaxed) > 0 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(100));
        }
        deadline = Instant::now() + REST_PATIENCE;
        let mut before = self.server.usage()?;
        loop {
            thread::sleep(Duration::from_millis(500));
            self.listen()?;
            let now = self.server.usage()?;
            let works = now.processor - before.processor > Duration::from_millis(30);
            let keeps = now.threads > baseline.threads || now.files > baseline.files;
            if !works && !keeps {
                return Ok(now);
            }
            if Instant::now() > deadline {
                let what = format!(
                    "at rest with {} threads (at the start {}), {} files ({}), {}",
                    now.threads,
                    baseline.threads,
                    now.files,
                    baseline.files,
                    if works { "working" } else { "idle" }
                );
                self.world.figures.note(Breach::Leak, &what);
                return Ok(now);
            }
            before = now;
        }
    }

    /// Memory with two hundred connections that do nothing, as many tabs among them as there are places.
    fn idle_memory(&mut self) -> Result<u64> {
        const CONNECTIONS: usize = 200;
        let sockets: Vec<_> = (0..64).map_while(|_| wire::own_socket(self.world.port).ok()).collect();
        let others = CONNECTIONS - sockets.len();
        let streams: Vec<_> = (0..others).map_while(|_| wire::connect(self.world.port).ok()).collect();
        let mut sockets = sockets;
        for socket in &mut sockets {
            socket.send(tungstenite::Message::text(r#"{"type":"hello"}"#))?;
        }
        thread::sleep(Duration::from_secs(3));
        let memory = self.server.usage()?.memory_kib;
        if sockets.len() < 64 || streams.len() < others || memory > IDLE_MEMORY_KIB {
            let (tabs, others) = (sockets.len(), streams.len());
            let what = format!("{memory} KiB with {tabs} idle tabs and {others} other connections");
            self.world.figures.note(Breach::Leak, &what);
        }
        Ok(memory)
    }
}

fn report(options: &Options, world: &World, watch: &Watch<'_>, outcome: &Outcome) {
    let figures = &world.figures;
    let mib = |kib: u64| kib / 1024;
    let of = |kind| figures.breaches(kind);
    let [first, second] = outcome.rests;
    println!(
        "{} intents, {} states compared with other rules, {} known refusals, {} reconnections",
        figures.intents.load(Relaxed),
        figures.states.load(Relaxed),
        figures.refusals.load(Relaxed),
        figures.reconnections.load(Relaxed)
    );
    println!("{} first news of an analysis {}", figures.news.count(), figures.news.summary());
    println!("{} hints, threats and explanations {}", figures.advice.count(), figures.advice.summary());
    println!(
        "at rest after each half: {} and {} MiB, {} and {} threads, {} and {} files",
        mib(first.memory_kib),
        mib(second.memory_kib),
        first.threads,
        second.threads,
        first.files,
        second.files
    );
    println!(
        "{} s, {} sockets, {} analyses, {} moves {}, {} GETs {}, {} faults, {} restarts, {} panics, {} wrong states, \
         {} wrong answers, {} without answer, {} lost, {} unguarded, {} leaks, memory at most {} MiB, {} idle",
        options.seconds,
        options.sockets,
        options.analyses,
        figures.moves.count(),
        figures.moves.summary(),
        figures.gets.count(),
        figures.gets.summary(),
        figures.faults.load(Relaxed),
        watch.restarts,
        of(Breach::Fault),
        of(Breach::WrongState),
        of(Breach::WrongAnswer),
        of(Breach::Silence),
        of(Breach::Lost),
        of(Breach::Unguarded),
        of(Breach::Leak),
        mib(watch.peak_kib),
        mib(outcome.idle_kib)
    );
}
