//! What can be said of a move.

use std::fmt;

use ferz_board::{CastlingSide, File, PieceType, Position, Square};
use serde::{Serialize, Serializer};

/// A piece where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Man {
    /// The kind of piece.
    #[serde(serialize_with = "text")]
    pub piece: PieceType,
    /// Its square.
    #[serde(serialize_with = "text")]
    pub square: Square,
}

impl Man {
    /// What stands on a square.
    pub(super) fn at(position: &Position, square: Square) -> Option<Man> {
        position.piece_at(square).map(|piece| Man { piece: piece.piece_type(), square })
    }
}

/// `knight on f3`
impl fmt::Display for Man {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.piece, self.square)
    }
}

/// Something a move does. Squares are those after the move; worth is counted 1, 3, 3, 5, 9.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fact {
    /// It mates.
    Checkmate,
    /// It stalemates.
    Stalemate,
    /// The piece that moves gives check, or the rook of a king that castles.
    Check,
    /// Two pieces give check.
    DoubleCheck,
    /// Another piece gives check, whose line the move has opened.
    DiscoveredCheck {
        /// The piece behind the opened line.
        by: Man,
    },
    /// It captures a piece.
    Captures {
        /// Where it stood.
        victim: Man,
        /// Whether the game goes on and no legal move takes back.
        is_free: bool,
    },
    /// Captures something that is worth as much as what is taken back.
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
    /// Attacks several pieces at once, of which each is the king, worth more, or not protected; it cannot be captured
    /// with profit itself.
    Forks {
        /// The pieces attacked.
        targets: Vec<Man>,
    },
    /// Attacks a piece that is worth more or not protected.
    Attacks {
        /// The piece attacked.
        target: Man,
    },
    /// A piece can be captured with profit next, if the opponent does nothing, and could not before.
    ThreatensCapture {
        /// The piece attacked.
        target: Man,
    },
    /// A line is opened in which another piece attacks one that is worth more or not protected.
    DiscoveredAttack {
        /// The piece behind the opened line.
        by: Man,
        /// The piece attacked.
        target: Man,
    },
    /// A piece must not leave the line to its king.
    PinsToKing {
        /// The pinned piece.
        pinned: Man,
    },
    /// If a piece leaves its line, the queen behind it is attacked.
    PinsToQueen {
        /// The pinned piece.
        pinned: Man,
        /// The queen behind it.
        queen: Man,
    },
    /// Attacks a piece that is worth more, or the king, and there is another in the same line behind it.
    Skewers {
        /// The piece in front.
        front: Man,
        /// The piece behind it.
        behind: Man,
    },
    /// A piece can be captured with profit next, wherever it goes; before the move it was not so.
    Traps {
        /// The piece attacked.
        target: Man,
    },
    /// If the opponent did nothing, this move would mate.
    ThreatensMate {
        /// The move, in SAN.
        with: String,
    },
    /// The moved piece could have been captured with profit, and cannot any more.
    Escapes {
        /// The kind of piece.
        #[serde(serialize_with = "text")]
        piece: PieceType,
        /// Where it was.
        #[serde(serialize_with = "text")]
        from: Square,
    },
    /// Another piece could have been captured with profit, and is protected by the moved one now.
    Protects {
        /// The piece.
        man: Man,
    },
    /// Another piece could have been captured with profit, and the moved one stands between now.
    Shields {
        /// The piece.
        man: Man,
    },
    /// The moved piece can be captured, for at least two pawns more than what it has captured itself.
    Offers {
        /// The piece.
        man: Man,
    },
    /// No enemy pawn stands before the pawn any more, on its file or beside it.
    MakesPassedPawn {
        /// Its square.
        #[serde(serialize_with = "text")]
        square: Square,
    },
    /// A passed pawn gets further, with so many steps to go.
    AdvancesPassedPawn {
        /// Its square.
        #[serde(serialize_with = "text")]
        square: Square,
        /// How many steps are left to promotion.
        steps_left: u32,
    },
    /// A knight or bishop leaves a square on which it starts a game, and the first rank.
    Develops {
        /// The kind of piece.
        #[serde(serialize_with = "text")]
        piece: PieceType,
    },
    /// A rook goes to a file without pawns.
    TakesOpenFile {
        /// The file.
        #[serde(serialize_with = "text")]
        file: File,
    },
}

impl Fact {
    /// The enemy pieces that the move is aimed at.
    pub(super) fn targets(&self) -> &[Man] {
        match self {
            Fact::Forks { targets } => targets,
            Fact::Attacks { target }
            | Fact::ThreatensCapture { target }
            | Fact::DiscoveredAttack { target, .. }
            | Fact::Traps { target }
            | Fact::PinsToKing { pinned: target }
            | Fact::PinsToQueen { pinned: target, .. }
            | Fact::Skewers { front: target, .. } => std::slice::from_ref(target),
            _ => &[],
        }
    }
}

fn text<S: Serializer>(value: &impl fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn castling<S: Serializer>(side: &CastlingSide, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match side {
        CastlingSide::King => "king",
        CastlingSide::Queen => "queen",
    })
}
