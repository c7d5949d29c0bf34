//! Facts about a move.

use std::fmt;

use ferz_board::{CastlingSide, File, PieceType, Position, Square};
use serde::{Serialize, Serializer};

/// A piece on a square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct PlacedPiece {
    /// The kind of piece.
    #[serde(serialize_with = "text")]
    pub piece: PieceType,
    /// Its square.
    #[serde(serialize_with = "text")]
    pub square: Square,
}

impl PlacedPiece {
    /// The piece on a square.
    pub(super) fn at(position: &Position, square: Square) -> Option<PlacedPiece> {
        position.piece_at(square).map(|piece| PlacedPiece { piece: piece.piece_type(), square })
    }
}

/// `knight on f3`
impl fmt::Display for PlacedPiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.piece, self.square)
    }
}

/// A fact about a move. Squares are those after the move; pieces are worth 1, 3, 3, 5 and 9.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fact {
    /// It mates.
    Checkmate,
    /// A knight mates, and every square next to the king is occupied by its own side or off the board. Told besides
    /// [`Checkmate`](Fact::Checkmate).
    SmotheredMate,
    /// A rook or queen mates along the back rank, and own pieces occupy every square in front of the king. Told besides
    /// [`Checkmate`](Fact::Checkmate).
    BackRankMate,
    /// It stalemates.
    Stalemate,
    /// The piece that moves gives check, or the rook of a king that castles.
    Check,
    /// Two pieces give check.
    DoubleCheck,
    /// The move opens the line of another piece, which gives check.
    DiscoveredCheck {
        /// The piece behind the opened line.
        by: PlacedPiece,
    },
    /// It captures a piece.
    Captures {
        /// The captured piece.
        victim: PlacedPiece,
        /// Whether the opponent has legal moves, but none that recaptures.
        is_free: bool,
    },
    /// Captures a piece that is worth as much as the piece that is recaptured.
    Trades {
        /// The piece given.
        #[serde(serialize_with = "text")]
        own: PieceType,
        /// The piece taken.
        #[serde(serialize_with = "text")]
        other: PieceType,
    },
    /// A pawn promotes.
    Promotes {
        /// The new piece.
        #[serde(serialize_with = "text")]
        to: PieceType,
    },
    /// The king castles.
    Castles {
        /// The wing.
        #[serde(serialize_with = "castling")]
        side: CastlingSide,
    },
    /// Attacks several pieces at once. Each is the king, worth more, or not protected. If the attacker can be captured
    /// with profit, all are rooks, queens or the king.
    Forks {
        /// The pieces attacked.
        targets: Vec<PlacedPiece>,
    },
    /// Attacks a piece that is worth more or not protected.
    Attacks {
        /// The piece attacked.
        target: PlacedPiece,
    },
    /// A piece can now be captured with profit if the opponent does nothing. Before, it could not.
    ThreatensCapture {
        /// The piece attacked.
        target: PlacedPiece,
    },
    /// The move opens the line of another piece, which attacks a piece that is worth more or not protected.
    DiscoveredAttack {
        /// The piece behind the opened line.
        by: PlacedPiece,
        /// The piece attacked.
        target: PlacedPiece,
    },
    /// Captures a piece that protected another one, which can now be captured with profit. Before, it could not.
    RemovesDefender {
        /// The captured piece.
        defender: PlacedPiece,
        /// The piece that it protected.
        target: PlacedPiece,
    },
    /// The expected reply moves a piece that protected another one. The move after that captures the other one with
    /// profit; before, that was not possible.
    Deflects {
        /// The protector, where it stood.
        defender: PlacedPiece,
        /// The piece that it protected.
        target: PlacedPiece,
    },
    /// The side that moves has less material, and the expected line ends with it stalemated.
    StalemateTrick,
    /// A piece must not leave the line to its king.
    PinsToKing {
        /// The pinned piece.
        pinned: PlacedPiece,
    },
    /// If a piece leaves its line, the queen behind it is attacked.
    PinsToQueen {
        /// The pinned piece.
        pinned: PlacedPiece,
        /// The queen behind it.
        queen: PlacedPiece,
    },
    /// Attacks the king or a piece that is worth more, with another piece behind it on the same line.
    Skewers {
        /// The piece in front.
        front: PlacedPiece,
        /// The piece behind it.
        behind: PlacedPiece,
    },
    /// A piece can now be captured with profit wherever it goes. Before, it could not.
    Traps {
        /// The piece attacked.
        target: PlacedPiece,
    },
    /// If the opponent did nothing, this move would mate.
    ThreatensMate {
        /// The move, in SAN.
        with: String,
    },
    /// The moved piece could have been captured with profit and no longer can.
    Escapes {
        /// The kind of piece.
        #[serde(serialize_with = "text")]
        piece: PieceType,
        /// Where it was.
        #[serde(serialize_with = "text")]
        from: Square,
    },
    /// Another piece could have been captured with profit and is now protected by the moved piece.
    Protects {
        /// The piece.
        man: PlacedPiece,
    },
    /// Another piece could have been captured with profit; the moved piece now blocks the attack.
    Shields {
        /// The piece.
        man: PlacedPiece,
    },
    /// A piece can be captured for at least two pawns more than the move has captured: the moved piece, or one that could
    /// not be captured with profit before.
    Offers {
        /// The piece.
        man: PlacedPiece,
    },
    /// The pawn becomes a passed pawn: no enemy pawn is ahead of it on its file or a neighbouring one.
    MakesPassedPawn {
        /// Its square.
        #[serde(serialize_with = "text")]
        square: Square,
    },
    /// A passed pawn advances.
    AdvancesPassedPawn {
        /// Its square.
        #[serde(serialize_with = "text")]
        square: Square,
        /// Steps left to promotion.
        steps_left: u32,
    },
    /// A knight or bishop leaves its start square and the first rank.
    Develops {
        /// The kind of piece.
        #[serde(serialize_with = "text")]
        piece: PieceType,
    },
    /// Kings and pawns only: the kings stand on a file or rank with an odd number of squares between them, none of them
    /// occupied, and the opponent is to move.
    TakesOpposition {
        /// Whether more than one square is between the kings.
        is_distant: bool,
    },
    /// A knight goes to the fourth, fifth or sixth rank, where a pawn protects it and no enemy pawn can ever attack it.
    Outpost {
        /// Its square.
        #[serde(serialize_with = "text")]
        square: Square,
    },
    /// A pawn goes to d4, e4, d5 or e5 and cannot be captured with profit there.
    OccupiesCentre {
        /// Its square.
        #[serde(serialize_with = "text")]
        square: Square,
    },
    /// A pawn attacks an enemy pawn on d4, e4, d5 or e5.
    ChallengesCentre {
        /// The enemy pawn.
        target: PlacedPiece,
    },
    /// A pawn, knight or bishop newly protects an own pawn on d4, e4, d5 or e5 that is attacked.
    SupportsCentre {
        /// The own pawn.
        pawn: PlacedPiece,
    },
    /// Without queens, and with at most one piece and pawns on each side, the king gets closer to d4, e4, d5 and e5.
    ActivatesKing,
    /// A pawn in front of a king on its back rank and on a wing moves. Before, the king could not leave that rank; now it can.
    MakesLuft {
        /// The square that the king can go to.
        #[serde(serialize_with = "text")]
        square: Square,
    },
    /// A rook goes to the seventh rank, and the enemy king is on the eighth or enemy pawns are on the seventh.
    SeventhRank,
    /// A rook goes to a file without pawns.
    TakesOpenFile {
        /// The file.
        #[serde(serialize_with = "text")]
        file: File,
    },
}

impl Fact {
    /// The enemy pieces that the move attacks.
    pub(super) fn targets(&self) -> &[PlacedPiece] {
        match self {
            Fact::Forks { targets } => targets,
            Fact::Attacks { target }
            | Fact::ThreatensCapture { target }
            | Fact::DiscoveredAttack { target, .. }
            | Fact::Traps { target }
            | Fact::RemovesDefender { target, .. }
            | Fact::PinsToKing { pinned: target }
            | Fact::PinsToQueen { pinned: target, .. }
            | Fact::Skewers { front: target, .. } => std::slice::from_ref(target),
            _ => &[],
        }
    }
}

pub(super) fn text<S: Serializer>(value: &impl fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn castling<S: Serializer>(side: &CastlingSide, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match side {
        CastlingSide::King => "king",
        CastlingSide::Queen => "queen",
    })
}
