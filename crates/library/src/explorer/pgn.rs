//! Games from PGN text.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use ferz_board::{Move, Position};
use ferz_notation::pgn::{self, GameResult, Movetext, Place, Reader, Stop, Visitor, parallel};

use super::error::IndexError;
use super::index::Index;
use super::line::OpeningLine;
use super::stats::IndexedGame;

/// Adds all games of a text to an index, and returns their number. The id of a game is the place of its first byte in the
/// text. Variations are ignored, and a broken game counts up to its first illegal move.
pub fn add_games(index: &mut Index, text: impl Read + Send, threads: usize) -> Result<u64, IndexError> {
    let mut update = index.update();
    let mut count = 0;
    parallel::read(
        text,
        threads,
        |batch| batch.read_all(Collector::default()),
        |collected, origin| {
            count += collected.games.len() as u64;
            collected.games.iter().try_for_each(|(game, line)| {
                update.add(&IndexedGame { id: game.id + origin.place.byte, ..*game }, line)
            })
        },
    )?;
    update.commit()?;
    index.merge()?;
    Ok(count)
}

/// The first game of a text.
pub(super) fn first_game(text: &[u8]) -> Option<(IndexedGame, OpeningLine)> {
    let mut collector = Collector::default();
    Reader::new(text).read_game(&mut collector).ok()?;
    collector.games.pop()
}

/// Collects the openings of games.
#[derive(Default)]
struct Collector {
    games: Vec<(IndexedGame, OpeningLine)>,
    place: u64,
    start: u64,
    elo: [Option<u16>; 2],
    year: Option<u16>,
    line: OpeningLine,
}

impl Visitor for Collector {
    const MOVETEXT: Movetext = Movetext::Positions;
    const VARIATIONS: bool = false;
    const PLACES: bool = true;

    fn begins_at(&mut self, place: Place) {
        self.place = place.byte;
    }

    fn begin_game(&mut self) {
        self.start = self.place;
        self.elo = [None; 2];
        self.year = None;
        self.line.clear();
    }

    fn tag(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"WhiteElo" => self.elo[0] = number(value),
            b"BlackElo" => self.elo[1] = number(value),
            // Servers write the day of a game here and leave Date to the tournament.
            b"UTCDate" => self.year = self.year.or(year(value)),
            b"Date" => self.year = year(value).or(self.year),
            _ => {}
        }
    }

    fn play(&mut self, before: &Position, mv: Option<Move>, after: &Position) -> ControlFlow<Stop> {
        match mv {
            Some(mv) if self.line.play(before, mv, after) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(Stop::Game),
        }
    }

    fn end_game(&mut self, result: GameResult) {
        let game = IndexedGame { id: self.start, result, elo: mean(self.elo), year: self.year };
        self.games.push((game, std::mem::take(&mut self.line)));
    }
}

fn number(text: &[u8]) -> Option<u16> {
    str::from_utf8(text).ok()?.trim().parse().ok()
}

fn year(date: &[u8]) -> Option<u16> {
    number(&date[..date.len().min(4)])
}

/// The mean rating of two players, or the rating of the one that has one.
#[must_use]
pub fn mean(elo: [Option<u16>; 2]) -> Option<u16> {
    match elo.map(|elo| elo.filter(|&elo| elo > 0)) {
        [Some(white), Some(black)] => Some(white.midpoint(black)),
        [one, other] => one.or(other),
    }
}

/// The tags of a game that lists show.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GameHead {
    /// The player of the white pieces.
    pub white: String,
    /// The player of the black pieces.
    pub black: String,
    /// The date as written.
    pub date: String,
    /// The event.
    pub event: String,
}

/// Reads the tags of the game that begins at a place of a text.
pub fn game_head(mut text: impl Read + Seek, place: u64) -> std::io::Result<GameHead> {
    /// Tags behind this many bytes are not read.
    const MOST: u64 = 64 << 10;
    text.seek(SeekFrom::Start(place))?;
    let mut head = HeadVisitor::default();
    Reader::new(BufReader::with_capacity(4 << 10, text.take(MOST))).read_game(&mut head)?;
    Ok(head.0)
}

#[derive(Default)]
struct HeadVisitor(GameHead);

impl Visitor for HeadVisitor {
    const MOVETEXT: Movetext = Movetext::Moves;
    const VARIATIONS: bool = false;

    fn tag(&mut self, name: &[u8], value: &[u8]) {
        /// Longer names would not fit a list.
        const LONGEST: usize = 80;
        let field = match name {
            b"White" => &mut self.0.white,
            b"Black" => &mut self.0.black,
            b"Date" => &mut self.0.date,
            b"Event" => &mut self.0.event,
            _ => return,
        };
        *field = pgn::tag_value(value).chars().take(LONGEST).collect();
    }

    fn begin_moves(&mut self, _: &Position) -> ControlFlow<Stop> {
        ControlFlow::Break(Stop::Reading)
    }
}
