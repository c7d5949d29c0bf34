//! The strengths one can play against.

use std::time::Duration;

use ferz_search::{Limits, SearchOptions, TimeControl};

use crate::protocol::LevelEntry;

/// A strength with a name.
#[derive(PartialEq, Eq, Debug)]
pub struct Level {
    pub id: &'static str,
    pub name: &'static str,
    /// `None` is full strength.
    pub elo: Option<u32>,
    text: &'static str,
}

const fn level(id: &'static str, name: &'static str, elo: u32, text: &'static str) -> Level {
    Level { id, name, elo: Some(elo), text }
}

/// From the weakest to the strongest.
pub static LEVELS: [Level; 10] = [
    level("beginner", "Beginner", 1000, "knows the rules and overlooks much"),
    level("casual", "Casual", 1200, "sees simple captures, forgets the quiet moves"),
    level("learner", "Learner", 1400, "avoids the worst blunders"),
    level("club", "Club player", 1600, "punishes loose pieces"),
    level("strong_club", "Strong club player", 1800, "calculates short combinations"),
    level("expert", "Expert", 2000, "rarely gives anything away"),
    level("candidate", "Candidate master", 2200, "sees most tactics"),
    level("master", "Master", 2400, "hardly errs"),
    level("grandmaster", "Grandmaster", 2600, "errs by small amounts only"),
    Level { id: "full", name: "Full strength", elo: None, text: "everything the engine can do" },
];

/// What full strength gets for a move without a clock.
const WITHOUT_CLOCK: Duration = Duration::from_secs(2);
/// No move takes longer, whatever the clock says.
const LONGEST: Duration = Duration::from_secs(60);

impl Level {
    /// The level of this id.
    pub fn find(id: &str) -> Option<&'static Level> {
        LEVELS.iter().find(|level| level.id == id)
    }

    /// What the engine's name is at this level.
    pub fn player_name(&self) -> String {
        match self.elo {
            Some(elo) => format!("Ferz ({}, {elo})", self.name),
            None => format!("Ferz ({})", self.name.to_lowercase()),
        }
    }

    /// How far a move is searched.
    pub fn limits(&self, clock: Option<TimeControl>) -> Limits {
        let move_time = if clock.is_some() { LONGEST } else { WITHOUT_CLOCK };
        Limits { time_control: clock, move_time: Some(move_time), ..Limits::default() }
    }

    /// How it is searched.
    pub fn options(&self) -> SearchOptions {
        SearchOptions { elo: self.elo, ..SearchOptions::default() }
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
