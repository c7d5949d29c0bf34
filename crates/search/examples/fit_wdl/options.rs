//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

use ferz_search::WdlModel;

pub const USAGE: &str = "\
Usage: fit_wdl [OPTIONS] GAMES.pgn...

  --half A,B,C,D   the polynomial of the scores in the games (the one compiled in)
  --player NAME    use only positions with this player to move; may be repeated (all)
  --per-game N     maximum number of positions per game (40)
  --prior N        weight of the constant model, in positions for each count of material (20)";

/// The options of the command line.
#[derive(Debug)]
pub struct Options {
    pub files: Vec<PathBuf>,
    /// The model that the games were played with; only its `half` matters.
    pub played_with: WdlModel,
    pub players: Vec<String>,
    pub per_game: usize,
    pub prior: f64,
}

impl Options {
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            files: Vec::new(),
            played_with: WdlModel::CURRENT,
            players: Vec::new(),
            per_game: 40,
            prior: 20.0,
        };
        while let Some(argument) = arguments.next() {
            if !argument.starts_with('-') {
                options.files.push(argument.into());
                continue;
            }
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--half" => {
                    options.played_with = WdlModel::new(polynomial(&value()?)?, options.played_with.spread());
                }
                "--player" => options.players.push(value()?),
                "--per-game" => options.per_game = number(&value()?)?,
                "--prior" => options.prior = number(&value()?)?,
                _ => return Err(format!("unknown option {argument}")),
            }
        }
        if options.files.is_empty() {
            return Err("no games given".to_owned());
        }
        // Without any prior, powers that no position tells apart would have no best value.
        if !(options.prior > 0.0 && options.prior.is_finite()) {
            return Err("--prior must be above 0".to_owned());
        }
        Ok(options)
    }
}

fn polynomial(text: &str) -> Result<[f64; 4], String> {
    let numbers: Vec<f64> = text.split(',').map(|part| number(part.trim())).collect::<Result<_, _>>()?;
    numbers.try_into().map_err(|_| format!("{text} is not four numbers"))
}

fn number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text} is not a number"))
}
