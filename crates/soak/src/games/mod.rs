//! Games of Ferz against itself under a referee with its own rules of chess, and the memory they take.

mod checks;
mod plan;
mod player;
#[cfg(test)]
mod tests;
mod verdict;

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use anyhow::Result;
use clap::Args;

use crate::figures::SoakFigures;
use crate::rules::GameEnd;
use plan::{GamePlan, GameStage};
use player::{PATIENCE, PlayedGame, TimeMargin, UciPlayers};

/// The kinds of promises that games can break.
const CRASH: &str = "crash";
const STALL: &str = "stall";
const ILLEGAL_MOVE: &str = "illegal move";
const BAD_LINE: &str = "bad line";
const FALSE_MATE: &str = "false mate";
const TIME_LOSS: &str = "time loss";
const GROWTH: &str = "memory growth";
/// Play games under a referee, at fixed nodes and by the clock, and check the memory they take
#[derive(Args, Clone, Debug)]
pub(crate) struct GamesArgs {
    /// Games at 1,000 nodes per move
    #[arg(long, default_value_t = 10_000)]
    games: usize,
    /// Games at 0.1 s + 2 ms
    #[arg(long, default_value_t = 300)]
    fast_games: usize,
    /// Games at 0.5 s + 5 ms
    #[arg(long, default_value_t = 1000)]
    clock_games: usize,
    /// Games at 1 or 20 ms per move
    #[arg(long, default_value_t = 60)]
    movetime_games: usize,
    /// How often to send `ucinewgame` in the memory check; 0 skips the checks of memory
    #[arg(long, default_value_t = 5000)]
    new_games: usize,
    /// Seed of the random generator
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of the first game of each kind, to repeat a game
    #[arg(long, default_value_t = 0)]
    first: usize,
    /// Games at the same time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Games by the clock at the same time
    #[arg(long, default_value_t = 2)]
    clock_jobs: usize,
}

impl GamesArgs {
    pub(crate) fn run(&self, program: &Path) -> Result<ExitCode> {
        let jobs = self.jobs.max(self.clock_jobs).max(1);
        let mut players: Vec<_> = (0..jobs).map(|_| UciPlayers::new(program, PATIENCE)).collect();
        let mut exit_codes = Vec::new();
        for (stage, games, jobs) in [
            (GameStage::Nodes, self.games, self.jobs),
            (GameStage::Fast, self.fast_games, self.clock_jobs),
            (GameStage::Clock, self.clock_games, self.clock_jobs),
            (GameStage::MoveTime, self.movetime_games, self.clock_jobs),
        ] {
            if games > 0 {
                let figures = SoakFigures::default();
                self.play(stage, games, &mut players[..jobs.max(1)], &figures)?;
                exit_codes.push(figures.finish(&format!("{games} games {}", stage.name())));
            }
        }
        let figures = SoakFigures::default();
        for growth in players.iter().flat_map(UciPlayers::growths) {
            println!("memory of an engine over its games: {:+.2} %", growth * 100.0);
            if growth > checks::MAX_GROWTH {
                figures.note(GROWTH, format_args!("{:+.2} % over the games", growth * 100.0));
            }
        }
        drop(players);
        if self.new_games > 0 {
            for check in [checks::hash_sizes, checks::new_games] {
                if let Err(error) = check(program, self.new_games, &figures) {
                    figures.note(CRASH, format_args!("{error:#}"));
                }
            }
        }
        exit_codes.push(figures.finish("memory"));
        let is_clean = exit_codes.iter().all(|&code| code == ExitCode::SUCCESS);
        Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Plays the games of a stage. By the clock, games that keep more than one processor busy come last, with fewer
    /// at a time.
    fn play(
        &self,
        stage: GameStage,
        games: usize,
        players: &mut [UciPlayers],
        figures: &SoakFigures,
    ) -> Result<()> {
        let jobs = players.len();
        let passes: &[(&[bool], usize)] = match stage {
            GameStage::Nodes => &[(&[true, false], jobs)],
            _ => &[(&[false], jobs), (&[true], (jobs / 2).max(1))],
        };
        for &(heaviness, jobs) in passes {
            let next = AtomicUsize::new(0);
            let work = |players: &mut UciPlayers| -> Result<()> {
                loop {
                    let index = next.fetch_add(1, Relaxed);
                    if index >= games {
                        return Ok(());
                    }
                    let plan = GamePlan::new(self.seed, stage, self.first + index)?;
                    if heaviness.contains(&plan.is_heavy()) {
                        self.add(stage, &plan, players.play(&plan), figures);
                    }
                    if index % 100 == 99 {
                        eprintln!("{} of {games} games {}", index + 1, stage.name());
                    }
                }
            };
            let work = &work;
            thread::scope(|scope| {
                let threads: Vec<_> =
                    players[..jobs].iter_mut().map(|players| scope.spawn(move || work(players))).collect();
                threads.into_iter().try_for_each(|thread| thread.join().expect("games do not panic"))
            })?;
        }
        Ok(())
    }

    /// Adds a game to the figures.
    fn add(&self, stage: GameStage, plan: &GamePlan, played: PlayedGame, figures: &SoakFigures) {
        let GamePlan { number, processes, control, threads, lines, ponder, .. } = plan;
        for (name, is_of_sort) in [
            ("between two processes", plan.processes > 1),
            ("Chess960", plan.record.is_chess960),
            ("with 2 threads", plan.threads > 1),
            ("with 2 to 4 lines", plan.lines > 1),
            ("pondering", plan.ponder),
            ("until 75 moves or fivefold", !plan.claims),
            ("checkmates", matches!(played.end, Ok(GameEnd::Checkmate))),
            ("stalemates", matches!(played.end, Ok(GameEnd::Stalemate))),
            ("dead positions", matches!(played.end, Ok(GameEnd::DeadPosition))),
            ("repetitions", matches!(played.end, Ok(GameEnd::Repetition))),
            ("by the move rule", matches!(played.end, Ok(GameEnd::MoveRule))),
        ] {
            figures.count(name, usize::from(is_of_sort));
        }
        figures.count("moves", played.margins.len());
        figures.count("lines", played.judged.lines);
        figures.count("mate scores", played.judged.mates);
        figures.count("mates proven by brute force", played.judged.proven);
        for margin in played.margins {
            match margin {
                TimeMargin::Untimed => {}
                TimeMargin::Left(left) => figures.time("time left after a move", left),
                TimeMargin::Overrun(time) => figures.time("longer than movetime", time),
            }
        }
        if let Err(broken) = played.end {
            let (seed, stage, what, record) = (self.seed, stage.name(), broken.what, played.record);
            figures.note(
                broken.kind,
                format_args!(
                    "{what}\n  game {number} {stage} of seed {seed}: {processes} processes, {control:?}, \
                     {threads} threads, {lines} lines, ponder {ponder}\n  {record}"
                ),
            );
        }
    }
}
