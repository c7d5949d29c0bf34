//! SHA-256 (FIPS 180-4), to detect damaged net files.
//!
//! Our own, because `sha2` would bring six crates to a library that has no dependencies outside this project.

/// The first 32 fractional bits of the square or cube root of a prime, by binary search in integers.
const fn root_bits(prime: u128, cube: bool) -> u32 {
    // The greatest r with r² ≤ prime · 2⁶⁴ (or r³ ≤ prime · 2⁹⁶); its lower half is the fraction.
    let (mut low, mut high) = (0u128, 1 << 36);
    while high - low > 1 {
        let middle = (low + high) / 2;
        let is_below =
            if cube { middle * middle * middle <= prime << 96 } else { middle * middle <= prime << 64 };
        if is_below {
            low = middle;
        } else {
            high = middle;
        }
    }
    low as u32
}

/// The root bits of the first `N` primes.
const fn constants<const N: usize>(cube: bool) -> [u32; N] {
    let mut constants = [0; N];
    let (mut count, mut candidate) = (0, 2);
    while count < N {
        let mut divisor = 2;
        while divisor * divisor <= candidate && candidate % divisor != 0 {
            divisor += 1;
        }
        if divisor * divisor > candidate {
            constants[count] = root_bits(candidate, cube);
            count += 1;
        }
        candidate += 1;
    }
    constants
}

const INITIAL: [u32; 8] = constants(false);
const ROUNDS: [u32; 64] = constants(true);

/// The digest of bytes.
pub(super) fn sha256(bytes: &[u8]) -> [u8; 32] {
    let (chunks, rest) = bytes.as_chunks::<64>();
    let mut state = INITIAL;
    chunks.iter().for_each(|chunk| compress(&mut state, chunk));
    // A one, zeros, and the length in bits at the end of the last chunk.
    let mut end = [0; 128];
    end[..rest.len()].copy_from_slice(rest);
    end[rest.len()] = 0x80;
    let last = if rest.len() < 56 { 64 } else { 128 };
    end[last - 8..last].copy_from_slice(&(8 * bytes.len() as u64).to_be_bytes());
    end[..last].as_chunks::<64>().0.iter().for_each(|chunk| compress(&mut state, chunk));
    let mut digest = [0; 32];
    digest.as_chunks_mut::<4>().0.iter_mut().zip(state).for_each(|(bytes, word)| *bytes = word.to_be_bytes());
    digest
}

fn compress(state: &mut [u32; 8], chunk: &[u8; 64]) {
    let mut schedule = [0u32; 64];
    let (words, _) = chunk.as_chunks::<4>();
    schedule.iter_mut().zip(words).for_each(|(word, bytes)| *word = u32::from_be_bytes(*bytes));
    for i in 16..64 {
        let (early, late) = (schedule[i - 15], schedule[i - 2]);
        let mix_early = early.rotate_right(7) ^ early.rotate_right(18) ^ early >> 3;
        let mix_late = late.rotate_right(17) ^ late.rotate_right(19) ^ late >> 10;
        schedule[i] =
            schedule[i - 16].wrapping_add(mix_early).wrapping_add(schedule[i - 7]).wrapping_add(mix_late);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (round, word) in ROUNDS.iter().zip(schedule) {
        let mix_e = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = e & f ^ !e & g;
        let first = h.wrapping_add(mix_e).wrapping_add(choice).wrapping_add(*round).wrapping_add(word);
        let mix_a = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = a & b ^ a & c ^ b & c;
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(mix_a).wrapping_add(majority));
    }
    let sums = [a, b, c, d, e, f, g, h];
    state.iter_mut().zip(sums).for_each(|(word, sum)| *word = word.wrapping_add(sum));
}

#[cfg(test)]
mod tests {
    use super::sha256;

    #[test]
    fn digests_are_the_published_ones() {
        let hex = |bytes: &[u8]| sha256(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let long = [b'a'; 1_000_000];
        for (bytes, digest) in [
            (&b""[..], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
            (&long, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ] {
            assert_eq!(hex(bytes), digest);
        }
    }
}
