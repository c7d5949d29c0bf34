//! An engine in this process under constant disturbance: searches on several threads that are stopped at any moment,
//! and changes of table, net and threads between them.
//!
//! Sanitizers watch it. Everything that the threads of a search share is shared here, and nothing else.

use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use fastrand::Rng;
use ferz_board::{Game, Position};
use ferz_eval::{Network, NetworkParameters};
use ferz_search::{Engine, Limits, SearchOptions, Signals};

use crate::random::RandomChoice as _;

/// The recursion is deep, and sanitizers make frames larger.
const STACK_SIZE: usize = 256 << 20;

/// Disturb searches of an engine in this process, for sanitizers
#[derive(Args)]
pub(crate) struct StormArgs {
    /// How long to go on
    #[arg(long, value_name = "S", default_value_t = 30)]
    seconds: u64,
    /// Maximum number of threads of a search
    #[arg(long, value_name = "N", default_value_t = 4)]
    threads: usize,
    /// Seed of the random generator
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

impl StormArgs {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        thread::scope(|scope| {
            let builder = thread::Builder::new().stack_size(STACK_SIZE);
            let storm = builder.spawn_scoped(scope, || self.disturb())?;
            storm.join().map_err(|_| anyhow!("a search panicked"))?
        })?;
        Ok(ExitCode::SUCCESS)
    }

    fn disturb(&self) -> Result<()> {
        let deadline = Instant::now() + Duration::from_secs(self.seconds);
        let mut random = Rng::with_seed(self.seed);
        let noise = Network::from_bytes(&NetworkParameters::noise(32, 8, 3).to_bytes())?;
        let nets = [None, Some(Network::embedded()), Some(Arc::new(noise))];
        let mut engine = Engine::new(1)?;
        // Lazily computed tables exist before there are threads: not every sanitizer sees how threads wait for them.
        let limits = Limits::default().nodes(20_000);
        engine.search(
            &random_game(&mut random),
            &limits,
            &SearchOptions::default(),
            &Signals::new(),
            &mut |_| {},
        );
        engine.set_threads(self.threads)?;
        let (mut searches, mut nodes, mut changes) = (0, 0, 0);
        while searches == 0 || Instant::now() < deadline {
            if random.percent(30) {
                match random.usize(..4) {
                    0 => engine.set_hash(random.usize(1..=4))?,
                    1 => engine.set_threads(random.usize(1..=self.threads))?,
                    2 => engine.set_network(nets[random.usize(..nets.len())].clone()),
                    _ => engine.clear(),
                }
                changes += 1;
            }
            nodes += search(&mut engine, &random_game(&mut random), &mut random)?;
            searches += 1;
        }
        println!("storm: {searches} searches, {nodes} nodes, {changes} changes of the engine");
        Ok(())
    }
}

/// A game of random moves that is not over.
fn random_game(random: &mut Rng) -> Game {
    let mut game = Game::new(Position::start());
    for _ in 0..random.usize(..60) {
        let mut next = game.clone();
        if next.play(random.pick(&game.position().legal_moves())).is_err() || next.outcome().is_some() {
            break;
        }
        game = next;
    }
    game
}

/// Searches without a limit until a different thread ends it. Returns the nodes.
fn search(engine: &mut Engine, game: &Game, random: &mut Rng) -> Result<u64> {
    let signals = Signals::new();
    let is_pondering = random.percent(30);
    let limits = if is_pondering {
        Limits::default().ponder().move_time(Duration::from_millis(5))
    } else {
        Limits::default().infinite()
    };
    let options = SearchOptions::default().lines(random.usize(1..=3));
    let pause = Duration::from_micros(random.u64(..20_000));
    let mut reports = 0;
    let conclusion = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(pause);
            if is_pondering { signals.ponder_hit() } else { signals.stop() }
        });
        engine.search(game, &limits, &options, &signals, &mut |_| reports += 1)
    });
    let best = conclusion.best.with_context(|| format!("no move in {}", game.position()))?;
    ensure!(game.position().is_legal(best), "an illegal move in {}", game.position());
    ensure!(reports > 0, "no report about {}", game.position());
    Ok(conclusion.nodes)
}
