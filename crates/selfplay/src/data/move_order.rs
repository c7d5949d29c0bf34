//! Legal moves in the order in which they are likely to be played.
//!
//! The order depends on the position, the move before and the earlier games of the block, which both the writer and the
//! reader know.

use ferz_board::{Bitboard, Color, Move, Piece, PieceType, Position, Square, attacks};

use super::is_tactical;

/// Rough piece values in centipawns.
const VALUES: [i32; 6] = [100, 300, 320, 500, 900, 1500];

/// A legal move with its class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) mv: Move,
    /// The kind of move, below [`KINDS`].
    pub(super) kind: usize,
    /// The class of its likely gain or loss, below [`GAINS`].
    pub(super) gain: usize,
    /// Higher for likelier moves.
    order: i32,
}

pub(super) const KINDS: usize = 7;
pub(super) const GAINS: usize = 6;

/// How often pieces went where, from the mover's point of view.
#[derive(Debug)]
pub(super) struct Habits {
    /// By type and target.
    to: Vec<[i16; 64]>,
    /// By type and origin.
    from: Vec<[i16; 64]>,
}

impl Habits {
    pub(super) fn new() -> Habits {
        Habits { to: vec![[0; 64]; 6], from: vec![[0; 64]; 6] }
    }

    fn of(&self, side: Color, piece_type: PieceType, mv: Move) -> i32 {
        let [from, to] = [mv.from(), mv.to()].map(|square| square.relative_to(side).index());
        i32::from(self.to[piece_type.index()][to]) + i32::from(self.from[piece_type.index()][from])
    }

    /// Learns from a move that was played, and from likelier moves that were not.
    pub(super) fn learn(&mut self, position: &Position, mv: Move, is_played: bool) {
        let Some(piece) = position.piece_at(mv.from()) else { return };
        let side = position.side_to_move();
        let [from, to] = [mv.from(), mv.to()].map(|square| square.relative_to(side).index());
        for value in
            [&mut self.to[piece.piece_type().index()][to], &mut self.from[piece.piece_type().index()][from]]
        {
            let target = if is_played { 1000 } else { -1000 };
            *value += (target - *value) / if is_played { 24 } else { 96 };
        }
    }
}

/// Orders the legal moves of a position that the last move led to.
pub(super) fn candidates(
    position: &Position,
    last: Option<Move>,
    habits: &Habits,
    list: &mut Vec<Candidate>,
) {
    let threats = Threats::new(position);
    list.clear();
    list.extend(position.legal_moves().into_iter().map(|mv| threats.judge(position, mv, last, habits)));
    list.sort_unstable_by_key(|it| (-it.order, it.mv.bits()));
}

/// The attacks of the side that is not to move.
struct Threats {
    /// Squares attacked by a piece of less value, for each piece type.
    by_less: [Bitboard; 6],
    all: Bitboard,
}

impl Threats {
    fn new(position: &Position) -> Threats {
        let them = !position.side_to_move();
        let occupied = position.occupied();
        let attacked = |piece_type: PieceType| {
            position.pieces(piece_type.of(them)).into_iter().fold(Bitboard::EMPTY, |all, square| {
                all | match piece_type {
                    PieceType::Pawn => attacks::pawn(them, square),
                    PieceType::Knight => attacks::knight(square),
                    PieceType::Bishop => attacks::bishop(square, occupied),
                    PieceType::Rook => attacks::rook(square, occupied),
                    PieceType::Queen => attacks::queen(square, occupied),
                    PieceType::King => attacks::king(square),
                }
            })
        };
        let [pawn, knight, bishop, rook, queen, king] = PieceType::ALL.map(attacked);
        let minor = pawn | knight | bishop;
        let none = Bitboard::EMPTY;
        Threats { by_less: [none, pawn, pawn, minor, minor | rook, none], all: minor | rook | queen | king }
    }

    fn judge(&self, position: &Position, mv: Move, last: Option<Move>, habits: &Habits) -> Candidate {
        let side = position.side_to_move();
        let piece_type = position.piece_at(mv.from()).map_or(PieceType::Pawn, Piece::piece_type);
        let (from, to) = (mv.from(), mv.to());
        let mut gain = match position.piece_at(to) {
            Some(victim) if !mv.is_castling() => VALUES[victim.piece_type().index()],
            _ if mv.is_en_passant() => VALUES[0],
            _ => 0,
        };
        if let Some(promotion) = mv.promotion() {
            gain += VALUES[promotion.index()] - VALUES[0];
        }
        let value = VALUES[piece_type.index()];
        let hangs = |square: Square, mover_is_there: bool| {
            let is_defended = || {
                let ours = position.attackers_to(square) & position.by_color(side);
                if mover_is_there { ours.without(from).any() } else { ours.any() }
            };
            self.by_less[piece_type.index()].contains(square)
                || self.all.contains(square) && piece_type != PieceType::King && !is_defended()
        };
        if !mv.is_castling() {
            if hangs(to, true) {
                gain -= value;
            } else if self.all.contains(to) && gain > 0 && gain < value {
                // Probably recaptured.
                gain -= value * 3 / 4;
            }
            if piece_type != PieceType::King && hangs(from, false) {
                gain += value * 2 / 3;
            }
        }
        let is_recapture = last.is_some_and(|last| last.destination() == to);
        let is_tactical = is_tactical(position, mv);
        let gives_check = position.gives_check(mv);
        let kind = match piece_type {
            _ if is_tactical && is_recapture => 0,
            _ if is_tactical => 1,
            _ if gives_check => 2,
            _ if mv.is_castling() => 3,
            PieceType::Pawn => 4,
            PieceType::King => 5,
            _ => 6,
        };
        let order = 2 * gain
            + habits.of(side, piece_type, mv)
            + [700, 0, 50, 400, 0, 0, 0][kind]
            + if gives_check { 50 } else { 0 };
        let gain = [-250, -50, 1, 100, 300].iter().filter(|&&step| gain >= step).count();
        Candidate { mv, kind, gain, order }
    }
}
