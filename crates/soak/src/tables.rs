//! Won endings against the best defence: an engine in this process against a defender who plays from endgame tables.

use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;
use fastrand::Rng;
use ferz_board::{DrawClaim, Game, Outcome, Position};
use ferz_search::{Engine, Limits, SearchOptions, Signals};
use ferz_syzygy::{Tablebases, Wdl};

use crate::random::RandomChoice as _;

/// Win won endings against a defender who plays from endgame tables
///
/// Exits with 1 if a win is not won within the 50-move rule and without a threefold repetition.
#[derive(Args)]
pub(crate) struct TablesArgs {
    /// The folder of the Syzygy tables; the defender needs WDL and DTZ
    #[arg(long, value_name = "DIR")]
    tables: String,
    /// The engine has no tables
    #[arg(long)]
    no_tables: bool,
    /// The engine has WDL tables only
    #[arg(long, conflicts_with = "no_tables")]
    no_dtz: bool,
    /// Begin with the highest halfmove clock at which the tables still know a win
    #[arg(long)]
    late: bool,
    /// Number of games
    #[arg(long, value_name = "N", default_value_t = 200)]
    games: usize,
    /// Nodes of a move
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    nodes: u64,
    /// Search threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// The endings, in turn
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "KQvK,KRvK,KPvK,KBBvK,KBNvK,KQvKR,KRPvK,KQvKB,KQvKN,KQvKP,KRvKP,KPvKP,KRvKN,KPPvK,KBPvK"
    )]
    endings: Vec<String>,
    /// Seed of the random generator
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// The games of one ending.
#[derive(Clone, Default)]
struct EndingFigures {
    games: usize,
    won: usize,
    plies: usize,
    longest: usize,
}

impl TablesArgs {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let tables = Tablebases::open_path_list(&self.tables)?;
        ensure!(tables.dtz_count() > 0, "no DTZ tables in {}", self.tables);
        let mut engine = Engine::new(16)?;
        engine.set_threads(self.threads)?;
        if !self.no_tables {
            engine.set_tablebases(self.tables_of_engine(&tables)?);
        }
        let mut random = Rng::with_seed(self.seed);
        let mut figures = vec![EndingFigures::default(); self.endings.len()];
        for number in 0..self.games {
            let index = number % self.endings.len();
            let start = random_win(&self.endings[index], &tables, self.late, &mut random)?;
            let game = self.play(&mut engine, start, &tables)?;
            let ending = &mut figures[index];
            ending.games += 1;
            ending.plies += game.ply();
            ending.longest = ending.longest.max(game.ply());
            if matches!(game.outcome(), Some(Outcome::Checkmate { .. })) {
                ending.won += 1;
            } else {
                let moves: Vec<_> =
                    game.moves().map(|mv| mv.uci(ferz_board::CastlingMode::Standard).to_string()).collect();
                println!("not won: position fen {start} moves {}", moves.join(" "));
            }
        }
        for (name, it) in self.endings.iter().zip(&figures) {
            let mean = it.plies as f64 / it.games.max(1) as f64;
            let (won, games, longest) = (it.won, it.games, it.longest);
            println!("{name:<8} won {won} of {games}, {mean:.1} plies on average, {longest} at most");
        }
        let won: usize = figures.iter().map(|it| it.won).sum();
        println!("tables: {won} of {} endings won", self.games);
        engine.table_problems().iter().for_each(|problem| println!("{problem}"));
        Ok(if won == self.games { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn tables_of_engine(&self, all: &Tablebases) -> Result<Tablebases> {
        if !self.no_dtz {
            return Ok(all.clone());
        }
        let mut results = Tablebases::new();
        for file in std::fs::read_dir(&self.tables)? {
            let path = file?.path();
            if path.extension().is_some_and(|it| it == "rtbw") {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                results.add_bytes(&name, std::fs::read(&path)?).with_context(|| name.into_owned())?;
            }
        }
        Ok(results)
    }

    /// Plays until the game is over or a draw can be claimed. The engine has the move.
    fn play(&self, engine: &mut Engine, start: Position, tables: &Tablebases) -> Result<Game> {
        engine.clear();
        let (limits, options) = (Limits::default().nodes(self.nodes), SearchOptions::default());
        let mut game = Game::new(start);
        let claims = [DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves];
        while game.outcome().is_none() && !claims.into_iter().any(|claim| game.can_claim(claim)) {
            let best = if game.position().side_to_move() == start.side_to_move() {
                engine.search(&game, &limits, &options, &Signals::new(), &mut |_| {}).best
            } else {
                tables.best_move(game.position())?
            };
            game.play(best.context("a game that is not over has a move")?)?;
        }
        Ok(game)
    }
}

/// A random position of an ending such as `KQvKR`, won for the side to move, which may be either colour.
fn random_win(ending: &str, tables: &Tablebases, late: bool, random: &mut Rng) -> Result<Position> {
    let (strong, weak) = ending.split_once('v').with_context(|| format!("{ending}: expected KQvKR"))?;
    let men: Vec<char> = strong.chars().chain(weak.chars().map(|it| it.to_ascii_lowercase())).collect();
    for _ in 0..1_000_000 {
        let mut squares: Vec<usize> = (0..64).collect();
        random.shuffle(&mut squares);
        let mut board = ['1'; 64];
        men.iter().zip(squares).for_each(|(&man, square)| board[square] = man);
        let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
        // A FEN writes neighbouring empty squares as one number.
        let ranks =
            (2..=8).rev().fold(ranks.join("/"), |ranks, n| ranks.replace(&"1".repeat(n), &n.to_string()));
        let Ok(position) = Position::from_fen(&format!("{ranks} w - - 0 90")) else { continue };
        if tables.probe_wdl(&position)? != Wdl::Win {
            continue;
        }
        let distance = tables.probe_dtz(&position)?.get().unsigned_abs();
        let position = match late {
            true => position.with_clocks(99 - distance.min(99), 90).context("clocks that fit")?,
            false => position,
        };
        return Ok(if random.percent(50) { position } else { position.with_colors_exchanged() });
    }
    anyhow::bail!("{ending}: no win found")
}
