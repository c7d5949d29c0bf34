//! The board on which games are replayed. It has piece sets only, so that most moves of a file are read, proven legal
//! and played in about twenty nanoseconds.
//!
//! The common case needs no move generation. A SAN token names the kind of piece and the target; the pieces
//! that would reach the target on an empty board are a table lookup, and if exactly one of them is ours and
//! nothing stands between, that is the move. It is made, and legal if our king is then not attacked: this
//! one test covers pins, checks and steps into check alike. Whatever is different (castling, promotion, en
//! passant, several candidates, sloppy notation) is declined and goes the long way.

use core::ops::ControlFlow;

use ferz_board::{
    Bitboard, Board, CastlingMode, CastlingSide, Color, IllegalReason, Move, MoveKind, PieceType, Position,
    Setup, Square, attacks,
};

use super::token::{Decoded, Kind};
use super::vectors::{Baseline, Vectors};
use super::{Stop, Visitor};
use crate::san::syntax::{SanFields, SanSyntax};
use crate::san::{self, SanError};

/// A position without clocks, keys and piece list, seen from the side to move.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Replay {
    /// By piece type, both sides; the last two are unused and make it one vector.
    types: [Bitboard; 8],
    us: Bitboard,
    them: Bitboard,
    /// Rooks that may castle, with their kings.
    castling: Bitboard,
    /// The square a pawn has just skipped.
    skipped: Bitboard,
    side: Color,
}

/// A move that was played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Played {
    from: Square,
    to: Square,
    double_step: bool,
}

impl Played {
    /// The move itself, put together only if someone wants it.
    #[inline(always)]
    pub(crate) fn mv(self) -> Option<Move> {
        let kind = if self.double_step { MoveKind::DoubleStep } else { MoveKind::Normal };
        Move::new(self.from, self.to, kind)
    }
}

/// A move of the common kind, found and proven legal.
pub(crate) struct CommonMove {
    piece_type: PieceType,
    played: Played,
    /// The sides after it.
    us: Bitboard,
    them: Bitboard,
}

/// A board on which games are replayed: [`Replay`], or a [`Position`] for a visitor that wants one.
pub(crate) trait ReplayBoard: Copy {
    fn of_type(&self, piece_type: PieceType) -> Bitboard;
    fn of_side_to_move(&self) -> Bitboard;
    fn of_other_side(&self) -> Bitboard;
    fn side(&self) -> Color;

    /// Writes the board after the move of a token, if it is one of the common kind, to a second board. (Not to this one: variations go back to it, and a copy would cost more than
    /// the move.)
    fn play_common(&self, vectors: impl Vectors, token: Decoded, next: &mut Self) -> Option<Played>;

    /// Reads any token and plays the move: SAN first, then whatever people write instead.
    fn play_any(&mut self, text: &[u8]) -> Result<Option<Move>, ReplayError>;

    /// Reports a move that was played.
    fn report<V: Visitor>(
        visitor: &mut V,
        before: &Self,
        mv: Option<Move>,
        after: &Self,
    ) -> ControlFlow<Stop>;

    /// The move of a token, if it is one of the common kind.
    ///
    /// What can be wrong is tested together where it can be: moves are hard to predict, and a branch that is
    /// taken now and then costs more than what it saves.
    #[inline(always)]
    fn find_common(&self, vectors: impl Vectors, token: Decoded) -> Option<CommonMove> {
        if !token.is_common() {
            return None;
        }
        let Kind { piece_type, origins, is_pawn, leaps } = token.kind();
        let target = token.to();
        let to = target.bitboard();
        let (ours, theirs) = (self.of_side_to_move(), self.of_other_side());
        let occupied = ours | theirs;
        let mut candidates = origins & self.of_type(piece_type) & ours & token.mask();
        if candidates.is_several() {
            candidates = unblocked(candidates, target, occupied);
        }
        let from = first(candidates);
        let capture_is_wrong = theirs.intersects(to) ^ token.is_capture();
        let way = leaps | vectors.path_is_clear(from, target, occupied);
        if ours.intersects(to) | capture_is_wrong | !candidates.is_singular() | (way == 0) {
            return None;
        }
        // Our own pieces do not attack our king, so the test needs no new sets but those of the sides.
        let (us, them) = (ours ^ (candidates | to), theirs - to);
        let king_moves = u64::from(piece_type == PieceType::King).wrapping_neg();
        let kings = self.of_type(PieceType::King) & ours;
        let king = (kings - candidates) | to & Bitboard(king_moves);
        if self.is_attacked(vectors, first(king), us | them, them) {
            return None;
        }
        let double_step = is_pawn & (from.index().abs_diff(target.index()) == 16);
        let played = Played { from, to: target, double_step };
        Some(CommonMove { piece_type, played, us, them })
    }

    /// Whether one of `them` attacks a square of the side to move.
    #[inline(always)]
    fn is_attacked(&self, vectors: impl Vectors, square: Square, occupied: Bitboard, them: Bitboard) -> bool {
        let queens = self.of_type(PieceType::Queen);
        let attackers = attacks::pawn(self.side(), square) & self.of_type(PieceType::Pawn)
            | attacks::knight(square) & self.of_type(PieceType::Knight)
            | attacks::king(square) & self.of_type(PieceType::King);
        let straight = (self.of_type(PieceType::Rook) | queens) & them;
        let diagonal = (self.of_type(PieceType::Bishop) | queens) & them;
        attackers.intersects(them) | vectors.is_attacked_by_sliders(square, occupied, straight, diagonal)
    }
}

impl ReplayBoard for Replay {
    #[inline(always)]
    fn of_type(&self, piece_type: PieceType) -> Bitboard {
        self.types[piece_type.index()]
    }

    #[inline(always)]
    fn of_side_to_move(&self) -> Bitboard {
        self.us
    }

    #[inline(always)]
    fn of_other_side(&self) -> Bitboard {
        self.them
    }

    #[inline(always)]
    fn side(&self) -> Color {
        self.side
    }

    #[inline(always)]
    fn play_common(&self, vectors: impl Vectors, token: Decoded, next: &mut Replay) -> Option<Played> {
        let CommonMove { piece_type, played, us, them } = self.find_common(vectors, token)?;
        let to = played.to.bitboard();
        let changed = played.from.bitboard() | to;
        next.types = self.sets_after(changed, to, piece_type);
        let skipped = Square::wrapping((played.from as u32 + played.to as u32) / 2).bitboard();
        next.skipped = if played.double_step { skipped } else { Bitboard::EMPTY };
        next.castling = self.castling - changed;
        next.us = them;
        next.them = us;
        next.side = !self.side;
        Some(played)
    }

    fn play_any(&mut self, text: &[u8]) -> Result<Option<Move>, ReplayError> {
        self.play_text(text)
    }

    #[inline(always)]
    fn report<V: Visitor>(visitor: &mut V, _: &Replay, mv: Option<Move>, _: &Replay) -> ControlFlow<Stop> {
        visitor.mv(mv)
    }
}

impl ReplayBoard for Position {
    #[inline(always)]
    fn of_type(&self, piece_type: PieceType) -> Bitboard {
        self.by_type(piece_type)
    }

    #[inline(always)]
    fn of_side_to_move(&self) -> Bitboard {
        self.by_color(self.side_to_move())
    }

    #[inline(always)]
    fn of_other_side(&self) -> Bitboard {
        self.by_color(!self.side_to_move())
    }

    #[inline(always)]
    fn side(&self) -> Color {
        self.side_to_move()
    }

    #[inline(always)]
    fn play_common(&self, vectors: impl Vectors, token: Decoded, next: &mut Position) -> Option<Played> {
        let CommonMove { played, .. } = self.find_common(vectors, token)?;
        play_into(self, played.mv()?, next);
        Some(played)
    }

    fn play_any(&mut self, text: &[u8]) -> Result<Option<Move>, ReplayError> {
        let mv = Replay::new(self).play_text(text)?;
        match mv {
            Some(mv) => self.play_unchecked(mv),
            None => *self = self.null_move().ok_or(ReplayError::Illegal(None))?,
        }
        Ok(mv)
    }

    #[inline(always)]
    fn report<V: Visitor>(
        visitor: &mut V,
        before: &Position,
        mv: Option<Move>,
        after: &Position,
    ) -> ControlFlow<Stop> {
        visitor.play(before, mv, after)
    }
}

/// Not inlined: among the bitboards of the search for the move, the compiler would not update the sets as one vector.
#[inline(never)]
fn play_into(position: &Position, mv: Move, next: &mut Position) {
    position.play_into(mv, next, &mut ());
}

/// Those of several candidates, mostly two rooks, that nothing stands in the way of.
#[inline(never)]
fn unblocked(candidates: Bitboard, to: Square, occupied: Bitboard) -> Bitboard {
    candidates.into_iter().filter(|&from| !attacks::between(from, to).intersects(occupied)).collect()
}

/// The first square of a set that has one (`a1` of one that has none).
#[inline(always)]
fn first(set: Bitboard) -> Square {
    Square::wrapping(set.0.trailing_zeros())
}

/// By piece type: all ones for its own set.
static MEMBERSHIP: [[Bitboard; 8]; 6] = {
    let mut table = [[Bitboard::EMPTY; 8]; 6];
    let mut i = 0;
    while i < 6 {
        table[i][i] = Bitboard::ALL;
        i += 1;
    }
    table
};

/// Why a token cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReplayError {
    /// Not the text of a move.
    Syntax,
    /// No piece can make this move; the reason, if it is clear which piece was meant.
    Illegal(Option<IllegalReason>),
    /// Several pieces can.
    Ambiguous,
}

impl Replay {
    pub(crate) fn new(position: &Position) -> Replay {
        let side = position.side_to_move();
        let mut types = [Bitboard::EMPTY; 8];
        for piece_type in PieceType::ALL {
            types[piece_type.index()] = position.by_type(piece_type);
        }
        let castling = Color::ALL
            .into_iter()
            .filter(|&color| position.castling_rooks().intersects(position.by_color(color)))
            .fold(position.castling_rooks(), |rooks, color| rooks.with(position.king(color)));
        Replay {
            types,
            us: position.by_color(side),
            them: position.by_color(!side),
            castling,
            skipped: position.double_step().map_or(Bitboard::EMPTY, Square::bitboard),
            side,
        }
    }

    #[inline(always)]
    fn occupied(&self) -> Bitboard {
        self.us | self.them
    }

    /// The sets with the changed squares empty and a piece on `to`: all in one go, because reading them as one
    /// vector right after one of them was written alone would stall.
    #[inline(always)]
    fn sets_after(&self, changed: Bitboard, to: Bitboard, placed: PieceType) -> [Bitboard; 8] {
        let membership = &MEMBERSHIP[placed.index()];
        core::array::from_fn(|i| (self.types[i] - changed) | to & membership[i])
    }

    /// Reads any token and plays the move: SAN first, then whatever people write instead.
    #[cold]
    #[inline(never)]
    fn play_text(&mut self, text: &[u8]) -> Result<Option<Move>, ReplayError> {
        match san::syntax::parse_ascii(text) {
            Some(SanSyntax::Castling(side)) => {
                return self.castle(side).map(Some).ok_or_else(|| {
                    let position = self.to_position();
                    ReplayError::Illegal(position.and_then(|position| position.why_no_castling(side)))
                });
            }
            Some(SanSyntax::Move(fields)) => {
                if let Some(piece_type) = fields.piece_type
                    && let Ok(mv) = self.resolve(&fields, piece_type)
                {
                    return Ok(Some(mv));
                }
            }
            None => {}
        }
        // Sloppy notation, or an error to be named: the full rules decide.
        let position = self.to_position().ok_or(ReplayError::Illegal(None))?;
        let text = core::str::from_utf8(text).map_err(|_| ReplayError::Syntax)?;
        let mv = san::parse_or_null(&position, text).map_err(|error| match error {
            SanError::Syntax { .. } => ReplayError::Syntax,
            SanError::Ambiguous { .. } => ReplayError::Ambiguous,
            error => ReplayError::Illegal(error.reason()),
        })?;
        let next = match mv {
            Some(mv) => {
                let mut next = position;
                next.play(mv).map_err(|_| ReplayError::Illegal(None))?;
                next
            }
            None => position.null_move().ok_or(ReplayError::Illegal(None))?,
        };
        *self = Replay::new(&next);
        Ok(mv)
    }

    /// Plays the only legal move that fits. Stricter than `san::resolve` (an `x` must be a capture and a capture must
    /// have its `x`), and needs no position.
    fn resolve(&mut self, san: &SanFields, piece_type: PieceType) -> Result<Move, ReplayError> {
        let file = san.from_file.map_or(Bitboard::ALL, Bitboard::from_file);
        let rank = san.from_rank.map_or(Bitboard::ALL, Bitboard::from_rank);
        let to = san.to.bitboard();
        let occupied = self.occupied();
        let en_passant = piece_type == PieceType::Pawn && san.captures && to == self.skipped;
        let is_capture = self.them.intersects(to) || en_passant;
        let promotes = piece_type == PieceType::Pawn && Bitboard::BACK_RANKS.intersects(to);
        if self.us.intersects(to) || is_capture != san.captures || promotes != san.promotion.is_some() {
            return Err(ReplayError::Illegal(None));
        }
        let origins = match piece_type {
            PieceType::Pawn if san.captures => attacks::pawn(!self.side, san.to),
            PieceType::Pawn => self.push_origin(to, occupied),
            PieceType::Knight => attacks::knight(san.to),
            PieceType::Bishop => attacks::bishop(san.to, occupied),
            PieceType::Rook => attacks::rook(san.to, occupied),
            PieceType::Queen => attacks::queen(san.to, occupied),
            PieceType::King => attacks::king(san.to),
        };
        let mut found = None;
        for from in origins & self.of_type(piece_type) & self.us & file & rank {
            let kind = match san.promotion {
                Some(promotion) => MoveKind::Promotion(promotion),
                None if en_passant => MoveKind::EnPassant,
                None if piece_type == PieceType::Pawn && from.index().abs_diff(san.to.index()) == 16 => {
                    MoveKind::DoubleStep
                }
                None => MoveKind::Normal,
            };
            let Some(mv) = Move::new(from, san.to, kind) else { continue };
            let mut next = *self;
            if next.relocate(mv, piece_type) {
                if found.is_some() {
                    return Err(ReplayError::Ambiguous);
                }
                found = Some((mv, next));
            }
        }
        let (mv, next) = found.ok_or(ReplayError::Illegal(None))?;
        *self = next;
        Ok(mv)
    }

    /// Where a pawn that steps to `to` comes from.
    fn push_origin(&self, to: Bitboard, occupied: Bitboard) -> Bitboard {
        let back = |squares: Bitboard| match self.side {
            Color::White => squares >> 8,
            Color::Black => squares << 8,
        };
        let single = back(to);
        let fourth = match self.side {
            Color::White => ferz_board::Rank::Fourth,
            Color::Black => ferz_board::Rank::Fifth,
        };
        if single.intersects(occupied) { single } else { back(single & back(Bitboard::from_rank(fourth))) }
    }

    /// Makes any move but castling; whether it was legal.
    fn relocate(&mut self, mv: Move, piece_type: PieceType) -> bool {
        let (from, to) = (mv.from().bitboard(), mv.to().bitboard());
        let changed = from | to;
        self.types = self.sets_after(changed, to, mv.promotion().unwrap_or(piece_type));
        let (us, mut them) = ((self.us - from) | to, self.them - to);
        if mv.is_en_passant() {
            let victim = Square::wrapping(mv.from() as u32 & 56 | mv.to() as u32 & 7);
            self.types[PieceType::Pawn.index()].remove(victim);
            them.remove(victim);
        }
        let king = first(self.of_type(PieceType::King) & us);
        let legal = !self.is_attacked(Baseline, king, us | them, them);
        self.skipped = match mv.kind() {
            MoveKind::DoubleStep => Square::wrapping((mv.from() as u32 + mv.to() as u32) / 2).bitboard(),
            _ => Bitboard::EMPTY,
        };
        self.castling -= changed;
        (self.us, self.them) = (them, us);
        self.side = !self.side;
        legal
    }

    fn castle(&mut self, side: CastlingSide) -> Option<Move> {
        let back_rank = Bitboard::from_rank(self.side.back_rank());
        let king = (self.of_type(PieceType::King) & self.us & self.castling & back_rank).first()?;
        let rook = (self.of_type(PieceType::Rook) & self.us & self.castling & back_rank)
            .into_iter()
            .find(|&rook| CastlingSide::of_rook(king, rook) == side)?;
        let (king_to, rook_to) = (side.king_target(self.side), side.rook_target(self.side));
        let king_path = attacks::between(king, king_to).with(king_to).with(king);
        let rook_path = attacks::between(rook, rook_to).with(rook_to);
        let others = self.occupied().without(king).without(rook);
        if (king_path | rook_path).intersects(others) {
            return None;
        }
        // The king's own square casts no shadow on its way; the castled rook does on where it ends.
        let away = self.occupied().without(king);
        let attacked = |square, occupied| self.is_attacked(Baseline, square, occupied, self.them);
        if king_path.into_iter().any(|square| attacked(square, away))
            || attacked(king_to, others.with(king_to).with(rook_to))
        {
            return None;
        }
        for (piece_type, from, to) in [(PieceType::King, king, king_to), (PieceType::Rook, rook, rook_to)] {
            let set = &mut self.types[piece_type.index()];
            *set = set.without(from).with(to);
        }
        let us = self.us.without(king).without(rook).with(king_to).with(rook_to);
        (self.us, self.them) = (self.them, us);
        self.castling -= back_rank;
        self.skipped = Bitboard::EMPTY;
        self.side = !self.side;
        Move::new(king, rook, MoveKind::Castling)
    }

    /// The rooks that may castle; those of a king that has moved are still in the set.
    fn castling_rooks(&self) -> Bitboard {
        let with_king = |side: Bitboard| (self.castling & self.of_type(PieceType::King)).intersects(side);
        let rooks = self.castling & self.of_type(PieceType::Rook);
        [self.us, self.them]
            .into_iter()
            .filter(|&side| with_king(side))
            .fold(Bitboard::EMPTY, |all, side| all | rooks & side)
    }

    /// The position, with clocks at their start.
    pub(crate) fn to_position(self) -> Option<Position> {
        let mut board = Board::empty();
        for (squares, color) in [(self.us, self.side), (self.them, !self.side)] {
            for piece_type in PieceType::ALL {
                for square in self.of_type(piece_type) & squares {
                    board.set(square, Some(piece_type.of(color)));
                }
            }
        }
        let setup = Setup {
            board,
            side_to_move: self.side,
            castling_rooks: self.castling_rooks(),
            en_passant: self.skipped.first(),
            halfmove_clock: 0,
            fullmove_number: 1,
        };
        Position::from_setup(&setup, CastlingMode::Chess960).ok()
    }
}
