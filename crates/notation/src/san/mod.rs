//! Moves in standard algebraic notation (SAN): `Nf3`, `exd6`, `O-O`, `e8=Q+`.
//!
//! Writing gives the export format of the PGN standard: [`San`], and with both squares [`Lan`]. There are two ways to read:
//! [`parse`] accepts exactly what [`San`] writes, [`parse_lenient`] also what people and programs write. [`parse_or_null`] reads null moves as well.
//!
//! A [`San`] can also be read without a position (`"Nf3".parse::<San>()`), asked for its parts, and made a move of a position
//! later.
//!
//! # Two grammars
//!
//! SAN is taken apart in two places, and each is there for a reason:
//!
//! | where | accepts | why |
//! |---|---|---|
//! | `pgn/token.rs` | common moves of at most eight bytes: no castling, no promotion | speed: table lookups without branches for nearly all moves of a PGN file |
//! | `san/syntax.rs` | everything that [`parse_lenient`] accepts | correctness: one definition of lenient SAN for PGN, EPD and all other users |
//!
//! What the first declines goes to the second, so both agree on every text. Strict SAN needs no grammar: [`parse`] reads
//! leniently and compares with what [`San`] writes.
//!
//! # UCI
//!
//! `Move::uci` and `Position::parse_uci` of `ferz-board` write and read UCI moves (`g1f3`); [`parse_lenient`] accepts them,
//! too. For lines of moves see [`crate::line`].
//!
//! ```
//! use ferz_board::Position;
//! use ferz_notation::san::{self, San};
//!
//! let mut position = Position::start();
//! for text in ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6"] {
//!     let mv = san::parse(&position, text)?;
//!     position.play(mv)?;
//! }
//! let mate = san::parse_lenient(&position, "h5xf7")?;
//! assert_eq!(San::new(&position, mate).as_str(), "Qxf7#");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod resolve;
mod san_move;
mod short_text;
pub(crate) mod syntax;
mod write;

pub use error::SanError;
pub use san_move::{CheckMark, NotSan, San};
pub use write::Lan;

pub(crate) use error::quoted;
pub(crate) use short_text::ShortText;
pub(crate) use syntax::is_en_passant_mark;

use ferz_board::{Move, Position};

/// Reads export-format SAN: the text must be exactly what [`San::new`] writes for the move, with check and
/// mate marks, `x` for captures and no more disambiguation than needed.
///
/// ```
/// use ferz_board::Position;
/// use ferz_notation::san;
///
/// let position = Position::from_fen("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")?;
/// assert!(san::parse(&position, "Ra8+").is_ok());
/// let error = san::parse(&position, "Ra8").unwrap_err();
/// assert_eq!(error.to_string(), "'Ra8' is not standard SAN; expected Ra8+");
/// # Ok::<(), ferz_board::FenError>(())
/// ```
pub fn parse(position: &Position, text: &str) -> Result<Move, SanError> {
    let mv = parse_lenient(position, text)?;
    let expected = San::new(position, mv);
    if expected.as_str() == text {
        Ok(mv)
    } else {
        Err(SanError::NotExport { token: quoted(text), expected })
    }
}

/// Reads a move as people and programs write it, as long as exactly one legal move fits.
///
/// Beside SAN it accepts:
///
/// - castling with zeros or small letters: `0-0`, `o-o-o`;
/// - check and mate marks left out, wrong or doubled (`++`), annotations (`!`, `?!`) and assessments
///   (`+/-`, `=`);
/// - more origin than needed: `Ngf3`, `Ng1f3`, `Ng1-f3`;
/// - `x` left out, put in without need, or written `:`; a capturing pawn must still be identified
///   (`exd5`, `ed5`, or `xd5` if there is only one);
/// - promotions as `e8Q`, `e8(Q)`, `e8/Q`, `e8=q`; without a piece they are rejected;
/// - `e.p.` after a capture en passant;
/// - both squares without a piece letter, as in UCI and long notation: `g1f3`, `e2-e4`, `e7e8q`; castling so
///   may name the king's target or the rook's square;
/// - figurines (`♘f3`, `♞f3`), `P` for pawns, and the letters `n r q k p` in lower case. A lower-case `b` is
///   the file where it can be: `bxc3` is a pawn's move, and only what no pawn on the b-file could do (`bxd4`,
///   `bcd4`) a bishop's.
///
/// ```
/// use ferz_board::Position;
/// use ferz_notation::san;
///
/// let position = Position::start();
/// let expected = san::parse(&position, "Nf3")?;
/// for text in ["Nf3+", "Ngf3", "Ng1-f3", "g1f3", "nf3", "♘f3", "Nxf3!?"] {
///     assert_eq!(san::parse_lenient(&position, text)?, expected);
/// }
/// assert_eq!(
///     san::parse_lenient(&position, "Nd4").unwrap_err().to_string(),
///     "'Nd4': no such piece can move there"
/// );
/// assert_eq!(
///     san::parse_lenient(&position, "Ne2").unwrap_err().to_string(),
///     "'Ne2' is not legal: the pawn on e2 belongs to the same side"
/// );
/// # Ok::<(), san::SanError>(())
/// ```
pub fn parse_lenient(position: &Position, text: &str) -> Result<Move, SanError> {
    let Some(syntax) = syntax::parse(text) else { return Err(SanError::Syntax { token: quoted(text) }) };
    resolve::resolve(position, &syntax).map_err(|error| error.of(text))
}

/// Reads a move as [`parse_lenient`] does, or a null move (`--`, `Z0`, `0000`, `null`, `@@@@`): `None`. A
/// null move is rejected in check, where the king could be captured.
///
/// ```
/// use ferz_board::Position;
/// use ferz_notation::san;
///
/// let position = Position::start();
/// assert_eq!(san::parse_or_null(&position, "--")?, None);
/// assert!(san::parse_or_null(&position, "e4")?.is_some());
/// # Ok::<(), san::SanError>(())
/// ```
pub fn parse_or_null(position: &Position, text: &str) -> Result<Option<Move>, SanError> {
    if !syntax::is_null_move(text) {
        return parse_lenient(position, text).map(Some);
    }
    if position.is_check() { Err(SanError::NullInCheck { token: quoted(text) }) } else { Ok(None) }
}
