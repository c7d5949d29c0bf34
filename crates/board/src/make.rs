//! Playing moves: into a copy, in place, and back.

use core::fmt;

use crate::movegen::for_side_to_move;
use crate::movegen::side::{Black, Side, White};
use crate::{
    Bitboard, ByColor, CastlingMode, CastlingRights, CastlingSide, Color, Move, MoveKind, Piece, PieceType,
    Position, Setup, Square, attacks, zobrist,
};

/// Receives the changes on the board, piece by piece, while a move is made or taken back.
///
/// Piece-square sums, game phases and the accumulators of a neural network are observers, so the board does
/// not depend on any evaluation. The null observer `()` compiles to nothing.
///
/// ```
/// use ferz_board::{Observer, Piece, Position, Square};
///
/// /// Counts White's pieces.
/// struct Census(i32);
///
/// impl Observer for Census {
///     fn placed(&mut self, piece: Piece, _: Square) { self.0 += (piece.color() as i32) ^ 1 }
///     fn removed(&mut self, piece: Piece, _: Square) { self.0 -= (piece.color() as i32) ^ 1 }
/// }
///
/// let position = Position::from_fen("4k3/8/8/3p4/4N3/8/8/4K3 b - - 0 1")?;
/// let (mut after, mut census) = (position, Census(2));
/// position.play_into(position.parse_uci("d5e4")?, &mut after, &mut census);
/// assert_eq!(census.0, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("incremental update", "increments", "put_piece", "remove_piece"))]
pub trait Observer {
    /// A piece appears on a square.
    fn placed(&mut self, piece: Piece, square: Square);
    /// A piece vanishes from a square.
    fn removed(&mut self, piece: Piece, square: Square);
    /// A piece goes from one square to another.
    #[inline(always)]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        self.removed(piece, from);
        self.placed(piece, to);
    }
}

impl Observer for () {
    #[inline(always)]
    fn placed(&mut self, _: Piece, _: Square) {}
    #[inline(always)]
    fn removed(&mut self, _: Piece, _: Square) {}
    #[inline(always)]
    fn moved(&mut self, _: Piece, _: Square, _: Square) {}
}

/// Zobrist keys for a search in addition to those of the position, updated as an [`Observer`]: one of the minor
/// pieces (with the kings) and one of each side's pieces other than pawns.
///
/// They are not part of a position, because updating them makes a bare walk through the tree a quarter slower.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct SearchKeys {
    /// Knights, bishops and kings of both sides.
    pub minor: u64,
    /// Everything but pawns, by colour.
    pub non_pawn: ByColor<u64>,
}

impl SearchKeys {
    /// The keys of a position, from scratch.
    #[must_use]
    pub fn new(position: &Position) -> SearchKeys {
        let mut keys = SearchKeys::default();
        position.board().replay(&mut keys);
        keys
    }

    #[inline(always)]
    fn toggle(&mut self, piece: Piece, square: Square) {
        let part = zobrist::piece(piece, square);
        if piece.piece_type() != PieceType::Pawn {
            self.non_pawn[piece.color()] ^= part;
        }
        if matches!(piece.piece_type(), PieceType::Knight | PieceType::Bishop | PieceType::King) {
            self.minor ^= part;
        }
    }
}

impl Observer for SearchKeys {
    #[inline(always)]
    fn placed(&mut self, piece: Piece, square: Square) {
        self.toggle(piece, square);
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.toggle(piece, square);
    }
}

/// The error of playing a move that is not legal in the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct IllegalMove {
    /// The move.
    pub mv: Move,
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the move {} is not legal in this position", self.mv.uci(CastlingMode::Chess960))
    }
}

impl core::error::Error for IllegalMove {}

/// What [`Position::unmake`] needs to take a move back.
#[doc(alias("History", "StateInfo", "irreversible state"))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Undo {
    key: u64,
    pawn_key: u64,
    castling: Bitboard,
    mv: Move,
    halfmove_clock: u16,
    double_step: Option<Square>,
    en_passant: Option<Square>,
    captured: Option<Piece>,
    /// Whether the move number grew.
    counted: bool,
}

const _: () = assert!(size_of::<Undo>() == 32);

impl Undo {
    /// The move that was made.
    #[inline]
    #[must_use]
    pub const fn mv(&self) -> Move {
        self.mv
    }

    /// What it captured.
    #[inline]
    #[must_use]
    pub const fn captured(&self) -> Option<Piece> {
        self.captured
    }

    /// The key before the move.
    #[inline]
    #[must_use]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The pawn key before the move.
    #[inline]
    #[must_use]
    pub const fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// The rooks that had castling rights.
    #[inline]
    #[must_use]
    pub const fn castling_rooks(&self) -> Bitboard {
        self.castling
    }

    /// The halfmove clock before the move.
    #[inline]
    #[must_use]
    pub const fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock as u32
    }

    /// The square that a double step had just skipped.
    #[inline]
    #[must_use]
    pub const fn double_step(&self) -> Option<Square> {
        self.double_step
    }

    /// The same, if an enemy pawn stood ready to capture there.
    #[inline]
    #[must_use]
    pub const fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }
}

impl Position {
    /// Plays a move if it is legal.
    ///
    /// ```
    /// use ferz_board::{Move, MoveKind, Position, Square};
    /// let mut position = Position::start();
    /// let rook_lift = Move::new(Square::A1, Square::A4, MoveKind::Normal).unwrap();
    /// assert!(position.play(rook_lift).is_err());
    /// assert_eq!(position, Position::start());
    /// ```
    #[inline]
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.is_legal(mv) {
            return Err(IllegalMove { mv });
        }
        self.play_unchecked(mv);
        Ok(())
    }

    /// Plays a move that the caller knows to be legal, e.g. one of [`Position::legal_moves`].
    ///
    /// With any other move the position becomes illegal chess, and what it answers from then on is meaningless. There
    /// is no undefined behaviour.
    ///
    /// # Panics
    ///
    /// Builds with debug assertions check the position after every move and panic if a move has broken it. Not every
    /// illegal move does. Builds without them do not panic.
    #[inline]
    pub fn play_unchecked(&mut self, mv: Move) {
        let parent = *self;
        parent.play_into(mv, self, &mut ());
    }

    /// Writes the position after a legal move over `child`, and reports the changes to an observer.
    ///
    /// This is the fastest way to play: nothing is copied twice and nothing has to be taken back. The move must
    /// be legal, as in [`Position::play_unchecked`], which also says what happens if it is not.
    #[inline(always)]
    pub fn play_into<O: Observer>(&self, mv: Move, child: &mut Position, observer: &mut O) {
        for_side_to_move!(self, S => self.play_as::<S, O>(mv, child, observer));
    }

    #[inline(always)]
    fn play_as<S: Side, O: Observer>(&self, mv: Move, child: &mut Position, observer: &mut O) {
        if matches!(mv.kind(), MoveKind::Castling | MoveKind::EnPassant) {
            self.play_special::<S, O>(mv, child, observer);
        } else {
            let moved = self.piece_at(mv.from()).unwrap_or(PieceType::Pawn.of(S::COLOR));
            let placed = mv.promotion().map_or(moved, |piece_type| piece_type.of(S::COLOR));
            let double_step = mv.kind() == MoveKind::DoubleStep;
            relocate::<S, O>(self, child, mv.from(), mv.to(), moved, placed, double_step, observer);
        }
        #[cfg(debug_assertions)]
        child.assert_consistent();
    }

    /// The moves that change more than two squares, kept out of the way of the others.
    #[inline(never)]
    fn play_special<S: Side, O: Observer>(&self, mv: Move, child: &mut Position, observer: &mut O) {
        if mv.is_castling() {
            castle::<S, O>(self, child, mv.from(), mv.to(), observer);
        } else {
            capture_en_passant::<S, O>(self, child, mv.from(), mv.to(), observer);
        }
    }

    /// Plays a legal move in place and returns what [`unmake`](Position::unmake) needs. Illegal moves have the
    /// consequences that [`Position::play_unchecked`] names.
    ///
    /// ```
    /// use ferz_board::Position;
    /// let mut position = Position::start();
    /// let undo = position.make(position.parse_uci("g1f3")?, &mut ());
    /// assert_ne!(position, Position::start());
    /// position.unmake(undo, &mut ());
    /// assert_eq!(position, Position::start());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "do_move")]
    #[inline]
    pub fn make<O: Observer>(&mut self, mv: Move, observer: &mut O) -> Undo {
        let parent = *self;
        parent.play_into(mv, self, observer);
        Undo {
            key: parent.key,
            pawn_key: parent.pawn_key,
            castling: parent.castling,
            mv,
            halfmove_clock: parent.halfmove_clock,
            double_step: parent.double_step,
            en_passant: parent.en_passant,
            captured: parent.captured(mv),
            counted: self.fullmove_number != parent.fullmove_number,
        }
    }

    /// Takes back the move last [made](Position::make).
    #[doc(alias = "undo_move")]
    #[doc(alias = "undo")]
    #[inline]
    pub fn unmake<O: Observer>(&mut self, undo: Undo, observer: &mut O) {
        let us = !self.side_to_move;
        let (from, to) = (undo.mv.from(), undo.mv.to());
        let mut put = |square: Square, piece: Option<Piece>| {
            if let Some(old) = self.board.piece_at(square) {
                observer.removed(old, square);
            }
            if let Some(new) = piece {
                observer.placed(new, square);
            }
            self.board.set(square, piece);
        };
        match undo.mv.kind() {
            MoveKind::Castling => {
                let side = CastlingSide::of_rook(from, to);
                put(side.king_target(us), None);
                put(side.rook_target(us), None);
                put(from, Some(PieceType::King.of(us)));
                put(to, Some(PieceType::Rook.of(us)));
            }
            MoveKind::EnPassant => {
                put(to, None);
                put(from, Some(PieceType::Pawn.of(us)));
                put(victim_of_en_passant(from, to), undo.captured);
            }
            MoveKind::Promotion(_) => {
                put(to, undo.captured);
                put(from, Some(PieceType::Pawn.of(us)));
            }
            MoveKind::Normal | MoveKind::DoubleStep => {
                let moved = self.board.piece_at(to);
                if let Some(piece) = moved {
                    observer.moved(piece, to, from);
                }
                if let Some(piece) = undo.captured {
                    observer.placed(piece, to);
                }
                self.board.set(to, undo.captured);
                self.board.set(from, moved);
            }
        }
        self.key = undo.key;
        self.pawn_key = undo.pawn_key;
        self.castling = undo.castling;
        self.halfmove_clock = undo.halfmove_clock;
        self.double_step = undo.double_step;
        self.en_passant = undo.en_passant;
        self.side_to_move = us;
        self.fullmove_number -= u32::from(undo.counted);
        #[cfg(debug_assertions)]
        self.assert_consistent();
    }

    /// The position after a null move: the same pieces with the other side to move; `None` in check, where the
    /// king could be captured.
    #[doc(alias = "pass")]
    #[inline]
    #[must_use]
    pub fn null_move(&self) -> Option<Position> {
        if self.is_check() {
            return None;
        }
        let mut child = *self;
        if let Some(square) = self.en_passant {
            child.key ^= zobrist::en_passant(square.file());
        }
        child.en_passant = None;
        child.double_step = None;
        child.key ^= zobrist::WHITE_TO_MOVE;
        child.side_to_move = !self.side_to_move;
        child.halfmove_clock = next_clock(self.halfmove_clock);
        if self.side_to_move == Color::Black {
            child.fullmove_number = next_number(self.fullmove_number);
        }
        #[cfg(debug_assertions)]
        child.assert_consistent();
        Some(child)
    }
}

/// The square of the pawn that an en-passant capture removes: on the rank of the capturer, the file of its
/// target.
#[inline(always)]
pub(crate) const fn victim_of_en_passant(from: Square, to: Square) -> Square {
    Square::wrapping(from as u32 & 56 | to as u32 & 7)
}

/// A piece goes from one square to another, capturing what stands there and perhaps becoming another.
///
/// Where the caller knows `moved` and `placed` at compile time, so does this function.
#[inline(always)]
pub(crate) fn relocate<S: Side, O: Observer>(
    parent: &Position,
    child: &mut Position,
    from: Square,
    to: Square,
    moved: Piece,
    placed: Piece,
    double_step: bool,
    observer: &mut O,
) {
    let captured = parent.piece_at(to);
    let kept = !(from.bitboard() | to.bitboard());

    if let Some(piece) = captured {
        observer.removed(piece, to);
    }
    if moved == placed {
        observer.moved(moved, from, to);
    } else {
        observer.removed(moved, from);
        observer.placed(placed, to);
    }

    let (our_pawn, their_pawn) = (PieceType::Pawn.of(S::COLOR), PieceType::Pawn.of(S::Them::COLOR));
    let king_moves = moved == PieceType::King.of(S::COLOR);
    let castling = parent.castling & kept & if king_moves { !S::BACK_RANK } else { Bitboard::ALL };
    let leaving = zobrist::piece(moved, from);
    let arriving = zobrist::piece(placed, to);
    let captured_key = zobrist::content(captured, to);
    let mut key = parent.key ^ leaving ^ arriving ^ captured_key ^ zobrist::WHITE_TO_MOVE;
    if let Some(square) = parent.en_passant {
        key ^= zobrist::en_passant(square.file());
    }
    // Selected without branches: what moves and what is captured is hard to predict.
    let select = |condition: bool, part: u64| u64::from(condition).wrapping_neg() & part;
    let pawn_key = parent.pawn_key
        ^ select(captured == Some(their_pawn), captured_key)
        ^ select(moved == our_pawn, leaving)
        ^ select(placed == our_pawn, arriving);

    parent.board.relocate_into(&mut child.board, from, to, placed);

    child.double_step = None;
    child.en_passant = None;
    if double_step {
        let skipped = Square::wrapping((from as u32 + to as u32) / 2);
        child.double_step = Some(skipped);
        if attacks::pawn(S::COLOR, skipped).intersects(parent.pieces(their_pawn)) {
            child.en_passant = Some(skipped);
            key ^= zobrist::en_passant(skipped.file());
        }
    }
    child.pawn_key = pawn_key;
    child.halfmove_clock =
        if moved == our_pawn || captured.is_some() { 0 } else { next_clock(parent.halfmove_clock) };
    child.castling = castling;
    child.key = key;
    pass_turn::<S>(parent, child);
}

/// The clock one ply on. It stops at the highest that a set-up may have, so that every FEN can be read again.
#[inline(always)]
const fn next_clock(clock: u16) -> u16 {
    clock + ((clock as u32) < Setup::MAX_HALFMOVE_CLOCK) as u16
}

/// The move number after Black's move, with the same limit.
#[inline(always)]
const fn next_number(number: u32) -> u32 {
    number + (number < Setup::MAX_FULLMOVE_NUMBER) as u32
}

/// The turn, the move number and what lost castling rights do to the key.
#[inline(always)]
fn pass_turn<S: Side>(parent: &Position, child: &mut Position) {
    child.side_to_move = S::Them::COLOR;
    child.fullmove_number = match S::COLOR {
        Color::White => parent.fullmove_number,
        Color::Black => next_number(parent.fullmove_number),
    };
    if child.castling != parent.castling {
        child.key ^= lost_castling_key(parent, child);
    }
}

/// Rare (a game has at most four of these), so kept out of the way.
#[cold]
#[inline(never)]
fn lost_castling_key(parent: &Position, child: &Position) -> u64 {
    let mut key = 0;
    for color in Color::ALL {
        let king = parent.king(color);
        for rook in (parent.castling ^ child.castling) & parent.by_color(color) {
            key ^= zobrist::castling(CastlingRights::single(color, CastlingSide::of_rook(king, rook)));
        }
    }
    key
}

/// A pawn captures the one that has just passed it.
#[inline(always)]
fn capture_en_passant<S: Side, O: Observer>(
    parent: &Position,
    child: &mut Position,
    from: Square,
    to: Square,
    observer: &mut O,
) {
    let (ours, theirs) = (PieceType::Pawn.of(S::COLOR), PieceType::Pawn.of(S::Them::COLOR));
    relocate::<S, _>(parent, child, from, to, ours, ours, false, &mut ());
    let victim = victim_of_en_passant(from, to);
    child.board.set(victim, None);
    let part = zobrist::piece(theirs, victim);
    child.key ^= part;
    child.pawn_key ^= part;
    observer.removed(theirs, victim);
    observer.moved(ours, from, to);
}

/// The king on `from` castles with the rook on `to`.
#[inline(always)]
fn castle<S: Side, O: Observer>(
    parent: &Position,
    child: &mut Position,
    from: Square,
    to: Square,
    observer: &mut O,
) {
    let (king, rook) = (PieceType::King.of(S::COLOR), PieceType::Rook.of(S::COLOR));
    let side = CastlingSide::of_rook(from, to);
    let (king_to, rook_to) = (side.king_target(S::COLOR), side.rook_target(S::COLOR));
    *child = *parent;
    // In Chess960 each may land where the other stood, so both leave before they arrive.
    child.board.set(from, None);
    child.board.set(to, None);
    child.board.set(king_to, Some(king));
    child.board.set(rook_to, Some(rook));
    child.key ^= zobrist::piece(king, from)
        ^ zobrist::piece(king, king_to)
        ^ zobrist::piece(rook, to)
        ^ zobrist::piece(rook, rook_to)
        ^ zobrist::WHITE_TO_MOVE
        ^ parent.en_passant.map_or(0, |square| zobrist::en_passant(square.file()));
    child.castling = parent.castling & !S::BACK_RANK;
    child.halfmove_clock = next_clock(parent.halfmove_clock);
    child.double_step = None;
    child.en_passant = None;
    pass_turn::<S>(parent, child);
    observer.removed(rook, to);
    observer.moved(king, from, king_to);
    observer.placed(rook, rook_to);
}
