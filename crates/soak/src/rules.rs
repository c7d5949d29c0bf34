//! The rules of chess by shakmaty, which judges every move, line and position of Ferz.

use std::fmt;

use anyhow::{Context, Result, ensure};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, PositionError};

/// A position that Ferz has accepted: the material may be unusual, but the kings are safe.
pub(crate) fn parse_fen(fen: &str) -> Result<Chess> {
    let parsed: Fen = fen.parse().with_context(|| format!("invalid FEN: {fen}"))?;
    parsed
        .into_position(CastlingMode::Chess960)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .with_context(|| format!("illegal position: {fen}"))
}

pub(crate) fn write_fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// A legal move. Castling may be written as the king's step or as king takes rook.
pub(crate) fn legal_move(position: &Chess, text: &str) -> Result<Move> {
    let described = || format!("{text} in {}", write_fen(position));
    let written: UciMove = text.parse().with_context(described)?;
    // From unusual squares, shakmaty takes the king's step for a king move.
    let is_step = |mv: &Move| mv.is_castle() && mv.to_uci(CastlingMode::Standard) == written;
    let castling = || position.legal_moves().into_iter().find(is_step);
    written.to_move(position).or_else(|error| castling().ok_or(error)).with_context(described)
}

/// The position after these moves.
pub(crate) fn play_moves<'a>(position: &Chess, moves: impl IntoIterator<Item = &'a str>) -> Result<Chess> {
    let mut position = position.clone();
    for text in moves {
        position.play_unchecked(legal_move(&position, text)?);
    }
    Ok(position)
}

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GameEnd {
    Checkmate,
    Stalemate,
    DeadPosition,
    Repetition,
    MoveRule,
}

/// A position with all that repetitions depend on.
#[derive(Clone, Debug)]
pub(crate) struct GameReferee {
    pub(crate) position: Chess,
    /// How castling is written.
    castling: CastlingMode,
    /// The keys of all positions so far.
    keys: Vec<u64>,
}

impl GameReferee {
    fn new(fen: &str, is_chess960: bool) -> Result<GameReferee> {
        let position = parse_fen(fen)?;
        let castling = if is_chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        Ok(GameReferee { keys: vec![key(&position)], position, castling })
    }

    /// Plays a move, which must be legal and written in the right style.
    pub(crate) fn play(&mut self, text: &str) -> Result<()> {
        let mv = legal_move(&self.position, text)?;
        let written = mv.to_uci(self.castling).to_string();
        ensure!(written == text, "{text} should be written {written}");
        self.position.play_unchecked(mv);
        self.keys.push(key(&self.position));
        Ok(())
    }

    pub(crate) fn legal_moves(&self) -> Vec<String> {
        let moves = self.position.legal_moves();
        moves.into_iter().map(|mv| mv.to_uci(self.castling).to_string()).collect()
    }

    /// Whether the game is over. Without claims, only a fivefold repetition and 75 moves are draws.
    pub(crate) fn end(&self, claims: bool) -> Option<GameEnd> {
        let (plies, times) = if claims { (100, 3) } else { (150, 5) };
        if self.position.legal_moves().is_empty() {
            return Some(if self.position.is_check() { GameEnd::Checkmate } else { GameEnd::Stalemate });
        }
        if self.position.is_insufficient_material() {
            return Some(GameEnd::DeadPosition);
        }
        if self.position.halfmoves() >= plies {
            return Some(GameEnd::MoveRule);
        }
        let last = self.keys.last();
        (self.keys.iter().filter(|&it| Some(it) == last).count() >= times).then_some(GameEnd::Repetition)
    }
}

fn key(position: &Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

/// A game in progress.
#[derive(Clone, Debug)]
pub(crate) struct GameRecord {
    pub(crate) start: String,
    pub(crate) is_chess960: bool,
    pub(crate) moves: Vec<String>,
    pub(crate) referee: GameReferee,
}

impl GameRecord {
    pub(crate) fn new(start: String, is_chess960: bool) -> Result<GameRecord> {
        let referee = GameReferee::new(&start, is_chess960)?;
        Ok(GameRecord { start, is_chess960, moves: Vec::new(), referee })
    }

    /// The side to move: 0 for White.
    pub(crate) fn side(&self) -> usize {
        usize::from(self.referee.position.turn().is_black())
    }

    pub(crate) fn play(&mut self, text: &str) -> Result<()> {
        self.referee.play(text)?;
        self.moves.push(text.to_owned());
        Ok(())
    }
}

/// A UCI `position` command, with which the game can be repeated.
impl fmt::Display for GameRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "position fen {}", self.start)?;
        if !self.moves.is_empty() {
            write!(f, " moves {}", self.moves.join(" "))?;
        }
        Ok(())
    }
}
