//! Finding bytes quickly, eight at a time and without unsafe code.

/// A byte in all eight places.
const fn splat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The high bit of every zero byte, and perhaps of bytes above the lowest one.
#[inline(always)]
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(splat(1)) & !word & splat(0x80)
}

/// Where the first of two bytes is.
#[inline(always)]
pub(super) fn find_either(text: &[u8], a: u8, b: u8) -> Option<usize> {
    let (words, tail) = text.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let marks = zeros(word ^ splat(a)) | zeros(word ^ splat(b));
        if marks != 0 {
            return Some(i * 8 + marks.trailing_zeros() as usize / 8);
        }
    }
    let found = tail.iter().position(|&byte| byte == a || byte == b)?;
    Some(words.len() * 8 + found)
}

/// Where the line ends, by LF or CR.
#[inline(always)]
pub(super) fn find_line_end(text: &[u8]) -> Option<usize> {
    find_either(text, b'\n', b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_where_they_are() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..200_000 {
            // Bytes around the limits, so that neighbours can disturb each other.
            let bytes = random.u64(..).to_le_bytes().map(|byte| match byte % 8 {
                0 => 0x20,
                1 => 0x21,
                2 => 0x80 + byte / 8,
                3 => b'/',
                4 => b':',
                5 => 0,
                _ => b'0' + byte % 10,
            });
            let either = bytes.iter().position(|&byte| byte == b':' || byte == 0x20);
            assert_eq!(find_either(&bytes, b':', 0x20), either, "{bytes:x?}");
        }
    }
}
