//! The levels of the engine as an opponent.

use std::time::Duration;

use ferz_search::{Limits, SearchOptions, TimeControl};

use crate::protocol::LevelEntry;

/// A playing strength with a name.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Level {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// `None` is full strength.
    pub(crate) elo: Option<u32>,
    text: &'static str,
    /// How the opening is played if the game uses the book.
    pub(crate) book: BookHabit,
    /// Whether it does unless the user says otherwise.
    pub(crate) uses_book: bool,
}

/// How a player uses the opening book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BookHabit {
    /// Up to this move number.
    pub(crate) moves: u32,
    /// See [`Variety`](ferz_notation::polyglot::Variety).
    pub(crate) variety: u8,
}

const fn level(
    id: &'static str,
    name: &'static str,
    elo: u32,
    moves: u32,
    variety: u8,
    text: &'static str,
) -> Level {
    let book = BookHabit { moves, variety };
    Level { id, name, elo: Some(elo), text, book, uses_book: elo <= STRONGEST_WITH_BOOK }
}

/// Stronger levels think for themselves from the first move on, unless the user wants it otherwise.
const STRONGEST_WITH_BOOK: u32 = 2000;

/// From the weakest to the strongest. Weak players know few moves of an opening and try anything.
pub(crate) static LEVELS: [Level; 12] = [
    level("newcomer", "Newcomer", 200, 2, 100, "has just learnt how the pieces move"),
    level("beginner", "Beginner", 500, 2, 100, "often leaves pieces to be taken"),
    level("casual", "Casual", 800, 3, 100, "sees simple captures, forgets the quiet moves"),
    level("learner", "Learner", 1100, 4, 90, "avoids the worst blunders"),
    level("club", "Club player", 1400, 5, 80, "punishes loose pieces"),
    level("strong_club", "Strong club player", 1700, 6, 70, "calculates short combinations"),
    level("expert", "Expert", 2000, 8, 60, "rarely gives anything away"),
    level("candidate", "Candidate master", 2200, 10, 50, "sees most tactics"),
    level("master", "Master", 2400, 12, 50, "hardly errs"),
    level("grandmaster", "Grandmaster", 2600, 16, 50, "errs by small amounts only"),
    level("champion", "World champion", 2800, 20, 50, "the best that a human can do"),
    Level {
        id: "full",
        name: "Full strength",
        elo: None,
        text: "everything the engine can do",
        book: BookHabit { moves: u32::MAX, variety: 50 },
        uses_book: false,
    },
];

/// The time for a move without a clock.
const WITHOUT_CLOCK: Duration = Duration::from_secs(2);
/// The longest time for a move with a clock.
const LONGEST: Duration = Duration::from_secs(60);

impl Level {
    /// The level with this id.
    pub(crate) fn find(id: &str) -> Option<&'static Level> {
        LEVELS.iter().find(|level| level.id == id)
    }

    /// The engine's name in the tags of a game.
    pub(crate) fn player_name(&self) -> String {
        match self.elo {
            Some(elo) => format!("Ferz ({}, {elo})", self.name),
            None => format!("Ferz ({})", self.name.to_lowercase()),
        }
    }

    /// The limits of a search for a move.
    pub(crate) fn limits(&self, clock: Option<TimeControl>) -> Limits {
        let move_time = if clock.is_some() { LONGEST } else { WITHOUT_CLOCK };
        let mut limits = Limits::default().move_time(move_time);
        limits.time_control = clock;
        limits
    }

    /// The options of that search.
    pub(crate) fn options(&self) -> SearchOptions {
        let mut options = SearchOptions::default();
        options.elo = self.elo;
        options
    }
}

impl From<&Level> for LevelEntry {
    fn from(level: &Level) -> LevelEntry {
        LevelEntry { id: level.id, name: level.name, elo: level.elo, text: level.text }
    }
}

#[cfg(test)]
mod tests {
    use ferz_search::Engine;

    use super::*;

    #[test]
    fn levels_go_up_and_end_with_full_strength() {
        let elos: Vec<_> = LEVELS.iter().map(|level| level.elo.unwrap_or(u32::MAX)).collect();
        assert!(elos.is_sorted() && elos.last() == Some(&u32::MAX));
        assert!(LEVELS.iter().filter_map(|level| level.elo).all(|elo| Engine::ELO.contains(&elo)));
        assert!(LEVELS.iter().all(|level| Level::find(level.id) == Some(level)));
    }
}
