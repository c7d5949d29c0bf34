//! What the library knows of a game: tags, length, opening, positions.

use std::ops::{ControlFlow, Range};

use ferz_board::{Move, Position};
use ferz_notation::openings::{self, Opening};
use ferz_notation::pgn::{Diagnostic, GameResult, Movetext, Place, Reader, Stop, Visitor, tag_value};

use crate::reached;

/// Longer tag values are cut in lists. The text of the game keeps them.
pub(crate) const MAX_VALUE: usize = 200;
/// No line of the table of openings is longer.
const OPENING_PLIES: usize = 40;
/// Positions behind this many plies are not indexed.
const MAX_PLIES: usize = 2_000;

/// What the library knows of a game.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct GameFacts {
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// The event.
    pub event: String,
    /// The site.
    pub site: String,
    /// The round.
    pub round: String,
    /// The date as written.
    pub date: String,
    /// White's rating.
    pub white_elo: Option<u16>,
    /// Black's rating.
    pub black_elo: Option<u16>,
    /// The result.
    pub result: GameResult,
    /// The ECO code.
    pub eco: String,
    /// The name of the opening.
    pub opening: String,
    /// The length of the main line.
    pub plies: usize,
    /// How many problems its text has.
    pub problems: u64,
    /// The [repetition keys](Position::repetition_key) of the positions of the main line, that of the start first.
    pub positions: Vec<u64>,
    /// The moves between them; `None` is a null move.
    pub moves: Vec<Option<Move>>,
    /// The keys of positions and material for the index.
    pub(crate) keys: Vec<u64>,
}

impl Default for GameFacts {
    fn default() -> GameFacts {
        GameFacts {
            white: String::new(),
            black: String::new(),
            event: String::new(),
            site: String::new(),
            round: String::new(),
            date: String::new(),
            white_elo: None,
            black_elo: None,
            result: GameResult::Unknown,
            eco: String::new(),
            opening: String::new(),
            plies: 0,
            problems: 0,
            positions: Vec::new(),
            moves: Vec::new(),
            keys: Vec::new(),
        }
    }
}

impl GameFacts {
    /// Reads the first game of a text.
    #[must_use]
    pub fn of(text: &[u8]) -> GameFacts {
        games(text, 1).pop().map(|game| game.facts).unwrap_or_default()
    }
}

/// A game in a text.
#[derive(Debug)]
pub(crate) struct FoundGame {
    /// Where it begins: the first byte of its first tag or move.
    pub(crate) begin: usize,
    pub(crate) facts: GameFacts,
    /// The first problem.
    pub(crate) problem: Option<Box<Diagnostic>>,
    has_tags: bool,
}

impl FoundGame {
    /// Whether it is some text that is not a game.
    pub(crate) fn is_junk(&self) -> bool {
        !self.has_tags && self.facts.plies == 0 && self.facts.problems > 0
    }
}

/// The games of a text in their order, at most this many.
pub(crate) fn games(text: &[u8], most: usize) -> Vec<FoundGame> {
    let mut reader = Reader::new(text);
    let mut visitor = FactsVisitor::default();
    // Reading from memory does not fail.
    while visitor.games.len() < most && reader.read_game(&mut visitor).unwrap_or(false) {}
    visitor.games
}

/// The parts of a text that its games take: each up to the next, so that together they are the whole text.
pub(crate) fn ranges(games: &[FoundGame], len: usize) -> impl Iterator<Item = Range<usize>> {
    (0..games.len()).map(move |index| {
        let start = if index == 0 { 0 } else { games[index].begin };
        start..games.get(index + 1).map_or(len, |next| next.begin)
    })
}

#[derive(Default)]
struct FactsVisitor {
    games: Vec<FoundGame>,
    begin: usize,
    facts: GameFacts,
    opening: Option<&'static Opening>,
    problem: Option<Box<Diagnostic>>,
    /// The number of men and pawns: material changes with them.
    men: (u32, u32),
}

impl FactsVisitor {
    fn reach(&mut self, position: &Position) {
        let key = position.repetition_key();
        self.facts.positions.push(key);
        self.facts.keys.push(key);
        let men = (position.occupied().len(), reached::pawns(position));
        if men != self.men {
            self.men = men;
            self.facts.keys.push(reached::material_key(&reached::material(position)));
        }
        if self.facts.plies <= OPENING_PLIES {
            self.opening = openings::lookup(position).or(self.opening);
        }
    }
}

impl Visitor for FactsVisitor {
    const MOVETEXT: Movetext = Movetext::Positions;
    const VARIATIONS: bool = false;
    const PLACES: bool = true;

    fn begins_at(&mut self, place: Place) {
        self.begin = place.byte as usize;
    }

    fn begin_game(&mut self) {
        // Problems before the game count with it.
        self.facts = GameFacts { problems: self.facts.problems, ..GameFacts::default() };
        self.opening = None;
        self.men = (0, 0);
        // Comments report their places, too.
        self.games.push(FoundGame {
            begin: self.begin,
            facts: GameFacts::default(),
            problem: None,
            has_tags: false,
        });
    }

    fn tag(&mut self, name: &[u8], value: &[u8]) {
        if let Some(game) = self.games.last_mut() {
            game.has_tags = true;
        }
        let facts = &mut self.facts;
        let place = match name {
            b"White" => &mut facts.white,
            b"Black" => &mut facts.black,
            b"Event" => &mut facts.event,
            b"Site" => &mut facts.site,
            b"Round" => &mut facts.round,
            b"Date" => &mut facts.date,
            b"ECO" => &mut facts.eco,
            b"Opening" => &mut facts.opening,
            // Servers write the day of a game here and leave Date to the tournament.
            b"UTCDate" if facts.date.is_empty() => &mut facts.date,
            b"WhiteElo" => {
                facts.white_elo = rating(value);
                return;
            }
            b"BlackElo" => {
                facts.black_elo = rating(value);
                return;
            }
            _ => return,
        };
        *place = shortened(value);
    }

    fn begin_moves(&mut self, start: &Position) -> ControlFlow<Stop> {
        self.reach(start);
        ControlFlow::Continue(())
    }

    fn play(&mut self, _: &Position, mv: Option<Move>, after: &Position) -> ControlFlow<Stop> {
        self.facts.plies += 1;
        if self.facts.plies <= MAX_PLIES {
            self.facts.moves.push(mv);
            self.reach(after);
        }
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Diagnostic) {
        self.facts.problems += 1;
        if self.problem.is_none() {
            self.problem = Some(Box::new(problem));
        }
    }

    fn end_game(&mut self, result: GameResult) {
        let facts = &mut self.facts;
        facts.result = result;
        if let Some(opening) = self.opening {
            opening.name.clone_into(&mut facts.opening);
            if !is_eco(&facts.eco) {
                opening.eco.clone_into(&mut facts.eco);
            }
        }
        if !is_eco(&facts.eco) {
            facts.eco.clear();
        }
        facts.eco.truncate(3);
        facts.keys.sort_unstable();
        facts.keys.dedup();
        if let Some(last) = self.games.last_mut() {
            last.facts = std::mem::take(&mut self.facts);
            last.problem = self.problem.take();
        }
    }
}

/// A code of the Encyclopaedia, perhaps with a suffix such as `B33a`.
fn is_eco(code: &str) -> bool {
    matches!(code.as_bytes(), [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9', ..])
}

fn rating(value: &[u8]) -> Option<u16> {
    let text = std::str::from_utf8(value).ok()?.trim();
    text.parse().ok().filter(|&elo| elo > 0 && elo < 10_000)
}

/// A text for a list: without control characters, and not too long.
pub(crate) fn shortened(value: &[u8]) -> String {
    let text = tag_value(&value[..value.len().min(4 * MAX_VALUE)]);
    let clean = text.chars().filter(|letter| !letter.is_control()).take(MAX_VALUE).collect::<String>();
    clean.trim().to_owned()
}
