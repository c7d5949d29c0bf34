//! The games of `ferz tune`.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, value_parser};
use ferz_search::{SearchParameter, SearchParameters};
use ferz_selfplay::matches::{MatchPlayer, MatchRun, MoveLimit};

use crate::commands::match_options::{Clock, MatchArguments};
use crate::{input, networks};

/// How games are played between players that differ only in their search parameters.
#[derive(Args)]
pub(super) struct TuneGames {
    /// Nodes of a move
    #[arg(long, value_name = "N", default_value_t = 8000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,

    /// Play with a clock instead: seconds for all moves of a game, and for each move, such as 2+0.02
    #[arg(long, value_name = "S+S", conflicts_with = "nodes")]
    clock: Option<Clock>,

    /// The network of both players: a file, `embedded` or `classical` (no network)
    #[arg(long, value_name = "FILE", default_value = networks::EMBEDDED)]
    net: PathBuf,

    #[command(flatten)]
    pub(super) options: MatchArguments,
}

impl TuneGames {
    pub(super) fn has_clock(&self) -> bool {
        self.clock.is_some()
    }

    /// Refuses parameters of time management where there is no clock.
    pub(super) fn check_clock<'a>(
        &self,
        mut parameters: impl Iterator<Item = &'a SearchParameter>,
    ) -> Result<()> {
        if !self.has_clock()
            && let Some(it) = parameters.find(|it| it.needs_clock())
        {
            bail!("{} changes nothing without a clock: use --clock", it.name);
        }
        Ok(())
    }

    /// What the results depend on, besides the parameters that change: a line of a file.
    pub(super) fn settings(&self, base: &SearchParameters) -> Result<String> {
        let limit = self.clock.map_or_else(|| format!("nodes={}", self.nodes), |it| format!("clock={it}"));
        let MatchArguments { seed, hash, book, win_score, .. } = &self.options;
        let book = book.as_ref().map_or_else(|| "random".to_owned(), |book| input::name(book));
        let net = input::name(&self.net);
        // A file may have got a different net, and a different program has a different search or other defaults.
        let signature = networks::signature(networks::load(&self.net)?)?;
        let values = SearchParameter::all().iter().zip(base.values());
        let values: Vec<_> = values.map(|(it, value)| format!("{}={value}", it.name)).collect();
        Ok(format!(
            "seed={seed} {limit} hash={hash} win-score={win_score} net={net} book={book} bench={signature} {}",
            values.join(" ")
        ))
    }

    /// The match. The memory for it has been checked.
    pub(super) fn run(&self, ahead: Option<u64>) -> Result<MatchRun> {
        let limit = self.clock.map_or(MoveLimit::Nodes(self.nodes), Clock::limit);
        let player = MatchPlayer { network: networks::load(&self.net)?, limit };
        self.options.run([player.clone(), player], ahead)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Games {
        #[command(flatten)]
        games: TuneGames,
    }

    #[test]
    fn nodes_and_clock_reach_both_players() {
        let (time, increment) = (Duration::from_secs(2), Duration::from_millis(20));
        for (arguments, limit, settings) in [
            (&["--clock", "2+0.02"][..], MoveLimit::Clock { time, increment }, "seed=0 clock=2+0.02 hash=8 "),
            (&["--nodes", "5"], MoveLimit::Nodes(5), "seed=0 nodes=5 hash=8 "),
            (&[], MoveLimit::Nodes(8000), "seed=0 nodes=8000 hash=8 win-score=1000 net=classical "),
        ] {
            let arguments = [&["tune", "--net", "classical"], arguments].concat();
            let Games { games } = Games::try_parse_from(arguments).unwrap();
            assert_eq!(games.run(None).unwrap().players.map(|player| player.limit), [limit; 2]);
            assert!(games.settings(&SearchParameters::default()).unwrap().starts_with(settings));
        }
    }
}
