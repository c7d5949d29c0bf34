//! Generating legal moves: checks and pins are known before the first move is written, so that every move
//! that comes out is legal and none has to be tried.

mod filter;
mod gives_check;
mod is_legal;
mod masks;
pub(crate) mod placement;
pub(crate) mod side;
mod sinks;

pub use filter::MoveClass;
pub use masks::{MoveMasks, MoveSet, MoveSetKind};

pub(crate) use filter::All;
use filter::{Filter, To};
use placement::Placement;
use side::{Bishop, Black, Kind, King, Knight, Queen, Rook, Side, White};
use sinks::{Children, Moves};

use crate::{Bitboard, CastlingSide, Color, File, Move, MoveList, Position, Square, attacks, count};

/// Receives the moves of a position in sets, as the generator finds them.
pub(crate) trait Sink {
    /// Moves of one piece that is not a pawn.
    fn piece<P: Kind>(&mut self, from: Square, targets: Bitboard);
    /// Pawn moves straight on, by the squares they reach; promotions among the single steps.
    fn pawn_pushes(&mut self, single: Bitboard, double: Bitboard);
    /// Pawn captures towards the a-file, by the squares they reach; promotions among them.
    fn pawn_captures_west(&mut self, targets: Bitboard);
    /// Pawn captures towards the h-file.
    fn pawn_captures_east(&mut self, targets: Bitboard);
    /// An en-passant capture by the pawn on `from`.
    fn en_passant(&mut self, from: Bitboard);
    /// Castling with a rook to one side.
    fn castling(&mut self, rook: Square, side: CastlingSide);
}

/// Whether the side to move, not in check, may castle now with this rook of its own that has the right.
#[inline(always)]
pub(crate) fn may_castle<S: Side>(
    king: Square,
    rook: Square,
    occupied: Bitboard,
    danger: Bitboard,
    pinned: Bitboard,
) -> bool {
    let side = CastlingSide::of_rook(king, rook);
    let (king_to, rook_to) = (side.king_target(S::COLOR), side.rook_target(S::COLOR));
    let king_path = attacks::between(king, king_to).with(king_to);
    let rook_path = attacks::between(rook, rook_to).with(rook_to);
    let others = occupied.without(king).without(rook);
    // A rook that shields its king along the back rank must stay.
    !((king_path | rook_path) & others).any() && !king_path.intersects(danger) && !pinned.contains(rook)
}

/// The number of castling moves of the side to move, not in check, with these rooks of its own that have the right.
#[inline(always)]
pub(crate) fn count_castling<S: Side>(
    king: Square,
    rooks: Bitboard,
    occupied: Bitboard,
    danger: Bitboard,
    pinned: impl FnOnce() -> Bitboard,
) -> u32 {
    const A_FILE: Bitboard = Bitboard::from_file(File::A);
    const H_FILE: Bitboard = Bitboard::from_file(File::H);
    // Where king and rooks start in standard chess, all squares are constants: 3 to 5 % of a perft.
    if king.file() != File::E || (rooks & !(A_FILE | H_FILE)).any() {
        return count_castling_chess960::<S>(king, rooks, occupied, danger, pinned());
    }
    const KING_PATH: Bitboard = Bitboard(0x6000_0000_0000_0060);
    const QUEEN_PATH: Bitboard = Bitboard(0x0c00_0000_0000_000c);
    const ROOK_PATH: Bitboard = Bitboard(0x0e00_0000_0000_000e);
    let king_side = (occupied | danger) & KING_PATH & S::BACK_RANK;
    let queen_side = (occupied & ROOK_PATH | danger & QUEEN_PATH) & S::BACK_RANK;
    u32::from(rooks.intersects(H_FILE) & king_side.is_empty())
        + u32::from(rooks.intersects(A_FILE) & queen_side.is_empty())
}

#[cold]
#[inline(never)]
fn count_castling_chess960<S: Side>(
    king: Square,
    rooks: Bitboard,
    occupied: Bitboard,
    danger: Bitboard,
    pinned: Bitboard,
) -> u32 {
    rooks.into_iter().map(|rook| u32::from(may_castle::<S>(king, rook, occupied, danger, pinned))).sum()
}

/// Feeds all legal moves that pass a filter to a sink.
#[inline(always)]
pub(crate) fn generate<S: Side, F: Filter, K: Sink>(node: &Placement, filter: F, sink: &mut K) {
    let threats = node.threats::<S>();
    let king = node.king();
    let (us, them, occupied) = (node.us, node.them, node.occupied());
    let danger = node.danger::<S>();

    let king_targets = attacks::king(king) & filter.targets(them, occupied) & !(us | danger);
    sink.piece::<King>(king, king_targets);
    if threats.checkers.is_several() {
        return;
    }

    let answers = threats.answers(king);
    let targets = filter.targets(them, occupied) & answers & !us;
    let (straight, diagonal) = (threats.pins_straight, threats.pins_diagonal);
    let pinned = straight | diagonal;

    for from in node.knights & us & !pinned {
        sink.piece::<Knight>(from, attacks::knight(from) & targets);
    }
    let queens = node.diagonal & node.straight & us;
    for from in node.diagonal & us & !(straight | queens) {
        let mut reached = attacks::bishop(from, occupied) & targets;
        if diagonal.contains(from) {
            reached &= diagonal;
        }
        sink.piece::<Bishop>(from, reached);
    }
    for from in node.straight & us & !(diagonal | queens) {
        let mut reached = attacks::rook(from, occupied) & targets;
        if straight.contains(from) {
            reached &= straight;
        }
        sink.piece::<Rook>(from, reached);
    }
    for from in queens {
        let reached = if straight.contains(from) {
            attacks::rook(from, occupied) & straight
        } else if diagonal.contains(from) {
            attacks::bishop(from, occupied) & diagonal
        } else {
            attacks::queen(from, occupied)
        };
        sink.piece::<Queen>(from, reached & targets);
    }

    // A pinned pawn goes straight on along a file or captures along a diagonal, never off its line.
    let pawns = node.pawns & us;
    let free = pawns & !pinned;
    let on_file = pawns & straight;
    let on_diagonal = pawns & diagonal;
    let steps = (S::forward(free) | S::forward(on_file) & straight) & !occupied;
    let double_steps = S::forward(steps & S::THIRD_RANK) & !occupied;
    let push_targets = answers & filter.push_targets(S::PROMOTION_RANK);
    sink.pawn_pushes(steps & push_targets, double_steps & push_targets);
    let captures = them & answers & filter.targets(them, occupied);
    sink.pawn_captures_west((S::capture_west(free) | S::capture_west(on_diagonal) & diagonal) & captures);
    sink.pawn_captures_east((S::capture_east(free) | S::capture_east(on_diagonal) & diagonal) & captures);

    if node.en_passant.any() && filter.en_passant(node.en_passant) {
        let mut capturers = S::Them::pawn_attacks(node.en_passant) & pawns;
        while capturers.any() {
            let from = capturers.pop_lowest();
            if node.en_passant_is_safe::<S>(from, threats.checkers) {
                sink.en_passant(from);
            }
        }
    }

    let rooks = node.castling & us;
    if rooks.any() && threats.checkers.is_empty() {
        for rook in rooks {
            let side = CastlingSide::of_rook(king, rook);
            if filter.castling(side.king_target(S::COLOR))
                && may_castle::<S>(king, rook, occupied, danger, straight)
            {
                sink.castling(rook, side);
            }
        }
    }
}

/// Runs the same code for the side to move, known to the compiler as `$side`.
macro_rules! for_side_to_move {
    ($position:expr, $side:ident => $body:expr) => {
        match $position.side_to_move() {
            Color::White => {
                type $side = White;
                $body
            }
            Color::Black => {
                type $side = Black;
                $body
            }
        }
    };
}
pub(crate) use for_side_to_move;

impl Position {
    /// All legal moves.
    ///
    /// ```
    /// use ferz_board::{CastlingMode, Position};
    /// let mate = Position::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")?;
    /// assert!(mate.legal_moves().is_empty());
    ///
    /// for mv in Position::start().legal_moves() {
    ///     println!("{}", mv.uci(CastlingMode::Standard));
    /// }
    /// # Ok::<(), ferz_board::FenError>(())
    /// ```
    #[doc(alias("generate_moves", "movegen", "generate_legal_moves"))]
    #[inline]
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.list_moves(All, &mut list);
        list
    }

    /// Appends the legal moves of one class to a list.
    ///
    /// In check both classes hold evasions only, so a staged search needs no third.
    ///
    /// ```
    /// use ferz_board::{MoveClass, MoveList, Position};
    /// let position = Position::from_fen("4k3/3r3P/8/8/8/8/8/3QK3 w - - 0 1")?;
    /// let mut tactical = MoveList::new();
    /// position.generate(MoveClass::Tactical, &mut tactical);
    /// assert_eq!(tactical.len(), 5); // Qxd7+ and four promotions
    /// # Ok::<(), ferz_board::FenError>(())
    /// ```
    #[inline]
    pub fn generate(&self, class: MoveClass, list: &mut MoveList) {
        match class {
            MoveClass::All => self.list_moves(All, list),
            MoveClass::Tactical => self.list_moves(filter::Tactical, list),
            MoveClass::Quiet => self.list_moves(filter::Quiet, list),
        }
    }

    /// Appends the legal moves whose [destination](Move::destination) is one of these squares.
    #[inline]
    pub fn generate_to(&self, targets: Bitboard, list: &mut MoveList) {
        self.list_moves(To(targets), list);
    }

    #[inline(always)]
    fn list_moves(&self, filter: impl Filter, list: &mut MoveList) {
        for_side_to_move!(self, S => {
            let node = Placement::of::<S>(self);
            generate::<S, _, _>(&node, filter, &mut Moves::<S>::new(&node, list));
        });
    }

    /// Calls a function with every legal move.
    ///
    /// The moves come from a list. A call from each of the dozen places where the generator finds moves would repeat the
    /// function's code there: a walk through the tree is a quarter slower then.
    #[inline(always)]
    pub fn for_each_move(&self, mut visit: impl FnMut(Move)) {
        for &mv in &self.legal_moves() {
            visit(mv);
        }
    }

    /// Calls a function with every legal move and the position it leads to: the fastest way through a tree
    /// of positions, because each kind of move has specialised code.
    ///
    /// ```
    /// use ferz_board::Position;
    ///
    /// fn count(position: &Position, depth: u32) -> u64 {
    ///     let mut nodes = 0;
    ///     position.for_each_child(|_, child| nodes += if depth == 1 { 1 } else { count(child, depth - 1) });
    ///     nodes
    /// }
    /// assert_eq!(count(&Position::start(), 3), 8_902);
    /// ```
    #[inline]
    pub fn for_each_child(&self, visit: impl FnMut(Move, &Position)) {
        for_side_to_move!(self, S => {
            let node = Placement::of::<S>(self);
            let mut child = *self;
            let mut sink = Children::<S, _>::new(self, &node, &mut child, visit);
            generate::<S, _, _>(&node, All, &mut sink);
        });
    }

    /// The number of legal moves, without making a list.
    #[inline]
    #[must_use]
    pub fn count_legal(&self) -> u32 {
        count::count_legal(self) as u32
    }

    /// Whether there is a legal move.
    #[inline]
    #[must_use]
    pub fn has_legal_moves(&self) -> bool {
        self.count_legal() > 0
    }

    /// Whether an en-passant capture is legal.
    #[inline]
    #[must_use]
    pub fn has_legal_en_passant(&self) -> bool {
        self.en_passant.is_some_and(|square| {
            for_side_to_move!(self, S => {
                let node = Placement::of::<S>(self);
                let checkers = node.threats::<S>().checkers;
                let capturers = attacks::pawn(!S::COLOR, square) & node.pawns & node.us;
                capturers.into_iter().any(|from| node.en_passant_is_safe::<S>(from.bitboard(), checkers))
            })
        })
    }
}
