//! How games end.

use core::fmt;

use crate::{Bitboard, Color, PieceType, Position};

/// The end of a game by the rules alone, without a claim.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
#[must_use]
pub enum Outcome {
    /// The side to move is in check and has no move.
    Checkmate {
        /// The other side.
        winner: Color,
    },
    /// A draw.
    Draw(DrawReason),
}

impl Outcome {
    /// The winner; `None` for a draw.
    #[must_use]
    pub const fn winner(self) -> Option<Color> {
        match self {
            Outcome::Checkmate { winner } => Some(winner),
            Outcome::Draw(_) => None,
        }
    }

    /// The name for programs, which never changes: `checkmate`, or the [name of the draw](DrawReason::name).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Checkmate { .. } => "checkmate",
            Outcome::Draw(reason) => reason.name(),
        }
    }

    /// The result as text, as PGN has it: `1-0`, `0-1` or `1/2-1/2`.
    #[must_use]
    pub const fn result(self) -> &'static str {
        match self {
            Outcome::Checkmate { winner: Color::White } => "1-0",
            Outcome::Checkmate { winner: Color::Black } => "0-1",
            Outcome::Draw(_) => "1/2-1/2",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Checkmate { winner } => write!(f, "{winner} wins by checkmate"),
            Outcome::Draw(reason) => write!(f, "draw by {reason}"),
        }
    }
}

/// The reason for a draw that needs no claim.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum DrawReason {
    /// The side to move is not in check and has no move.
    Stalemate,
    /// Neither side has the material to mate, whatever the moves.
    InsufficientMaterial,
    /// The same position stands on the board for the fifth time.
    FivefoldRepetition,
    /// 75 moves of each side without a capture or pawn move.
    SeventyFiveMoves,
    /// Neither side can mate by any series of legal moves, for a reason other than the material alone. Only
    /// [`Game::outcome_with`](crate::Game::outcome_with) finds it.
    DeadPosition,
}

impl DrawReason {
    /// The name for programs, which never changes: `stalemate`, `insufficient-material`, `fivefold-repetition` …
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DrawReason::Stalemate => "stalemate",
            DrawReason::InsufficientMaterial => "insufficient-material",
            DrawReason::FivefoldRepetition => "fivefold-repetition",
            DrawReason::SeventyFiveMoves => "seventy-five-moves",
            DrawReason::DeadPosition => "dead-position",
        }
    }
}

impl fmt::Display for DrawReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            DrawReason::Stalemate => "stalemate",
            DrawReason::InsufficientMaterial => "insufficient material",
            DrawReason::FivefoldRepetition => "fivefold repetition",
            DrawReason::SeventyFiveMoves => "the 75-move rule",
            DrawReason::DeadPosition => "dead position",
        })
    }
}

/// A reason for which the side to move may claim a draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum DrawClaim {
    /// The same position stands on the board for at least the third time.
    ThreefoldRepetition,
    /// 50 moves of each side without a capture or pawn move.
    FiftyMoves,
}

impl DrawClaim {
    /// The name for programs, which never changes: `threefold-repetition` or `fifty-moves`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DrawClaim::ThreefoldRepetition => "threefold-repetition",
            DrawClaim::FiftyMoves => "fifty-moves",
        }
    }
}

impl fmt::Display for DrawClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            DrawClaim::ThreefoldRepetition => "threefold repetition",
            DrawClaim::FiftyMoves => "the 50-move rule",
        })
    }
}

impl Position {
    /// Whether the side to move is mated.
    #[inline]
    #[must_use]
    pub fn is_checkmate(&self) -> bool {
        !self.has_legal_moves() && self.is_check()
    }

    /// Whether the side to move has no move and is not in check.
    #[inline]
    #[must_use]
    pub fn is_stalemate(&self) -> bool {
        !self.has_legal_moves() && !self.is_check()
    }

    /// Whether the material proves that this colour cannot mate by any sequence of legal moves.
    ///
    /// `true` is a proof. `false` is not: pawns that block each other, for example, may make mate impossible, but this
    /// looks at the material and the shades of the bishops alone. A
    /// [`DeadPositionSearch`](crate::DeadPositionSearch) looks at the position.
    ///
    /// ```
    /// use ferz_board::{Color, Position};
    /// let position = Position::from_fen("4k3/8/8/8/8/8/4n3/3BK3 b - - 0 1")?;
    /// assert!(!position.cannot_mate(Color::White)); // with help: the knight can block its own king in
    /// let position = Position::from_fen("4k3/8/8/8/8/8/4Q3/3BK3 b - - 0 1")?;
    /// assert!(position.cannot_mate(Color::Black));
    /// assert!(!position.cannot_mate(Color::White));
    /// # Ok::<(), ferz_board::FenError>(())
    /// ```
    #[must_use]
    pub fn cannot_mate(&self, color: Color) -> bool {
        let ours = self.by_color(color);
        let mating = [PieceType::Pawn, PieceType::Rook, PieceType::Queen];
        if mating.into_iter().any(|piece_type| ours.intersects(self.by_type(piece_type))) {
            return false;
        }
        if ours.intersects(self.by_type(PieceType::Knight)) {
            // A lone knight mates only a king hemmed in by its own pieces; queens would always get out of the
            // way or capture.
            let theirs = self.by_color(!color);
            let hemming = theirs - self.by_type(PieceType::King) - self.by_type(PieceType::Queen);
            return ours.len() == 2 && hemming.is_empty();
        }
        if ours.intersects(self.by_type(PieceType::Bishop)) {
            let bishops = self.by_type(PieceType::Bishop);
            let one_shade = !bishops.intersects(Bitboard::LIGHT) || !bishops.intersects(Bitboard::DARK);
            let hemming = self.by_type(PieceType::Pawn) | self.by_type(PieceType::Knight);
            return one_shade && hemming.is_empty();
        }
        true
    }

    /// Whether the material proves that neither side [can mate](Position::cannot_mate).
    #[inline]
    #[must_use]
    pub fn is_insufficient_material(&self) -> bool {
        Color::ALL.into_iter().all(|color| self.cannot_mate(color))
    }

    /// The end of the game in this position, by any rule except repetition, which needs
    /// [`Game::outcome`](crate::Game::outcome). Mate takes precedence over the 75-move rule.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        if !self.has_legal_moves() {
            return Some(if self.is_check() {
                Outcome::Checkmate { winner: !self.side_to_move() }
            } else {
                Outcome::Draw(DrawReason::Stalemate)
            });
        }
        if self.is_insufficient_material() {
            return Some(Outcome::Draw(DrawReason::InsufficientMaterial));
        }
        (self.halfmove_clock() >= 150).then_some(Outcome::Draw(DrawReason::SeventyFiveMoves))
    }

    /// Whether the side to move may claim a draw by the 50-move rule. A mate on the board takes precedence.
    #[inline]
    #[must_use]
    pub fn can_claim_fifty_moves(&self) -> bool {
        self.halfmove_clock() >= 100 && self.has_legal_moves()
    }
}
