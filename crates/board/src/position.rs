//! A legal chess position.

use alloc::vec::Vec;
use core::fmt;

use crate::fen::{self, Repair};
use crate::make::victim_of_en_passant;
use crate::setup::{self, Setup, SetupError};
use crate::{
    Bitboard, Board, CastlingMode, CastlingRights, CastlingSide, Color, File, Move, MoveKind, Piece,
    PieceType, Rank, Rule, Square, attacks, zobrist,
};

/// A position of a chess game, always legal: pieces, side to move, castling rights, en passant, clocks and
/// the keys, all kept up to date move by move.
///
/// It is plain data of 192 bytes without heap memory: copy it freely. Code outside this crate cannot make an
/// illegal one. [`Position::from_fen_lenient`] and [`Position::from_setup_lenient`] waive a single rule and
/// report it: that some last move can have given the check on the board.
///
/// ```
/// use ferz_board::{Color, Piece, Position, Square};
///
/// let position = Position::start();
/// assert_eq!(position.side_to_move(), Color::White);
/// assert_eq!(position.piece_at(Square::D1), Some(Piece::WhiteQueen));
/// assert_eq!(position.legal_moves().len(), 20);
/// assert_eq!(position.key(), 0x463b96181691fc9c); // as in Polyglot's documentation
/// ```
///
/// # Equality
///
/// `==` compares what the [text](#impl-Display-for-Position) of a position says: pieces, side to move, castling rights,
/// clocks, and the en-passant square if the capture is legal. So `position.to_string().parse() == Ok(position)`.
/// [`Position::same_position`] leaves the clocks out, as the rule of repetition does, and
/// [`Position::repetition_key`] is the key that goes with both. Polyglot's [key](Position::key) of equal positions may
/// differ: it counts en-passant squares whose capture is not legal.
///
/// ```
/// use ferz_board::Position;
/// let mut played = Position::start();
/// played.play(played.parse_uci("e2e4")?)?;
/// let read: Position = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1".parse()?;
/// assert_eq!(played, read);
/// let later = read.with_clocks(0, 9).unwrap();
/// assert!(later != read && later.same_position(&read));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("Chess", "State", "GameState", "BoardState"))]
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Position {
    pub(crate) board: Board,
    pub(crate) key: u64,
    pub(crate) pawn_key: u64,
    /// The rooks that may still castle.
    pub(crate) castling: Bitboard,
    pub(crate) fullmove_number: u32,
    pub(crate) halfmove_clock: u16,
    pub(crate) side_to_move: Color,
    /// The square the last move's pawn skipped, whether or not a pawn can capture there.
    pub(crate) double_step: Option<Square>,
    /// The same, if an enemy pawn stands ready to capture (it may be pinned).
    pub(crate) en_passant: Option<Square>,
}

const _: () = assert!(size_of::<Position>() == 192);

impl Position {
    /// The start position of standard chess.
    #[doc(alias("startpos", "new"))]
    #[must_use]
    pub const fn start() -> Position {
        const START: Position = Position {
            board: Board::START,
            key: zobrist::board(&Board::START)
                ^ zobrist::castling(CastlingRights::ALL)
                ^ zobrist::WHITE_TO_MOVE,
            pawn_key: zobrist::pawns(&Board::START),
            castling: Board::START.by_type(PieceType::Rook),
            fullmove_number: 1,
            halfmove_clock: 0,
            side_to_move: Color::White,
            double_step: None,
            en_passant: None,
        };
        START
    }

    /// The start position of Chess960 with this number, 0 to 959, in Scharnagl's numbering.
    #[must_use]
    pub fn chess960_start(number: u16) -> Option<Position> {
        Setup::chess960(number, number).map(|setup| Position::derive(&setup))
    }

    /// The number of this start position in Chess960, 0 to 959; `None` if it is not a start position. The clocks do not
    /// count.
    ///
    /// ```
    /// use ferz_board::Position;
    /// assert_eq!(Position::start().chess960_number(), Some(518));
    /// assert_eq!(Position::chess960_start(17).and_then(|start| start.chess960_number()), Some(17));
    /// ```
    #[must_use]
    pub fn chess960_number(&self) -> Option<u16> {
        let back_rank = File::ALL
            .map(|file| self.piece_at(Square::from_coords(file, Rank::First)).map(Piece::piece_type));
        let number = setup::chess960_number(back_rank.map(|it| it.unwrap_or(PieceType::Pawn)))?;
        Position::chess960_start(number).filter(|start| start.same_position(self)).map(|_| number)
    }

    /// The position of a set-up if it is legal, else an error with every rule it breaks.
    pub fn from_setup(setup: &Setup, mode: CastlingMode) -> Result<Position, SetupError> {
        let violations = setup.violations(mode);
        if violations.is_empty() { Ok(Position::derive(setup)) } else { Err(SetupError::new(violations)) }
    }

    /// The position of a set-up that may have Chess960 castling rights and a check that no last move can have given:
    /// everything that a position can be written as.
    pub(crate) fn from_any_setup(setup: &Setup) -> Result<Position, SetupError> {
        let mut violations = setup.violations(CastlingMode::Chess960);
        violations.retain(|violation| violation.rule != Rule::ImpossibleCheck);
        if violations.is_empty() { Ok(Position::derive(setup)) } else { Err(SetupError::new(violations)) }
    }

    /// The position of a set-up after the repairs of [`Position::from_fen_lenient`]: castling rights and
    /// en-passant squares that do not fit the board are dropped, Chess960 rights are accepted, and so is a check
    /// that no last move can have given. Use it for a board editor, where pieces come and go.
    ///
    /// ```
    /// use ferz_board::{CastlingMode, Position, Repair, Setup, Square};
    /// let mut setup = Setup::start();
    /// setup.board.set(Square::H1, None);
    /// assert!(Position::from_setup(&setup, CastlingMode::Standard).is_err());
    /// let (position, repairs) = Position::from_setup_lenient(&setup)?;
    /// assert_eq!(position.to_string(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w Qkq - 0 1");
    /// assert_eq!(repairs, [Repair::CastlingDropped(Square::H1.bitboard())]);
    /// # Ok::<(), ferz_board::SetupError>(())
    /// ```
    pub fn from_setup_lenient(setup: &Setup) -> Result<(Position, Vec<Repair>), SetupError> {
        fen::repaired(setup)
    }

    /// The same position for the other side: White's pieces for Black's, and the board turned upside down.
    ///
    /// ```
    /// use ferz_board::Position;
    /// let position = Position::from_fen("4k3/8/8/8/2pP4/8/8/R3K3 b Q d3 0 9")?;
    /// let other = position.with_colors_exchanged();
    /// assert_eq!(other.to_string(), "r3k3/8/8/2Pp4/8/8/8/4K3 w q d6 0 9");
    /// assert_eq!(other.with_colors_exchanged(), position);
    /// # Ok::<(), ferz_board::FenError>(())
    /// ```
    #[must_use]
    pub fn with_colors_exchanged(&self) -> Position {
        let setup = Setup::from(self);
        let other = |(square, piece): (Square, Piece)| {
            (square.flip_rank(), Piece::new(!piece.color(), piece.piece_type()))
        };
        Position::derive(&Setup {
            board: setup.board.iter().map(other).collect(),
            side_to_move: !setup.side_to_move,
            castling_rooks: setup.castling_rooks.flip_ranks(),
            en_passant: setup.en_passant.map(Square::flip_rank),
            ..setup
        })
    }

    /// Computes from scratch everything that is updated incrementally. Every position starts here.
    pub(crate) fn derive(setup: &Setup) -> Position {
        let mut position = Position {
            board: setup.board,
            key: 0,
            pawn_key: zobrist::pawns(&setup.board),
            castling: setup.castling_rooks,
            fullmove_number: setup.fullmove_number,
            halfmove_clock: setup.halfmove_clock as u16,
            side_to_move: setup.side_to_move,
            double_step: setup.en_passant,
            en_passant: setup.en_passant.filter(|&skipped| {
                let capturers = setup.board.pieces(PieceType::Pawn.of(setup.side_to_move));
                attacks::pawn(!setup.side_to_move, skipped).intersects(capturers)
            }),
        };
        position.key = zobrist::board(&position.board) ^ position.state_key();
        position
    }

    /// The part of the key that is not pieces.
    pub(crate) fn state_key(&self) -> u64 {
        let turn = if self.side_to_move == Color::White { zobrist::WHITE_TO_MOVE } else { 0 };
        let en_passant = self.en_passant.map_or(0, |square| zobrist::en_passant(square.file()));
        turn ^ en_passant ^ zobrist::castling(self.castling_rights())
    }

    /// The pieces.
    #[inline(always)]
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// What stands on a square: one load from the piece list.
    #[doc(alias("get_piece_at", "piece_list", "piece_on"))]
    #[inline(always)]
    #[must_use]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board.piece_at(square)
    }

    /// What a legal move captures. This is not always the piece on the target square: that square is empty for
    /// an en-passant capture, and holds a rook of the same side for castling.
    ///
    /// ```
    /// use ferz_board::{Piece, Position};
    /// let position = Position::from_fen("4k3/8/8/2pP4/8/8/6r1/4K2R w K c6 0 1")?;
    /// assert_eq!(position.captured(position.parse_uci("d5c6")?), Some(Piece::BlackPawn));
    /// assert_eq!(position.captured(position.parse_uci("e1f1")?), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn captured(&self, mv: Move) -> Option<Piece> {
        match mv.kind() {
            MoveKind::Castling => None,
            MoveKind::EnPassant => self.piece_at(victim_of_en_passant(mv.from(), mv.to())),
            MoveKind::Normal | MoveKind::DoubleStep | MoveKind::Promotion(_) => self.piece_at(mv.to()),
        }
    }

    /// The squares of a piece: one of the twelve piece bitboards.
    #[inline(always)]
    #[must_use]
    pub const fn pieces(&self, piece: Piece) -> Bitboard {
        self.board.pieces(piece)
    }

    /// The squares of a type of piece, both colours.
    #[inline(always)]
    #[must_use]
    pub const fn by_type(&self, piece_type: PieceType) -> Bitboard {
        self.board.by_type(piece_type)
    }

    /// The squares of a colour.
    #[inline(always)]
    #[must_use]
    pub const fn by_color(&self, color: Color) -> Bitboard {
        self.board.by_color(color)
    }

    /// The squares on which anything stands.
    #[inline(always)]
    #[must_use]
    pub const fn occupied(&self) -> Bitboard {
        self.board.occupied()
    }

    /// Where the king of a colour stands.
    #[doc(alias = "king_square")]
    #[inline(always)]
    #[must_use]
    pub const fn king(&self, color: Color) -> Square {
        Bitboard(self.board.by_type(PieceType::King).0 & self.board.by_color(color).0).first_unchecked()
    }

    /// Whose turn it is.
    #[doc(alias("turn", "stm", "active_color", "us"))]
    #[inline(always)]
    #[must_use]
    pub const fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// The castling rights.
    #[inline]
    #[must_use]
    pub fn castling_rights(&self) -> CastlingRights {
        let mut rights = CastlingRights::NONE;
        if self.castling.any() {
            for color in Color::ALL {
                let king = self.king(color);
                for rook in self.castling & self.by_color(color) {
                    rights |= CastlingRights::single(color, CastlingSide::of_rook(king, rook));
                }
            }
        }
        rights
    }

    /// The rooks that may still castle.
    #[inline(always)]
    #[must_use]
    pub const fn castling_rooks(&self) -> Bitboard {
        self.castling
    }

    /// The rook with which a colour may castle to a side, if it has that right.
    #[inline]
    #[must_use]
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        let king = self.king(color);
        let rooks = self.castling & self.by_color(color);
        rooks.into_iter().find(|&rook| CastlingSide::of_rook(king, rook) == side)
    }

    /// Whether all castling rights are those of standard chess, so that both ways of writing castling apply.
    #[must_use]
    pub fn has_standard_castling(&self) -> bool {
        const CORNERS: Bitboard = Bitboard(0x8100_0000_0000_0081);
        self.castling.is_subset(CORNERS)
            && Color::ALL.into_iter().all(|color| {
                !self.castling.intersects(self.by_color(color)) || self.king(color).file() == File::E
            })
    }

    /// The castling rules this position needs: [`CastlingMode::Standard`] if
    /// [castling is as in standard chess](Position::has_standard_castling), else [`CastlingMode::Chess960`].
    ///
    /// ```
    /// use ferz_board::{CastlingMode, Position};
    /// assert_eq!(Position::start().castling_mode(), CastlingMode::Standard);
    /// let position = Position::from_fen_in("4k3/8/8/8/8/8/8/4K1R1 w G - 0 1", CastlingMode::Chess960)?;
    /// assert_eq!(position.castling_mode(), CastlingMode::Chess960);
    /// # Ok::<(), ferz_board::FenError>(())
    /// ```
    #[must_use]
    pub fn castling_mode(&self) -> CastlingMode {
        if self.has_standard_castling() { CastlingMode::Standard } else { CastlingMode::Chess960 }
    }

    /// The square on which a pawn of the side to move stands ready to capture en passant; the pawn may be
    /// pinned. This is the square that counts for the [key](Position::key).
    #[inline(always)]
    #[must_use]
    pub const fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// The square on which an en-passant capture is legal now.
    #[inline]
    #[must_use]
    pub fn legal_en_passant(&self) -> Option<Square> {
        self.en_passant.filter(|_| self.has_legal_en_passant())
    }

    /// The square the last move's pawn skipped with a double step, whether or not a pawn can capture there.
    #[doc(alias("ep_square", "en_passant_square"))]
    #[inline(always)]
    #[must_use]
    pub const fn double_step(&self) -> Option<Square> {
        self.double_step
    }

    /// Plies since the last capture or pawn move. It stops at [`Setup::MAX_HALFMOVE_CLOCK`].
    #[inline(always)]
    #[doc(alias("rule50", "half_move_counter", "half_move_clock", "fifty"))]
    #[must_use]
    pub const fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock as u32
    }

    /// The number of the move to be played, from 1; it grows after Black's moves, up to
    /// [`Setup::MAX_FULLMOVE_NUMBER`].
    #[inline(always)]
    #[must_use]
    pub const fn fullmove_number(&self) -> u32 {
        self.fullmove_number
    }

    /// The same position with different clocks, for formats that store them separately; `None` if they are out
    /// of range for a [`Setup`].
    ///
    /// ```
    /// use ferz_board::Position;
    /// let position = Position::start().with_clocks(57, 99).unwrap();
    /// assert_eq!((position.halfmove_clock(), position.fullmove_number()), (57, 99));
    /// assert_eq!(Position::start().with_clocks(0, 0), None); // move numbers start at 1
    /// ```
    #[must_use]
    pub fn with_clocks(mut self, halfmove_clock: u32, fullmove_number: u32) -> Option<Position> {
        let in_range = halfmove_clock <= Setup::MAX_HALFMOVE_CLOCK
            && (1..=Setup::MAX_FULLMOVE_NUMBER).contains(&fullmove_number);
        self.halfmove_clock = halfmove_clock as u16;
        self.fullmove_number = fullmove_number;
        in_range.then_some(self)
    }

    /// The Zobrist key that is updated with every move: the key of the Polyglot book format.
    ///
    /// To find out whether two positions are the same, use [`Position::repetition_key`]: this key also counts an
    /// en-passant square if the capture is not legal because the pawn is pinned.
    #[doc(alias = "zobrist")]
    #[doc(alias = "hash")]
    #[inline(always)]
    #[must_use]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The Zobrist key of the pawns alone.
    #[inline(always)]
    #[must_use]
    pub const fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// The key of a position: equal for [the same position](Position::same_position), in maps, tables and for
    /// repetition.
    ///
    /// It is the [Polyglot key](Position::key), but an en-passant square counts only if the capture is legal, as the
    /// rules of the game have it. Different positions may have the same key: by chance, and in Chess960 if they
    /// differ only in which of two rooks may castle. [`Position::key128`] avoids both.
    #[doc(alias = "zobrist")]
    #[doc(alias = "hash")]
    #[inline]
    #[must_use]
    pub fn repetition_key(&self) -> u64 {
        match self.en_passant {
            Some(square) if !self.has_legal_en_passant() => self.key ^ zobrist::en_passant(square.file()),
            _ => self.key,
        }
    }

    /// A key of 128 bits, computed from scratch, for collections so large that 64 bits are not enough.
    ///
    /// The low half is the [`repetition_key`](Position::repetition_key). The high half is a second Zobrist key, made
    /// of different numbers; it also tells apart positions of Chess960 that differ only in which rook may castle.
    /// Neither half changes between versions of this crate.
    ///
    /// ```
    /// use ferz_board::Position;
    /// let position = Position::start();
    /// assert_eq!(position.key128() as u64, position.repetition_key());
    /// ```
    #[must_use]
    pub fn key128(&self) -> u128 {
        u128::from(zobrist::second_key(self)) << 64 | u128::from(self.repetition_key())
    }

    /// Whether this is the same position by the rules of repetition: the same pieces, side to move, castling rights and
    /// legal en-passant capture. The clocks do not count. Unlike [keys](Position::repetition_key) this is exact.
    #[must_use]
    pub fn same_position(&self, other: &Position) -> bool {
        self.board == other.board
            && self.side_to_move == other.side_to_move
            && self.castling == other.castling
            && self.legal_en_passant() == other.legal_en_passant()
    }

    /// The pieces of both colours that attack a square.
    #[inline]
    #[must_use]
    pub fn attackers_to(&self, square: Square) -> Bitboard {
        self.board.attackers_to(square, self.occupied())
    }

    /// The pieces that give check to the side to move.
    #[inline]
    #[must_use]
    pub fn checkers(&self) -> Bitboard {
        self.attackers_to(self.king(self.side_to_move)) & self.by_color(!self.side_to_move)
    }

    /// Whether the side to move is in check.
    #[doc(alias = "in_check")]
    #[inline]
    #[must_use]
    pub fn is_check(&self) -> bool {
        self.checkers().any()
    }

    /// The pieces of either colour that alone stand between a king and an enemy slider: pieces of the king's
    /// own colour are pinned, enemy ones uncover check when they leave the line.
    #[inline]
    #[must_use]
    pub fn blockers(&self, color: Color) -> Bitboard {
        let king = self.king(color);
        let mut blockers = Bitboard::EMPTY;
        for sniper in self.snipers(king) & self.by_color(!color) {
            let between = attacks::between(king, sniper) & self.occupied();
            if between.is_singular() {
                blockers |= between;
            }
        }
        blockers
    }

    /// The pieces of a colour that are pinned to their king.
    ///
    /// ```
    /// use ferz_board::{Color, Position, Square};
    /// let position = Position::from_fen("4k3/4r3/8/b7/8/2N1B3/8/4K3 w - - 0 1")?;
    /// assert_eq!(position.pinned(Color::White), [Square::C3, Square::E3].into_iter().collect());
    /// # Ok::<(), ferz_board::FenError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn pinned(&self, color: Color) -> Bitboard {
        self.blockers(color) & self.by_color(color)
    }

    /// Sliders of both colours that would attack this square on an empty board.
    #[inline]
    fn snipers(&self, square: Square) -> Bitboard {
        let queens = self.by_type(PieceType::Queen);
        (attacks::rook(square, Bitboard::EMPTY) & (self.by_type(PieceType::Rook) | queens))
            | (attacks::bishop(square, Bitboard::EMPTY) & (self.by_type(PieceType::Bishop) | queens))
    }

    /// Compares everything kept incrementally with its value from scratch; called after every move in debug
    /// builds.
    #[cfg(debug_assertions)]
    pub(crate) fn assert_consistent(&self) {
        let fresh = Position::derive(&Setup::from(self));
        assert_eq!(*self, fresh, "incremental and fresh values differ");
        assert_eq!(
            (self.key, self.pawn_key, self.en_passant, self.double_step),
            (fresh.key, fresh.pawn_key, fresh.en_passant, fresh.double_step),
            "incremental and fresh values differ in {self}"
        );
        let listed: Board = self.board.iter().collect();
        assert_eq!(self.board, listed, "bitboards and piece list differ");
        for piece_type in PieceType::ALL {
            for other in PieceType::ALL {
                assert!(
                    piece_type == other || !self.by_type(piece_type).intersects(self.by_type(other)),
                    "a square has two pieces"
                );
            }
        }
        let typed = PieceType::ALL.into_iter().fold(Bitboard::EMPTY, |all, it| all | self.by_type(it));
        assert_eq!(typed, self.occupied(), "types and colours differ");
    }
}

impl Default for Position {
    fn default() -> Position {
        Position::start()
    }
}

/// Compares what the text of a position says; see [Equality](Position#equality).
impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.halfmove_clock == other.halfmove_clock
            && self.fullmove_number == other.fullmove_number
            && self.same_position(other)
    }
}

impl Eq for Position {}

/// Hashes the [repetition key](Position::repetition_key).
impl core::hash::Hash for Position {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.repetition_key());
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({self})")
    }
}
