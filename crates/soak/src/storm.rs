//! The engine in this process, disturbed all the time: searches on several threads that are stopped at any moment,
//! and between them other sizes, other nets and other numbers of threads.
//!
//! Race and memory checkers watch it: everything that threads share is shared here, and nothing else is.

use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, ensure};
use clap::Args;
use ferz_board::{Game, Position};
use ferz_eval::{Network, NetworkParameters};
use ferz_search::{Engine, Limits, SearchOptions, Signals};

use crate::random::Random;

/// Recursion is deep, and checkers make frames larger.
const STACK_SIZE: usize = 256 << 20;

/// Disturb searches of an engine in this process
#[derive(Args)]
pub(crate) struct Storm {
    /// How long
    #[arg(long, value_name = "S", default_value_t = 30)]
    seconds: u64,

    /// The most threads of a search
    #[arg(long, value_name = "N", default_value_t = 4)]
    threads: usize,

    /// Another seed makes other searches
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// What was done.
#[derive(Default)]
struct Tally {
    searches: u64,
    nodes: u64,
    changes: u64,
}

impl Storm {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let tally = thread::scope(|scope| {
            let builder = thread::Builder::new().stack_size(STACK_SIZE);
            let storm = builder.spawn_scoped(scope, || self.rage())?;
            storm.join().map_err(|_| anyhow!("a search has broken down"))?
        })?;
        let Tally { searches, nodes, changes } = tally;
        println!("storm: {searches} searches, {nodes} nodes, {changes} changes of the engine");
        Ok(ExitCode::SUCCESS)
    }

    fn rage(&self) -> Result<Tally> {
        let deadline = Instant::now() + Duration::from_secs(self.seconds);
        let mut random = Random::new(self.seed);
        let nets = [None, Some(Network::embedded()), Some(Arc::new(noise()?))];
        let mut engine = Engine::new(1)?;
        // What is computed once is there before there are threads: not every checker sees how threads wait for it.
        let limits = Limits { nodes: Some(20_000), ..Limits::default() };
        engine.search(
            &random_game(&mut random),
            &limits,
            &SearchOptions::default(),
            &Signals::new(),
            &mut |_| {},
        );
        engine.set_threads(self.threads)?;
        let mut tally = Tally::default();
        while tally.searches == 0 || Instant::now() < deadline {
            if random.percent(30) {
                change(&mut engine, &nets, self.threads, &mut random)?;
                tally.changes += 1;
            }
            let game = random_game(&mut random);
            tally.nodes += search(&mut engine, &game, &mut random)?;
            tally.searches += 1;
        }
        Ok(tally)
    }
}

fn noise() -> Result<Network> {
    Ok(Network::from_bytes(&NetworkParameters::noise(32, 8, 3).to_bytes())?)
}

fn change(
    engine: &mut Engine,
    nets: &[Option<Arc<Network>>],
    threads: usize,
    random: &mut Random,
) -> Result<()> {
    match random.below(4) {
        0 => engine.set_hash(1 + random.below(4))?,
        1 => engine.set_threads(1 + random.below(threads))?,
        2 => engine.set_network(random.pick(nets).clone()),
        _ => engine.clear(),
    }
    Ok(())
}

fn random_game(random: &mut Random) -> Game {
    let mut game = Game::new(Position::start());
    for _ in 0..random.below(60) {
        let legal = game.position().legal_moves();
        // The last position has a move, and the game goes on.
        let mv = *random.pick(&legal);
        let mut next = game.clone();
        if next.play(mv).is_err() || next.outcome().is_some() {
            break;
        }
        game = next;
    }
    game
}

/// Searches without an end, until somebody on another thread ends it.
fn search(engine: &mut Engine, game: &Game, random: &mut Random) -> Result<u64> {
    let signals = Signals::new();
    let is_pondering = random.percent(30);
    let limits = Limits { infinite: !is_pondering, ponder: is_pondering, ..Limits::default() };
    let limits = Limits { move_time: is_pondering.then_some(Duration::from_millis(5)), ..limits };
    let options = SearchOptions { lines: 1 + random.below(3), ..SearchOptions::default() };
    let pause = Duration::from_micros(random.below(20_000) as u64);
    let mut reports = 0;
    let conclusion = thread::scope(|scope| {
        let disturber = scope.spawn(|| {
            thread::sleep(pause);
            if is_pondering { signals.ponder_hit() } else { signals.stop() }
        });
        let conclusion = engine.search(game, &limits, &options, &signals, &mut |_| reports += 1);
        disturber.join().map_err(|_| anyhow!("a thread that only sleeps has broken down"))?;
        anyhow::Ok(conclusion)
    })?;
    let best = conclusion.best.ok_or_else(|| anyhow!("no move in {}", game.position()))?;
    ensure!(game.position().is_legal(best), "an illegal move in {}", game.position());
    ensure!(reports > 0, "not a word about {}", game.position());
    Ok(conclusion.nodes)
}
