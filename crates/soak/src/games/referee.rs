//! Somebody else's rules of chess: shakmaty judges every move and every line.

use std::fmt;

use anyhow::{Context, Result, ensure};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

/// A game as the referee sees it.
#[derive(Clone, Debug)]
pub(super) struct Referee {
    position: Chess,
    /// How castling is written.
    castling: CastlingMode,
    /// What makes positions the same for the rule of repetition, for all of them so far.
    seen: Vec<u64>,
}

/// Why there is nothing left to play for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Mate,
    Stalemate,
    Dead,
    /// Three times, or five where nobody claims.
    Repetition,
    /// Fifty moves, or seventy-five where nobody claims.
    NoProgress,
}

/// When draws by repetition and lack of progress end a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Draws {
    /// At the third time and after fifty moves.
    Claimed,
    /// At the fifth time and after seventy-five moves.
    Automatic,
}

impl Referee {
    pub(super) fn new(fen: &str, is_chess960: bool) -> Result<Referee> {
        let parsed: shakmaty::fen::Fen = fen.parse().with_context(|| format!("not a FEN: {fen}"))?;
        let position: Chess = parsed.into_position(CastlingMode::Chess960)?;
        let castling = if is_chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        Ok(Referee { seen: vec![key(&position)], position, castling })
    }

    /// Plays a move, which must be legal and written as it should be.
    pub(super) fn play(&mut self, text: &str) -> Result<()> {
        let parsed: shakmaty::uci::UciMove = text.parse().with_context(|| format!("{text} is no move"))?;
        let mv = parsed.to_move(&self.position).with_context(|| format!("{text} is illegal"))?;
        let written = mv.to_uci(self.castling).to_string();
        ensure!(written == text, "{text} should be written {written}");
        self.position.play_unchecked(mv);
        self.seen.push(key(&self.position));
        Ok(())
    }

    pub(super) fn position(&self) -> &Chess {
        &self.position
    }

    /// The legal moves, as they are written.
    pub(super) fn legal_moves(&self) -> Vec<String> {
        let moves = self.position.legal_moves();
        moves.into_iter().map(|mv| mv.to_uci(self.castling).to_string()).collect()
    }

    /// Whether and why the game is over.
    pub(super) fn end(&self, draws: Draws) -> Option<End> {
        if self.position.legal_moves().is_empty() {
            return Some(if self.position.is_check() { End::Mate } else { End::Stalemate });
        }
        if self.position.is_insufficient_material() {
            return Some(End::Dead);
        }
        let (plies, times) = match draws {
            Draws::Claimed => (100, 3),
            Draws::Automatic => (150, 5),
        };
        if self.position.halfmoves() >= plies {
            return Some(End::NoProgress);
        }
        let last = self.seen.last();
        (self.seen.iter().filter(|&it| Some(it) == last).count() >= times).then_some(End::Repetition)
    }
}

fn key(position: &Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

/// A game that is being played.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) start: String,
    pub(super) is_chess960: bool,
    pub(super) moves: Vec<String>,
    pub(super) referee: Referee,
}

impl Record {
    pub(super) fn new(start: String, is_chess960: bool) -> Result<Record> {
        let referee = Referee::new(&start, is_chess960)?;
        Ok(Record { start, is_chess960, moves: Vec::new(), referee })
    }

    /// Whose move it is: 0 for White.
    pub(super) fn side(&self) -> usize {
        usize::from(self.referee.position.turn().is_black())
    }

    pub(super) fn play(&mut self, text: &str) -> Result<()> {
        self.referee.play(text)?;
        self.moves.push(text.to_owned());
        Ok(())
    }
}

/// As UCI tells a position: with it a game can be repeated.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "position fen {}", self.start)?;
        if !self.moves.is_empty() {
            write!(f, " moves {}", self.moves.join(" "))?;
        }
        Ok(())
    }
}
