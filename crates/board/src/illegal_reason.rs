//! Why a move is not legal. Nothing here runs for a legal move.

use core::fmt;

use crate::make::victim_of_en_passant;
use crate::{
    Bitboard, CastlingSide, Direction, File, Piece, PieceType, Position, Rank, Square, UciMove, attacks,
};

/// A piece and the square on which it stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PlacedPiece {
    /// The piece.
    pub piece: Piece,
    /// Its square.
    pub square: Square,
}

/// The type and the square: `rook on h4`.
impl fmt::Display for PlacedPiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.piece.piece_type(), self.square)
    }
}

/// The reason why a move is not legal, with the pieces and squares that cause it.
///
/// If there are several reasons, the first of this order is given: the piece, the promotion, how the piece moves, what is
/// in its way, the safety of the king.
///
/// ```
/// use ferz_board::{IllegalReason, Position, Square};
/// let position = Position::from_fen("8/8/8/8/1k1Pp2R/8/8/4K3 b - d3 0 1")?;
/// let reason = position.why_illegal(Square::E4, Square::D3, None).expect("exd3 is not legal");
/// assert!(matches!(reason, IllegalReason::EnPassantUncovers { king: Square::B4, .. }));
/// assert_eq!(
///     reason.to_string(),
///     "en passant would open the fourth rank between the rook on h4 and the king on b4"
/// );
/// # Ok::<(), ferz_board::FenError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum IllegalReason {
    /// The null move is not a move of the game.
    NullMove,
    /// The square before the move is empty.
    NoPiece(Square),
    /// The piece to be moved is the opponent's.
    OpponentsPiece(PlacedPiece),
    /// Only a pawn that reaches the last rank promotes.
    PromotionImpossible(PlacedPiece),
    /// A pawn never becomes this piece.
    PromotionPiece(PieceType),
    /// A pawn that reaches the last rank must promote.
    PromotionMissing,
    /// The piece does not move like this, even on an empty board.
    Unreachable {
        /// The piece.
        piece: PlacedPiece,
        /// The square it cannot reach.
        to: Square,
    },
    /// A piece of the same side stands on the target.
    OwnPiece(PlacedPiece),
    /// Something stands in the way: the first piece on the path. A pawn is also blocked by a piece on its target.
    Blocked {
        /// The piece to be moved.
        piece: PlacedPiece,
        /// The piece in its way.
        by: PlacedPiece,
    },
    /// A pawn moves diagonally only to capture, and this square is empty.
    NothingToCapture(Square),
    /// The pawn beside the capturer has not just made a double step.
    EnPassantUnavailable(Square),
    /// The king would be attacked on the square to which it moves.
    KingAttacked {
        /// The square after the move.
        to: Square,
        /// The attacker.
        by: PlacedPiece,
    },
    /// Two pieces give check, so only the king may move.
    DoubleCheck {
        /// The pieces that give check.
        by: [PlacedPiece; 2],
    },
    /// The move neither captures the piece that gives check nor blocks its line.
    CheckUnanswered {
        /// The king in check.
        king: Square,
        /// The piece that gives check.
        by: PlacedPiece,
    },
    /// The piece is pinned and would leave the line between its king and the attacker.
    Pinned {
        /// The pinned piece.
        piece: PlacedPiece,
        /// Its king.
        king: Square,
        /// The piece that pins it.
        by: PlacedPiece,
    },
    /// En passant takes two pawns off a line between the king and an attacker.
    EnPassantUncovers {
        /// The king.
        king: Square,
        /// The piece that would give check.
        by: PlacedPiece,
    },
    /// There is no rook to castle with on this side.
    CastlingWithoutRook(CastlingSide),
    /// The king or this side's rook has moved before, so the right is lost.
    CastlingRightLost(CastlingSide),
    /// A piece stands between king and rook, or where they go.
    CastlingBlocked(PlacedPiece),
    /// The king is in check.
    CastlingInCheck {
        /// The piece that gives check.
        by: PlacedPiece,
    },
    /// The king would pass through or arrive on an attacked square.
    CastlingAttacked {
        /// The attacked square.
        square: Square,
        /// The attacker.
        by: PlacedPiece,
    },
}

impl IllegalReason {
    /// The name for programs, which never changes: `no-piece`, `pinned` …
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            IllegalReason::NullMove => "null-move",
            IllegalReason::NoPiece(_) => "no-piece",
            IllegalReason::OpponentsPiece(_) => "opponents-piece",
            IllegalReason::PromotionImpossible(_) => "promotion-impossible",
            IllegalReason::PromotionPiece(_) => "promotion-piece",
            IllegalReason::PromotionMissing => "promotion-missing",
            IllegalReason::Unreachable { .. } => "unreachable",
            IllegalReason::OwnPiece(_) => "own-piece",
            IllegalReason::Blocked { .. } => "blocked",
            IllegalReason::NothingToCapture(_) => "nothing-to-capture",
            IllegalReason::EnPassantUnavailable(_) => "en-passant-unavailable",
            IllegalReason::KingAttacked { .. } => "king-attacked",
            IllegalReason::DoubleCheck { .. } => "double-check",
            IllegalReason::CheckUnanswered { .. } => "check-unanswered",
            IllegalReason::Pinned { .. } => "pinned",
            IllegalReason::EnPassantUncovers { .. } => "en-passant-uncovers",
            IllegalReason::CastlingWithoutRook(_) => "castling-without-rook",
            IllegalReason::CastlingRightLost(_) => "castling-right-lost",
            IllegalReason::CastlingBlocked(_) => "castling-blocked",
            IllegalReason::CastlingInCheck { .. } => "castling-in-check",
            IllegalReason::CastlingAttacked { .. } => "castling-attacked",
        }
    }
}

/// A rank, file or diagonal through two squares: `the fourth rank`, `the e-file`, `the a1-h8 diagonal`.
struct Line(Square, Square);

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line(a, b) = *self;
        if a.file() == b.file() {
            return write!(f, "the {}-file", a.file());
        }
        if a.rank() == b.rank() {
            return write!(f, "the {} rank", ordinal(a.rank()));
        }
        let mut squares = attacks::line(a, b).into_iter();
        let first = squares.next().unwrap_or(a);
        write!(f, "the {first}-{} diagonal", squares.next_back().unwrap_or(b))
    }
}

const fn ordinal(rank: Rank) -> &'static str {
    match rank {
        Rank::First => "first",
        Rank::Second => "second",
        Rank::Third => "third",
        Rank::Fourth => "fourth",
        Rank::Fifth => "fifth",
        Rank::Sixth => "sixth",
        Rank::Seventh => "seventh",
        Rank::Eighth => "eighth",
    }
}

/// ` along the e-file` if the attacker is a slider, else nothing.
struct Along(PlacedPiece, Square);

impl fmt::Display for Along {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Along(by, target) = *self;
        match by.piece.piece_type() {
            PieceType::Bishop | PieceType::Rook | PieceType::Queen => {
                write!(f, " along {}", Line(by.square, target))
            }
            _ => Ok(()),
        }
    }
}

const fn side_name(side: CastlingSide) -> &'static str {
    match side {
        CastlingSide::King => "king's side",
        CastlingSide::Queen => "queen's side",
    }
}

impl fmt::Display for IllegalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            IllegalReason::NullMove => f.write_str("the side to move must move"),
            IllegalReason::NoPiece(square) => write!(f, "{square} is empty"),
            IllegalReason::OpponentsPiece(piece) => write!(f, "the {piece} is the opponent's"),
            IllegalReason::PromotionImpossible(piece) if piece.piece.piece_type() == PieceType::Pawn => {
                write!(f, "the {piece} promotes only on the last rank")
            }
            IllegalReason::PromotionImpossible(piece) => {
                write!(f, "a {} does not promote", piece.piece.piece_type())
            }
            IllegalReason::PromotionPiece(piece_type) => write!(f, "a pawn does not become a {piece_type}"),
            IllegalReason::PromotionMissing => f.write_str("the promotion piece is missing"),
            IllegalReason::Unreachable { piece, to } => write!(f, "the {piece} does not move to {to}"),
            IllegalReason::OwnPiece(piece) => write!(f, "the {piece} belongs to the same side"),
            IllegalReason::Blocked { piece, by } => write!(f, "the {piece} is blocked by the {by}"),
            IllegalReason::NothingToCapture(square) => {
                write!(f, "a pawn moves diagonally only to capture, and {square} is empty")
            }
            IllegalReason::EnPassantUnavailable(square) => {
                write!(
                    f,
                    "the pawn on {square} has not just made a double step, so en passant is not possible"
                )
            }
            IllegalReason::KingAttacked { to, by } => {
                write!(f, "the king would be attacked on {to} by the {by}{}", Along(by, to))
            }
            IllegalReason::DoubleCheck { by: [a, b] } => {
                write!(f, "the {a} and the {b} both give check, so only the king may move")
            }
            IllegalReason::CheckUnanswered { king, by } => {
                write!(f, "the king on {king} would stay in check by the {by}{}", Along(by, king))
            }
            IllegalReason::Pinned { piece, king, by } => {
                write!(f, "the {piece} is pinned to the king on {king} by the {by}{}", Along(by, king))
            }
            IllegalReason::EnPassantUncovers { king, by } => {
                let line = Line(by.square, king);
                write!(f, "en passant would open {line} between the {by} and the king on {king}")
            }
            IllegalReason::CastlingWithoutRook(side) => {
                write!(f, "there is no rook to castle with on the {}", side_name(side))
            }
            IllegalReason::CastlingRightLost(side) => {
                let side = side_name(side);
                write!(f, "the right to castle on the {side} is lost: the king or that rook has moved")
            }
            IllegalReason::CastlingBlocked(by) => write!(f, "the {by} is in the way of castling"),
            IllegalReason::CastlingInCheck { by } => {
                write!(f, "the king is in check by the {by}, and castling does not answer a check")
            }
            IllegalReason::CastlingAttacked { square, by } => {
                write!(f, "castling leads the king over {square}, which the {by} attacks")
            }
        }
    }
}

impl Position {
    /// Why there is no legal move between two squares; `None` if there is one. A king's move is taken for castling where
    /// [`Position::find_move`] would do so, and from its first square in standard chess.
    ///
    /// ```
    /// use ferz_board::{Position, Square};
    /// let position = Position::start();
    /// let why = |from, to| position.why_illegal(from, to, None).map(|reason| reason.to_string());
    /// assert_eq!(why(Square::G1, Square::F3), None);
    /// assert_eq!(why(Square::A1, Square::A4).unwrap(), "the rook on a1 is blocked by the pawn on a2");
    /// assert_eq!(why(Square::E1, Square::G1).unwrap(), "the bishop on f1 is in the way of castling");
    /// ```
    #[must_use]
    #[cold]
    pub fn why_illegal(
        &self,
        from: Square,
        to: Square,
        promotion: Option<PieceType>,
    ) -> Option<IllegalReason> {
        if self.find_move(from, to, promotion).is_some() {
            None
        } else {
            Some(self.reason(from, to, promotion))
        }
    }

    /// Why castling to this side is not legal; `None` if it is.
    ///
    /// ```
    /// use ferz_board::{CastlingSide, Position};
    /// let position = Position::from_fen("3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1")?;
    /// assert_eq!(position.why_no_castling(CastlingSide::King), None);
    /// let reason = position.why_no_castling(CastlingSide::Queen).expect("d1 is attacked");
    /// assert_eq!(reason.to_string(), "castling leads the king over d1, which the rook on d8 attacks");
    /// # Ok::<(), ferz_board::FenError>(())
    /// ```
    #[must_use]
    #[cold]
    pub fn why_no_castling(&self, side: CastlingSide) -> Option<IllegalReason> {
        let us = self.side_to_move();
        let king = self.king(us);
        let Some(rook) = self.castling_rook(us, side) else {
            let corner = Square::from_coords(side.standard_rook_file(), us.back_rank());
            let rooks = attacks::between(king, corner).with(corner) & Bitboard::from_rank(us.back_rank());
            return Some(if self.pieces(PieceType::Rook.of(us)).intersects(rooks) {
                IllegalReason::CastlingRightLost(side)
            } else {
                IllegalReason::CastlingWithoutRook(side)
            });
        };
        let (king_to, rook_to) = (side.king_target(us), side.rook_target(us));
        let king_path = attacks::between(king, king_to).with(king_to);
        let paths = king_path | attacks::between(rook, rook_to).with(rook_to);
        let others = self.occupied().without(king).without(rook);
        if let Some(by) = (paths & others).first() {
            return Some(IllegalReason::CastlingBlocked(self.placed(by)));
        }
        let them = self.by_color(!us);
        if let Some(by) = self.checkers().first() {
            return Some(IllegalReason::CastlingInCheck { by: self.placed(by) });
        }
        // A rook of Chess960 may shield its king on the back rank, so it leaves the board for the last square.
        let attacker = |square: Square| {
            let occupied = if square == king_to { others.with(rook_to) } else { others.with(rook) };
            (self.board().attackers_to(square, occupied) & them).first()
        };
        let nearest_first = |square: &Square| square.distance(king);
        let crossed = king_path.into_iter().filter_map(|square| Some((square, attacker(square)?)));
        crossed
            .min_by_key(|(square, _)| nearest_first(square))
            .map(|(square, by)| IllegalReason::CastlingAttacked { square, by: self.placed(by) })
    }

    /// The reason, for a move that is known to be illegal.
    pub(crate) fn reason(&self, from: Square, to: Square, promotion: Option<PieceType>) -> IllegalReason {
        let us = self.side_to_move();
        let Some(piece) = self.piece_at(from) else { return IllegalReason::NoPiece(from) };
        let placed = PlacedPiece { piece, square: from };
        let piece_type = piece.piece_type();
        if piece.color() != us {
            return IllegalReason::OpponentsPiece(placed);
        }
        let promotes = piece_type == PieceType::Pawn && to.rank() == us.promotion_rank();
        match promotion {
            Some(_) if !promotes => return IllegalReason::PromotionImpossible(placed),
            Some(wrong @ (PieceType::Pawn | PieceType::King)) => return IllegalReason::PromotionPiece(wrong),
            _ => {}
        }
        if piece_type == PieceType::King
            && let Some(side) = self.castling_meant(from, to)
            && let Some(reason) = self.why_no_castling(side)
        {
            return reason;
        }
        let unreachable = IllegalReason::Unreachable { piece: placed, to };
        let path = if piece_type == PieceType::Pawn {
            match self.pawn_path(placed, to) {
                Ok(path) => path,
                Err(reason) => return reason.unwrap_or(unreachable),
            }
        } else if attacks::of(piece, from, Bitboard::EMPTY).contains(to) {
            attacks::between(from, to)
        } else {
            return unreachable;
        };
        if self.by_color(us).contains(to) {
            return IllegalReason::OwnPiece(self.placed(to));
        }
        let in_the_way = (path & self.occupied()).into_iter().min_by_key(|square| square.distance(from));
        if let Some(by) = in_the_way {
            return IllegalReason::Blocked { piece: placed, by: self.placed(by) };
        }
        if promotes && promotion.is_none() {
            return IllegalReason::PromotionMissing;
        }
        self.danger_to_king(placed, to).unwrap_or(unreachable)
    }

    /// The squares that must be empty for a pawn's move, the target included if it goes straight on. `Err` if pawns do
    /// not move like this, with a reason if there is a better one.
    fn pawn_path(&self, pawn: PlacedPiece, to: Square) -> Result<Bitboard, Option<IllegalReason>> {
        let us = self.side_to_move();
        let from = pawn.square;
        if attacks::pawn(us, from).contains(to) {
            let victim = victim_of_en_passant(from, to);
            return match self.piece_at(to) {
                Some(_) => Ok(Bitboard::EMPTY),
                None if self.en_passant() == Some(to) => Ok(Bitboard::EMPTY),
                None if to.relative_to(us).rank() == Rank::Sixth
                    && self.piece_at(victim) == Some(PieceType::Pawn.of(!us)) =>
                {
                    Err(Some(IllegalReason::EnPassantUnavailable(victim)))
                }
                None => Err(Some(IllegalReason::NothingToCapture(to))),
            };
        }
        let single = from.step(Direction::forward(us));
        let double = single.and_then(|square| square.step(Direction::forward(us)));
        if single == Some(to) {
            Ok(to.bitboard())
        } else if double == Some(to) && from.rank() == us.pawn_rank() {
            Ok(attacks::between(from, to).with(to))
        } else {
            Err(None)
        }
    }

    /// The side to which a king's move means to castle: to a square where the king lands or to its rook, with the right
    /// to do so or from the king's first square.
    fn castling_meant(&self, king: Square, to: Square) -> Option<CastlingSide> {
        let us = self.side_to_move();
        let at_home = king == Square::from_coords(File::E, us.back_rank());
        CastlingSide::ALL.into_iter().find(|&side| {
            let right = self.castling_rook(us, side);
            let corner = Square::from_coords(side.standard_rook_file(), us.back_rank());
            let lands = to == side.king_target(us) && !attacks::king(king).contains(to) && to != king;
            let takes_rook = right == Some(to)
                || at_home && to == corner && self.piece_at(to) == Some(PieceType::Rook.of(us));
            takes_rook || lands && (at_home || right.is_some())
        })
    }

    /// The attack on our king after a move that is possible otherwise.
    fn danger_to_king(&self, mover: PlacedPiece, to: Square) -> Option<IllegalReason> {
        let us = self.side_to_move();
        let them = self.by_color(!us);
        let from = mover.square;
        if mover.piece.piece_type() == PieceType::King {
            let by = self.board().attackers_to(to, self.occupied().without(from)) & them;
            return by.first().map(|by| IllegalReason::KingAttacked { to, by: self.placed(by) });
        }
        let king = self.king(us);
        let checkers = self.checkers();
        let mut in_check = checkers.into_iter().map(|square| self.placed(square));
        if let (Some(first), Some(second)) = (in_check.next(), in_check.next()) {
            return Some(IllegalReason::DoubleCheck { by: [first, second] });
        }
        let is_en_passant = mover.piece.piece_type() == PieceType::Pawn && self.en_passant() == Some(to);
        let captured = if is_en_passant { victim_of_en_passant(from, to) } else { to };
        let occupied = self.occupied().without(from).without(captured).with(to);
        let attackers = self.board().attackers_to(king, occupied) & them.without(captured);
        if let Some(by) = (attackers & checkers).first() {
            return Some(IllegalReason::CheckUnanswered { king, by: self.placed(by) });
        }
        let by = self.placed(attackers.first()?);
        let pins = attacks::between(king, by.square) & self.occupied() == from.bitboard();
        Some(if pins {
            IllegalReason::Pinned { piece: mover, king, by }
        } else {
            IllegalReason::EnPassantUncovers { king, by }
        })
    }

    /// The piece on a square that is not empty.
    fn placed(&self, square: Square) -> PlacedPiece {
        let piece = self.piece_at(square).unwrap_or(PieceType::Pawn.of(self.side_to_move()));
        PlacedPiece { piece, square }
    }
}

impl UciMove {
    /// Why this is not a legal move of a position; `None` if it is.
    #[must_use]
    pub fn why_illegal(self, position: &Position) -> Option<IllegalReason> {
        match self {
            UciMove::Normal { from, to, promotion } => position.why_illegal(from, to, promotion),
            UciMove::Null => Some(IllegalReason::NullMove),
        }
    }
}
