//! The list of all games in memory.
//!
//! A library of a million games has a list of some hundred megabytes on disk. In memory, with each name stored once, it
//! is small enough to filter completely for every question, whatever the filter and the order.

use std::cmp::Ordering;
use std::collections::HashMap;

use ferz_board::Color;
use ferz_notation::pgn::GameResult;

use crate::GameId;
use crate::query::{BadQuery, OpeningCondition, Query, Sort};
use crate::strings::{StringId, StringSet, Strings};

/// More changed or new rows than this are sorted again with all others.
const MAX_MOVED: usize = 20;
const MAX_NEW: usize = 200;

/// A game in the list.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Row {
    pub(crate) id: GameId,
    pub(crate) added_ms: u64,
    pub(crate) hash: u64,
    pub(crate) white: StringId,
    pub(crate) black: StringId,
    pub(crate) event: StringId,
    pub(crate) site: StringId,
    pub(crate) round: StringId,
    pub(crate) date_text: StringId,
    pub(crate) eco: StringId,
    pub(crate) opening: StringId,
    /// The date as a number; 0 is unknown.
    pub(crate) date: u32,
    /// The folder; 0 is none.
    pub(crate) folder: u32,
    /// The run of the index that the game is in; 0 is none.
    pub(crate) run: u32,
    /// The ratings; 0 is unknown.
    pub(crate) white_elo: u16,
    pub(crate) black_elo: u16,
    pub(crate) plies: u16,
    pub(crate) result: u8,
    pub(crate) is_deleted: bool,
}

impl Row {
    fn elo(&self) -> u32 {
        u32::from(self.white_elo.max(self.black_elo))
    }

    /// Everything that an order depends on.
    fn sort_keys(&self) -> [u32; 8] {
        let (result, plies) = (u32::from(self.result), u32::from(self.plies));
        [self.white, self.black, self.eco, self.opening, self.date, result, plies, self.elo()]
    }
}

/// Results as the library stores them: in the order in which a list shows them.
pub(crate) const RESULTS: [GameResult; 4] =
    [GameResult::Unknown, GameResult::Win(Color::Black), GameResult::Draw, GameResult::Win(Color::White)];

pub(crate) fn result_code(result: GameResult) -> u8 {
    RESULTS.iter().position(|&known| known == result).unwrap_or(0) as u8
}

/// The list of all games.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    /// In the order of their numbers.
    rows: Vec<Row>,
    pub(crate) strings: Strings,
    tags: HashMap<GameId, Vec<String>>,
    /// The places of the rows in each order, ascending. Made when they are first needed.
    orders: HashMap<Sort, Vec<u32>>,
}

impl Catalogue {
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(crate) fn place_of(&self, game: GameId) -> Option<usize> {
        self.rows.binary_search_by_key(&game, |row| row.id).ok()
    }

    pub(crate) fn row(&self, game: GameId) -> Option<&Row> {
        self.place_of(game).map(|place| &self.rows[place])
    }

    pub(crate) fn tags(&self, game: GameId) -> &[String] {
        self.tags.get(&game).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn all_tags(&self) -> &HashMap<GameId, Vec<String>> {
        &self.tags
    }

    /// Sets the tags of a game. The others must have been read before.
    pub(crate) fn set_tags(&mut self, game: GameId, tags: Vec<String>) {
        if tags.is_empty() {
            self.tags.remove(&game);
        } else {
            self.tags.insert(game, tags);
        }
    }

    /// Takes rows that are new or have changed.
    pub(crate) fn update(&mut self, changed: Vec<Row>) {
        if self.rows.is_empty() {
            // The whole list, which is large: it is not copied.
            self.rows = changed;
            self.orders.clear();
            return;
        }
        // Places whose order may be different, and new ones.
        let (mut moved, mut new) = (Vec::new(), Vec::new());
        let mut is_sorted = true;
        for row in changed {
            match self.place_of(row.id) {
                Some(place) => {
                    if self.rows[place].sort_keys() != row.sort_keys() {
                        moved.push(place as u32);
                    }
                    self.rows[place] = row;
                }
                None => {
                    is_sorted &= self.rows.last().is_none_or(|last| last.id < row.id);
                    new.push(self.rows.len() as u32);
                    self.rows.push(row);
                }
            }
        }
        if !is_sorted {
            // Numbers grow with every transaction, so this is a file that was tampered with.
            self.rows.sort_unstable_by_key(|row| row.id);
        }
        if !is_sorted || moved.len() > MAX_MOVED || new.len() > MAX_NEW {
            self.orders.clear();
            return;
        }
        for (sort, mut order) in std::mem::take(&mut self.orders) {
            for &place in &moved {
                if let Some(at) = order.iter().position(|&other| other == place) {
                    order.remove(at);
                }
            }
            for &place in moved.iter().chain(&new) {
                let at = order.partition_point(|&other| self.compare(sort, other, place) == Ordering::Less);
                order.insert(at, place);
            }
            self.orders.insert(sort, order);
        }
    }

    /// Compares two rows by their places. No two are equal.
    fn compare(&self, sort: Sort, a: u32, b: u32) -> Ordering {
        let (x, y) = (&self.rows[a as usize], &self.rows[b as usize]);
        let text = |a, b| folded(self.strings.get(a)).cmp(folded(self.strings.get(b)));
        let order = match sort {
            Sort::Added => Ordering::Equal,
            Sort::Date => x.date.cmp(&y.date),
            Sort::White => text(x.white, y.white),
            Sort::Black => text(x.black, y.black),
            Sort::Result => x.result.cmp(&y.result),
            Sort::Opening => text(x.eco, y.eco).then_with(|| text(x.opening, y.opening)),
            Sort::Plies => x.plies.cmp(&y.plies),
            Sort::Elo => x.elo().cmp(&y.elo()),
        };
        order.then(a.cmp(&b))
    }

    /// Makes an order if there is none.
    pub(crate) fn prepare(&mut self, sort: Sort) {
        if sort == Sort::Added || self.orders.contains_key(&sort) {
            return;
        }
        let rank = |column: fn(&Row) -> StringId| self.ranks(column);
        let keys: Vec<u64> = match sort {
            Sort::Added => Vec::new(),
            Sort::Date => self.rows.iter().map(|row| u64::from(row.date)).collect(),
            Sort::White => rank(|row| row.white),
            Sort::Black => rank(|row| row.black),
            Sort::Result => self.rows.iter().map(|row| u64::from(row.result)).collect(),
            Sort::Opening => {
                let (codes, names) = (rank(|row| row.eco), rank(|row| row.opening));
                codes.into_iter().zip(names).map(|(code, name)| code << 32 | name).collect()
            }
            Sort::Plies => self.rows.iter().map(|row| u64::from(row.plies)).collect(),
            Sort::Elo => self.rows.iter().map(|row| u64::from(row.elo())).collect(),
        };
        let mut order: Vec<u32> = (0..self.rows.len() as u32).collect();
        // Stable: equal rows stay in the order in which they were added.
        order.sort_by_key(|&place| keys[place as usize]);
        self.orders.insert(sort, order);
    }

    /// For each row, the rank of a string among all that occur in this column. Strings that differ in case only are equal.
    fn ranks(&self, column: fn(&Row) -> StringId) -> Vec<u64> {
        let mut ranks = vec![0_u32; self.strings.len()];
        for row in &self.rows {
            ranks[column(row) as usize] = 1;
        }
        let mut used: Vec<StringId> =
            (0..self.strings.len() as StringId).filter(|&id| ranks[id as usize] == 1).collect();
        used.sort_unstable_by(|&a, &b| folded(self.strings.get(a)).cmp(folded(self.strings.get(b))));
        let mut rank = 0;
        for (index, &id) in used.iter().enumerate() {
            let differs = |&before: &StringId| {
                folded(self.strings.get(before)).cmp(folded(self.strings.get(id))) != Ordering::Equal
            };
            if index > 0 && differs(&used[index - 1]) {
                rank += 1;
            }
            ranks[id as usize] = rank;
        }
        self.rows.iter().map(|row| u64::from(ranks[column(row) as usize])).collect()
    }

    /// The places of all rows that satisfy a filter, in an order that is [prepared](Self::prepare).
    pub(crate) fn select(&self, filter: &Filter, sort: Sort, is_descending: bool) -> Vec<u32> {
        // Rows are read in the order of memory, which is several times faster than in any other order.
        let marks: Vec<bool> = (0..self.rows.len()).map(|place| filter.admits(self, place)).collect();
        let wanted = |place: &u32| marks[*place as usize];
        match self.orders.get(&sort) {
            Some(order) if is_descending => order.iter().rev().copied().filter(wanted).collect(),
            Some(order) => order.iter().copied().filter(wanted).collect(),
            None if is_descending => (0..self.rows.len() as u32).rev().filter(wanted).collect(),
            None => (0..self.rows.len() as u32).filter(wanted).collect(),
        }
    }
}

/// The letters of a text in lower case, to compare names.
fn folded(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|letter| {
        if letter.is_ascii() {
            letter.to_ascii_lowercase()
        } else {
            letter.to_lowercase().next().unwrap_or(letter)
        }
    })
}

/// A query that is ready to be applied to rows.
#[derive(Debug)]
pub(crate) struct Filter {
    words: Vec<StringSet>,
    player: Option<(StringSet, Option<Color>)>,
    eco: Option<StringSet>,
    opening: Option<StringSet>,
    result: Option<u8>,
    dates: (u32, u32),
    elos: (u32, u32),
    plies: (u32, u32),
    folder: Option<u32>,
    tag: Option<String>,
    is_deleted: bool,
    /// The rows that have reached a position or material, in ascending order of their numbers.
    reached: Vec<Vec<bool>>,
}

impl Filter {
    /// Reads a query. `reached` marks the rows that have reached a key.
    pub(crate) fn new<E: From<BadQuery>>(
        catalogue: &Catalogue,
        query: &Query,
        mut reached: impl FnMut(u64) -> Result<Vec<bool>, E>,
    ) -> Result<Filter, E> {
        let conditions = query.conditions()?;
        let strings = &catalogue.strings;
        let (mut eco, mut opening) = (None, None);
        match &conditions.opening {
            Some(OpeningCondition::Eco(code)) => {
                eco = Some(strings.select(|text| text.starts_with(code.as_str())));
            }
            Some(OpeningCondition::Name(name)) => opening = Some(strings.select(|text| name.is_in(text))),
            None => {}
        }
        let bounds = |from: Option<u32>, to: Option<u32>| (from.unwrap_or(0), to.unwrap_or(u32::MAX));
        Ok(Filter {
            words: conditions.words.iter().map(|word| strings.select(|text| word.is_in(text))).collect(),
            player: conditions.player.map(|name| (strings.select(|text| name.is_in(text)), query.color)),
            eco,
            opening,
            result: query.result.map(result_code),
            dates: conditions.dates,
            elos: bounds(query.elo_from, query.elo_to),
            plies: bounds(query.plies_from, query.plies_to),
            folder: query.folder.map(|folder| u32::try_from(folder).unwrap_or(u32::MAX)),
            tag: query.tag.clone(),
            is_deleted: query.deleted,
            reached: conditions.keys.into_iter().map(&mut reached).collect::<Result<_, E>>()?,
        })
    }

    fn admits(&self, catalogue: &Catalogue, place: usize) -> bool {
        let row = &catalogue.rows[place];
        let within = |value: u32, (from, to): (u32, u32)| (from..=to).contains(&value);
        row.is_deleted == self.is_deleted
            && self.result.is_none_or(|result| row.result == result)
            && self.folder.is_none_or(|folder| row.folder == folder)
            && within(row.date, self.dates)
            && within(row.elo(), self.elos)
            && within(u32::from(row.plies), self.plies)
            && self.reached.iter().all(|rows| rows[place])
            && self.eco.as_ref().is_none_or(|codes| codes.contains(row.eco))
            && self.opening.as_ref().is_none_or(|names| names.contains(row.opening))
            && self.player.as_ref().is_none_or(|(names, color)| match color {
                Some(Color::White) => names.contains(row.white),
                Some(Color::Black) => names.contains(row.black),
                None => names.contains(row.white) || names.contains(row.black),
            })
            && self.words.iter().all(|word| {
                [row.white, row.black, row.event, row.site, row.opening, row.eco]
                    .into_iter()
                    .any(|text| word.contains(text))
            })
            && self.tag.as_ref().is_none_or(|tag| catalogue.tags(row.id).contains(tag))
    }
}
