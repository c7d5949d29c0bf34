//! Net files made smaller, without loss: for WebAssembly modules, which are downloaded. gzip saves 41 % of our net, this
//! 61 %.
//!
//! A net is written as 16-bit numbers. A feature weight is predicted from those of the same piece on neighbouring squares,
//! for the same hidden unit, by a linear filter that adapts (normalised least mean squares). The difference is coded by its
//! size class (the length in bits), its leading bits and its sign, by an adaptive binary range coder. The size of the
//! neighbours' differences chooses the probabilities. All arithmetic is with integers: every machine gets the same
//! numbers.
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
const CONTEXTS: usize = 34;
/// The bits below the highest one that have probabilities. Those further below are as good as random.
const LEADING_BITS: u32 = 3;

/// A probability of a zero.
#[derive(Clone, Copy)]
struct Probability {
    /// In 1/65536.
    zero: u16,
    /// How often it was used, up to a limit.
    uses: u16,
}

impl Probability {
    const EVEN: Probability = Probability { zero: 1 << 15, uses: 0 };

    /// The first bits change it most.
    fn update(&mut self, bit: bool) {
        const SLOWEST: u32 = 7;
        let rate = (self.uses + 2).ilog2();
        self.uses = (self.uses + 1).min((1 << SLOWEST) - 1);
        if bit {
            self.zero -= self.zero >> rate;
        } else {
            self.zero += (u16::MAX - self.zero) >> rate;
        }
    }

    /// The part of a range that stands for a zero: neither nothing nor everything.
    fn split(self, range: u32) -> u32 {
        (range >> 16) * u32::from(self.zero.clamp(32, u16::MAX - 32))
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
        let mut class = context.saturating_sub(5) / 3;
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
        let mut predictors: [Predictor; 64] = std::array::from_fn(Predictor::new);
        for index in 0..numbers.len() {
            if index == start {
                // The header has been decoded. A file of a different kind, such as a HalfKP net, is only larger.
                hidden = usize::from(numbers[HIDDEN_AT / 2] as u16);
            }
            if index < start || index >= start + ROWS * hidden {
                numbers[index] = self.code(numbers[index].into(), 0) as i16;
                continue;
            }
            let predictor = &mut predictors[(index - start) / hidden % 64];
            let mut values = [0; NEIGHBOURS];
            let (mut size, mut parts) = (0, 0);
            for ((value, part), back) in values.iter_mut().zip(SIZE_PARTS).zip(predictor.rows_back) {
                if back > 0 {
                    let at = index - back * hidden;
                    *value = numbers[at].into();
                    size += part * u32::from(sizes[at]);
                    parts += part;
                }
            }
            let context = (4 * size).checked_div(parts).map_or(CONTEXTS - 1, |size| 1 + size_context(size));
            let predicted = predictor.predict(&values);
            let difference = self.code(i32::from(numbers[index]) - predicted, context);
            predictor.learn(&values, difference);
            numbers[index] = (predicted + difference) as i16;
            sizes[index] = difference.unsigned_abs().min(u16::MAX.into()) as u16;
        }
    }
}

/// The squares a weight is predicted from: left, below, below left, below right, and two steps to the left and below.
const NEIGHBOURS: usize = 6;
/// How much the size of each neighbour's difference counts for the context.
const SIZE_PARTS: [u32; NEIGHBOURS] = [3, 3, 2, 2, 1, 1];

/// Predicts the weights of a square.
struct Predictor {
    /// How many rows before this one each neighbour has its own; 0 if it is off the board.
    rows_back: [usize; NEIGHBOURS],
    /// In 1/65536.
    factors: [i32; NEIGHBOURS],
}

impl Predictor {
    fn new(square: usize) -> Predictor {
        let (file, rank) = (square % 8, square / 8);
        let neighbours = [
            (1, file > 0),
            (8, rank > 0),
            (9, file > 0 && rank > 0),
            (7, file < 7 && rank > 0),
            (2, file > 1),
            (16, rank > 1),
        ];
        let first = if file > 0 && rank > 0 { 29 << 10 } else { 39 << 10 };
        Predictor {
            rows_back: neighbours.map(|(rows, is_there)| if is_there { rows } else { 0 }),
            factors: [first, first, 0, 0, 0, 0],
        }
    }

    fn predict(&self, values: &[i32; NEIGHBOURS]) -> i32 {
        let sum: i64 =
            values.iter().zip(self.factors).map(|(&value, it)| i64::from(value) * i64::from(it)).sum();
        (((sum + (1 << 15)) >> 16) as i32).clamp(i16::MIN.into(), i16::MAX.into())
    }

    /// Moves the factors towards those that would have been right.
    fn learn(&mut self, values: &[i32; NEIGHBOURS], difference: i32) {
        const RATE: i64 = 3 << 22;
        /// Keeps the steps small where all values are small.
        const FLOOR: i64 = 500;
        const LIMIT: i64 = 4 << 16;
        let power: i64 = values.iter().map(|&value| i64::from(value).pow(2)).sum();
        let step = i64::from(difference) * RATE / (power + FLOOR);
        for (factor, &value) in self.factors.iter_mut().zip(values) {
            let moved = i64::from(*factor) + ((step * i64::from(value)) >> 12);
            *factor = moved.clamp(-LIMIT, LIMIT) as i32;
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

    #[test]
    fn our_small_net_becomes_much_smaller() {
        let file: &[u8] = include_bytes!("../../networks/small/gen15-768.nnue");
        let compressed = compress(file);
        assert!(compressed.len() * 100 < file.len() * 39, "{} bytes", compressed.len());
        assert!(decompress(&compressed) == file);
    }
}
