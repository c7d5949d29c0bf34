//! Decompression by the C library.

use std::io::{self, BufRead};

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use super::{Failure, ZstProblem};

/// Decompresses one frame after the other.
pub(super) struct FrameDecoder {
    /// Made with the first frame, because the library can refuse.
    decoder: Option<Decoder<'static>>,
    is_finished: bool,
}

impl FrameDecoder {
    pub(super) fn new() -> FrameDecoder {
        FrameDecoder { decoder: None, is_finished: true }
    }

    /// Begins a frame with its header.
    pub(super) fn start(&mut self, header: &[u8], max_window: u64) -> Result<(), Failure> {
        let mut decoder = match self.decoder.take() {
            Some(mut decoder) => {
                decoder.reinit()?;
                decoder
            }
            None => Decoder::new()?,
        };
        // The window is known to be allowed. The library wants a power of two, and has limits of its own.
        let log = max_window.checked_next_power_of_two().unwrap_or(u64::MAX).ilog2();
        decoder.set_parameter(DParameter::WindowLogMax(
            log.clamp(10, if cfg!(target_pointer_width = "64") { 31 } else { 30 }),
        ))?;
        decoder
            .run(&mut InBuffer::around(header), &mut OutBuffer::around(&mut [0u8; 0][..]))
            .map_err(explain)?;
        self.decoder = Some(decoder);
        self.is_finished = false;
        Ok(())
    }

    /// Reads text of the frame; 0 bytes at its end.
    pub(super) fn read(&mut self, input: &mut impl BufRead, buffer: &mut [u8]) -> Result<usize, Failure> {
        let Some(decoder) = self.decoder.as_mut().filter(|_| !self.is_finished) else { return Ok(0) };
        loop {
            // Text may be left in the decoder when all of the input is used up.
            let compressed = input.fill_buf()?;
            let is_at_end = compressed.is_empty();
            let mut compressed = InBuffer::around(compressed);
            let mut text = OutBuffer::around(&mut *buffer);
            let hint = decoder.run(&mut compressed, &mut text).map_err(explain)?;
            let (taken, count) = (compressed.pos(), text.pos());
            input.consume(taken);
            self.is_finished = hint == 0;
            if count > 0 || self.is_finished {
                return Ok(count);
            }
            if is_at_end {
                return Err(ZstProblem::Truncated.into());
            }
        }
    }
}

fn explain(error: io::Error) -> Failure {
    let reason = error.to_string();
    // The wrapper hands on the library's text instead of its error code.
    if reason.contains("checksum") { ZstProblem::WrongChecksum } else { ZstProblem::Damaged(reason) }.into()
}
