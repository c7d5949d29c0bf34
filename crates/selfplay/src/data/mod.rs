//! Files of self-play games, and training records.
//!
//! There are two formats. A [`game_file`] is written while games are played: games are appended, each on its own. A
//! [`pack`] is for archiving: blocks of games, entropy-coded. Both start with a [`header`] that names the origin of the
//! games, both are checksummed, and [`source`] reads both. [`training`] turns games into the records of the trainer.

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
pub mod temporary;
#[cfg(test)]
mod testing;
pub mod training;

use std::fmt;

use ferz_board::{Color, DrawClaim, DrawReason, Game, Move, Outcome, Position};

/// A game with the scores of its players.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScoredGame {
    /// The start position, after the random opening moves.
    pub start: Position,
    /// The moves, all legal.
    pub plies: Vec<Ply>,
    /// The result.
    pub result: FinalResult,
    /// How the game ended.
    pub ending: GameEnding,
}

impl ScoredGame {
    /// The longest game.
    pub const MAX_PLIES: usize = 2048;

    /// The positions with the moves played in them.
    pub fn positions(&self) -> impl Iterator<Item = (Position, Ply)> {
        let mut next = self.start;
        self.plies.iter().map(move |&ply| {
            let position = next;
            next.play_unchecked(ply.mv);
            (position, ply)
        })
    }
}

/// The plies before this position, if the game started at move 1.
pub fn ply_of(position: &Position) -> u32 {
    2 * (position.fullmove_number() - 1) + u32::from(position.side_to_move() == Color::Black)
}

/// Whether a move captures or promotes, so that a static evaluation before it means little.
pub fn is_tactical(position: &Position, mv: Move) -> bool {
    position.captured(mv).is_some() || mv.promotion().is_some()
}

/// A move and the score of the position before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// From White's point of view.
    pub score: GameScore,
}

/// A score in the unit that the [header](header::ScoreUnit) names. Above 29999 it is a mate; a shorter mate is higher.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GameScore(pub i16);

impl GameScore {
    /// Scores from here on are mates.
    const LEAST_MATE: i32 = 30_000;
    /// Mate on the board.
    const MATE: i32 = 32_000;

    /// A value of the search, from the same point of view. Values of the search keep mates above 31,000.
    pub fn from_value(value: i32) -> GameScore {
        GameScore(value.clamp(-GameScore::MATE, GameScore::MATE) as i16)
    }

    /// A mate after this many plies, seen by the side that gives it.
    pub fn from_mate(plies: u32) -> GameScore {
        let longest = (GameScore::MATE - GameScore::LEAST_MATE) as u32;
        GameScore((GameScore::MATE - plies.min(longest) as i32) as i16)
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

    /// Whether it is a mate score.
    pub fn is_mate(self) -> bool {
        self.magnitude() >= GameScore::LEAST_MATE as u16
    }

    /// The score without its sign.
    pub fn magnitude(self) -> u16 {
        self.0.unsigned_abs()
    }
}

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FinalResult {
    /// Black won.
    BlackWins = 0,
    /// A draw.
    Draw = 1,
    /// White won.
    WhiteWins = 2,
}

impl FinalResult {
    /// All of them.
    pub const ALL: [FinalResult; 3] = [FinalResult::BlackWins, FinalResult::Draw, FinalResult::WhiteWins];

    /// A win for this colour.
    pub fn win_of(color: Color) -> FinalResult {
        match color {
            Color::White => FinalResult::WhiteWins,
            Color::Black => FinalResult::BlackWins,
        }
    }

    /// 0 for a loss, 1 for a draw and 2 for a win of this colour.
    pub fn points_of(self, color: Color) -> u8 {
        match color {
            Color::White => self as u8,
            Color::Black => 2 - self as u8,
        }
    }
}

impl From<Outcome> for FinalResult {
    fn from(outcome: Outcome) -> FinalResult {
        outcome.winner().map_or(FinalResult::Draw, FinalResult::win_of)
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameEnding {
    /// Checkmate.
    Mate = 0,
    /// Stalemate.
    Stalemate = 1,
    /// Too little material to mate.
    Material = 2,
    /// A threefold repetition.
    Repetition = 3,
    /// Fifty moves without a capture or pawn move.
    FiftyMoves = 4,
    /// Adjudicated as a win: the scores of both players agreed for some moves, or one found a mate.
    WonByScore = 5,
    /// Adjudicated as a draw: the scores of both players were small for some moves.
    DrawnByScore = 6,
    /// The game reached the maximum length.
    Length = 7,
    /// Adjudicated by endgame tables.
    Tables = 8,
}

impl GameEnding {
    /// All of them.
    pub const ALL: [GameEnding; 9] = [
        GameEnding::Mate,
        GameEnding::Stalemate,
        GameEnding::Material,
        GameEnding::Repetition,
        GameEnding::FiftyMoves,
        GameEnding::WonByScore,
        GameEnding::DrawnByScore,
        GameEnding::Length,
        GameEnding::Tables,
    ];

    /// The end of a game by the rules; `None` if it goes on. Draws are claimed at once.
    #[must_use]
    pub fn by_rules(game: &Game) -> Option<(FinalResult, GameEnding)> {
        if let Some(outcome) = game.outcome() {
            let ending = match outcome {
                Outcome::Checkmate { .. } => GameEnding::Mate,
                Outcome::Draw(DrawReason::Stalemate) => GameEnding::Stalemate,
                Outcome::Draw(DrawReason::InsufficientMaterial) => GameEnding::Material,
                Outcome::Draw(DrawReason::FivefoldRepetition) => GameEnding::Repetition,
                Outcome::Draw(DrawReason::SeventyFiveMoves) => GameEnding::FiftyMoves,
                other => unreachable!("{other}: a new end of games needs a number in the files"),
            };
            return Some((outcome.into(), ending));
        }
        if game.can_claim(DrawClaim::ThreefoldRepetition) {
            return Some((FinalResult::Draw, GameEnding::Repetition));
        }
        game.can_claim(DrawClaim::FiftyMoves).then_some((FinalResult::Draw, GameEnding::FiftyMoves))
    }
}

impl fmt::Display for GameEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            GameEnding::Mate => "mate",
            GameEnding::Stalemate => "stalemate",
            GameEnding::Material => "insufficient material",
            GameEnding::Repetition => "repetition",
            GameEnding::FiftyMoves => "50 moves",
            GameEnding::WonByScore => "won by score",
            GameEnding::DrawnByScore => "drawn by score",
            GameEnding::Length => "length",
            GameEnding::Tables => "endgame tables",
        })
    }
}

/// Result and ending in a byte: the result in the low two bits, the ending above.
fn verdict_byte(result: FinalResult, ending: GameEnding) -> u8 {
    result as u8 | (ending as u8) << 2
}

fn verdict(byte: u8) -> Option<(FinalResult, GameEnding)> {
    let result = FinalResult::ALL.get(usize::from(byte & 3))?;
    let ending = GameEnding::ALL.get(usize::from(byte >> 2))?;
    Some((*result, *ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_stay_apart_from_evaluations() {
        let mate = |plies: i32| GameScore::from_value(32_000 - plies);
        assert!(mate(1) > mate(3) && mate(240).is_mate());
        assert_eq!(GameScore::from_mate(7), mate(7));
        assert!(GameScore::from_mate(u32::MAX).is_mate());
        let huge = GameScore::from_evaluation(99_999);
        assert!(!huge.is_mate() && huge < mate(240));
        assert_eq!(mate(5).relative_to(Color::Black), GameScore::from_value(5 - 32_000));
    }

    #[test]
    fn verdicts_are_bytes() {
        for result in FinalResult::ALL {
            for ending in GameEnding::ALL {
                assert_eq!(verdict(verdict_byte(result, ending)), Some((result, ending)));
            }
        }
        let beyond = 4 * GameEnding::ALL.len() as u8;
        assert_eq!((verdict(3), verdict(beyond)), (None, None));
    }
}
