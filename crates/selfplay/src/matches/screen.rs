//! The effects of many parameters at once (a factorial experiment).
//!
//! In every pair each factor has one of its two levels for the first player, at random, and the other one for the
//! second player. So every game says something about every factor. The share of the points that the first player has
//! above one half is regressed on the levels (main effects only).

use std::fmt;
use std::fs::File;
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use ferz_search::SearchParameters;

use super::game::PlayedPair;
use super::parameters::Factor;
use super::regression::LeastSquares;
use super::run::{MatchPlan, MatchSpeed};
use super::stats::CONFIDENCE;
use crate::Error;
use crate::datagen::random::SplitMix64;
use crate::growing_file::{cut, lock};

/// Levels and openings use different random numbers.
const LEVELS: u64 = 0xfac7_0125;

/// Elo for each unit of the share of points, near one half.
const ELO_PER_SHARE: f64 = 1600.0 / std::f64::consts::LN_10;

/// A factorial experiment.
#[derive(Clone, Debug)]
pub struct ScreenDesign {
    /// The factors.
    pub factors: Vec<Factor>,
    /// The other parameters of both players.
    pub base: SearchParameters,
    /// The seed of the levels.
    pub seed: u64,
    /// What else the results depend on, on one line.
    pub settings: String,
}

/// A factorial experiment with its results and their file.
///
/// The first lines of the file are `settings` and `factors`. Every other line is a pair: its number, the levels of the
/// first player (`+` high, `-` low), and its points from -2 to 2.
#[derive(Debug)]
pub struct Screen {
    design: ScreenDesign,
    file: File,
    path: PathBuf,
    sums: LeastSquares,
}

/// The estimated effects, the best first.
#[derive(Clone, PartialEq, Debug)]
pub struct ScreenTable {
    /// The number of pairs.
    pub pairs: u64,
    /// For each factor the effect of its high level against its low one in Elo, and its 95 % error.
    pub effects: Vec<(Factor, f64, f64)>,
    /// The mean square of the share of points above one half in a pair. If no factor has an effect, all errors are near
    /// 1.96 × 695 × √(this ÷ pairs).
    pub mean_square: f64,
    /// The mean square that the effects do not explain.
    pub residual: f64,
}

impl ScreenDesign {
    /// Whether the first player has the high level of each factor.
    fn levels(&self, number: u64) -> Vec<bool> {
        let mut random = SplitMix64::for_number(self.seed ^ LEVELS, number);
        self.factors.iter().map(|_| random.below(2) == 1).collect()
    }

    /// The beginning of the line of a pair in the file.
    fn row(&self, number: u64) -> String {
        let sign = |is_high| if is_high { '+' } else { '-' };
        format!("{number} {} ", self.levels(number).into_iter().map(sign).collect::<String>())
    }

    fn header(&self) -> String {
        let factors: Vec<_> = self.factors.iter().map(Factor::to_string).collect();
        format!("settings {}\nfactors {}\n", self.settings, factors.join(" "))
    }
}

impl Screen {
    /// Begins a new file.
    pub fn create(path: &Path, design: ScreenDesign) -> Result<Screen, Error> {
        let file = File::options().write(true).create_new(true).open(path);
        let mut file = file.map_err(Error::io(path))?;
        lock(&file, path)?;
        file.write_all(design.header().as_bytes()).map_err(Error::io(path))?;
        let sums = LeastSquares::new(design.factors.len());
        Ok(Screen { design, file, path: path.to_owned(), sums })
    }

    /// Continues a file of the same design.
    pub fn resume(path: &Path, design: ScreenDesign) -> Result<Screen, Error> {
        let mut file = File::options().read(true).write(true).open(path).map_err(Error::io(path))?;
        lock(&file, path)?;
        let mut text = String::new();
        // A device has no length, and perhaps no end.
        let length = file.metadata().map_err(Error::io(path))?.len();
        (&mut file).take(length).read_to_string(&mut text).map_err(Error::io(path))?;
        let header = design.header();
        let problem = |line: usize, reason| Error::TuneFile { path: path.to_owned(), line, reason };
        for (line, wanted) in (1..).zip(header.lines()) {
            let found = text.lines().nth(line - 1).unwrap_or_default();
            if let Some(difference) = difference(found, wanted) {
                return Err(problem(line, difference));
            }
        }
        let mut sums = LeastSquares::new(design.factors.len());
        // A killed process may have left an incomplete line.
        let complete = text.rfind('\n').map_or(0, |end| end + 1);
        for (line, row) in (1..).zip(text[..complete].lines()).skip(2) {
            let number = sums.rows();
            let points = row.strip_prefix(&design.row(number)).and_then(|points| points.parse::<i32>().ok());
            match points {
                Some(points @ -2..=2) => sums.add(&design.levels(number), f64::from(points) / 4.0),
                _ => return Err(problem(line, format!("expected pair {number}, its levels and its points"))),
            }
        }
        cut(&mut file, complete as u64).map_err(Error::io(path))?;
        Ok(Screen { design, file, path: path.to_owned(), sums })
    }

    /// The number of pairs so far.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.sums.rows()
    }

    /// The estimated effects; `None` if there are too few pairs.
    #[must_use]
    pub fn table(&self) -> Option<ScreenTable> {
        let fit = self.sums.fit()?;
        let effects = self.design.factors.iter().zip(fit.coefficients);
        let mut effects: Vec<_> = effects
            .map(|(factor, (share, error))| {
                (factor.clone(), ELO_PER_SHARE * share, CONFIDENCE * ELO_PER_SHARE * error)
            })
            .collect();
        effects.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mean_square = self.sums.mean_square();
        Some(ScreenTable { pairs: self.pairs(), effects, mean_square, residual: fit.residual })
    }
}

/// The first word in which two lines of settings differ.
pub(super) fn difference(found: &str, wanted: &str) -> Option<String> {
    let mut words = [found, wanted].map(|line| line.split(' '));
    (found != wanted).then(|| {
        loop {
            match words.each_mut().map(Iterator::next) {
                [found, wanted] if found == wanted && found.is_some() => {}
                [found, wanted] => {
                    let [found, wanted] = [found, wanted].map(Option::unwrap_or_default);
                    break format!("a different run: it has {found:?}, now it is {wanted:?}");
                }
            }
        }
    })
}

impl MatchPlan for Screen {
    type Error = Error;

    fn parameters(&mut self, number: u64) -> [SearchParameters; 2] {
        let mut players = [self.design.base; 2];
        for (factor, is_high) in self.design.factors.iter().zip(self.design.levels(number)) {
            for parameter in &factor.parameters {
                let mut levels = [parameter.low, parameter.high];
                if is_high {
                    levels.reverse();
                }
                for (player, level) in players.iter_mut().zip(levels) {
                    player.set(parameter.index, level);
                }
            }
        }
        players
    }

    fn note(&mut self, pair: &PlayedPair, _: &MatchSpeed) -> Result<ControlFlow<()>, Error> {
        let points: i32 = pair.points().iter().sum();
        let row = format!("{}{points}\n", self.design.row(pair.number));
        self.file.write_all(row.as_bytes()).map_err(Error::io(&self.path))?;
        self.sums.add(&self.design.levels(pair.number), f64::from(points) / 4.0);
        Ok(ControlFlow::Continue(()))
    }
}

impl fmt::Display for ScreenTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.effects.iter().map(|it| it.0.to_string().len()).max().unwrap_or_default().max(6);
        writeln!(f, "{:width$}  {:>7}    95 %  sigmas", "factor", "Elo")?;
        for (factor, effect, error) in &self.effects {
            let sigmas = if *error > 0.0 { CONFIDENCE * effect / error } else { 0.0 };
            let factor = factor.to_string();
            writeln!(f, "{factor:width$}  {effect:+7.1}  ±{error:5.1}  {sigmas:+6.1}")?;
        }
        let ScreenTable { pairs, mean_square, residual, .. } = self;
        write!(f, "{pairs} pairs, mean square {mean_square:.5}, unexplained {residual:.5}")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::game::{MatchEnding, MatchGame};
    use super::super::parameters::parse_factors;
    use super::*;
    use ferz_board::{Color, Position};

    fn design(factors: &str) -> ScreenDesign {
        let factors = parse_factors(factors).unwrap();
        ScreenDesign { factors, base: SearchParameters::default(), seed: 1, settings: "nodes=1 net=x".into() }
    }

    fn pair(number: u64, points: [i32; 2]) -> PlayedPair {
        let game = |index: usize| {
            let first_plays = Color::ALL[index];
            let winner = match points[index] {
                1 => Some(first_plays),
                -1 => Some(!first_plays),
                _ => None,
            };
            MatchGame {
                start: Position::start(),
                moves: Vec::new(),
                first_plays,
                winner,
                ending: MatchEnding::Rules,
            }
        };
        PlayedPair { number, games: [game(0), game(1)] }
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("ferz-screen-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// The first player wins a game more often with a high first factor, by a known share; the others do not matter.
    #[test]
    fn effects_are_found() {
        let folder = folder("effects");
        let file = folder.join("rows");
        let mut screen = Screen::create(
            &file,
            design("nmp_base=100:200+nmp_slope=10:12,aspiration_delta=20:10,lmr_base=0:600"),
        )
        .unwrap();
        let mut random = SplitMix64::new(3);
        for number in 0..4000 {
            let [first, second] = screen.parameters(number);
            let index = screen.design.factors[0].parameters[0].index;
            let lead = (first.values()[index] - second.values()[index]).signum();
            assert_eq!(lead.abs(), 1);
            // A win with 56 %, a loss with 44 %: 41.9 Elo.
            let mut game = || if random.below(100) < 56 { lead } else { -lead };
            let points = [game(), game()];
            assert!(screen.note(&pair(number, points), &MatchSpeed::start(1, None)).unwrap().is_continue());
        }
        let table = screen.table().unwrap();
        assert_eq!((table.pairs, table.effects.len()), (4000, 3));
        let (ref factor, effect, error) = table.effects[0];
        assert_eq!(factor.to_string(), "nmp_base=100:200+nmp_slope=10:12");
        assert!((effect - 41.9).abs() < error && (7.0..8.0).contains(&error), "{effect} ± {error}");
        for (factor, effect, error) in &table.effects[1..] {
            assert!(effect.abs() < 1.5 * error, "{factor}: {effect} ± {error}");
        }
        // The error without effects.
        let rough = CONFIDENCE * ELO_PER_SHARE * (table.mean_square / 4000.0).sqrt();
        assert!((rough - error).abs() < 0.2, "{rough}, {error}");
        assert!(table.residual < table.mean_square);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_is_continued() {
        let folder = folder("resume");
        let file = folder.join("rows");
        let factors = "nmp_base=100:200,aspiration_delta=20:10";
        let mut screen = Screen::create(&file, design(factors)).unwrap();
        assert!(screen.table().is_none());
        assert!(Screen::create(&file, design(factors)).is_err());
        let results = |number: u64| [1, i32::from(number.is_multiple_of(3))];
        let speed = MatchSpeed::start(1, None);
        for number in 0..20 {
            let _ = screen.note(&pair(number, results(number)), &speed).unwrap();
        }
        let (table, text) = (screen.table(), fs::read_to_string(&file).unwrap());
        assert!(matches!(Screen::resume(&file, design(factors)), Err(Error::InUse(_))));
        drop(screen);
        // As a killed process leaves it.
        fs::write(&file, &text[..text.len() - 3]).unwrap();
        let mut screen = Screen::resume(&file, design(factors)).unwrap();
        assert_eq!(screen.pairs(), 19);
        let _ = screen.note(&pair(19, results(19)), &speed).unwrap();
        assert_eq!((screen.table(), fs::read_to_string(&file).unwrap()), (table, text.clone()));
        drop(screen);

        for (other, problem) in [
            (design("nmp_base=100:200"), "line 2: a different run"),
            (ScreenDesign { settings: "nodes=2 net=x".into(), ..design(factors) }, "it has \"nodes=1\""),
            (ScreenDesign { seed: 2, ..design(factors) }, "expected pair"),
        ] {
            let error = Screen::resume(&file, other).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
        fs::write(&file, text.replace(" 2\n", " 3\n")).unwrap();
        assert!(Screen::resume(&file, design(factors)).is_err());
        fs::remove_dir_all(folder).unwrap();
    }
}
