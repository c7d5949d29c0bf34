//! The names of the rules.

use std::fmt;

/// A rule of endgame knowledge. It displays as a phrase, such as `known draw: wrong bishop`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum EndgameRule {
    /// Neither side can force mate: a bare king, against a minor piece or bishops of one colour at most.
    InsufficientMaterial,
    /// Two knights cannot force mate against a bare king.
    TwoKnights,
    /// Mate can be forced against a bare king (mop-up evaluation).
    BareKing,
    /// Mate can be forced with a queen against a rook or a minor piece.
    LoneQueen,
    /// Pawns, with at most one minor piece, against a bare king: promotion is the way to win.
    Pawns,
    /// King and pawn against king, won by the bitbase.
    PawnWins,
    /// King and pawn against king, drawn by the bitbase.
    PawnDraws,
    /// Only rook pawns and bishops that do not control the corner where they promote, and the king defends it.
    WrongBishop,
    /// Only rook pawns, and the king defends the corner where they promote.
    RookPawn,
    /// A knight and a rook pawn that reached the seventh rank too early: the king is in the corner in front of it.
    KnightAndRookPawn,
    /// A queen against a rook or bishop pawn about to promote, with the own king far away.
    QueenAgainstPawn,
    /// Bishops of opposite colours, and otherwise only pawns.
    OppositeBishops,
    /// The king stands in front of the only pawn, where the bishop cannot drive it away.
    Blockade,
    /// Without pawns, the side that is ahead has too little material to win.
    NoPawns,
}

impl EndgameRule {
    /// Whether the rule is about a draw, certain or likely.
    #[must_use]
    pub const fn is_draw(self) -> bool {
        !matches!(
            self,
            EndgameRule::BareKing | EndgameRule::LoneQueen | EndgameRule::Pawns | EndgameRule::PawnWins
        )
    }
}

impl fmt::Display for EndgameRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EndgameRule::InsufficientMaterial => "known draw: insufficient material",
            EndgameRule::TwoKnights => "known draw: two knights cannot force mate",
            EndgameRule::BareKing => "known win: mate against a bare king",
            EndgameRule::LoneQueen => "known win: queen against one piece",
            EndgameRule::Pawns => "pawns against a bare king: they must promote",
            EndgameRule::PawnWins => "known win: king and pawn against king",
            EndgameRule::PawnDraws => "known draw: king and pawn against king",
            EndgameRule::WrongBishop => "known draw: wrong bishop",
            EndgameRule::RookPawn => "known draw: rook pawn",
            EndgameRule::KnightAndRookPawn => "known draw: knight and rook pawn",
            EndgameRule::QueenAgainstPawn => "likely draw: queen against a pawn about to promote",
            EndgameRule::OppositeBishops => "drawish: opposite-coloured bishops",
            EndgameRule::Blockade => "likely draw: the king blocks the only pawn",
            EndgameRule::NoPawns => "likely draw: too little material to win without pawns",
        })
    }
}
