//! Making books: from games, from single moves, from other books.

use std::io::{self, Read, Seek, Write};

use ferz_board::{Color, IllegalMove, Move, Position};

use super::bounded::BoundedBuilder;
use super::tally::{Tally, TallyTable};
use super::writer::{Weighed, weigh};
use super::{Book, Entry, PackedMove};

/// The points of a move by the result of the game, from the point of view of the side that played it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Points {
    /// For a game that this side won.
    pub win: u32,
    /// For a draw.
    pub draw: u32,
    /// For a game that this side lost.
    pub loss: u32,
}

impl Points {
    /// The points of a side for a game that was won by `winner`; `None` is a draw.
    #[must_use]
    pub fn of(self, side: Color, winner: Option<Color>) -> u32 {
        match winner {
            None => self.draw,
            Some(winner) if winner == side => self.win,
            Some(_) => self.loss,
        }
    }

    fn most(self) -> u32 {
        self.win.max(self.draw).max(self.loss)
    }
}

/// As Polyglot counts: 2 for a win, 1 for a draw.
impl Default for Points {
    fn default() -> Points {
        Points { win: 2, draw: 1, loss: 0 }
    }
}

/// Collects moves and makes a [`Book`] of them. Their order does not matter.
///
/// ```
/// use ferz_board::{Color, Position};
/// use ferz_notation::polyglot::BookBuilder;
///
/// let start = Position::start();
/// let (e4, d4) = (start.parse_uci("e2e4")?, start.parse_uci("d2d4")?);
/// let mut builder = BookBuilder::new().max_ply(20).min_games(2);
/// builder.add_game(&start, [e4], Some(Color::White))?;
/// builder.add_game(&start, [e4], None)?;
/// builder.add_game(&start, [d4], Some(Color::White))?; // played only once
/// let book = builder.build();
/// let known: Vec<_> = book.moves(&start).map(|it| (it.mv, it.weight)).collect();
/// assert_eq!(known, [(e4, 3)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BookBuilder {
    pub(super) tallies: TallyTable,
    points: Points,
    max_ply: usize,
    min_games: u32,
    min_score: u8,
}

impl BookBuilder {
    /// A builder without moves that takes the first 40 plies of every game and keeps every move.
    #[must_use]
    pub fn new() -> BookBuilder {
        BookBuilder {
            tallies: TallyTable::default(),
            points: Points::default(),
            max_ply: 40,
            min_games: 1,
            min_score: 0,
        }
    }

    /// Sets the points for the games that are added from now on.
    #[must_use]
    pub fn points(self, points: Points) -> BookBuilder {
        BookBuilder { points, ..self }
    }

    /// Takes at most this many plies from the start of every game that is added from now on.
    #[must_use]
    pub fn max_ply(self, max_ply: usize) -> BookBuilder {
        BookBuilder { max_ply, ..self }
    }

    /// Leaves out moves that were played less often.
    #[must_use]
    pub fn min_games(self, min_games: u32) -> BookBuilder {
        BookBuilder { min_games, ..self }
    }

    /// Leaves out moves that scored less, in percent of the most points they could have got. A move without
    /// any points stays at zero percent: the book then knows it, but never chooses it.
    #[must_use]
    pub fn min_score(self, percent: u8) -> BookBuilder {
        BookBuilder { min_score: percent, ..self }
    }

    /// Adds one move with its points, as of one game.
    pub fn add(&mut self, position: &Position, mv: Move, points: u32) -> Result<(), IllegalMove> {
        position.clone().play(mv)?;
        self.count(position.key(), PackedMove::new(mv), points);
        Ok(())
    }

    /// Adds the first moves of a game that this side has won; `None` is a draw. If one of them is illegal,
    /// nothing is added.
    pub fn add_game(
        &mut self,
        start: &Position,
        moves: impl IntoIterator<Item = Move>,
        winner: Option<Color>,
    ) -> Result<(), IllegalMove> {
        let mut position = *start;
        let mut line = Vec::new();
        for mv in moves.into_iter().take(self.max_ply) {
            let points = self.points.of(position.side_to_move(), winner);
            line.push((position.key(), PackedMove::new(mv), points));
            position.play(mv)?;
        }
        for (key, mv, points) in line {
            self.count(key, mv, points);
        }
        Ok(())
    }

    fn count(&mut self, key: u64, mv: PackedMove, points: u32) {
        let tally = Tally { key, mv, games: 1, points: u64::from(points) };
        let is_added = self.tallies.add(&tally, usize::MAX);
        debug_assert!(is_added, "a table without a bound grows");
    }

    pub(super) fn keeps(&self, tally: &Tally) -> bool {
        let possible = u128::from(tally.games) * u128::from(self.points.most());
        tally.games >= self.min_games
            && u128::from(tally.points) * 100 >= possible * u128::from(self.min_score)
    }

    /// The book of the moves that are good enough, the heaviest first in every position. Where points exceed
    /// 16 bits, all weights of the position shrink together.
    #[must_use]
    pub fn build(&self) -> Book {
        let kept = self.tallies.iter().filter(|tally| self.keeps(tally));
        let moves = kept.map(|it| Weighed { key: it.key, mv: it.mv, weight: it.points, learn: 0 });
        pack(moves.collect())
    }

    /// The same builder in bounded memory, for more games than fit: `memory` bytes, and 4 MiB for buffers. `new_storage`
    /// makes temporary storage, for example a file, for moves that do not fit.
    pub fn bounded<S, F>(self, memory: usize, new_storage: F) -> BoundedBuilder<S, F>
    where
        S: Read + Write + Seek,
        F: FnMut() -> io::Result<S>,
    {
        BoundedBuilder::new(self, memory, new_storage)
    }
}

impl Default for BookBuilder {
    fn default() -> BookBuilder {
        BookBuilder::new()
    }
}

/// One book of the records of two.
pub(super) fn merge(first: &[Entry], second: &[Entry]) -> Book {
    let widen =
        |&Entry { key, mv, weight, learn }: &Entry| Weighed { key, mv, weight: u64::from(weight), learn };
    let mut moves: Vec<Weighed> = first.iter().chain(second).map(widen).collect();
    moves.sort_by_key(|it| (it.key, it.mv)); // stable: the first book's comes first
    moves.dedup_by(|again, it| {
        let same = (again.key, again.mv) == (it.key, it.mv);
        if same {
            it.weight += again.weight;
            it.learn = if it.learn == 0 { again.learn } else { it.learn };
        }
        same
    });
    pack(moves)
}

/// Sorts the records, the heaviest first in every position, and fits their weights into 16 bits.
fn pack(mut moves: Vec<Weighed>) -> Book {
    moves.sort_unstable_by_key(|it| it.key);
    let mut entries = Vec::with_capacity(moves.len());
    for of_position in moves.chunk_by_mut(|a, b| a.key == b.key) {
        weigh(of_position, |entry| entries.push(entry));
    }
    Book::new(entries)
}
