//! What the index knows of games and moves.

use ferz_board::Color;
use ferz_notation::pgn::GameResult;

use super::{SAMPLES, varint};

/// A game, as far as the index needs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexedGame {
    /// Names the game where it is kept: the place in a PGN file, or the number in a library. Below 2^42 − 1.
    pub id: u64,
    /// The result.
    pub result: GameResult,
    /// The mean rating of the players, or the rating of the one that has one; below 4096.
    pub elo: Option<u16>,
    /// The year, from 1801 to 2055.
    pub year: Option<u16>,
}

/// Ids are smaller.
pub(super) const MAX_ID: u64 = (1 << (64 - ID_SHIFT)) - 1;

const RESULT_BITS: u32 = 2;
const ELO_BITS: u32 = 12;
const YEAR_BITS: u32 = 8;
const ID_SHIFT: u32 = RESULT_BITS + ELO_BITS + YEAR_BITS;
const FIRST_YEAR: u16 = 1800;

/// A game in a word: id + 1, year, rating, result. Zero means that there is none.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct PackedGame(pub(super) u64);

impl PackedGame {
    /// Packs a game. What does not fit becomes unknown.
    pub(super) fn new(game: &IndexedGame) -> PackedGame {
        let result = match game.result {
            GameResult::Unknown => 0,
            GameResult::Win(Color::White) => 1,
            GameResult::Draw => 2,
            GameResult::Win(Color::Black) => 3,
        };
        let elo = game.elo.filter(|&elo| elo < 1 << ELO_BITS).unwrap_or(0);
        let year =
            game.year.and_then(|year| year.checked_sub(FIRST_YEAR)).filter(|&year| year < 1 << YEAR_BITS);
        let id = (game.id + 1) << ID_SHIFT;
        let year = u64::from(year.unwrap_or(0)) << (RESULT_BITS + ELO_BITS);
        PackedGame(id | year | u64::from(elo) << RESULT_BITS | result)
    }

    /// Unpacks it; `None` for no game.
    pub(super) fn unpack(self) -> Option<IndexedGame> {
        let id = self.id()?;
        let result = match self.result() {
            0 => GameResult::Unknown,
            1 => GameResult::Win(Color::White),
            2 => GameResult::Draw,
            _ => GameResult::Win(Color::Black),
        };
        let known = |number: u16| (number > 0).then_some(number);
        Some(IndexedGame { id, result, elo: known(self.elo()), year: known(self.year()) })
    }

    fn id(self) -> Option<u64> {
        (self.0 >> ID_SHIFT).checked_sub(1)
    }

    fn result(self) -> usize {
        self.0 as usize & 3
    }

    fn elo(self) -> u16 {
        (self.0 >> RESULT_BITS) as u16 & ((1 << ELO_BITS) - 1)
    }

    fn year(self) -> u16 {
        match (self.0 >> (RESULT_BITS + ELO_BITS)) as u16 & ((1 << YEAR_BITS) - 1) {
            0 => 0,
            year => FIRST_YEAR + year,
        }
    }

    /// The order of samples: by rating, then by year, then the latest id.
    fn rank(self) -> (u16, u16, u64) {
        (self.elo(), self.year(), self.0)
    }
}

/// The results of the games that played a move.
///
/// Numbers have a sign, because a game is removed by adding its opposite.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MoveStats {
    /// Games by result: unknown, won by White, drawn, won by Black.
    results: [i64; 4],
    elo_sum: i64,
    rated: i64,
    year: u16,
    samples: [PackedGame; SAMPLES],
}

impl MoveStats {
    /// The statistics of one game; `sign` is −1 to remove it.
    pub(super) fn of(game: PackedGame, sign: i64) -> MoveStats {
        let mut stats = MoveStats::default();
        stats.results[game.result()] = sign;
        if game.elo() > 0 {
            stats.elo_sum = sign * i64::from(game.elo());
            stats.rated = sign;
        }
        if sign > 0 {
            stats.year = game.year();
            stats.samples[0] = game;
        }
        stats
    }

    /// Adds the games of other statistics.
    pub(super) fn add(&mut self, other: &MoveStats) {
        for (sum, count) in self.results.iter_mut().zip(other.results) {
            *sum = sum.saturating_add(count);
        }
        self.elo_sum = self.elo_sum.saturating_add(other.elo_sum);
        self.rated = self.rated.saturating_add(other.rated);
        self.year = self.year.max(other.year);
        for &game in other.samples.iter().filter(|game| game.0 != 0) {
            if let Some(place) = self.samples.iter().position(|sample| sample.rank() < game.rank()) {
                self.samples[place..].rotate_right(1);
                self.samples[place] = game;
            }
        }
    }

    /// Takes games out of the samples that were removed or changed since.
    pub(super) fn drop_samples(&mut self, is_stale: impl Fn(u64) -> bool) {
        let mut kept = [PackedGame::default(); SAMPLES];
        let live = self.samples.into_iter().filter(|game| game.id().is_some_and(|id| !is_stale(id)));
        kept.iter_mut().zip(live).for_each(|(place, game)| *place = game);
        self.samples = kept;
    }

    /// Corrects what removed games left behind, once every game is added and removed: if all games are samples, they know
    /// the last year.
    pub(super) fn settle(&mut self) {
        let samples = self.samples.iter().filter(|game| game.0 != 0);
        if samples.clone().count() as u64 == self.games() {
            self.year = samples.map(|game| game.year()).max().unwrap_or(0);
        }
    }

    /// Whether it changes nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.results == [0; 4] && self.elo_sum == 0 && self.rated == 0 && self.samples[0].0 == 0
    }

    /// All games, those without a result included.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.results.iter().map(|&count| count.max(0) as u64).sum()
    }

    /// Games that White won.
    #[must_use]
    pub fn white(&self) -> u64 {
        self.results[1].max(0) as u64
    }

    /// Drawn games.
    #[must_use]
    pub fn draws(&self) -> u64 {
        self.results[2].max(0) as u64
    }

    /// Games that Black won.
    #[must_use]
    pub fn black(&self) -> u64 {
        self.results[3].max(0) as u64
    }

    /// The mean rating of the games with ratings.
    #[must_use]
    pub fn elo(&self) -> Option<u32> {
        (self.rated > 0).then(|| ((self.elo_sum.max(0) + self.rated / 2) / self.rated) as u32)
    }

    /// The last year in which it was played. Where more than [`SAMPLES`] games were played, a removed game may still count
    /// here until the index is built again.
    #[must_use]
    pub fn year(&self) -> Option<u16> {
        (self.year > 0).then_some(self.year)
    }

    /// The games with the highest ratings. After some of them were removed they are fewer: the next best are not known.
    pub fn samples(&self) -> impl Iterator<Item = IndexedGame> {
        self.samples.into_iter().map_while(PackedGame::unpack)
    }

    /// The game, if it is the only one.
    pub(super) fn only_game(&self) -> Option<PackedGame> {
        let game = self.samples[0];
        (game.0 != 0 && *self == MoveStats::of(game, 1)).then_some(game)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        self.results
            .iter()
            .chain([&self.elo_sum, &self.rated])
            .for_each(|&count| varint::put_signed(out, count));
        varint::put(out, self.year.into());
        let samples = self.samples.iter().filter(|game| game.0 != 0);
        varint::put(out, samples.clone().count() as u64);
        samples.for_each(|game| varint::put(out, game.0));
    }

    pub(super) fn read(bytes: &mut &[u8]) -> Option<MoveStats> {
        let mut stats = MoveStats::default();
        for count in &mut stats.results {
            *count = varint::take_signed(bytes)?;
        }
        stats.elo_sum = varint::take_signed(bytes)?;
        stats.rated = varint::take_signed(bytes)?;
        stats.year = u16::try_from(varint::take(bytes)?).ok()?;
        let count = usize::try_from(varint::take(bytes)?).ok()?;
        for sample in stats.samples.get_mut(..count)? {
            *sample = PackedGame(varint::take(bytes)?);
        }
        Some(stats)
    }
}
