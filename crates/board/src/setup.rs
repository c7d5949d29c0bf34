//! Unchecked positions, and the one definition of which of them are legal.

use alloc::vec::Vec;
use core::fmt;

use crate::{
    Bitboard, Board, CastlingMode, CastlingSide, Color, Direction, Piece, PieceType, Position, Rank, Square,
    attacks,
};

/// An unchecked position: every field may be set freely. [`Position::from_setup`] accepts the legal ones,
/// [`Setup::violations`] lists the rules that are broken.
///
/// ```
/// use ferz_board::{CastlingMode, Color, Piece, Position, Rule, Setup, Square};
///
/// let mut setup = Setup::empty();
/// setup.board.set(Square::E1, Some(Piece::WhiteKing));
/// setup.board.set(Square::E2, Some(Piece::BlackPawn));
/// setup.board.set(Square::A8, Some(Piece::WhitePawn));
///
/// let error = Position::from_setup(&setup, CastlingMode::Standard).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "Black has no king; pawns cannot stand on the first or eighth rank (a8)"
/// );
///
/// setup.board.set(Square::A8, Some(Piece::BlackKing));
/// let position = Position::from_setup(&setup, CastlingMode::Standard)?;
/// assert_eq!(position.king(Color::Black), Square::A8);
/// # Ok::<(), ferz_board::SetupError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The pieces.
    pub board: Board,
    /// Whose turn it is.
    pub side_to_move: Color,
    /// The squares of the rooks that may still castle.
    pub castling_rooks: Bitboard,
    /// The square a pawn has just skipped with a double step.
    pub en_passant: Option<Square>,
    /// Plies since the last capture or pawn move.
    pub halfmove_clock: u32,
    /// The number of the move to be played, from 1.
    pub fullmove_number: u32,
}

impl Setup {
    /// An empty board, White to move at move 1.
    #[must_use]
    pub const fn empty() -> Setup {
        Setup {
            board: Board::empty(),
            side_to_move: Color::White,
            castling_rooks: Bitboard::EMPTY,
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
        }
    }

    /// The highest half-move clock that is accepted.
    pub const MAX_HALFMOVE_CLOCK: u32 = 32_767;
    /// The highest move number that is accepted.
    pub const MAX_FULLMOVE_NUMBER: u32 = 100_000;

    /// Every rule this set-up breaks; none if it is a legal position.
    #[must_use]
    pub fn violations(&self, mode: CastlingMode) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut broken = |rule, squares| found.push(Violation { rule, squares });
        self.check_material(&mut broken);
        self.check_castling(mode, &mut broken);
        self.check_en_passant(&mut broken);
        self.check_kings(&mut broken);
        if self.halfmove_clock > Setup::MAX_HALFMOVE_CLOCK {
            broken(Rule::HalfmoveClock, Bitboard::EMPTY);
        }
        if !(1..=Setup::MAX_FULLMOVE_NUMBER).contains(&self.fullmove_number) {
            broken(Rule::FullmoveNumber, Bitboard::EMPTY);
        }
        found
    }

    /// Numbers of kings, pawns and pieces; a promoted piece costs a pawn.
    fn check_material(&self, broken: &mut impl FnMut(Rule, Bitboard)) {
        let board = &self.board;
        for color in Color::ALL {
            let of = |piece_type: PieceType| board.pieces(piece_type.of(color));
            match of(PieceType::King).len() {
                0 => broken(Rule::NoKing(color), Bitboard::EMPTY),
                1 => {}
                _ => broken(Rule::SeveralKings(color), of(PieceType::King)),
            }
            let pawns = of(PieceType::Pawn);
            if pawns.len() > 8 {
                broken(Rule::TooManyPawns(color), pawns);
            }
            if board.by_color(color).len() > 16 {
                broken(Rule::TooManyPieces(color), board.by_color(color));
            }
            let bishops = of(PieceType::Bishop);
            let promoted = of(PieceType::Queen).len().saturating_sub(1)
                + of(PieceType::Rook).len().saturating_sub(2)
                + of(PieceType::Knight).len().saturating_sub(2)
                + (bishops & Bitboard::LIGHT).len().saturating_sub(1)
                + (bishops & Bitboard::DARK).len().saturating_sub(1);
            if pawns.len() <= 8 && pawns.len() + promoted > 8 {
                broken(Rule::TooManyPromotions(color), board.by_color(color) - of(PieceType::King));
            }
        }
        let misplaced = board.by_type(PieceType::Pawn) & Bitboard::BACK_RANKS;
        if misplaced.any() {
            broken(Rule::PawnOnBackRank, misplaced);
        }
    }

    fn check_castling(&self, mode: CastlingMode, broken: &mut impl FnMut(Rule, Bitboard)) {
        if self.castling_rooks.is_empty() {
            return;
        }
        let mut rookless = self.castling_rooks - Bitboard::BACK_RANKS;
        let (mut kingless, mut doubled, mut not_standard) =
            (Bitboard::EMPTY, Bitboard::EMPTY, Bitboard::EMPTY);
        for color in Color::ALL {
            let back_rank = Bitboard::from_rank(color.back_rank());
            let claimed = self.castling_rooks & back_rank;
            let rooks = claimed & self.board.pieces(PieceType::Rook.of(color));
            rookless |= claimed - rooks;
            let Some(king) = (self.board.pieces(PieceType::King.of(color)) & back_rank).single() else {
                kingless |= claimed;
                continue;
            };
            for side in CastlingSide::ALL {
                let rooks: Bitboard =
                    rooks.into_iter().filter(|&rook| CastlingSide::of_rook(king, rook) == side).collect();
                if rooks.is_several() {
                    doubled |= rooks;
                }
                let home = king.file() == crate::File::E
                    && rooks.is_subset(Bitboard::from_file(side.standard_rook_file()));
                if mode == CastlingMode::Standard && rooks.any() && !home {
                    not_standard |= rooks;
                }
            }
        }
        for (rule, squares) in [
            (Rule::CastlingWithoutRook, rookless),
            (Rule::CastlingWithoutKing, kingless),
            (Rule::CastlingTwice, doubled),
            (Rule::CastlingNotStandard, not_standard),
        ] {
            if squares.any() {
                broken(rule, squares);
            }
        }
    }

    fn check_en_passant(&self, broken: &mut impl FnMut(Rule, Bitboard)) {
        let Some(skipped) = self.en_passant else { return };
        if self.double_step().is_none() {
            let on_rank = skipped.rank() == self.side_to_move.en_passant_rank();
            let rule = if on_rank { Rule::EnPassantPawn } else { Rule::EnPassantRank };
            broken(rule, skipped.bitboard());
        }
    }

    /// The squares the last double step came from and went to, if the en-passant square admits one.
    fn double_step(&self) -> Option<(Square, Square)> {
        let skipped = self.en_passant?;
        if skipped.rank() != self.side_to_move.en_passant_rank() {
            return None;
        }
        let them = !self.side_to_move;
        let to = skipped.step(Direction::forward(them))?;
        let from = skipped.step(Direction::forward(self.side_to_move))?;
        let free = self.board.piece_at(skipped).is_none() && self.board.piece_at(from).is_none();
        (free && self.board.piece_at(to) == Some(PieceType::Pawn.of(them))).then_some((from, to))
    }

    /// Kings that touch, a king that could be taken, and checks no last move can have given.
    fn check_kings(&self, broken: &mut impl FnMut(Rule, Bitboard)) {
        let board = &self.board;
        let (us, them) = (self.side_to_move, !self.side_to_move);
        let our_king = board.pieces(PieceType::King.of(us)).single();
        let their_king = board.pieces(PieceType::King.of(them)).single();
        if let (Some(ours), Some(theirs)) = (our_king, their_king)
            && attacks::king(ours).contains(theirs)
        {
            broken(Rule::TouchingKings, ours.bitboard() | theirs.bitboard());
        }
        let kings = board.by_type(PieceType::King);
        if let Some(theirs) = their_king {
            let checkers = board.attackers_to(theirs, board.occupied()) & (board.by_color(us) - kings);
            if checkers.any() {
                broken(Rule::KingCapturable, checkers.with(theirs));
            }
        }
        if let Some(ours) = our_king {
            let checkers = board.attackers_to(ours, board.occupied()) & (board.by_color(them) - kings);
            if checkers.any() && !self.is_possible_check(ours, checkers) {
                let rule =
                    if self.double_step().is_some() { Rule::EnPassantCheck } else { Rule::ImpossibleCheck };
                broken(rule, checkers);
            }
        }
    }

    /// Whether one move can have led to this check.
    fn is_possible_check(&self, king: Square, checkers: Bitboard) -> bool {
        let board = &self.board;
        let leapers = board.by_type(PieceType::Pawn) | board.by_type(PieceType::Knight);
        if (checkers & leapers).is_several() {
            return false; // a leaper checks only by moving, and only one piece moves
        }
        if let Some((from, to)) = self.double_step() {
            // The pawn checks itself, or its step uncovered one slider; before the step there was no check.
            let before = board.occupied().without(to).with(from);
            let them = board.by_color(!self.side_to_move).without(to);
            return checkers.is_singular()
                && (checkers == to.bitboard()
                    || !(board.attackers_to(king, before) & (them - board.by_type(PieceType::King))).any());
        }
        match (checkers.first(), checkers.last()) {
            // Two sliders on one line with the king: the mover cannot have uncovered the other.
            (Some(a), Some(b)) if a != b => checkers.len() == 2 && !attacks::aligned(a, king, b),
            _ => true,
        }
    }
}

impl Default for Setup {
    fn default() -> Setup {
        Setup::empty()
    }
}

impl From<&Position> for Setup {
    fn from(position: &Position) -> Setup {
        Setup {
            board: *position.board(),
            side_to_move: position.side_to_move(),
            castling_rooks: position.castling_rooks(),
            en_passant: position.double_step(),
            halfmove_clock: position.halfmove_clock(),
            fullmove_number: position.fullmove_number(),
        }
    }
}

/// A rule that a [`Setup`] can break.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Rule {
    /// A side has no king.
    NoKing(Color),
    /// A side has more than one king.
    SeveralKings(Color),
    /// The kings stand on neighbouring squares.
    TouchingKings,
    /// The side that is not to move is in check.
    KingCapturable,
    /// A pawn stands on the first or eighth rank.
    PawnOnBackRank,
    /// A side has more than eight pawns.
    TooManyPawns(Color),
    /// A side has more than sixteen pieces.
    TooManyPieces(Color),
    /// A side has more promoted pieces than missing pawns.
    TooManyPromotions(Color),
    /// No last move can have given these checks.
    ImpossibleCheck,
    /// A castling right without a rook of that side.
    CastlingWithoutRook,
    /// A castling right whose king is not on its back rank.
    CastlingWithoutKing,
    /// Two castling rights on the same side of one king.
    CastlingTwice,
    /// A castling right that only Chess960 knows: its king is not on the e-file, or its rook not in the corner.
    CastlingNotStandard,
    /// The en-passant square is on the wrong rank.
    EnPassantRank,
    /// No pawn can have skipped the en-passant square.
    EnPassantPawn,
    /// The double step to which the en-passant square belongs cannot have given this check.
    EnPassantCheck,
    /// The half-move clock is too high.
    HalfmoveClock,
    /// The move number is zero or too high.
    FullmoveNumber,
}

impl Rule {
    /// The name for programs, which never changes, without the colour: `no-king`, `castling-without-rook` …
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Rule::NoKing(_) => "no-king",
            Rule::SeveralKings(_) => "several-kings",
            Rule::TouchingKings => "touching-kings",
            Rule::KingCapturable => "king-capturable",
            Rule::PawnOnBackRank => "pawn-on-back-rank",
            Rule::TooManyPawns(_) => "too-many-pawns",
            Rule::TooManyPieces(_) => "too-many-pieces",
            Rule::TooManyPromotions(_) => "too-many-promotions",
            Rule::ImpossibleCheck => "impossible-check",
            Rule::CastlingWithoutRook => "castling-without-rook",
            Rule::CastlingWithoutKing => "castling-without-king",
            Rule::CastlingTwice => "castling-twice",
            Rule::CastlingNotStandard => "castling-not-standard",
            Rule::EnPassantRank => "en-passant-rank",
            Rule::EnPassantPawn => "en-passant-pawn",
            Rule::EnPassantCheck => "en-passant-check",
            Rule::HalfmoveClock => "halfmove-clock",
            Rule::FullmoveNumber => "fullmove-number",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::NoKing(color) => write!(f, "{color} has no king"),
            Rule::SeveralKings(color) => write!(f, "{color} has more than one king"),
            Rule::TouchingKings => f.write_str("the kings touch"),
            Rule::KingCapturable => f.write_str("the side to move could capture the king"),
            Rule::PawnOnBackRank => f.write_str("pawns cannot stand on the first or eighth rank"),
            Rule::TooManyPawns(color) => write!(f, "{color} has more than eight pawns"),
            Rule::TooManyPieces(color) => write!(f, "{color} has more than sixteen pieces"),
            Rule::TooManyPromotions(color) => {
                write!(f, "{color} has more promoted pieces than missing pawns")
            }
            Rule::ImpossibleCheck => f.write_str("no last move can have given this check"),
            Rule::CastlingWithoutRook => f.write_str("castling right without a rook"),
            Rule::CastlingWithoutKing => f.write_str("castling right, but the king is not on its back rank"),
            Rule::CastlingTwice => f.write_str("two castling rights on the same side of the king"),
            Rule::CastlingNotStandard => f.write_str("castling right that exists only in Chess960"),
            Rule::EnPassantRank => f.write_str("the en-passant square is on the wrong rank"),
            Rule::EnPassantPawn => f.write_str("no pawn can have skipped the en-passant square"),
            Rule::EnPassantCheck => {
                f.write_str("the double step before en passant cannot have given this check")
            }
            Rule::HalfmoveClock => {
                write!(f, "the half-move clock is higher than {}", Setup::MAX_HALFMOVE_CLOCK)
            }
            Rule::FullmoveNumber => {
                write!(f, "the move number is not between 1 and {}", Setup::MAX_FULLMOVE_NUMBER)
            }
        }
    }
}

/// A broken rule and the squares where it is broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The squares concerned; empty where the rule is not about squares.
    #[cfg_attr(feature = "serde", serde(with = "crate::serde_impls::squares"))]
    pub squares: Bitboard,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// A longer list of squares would not help.
        const NAMED: usize = 8;
        write!(f, "{}", self.rule)?;
        for (i, square) in self.squares.into_iter().take(NAMED).enumerate() {
            write!(f, "{}{square}", if i == 0 { " (" } else { " " })?;
        }
        f.write_str(match self.squares.len() as usize {
            0 => "",
            1..=NAMED => ")",
            _ => " …)",
        })
    }
}

/// The error of a [`Setup`] that is not a legal position: every broken rule with its squares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetupError {
    violations: Vec<Violation>,
}

impl SetupError {
    pub(crate) fn new(violations: Vec<Violation>) -> SetupError {
        SetupError { violations }
    }

    /// The broken rules; at least one.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// Whether this rule is among the broken ones.
    #[must_use]
    pub fn breaks(&self, rule: Rule) -> bool {
        self.violations.iter().any(|violation| violation.rule == rule)
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, violation) in self.violations.iter().enumerate() {
            write!(f, "{}{violation}", if i == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl core::error::Error for SetupError {}

/// The standard start position's back rank.
const BACK_RANK: [PieceType; 8] = [
    PieceType::Rook,
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Queen,
    PieceType::King,
    PieceType::Bishop,
    PieceType::Knight,
    PieceType::Rook,
];

impl Setup {
    /// The start position of standard chess.
    #[must_use]
    pub fn start() -> Setup {
        Setup::from_back_ranks(BACK_RANK, BACK_RANK)
    }

    /// A Chess960 start position by its number (0 to 959; 518 is standard chess), White's and Black's chosen
    /// separately: with different numbers it is double Chess960. `None` for higher numbers.
    ///
    /// ```
    /// use ferz_board::{Position, Setup};
    /// assert_eq!(Setup::chess960(518, 518), Some(Setup::start()));
    /// assert_eq!(Setup::chess960(960, 0), None);
    /// ```
    #[must_use]
    pub fn chess960(white: u16, black: u16) -> Option<Setup> {
        Some(Setup::from_back_ranks(chess960_back_rank(white)?, chess960_back_rank(black)?))
    }

    fn from_back_ranks(white: [PieceType; 8], black: [PieceType; 8]) -> Setup {
        let mut setup = Setup::empty();
        for (color, back_rank) in [(Color::White, white), (Color::Black, black)] {
            for (file, piece_type) in crate::File::ALL.into_iter().zip(back_rank) {
                let mut put = |rank: Rank, piece: Piece| {
                    setup.board.set(Square::from_coords(file, rank), Some(piece));
                };
                put(color.back_rank(), piece_type.of(color));
                put(color.pawn_rank(), PieceType::Pawn.of(color));
            }
        }
        setup.castling_rooks = setup.board.by_type(PieceType::Rook);
        setup
    }
}

/// The free files of the two knights, among the five left after bishops and queen, in Scharnagl's order.
const KNIGHTS: [(usize, usize); 10] =
    [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];

/// The number of a Chess960 back rank by Scharnagl's numbering; meaningless for other back ranks.
pub(crate) fn chess960_number(rank: [PieceType; 8]) -> Option<u16> {
    let files = |piece_type| (0..8).filter(move |&file| rank[file] == piece_type);
    let light = files(PieceType::Bishop).find(|file| file % 2 == 1)?;
    let dark = files(PieceType::Bishop).find(|file| file % 2 == 0)?;
    let queen = files(PieceType::Queen).next()?;
    // How many files before this one are left for it and for what is placed later.
    let place = |file: usize, gone: &[PieceType]| (0..file).filter(|&at| !gone.contains(&rank[at])).count();
    let mut knights =
        files(PieceType::Knight).map(|file| place(file, &[PieceType::Bishop, PieceType::Queen]));
    let knights = (knights.next()?, knights.next()?);
    let knights = KNIGHTS.iter().position(|&it| it == knights)?;
    let queen = place(queen, &[PieceType::Bishop]);
    Some((((knights * 6 + queen) * 4 + dark / 2) * 4 + light / 2) as u16)
}

/// The back rank of a Chess960 start position, by Scharnagl's numbering.
fn chess960_back_rank(number: u16) -> Option<[PieceType; 8]> {
    if number >= 960 {
        return None;
    }
    let number = usize::from(number);
    let mut rank = [None; 8];
    let (rest, light) = (number / 4, number % 4);
    let (rest, dark) = (rest / 4, rest % 4);
    let (knights, queen) = (rest / 6, rest % 6);
    rank[light * 2 + 1] = Some(PieceType::Bishop);
    rank[dark * 2] = Some(PieceType::Bishop);
    let free = |rank: &[Option<PieceType>; 8], n: usize| (0..8).filter(|&file| rank[file].is_none()).nth(n);
    let file = free(&rank, queen)?;
    rank[file] = Some(PieceType::Queen);
    let (first, second) = KNIGHTS[knights];
    let files = (free(&rank, first)?, free(&rank, second)?);
    rank[files.0] = Some(PieceType::Knight);
    rank[files.1] = Some(PieceType::Knight);
    for piece_type in [PieceType::Rook, PieceType::King, PieceType::Rook] {
        let file = free(&rank, 0)?;
        rank[file] = Some(piece_type);
    }
    Some(rank.map(|piece_type| piece_type.unwrap_or(PieceType::Rook)))
}
