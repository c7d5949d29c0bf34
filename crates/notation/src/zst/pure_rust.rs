//! Decompression in pure Rust.

use std::error::Error;
use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder as Decoder};

use super::{Failure, ZstProblem};

/// Decompresses one frame after the other.
pub(super) struct FrameDecoder(Decoder);

impl FrameDecoder {
    pub(super) fn new() -> FrameDecoder {
        FrameDecoder(Decoder::new())
    }

    /// Begins a frame with its header.
    pub(super) fn start(&mut self, header: &[u8], max_window: u64) -> Result<(), Failure> {
        self.0.set_max_window_size(max_window);
        self.0.init(header).map_err(|error| explain(&error))
    }

    /// Reads text of the frame; 0 bytes at its end.
    pub(super) fn read(&mut self, input: &mut impl BufRead, buffer: &mut [u8]) -> Result<usize, Failure> {
        while self.0.can_collect() == 0 && !self.0.is_finished() {
            self.0
                .decode_blocks(&mut *input, BlockDecodingStrategy::UptoBlocks(1))
                .map_err(|error| explain(&error))?;
        }
        let count = self.0.read(buffer)?;
        let checksum = self.0.get_checksum_from_data();
        if count == 0 && checksum.is_some() && checksum != self.0.get_calculated_checksum() {
            return Err(ZstProblem::WrongChecksum.into());
        }
        Ok(count)
    }
}

fn explain(error: &FrameDecoderError) -> Failure {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return io::Error::new(error.kind(), error.to_string()).into();
        }
        cause = error.source();
    }
    ZstProblem::Damaged(error.to_string()).into()
}
