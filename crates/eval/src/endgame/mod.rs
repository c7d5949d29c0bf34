//! Endgame knowledge, for every evaluation: elementary mates, the bitbase of king and pawn against king, known draws.
//!
//! Rules are chosen by material. They either give the value of a position, or scale down what an evaluation thinks of
//! it. With more than a few pieces on the board none applies, which one test finds out.

mod bare_king;
mod drawish;
mod kpk;
mod rule;

use ferz_board::{Bitboard, Color, File, PieceType, Position, Square};

pub use rule::EndgameRule;

use crate::VALUE_LIMIT;

/// The rule that applies to a position, if any.
///
/// ```
/// use ferz_board::Position;
/// use ferz_eval::{EndgameRule, endgame_rule};
///
/// let position: Position = "7k/8/8/8/7P/4K3/4B3/8 w - - 0 1".parse().unwrap();
/// assert_eq!(endgame_rule(&position), Some(EndgameRule::WrongBishop));
/// assert_eq!(EndgameRule::WrongBishop.to_string(), "known draw: wrong bishop");
/// assert_eq!(endgame_rule(&Position::start()), None);
/// ```
#[must_use]
pub fn endgame_rule(position: &Position) -> Option<EndgameRule> {
    probe(position).map(|knowledge| knowledge.rule)
}

/// A rule that applies to a position, and its effect on the evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Knowledge {
    pub(crate) rule: EndgameRule,
    pub(crate) effect: Effect,
}

/// How a rule changes the evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// It replaces the evaluation by this value for White.
    Value(i32),
    /// It limits the evaluation to this value for either side.
    Limit(i32),
    /// It multiplies values for a side, White first, by this many parts of [`FULL_SCALE`].
    Scale([i32; 2]),
}

/// The scale factor that changes nothing.
pub(crate) const FULL_SCALE: i32 = 64;

/// The rules know no ending with pawns and more kings and pieces than this, unless a king is bare.
const MAX_PIECES: u32 = 5;

/// What is known about a position.
#[inline(always)]
pub(crate) fn probe(position: &Position) -> Option<Knowledge> {
    let pawns = position.by_type(PieceType::Pawn);
    let pieces = position.occupied() - pawns;
    let is_bare = |color: Color| position.by_color(color).is_singular();
    if pieces.len() > MAX_PIECES && pawns.any() && !is_bare(Color::White) && !is_bare(Color::Black) {
        return None;
    }
    look_up(position)
}

#[cold]
#[inline(never)]
fn look_up(position: &Position) -> Option<Knowledge> {
    let bare = Color::ALL.map(|color| position.by_color(color).is_singular());
    match bare {
        [true, true] => Some(Knowledge::draw(EndgameRule::InsufficientMaterial)),
        [true, false] => Some(bare_king::rule(&Ending { position, strong: Color::Black })),
        [false, true] => Some(bare_king::rule(&Ending { position, strong: Color::White })),
        [false, false] => drawish::rule(position),
    }
}

impl Knowledge {
    fn draw(rule: EndgameRule) -> Knowledge {
        Knowledge { rule, effect: Effect::Value(0) }
    }

    /// The evaluation for White, once the rule is applied.
    #[inline]
    pub(crate) fn apply(self, value: i32) -> i32 {
        match self.effect {
            Effect::Value(known) => known,
            Effect::Limit(limit) => value.clamp(-limit, limit),
            Effect::Scale([white, black]) => value * if value > 0 { white } else { black } / FULL_SCALE,
        }
    }

    /// The value for White that replaces the evaluation, if the rule has one.
    #[inline]
    pub(crate) fn value(self) -> Option<i32> {
        match self.effect {
            Effect::Value(known) => Some(known),
            Effect::Limit(_) | Effect::Scale(_) => None,
        }
    }
}

/// A position seen by the side that tries to win it.
#[derive(Clone, Copy)]
struct Ending<'a> {
    position: &'a Position,
    strong: Color,
}

impl Ending<'_> {
    /// The strong side's pieces of a type.
    fn strong(&self, piece_type: PieceType) -> Bitboard {
        self.position.pieces(piece_type.of(self.strong))
    }

    /// The weak side's pieces of a type.
    fn weak(&self, piece_type: PieceType) -> Bitboard {
        self.position.pieces(piece_type.of(!self.strong))
    }

    fn strong_king(&self) -> Square {
        self.position.king(self.strong)
    }

    fn weak_king(&self) -> Square {
        self.position.king(!self.strong)
    }

    /// Whether the strong side has only pieces of these types and its king.
    fn has_only(&self, piece_types: &[PieceType]) -> bool {
        let allowed = piece_types.iter().fold(self.strong(PieceType::King), |all, &it| all | self.strong(it));
        allowed == self.position.by_color(self.strong)
    }

    /// The square on which a pawn of the strong side promotes.
    fn promotion_square(&self, pawn: Square) -> Square {
        Square::from_coords(pawn.file(), self.strong.promotion_rank())
    }

    /// The corner where the strong side's pawns promote, if all are on one rook file.
    fn rook_pawn_corner(&self) -> Option<Square> {
        let pawns = self.strong(PieceType::Pawn);
        let pawn = pawns.first()?;
        let is_rook_file = matches!(pawn.file(), File::A | File::H);
        (is_rook_file && pawns.is_subset(Bitboard::from_file(pawn.file())))
            .then(|| self.promotion_square(pawn))
    }

    /// A value for the strong side, as one for White.
    fn for_white(&self, value: i32) -> i32 {
        let value = value.min(VALUE_LIMIT);
        if self.strong == Color::White { value } else { -value }
    }
}

/// All squares of the colour of a square.
fn color_of(square: Square) -> Bitboard {
    if square.is_light() { Bitboard::LIGHT } else { Bitboard::DARK }
}

/// The Manhattan distance of a square to the centre: 0 to 6.
fn distance_to_centre(square: Square) -> i32 {
    let along = |index: usize| if index < 4 { 3 - index as i32 } else { index as i32 - 4 };
    along(square.file().index()) + along(square.rank().index())
}

/// Material in points: minor pieces 3, rooks 5, queens 9.
fn material_points(position: &Position, color: Color) -> u32 {
    let count = |piece_type: PieceType| position.pieces(piece_type.of(color)).len();
    3 * (count(PieceType::Knight) + count(PieceType::Bishop))
        + 5 * count(PieceType::Rook)
        + 9 * count(PieceType::Queen)
}
