//! Random damage.

use super::samples::Sample;
use crate::random::Random;

/// Numbers that lengths and counts are set to.
const EXTREMES: [u64; 12] = [
    0,
    1,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];
/// Headers are small, and where most can go wrong.
const HEADER: usize = 64;
/// Files do not grow beyond this by damage alone.
const MAX_GROWTH: usize = 1 << 16;

/// A damaged copy; by chance it may be a whole one.
pub(super) fn mutate(sample: &Sample, all: &[Sample], random: &mut Random) -> Vec<u8> {
    let mut bytes = sample.bytes.clone();
    for _ in 0..=random.below(4) {
        damage(&mut bytes, all, random);
    }
    bytes
}

fn damage(bytes: &mut Vec<u8>, all: &[Sample], random: &mut Random) {
    if bytes.is_empty() {
        return bytes.push(random.next() as u8);
    }
    match random.below(10) {
        0 | 1 => {
            let at = place(bytes, random);
            bytes[at] ^= 1 << random.below(8);
        }
        2 => {
            let at = place(bytes, random);
            bytes[at] = random.next() as u8;
        }
        3 => bytes.truncate(place(bytes, random)),
        4 => {
            let length = 1 + random.below(300);
            let byte = random.next() as u8;
            let is_noise = random.percent(50);
            bytes.extend((0..length).map(|_| if is_noise { random.next() as u8 } else { byte }));
        }
        5 => {
            // A field of any width in either order of bytes.
            let width = *random.pick(&[1, 2, 4, 8]);
            let value = *random.pick(&EXTREMES);
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
            let to = (from + 1 + random.below(MAX_GROWTH.min(bytes.len()))).min(bytes.len());
            bytes.drain(from..to);
        }
        _ => {
            // The beginning of one file and the end of another, perhaps of another kind.
            let other = &random.pick(all).bytes;
            let from = other.len() - random.below(other.len().min(MAX_GROWTH)) - 1;
            bytes.truncate(place(bytes, random));
            bytes.extend_from_slice(&other[from..]);
        }
    }
}

/// Every second one is near the beginning.
fn place(bytes: &[u8], random: &mut Random) -> usize {
    let end = if random.percent(50) { bytes.len().min(HEADER) } else { bytes.len() };
    random.below(end.max(1))
}

fn part<'a>(bytes: &'a [u8], random: &mut Random) -> &'a [u8] {
    let from = place(bytes, random);
    let length = 1 + random.below(MAX_GROWTH.min(bytes.len()));
    &bytes[from..(from + length).min(bytes.len())]
}
