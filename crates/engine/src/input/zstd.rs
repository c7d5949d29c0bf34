//! Files packed by zstd, in bounded memory and time whatever they contain.

use std::error::Error;
use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// How much text must be kept at hand for repetitions. Up to level 20 without `--long`, `zstd` needs no more.
const MAX_WINDOW: u64 = 32 << 20;
/// Text of this length may come from any number of bytes …
const FREE_TEXT: u64 = 256 << 20;
/// … but a longer one is a bomb if a byte becomes more than so many. Games reach ten, a game copied over and
/// over a few thousand, nothing at all thirty thousand.
const MAX_RATIO: u64 = 5_000;

/// How many of the first bytes tell whether it is zstd.
pub(super) const MAGIC_LEN: usize = 4;

/// Whether a file with these first bytes is packed by zstd.
pub(super) fn is_magic(first: &[u8]) -> bool {
    const FRAME: u32 = 0xfd2f_b528;
    // What `pzstd` begins with. The last four bits may be anything.
    const SKIPPABLE: u32 = 0x184d_2a50 >> 4;
    let magic = first.first_chunk().map(|&bytes| u32::from_le_bytes(bytes));
    magic.is_some_and(|magic| magic == FRAME || magic >> 4 == SKIPPABLE)
}

/// The text that is packed in all frames of a file, one after the other.
pub(super) struct Unzstd<R> {
    input: R,
    decoder: FrameDecoder,
    state: State,
    /// Bytes of the frames before, and of their text.
    input_before: u64,
    text_before: u64,
    /// Text of this frame.
    text: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but frames to be skipped has been seen.
    NoFrame,
    InFrame,
    BetweenFrames,
}

impl<R: BufRead> Unzstd<R> {
    pub(super) fn new(input: R) -> Unzstd<R> {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Unzstd { input, decoder, state: State::NoFrame, input_before: 0, text_before: 0, text: 0 }
    }

    /// Goes to the next frame that has text; false at the end of the file.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.input.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.input) {
                Ok(()) => {
                    self.state = State::InFrame;
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
                        return Err(cut_off());
                    }
                    self.input_before += u64::from(length);
                }
                Err(error) => return Err(explain(&error)),
            }
        }
        match self.state {
            State::NoFrame => Err(io::Error::other("there is no data in the zstd file")),
            State::InFrame | State::BetweenFrames => Ok(false),
        }
    }

    /// Some text of the frame, none at its end.
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
            let problem = format!("a zstd bomb: {input} bytes become more than {} MiB", FREE_TEXT >> 20);
            return Err(io::Error::other(problem));
        }
        Ok(count)
    }

    /// Whether the frame kept its promises.
    fn end_frame(&mut self) -> io::Result<()> {
        // Zero is also what is said of a frame that promises nothing.
        let (promised, text) = (self.decoder.content_size(), self.text);
        if promised != 0 && promised != text {
            let problem = format!("damaged zstd data: {promised} bytes are announced, {text} are there");
            return Err(io::Error::other(problem));
        }
        let checksum = self.decoder.get_checksum_from_data();
        if checksum.is_some() && checksum != self.decoder.get_calculated_checksum() {
            return Err(io::Error::other("damaged zstd data: the checksum is wrong"));
        }
        self.state = State::BetweenFrames;
        self.input_before += self.decoder.bytes_read_from_source();
        Ok(())
    }
}

impl<R: BufRead> Read for Unzstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while self.state == State::InFrame || self.next_frame()? {
            let count = self.read_frame(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            self.end_frame()?;
        }
        Ok(0)
    }
}

fn cut_off() -> io::Error {
    io::Error::other("the zstd data is cut off")
}

/// What the decoder says, in words for users.
fn explain(error: &FrameDecoderError) -> io::Error {
    let text = match error {
        FrameDecoderError::WindowSizeTooBig { requested, max } => {
            format!("the zstd window has {} MiB, at most {} are allowed", requested >> 20, max >> 20)
        }
        FrameDecoderError::DictNotProvided { .. } => "the zstd data needs a dictionary".to_owned(),
        _ => {
            let mut cause: Option<&(dyn Error + 'static)> = Some(error);
            while let Some(error) = cause {
                match error.downcast_ref::<io::Error>() {
                    Some(error) if error.kind() == io::ErrorKind::UnexpectedEof => return cut_off(),
                    Some(error) => return io::Error::new(error.kind(), error.to_string()),
                    None => cause = error.source(),
                }
            }
            format!("damaged zstd data: {error}")
        }
    };
    io::Error::other(text)
}
