//! Moves from the embedded opening book.

use std::collections::HashMap;

use ferz_board::{Move, Position};
use ferz_notation::polyglot::{Book, BookMove, Variety};

use super::level::BookHabit;

/// Chooses moves from the embedded book, and learns which it has played: a move that was played before in this session
/// counts for less, so that the next game is different.
#[derive(Debug, Default)]
pub(super) struct BookMemory {
    /// How often each move was chosen. Only moves of the book get here.
    played: HashMap<(u64, Move), u16>,
}

impl BookMemory {
    /// A move for this position, if a player with this habit still follows the book.
    pub(super) fn choose(&mut self, position: &Position, habit: BookHabit, random: u64) -> Option<Move> {
        if position.fullmove_number() > habit.moves {
            return None;
        }
        let key = position.key();
        let tired = |it: BookMove| {
            let times = self.played.get(&(key, it.mv)).copied().unwrap_or(0);
            // What weighs anything keeps some weight.
            let weight = (it.weight / times.saturating_add(1)).max(it.weight.min(1));
            BookMove { weight, ..it }
        };
        let moves: Vec<BookMove> = Book::embedded().moves(position).map(tired).collect();
        let chosen = Variety::new(habit.variety).choose(&moves, random)?.mv;
        let times = self.played.entry((key, chosen)).or_default();
        *times = times.saturating_add(1);
        Some(chosen)
    }
}
