//! The checksum at the end of a table file: CityHash (Geoff Pike, Jyrki Alakuijala) in its variant with CRC-32C.
//!
//! Written by hand because the published crates have other variants of the hash.

use crate::store::{Fault, Source};
use crate::table::CHECKSUM_LEN;

/// Parts of this size are hashed one by one, and then the hashes.
const PART: usize = 1 << 24;

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K3: u64 = 0xc949_d7c7_509e_6557;

/// The last 16 bytes of a table file, from all bytes before them.
///
/// Programs that write tables append it.
#[must_use]
pub fn checksum(table: &[u8]) -> [u8; 16] {
    let hashes: Vec<u8> = table.chunks(PART).flat_map(hash_part).collect();
    hash_of_hashes(&hashes)
}

/// Whether the checksum of a table is that of its contents. `progress` is called with numbers of bytes.
pub(crate) fn is_valid(source: &Source, progress: &mut dyn FnMut(u64)) -> Result<bool, Fault> {
    let Some(end) = source.len().checked_sub(CHECKSUM_LEN) else { return Ok(false) };
    let mut hashes = Vec::new();
    let mut buffer = vec![0; end.min(PART as u64) as usize];
    let mut at = 0;
    while at < end {
        let len = (end - at).min(PART as u64);
        source.read(&mut buffer[..len as usize], at)?;
        hashes.extend(hash_part(&buffer[..len as usize]));
        at += len;
        progress(len);
    }
    let mut expected = [0; CHECKSUM_LEN as usize];
    source.read(&mut expected, end)?;
    Ok(hash_of_hashes(&hashes) == expected)
}

/// `CityHashCrc256`.
fn hash_part(bytes: &[u8]) -> [u8; 32] {
    let words = if bytes.len() >= 240 {
        hash_long(bytes, 0)
    } else {
        let mut padded = [0; 240];
        padded[..bytes.len()].copy_from_slice(bytes);
        hash_long(&padded, !(bytes.len() as u32))
    };
    let mut hash = [0; 32];
    for (bytes, word) in hash.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    hash
}

/// `CityHashCrc128`.
fn hash_of_hashes(bytes: &[u8]) -> [u8; 16] {
    let mut hash = [0; 16];
    if bytes.len() > 900 {
        hash.copy_from_slice(&hash_part(bytes)[16..]);
    } else {
        let (low, high) = city_hash_128(bytes);
        hash[..8].copy_from_slice(&low.to_le_bytes());
        hash[8..].copy_from_slice(&high.to_le_bytes());
    }
    hash
}

/// The state of [`hash_long`]: words that are rotated and added to, and the checksums of their histories.
struct Long {
    words: [u64; 6],
    crcs: [u64; 5],
}

impl Long {
    /// Takes in 40 bytes.
    fn take(&mut self, bytes: &[u8], multiplier: u64, flip: u32) {
        let [a, b, c, d, e, t] = self.words;
        let step = |word: u64, rotation: u32, at: usize| {
            word.rotate_right(rotation ^ flip).wrapping_mul(multiplier).wrapping_add(word_at(bytes, at))
        };
        let next = [step(b, 41, 0), step(c, 27, 8), step(d, 41, 16), step(e, 33, 24), step(t, 25, 32)];
        self.words = [next[0], next[1], next[2], next[3], next[4], a];
        for (crc, word) in self.crcs.iter_mut().zip(next) {
            *crc = crc32c(*crc, word);
        }
    }
}

/// The hash of 240 bytes or more.
fn hash_long(bytes: &[u8], seed: u32) -> [u64; 4] {
    let len = bytes.len() as u64;
    let seed = u64::from(seed);
    let b = word_at(bytes, 96).wrapping_add(K0);
    let first = hash_pair(b, len);
    let second = word_at(bytes, 120).wrapping_mul(K0).wrapping_add(len);
    let mut state = Long {
        words: [
            word_at(bytes, 56).wrapping_add(K0),
            b,
            first,
            second,
            word_at(bytes, 184).wrapping_add(seed),
            first.wrapping_add(second),
        ],
        crcs: [seed, 0, 0, 0, 0],
    };
    let (whole, tail) = bytes.split_at(bytes.len() / 240 * 240);
    for (i, chunk) in whole.chunks_exact(40).enumerate() {
        // Odd and even chunks differ.
        let (multiplier, flip) = if i % 2 == 0 { (1, 1) } else { (K0, 0) };
        state.take(chunk, multiplier, flip);
    }
    for chunk in tail.chunks_exact(40) {
        state.take(chunk, K0, 0);
    }
    if tail.len() % 40 > 0 {
        state.take(&bytes[bytes.len() - 40..], K0, 0);
    }
    finish_long(&state, first, second)
}

fn finish_long(state: &Long, first: u64, second: u64) -> [u64; 4] {
    let [a, b, c, d, e, t] = state.words;
    let [f, g, h, i, j] = state.crcs;
    let j = j.wrapping_add(i << 32);
    let a = hash_pair(a, j);
    let h = h.wrapping_add(g << 32);
    let b = b.wrapping_add(h);
    let c = hash_pair(c, f).wrapping_add(i);
    let d = hash_pair(d, e.wrapping_add(first));
    let j = j.wrapping_add(e);
    let i = i.wrapping_add(hash_pair(h, t));
    let e = hash_pair(a, d).wrapping_add(j);
    let f = hash_pair(b, c).wrapping_add(a);
    let g = hash_pair(j, i).wrapping_add(c);
    let mix = |word: u64| shift_mix(word.wrapping_mul(K0)).wrapping_mul(K0);
    let r0 = e.wrapping_add(f).wrapping_add(g).wrapping_add(h);
    let a = mix(a.wrapping_add(g)).wrapping_add(b);
    let r1 = second.wrapping_add(a).wrapping_add(r0);
    let a = mix(a).wrapping_add(c);
    let r2 = a.wrapping_add(r1);
    let a = mix(a.wrapping_add(e));
    [r0, r1, r2, a.wrapping_add(r2)]
}

/// `CityHash128` of some hashes of 32 bytes.
fn city_hash_128(bytes: &[u8]) -> (u64, u64) {
    let (head, rest) = bytes.split_at(16);
    let (low, high) = (word_at(head, 0) ^ K3, word_at(head, 8));
    if rest.len() < 128 { murmur(rest, low, high) } else { city(rest, low, high) }
}

/// `CityMurmur`: the hash of fewer than 128 bytes, a multiple of 16.
fn murmur(bytes: &[u8], low: u64, high: u64) -> (u64, u64) {
    let (mut a, mut b) = (low, high);
    let (mut c, mut d);
    let len = bytes.len();
    let mix = |word: u64| shift_mix(word.wrapping_mul(K1)).wrapping_mul(K1);
    if len == 16 {
        let last = word_at(bytes, 8);
        a = mix(a);
        let hash = hash_pair(word_at(bytes, 0), last.wrapping_add(16).rotate_right(16)) ^ last;
        c = b.wrapping_mul(K1).wrapping_add(hash);
        d = shift_mix(a.wrapping_add(word_at(bytes, 0)));
    } else {
        c = hash_pair(word_at(bytes, len - 8).wrapping_add(K1), a);
        d = hash_pair(b.wrapping_add(len as u64), c.wrapping_add(word_at(bytes, len - 16)));
        a = a.wrapping_add(d);
        for chunk in bytes[..len - 16].chunks_exact(16) {
            a = (a ^ mix(word_at(chunk, 0))).wrapping_mul(K1);
            b ^= a;
            c = (c ^ mix(word_at(chunk, 8))).wrapping_mul(K1);
            d ^= c;
        }
    }
    let a = hash_pair(a, c);
    let b = hash_pair(d, b);
    (a ^ b, hash_pair(b, a))
}

/// `CityHash128WithSeed`: the hash of 128 bytes or more, a multiple of 16.
fn city(bytes: &[u8], low: u64, high: u64) -> (u64, u64) {
    let (mut x, mut y) = (low, high);
    let mut z = (bytes.len() as u64).wrapping_mul(K1);
    let turn = |word: u64, rotation: u32| word.rotate_right(rotation).wrapping_mul(K1);
    let v0 = turn(y ^ K1, 49).wrapping_add(word_at(bytes, 0));
    let mut v = (v0, turn(v0, 42).wrapping_add(word_at(bytes, 8)));
    let mut w = (turn(y.wrapping_add(z), 35).wrapping_add(x), turn(x.wrapping_add(word_at(bytes, 88)), 53));
    let (whole, tail) = bytes.split_at(bytes.len() / 128 * 128);
    for chunk in whole.chunks_exact(64) {
        x = turn(x.wrapping_add(y).wrapping_add(v.0).wrapping_add(word_at(chunk, 8)), 37) ^ w.1;
        y = turn(y.wrapping_add(v.1).wrapping_add(word_at(chunk, 48)), 42);
        y = y.wrapping_add(v.0).wrapping_add(word_at(chunk, 40));
        z = turn(z.wrapping_add(w.0), 33);
        v = weak_hash(chunk, v.1.wrapping_mul(K1), x.wrapping_add(w.0));
        w = weak_hash(&chunk[32..], z.wrapping_add(w.1), y.wrapping_add(word_at(chunk, 16)));
        (x, z) = (z, x);
    }
    x = x.wrapping_add(v.0.wrapping_add(z).rotate_right(49).wrapping_mul(K0));
    z = z.wrapping_add(w.0.rotate_right(37).wrapping_mul(K0));
    // 32 bytes at a time from the end; the last of them may begin before the tail.
    for i in 1..=tail.len().div_ceil(32) {
        let chunk = &bytes[bytes.len() - 32 * i..];
        y = x.wrapping_add(y).rotate_right(42).wrapping_mul(K0).wrapping_add(v.1);
        w.0 = w.0.wrapping_add(word_at(chunk, 16));
        x = x.wrapping_mul(K0).wrapping_add(w.0);
        z = z.wrapping_add(w.1).wrapping_add(word_at(chunk, 0));
        w.1 = w.1.wrapping_add(v.0);
        v = weak_hash(chunk, v.0.wrapping_add(z), v.1);
    }
    let x = hash_pair(x, v.0);
    let y = hash_pair(y.wrapping_add(z), w.0);
    (hash_pair(x.wrapping_add(v.1), w.1).wrapping_add(y), hash_pair(x.wrapping_add(w.1), y.wrapping_add(v.1)))
}

/// `WeakHashLen32WithSeeds`.
fn weak_hash(bytes: &[u8], a: u64, b: u64) -> (u64, u64) {
    let [w, x, y, z] = [0, 8, 16, 24].map(|at| word_at(bytes, at));
    let a = a.wrapping_add(w);
    let b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
    let sum = a.wrapping_add(x).wrapping_add(y);
    (sum.wrapping_add(z), b.wrapping_add(sum.rotate_right(44)).wrapping_add(a))
}

/// `Hash128to64`.
fn hash_pair(low: u64, high: u64) -> u64 {
    const MULTIPLIER: u64 = 0x9ddf_ea08_eb38_2d69;
    let a = shift_mix((low ^ high).wrapping_mul(MULTIPLIER));
    shift_mix((high ^ a).wrapping_mul(MULTIPLIER)).wrapping_mul(MULTIPLIER)
}

fn shift_mix(word: u64) -> u64 {
    word ^ word >> 47
}

/// Eight bytes as a number.
fn word_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// CRC-32C, by byte.
static CRC32C: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0x82f6_3b78 } else { 0 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

/// Continues a CRC-32C with eight bytes.
fn crc32c(crc: u64, word: u64) -> u64 {
    let next = |crc: u32, byte: u8| crc >> 8 ^ CRC32C[usize::from(crc as u8 ^ byte)];
    u64::from(word.to_le_bytes().into_iter().fold(crc as u32, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_is_the_well_known_one() {
        let crc = crc32c(0xffff_ffff, u64::from_le_bytes(*b"12345678"));
        // One byte more completes the usual test word "123456789".
        let crc = (crc as u32) >> 8 ^ CRC32C[usize::from(crc as u8 ^ b'9')];
        assert_eq!(!crc, 0xe306_9283);
    }
    /// Values of the original implementation, for pseudo-random bytes: they confirm the long variants, too, which only
    /// tables above 64 MiB need.
    #[test]
    fn hashes_are_those_of_cityhash() {
        let mut state = 1_u64;
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .take(2000)
        .collect();
        for (len, low, high) in [
            (32, 0xa7c9_44e1_7fcb_3722, 0x7862_c5f4_5c8e_d296),
            (64, 0x059d_bd21_8131_0775, 0x67e6_3f87_36dd_7b0e),
            (128, 0xfcf1_4d70_c62e_4a45, 0x9eae_3961_c310_619e),
            (160, 0x7653_9dc8_7e66_b101, 0xf918_0045_36d5_2eb8),
            (192, 0x12ed_595e_4737_b6ae, 0x0685_a309_ca50_acb1),
            (288, 0x0eda_d406_2e3a_755a, 0x2f40_9c6f_9cf0_141d),
            (896, 0xe00d_ca54_aeb9_8463, 0x000c_a391_0bfd_256c),
            (1600, 0x6c0a_52f5_fc52_00ac_u64, 0xeea2_0adb_9d10_4769_u64),
        ] {
            let hash = hash_of_hashes(&bytes[..len]);
            assert_eq!((word_at(&hash, 0), word_at(&hash, 8)), (low, high), "{len} bytes");
        }
    }
}
