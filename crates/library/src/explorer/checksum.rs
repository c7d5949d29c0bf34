//! Checksums against accidental damage.
//!
//! Written by hand: a few lines, and faster than a CRC by table, because every query checks the blocks it reads.

/// The checksum of some bytes. Each word is mixed by multiplication, so any changed, moved or missing byte shows.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let (words, rest) = bytes.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let sum = words.iter().fold(FACTOR, |sum, &word| mix(sum, u64::from_le_bytes(word)));
    mix(mix(sum, u64::from_le_bytes(last)), bytes.len() as u64)
}
