//! A game: a position and its history.

use alloc::vec::Vec;
use core::iter::FusedIterator;
use core::slice;

use crate::{
    DeadPositionSearch, DeadPositionVerdict, DrawClaim, DrawReason, IllegalMove, Move, Outcome, Position,
    UciError, Undo,
};

/// A position with its history: moves can be taken back, and repetitions are counted.
///
/// ```
/// use ferz_board::{DrawClaim, Game};
///
/// let mut game = Game::default();
/// for text in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"] {
///     game.play_uci(text)?;
/// }
/// assert_eq!(game.repetitions(), 2);
/// assert!(!game.can_claim(DrawClaim::ThreefoldRepetition));
/// // Black may claim before playing the move that repeats:
/// let back = game.position().parse_uci("f6g8")?;
/// assert!(game.can_claim_with(back, DrawClaim::ThreefoldRepetition));
/// game.play(back)?;
/// assert_eq!(game.repetitions(), 3);
/// assert!(game.can_claim(DrawClaim::ThreefoldRepetition));
/// assert_eq!(game.outcome(), None); // a draw only if it is claimed
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    position: Position,
    start: Position,
    played: Vec<Undo>,
    /// Of every position from the start to the present one.
    seen: Vec<Seen>,
}

/// A position that stood on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Seen {
    repetition_key: u64,
    /// How often it had occurred by then.
    times: u32,
}

impl Game {
    /// A game that starts here.
    #[must_use]
    pub fn new(start: Position) -> Game {
        let first = Seen { repetition_key: start.repetition_key(), times: 1 };
        Game { position: start, start, played: Vec::new(), seen: Vec::from([first]) }
    }

    /// The position on the board.
    #[inline]
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The position the game started from.
    #[inline]
    #[must_use]
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// The number of moves played, of both sides together.
    #[inline]
    #[must_use]
    pub fn ply(&self) -> usize {
        self.played.len()
    }

    /// The moves played.
    #[must_use]
    pub fn moves(&self) -> GameMoves<'_> {
        GameMoves(self.played.iter())
    }

    /// The repetition keys of all positions from the start to the present one.
    #[must_use]
    pub fn repetition_keys(&self) -> RepetitionKeys<'_> {
        RepetitionKeys(self.seen.iter())
    }

    /// Plays a move if it is legal.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.position.is_legal(mv) {
            return Err(IllegalMove { mv });
        }
        self.play_legal(mv);
        Ok(())
    }

    /// Plays a move in UCI notation, as [`Position::parse_uci`] reads it, and returns it.
    pub fn play_uci(&mut self, text: &str) -> Result<Move, UciError> {
        let mv = self.position.parse_uci(text)?;
        self.play_legal(mv);
        Ok(mv)
    }

    fn play_legal(&mut self, mv: Move) {
        self.played.push(self.position.make(mv, &mut ()));
        let seen = self.look_back(&self.position);
        self.seen.push(seen);
    }

    /// Takes the last move back; `None` at the start.
    #[doc(alias = "pop")]
    #[doc(alias = "unmake")]
    pub fn undo(&mut self) -> Option<Move> {
        let undo = self.played.pop()?;
        self.seen.pop();
        self.position.unmake(undo, &mut ());
        Some(undo.mv())
    }

    /// How often a position will have occurred if it comes next. Only positions since the last capture or pawn
    /// move, with the same side to move, can be the same; the nearest of them knows the earlier ones.
    fn look_back(&self, next: &Position) -> Seen {
        let repetition_key = next.repetition_key();
        let reversible = (next.halfmove_clock() as usize).min(self.seen.len());
        let candidates = self.seen[self.seen.len() - reversible..].iter().rev().skip(1).step_by(2);
        let times = candidates
            .into_iter()
            .find(|earlier| earlier.repetition_key == repetition_key)
            .map_or(1, |earlier| earlier.times + 1);
        Seen { repetition_key, times }
    }

    /// How often the present position has occurred, this time included.
    #[inline]
    #[must_use]
    pub fn repetitions(&self) -> u32 {
        self.seen.last().map_or(1, |seen| seen.times)
    }

    /// Whether the side to move may claim a draw for the position on the board.
    #[must_use]
    pub fn can_claim(&self, claim: DrawClaim) -> bool {
        match claim {
            DrawClaim::ThreefoldRepetition => self.repetitions() >= 3 && self.position.has_legal_moves(),
            DrawClaim::FiftyMoves => self.position.can_claim_fifty_moves(),
        }
    }

    /// Whether the side to move may claim a draw by announcing this move without playing it.
    #[must_use]
    pub fn can_claim_with(&self, mv: Move, claim: DrawClaim) -> bool {
        let mut next = self.position;
        if next.play(mv).is_err() {
            return false;
        }
        match claim {
            DrawClaim::ThreefoldRepetition => self.look_back(&next).times >= 3,
            DrawClaim::FiftyMoves => next.can_claim_fifty_moves(),
        }
    }

    /// The end of the game by the rules alone; `None` while it goes on, even if a draw could be claimed.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        match self.position.outcome() {
            None | Some(Outcome::Draw(DrawReason::SeventyFiveMoves)) if self.repetitions() >= 5 => {
                Some(Outcome::Draw(DrawReason::FivefoldRepetition))
            }
            outcome => outcome,
        }
    }

    /// The same, and a draw if the search proves that the position is dead.
    ///
    /// ```
    /// use ferz_board::{DeadPositionSearch, DrawReason, Game, Outcome, Position};
    /// let game = Game::new(Position::from_fen("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1")?);
    /// assert_eq!(game.outcome(), None);
    /// let outcome = game.outcome_with(&mut DeadPositionSearch::new());
    /// assert_eq!(outcome, Some(Outcome::Draw(DrawReason::DeadPosition)));
    /// # Ok::<(), ferz_board::FenError>(())
    /// ```
    #[must_use]
    pub fn outcome_with(&self, search: &mut DeadPositionSearch) -> Option<Outcome> {
        self.outcome().or_else(|| {
            let dead = search.verdict(&self.position) == DeadPositionVerdict::Dead;
            dead.then_some(Outcome::Draw(DrawReason::DeadPosition))
        })
    }
}

impl Default for Game {
    fn default() -> Game {
        Game::new(Position::start())
    }
}

impl From<Position> for Game {
    fn from(start: Position) -> Game {
        Game::new(start)
    }
}

macro_rules! history {
    ($(#[$meta:meta])* $name:ident over $entry:ident: $item:ty = $get:expr) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name<'a>(slice::Iter<'a, $entry>);

        impl Iterator for $name<'_> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                self.0.next().map($get)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl DoubleEndedIterator for $name<'_> {
            #[inline]
            fn next_back(&mut self) -> Option<$item> {
                self.0.next_back().map($get)
            }
        }

        impl ExactSizeIterator for $name<'_> {}
        impl FusedIterator for $name<'_> {}
    };
}

history! {
    /// The moves of a [`Game`]; made by [`Game::moves`].
    GameMoves over Undo: Move = Undo::mv
}

history! {
    /// The repetition keys of a [`Game`]; made by [`Game::repetition_keys`].
    RepetitionKeys over Seen: u64 = |seen| seen.repetition_key
}
