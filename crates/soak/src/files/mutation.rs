//! Random damage.

use fastrand::Rng;

use super::samples::SampleFile;
use crate::random::RandomChoice as _;

/// Values that lengths and counts are set to.
const EXTREMES: [u64; 10] =
    [0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff, i64::MAX as u64, u64::MAX];
/// Headers are small, and most can go wrong there.
const HEADER: usize = 64;
/// One damage makes a file longer by this at most.
const MAX_GROWTH: usize = 1 << 16;

/// A damaged copy; by chance it may be intact.
pub(super) fn mutate(sample: &SampleFile, all: &[SampleFile], random: &mut Rng) -> Vec<u8> {
    let mut bytes = sample.bytes.clone();
    for _ in 0..=random.usize(..4) {
        damage(&mut bytes, all, random);
    }
    bytes
}

fn damage(bytes: &mut Vec<u8>, all: &[SampleFile], random: &mut Rng) {
    if bytes.is_empty() {
        return bytes.push(random.u8(..));
    }
    match random.usize(..10) {
        0 | 1 => {
            let at = place(bytes, random);
            bytes[at] ^= 1 << random.usize(..8);
        }
        2 => {
            let at = place(bytes, random);
            bytes[at] = random.u8(..);
        }
        3 => bytes.truncate(place(bytes, random)),
        4 => {
            let length = 1 + random.usize(..300);
            let byte = random.u8(..);
            let is_noise = random.percent(50);
            bytes.extend((0..length).map(|_| if is_noise { random.u8(..) } else { byte }));
        }
        5 => {
            // A field of any width and byte order.
            let width = random.pick(&[1, 2, 4, 8]);
            let value = random.pick(&EXTREMES);
            let little = random.percent(50);
            let at = place(bytes, random);
            for (i, place) in bytes[at..].iter_mut().take(width).enumerate() {
                let shift = if little { i } else { width - 1 - i };
                *place = (value >> (8 * shift)) as u8;
            }
        }
        6 => {
            let part = part(bytes, random).to_vec();
            let at = place(bytes, random);
            bytes.splice(at..at, part);
        }
        7 => {
            let part = part(bytes, random).to_vec();
            let at = place(bytes, random);
            bytes.iter_mut().skip(at).zip(part).for_each(|(place, byte)| *place = byte);
        }
        8 => {
            let from = place(bytes, random);
            let to = (from + 1 + random.usize(..MAX_GROWTH.min(bytes.len()))).min(bytes.len());
            bytes.drain(from..to);
        }
        _ => {
            // The beginning of one file and the end of another, perhaps of a different kind.
            let other = &all[random.usize(..all.len())].bytes;
            let from = other.len() - random.usize(..other.len().min(MAX_GROWTH)) - 1;
            bytes.truncate(place(bytes, random));
            bytes.extend_from_slice(&other[from..]);
        }
    }
}

/// An index, half of the time near the beginning.
fn place(bytes: &[u8], random: &mut Rng) -> usize {
    let end = if random.percent(50) { bytes.len().min(HEADER) } else { bytes.len() };
    random.usize(..end.max(1))
}

fn part<'a>(bytes: &'a [u8], random: &mut Rng) -> &'a [u8] {
    let from = place(bytes, random);
    let length = 1 + random.usize(..MAX_GROWTH.min(bytes.len()));
    &bytes[from..(from + length).min(bytes.len())]
}
