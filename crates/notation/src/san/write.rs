//! Long algebraic notation, and what it has in common with SAN.

use std::fmt;

use ferz_board::{Bitboard, CastlingSide, Move, MoveKind, Piece, PieceType, Position, attacks};

use super::ShortText;

/// A move in long algebraic notation, with both squares: `Ng1-f3`, `e5xd6`, `e7-e8=Q+`, `O-O`. The text is on
/// the stack.
///
/// ```
/// use ferz_board::Position;
/// use ferz_notation::san::Lan;
///
/// let position = Position::start();
/// assert_eq!(Lan::new(&position, position.parse_uci("g1f3")?).as_str(), "Ng1-f3");
/// assert_eq!(Lan::new(&position, position.parse_uci("e2e4")?).as_str(), "e2-e4");
/// # Ok::<(), ferz_board::UciError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lan(ShortText<{ Lan::MAX_LEN }>);

impl Lan {
    /// The longest is like `e7xd8=Q#`.
    pub const MAX_LEN: usize = 8;

    /// The text of a legal move. (An illegal move gives an arbitrary text, never a panic.)
    #[must_use]
    pub fn new(position: &Position, mv: Move) -> Lan {
        let mut text = ShortText::new();
        if let Some(side) = mv.castling_side() {
            text.push_str(castling(side));
        } else {
            let piece_type = moving_piece(position, mv);
            if piece_type != PieceType::Pawn {
                text.push_piece(piece_type);
            }
            text.push_square(mv.from());
            text.push(if position.captured(mv).is_some() { b'x' } else { b'-' });
            push_target(&mut text, mv);
        }
        push_check_mark(&mut text, position, mv);
        Lan(text)
    }

    /// The text.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

pub(super) const fn castling(side: CastlingSide) -> &'static str {
    match side {
        CastlingSide::King => "O-O",
        CastlingSide::Queen => "O-O-O",
    }
}

pub(super) fn moving_piece(position: &Position, mv: Move) -> PieceType {
    position.piece_at(mv.from()).map_or(PieceType::Pawn, Piece::piece_type)
}

/// The target square and what a pawn becomes there.
pub(super) fn push_target<const N: usize>(text: &mut ShortText<N>, mv: Move) {
    text.push_square(mv.to());
    if let Some(piece_type) = mv.promotion() {
        text.push(b'=');
        text.push_piece(piece_type);
    }
}

pub(super) fn push_check_mark<const N: usize>(text: &mut ShortText<N>, position: &Position, mv: Move) {
    if !position.gives_check(mv) {
        return;
    }
    let mut after = *position;
    if after.play(mv).is_ok() {
        text.push(if after.has_legal_moves() { b'+' } else { b'#' });
    }
}

/// Which parts of the origin are needed to make a piece's move unambiguous.
pub(super) struct NeededOrigin {
    pub(super) file: bool,
    pub(super) rank: bool,
}

pub(super) fn needed_origin(position: &Position, mv: Move, piece_type: PieceType) -> NeededOrigin {
    let piece = piece_type.of(position.side_to_move());
    // Seen from the target, pieces of a kind attack where they are attacked from; a king has no rival.
    let reach = attacks::of(piece, mv.to(), position.occupied());
    let rivals = (reach & position.pieces(piece)).without(mv.from());
    let is_legal =
        |&from: &_| Move::new(from, mv.to(), MoveKind::Normal).is_some_and(|rival| position.is_legal(rival));
    let rivals: Bitboard = rivals.into_iter().filter(is_legal).collect();
    let on_file = rivals.intersects(Bitboard::from_file(mv.from().file()));
    let on_rank = rivals.intersects(Bitboard::from_rank(mv.from().rank()));
    NeededOrigin { file: rivals.any() && (!on_file || on_rank), rank: on_file }
}

/// `Display`, `Debug` and `AsRef` of a text on the stack.
macro_rules! as_text {
    ($name:ident) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.as_str())
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }
    };
}

pub(super) use as_text;

as_text!(Lan);
