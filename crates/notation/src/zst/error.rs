//! What can be wrong with compressed data.

use std::error::Error;
use std::{fmt, io};

use super::ZstReader;

/// Compressed data that cannot be read, and where. It comes inside an [`io::Error`].
///
/// ```
/// use std::io::Read;
/// use ferz_notation::zst::{ZstError, ZstProblem, ZstReader};
///
/// let error = ZstReader::new(&[0x28, 0xb5, 0x2f, 0xfd, 0x04][..]).read(&mut [0; 10]).unwrap_err();
/// let error = ZstError::of(&error).expect("the data are wrong, not the file");
/// assert_eq!((error.offset, error.problem.name()), (0, "truncated"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ZstError {
    /// Where the frame with the problem begins: a number of bytes of the compressed file. All frames before it are sound.
    pub offset: u64,
    /// What is wrong.
    pub problem: ZstProblem,
}

impl ZstError {
    /// The problem with the data, if that is why a [`ZstReader`] failed.
    pub fn of(error: &io::Error) -> Option<&ZstError> {
        error.get_ref()?.downcast_ref()
    }
}

/// What can be wrong with compressed data.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ZstProblem {
    /// The file ends within a frame.
    Truncated,
    /// The file has no frame with data.
    NoData,
    /// Something that is not a frame.
    NotAFrame,
    /// The frame needs more memory than allowed, see [`ZstReader::max_window`].
    WindowTooLarge {
        /// The window that the frame asks for, in bytes.
        window: u64,
        /// What is allowed.
        limit: u64,
    },
    /// The frame was compressed with a dictionary.
    Dictionary,
    /// The text is not as long as the frame announces.
    WrongLength {
        /// The announced length, in bytes.
        expected: u64,
        /// The length of the text.
        found: u64,
    },
    /// The checksum of the text is wrong.
    WrongChecksum,
    /// There is more text than allowed for so few bytes, see [`ZstReader::max_ratio`].
    Bomb {
        /// Compressed bytes.
        compressed: u64,
        /// Bytes of text.
        text: u64,
    },
    /// The frame is damaged, in the decoder's words.
    Damaged(String),
}

impl ZstProblem {
    /// A short name for scripts, e.g. `truncated`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            ZstProblem::Truncated => "truncated",
            ZstProblem::NoData => "no-data",
            ZstProblem::NotAFrame => "not-a-frame",
            ZstProblem::WindowTooLarge { .. } => "window-too-large",
            ZstProblem::Dictionary => "dictionary",
            ZstProblem::WrongLength { .. } => "wrong-length",
            ZstProblem::WrongChecksum => "wrong-checksum",
            ZstProblem::Bomb { .. } => "bomb",
            ZstProblem::Damaged(_) => "damaged",
        }
    }
}

impl fmt::Display for ZstProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ZstProblem::Truncated => f.write_str("truncated zstd data"),
            ZstProblem::NoData => f.write_str("the zstd file contains no data"),
            ZstProblem::NotAFrame => f.write_str("damaged zstd data: not a frame"),
            ZstProblem::WindowTooLarge { window, limit } => {
                write!(f, "zstd window of {} MiB: at most {} are supported", window >> 20, limit >> 20)
            }
            ZstProblem::Dictionary => f.write_str("zstd data with a dictionary is not supported"),
            ZstProblem::WrongLength { expected, found } => {
                write!(f, "damaged zstd data: expected {expected} bytes, found {found}")
            }
            ZstProblem::WrongChecksum => f.write_str("damaged zstd data: wrong checksum"),
            ZstProblem::Bomb { compressed, .. } => {
                let most = ZstReader::<io::Empty>::FREE_TEXT >> 20;
                write!(f, "a zstd bomb: {compressed} bytes expand to more than {most} MiB")
            }
            ZstProblem::Damaged(reason) => write!(f, "damaged zstd data: {reason}"),
        }
    }
}

impl fmt::Display for ZstError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)?;
        // Most files have one frame.
        let is_in_a_frame = self.offset > 0 && self.problem != ZstProblem::NoData;
        if is_in_a_frame { write!(f, " (frame at byte {})", self.offset) } else { Ok(()) }
    }
}

impl Error for ZstError {}

impl From<ZstError> for io::Error {
    fn from(error: ZstError) -> io::Error {
        let kind = match error.problem {
            ZstProblem::Truncated => io::ErrorKind::UnexpectedEof,
            ZstProblem::WindowTooLarge { .. } | ZstProblem::Dictionary => io::ErrorKind::Unsupported,
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}
