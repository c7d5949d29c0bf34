//! Measures the levels of limited strength: they play each other and Stockfish.
//!
//! ```text
//! cargo run --release -p ferz-search --example ladder -- --stockfish stockfish --openings 8moves_v3.pgn \
//!     --seconds 180 --threads 16 --ratings 1000,1200,1400,1600 --anchors 1350:1200:1400,1500:1400:1600
//! ```
//!
//! Neighbours in `--ratings` (values of `UCI_Elo` of the mapping compiled in) play each other; `;` separates lists,
//! and a pair in two of them gets twice as many games. Each anchor (a value of Stockfish's `UCI_Elo`) plays the
//! ratings after it. All ratings are then fitted at once (Bradley-Terry, a draw is half a win). The ratings of
//! Stockfish are fitted, too, within their own error, since they do not agree with each other; and since levels change
//! gradually, so do the differences between them. Without Stockfish the weakest level keeps its rating.
//! `--add FILE,FILE` adds the matches that earlier runs have printed.
//!
//! Stockfish 15.1 chooses its move at a depth that depends on `UCI_Elo`, so it searches to that depth only: the same
//! player as at a long clock, in less time.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use ferz_board::{CastlingMode, Color, DrawClaim, Game, Move, Position};
use ferz_notation::pgn::{GameResult, Reader, Stop, Visitor};
use ferz_search::{Engine, Limits, SEARCH_STACK_SIZE, SearchOptions, Signals};

type Error = Box<dyn std::error::Error + Send + Sync>;

/// A game this long is a draw.
const MAX_PLIES: usize = 500;
/// Levels from this rating on and Stockfish resign after this many moves below these values.
const LOWEST_RESIGNING: u32 = 1800;
const RESIGN_MOVES: u32 = 4;
const RESIGN_VALUE: i32 = -1800;
const RESIGN_CENTIPAWNS: i32 = -800;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Player {
    Level(u32),
    Stockfish(u32),
}

#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    /// Won, drawn and lost by the first player.
    results: [u32; 3],
    begun: u32,
    seconds: f64,
}

struct Ladder {
    openings: Vec<Vec<Move>>,
    stockfish: Option<String>,
    pairings: Vec<(Player, Player)>,
    tallies: Mutex<Vec<Tally>>,
    deadline: Instant,
    seed: u64,
    max_games: u32,
    unfinished: AtomicU64,
}

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options: HashMap<&str, &str> =
        arguments.chunks_exact(2).map(|pair| (pair[0].as_str(), pair[1].as_str())).collect();
    let option = |name: &str, usual: &'static str| options.get(name).copied().unwrap_or(usual).to_owned();
    let numbers = |list: &str, separator| -> Result<Vec<u32>, Error> {
        Ok(list.split(separator).filter(|it| !it.is_empty()).map(str::parse).collect::<Result<_, _>>()?)
    };
    let mut pairings = Vec::new();
    for chain in option("--ratings", "").split(';') {
        for pair in numbers(chain, ',')?.windows(2) {
            pairings.push((Player::Level(pair[1]), Player::Level(pair[0])));
        }
    }
    for list in option("--anchors", "").split(',') {
        if let Some((&anchor, levels)) = numbers(list, ':')?.split_first() {
            let stockfish = Player::Stockfish(anchor);
            pairings.extend(levels.iter().map(|&level| (Player::Level(level), stockfish)));
        }
    }
    let seconds = Duration::from_secs_f64(option("--seconds", "60").parse()?);
    let ladder = Ladder {
        openings: read_openings(&option("--openings", "8moves_v3.pgn"))?,
        stockfish: options.get("--stockfish").map(|&it| it.to_owned()),
        tallies: Mutex::new(vec![Tally::default(); pairings.len()]),
        pairings,
        deadline: Instant::now() + seconds,
        seed: option("--seed", "1").parse()?,
        max_games: option("--games", "400").parse()?,
        unfinished: AtomicU64::new(0),
    };
    let threads: usize = option("--threads", "1").parse()?;
    std::thread::scope(|scope| -> Result<(), Error> {
        let workers: Result<Vec<_>, _> = (0..threads)
            .map(|_| {
                std::thread::Builder::new()
                    .stack_size(SEARCH_STACK_SIZE)
                    .spawn_scoped(scope, || ladder.work())
            })
            .collect();
        for worker in workers? {
            worker.join().expect("a worker does not panic")?;
        }
        Ok(())
    })?;
    let tallies = ladder.tallies.lock().expect("no worker panicked").clone();
    println!("{} games unfinished", ladder.unfinished.load(Relaxed));
    let played = ladder.pairings.iter().zip(&tallies);
    let mut matches: Vec<Match> = Vec::new();
    let mut add = |added: Match| {
        let same = |it: &&mut Match| (it.first, it.second) == (added.first, added.second);
        match matches.iter_mut().find(same) {
            Some(same) => (0..3).for_each(|index| same.results[index] += added.results[index]),
            None => matches.push(added),
        }
    };
    played.for_each(|(&(first, second), tally)| add(Match { first, second, results: tally.results }));
    for file in options.get("--add").into_iter().flat_map(|files| files.split(',')) {
        for line in BufReader::new(File::open(file)?).lines() {
            Match::parse(&line?).into_iter().for_each(&mut add);
        }
    }
    matches.retain(|it| it.results != [0; 3]);
    matches.iter().for_each(|it| println!("{it}"));
    report(&matches);
    Ok(())
}

/// The results of two players, as they are written to and read from files.
struct Match {
    first: Player,
    second: Player,
    /// Won, drawn and lost by the first player.
    results: [u32; 3],
}

impl fmt::Display for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [won, drawn, lost] = self.results;
        write!(f, "match {} {} {won} {drawn} {lost}", self.first, self.second)
    }
}

impl Match {
    fn parse(line: &str) -> Option<Match> {
        let words: Vec<_> = line.split(' ').collect();
        let &["match", first, second, won, drawn, lost] = words.as_slice() else { return None };
        let results = [won.parse().ok()?, drawn.parse().ok()?, lost.parse().ok()?];
        Some(Match { first: Player::parse(first)?, second: Player::parse(second)?, results })
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Player::Level(elo) => write!(f, "F{elo}"),
            Player::Stockfish(elo) => write!(f, "S{elo}"),
        }
    }
}

impl Player {
    fn parse(text: &str) -> Option<Player> {
        let (kind, elo) = text.split_at_checked(1)?;
        let elo = elo.parse().ok()?;
        match kind {
            "F" => Some(Player::Level(elo)),
            "S" => Some(Player::Stockfish(elo)),
            _ => None,
        }
    }
}

impl Ladder {
    /// Plays games until the time is over.
    fn work(&self) -> Result<(), Error> {
        let mut engines = [Engine::new(4)?, Engine::new(4)?];
        let mut stockfish: HashMap<u32, Stockfish> = HashMap::new();
        while let Some((pairing, number)) = self.next() {
            let (first, second) = self.pairings[pairing];
            engines.iter_mut().for_each(Engine::clear);
            // Both colours of an opening.
            let opening = mix(self.seed ^ mix(pairing as u64) ^ u64::from(number / 2));
            let mut game = Game::default();
            for &mv in &self.openings[(opening % self.openings.len() as u64) as usize] {
                game.play(mv)?;
            }
            let first_color = if number.is_multiple_of(2) { Color::White } else { Color::Black };
            let begin = Instant::now();
            let mut is_new = [true; 2];
            let mut hopeless = [0; 2];
            let score = loop {
                if let Some(score) = finished(&game, first_color) {
                    break Some(score);
                }
                if let Some(loser) = hopeless.iter().position(|&moves| moves >= RESIGN_MOVES) {
                    break Some(2 * (1 - loser));
                }
                if Instant::now() > self.deadline {
                    break None;
                }
                let index = usize::from(game.position().side_to_move() != first_color);
                let (mv, is_hopeless) = match [first, second][index] {
                    Player::Level(elo) => {
                        let options = SearchOptions::default().elo(elo);
                        let (limits, signals) = (Limits::default(), Signals::new());
                        let result = engines[index].search_on_this_thread(
                            &game,
                            &limits,
                            &options,
                            &signals,
                            &mut |_| {},
                        );
                        let value = result.lines.first().map_or(0, |line| line.value);
                        (result.best, elo >= LOWEST_RESIGNING && value < RESIGN_VALUE)
                    }
                    Player::Stockfish(elo) => {
                        let opponent = match stockfish.entry(elo) {
                            Entry::Occupied(running) => running.into_mut(),
                            Entry::Vacant(place) => {
                                let path = self.stockfish.as_deref().ok_or("anchors need --stockfish")?;
                                place.insert(Stockfish::start(path, elo)?)
                            }
                        };
                        let (mv, centipawns) = opponent.choose(&game, std::mem::take(&mut is_new[index]))?;
                        (Some(mv), centipawns < RESIGN_CENTIPAWNS)
                    }
                };
                hopeless[index] = if is_hopeless { hopeless[index] + 1 } else { 0 };
                game.play(mv.ok_or("a game that is not over has moves")?)?;
            };
            let mut tallies = self.tallies.lock().expect("no worker panicked");
            let tally = &mut tallies[pairing];
            match score {
                Some(score) => tally.results[score] += 1,
                None => _ = self.unfinished.fetch_add(1, Relaxed),
            }
            tally.seconds += begin.elapsed().as_secs_f64();
        }
        Ok(())
    }

    /// The next pairing and the number of its game. A pairing gets games in proportion to 1 / √(time of a game), which
    /// makes the sum of the variances smallest.
    fn next(&self) -> Option<(usize, u32)> {
        if Instant::now() > self.deadline {
            return None;
        }
        let mut tallies = self.tallies.lock().expect("no worker panicked");
        let cost = |tally: &Tally| {
            let played = tally.results.iter().sum::<u32>();
            f64::from(tally.begun) * (tally.seconds / f64::from(played.max(1))).sqrt()
        };
        let open = tallies.iter().enumerate().filter(|(_, tally)| tally.begun < self.max_games);
        let by_cost = |&(_, a): &(usize, &Tally), &(_, b): &(usize, &Tally)| {
            (a.begun >= 2, cost(a)).partial_cmp(&(b.begun >= 2, cost(b))).expect("costs are numbers")
        };
        let (pairing, _) = open.min_by(by_cost)?;
        let number = tallies[pairing].begun;
        tallies[pairing].begun += 1;
        Some((pairing, number))
    }
}

/// 0 if the player with this colour has won, 1 for a draw, 2 for a loss.
fn finished(game: &Game, color: Color) -> Option<usize> {
    match game.outcome() {
        Some(outcome) => match outcome.winner() {
            Some(winner) => Some(if winner == color { 0 } else { 2 }),
            None => Some(1),
        },
        None => {
            let claims = [DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves];
            let is_draw = claims.into_iter().any(|claim| game.can_claim(claim));
            (is_draw || game.moves().count() >= MAX_PLIES).then_some(1)
        }
    }
}

/// A Stockfish process of limited strength.
struct Stockfish {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    depth: u32,
}

impl Stockfish {
    fn start(path: &str, elo: u32) -> Result<Stockfish, Error> {
        let mut process = Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = process.stdin.take().ok_or("no input")?;
        let output = BufReader::new(process.stdout.take().ok_or("no output")?);
        // The skill level of Stockfish 15.1 at this rating. The move is chosen at this depth.
        let skill = ((f64::from(elo) - 1346.6) / 143.4).max(0.0).powf(1.0 / 0.806);
        let mut stockfish = Stockfish { process, input, output, depth: 1 + skill as u32 };
        stockfish.say("uci")?;
        stockfish.expect("uciok")?;
        stockfish.say("setoption name UCI_LimitStrength value true")?;
        stockfish.say(&format!("setoption name UCI_Elo value {elo}"))?;
        Ok(stockfish)
    }

    fn say(&mut self, line: &str) -> Result<(), Error> {
        Ok(writeln!(self.input, "{line}")?)
    }

    /// Reads up to a line that begins with this word; returns the line and the last score of the best move before it.
    fn expect(&mut self, word: &str) -> Result<(String, i32), Error> {
        let mut score = 0;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err("Stockfish has ended".into());
            }
            if line.starts_with(word) {
                return Ok((line, score));
            }
            let mut words = line.split_ascii_whitespace().skip_while(|&word| word != "score").skip(1);
            if line.contains(" multipv 1 ")
                && let (Some(unit), Some(number)) = (words.next(), words.next())
            {
                let number: i32 = number.parse()?;
                score = if unit == "mate" { number.signum() * 10_000 } else { number };
            }
        }
    }

    /// A move and its score in centipawns.
    fn choose(&mut self, game: &Game, is_new: bool) -> Result<(Move, i32), Error> {
        if is_new {
            self.say("ucinewgame")?;
            self.say("isready")?;
            self.expect("readyok")?;
        }
        let moves: Vec<_> = game.moves().map(|mv| mv.uci(CastlingMode::Standard).to_string()).collect();
        self.say(&format!("position startpos moves {}", moves.join(" ")))?;
        self.say(&format!("go depth {}", self.depth))?;
        let (line, score) = self.expect("bestmove")?;
        let text = line.split(' ').nth(1).ok_or("no move")?.trim();
        Ok((game.clone().play_uci(text)?, score))
    }
}

impl Drop for Stockfish {
    fn drop(&mut self) {
        // Nothing depends on how it ends.
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// What is known beforehand: how far the ratings of Stockfish may be wrong, and how much the difference between
/// neighbours 200 apart changes from one pair to the next.
const ANCHOR_DEVIATION: f64 = 100.0;
const BEND_DEVIATION: f64 = 60.0;

/// A linear function of the ratings, its expected value and its deviation.
struct Prior {
    terms: Vec<(usize, f64)>,
    mean: f64,
    deviation: f64,
}

/// Prints the matches and the fitted ratings.
fn report(matches: &[Match]) {
    let mut players: Vec<Player> = matches.iter().flat_map(|it| [it.first, it.second]).collect();
    players.sort();
    players.dedup();
    let index = |player: Player| players.iter().position(|&it| it == player).expect("a player");
    let nominal = |&player: &Player| match player {
        Player::Level(elo) | Player::Stockfish(elo) => f64::from(elo),
    };
    let mut ratings: Vec<f64> = players.iter().map(nominal).collect();
    let expected =
        |ratings: &[f64], a: usize, b: usize| 1.0 / (1.0 + 10_f64.powf((ratings[b] - ratings[a]) / 400.0));
    let scale = std::f64::consts::LN_10 / 400.0;
    let mut priors = Vec::new();
    for (i, player) in players.iter().enumerate() {
        if matches!(player, Player::Stockfish(_)) {
            let (terms, mean) = (vec![(i, 1.0)], nominal(player));
            priors.push(Prior { terms, mean, deviation: ANCHOR_DEVIATION });
        }
    }
    if let (true, Some(weakest)) = (priors.is_empty(), players.first()) {
        // Levels alone have differences only.
        priors.push(Prior { terms: vec![(0, 1.0)], mean: nominal(weakest), deviation: 1.0 });
    }
    let levels = players.iter().filter(|player| matches!(player, Player::Level(_))).count();
    for i in 2..levels {
        let [below, above] = [i - 1, i].map(|i| 200.0 / (nominal(&players[i]) - nominal(&players[i - 1])));
        let terms = vec![(i, above), (i - 1, -above - below), (i - 2, below)];
        priors.push(Prior { terms, mean: 0.0, deviation: BEND_DEVIATION });
    }
    let size = players.len();
    let mut errors = vec![0.0; size];
    for _ in 0..200 {
        let mut gradient = vec![0.0; size];
        let mut information = vec![vec![0.0; size]; size];
        let mut spread = vec![vec![0.0; size]; size];
        for one in matches {
            let (a, b) = (index(one.first), index(one.second));
            let [won, drawn, lost] = one.results.map(f64::from);
            let games = won + drawn + lost;
            let p = expected(&ratings, a, b);
            let slope = scale * (won + drawn / 2.0 - games * p);
            let variance = won * (1.0 - p).powi(2) + drawn * (0.5 - p).powi(2) + lost * p * p;
            gradient[a] += slope;
            gradient[b] -= slope;
            for (i, j, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                information[i][j] += sign * scale * scale * games * p * (1.0 - p);
                spread[i][j] += sign * scale * scale * variance;
            }
        }
        for Prior { terms, mean, deviation } in &priors {
            let off = mean - terms.iter().map(|&(i, factor)| factor * ratings[i]).sum::<f64>();
            for &(i, factor) in terms {
                gradient[i] += factor * off / deviation.powi(2);
                for &(j, other) in terms {
                    information[i][j] += factor * other / deviation.powi(2);
                    spread[i][j] += factor * other / deviation.powi(2);
                }
            }
        }
        let inverse = inverted(information);
        for i in 0..size {
            let step: f64 = (0..size).map(|j| inverse[i][j] * gradient[j]).sum();
            ratings[i] += step.clamp(-100.0, 100.0);
            // The sandwich estimator: draws make results less random than the model thinks.
            let terms = (0..size).flat_map(|j| (0..size).map(move |k| (j, k)));
            let variance: f64 = terms.map(|(j, k)| inverse[i][j] * spread[j][k] * inverse[k][i]).sum();
            errors[i] = 1.96 * variance.sqrt();
        }
    }
    println!("\npairing         games  won-drawn-lost   score  fitted");
    for one in matches {
        let [won, drawn, lost] = one.results;
        let games = won + drawn + lost;
        let score = (f64::from(won) + f64::from(drawn) / 2.0) / f64::from(games);
        let fitted = expected(&ratings, index(one.first), index(one.second));
        println!(
            "{:6} {:6} {games:7}  {:15} {:6.1}% {:6.1}%",
            one.first.to_string(),
            one.second.to_string(),
            format!("{won}-{drawn}-{lost}"),
            100.0 * score,
            100.0 * fitted
        );
    }
    println!("\nplayer  rating  error");
    for (i, player) in players.iter().enumerate() {
        println!("{:6} {:7.0} {:6.0}", player.to_string(), ratings[i], errors[i]);
    }
}

/// The inverse of a positive definite matrix.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..size).map(|i| (0..size).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for pivot in 0..size {
        let divisor = matrix[pivot][pivot];
        for side in [&mut matrix, &mut inverse] {
            side[pivot].iter_mut().for_each(|entry| *entry /= divisor);
        }
        for row in (0..size).filter(|&row| row != pivot) {
            let factor = matrix[row][pivot];
            for side in [&mut matrix, &mut inverse] {
                let above = side[pivot].clone();
                side[row].iter_mut().zip(above).for_each(|(entry, above)| *entry -= factor * above);
            }
        }
    }
    inverse
}

/// Reads the main lines of a PGN file.
fn read_openings(path: &str) -> Result<Vec<Vec<Move>>, Error> {
    #[derive(Default)]
    struct Openings {
        all: Vec<Vec<Move>>,
        moves: Vec<Move>,
    }
    impl Visitor for Openings {
        const VARIATIONS: bool = false;
        fn begin_moves(&mut self, _: &Position) -> ControlFlow<Stop> {
            self.moves.clear();
            ControlFlow::Continue(())
        }
        fn mv(&mut self, mv: Option<Move>) -> ControlFlow<Stop> {
            self.moves.extend(mv);
            ControlFlow::Continue(())
        }
        fn end_game(&mut self, _: GameResult) {
            self.all.push(std::mem::take(&mut self.moves));
        }
    }
    let mut openings = Openings::default();
    let mut reader = Reader::new(File::open(path).map_err(|error| format!("{path}: {error}"))?);
    while reader.read_game(&mut openings)? {}
    if openings.all.is_empty() { Err("no openings".into()) } else { Ok(openings.all) }
}

/// The finisher of SplitMix64.
fn mix(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
