//! Reading files that are compressed with zstd, in bounded memory and for files that are not trusted.
//!
//! Feature `zst`: decompression in pure Rust. Feature `libzstd`: by the C library, which needs a C compiler.
//! Both read all frames of a file, skip skippable frames (`pzstd` writes them), and check lengths and
//! checksums.
//!
//! ```no_run
//! use ferz_notation::pgn::{GameTree, Reader};
//! use ferz_notation::zst::TextReader;
//!
//! // The first bytes decide whether the file is compressed; its name does not matter.
//! let mut reader = Reader::new(TextReader::open("games.pgn.zst")?);
//! let mut game = GameTree::new();
//! while game.read(&mut reader)? {
//!     println!("{game}");
//! }
//! # Ok::<(), std::io::Error>(())
//! ```

#[cfg(feature = "libzstd")]
mod c_library;
mod error;
mod frame;
#[cfg(not(feature = "libzstd"))]
mod pure_rust;
mod text;

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

pub use error::{ZstError, ZstProblem};
pub use text::TextReader;

#[cfg(feature = "libzstd")]
use c_library::FrameDecoder;
use frame::{Frame, FrameHeader};
#[cfg(not(feature = "libzstd"))]
use pure_rust::FrameDecoder;

/// Bytes read from the file at a time.
const CHUNK: usize = 128 << 10;

/// Whether a file with these first bytes, at least four, is zstd data.
#[must_use]
pub fn is_zst(first: &[u8]) -> bool {
    frame::Magic::of(first).is_some()
}

/// Decompresses all frames of a file.
///
/// It allocates the window that a frame asks for, up to [`max_window`](ZstReader::max_window), and buffers of constant
/// size. Damaged data ends in an [`io::Error`] that contains a [`ZstError`]; all text before it is delivered, but the
/// last frame may be damaged before the place where this was noticed.
pub struct ZstReader<R> {
    input: Source<R>,
    decoder: FrameDecoder,
    /// The frame being read.
    frame: Option<FrameHeader>,
    /// Where the frame begins, or the next one.
    frame_offset: u64,
    /// Text of this frame, and of all frames.
    frame_text: u64,
    text: u64,
    has_data: bool,
    /// Nothing is read behind damage.
    error: Option<ZstError>,
    max_window: u64,
    max_ratio: u64,
}

impl<R: Read> ZstReader<R> {
    /// The default of [`max_window`](ZstReader::max_window): 32 MiB. `zstd` needs no more up to level 20 without `--long`.
    pub const DEFAULT_MAX_WINDOW: u64 = 32 << 20;
    /// The default of [`max_ratio`](ZstReader::max_ratio). Games reach 10, one game repeated over and over a few thousand, a
    /// decompression bomb 30,000.
    pub const DEFAULT_MAX_RATIO: u64 = 5_000;
    /// Up to this length, text may have any compression ratio.
    pub const FREE_TEXT: u64 = 256 << 20;

    /// A reader of compressed data; it has a buffer of its own.
    pub fn new(input: R) -> ZstReader<R> {
        ZstReader {
            input: Source { inner: BufReader::with_capacity(CHUNK, input), taken: 0 },
            decoder: FrameDecoder::new(),
            frame: None,
            frame_offset: 0,
            frame_text: 0,
            text: 0,
            has_data: false,
            error: None,
            max_window: Self::DEFAULT_MAX_WINDOW,
            max_ratio: Self::DEFAULT_MAX_RATIO,
        }
    }

    /// Sets the largest window, in bytes, that a frame may ask for. It limits the memory.
    #[must_use]
    pub fn max_window(self, bytes: u64) -> ZstReader<R> {
        ZstReader { max_window: bytes, ..self }
    }

    /// Sets how many bytes of text there may be for one compressed byte. It limits the time. It applies once there is
    /// more text than [`FREE_TEXT`](ZstReader::FREE_TEXT).
    #[must_use]
    pub fn max_ratio(self, ratio: u64) -> ZstReader<R> {
        ZstReader { max_ratio: ratio.max(1), ..self }
    }

    /// Goes to the next frame with data; false at the end of the file.
    fn next_frame(&mut self) -> Result<bool, Failure> {
        loop {
            self.frame_offset = self.input.taken;
            match Frame::read(&mut self.input)? {
                Some(Frame::Data(header)) => {
                    if header.window > self.max_window {
                        let (window, limit) = (header.window, self.max_window);
                        return Err(ZstProblem::WindowTooLarge { window, limit }.into());
                    }
                    if header.has_dictionary {
                        return Err(ZstProblem::Dictionary.into());
                    }
                    self.decoder.start(header.bytes(), self.max_window)?;
                    (self.frame, self.frame_text, self.has_data) = (Some(header), 0, true);
                    return Ok(true);
                }
                Some(Frame::Skippable { len }) => {
                    let skipped = io::copy(&mut self.input.by_ref().take(len), &mut io::sink())?;
                    if skipped < len {
                        return Err(ZstProblem::Truncated.into());
                    }
                }
                None if self.has_data => return Ok(false),
                None => return Err(ZstProblem::NoData.into()),
            }
        }
    }

    fn try_read(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        loop {
            if self.frame.is_none() && !self.next_frame()? {
                return Ok(0);
            }
            let count = self.decoder.read(&mut self.input, buffer)?;
            self.frame_text += count as u64;
            self.text += count as u64;
            if self.text > Self::FREE_TEXT && self.text / self.max_ratio > self.input.taken {
                let (compressed, text) = (self.input.taken, self.text);
                return Err(ZstProblem::Bomb { compressed, text }.into());
            }
            if count > 0 {
                return Ok(count);
            }
            let announced = self.frame.take().and_then(|frame| frame.content_len);
            if let Some(expected) = announced.filter(|&expected| expected != self.frame_text) {
                return Err(ZstProblem::WrongLength { expected, found: self.frame_text }.into());
            }
        }
    }
}

impl<R: Read> Read for ZstReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if let Some(error) = &self.error {
            return Err(error.clone().into());
        }
        self.try_read(buffer).map_err(|failure| match failure {
            Failure::Io(error) => error,
            Failure::Data(problem) => {
                let error = ZstError { offset: self.frame_offset, problem };
                self.error.insert(error).clone().into()
            }
        })
    }
}

impl<R> fmt::Debug for ZstReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZstReader").field("offset", &self.input.taken).finish_non_exhaustive()
    }
}

/// Why reading ends: the file cannot be read, or it is not what it should be.
enum Failure {
    Io(io::Error),
    Data(ZstProblem),
}

impl From<ZstProblem> for Failure {
    fn from(problem: ZstProblem) -> Failure {
        Failure::Data(problem)
    }
}

impl From<io::Error> for Failure {
    /// The decoders read a known number of bytes: an end before that is damage, not an error of the file.
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Failure::Data(ZstProblem::Truncated),
            _ => Failure::Io(error),
        }
    }
}

/// The compressed bytes, and how many of them have been taken.
struct Source<R> {
    inner: BufReader<R>,
    taken: u64,
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.taken += count as u64;
        Ok(count)
    }
}

impl<R: Read> BufRead for Source<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.taken += count as u64;
        self.inner.consume(count);
    }
}
