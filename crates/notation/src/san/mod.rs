//! Moves in standard algebraic notation (SAN): `Nf3`, `exd6`, `O-O`, `e8=Q+`.
//!
//! Writing gives the export format of the PGN standard: [`San`], and with both squares [`Lan`]. Reading comes
//! in two kinds: [`parse`] takes exactly what [`San`] writes, [`parse_lenient`] what people and programs
//! write. [`parse_or_null`] reads null moves as well.
//!
//! Moves as UCI writes them (`g1f3`) need no module here: `Move::uci` and `Position::parse_uci` of
//! `ferz-board` write and read them, and [`parse_lenient`] takes them, too.
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
mod short_text;
mod syntax;
mod write;

pub use error::SanError;
pub use write::{Lan, San};

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
/// assert_eq!(error.to_string(), "'Ra8' is not the standard way to write Ra8+");
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

/// Reads a move as people and programs write it, as long as only one legal move can be meant.
///
/// Beside SAN it takes:
///
/// - castling with zeros or small letters: `0-0`, `o-o-o`;
/// - check and mate marks left out, wrong or doubled (`++`), annotations (`!`, `?!`) and assessments
///   (`+/-`, `=`);
/// - more origin than needed: `Ngf3`, `Ng1f3`, `Ng1-f3`;
/// - `x` left out, put in without need, or written `:`; a pawn that captures must still say which
///   (`exd5`, `ed5`, or `xd5` if there is only one);
/// - promotions as `e8Q`, `e8(Q)`, `e8/Q`, `e8=q`; without a piece they are refused;
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
///     "'Nd4': no piece of that kind can go there"
/// );
/// # Ok::<(), san::SanError>(())
/// ```
pub fn parse_lenient(position: &Position, text: &str) -> Result<Move, SanError> {
    let Some(said) = syntax::read(text) else { return Err(SanError::Syntax { token: quoted(text) }) };
    resolve::resolve(position, &said).map_err(|refusal| refusal.of(text))
}

/// Reads a move as [`parse_lenient`] does, or a null move (`--`, `Z0`, `0000`, `null`, `@@@@`): `None`. A
/// null move is refused in check, where the king could be taken.
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
