//! Zstd decompression in bounded memory and time, for files that are not trusted.

use std::error::Error;
use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The maximum window size. `zstd` needs no more up to level 20 without `--long`.
const MAX_WINDOW: u64 = 32 << 20;
/// Up to this length, text may have any compression ratio.
const FREE_TEXT: u64 = 256 << 20;
/// The maximum compression ratio of longer text. Games reach 10, one game repeated over and over a few thousand, a
/// decompression bomb 30,000.
const MAX_RATIO: u64 = 5_000;

/// The number of bytes that identify zstd data.
pub(super) const MAGIC_LEN: usize = 4;

/// Whether a file with these first bytes is zstd data.
pub(super) fn is_magic(first: &[u8]) -> bool {
    const FRAME: u32 = 0xfd2f_b528;
    // Skippable frames, written by `pzstd`. Their last four bits are arbitrary.
    const SKIPPABLE: u32 = 0x184d_2a50 >> 4;
    let magic = first.first_chunk().map(|&bytes| u32::from_le_bytes(bytes));
    magic.is_some_and(|magic| magic == FRAME || magic >> 4 == SKIPPABLE)
}

/// Decompresses all frames of a file.
pub(super) struct Unzstd<R> {
    input: R,
    decoder: FrameDecoder,
    state: FrameState,
    /// Bytes of the earlier frames, and of their text.
    input_before: u64,
    text_before: u64,
    /// Bytes of text of this frame.
    text: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameState {
    /// Only skippable frames so far.
    NoFrame,
    InFrame,
    BetweenFrames,
}

impl<R: BufRead> Unzstd<R> {
    pub(super) fn new(input: R) -> Unzstd<R> {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Unzstd { input, decoder, state: FrameState::NoFrame, input_before: 0, text_before: 0, text: 0 }
    }

    /// Goes to the next frame with data; false at the end of the file.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.input.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.input) {
                Ok(()) => {
                    self.state = FrameState::InFrame;
                    self.text_before += self.text;
                    self.text = 0;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut frame = self.input.by_ref().take(length.into());
                    if io::copy(&mut frame, &mut io::sink())? < length.into() {
                        return Err(truncated());
                    }
                    self.input_before += u64::from(length);
                }
                Err(error) => return Err(explain(&error)),
            }
        }
        match self.state {
            FrameState::NoFrame => Err(io::Error::other("the zstd file contains no data")),
            FrameState::InFrame | FrameState::BetweenFrames => Ok(false),
        }
    }

    /// Reads text of the frame; 0 bytes at its end.
    fn read_frame(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
            self.decoder
                .decode_blocks(&mut self.input, BlockDecodingStrategy::UptoBlocks(1))
                .map_err(|error| explain(&error))?;
        }
        let count = self.decoder.read(buffer)?;
        self.text += count as u64;
        let text = self.text_before + self.text;
        let input = self.input_before + self.decoder.bytes_read_from_source();
        if text > FREE_TEXT && text / MAX_RATIO > input {
            let problem = format!("a zstd bomb: {input} bytes expand to more than {} MiB", FREE_TEXT >> 20);
            return Err(io::Error::other(problem));
        }
        Ok(count)
    }

    /// Checks the length and the checksum of the frame.
    fn end_frame(&mut self) -> io::Result<()> {
        // The decoder returns 0 if the frame does not announce its size.
        let (announced, text) = (self.decoder.content_size(), self.text);
        if announced != 0 && announced != text {
            let problem = format!("damaged zstd data: expected {announced} bytes, found {text}");
            return Err(io::Error::other(problem));
        }
        let checksum = self.decoder.get_checksum_from_data();
        if checksum.is_some() && checksum != self.decoder.get_calculated_checksum() {
            return Err(io::Error::other("damaged zstd data: wrong checksum"));
        }
        self.state = FrameState::BetweenFrames;
        self.input_before += self.decoder.bytes_read_from_source();
        Ok(())
    }
}

impl<R: BufRead> Read for Unzstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while self.state == FrameState::InFrame || self.next_frame()? {
            let count = self.read_frame(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            self.end_frame()?;
        }
        Ok(0)
    }
}

fn truncated() -> io::Error {
    io::Error::other("truncated zstd data")
}

/// The error of the decoder as a message for users.
fn explain(error: &FrameDecoderError) -> io::Error {
    let text = match error {
        FrameDecoderError::WindowSizeTooBig { requested, max } => {
            format!("zstd window of {} MiB: at most {} are supported", requested >> 20, max >> 20)
        }
        FrameDecoderError::DictNotProvided { .. } => {
            "zstd data with a dictionary is not supported".to_owned()
        }
        _ => {
            let mut cause: Option<&(dyn Error + 'static)> = Some(error);
            while let Some(error) = cause {
                match error.downcast_ref::<io::Error>() {
                    Some(error) if error.kind() == io::ErrorKind::UnexpectedEof => return truncated(),
                    Some(error) => return io::Error::new(error.kind(), error.to_string()),
                    None => cause = error.source(),
                }
            }
            format!("damaged zstd data: {error}")
        }
    };
    io::Error::other(text)
}
