//! The first moves of a game.

use ferz_board::{Move, Position};
use ferz_notation::polyglot::PackedMove;

use super::MAX_PLIES;

/// The move of the record that counts the games that end in a position, or are not followed further.
pub(super) const END: u16 = 0;

/// The first moves of a game, each with the key of its position.
#[derive(Clone, Default, Debug)]
pub struct OpeningLine {
    /// Each position once: a game counts at its first visit.
    moves: Vec<(u64, u16)>,
    last: Option<u64>,
    plies: usize,
}

impl OpeningLine {
    /// An empty line.
    #[must_use]
    pub fn new() -> OpeningLine {
        OpeningLine::default()
    }

    /// Forgets the moves, to begin with a new game.
    pub fn clear(&mut self) {
        self.moves.clear();
        self.last = None;
        self.plies = 0;
    }

    /// Adds a move. Returns whether the next one is wanted.
    pub fn play(&mut self, before: &Position, mv: Move, after: &Position) -> bool {
        self.play_keys(before.repetition_key(), mv, after.repetition_key())
    }

    /// The same with the keys of the positions before and after it.
    pub(super) fn play_keys(&mut self, before: u64, mv: Move, after: u64) -> bool {
        if self.plies >= MAX_PLIES {
            return false;
        }
        self.add(before, PackedMove::new(mv).bits());
        self.last = Some(after);
        self.plies += 1;
        self.plies < MAX_PLIES
    }

    fn add(&mut self, key: u64, mv: u16) {
        if self.moves.iter().all(|&(known, _)| known != key) {
            self.moves.push((key, mv));
        }
    }

    /// The moves, and the end in the last position. Nothing for a game without moves.
    pub(super) fn records(&self) -> impl Iterator<Item = (u64, u16)> {
        let end = self.last.filter(|&last| self.moves.iter().all(|&(key, _)| key != last));
        self.moves.iter().copied().chain(end.map(|key| (key, END)))
    }
}
