//! Net files made smaller, without loss: for WebAssembly modules, which are downloaded. gzip saves 41 % of our net, this
//! 59 %.
//!
//! A net is written as 16-bit numbers. A feature weight is predicted from those of the same piece one file to the left and
//! one rank below, for the same hidden unit. The difference is coded by its size class (the length in bits), its leading
//! bits and its sign, by an adaptive binary range coder. The size of the neighbours' differences chooses the
//! probabilities.
//!
//! The build script includes this file, so it uses nothing of the crate.

/// The size of the header, which is coded without prediction.
const HEADER: usize = 64;
/// Where the header has the number of hidden units.
const HIDDEN_AT: usize = 12;
/// The feature weights form 12 boards (colours and piece types) of 64 rows.
const ROWS: usize = 768;

/// Size classes of a difference: its length in bits, sign apart, 0 to 17.
const CLASSES: usize = 18;
/// Contexts: the sizes of the neighbours' differences, and one without neighbours.
const CONTEXTS: usize = 28;
/// The bits below the highest one that have probabilities. Those further below are as good as random.
const LEADING_BITS: u32 = 2;

/// A probability of a zero, in 1/65536.
#[derive(Clone, Copy)]
struct Probability(u16);

impl Probability {
    const EVEN: Probability = Probability(1 << 15);

    fn update(&mut self, bit: bool) {
        const RATE: u32 = 6;
        if bit {
            self.0 -= self.0 >> RATE;
        } else {
            self.0 += (u16::MAX - self.0) >> RATE;
        }
    }

    /// The part of a range that stands for a zero: neither nothing nor everything.
    fn split(self, range: u32) -> u32 {
        (range >> 16) * u32::from(self.0.clamp(32, u16::MAX - 32))
    }
}

/// What encoder and decoder have in common: something that codes bits.
trait BitCoder {
    /// Codes a bit. The decoder ignores the argument and returns the bit it has read.
    fn code(&mut self, bit: bool, probability: &mut Probability) -> bool;
    /// Codes a number of at most 16 bits, all equally likely.
    fn code_raw(&mut self, number: u32, bits: u32) -> u32;
}

struct BitEncoder {
    low: u64,
    range: u32,
    /// The last byte, which a carry may still change, and how many 0xff follow it.
    last: Option<u8>,
    full: usize,
    bytes: Vec<u8>,
}

impl BitEncoder {
    fn new() -> BitEncoder {
        BitEncoder { low: 0, range: u32::MAX, last: None, full: 0, bytes: Vec::new() }
    }

    fn shift(&mut self) {
        let (carry, byte) = (self.low >> 32 != 0, (self.low >> 24) as u8);
        if carry || byte != 0xff {
            self.bytes.extend(self.last.map(|last| last.wrapping_add(carry.into())));
            self.bytes.extend(std::iter::repeat_n(if carry { 0 } else { 0xff }, self.full));
            self.full = 0;
            self.last = Some(byte);
        } else {
            self.full += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    fn normalise(&mut self) {
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
    }

    fn finish(mut self) -> Vec<u8> {
        (0..5).for_each(|_| self.shift());
        self.bytes
    }
}

impl BitCoder for BitEncoder {
    fn code(&mut self, bit: bool, probability: &mut Probability) -> bool {
        let split = probability.split(self.range);
        if bit {
            self.low += u64::from(split);
            self.range -= split;
        } else {
            self.range = split;
        }
        probability.update(bit);
        self.normalise();
        bit
    }

    fn code_raw(&mut self, number: u32, bits: u32) -> u32 {
        self.range >>= bits;
        self.low += u64::from(number) * u64::from(self.range);
        self.normalise();
        number
    }
}

struct BitDecoder<'a> {
    range: u32,
    code: u32,
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> BitDecoder<'a> {
    fn new(bytes: &'a [u8]) -> BitDecoder<'a> {
        let mut decoder = BitDecoder { range: u32::MAX, code: 0, bytes: bytes.iter() };
        (0..4).for_each(|_| decoder.shift());
        decoder
    }

    fn normalise(&mut self) {
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
    }

    /// Behind the end there are zeros.
    fn shift(&mut self) {
        self.code = self.code << 8 | u32::from(self.bytes.next().copied().unwrap_or(0));
    }
}

impl BitCoder for BitDecoder<'_> {
    fn code(&mut self, _: bool, probability: &mut Probability) -> bool {
        let split = probability.split(self.range);
        let bit = self.code >= split;
        if bit {
            self.code -= split;
            self.range -= split;
        } else {
            self.range = split;
        }
        probability.update(bit);
        self.normalise();
        bit
    }

    fn code_raw(&mut self, _: u32, bits: u32) -> u32 {
        self.range >>= bits;
        // Only nonsense is greater.
        let number = (self.code / self.range).min((1 << bits) - 1);
        self.code -= number * self.range;
        self.normalise();
        number
    }
}

/// Codes numbers with predictions.
struct NumberCoder<B> {
    bits: B,
    /// For each context: whether the class is greater than this one.
    classes: [[Probability; CLASSES]; CONTEXTS],
    /// For each class: a tree of the bits below the highest one.
    leading: [[Probability; 1 << LEADING_BITS]; CLASSES],
}

impl<B: BitCoder> NumberCoder<B> {
    fn new(bits: B) -> NumberCoder<B> {
        NumberCoder {
            bits,
            classes: [[Probability::EVEN; CLASSES]; CONTEXTS],
            leading: [[Probability::EVEN; 1 << LEADING_BITS]; CLASSES],
        }
    }

    /// Codes a difference of two 16-bit numbers. The decoder ignores the argument.
    fn code(&mut self, difference: i32, context: usize) -> i32 {
        let size = difference.unsigned_abs();
        let class = self.code_class((u32::BITS - size.leading_zeros()) as usize, context);
        if class == 0 {
            return 0;
        }
        // The highest bit is a one. The next ones have probabilities.
        let below = class as u32 - 1;
        let leading = below.min(LEADING_BITS);
        let raw = below - leading;
        let mut node = 1;
        for place in (0..leading).rev() {
            let bit = size >> (raw + place) & 1 != 0;
            node = 2 * node + usize::from(self.bits.code(bit, &mut self.leading[class][node]));
        }
        // The sign comes last.
        let rest = (size & ((1 << raw) - 1)) << 1 | u32::from(difference < 0);
        let rest = self.bits.code_raw(rest, raw + 1);
        let size = ((node as u32) << raw | rest >> 1) as i32;
        if rest & 1 != 0 { -size } else { size }
    }

    /// Codes a class: up or down from the likely one.
    fn code_class(&mut self, wanted: usize, context: usize) -> usize {
        let probabilities = &mut self.classes[context];
        let mut class = (context + 1) / 3;
        if self.bits.code(wanted > class, &mut probabilities[class]) {
            class += 1;
            while class + 1 < CLASSES && self.bits.code(wanted > class, &mut probabilities[class]) {
                class += 1;
            }
        } else {
            while class > 0 && !self.bits.code(wanted >= class, &mut probabilities[class - 1]) {
                class -= 1;
            }
        }
        class
    }

    /// Codes all numbers of a file. The decoder replaces them.
    fn code_all(&mut self, numbers: &mut [i16]) {
        let start = HEADER / 2;
        let mut hidden = 0;
        let mut sizes = vec![0u16; numbers.len()];
        for index in 0..numbers.len() {
            if index == start {
                // The header has been decoded. A file of a different kind, such as a HalfKP net, is only larger.
                hidden = usize::from(numbers[HIDDEN_AT / 2] as u16);
            }
            let is_weight = index >= start && index < start + ROWS * hidden;
            let (mut predicted, mut context) = (0, 0);
            if is_weight {
                let square = (index - start) / hidden % 64;
                let left = (square % 8 > 0).then(|| index - hidden);
                let below = (square / 8 > 0).then(|| index - 8 * hidden);
                let value = |at: usize| i32::from(numbers[at]);
                (predicted, context) = match (left, below) {
                    (Some(left), Some(below)) => (
                        (value(left) + value(below)) * 29 / 64,
                        1 + size_context((u32::from(sizes[left]) + u32::from(sizes[below])) / 2),
                    ),
                    (Some(at), None) | (None, Some(at)) => {
                        (value(at) * 39 / 64, 1 + size_context(sizes[at].into()))
                    }
                    (None, None) => (0, CONTEXTS - 1),
                };
            }
            let difference = self.code(i32::from(numbers[index]) - predicted, context);
            numbers[index] = (predicted + difference) as i16;
            sizes[index] = difference.unsigned_abs().min(u16::MAX.into()) as u16;
        }
    }
}

/// Three contexts for each doubling of the size.
fn size_context(size: u32) -> usize {
    let size = size + 1;
    let log = size.ilog2();
    let fraction = ((size << 8) >> log) - 256;
    let third = usize::from(fraction >= 67) + usize::from(fraction >= 150);
    (3 * log as usize + third).min(CONTEXTS - 3)
}

/// Makes a file smaller.
#[allow(dead_code, reason = "the build script does it")]
pub(crate) fn compress(file: &[u8]) -> Vec<u8> {
    let mut numbers: Vec<i16> =
        file.chunks(2).map(|it| i16::from_le_bytes([it[0], it.get(1).copied().unwrap_or(0)])).collect();
    let mut coder = NumberCoder::new(BitEncoder::new());
    coder.code_all(&mut numbers);
    let length = u32::try_from(file.len()).expect("nets are much smaller");
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.extend(coder.bits.finish());
    bytes
}

/// The file. Bytes that [`compress`] has not made give nonsense, which a net's checksum finds.
#[allow(dead_code, reason = "only WebAssembly modules have a compressed net")]
pub(crate) fn decompress(bytes: &[u8]) -> Vec<u8> {
    let Some((length, bytes)) = bytes.split_first_chunk() else { return Vec::new() };
    let length = u32::from_le_bytes(*length) as usize;
    let mut numbers = vec![0; length.div_ceil(2)];
    NumberCoder::new(BitDecoder::new(bytes)).code_all(&mut numbers);
    let mut file: Vec<u8> = numbers.into_iter().flat_map(i16::to_le_bytes).collect();
    file.truncate(length);
    file
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    #[test]
    fn every_file_comes_back() {
        let mut rng = Rng::with_seed(1);
        for length in (0..300).chain([HEADER + 2 * ROWS * 32 + 5]) {
            let random: Vec<u8> = (0..length).map(|_| rng.u8(..)).collect();
            // As a number of hidden units, one that fits, and none that does.
            for hidden in [None, Some(0), Some(32), Some(u16::MAX)] {
                for mask in [0, 1, 0xff] {
                    let mut file: Vec<u8> = random.iter().map(|byte| byte & mask).collect();
                    if let (Some(hidden), Some(place)) = (hidden, file.get_mut(HIDDEN_AT..HIDDEN_AT + 2)) {
                        place.copy_from_slice(&u16::to_le_bytes(hidden));
                    }
                    assert_eq!(decompress(&compress(&file)), file);
                }
            }
        }
        for byte in [0, 0x7f, 0x80, 0xff] {
            let file = vec![byte; 10_001];
            assert_eq!(decompress(&compress(&file)), file);
        }
    }

    #[test]
    fn damage_is_survived() {
        let mut rng = Rng::with_seed(2);
        let intact = compress(&[7; 1000]);
        for _ in 0..200 {
            let mut bytes = intact.clone();
            let place = rng.usize(4..bytes.len());
            bytes[place] ^= 1 << rng.u8(..8);
            bytes.truncate(rng.usize(..=bytes.len()));
            decompress(&bytes);
        }
    }

    #[cfg(feature = "embedded-net")]
    #[test]
    fn our_net_becomes_much_smaller() {
        let file = crate::nnue::EMBEDDED.1;
        let compressed = compress(file);
        assert!(compressed.len() * 100 < file.len() * 43, "{} bytes", compressed.len());
        assert!(decompress(&compressed) == file);
    }
}
