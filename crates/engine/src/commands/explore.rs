//! `ferz explore`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use ferz_board::{Move, Position};
use ferz_notation::{openings, san};
use ferz_session::MoveCounts;
use serde::Serialize;

use crate::books::{self, OpeningBook};
use crate::explorers::{self, PgnSource};
use crate::fen_argument::{self, FenOptions};
use crate::input;
use crate::progress::ProgressLine;

/// The keys of the object, for the help text.
const KEYS: &str = "\
Keys of the JSON object:
  source    the file
  fen       the position
  opening   null, or eco and name
  total     games that reached the position; for a book, the sum of the weights
  moves     the most frequent first: uci, san, games (for a book, the weight),
            white, draws, black, elo (mean rating or null), year (the last one
            or null), transpositions (games that reached the position behind
            the move in a different way)
  games     at most 8 games with the highest ratings: white, black, elo, year,
            result";

/// Show the moves that were played in a position
///
/// Counts games, results and ratings for each move. Games that reach a position by different orders of moves count
/// together. The first 40 half-moves of each game are used; variations are ignored.
///
/// The index of a PGN file is kept in the cache folder: the first call reads the file, later ones answer at once. If
/// the position does not occur, the exit code is 1.
#[derive(Args)]
#[command(after_long_help = KEYS)]
pub(crate) struct Explore {
    /// The games (.pgn or .pgn.zst) or the book (.bin, or `embedded`)
    #[arg(long, value_name = "FILE", default_value = books::EMBEDDED)]
    from: PathBuf,

    /// The position: a FEN, or moves from the start position such as "1. e4 e5 2. Nf3"
    #[arg(value_name = "FEN|MOVES")]
    position: Vec<String>,

    #[command(flatten)]
    reading: FenOptions,

    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ExploreReport {
    source: String,
    fen: String,
    opening: Option<NamedOpening>,
    total: u64,
    moves: Vec<MoveRow>,
    games: Vec<GameRow>,
    #[serde(skip)]
    is_book: bool,
}

#[derive(Serialize)]
struct NamedOpening {
    eco: &'static str,
    name: &'static str,
}

#[derive(Serialize)]
struct MoveRow {
    uci: String,
    san: String,
    games: u64,
    white: u64,
    draws: u64,
    black: u64,
    elo: Option<u32>,
    year: Option<u16>,
    transpositions: u64,
}

#[derive(Serialize)]
struct GameRow {
    white: String,
    black: String,
    elo: Option<u32>,
    year: Option<u16>,
    result: &'static str,
}

/// What a source knows of a position.
struct FoundMoves {
    total: u64,
    moves: Vec<(Move, MoveCounts)>,
    games: Vec<GameRow>,
}

impl Explore {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let position = self.position()?;
        let report = self.report(&position)?;
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
        } else {
            write(&report, out)?;
        }
        Ok(if report.moves.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// The position of the arguments. A FEN has slashes, moves have none.
    fn position(&self) -> Result<Position> {
        let text = self.position.join(" ");
        if text.contains('/') {
            return self.reading.read_and_note(&text);
        }
        let mut position = Position::start();
        for word in text.split_whitespace() {
            // Without move numbers.
            let word = word.rsplit('.').next().unwrap_or_default();
            if word.bytes().all(|byte| byte.is_ascii_digit()) {
                continue;
            }
            let mv = san::parse_lenient(&position, word).or_else(|error| {
                position.parse_uci(word).map_err(|_| anyhow!("bad move {word:?}: {error}"))
            })?;
            position.play_unchecked(mv);
        }
        Ok(position)
    }

    fn report(&self, position: &Position) -> Result<ExploreReport> {
        let is_book = explorers::is_book(&self.from);
        let FoundMoves { total, moves, games } =
            if is_book { self.look_up_in_book(position)? } else { self.look_up_in_games(position)? };
        let mode = fen_argument::castling_text(position, self.reading.mode());
        let row = |(mv, counts): (Move, MoveCounts)| {
            let MoveCounts { games, white, draws, black, elo, year, transpositions } = counts;
            let (uci, san) = (mv.uci(mode).to_string(), san::San::new(position, mv).to_string());
            MoveRow { uci, san, games, white, draws, black, elo, year, transpositions }
        };
        Ok(ExploreReport {
            source: input::name(&self.from),
            fen: position.to_string(),
            opening: openings::lookup(position).map(|it| NamedOpening { eco: it.eco, name: it.name }),
            total,
            moves: moves.into_iter().map(row).collect(),
            games,
            is_book,
        })
    }

    fn look_up_in_book(&self, position: &Position) -> Result<FoundMoves> {
        let mut book = OpeningBook::open(&self.from)?;
        let moves =
            ferz_session::book_counts(position, |position| explorers::book_moves(&mut book, position))
                .with_context(|| input::name(&self.from))?;
        let total = moves.iter().map(|(_, counts)| counts.games).sum();
        Ok(FoundMoves { total, moves, games: Vec::new() })
    }

    fn look_up_in_games(&self, position: &Position) -> Result<FoundMoves> {
        let source = PgnSource::new(&self.from)?;
        let line = || format!("reading {}: {} %", input::name(&self.from), source.percent());
        let found = ProgressLine::watch(line, |_| source.explore(position))?;
        let game = |game: ferz_session::protocol::ExplorerGame| GameRow {
            white: game.white,
            black: game.black,
            elo: game.elo,
            year: game.year,
            result: game.result.0.as_str(),
        };
        let games = source.games(&found).into_iter().map(game).collect();
        Ok(FoundMoves { total: found.total, moves: explorers::counts(&found).collect(), games })
    }
}

fn write(report: &ExploreReport, out: &mut impl Write) -> Result<()> {
    writeln!(out, "source    {}", report.source)?;
    writeln!(out, "position  {}", report.fen)?;
    if let Some(opening) = &report.opening {
        writeln!(out, "opening   {} {}", opening.eco, opening.name)?;
    }
    if report.moves.is_empty() {
        writeln!(out, "\nno moves")?;
        return Ok(());
    }
    if report.is_book {
        writeln!(out, "\nmove       weight   share")?;
    } else {
        writeln!(out, "games     {}", report.total)?;
        writeln!(out, "\nmove        games   share   white  draws  black   elo  year  transpositions")?;
    }
    for it in &report.moves {
        let share = percent(it.games, report.total);
        write!(out, "{:<8} {:>8} {share:>5.1} %", it.san, it.games)?;
        if report.is_book {
            writeln!(out, "{}", if it.transpositions > 0 { "  transposes into the book" } else { "" })?;
            continue;
        }
        let known = it.white + it.draws + it.black;
        let [white, draws, black] = [it.white, it.draws, it.black].map(|count| percent(count, known).round());
        let number = |number: Option<u32>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        let (elo, year) = (number(it.elo), number(it.year.map(u32::from)));
        write!(out, "  {white:>4} % {draws:>4} % {black:>4} %  {elo:>4}  {year:>4}")?;
        writeln!(
            out,
            "{}",
            if it.transpositions > 0 { format!("  {:>14}", it.transpositions) } else { String::new() }
        )?;
    }
    if !report.games.is_empty() {
        writeln!(out)?;
    }
    for GameRow { white, black, elo, year, result } in &report.games {
        let elo = elo.map_or_else(String::new, |elo| format!(", {elo}"));
        let year = year.map_or_else(String::new, |year| format!(", {year}"));
        writeln!(out, "{white} - {black}  {result}{elo}{year}")?;
    }
    Ok(())
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
