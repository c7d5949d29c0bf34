//! Counting WebSocket frames in a stream of bytes.

/// Counts the frames that a client sends. It only follows the lengths: the WebSocket library checks everything else.
#[derive(Debug, Default)]
pub(super) struct FrameCounter {
    /// The header of the current frame, as far as it has been read.
    header: Vec<u8>,
    /// The bytes of the payload that are still to come.
    payload: u64,
}

/// The mask that every frame of a client has.
const MASK: usize = 4;

impl FrameCounter {
    /// The number of frame headers that end in these bytes.
    pub(super) fn count(&mut self, mut bytes: &[u8]) -> usize {
        let mut count = 0;
        loop {
            let skipped = bytes.len().min(usize::try_from(self.payload).unwrap_or(usize::MAX));
            self.payload -= skipped as u64;
            bytes = &bytes[skipped..];
            let Some((&byte, rest)) = bytes.split_first() else { return count };
            bytes = rest;
            self.header.push(byte);
            if let Some(payload) = self.payload_length() {
                self.payload = payload;
                self.header.clear();
                count += 1;
            }
        }
    }

    /// The length of the payload, if the header is complete.
    fn payload_length(&self) -> Option<u64> {
        let short = self.header.get(1)? & 0x7f;
        let size = match short {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        if self.header.len() < 2 + size + MASK {
            return None;
        }
        let long = self.header[2..2 + size].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        Some(if size == 0 { short.into() } else { long })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_all_lengths_are_counted_however_they_arrive() {
        let mut bytes = Vec::new();
        let lengths = [0, 1, 125, 126, 65_535, 65_536, 0, 0];
        for length in lengths {
            bytes.push(0x81);
            match length {
                0..=125 => bytes.push(0x80 | length as u8),
                126..=65_535 => {
                    bytes.push(0xfe);
                    bytes.extend((length as u16).to_be_bytes());
                }
                _ => {
                    bytes.push(0xff);
                    bytes.extend((length as u64).to_be_bytes());
                }
            }
            bytes.extend([0; MASK]);
            bytes.extend(std::iter::repeat_n(0xff, length));
        }
        for step in [1, 2, 3, 7, 1_000, bytes.len()] {
            let mut counter = FrameCounter::default();
            let count: usize = bytes.chunks(step).map(|chunk| counter.count(chunk)).sum();
            assert_eq!(count, lengths.len(), "{step} bytes at a time");
        }
    }

    #[test]
    fn a_hostile_length_is_skipped() {
        let mut counter = FrameCounter::default();
        assert_eq!(
            counter.count(&[0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
            1
        );
        assert_eq!(counter.count(&[0; 1_000]), 0);
    }
}
