//! `ferz match`.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum, value_parser};
use ferz_board::Color;
use ferz_notation::pgn::{GameResult, GameTree, NodeId, PgnWriter};
use ferz_selfplay::matches::{
    EloModel, Hypothesis, MatchEnd, MatchEnding, MatchGame, MatchPlan, MatchPlayer, MatchSpeed, MatchStats,
    MoveLimit, PlayedPair, Sprt,
};

use super::match_options::{Clock, MatchArguments, speed_text, write_time_losses};
use crate::new_file::NewFile;
use crate::progress::{ProgressLine, note};
use crate::{input, networks};

/// The number of games, if nothing else ends a match.
const DEFAULT_GAMES: u64 = 1000;

/// Play two versions of the engine against each other: nets, node limits, search parameters
///
/// Plays pairs of games: the same opening with colours exchanged. A pair depends only on the seed, its number and the
/// players, not on the number of threads, unless there is a clock. Games end by the rules, or by adjudication: when
/// both players agree for four plies that one of them wins (`--win-score`), when from ply 80 on both score near zero
/// for eight plies, or after 400 plies.
///
/// The figures are those of player A: games won, drawn and lost, the share of the points and the rating difference with
/// their 95 % errors from pairs (pentanomial), the likelihood of superiority, and the pairs with 0, ½, 1, 1½ and 2
/// points.
///
/// With `--sprt` the match ends when one of the hypotheses is accepted. The exit code is 1 if that is H0.
///
/// Without a clock, a match also ends when every opening of `--book` was played: from then on the games would repeat.
#[derive(Args)]
pub(crate) struct Match {
    /// The network of both players: a file, `embedded` or `classical` (no network)
    #[arg(long, value_name = "FILE", default_value = networks::EMBEDDED)]
    net: PathBuf,

    /// The network of player A, instead of `--net`
    #[arg(long, value_name = "FILE")]
    net_a: Option<PathBuf>,

    /// The network of player B, instead of `--net`
    #[arg(long, value_name = "FILE")]
    net_b: Option<PathBuf>,

    /// Nodes of a move
    #[arg(long, value_name = "N", default_value_t = 8000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,

    /// Nodes of a move of player A, instead of `--nodes`
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    nodes_a: Option<u64>,

    /// Nodes of a move of player B, instead of `--nodes`
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    nodes_b: Option<u64>,

    /// Node limits are soft: no new iteration starts after them. The hard limits are eight times as high
    #[arg(long)]
    soft: bool,

    /// Play with a clock instead: seconds for all moves of a game, and for each move, such as 8+0.08
    #[arg(long, value_name = "S+S", conflicts_with_all = ["nodes", "nodes_a", "nodes_b", "soft"])]
    clock: Option<Clock>,

    /// Search parameters of player A: `name=value,…`, and `@FILE` for a file of `ferz tune spsa`
    #[cfg(feature = "tune")]
    #[arg(long, value_name = "VALUES", default_value = "", hide_default_value = true)]
    set_a: String,

    /// Search parameters of player B
    #[cfg(feature = "tune")]
    #[arg(long, value_name = "VALUES", default_value = "", hide_default_value = true)]
    set_b: String,

    /// Number of games, rounded up to pairs. Without `--sprt` and `--seconds`, 1000
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    games: Option<u64>,

    /// Stop when one of two hypotheses about the rating difference is accepted (SPRT, errors of 5 %): `ELO0,ELO1`
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Bounds>,

    /// The meaning of these differences
    #[arg(long, value_name = "MODEL", value_enum, default_value_t = Model::Normalized, requires = "sprt")]
    sprt_model: Model,

    #[command(flatten)]
    games_options: MatchArguments,

    /// Write the figures to stderr after every N pairs
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    every: Option<u64>,

    /// Write the games to a PGN file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The rating differences of the hypotheses.
#[derive(Clone, Copy)]
struct Bounds(f64, f64);

impl FromStr for Bounds {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Bounds, &'static str> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|elo| elo.abs() <= 1000.0);
        match text.split_once(',').and_then(|(low, high)| Some((number(low)?, number(high)?))) {
            Some((low, high)) if low < high => Ok(Bounds(low, high)),
            _ => Err("expected two rating differences, the smaller first, such as 0,8"),
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Model {
    /// Normalised Elo, as fishtest, OpenBench and fastchess have it
    Normalized,
    /// Ordinary Elo
    Logistic,
}

/// What the progress line shows.
#[derive(Clone, Copy)]
struct Standing {
    stats: MatchStats,
    speed: MatchSpeed,
}

/// Counts, prints and writes what is played.
struct Plan<'a> {
    standing: &'a Mutex<Standing>,
    progress: &'a ProgressLine,
    sprt: Option<Sprt>,
    every: Option<u64>,
    names: [String; 2],
    games: Option<PgnWriter<NewFile>>,
    #[cfg(feature = "tune")]
    parameters: [ferz_search::SearchParameters; 2],
}

impl Match {
    /// Plays the match and prints its figures.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let nets = [&self.net_a, &self.net_b].map(|net| net.as_ref().unwrap_or(&self.net));
        let limits = [self.nodes_a, self.nodes_b].map(|nodes| self.limit(nodes));
        let players = [player(nets[0], limits[0])?, player(nets[1], limits[1])?];
        #[cfg(feature = "tune")]
        let parameters = [
            super::tune::parameters(&self.set_a, self.clock.is_some())?,
            super::tune::parameters(&self.set_b, self.clock.is_some())?,
        ];
        let run = self.games_options.run(players, None)?;
        let is_endless = self.sprt.is_some() || run.time.is_some();
        let wanted = self
            .games
            .map_or(if is_endless { u64::MAX } else { DEFAULT_GAMES / 2 }, |games| games.div_ceil(2));
        let pairs = run.different_pairs().map_or(wanted, |different| wanted.min(different));
        let sprt = self.sprt.map(|Bounds(elo0, elo1)| {
            let model = match self.sprt_model {
                Model::Normalized => EloModel::Normalized,
                Model::Logistic => EloModel::Logistic,
            };
            Sprt::new(elo0, elo1, model)
        });
        let inputs: Vec<_> = nets.into_iter().chain(&self.games_options.book).cloned().collect();
        let games = self.out.as_ref().map(|path| NewFile::create(path, &inputs)).transpose()?;
        let speed = MatchSpeed::start(pairs, run.time);
        let standing = Mutex::new(Standing { stats: MatchStats::default(), speed });
        let (played, games) = ProgressLine::watch(
            || progress_line(&standing, sprt.as_ref()),
            |progress| {
                let mut plan = Plan {
                    standing: &standing,
                    progress,
                    sprt,
                    every: self.every,
                    names: self.names(nets, limits),
                    games: games.map(PgnWriter::new),
                    #[cfg(feature = "tune")]
                    parameters,
                };
                (run.execute(0..pairs, &mut plan), plan.games)
            },
        );
        // What was played counts, even if the match could not go on.
        let saved = games.map_or(Ok(()), |games| games.into_inner().finish());
        let Standing { stats, speed } = *standing.lock().unwrap_or_else(PoisonError::into_inner);
        let code = if played.is_ok() || stats.pairs() > 0 {
            report(out, &stats, &speed, played.as_ref().ok(), sprt.as_ref())?
        } else {
            ExitCode::SUCCESS
        };
        if played? == MatchEnd::Complete && pairs < wanted {
            note(format_args!(
                "note: all {pairs} openings were played. With fixed nodes their games would repeat"
            ));
        }
        saved.map(|()| code)
    }

    fn limit(&self, nodes: Option<u64>) -> MoveLimit {
        let nodes = nodes.unwrap_or(self.nodes);
        match self.clock {
            Some(clock) => clock.limit(),
            None if self.soft => MoveLimit::SoftNodes(nodes),
            None => MoveLimit::Nodes(nodes),
        }
    }

    /// The names of the players in PGN.
    fn names(&self, nets: [&PathBuf; 2], limits: [MoveLimit; 2]) -> [String; 2] {
        #[cfg(feature = "tune")]
        let sets = [&self.set_a, &self.set_b];
        let name = |index: usize| {
            let limit = match limits[index] {
                MoveLimit::Nodes(nodes) => format!("{nodes} nodes"),
                MoveLimit::SoftNodes(nodes) => format!("{nodes} soft nodes"),
                MoveLimit::Clock { time, increment } => Clock { time, increment }.to_string(),
            };
            let name = format!("{} {} {limit}", ["A", "B"][index], input::name(nets[index]));
            #[cfg(feature = "tune")]
            let name = [&name, sets[index].as_str()].join(" ").trim_end().to_owned();
            name
        };
        [name(0), name(1)]
    }
}

fn player(net: &Path, limit: MoveLimit) -> Result<MatchPlayer> {
    Ok(MatchPlayer { network: networks::load(net)?, limit })
}

fn progress_line(standing: &Mutex<Standing>, sprt: Option<&Sprt>) -> String {
    let Standing { stats, speed } = *standing.lock().unwrap_or_else(PoisonError::into_inner);
    let MatchStats { won, drawn, lost, .. } = stats;
    let elo = stats.elo().map_or_else(String::new, |(elo, error)| format!(", {elo:+.1} ± {error:.1} Elo"));
    let llr = sprt.map_or_else(String::new, |sprt| format!(", LLR {:.2}", sprt.llr(&stats)));
    format!("+{won} ={drawn} -{lost}{elo}{llr}, {}", speed_text(&speed))
}

/// Prints the final figures.
fn report(
    out: &mut impl Write,
    stats: &MatchStats,
    speed: &MatchSpeed,
    end: Option<&MatchEnd>,
    sprt: Option<&Sprt>,
) -> Result<ExitCode> {
    writeln!(
        out,
        "{} games in {:.0} s, {:.1} games/s",
        2 * stats.pairs(),
        speed.elapsed().as_secs_f64(),
        speed.games_per_second()
    )?;
    write_time_losses(out, speed.time_losses())?;
    writeln!(out, "{stats}")?;
    if let Some((elo, error)) = stats.normalized_elo() {
        writeln!(out, "{elo:+.1} ± {error:.1} normalized Elo")?;
    }
    let Some(sprt) = sprt else { return Ok(ExitCode::SUCCESS) };
    let verdict = if end == Some(&MatchEnd::Decided) { sprt.verdict(stats) } else { None };
    let text = verdict.map_or_else(|| "undecided".to_owned(), |hypothesis| format!("{hypothesis} accepted"));
    writeln!(out, "{}: {text}", sprt.describe(stats))?;
    Ok(if verdict == Some(Hypothesis::H0) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

impl MatchPlan for Plan<'_> {
    type Error = anyhow::Error;

    #[cfg(feature = "tune")]
    fn parameters(&mut self, _: u64) -> [ferz_search::SearchParameters; 2] {
        self.parameters
    }

    fn note(&mut self, pair: &PlayedPair, speed: &MatchSpeed) -> Result<ControlFlow<()>> {
        let stats = {
            let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
            standing.stats.add(pair.points());
            standing.speed = *speed;
            standing.stats
        };
        if let Some(writer) = &mut self.games {
            for (index, game) in pair.games.iter().enumerate() {
                let round = format!("{}.{}", pair.number + 1, index + 1);
                let written = writer.write(&tree(game, &self.names, &round)?);
                written.with_context(|| input::name(writer.get_ref().path()))?;
            }
        }
        if self.every.is_some_and(|every| stats.pairs().is_multiple_of(every)) {
            let llr = self.sprt.map_or_else(String::new, |sprt| format!(", LLR {:.2}", sprt.llr(&stats)));
            self.progress.suspend(|| note(format_args!("{stats}{llr}, {}", speed_text(speed))));
        }
        let is_decided = self.sprt.is_some_and(|sprt| sprt.verdict(&stats).is_some());
        Ok(if is_decided { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

/// The game for PGN.
fn tree(game: &MatchGame, names: &[String; 2], round: &str) -> Result<GameTree> {
    let mut tree = GameTree::starting_from(game.start);
    let [white, black] = match game.first_plays {
        Color::White => [&names[0], &names[1]],
        Color::Black => [&names[1], &names[0]],
    };
    let result = game.winner.map_or(GameResult::Draw, GameResult::Win);
    let termination = match game.ending {
        MatchEnding::Rules => "normal",
        MatchEnding::Adjudication => "adjudication",
        MatchEnding::Time => "time forfeit",
    };
    for (name, value) in [
        ("Event", "ferz match"),
        ("Round", round),
        ("White", white),
        ("Black", black),
        ("Result", result.as_str()),
        ("Termination", termination),
    ] {
        tree.set_tag(name, value)?;
    }
    tree.set_result(result);
    tree.add_line(NodeId::ROOT, game.moves.iter().copied())?;
    Ok(tree)
}
