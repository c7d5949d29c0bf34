//! Finding the one legal move that is meant.

use ferz_board::{
    Bitboard, CastlingSide, Direction, Move, MoveKind, Piece, PieceType, Position, Square, attacks,
};

use super::SanError;
use super::error::quoted;
use super::syntax::{Said, SaidMove};

/// A [`SanError`] to which the text has yet to be added.
pub(super) enum Refusal {
    NoSuchMove,
    KingInCheck,
    CannotCastle,
    MissingPromotion,
    Ambiguous(Vec<Move>),
}

impl Refusal {
    pub(super) fn of(self, text: &str) -> SanError {
        let token = quoted(text);
        match self {
            Refusal::NoSuchMove => SanError::NoSuchMove { token },
            Refusal::KingInCheck => SanError::KingInCheck { token },
            Refusal::CannotCastle => SanError::CannotCastle { token },
            Refusal::MissingPromotion => SanError::MissingPromotion { token },
            Refusal::Ambiguous(candidates) => SanError::Ambiguous { token, candidates },
        }
    }
}

pub(super) fn resolve(position: &Position, said: &Said) -> Result<Move, Refusal> {
    match said {
        Said::Castling(side) => castle(position, *side),
        Said::Move(said) => find(position, said),
    }
}

fn castle(position: &Position, side: CastlingSide) -> Result<Move, Refusal> {
    let us = position.side_to_move();
    position
        .castling_rook(us, side)
        .and_then(|rook| Move::new(position.king(us), rook, MoveKind::Castling))
        .filter(|&mv| position.is_legal(mv))
        .ok_or(Refusal::CannotCastle)
}

fn find(position: &Position, said: &SaidMove) -> Result<Move, Refusal> {
    let us = position.side_to_move();
    let to = said.to;
    let from = said.from_file.zip(said.from_rank).map(|(file, rank)| Square::from_coords(file, rank));
    let standing = from.and_then(|from| position.piece_at(from)).map(Piece::piece_type);
    let piece_type = said.piece_type.or(standing).ok_or(Refusal::NoSuchMove)?;
    if piece_type == PieceType::King
        && let Some(from) = from
        && let Some(castling) = position.find_move(from, to, said.promotion).filter(|mv| mv.is_castling())
    {
        return Ok(castling);
    }

    let origins = origins(position, piece_type, said);
    let promotes = piece_type == PieceType::Pawn && to.rank() == us.promotion_rank();
    if origins.is_empty() || said.promotion.is_some() && !promotes {
        return Err(Refusal::NoSuchMove);
    }
    if promotes && said.promotion.is_none() {
        return Err(Refusal::MissingPromotion);
    }
    let mut legal = origins
        .into_iter()
        .filter_map(|from| Move::new(from, to, kind(position, piece_type, from, said)))
        .filter(|&mv| position.is_legal(mv));
    match (legal.next(), legal.next()) {
        (Some(mv), None) => Ok(mv),
        (Some(first), Some(second)) => {
            Err(Refusal::Ambiguous([first, second].into_iter().chain(legal).collect()))
        }
        (None, _) => Err(Refusal::KingInCheck),
    }
}

/// Where the pieces stand that could be meant if nobody attacked the king.
fn origins(position: &Position, piece_type: PieceType, said: &SaidMove) -> Bitboard {
    let us = position.side_to_move();
    let to = said.to;
    let reach = match piece_type {
        _ if position.by_color(us).contains(to) => Bitboard::EMPTY,
        PieceType::Pawn if said.from_file.map_or(said.captures, |file| file != to.file()) => {
            pawn_captures(position, to)
        }
        PieceType::Pawn => pawn_steps(position, to),
        _ => attacks::of(piece_type.of(us), to, position.occupied()),
    };
    let file = said.from_file.map_or(Bitboard::ALL, Bitboard::from_file);
    let rank = said.from_rank.map_or(Bitboard::ALL, Bitboard::from_rank);
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

fn kind(position: &Position, piece_type: PieceType, from: Square, said: &SaidMove) -> MoveKind {
    match said.promotion {
        Some(becomes) => MoveKind::Promotion(becomes),
        None if piece_type != PieceType::Pawn => MoveKind::Normal,
        None if from.rank().index().abs_diff(said.to.rank().index()) == 2 => MoveKind::DoubleStep,
        None if from.file() != said.to.file() && position.piece_at(said.to).is_none() => MoveKind::EnPassant,
        None => MoveKind::Normal,
    }
}
