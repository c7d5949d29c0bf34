//! Finds the only legal move that fits.

use ferz_board::{
    Bitboard, CastlingSide, Direction, IllegalReason, Move, MoveKind, Piece, PieceType, Position, Square,
    attacks,
};

use super::SanError;
use super::error::quoted;
use super::syntax::{SanFields, SanSyntax};

/// A [`SanError`] to which the text has yet to be added.
pub(super) enum ResolveError {
    NoSuchMove(Option<IllegalReason>),
    KingInCheck(Option<IllegalReason>),
    CannotCastle(Option<IllegalReason>),
    MissingPromotion,
    Ambiguous(Vec<Move>),
}

impl ResolveError {
    pub(super) fn of(self, text: &str) -> SanError {
        let token = quoted(text);
        match self {
            ResolveError::NoSuchMove(reason) => SanError::NoSuchMove { token, reason },
            ResolveError::KingInCheck(reason) => SanError::KingInCheck { token, reason },
            ResolveError::CannotCastle(reason) => SanError::CannotCastle { token, reason },
            ResolveError::MissingPromotion => SanError::MissingPromotion { token },
            ResolveError::Ambiguous(candidates) => SanError::Ambiguous { token, candidates },
        }
    }
}

pub(super) fn resolve(position: &Position, san: &SanSyntax) -> Result<Move, ResolveError> {
    match san {
        SanSyntax::Castling(side) => castle(position, *side),
        SanSyntax::Move(fields) => find(position, fields),
    }
}

fn castle(position: &Position, side: CastlingSide) -> Result<Move, ResolveError> {
    let us = position.side_to_move();
    position
        .castling_rook(us, side)
        .and_then(|rook| Move::new(position.king(us), rook, MoveKind::Castling))
        .filter(|&mv| position.is_legal(mv))
        .ok_or_else(|| ResolveError::CannotCastle(position.why_no_castling(side)))
}

fn find(position: &Position, fields: &SanFields) -> Result<Move, ResolveError> {
    let us = position.side_to_move();
    let to = fields.to;
    let from = fields.from_file.zip(fields.from_rank).map(|(file, rank)| Square::from_coords(file, rank));
    let standing = from.and_then(|from| position.piece_at(from)).map(Piece::piece_type);
    let no_such_move = || ResolveError::NoSuchMove(reason(position, fields));
    let piece_type = fields.piece_type.or(standing).ok_or_else(no_such_move)?;
    if piece_type == PieceType::King
        && let Some(from) = from
        && let Some(castling) = position.find_move(from, to, fields.promotion).filter(|mv| mv.is_castling())
    {
        return Ok(castling);
    }

    let origins = origins(position, piece_type, fields);
    let promotes = piece_type == PieceType::Pawn && to.rank() == us.promotion_rank();
    if origins.is_empty() || fields.promotion.is_some() && !promotes {
        return Err(no_such_move());
    }
    if promotes && fields.promotion.is_none() {
        return Err(ResolveError::MissingPromotion);
    }
    let mut legal = origins
        .into_iter()
        .filter_map(|from| Move::new(from, to, kind(position, piece_type, from, fields)))
        .filter(|&mv| position.is_legal(mv));
    match (legal.next(), legal.next()) {
        (Some(mv), None) => Ok(mv),
        (Some(first), Some(second)) => {
            Err(ResolveError::Ambiguous([first, second].into_iter().chain(legal).collect()))
        }
        (None, _) => Err(ResolveError::KingInCheck(reason(position, fields))),
    }
}

/// Why the piece that was meant cannot make the move; `None` if it is not clear which piece was meant.
#[cold]
fn reason(position: &Position, fields: &SanFields) -> Option<IllegalReason> {
    let us = position.side_to_move();
    let to = fields.to;
    let file = fields.from_file.map_or(Bitboard::ALL, Bitboard::from_file);
    let rank = fields.from_rank.map_or(Bitboard::ALL, Bitboard::from_rank);
    let mut meant = file & rank;
    // With both squares and no piece letter it may be any square.
    if let Some(piece_type) = fields.piece_type {
        meant &= position.pieces(piece_type.of(us));
        if piece_type == PieceType::Pawn && fields.from_file.is_none() && !fields.captures {
            meant &= Bitboard::from_file(to.file());
        }
    }
    let reasons = meant.into_iter().filter_map(|from| position.why_illegal(from, to, fields.promotion));
    // Of several pieces, the one is meant that could go there on an empty board.
    let is_near = |reason: &IllegalReason| !matches!(reason, IllegalReason::Unreachable { .. });
    only(reasons.clone().filter(is_near)).or_else(|| only(reasons))
}

/// The only item.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    items.next().filter(|_| items.next().is_none())
}

/// The origins of all pseudo-legal moves that fit.
fn origins(position: &Position, piece_type: PieceType, fields: &SanFields) -> Bitboard {
    let us = position.side_to_move();
    let to = fields.to;
    let reach = match piece_type {
        _ if position.by_color(us).contains(to) => Bitboard::EMPTY,
        PieceType::Pawn if fields.from_file.map_or(fields.captures, |file| file != to.file()) => {
            pawn_captures(position, to)
        }
        PieceType::Pawn => pawn_steps(position, to),
        _ => attacks::of(piece_type.of(us), to, position.occupied()),
    };
    let file = fields.from_file.map_or(Bitboard::ALL, Bitboard::from_file);
    let rank = fields.from_rank.map_or(Bitboard::ALL, Bitboard::from_rank);
    reach & position.pieces(piece_type.of(us)) & file & rank
}

/// Where pawns that capture on a square come from.
fn pawn_captures(position: &Position, to: Square) -> Bitboard {
    let them = !position.side_to_move();
    if position.by_color(them).contains(to) || position.en_passant() == Some(to) {
        attacks::pawn(them, to)
    } else {
        Bitboard::EMPTY
    }
}

/// Where a pawn that goes straight on to a square comes from.
fn pawn_steps(position: &Position, to: Square) -> Bitboard {
    let us = position.side_to_move();
    let is_free = |square: Square| position.piece_at(square).is_none();
    let back = |square: Square| square.step(Direction::forward(!us));
    let Some(single) = back(to).filter(|_| is_free(to)) else { return Bitboard::EMPTY };
    match back(single) {
        Some(double) if is_free(single) && double.rank() == us.pawn_rank() => double.bitboard(),
        _ => single.bitboard(),
    }
}

fn kind(position: &Position, piece_type: PieceType, from: Square, fields: &SanFields) -> MoveKind {
    match fields.promotion {
        Some(becomes) => MoveKind::Promotion(becomes),
        None if piece_type != PieceType::Pawn => MoveKind::Normal,
        None if from.rank().index().abs_diff(fields.to.rank().index()) == 2 => MoveKind::DoubleStep,
        None if from.file() != fields.to.file() && position.piece_at(fields.to).is_none() => {
            MoveKind::EnPassant
        }
        None => MoveKind::Normal,
    }
}
