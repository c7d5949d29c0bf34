//! Reading moves in UCI notation.

use core::fmt;

use crate::{CastlingSide, Color, File, Move, MoveKind, PieceType, Position, Square};

/// Why a text is not a move of the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UciError {
    /// It is not of the form `e2e4` or `e7e8q`.
    Syntax,
    /// It is, but the move is not legal here.
    Illegal,
}

impl fmt::Display for UciError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UciError::Syntax => "not a move: two squares and perhaps a promotion piece are expected",
            UciError::Illegal => "the move is not legal in this position",
        })
    }
}

impl core::error::Error for UciError {}

impl Position {
    /// The legal move that a UCI text means here. Castling may be written either way, `e1g1` or `e1h1`; in a
    /// Chess960 position where the first is also a king's step, it is that step.
    pub fn parse_uci(&self, text: &str) -> Result<Move, UciError> {
        let bytes = text.as_bytes();
        let (squares, promotion) = match bytes.len() {
            4 => (bytes, None),
            5 => match PieceType::from_char(char::from(bytes[4])) {
                Some(PieceType::Pawn | PieceType::King) | None => return Err(UciError::Syntax),
                piece_type => (&bytes[..4], piece_type),
            },
            _ => return Err(UciError::Syntax),
        };
        let from = Square::from_ascii(&squares[..2]).ok_or(UciError::Syntax)?;
        let to = Square::from_ascii(&squares[2..]).ok_or(UciError::Syntax)?;
        self.find_move(from, to, promotion).ok_or(UciError::Illegal)
    }

    /// The legal move between two squares, if there is one. The target of castling is either the rook's
    /// square or the king's new one.
    pub fn find_move(&self, from: Square, to: Square, promotion: Option<PieceType>) -> Option<Move> {
        let legal = |to, kind| Move::new(from, to, kind).filter(|&mv| self.is_legal(mv));
        if let Some(piece_type) = promotion {
            return legal(to, MoveKind::Promotion(piece_type));
        }
        let piece = self.piece_at(from)?;
        match piece.piece_type() {
            PieceType::Pawn => legal(to, MoveKind::Normal)
                .or_else(|| legal(to, MoveKind::DoubleStep))
                .or_else(|| legal(to, MoveKind::EnPassant)),
            PieceType::King => {
                legal(to, MoveKind::Normal).or_else(|| legal(to, MoveKind::Castling)).or_else(|| {
                    let side = match to.file() {
                        File::G => CastlingSide::King,
                        File::C => CastlingSide::Queen,
                        _ => return None,
                    };
                    let rook = self.castling_rook(self.side_to_move(), side)?;
                    let on_back_rank = to.rank() == Color::back_rank(self.side_to_move());
                    if on_back_rank { legal(rook, MoveKind::Castling) } else { None }
                })
            }
            _ => legal(to, MoveKind::Normal),
        }
    }
}
