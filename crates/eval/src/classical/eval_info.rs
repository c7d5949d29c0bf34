//! Attack maps, king zones and other facts that several terms need, computed once per evaluation.

use ferz_board::{Bitboard, PieceType, Position, Square, attacks};

use super::pawns::{Pawns, Structure};
use super::score::TaperedScore;
use super::side::{Black, Side, White};

/// The attack maps of a side.
#[derive(Clone, Copy, Default)]
pub(super) struct AttackMaps {
    /// By piece type, with X-ray attacks: sliders look through their own queens, and rooks through each other.
    by: [Bitboard; 6],
    /// By anything.
    pub(super) all: Bitboard,
    /// By two or more.
    pub(super) twice: Bitboard,
}

impl AttackMaps {
    #[inline(always)]
    pub(super) fn by(&self, piece_type: PieceType) -> Bitboard {
        self.by[piece_type.index()]
    }

    #[inline(always)]
    fn add(&mut self, piece_type: PieceType, squares: Bitboard) {
        self.twice |= self.all & squares;
        self.all |= squares;
        self.by[piece_type.index()] |= squares;
    }
}

/// A position with its attack maps, which are filled in as the pieces are visited.
pub(super) struct EvalInfo<'a> {
    pub(super) position: &'a Position,
    pub(super) structure: &'a Structure,
    attacks: [AttackMaps; 2],
    /// The mobility area of each side.
    mobility_area: [Bitboard; 2],
    /// The king zone of each side.
    king_zone: [Bitboard; 2],
    /// What a rook and a bishop on each king's square would attack: the squares that checks come from.
    king_lines: [(Bitboard, Bitboard); 2],
    pinned: [Bitboard; 2],
    /// The sum of each side's attack on the enemy king so far.
    king_attack: [TaperedScore; 2],
}

impl<'a> EvalInfo<'a> {
    #[inline(always)]
    pub(super) fn new(position: &'a Position, pawns: &'a Pawns) -> EvalInfo<'a> {
        let king_lines = [king_lines::<White>(position), king_lines::<Black>(position)];
        let [white, black] = &pawns.shelters;
        EvalInfo {
            position,
            structure: &pawns.structure,
            attacks: [pawns_and_king::<White>(position), pawns_and_king::<Black>(position)],
            mobility_area: [mobility_area::<White>(position), mobility_area::<Black>(position)],
            king_zone: [king_zone::<White>(position), king_zone::<Black>(position)],
            pinned: [pinned::<White>(position, king_lines[0]), pinned::<Black>(position, king_lines[1])],
            king_lines,
            king_attack: [black.exposure, white.exposure],
        }
    }

    /// The squares of a side's pieces of a type.
    #[inline(always)]
    pub(super) fn pieces<Us: Side>(&self, piece_type: PieceType) -> Bitboard {
        self.position.pieces(piece_type.of(Us::COLOR))
    }

    #[inline(always)]
    pub(super) fn attacks<Us: Side>(&self) -> &AttackMaps {
        &self.attacks[Us::COLOR.index()]
    }

    #[inline(always)]
    pub(super) fn king_zone<Us: Side>(&self) -> Bitboard {
        self.king_zone[Us::COLOR.index()]
    }

    #[inline(always)]
    pub(super) fn king_lines<Us: Side>(&self) -> (Bitboard, Bitboard) {
        self.king_lines[Us::COLOR.index()]
    }

    #[inline(always)]
    pub(super) fn pinned<Us: Side>(&self) -> Bitboard {
        self.pinned[Us::COLOR.index()]
    }

    #[inline(always)]
    pub(super) fn king_attack<Us: Side>(&mut self) -> &mut TaperedScore {
        &mut self.king_attack[Us::COLOR.index()]
    }

    /// The distance of a square from a side's king, in king moves.
    #[inline(always)]
    pub(super) fn distance_to_king<Us: Side>(&self, square: Square) -> u8 {
        DISTANCE[self.position.king(Us::COLOR).index()][square.index()]
    }

    /// Adds a piece to the attack maps; a pinned piece attacks only along its pin. Returns its attacks and its mobility.
    #[inline(always)]
    pub(super) fn add_attacks<Us: Side>(
        &mut self,
        piece_type: PieceType,
        square: Square,
        attacked: Bitboard,
    ) -> (Bitboard, usize) {
        let attacked = self.unless_pinned::<Us>(square, attacked);
        self.attacks[Us::COLOR.index()].add(piece_type, attacked);
        (attacked, (attacked & self.mobility_area[Us::COLOR.index()]).len() as usize)
    }

    /// The mobility of a piece that attacks these squares unless it is pinned.
    #[inline(always)]
    pub(super) fn mobility<Us: Side>(&self, square: Square, attacked: Bitboard) -> usize {
        (self.unless_pinned::<Us>(square, attacked) & self.mobility_area[Us::COLOR.index()]).len() as usize
    }

    #[inline(always)]
    fn unless_pinned<Us: Side>(&self, square: Square, attacked: Bitboard) -> Bitboard {
        if self.pinned::<Us>().contains(square) {
            attacked & attacks::line(self.position.king(Us::COLOR), square)
        } else {
            attacked
        }
    }
}

/// The distance of any two squares.
static DISTANCE: [[u8; 64]; 64] = {
    let mut table = [[0; 64]; 64];
    let mut i = 0;
    while i < 64 * 64 {
        table[i / 64][i % 64] = Square::ALL[i / 64].distance(Square::ALL[i % 64]);
        i += 1;
    }
    table
};

#[inline(always)]
fn pawns_and_king<Us: Side>(position: &Position) -> AttackMaps {
    let pawns = position.pieces(PieceType::Pawn.of(Us::COLOR));
    let mut attacks = AttackMaps::default();
    attacks.add(PieceType::King, attacks::king(position.king(Us::COLOR)));
    attacks.add(PieceType::Pawn, Us::pawn_attacks(pawns));
    attacks.twice |= Us::pawn_double_attacks(pawns);
    attacks
}

/// The mobility area: squares that no enemy pawn attacks and that neither the own king nor a blocked or unmoved own pawn
/// occupies.
#[inline(always)]
fn mobility_area<Us: Side>(position: &Position) -> Bitboard {
    let pawns = position.pieces(PieceType::Pawn.of(Us::COLOR));
    let stuck = pawns & (Us::backward(position.occupied()) | Us::ranks(1, 2));
    let king = position.king(Us::COLOR).bitboard();
    let their_pawns = position.pieces(PieceType::Pawn.of(Us::Them::COLOR));
    !(stuck | king | Us::Them::pawn_attacks(their_pawns))
}

/// The king zone: the king's square, those around it and those one rank further forward.
#[inline(always)]
fn king_zone<Us: Side>(position: &Position) -> Bitboard {
    let king = position.king(Us::COLOR);
    let around = attacks::king(king) | king.bitboard();
    around | Us::forward(around)
}

#[inline(always)]
fn king_lines<Us: Side>(position: &Position) -> (Bitboard, Bitboard) {
    let (king, occupied) = (position.king(Us::COLOR), position.occupied());
    (attacks::rook(king, occupied), attacks::bishop(king, occupied))
}

/// The pieces pinned to their king: without them, an enemy slider would attack it.
#[inline(always)]
fn pinned<Us: Side>(position: &Position, (lines, diagonals): (Bitboard, Bitboard)) -> Bitboard {
    let (king, ours) = (position.king(Us::COLOR), position.by_color(Us::COLOR));
    let behind = position.occupied() - (ours & (lines | diagonals));
    let theirs = position.by_color(Us::Them::COLOR);
    let queens = position.by_type(PieceType::Queen);
    let on_lines = (attacks::rook(king, behind) - lines) & (position.by_type(PieceType::Rook) | queens);
    let on_diagonals =
        (attacks::bishop(king, behind) - diagonals) & (position.by_type(PieceType::Bishop) | queens);
    let mut pinned = Bitboard::EMPTY;
    for pinner in (on_lines | on_diagonals) & theirs {
        pinned |= attacks::between(king, pinner) & ours;
    }
    pinned
}
