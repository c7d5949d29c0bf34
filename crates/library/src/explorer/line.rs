//! The first moves of a game.

use ferz_board::{Move, Position};
use ferz_notation::polyglot::PackedMove;

use super::stats::PackedGame;
use super::{MAX_PLIES, varint};

/// The move of the record that counts the games that end in a position, or are not followed further.
pub(super) const END: u16 = 0;

/// The first moves of a game, each with the key of its position.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct OpeningLine {
    /// The first position as FEN; empty for the start position.
    start: String,
    moves: Vec<(u64, u16)>,
    last: Option<u64>,
}

impl OpeningLine {
    /// An empty line.
    #[must_use]
    pub fn new() -> OpeningLine {
        OpeningLine::default()
    }

    /// Forgets the moves, to begin with a new game.
    pub fn clear(&mut self) {
        self.start.clear();
        self.moves.clear();
        self.last = None;
    }

    /// Adds a move. Returns whether the next one is wanted.
    pub fn play(&mut self, before: &Position, mv: Move, after: &Position) -> bool {
        if self.moves.len() >= MAX_PLIES {
            return false;
        }
        if self.moves.is_empty() && !before.same_position(&Position::start()) {
            self.start = before.to_string();
        }
        self.moves.push((before.repetition_key(), PackedMove::new(mv).bits()));
        self.last = Some(after.repetition_key());
        self.moves.len() < MAX_PLIES
    }

    /// The moves, and the end in the last position. Each position once: a game counts at its first visit. Nothing for a
    /// game without moves.
    pub(super) fn records(&self) -> impl Iterator<Item = (u64, u16)> {
        let is_new = |number: usize, key| self.moves[..number].iter().all(|&(known, _)| known != key);
        let end = self.last.map(|last| (last, END));
        let all = self.moves.iter().copied().chain(end).enumerate();
        all.filter(move |&(number, (key, _))| is_new(number, key)).map(|(_, record)| record)
    }

    /// The line and its game in a few bytes: the packed game, the number of moves, the moves, the FEN.
    pub(super) fn pack(&self, game: PackedGame) -> Vec<u8> {
        let mut out = Vec::with_capacity(12 + 2 * self.moves.len() + self.start.len());
        varint::put(&mut out, game.0);
        varint::put(&mut out, self.moves.len() as u64);
        self.moves.iter().for_each(|(_, mv)| out.extend(mv.to_le_bytes()));
        out.extend(self.start.as_bytes());
        out
    }

    /// Plays the moves again; `None` if this is not a packed line.
    pub(super) fn unpack(mut bytes: &[u8]) -> Option<(PackedGame, OpeningLine)> {
        let game = PackedGame(varint::take(&mut bytes)?);
        let count = usize::try_from(varint::take(&mut bytes)?).ok().filter(|&count| count <= MAX_PLIES)?;
        let (moves, start) = bytes.split_at_checked(2 * count)?;
        let mut position = match start {
            [] => Position::start(),
            fen => str::from_utf8(fen).ok()?.parse().ok()?,
        };
        let mut line = OpeningLine::new();
        for &mv in moves.as_chunks().0 {
            let packed = PackedMove::from_bits(u16::from_le_bytes(mv));
            let &mv = position.legal_moves().iter().find(|&&mv| PackedMove::new(mv) == packed)?;
            let before = position;
            position.play_unchecked(mv);
            line.play(&before, mv, &position);
        }
        (line.moves.len() == count).then_some((game, line))
    }
}
