//! Games of the engine against itself, as training needs them.
//!
//! There are two formats for the same games. A [`game_file`] is written while games are played: it only grows, and
//! every game stands for itself. A [`pack`] is for keeping: blocks of games, entropy-coded. Both begin with a
//! [`header`] that says where the games come from, everything in them is checksummed, and [`source`] reads either.
//! From games [`training`] makes the positions a trainer reads.

mod checksum;
mod coder;
pub mod game_file;
pub mod header;
mod model;
mod move_order;
pub mod pack;
mod packed_position;
pub mod shuffle;
pub mod source;
#[cfg(test)]
mod testing;
pub mod training;

use std::fmt;

use ferz_board::{Color, Move, Outcome, Position};

/// A game, and what its players thought of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScoredGame {
    /// Where it starts; what led there was not played by anyone who thought.
    pub start: Position,
    /// All legal, one after the other.
    pub plies: Vec<Ply>,
    /// Who won.
    pub result: GameResult,
    /// Why the game was over.
    pub ending: Ending,
}

impl ScoredGame {
    /// No game is longer.
    pub const MAX_PLIES: usize = 2048;

    /// The positions in which someone had to move, with the moves.
    pub fn positions(&self) -> impl Iterator<Item = (Position, Ply)> {
        let mut next = self.start;
        self.plies.iter().map(move |&ply| {
            let position = next;
            next.play_unchecked(ply.mv);
            (position, ply)
        })
    }
}

/// How many plies were played before this position, if the game began at move 1.
pub fn ply_of(position: &Position) -> u32 {
    2 * (position.fullmove_number() - 1) + u32::from(position.side_to_move() == Color::Black)
}

/// Whether a move changes the material: evaluations of the position before say little then.
pub fn is_tactical(position: &Position, mv: Move) -> bool {
    position.captured(mv).is_some() || mv.promotion().is_some()
}

/// A move and what the player who played it thought of the position before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// From White's point of view.
    pub score: GameScore,
}

/// What a position is worth, in the unit that the [header](header::ScoreUnit) names; beyond 29999 a mate, the nearer
/// the higher.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GameScore(pub i16);

impl GameScore {
    /// From here on scores are mates.
    const LEAST_MATE: i32 = 30_000;

    /// A value of the search, from the same point of view. Values of the search keep mates above 31,000.
    pub fn from_value(value: i32) -> GameScore {
        GameScore(value.clamp(-32_000, 32_000) as i16)
    }

    /// An evaluation, which is never taken for a mate.
    pub fn from_evaluation(value: i32) -> GameScore {
        GameScore(value.clamp(1 - GameScore::LEAST_MATE, GameScore::LEAST_MATE - 1) as i16)
    }

    /// White's score as this colour sees it, and the other way round.
    pub fn relative_to(self, color: Color) -> GameScore {
        match color {
            Color::White => self,
            Color::Black => GameScore(self.0.saturating_neg()),
        }
    }

    /// Whether someone mates by force.
    pub fn is_mate(self) -> bool {
        self.magnitude() >= GameScore::LEAST_MATE as u16
    }

    /// The score without its sign.
    pub fn magnitude(self) -> u16 {
        self.0.unsigned_abs()
    }
}

/// Who won.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameResult {
    /// Black won.
    BlackWins = 0,
    /// Nobody won.
    Draw = 1,
    /// White won.
    WhiteWins = 2,
}

impl GameResult {
    /// All of them.
    pub const ALL: [GameResult; 3] = [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins];

    /// A win for this colour.
    pub fn win_of(color: Color) -> GameResult {
        match color {
            Color::White => GameResult::WhiteWins,
            Color::Black => GameResult::BlackWins,
        }
    }

    /// 0 a loss, 1 a draw, 2 a win of this colour.
    pub fn points_of(self, color: Color) -> u8 {
        match color {
            Color::White => self as u8,
            Color::Black => 2 - self as u8,
        }
    }
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> GameResult {
        outcome.winner().map_or(GameResult::Draw, GameResult::win_of)
    }
}

/// Why a game was over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Checkmate.
    Mate = 0,
    /// It stalemates.
    Stalemate = 1,
    /// Too little material to mate.
    Material = 2,
    /// A threefold repetition.
    Repetition = 3,
    /// Fifty moves without a capture or pawn move.
    FiftyMoves = 4,
    /// The players agreed for some moves that one of them wins, or one saw a mate.
    WonByScore = 5,
    /// They agreed for some moves that nobody wins.
    DrawnByScore = 6,
    /// The game reached the longest length allowed.
    Length = 7,
}

impl Ending {
    /// All of them.
    pub const ALL: [Ending; 8] = [
        Ending::Mate,
        Ending::Stalemate,
        Ending::Material,
        Ending::Repetition,
        Ending::FiftyMoves,
        Ending::WonByScore,
        Ending::DrawnByScore,
        Ending::Length,
    ];
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Ending::Mate => "mate",
            Ending::Stalemate => "stalemate",
            Ending::Material => "insufficient material",
            Ending::Repetition => "repetition",
            Ending::FiftyMoves => "50 moves",
            Ending::WonByScore => "won by score",
            Ending::DrawnByScore => "drawn by score",
            Ending::Length => "length",
        })
    }
}

/// Result and ending in a byte: the result in the low two bits, the ending above.
fn verdict_byte(result: GameResult, ending: Ending) -> u8 {
    result as u8 | (ending as u8) << 2
}

fn verdict(byte: u8) -> Option<(GameResult, Ending)> {
    let result = GameResult::ALL.get(usize::from(byte & 3))?;
    let ending = Ending::ALL.get(usize::from(byte >> 2))?;
    Some((*result, *ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_stay_apart_from_evaluations() {
        let mate = |plies: i32| GameScore::from_value(32_000 - plies);
        assert!(mate(1) > mate(3) && mate(240).is_mate());
        let huge = GameScore::from_evaluation(99_999);
        assert!(!huge.is_mate() && huge < mate(240));
        assert_eq!(mate(5).relative_to(Color::Black), GameScore::from_value(5 - 32_000));
    }

    #[test]
    fn verdicts_are_bytes() {
        for result in GameResult::ALL {
            for ending in Ending::ALL {
                assert_eq!(verdict(verdict_byte(result, ending)), Some((result, ending)));
            }
        }
        assert_eq!((verdict(3), verdict(32)), (None, None));
    }
}
