//! An adaptive binary range coder.
//!
//! Each binary decision is coded with an adaptive probability, a [`Bit`] that has seen the earlier decisions of its kind.
//! The same code describes both directions: a [`Coder`] that writes codes the given decision; one that reads ignores it
//! and returns the decision that was written.

/// Bits of a probability.
const PRECISION: u32 = 16;
/// The least range. It keeps a share for every probability.
const SMALLEST_RANGE: u32 = 1 << 24;
/// The adaptation rate stops falling after this many decisions.
const MEMORY: u8 = 160;

/// The probability of "yes", estimated from earlier decisions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bit {
    /// The probability of "yes" in 65536ths; never 0 or 1.
    probability: u16,
    /// Decisions seen, up to [`MEMORY`].
    seen: u8,
}

impl Bit {
    pub(super) const fn new() -> Bit {
        Bit { probability: 1 << (PRECISION - 1), seen: 0 }
    }

    fn learn(&mut self, decision: bool) {
        let target = if decision { i32::from(u16::MAX) } else { 0 };
        let step = (target - i32::from(self.probability)) * 2 / (2 * i32::from(self.seen) + 3);
        self.probability = (i32::from(self.probability) + step).clamp(32, 65_535 - 32) as u16;
        self.seen = (self.seen + 1).min(MEMORY);
    }
}

/// Writes decisions, or reads them back.
pub(super) trait Coder {
    /// Writes this decision, or returns the one that was written.
    fn code(&mut self, bit: &mut Bit, decision: bool) -> bool;

    /// A number below `2.pow(bits)`, by a tree of decisions with `2.pow(bits)` bits.
    fn code_tree(&mut self, tree: &mut [Bit], bits: u32, number: u32) -> u32 {
        let mut node = 1;
        for shift in (0..bits).rev() {
            let decision = self.code(&mut tree[node as usize], number >> shift & 1 == 1);
            node = node << 1 | u32::from(decision);
        }
        node - (1 << bits)
    }

    /// A number of up to 24 bits: first its length in bits, then the bits. Small numbers are cheaper.
    fn code_number(&mut self, model: &mut Number, number: u32) -> u32 {
        let wanted = 31 - (number + 1).leading_zeros();
        let mut length = 0;
        while length < Number::MAX_BITS && self.code(&mut model.longer[length as usize], wanted > length) {
            length += 1;
        }
        let mut value = 1;
        for shift in (0..length).rev() {
            // The upper bits are less uniform than the others.
            let place = if length - shift <= 3 { value as usize & 7 } else { 8 + shift as usize % 24 };
            let bit = &mut model.bits[length as usize * Number::PLACES + place];
            value = value << 1 | u32::from(self.code(bit, (number + 1) >> shift & 1 == 1));
        }
        value - 1
    }
}

/// The probabilities of numbers.
///
/// They are on the heap: moving arrays of hundreds of bits costs the optimiser gigabytes.
#[derive(Clone, Debug)]
pub(super) struct Number {
    /// "It is longer", by length.
    longer: Vec<Bit>,
    /// By length and place.
    bits: Vec<Bit>,
}

impl Number {
    const MAX_BITS: u32 = 24;
    /// For each length.
    const PLACES: usize = 32;

    pub(super) fn new() -> Number {
        let lengths = Number::MAX_BITS as usize + 1;
        Number { longer: vec![Bit::new(); lengths], bits: vec![Bit::new(); lengths * Number::PLACES] }
    }
}

/// Writes decisions into bytes.
#[derive(Debug)]
pub(super) struct Encoder {
    bytes: Vec<u8>,
    /// The lower end of the range; the 33rd bit is a carry into the pending bytes.
    low: u64,
    range: u32,
    /// The last byte that a carry can still change, and how many bytes of 255 follow it.
    held: Option<u8>,
    full: u64,
}

impl Encoder {
    pub(super) fn new() -> Encoder {
        Encoder { bytes: Vec::new(), low: 0, range: u32::MAX, held: None, full: 0 }
    }

    /// Returns the bytes after the last decision.
    pub(super) fn finish(mut self) -> Vec<u8> {
        for _ in 0..5 {
            self.shift();
        }
        // The reader sees zeros beyond the end.
        while self.bytes.last() == Some(&0) {
            self.bytes.pop();
        }
        self.bytes
    }

    /// Moves the upper byte of the range to the pending bytes.
    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        if self.low as u32 >= 0xff00_0000 && carry == 0 {
            self.full += 1;
        } else {
            self.bytes.extend(self.held.map(|held| held.wrapping_add(carry)));
            self.bytes.extend((0..self.full).map(|_| 0xff_u8.wrapping_add(carry)));
            self.full = 0;
            self.held = Some((self.low >> 24) as u8);
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }
}

/// The part of a range that belongs to "yes".
fn share(range: u32, bit: Bit) -> u32 {
    (range >> PRECISION) * u32::from(bit.probability)
}

impl Coder for Encoder {
    fn code(&mut self, bit: &mut Bit, decision: bool) -> bool {
        let share = share(self.range, *bit);
        if decision {
            self.range = share;
        } else {
            self.low += u64::from(share);
            self.range -= share;
        }
        bit.learn(decision);
        while self.range < SMALLEST_RANGE {
            self.range <<= 8;
            self.shift();
        }
        decision
    }
}

/// Reads decisions from bytes, with zeros after their end.
#[derive(Debug)]
pub(super) struct Decoder<'a> {
    bytes: &'a [u8],
    /// The position of the written value within the range.
    place: u32,
    range: u32,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Decoder<'a> {
        let mut decoder = Decoder { bytes, place: 0, range: u32::MAX };
        for _ in 0..4 {
            decoder.place = decoder.place << 8 | decoder.next_byte();
        }
        decoder
    }

    fn next_byte(&mut self) -> u32 {
        let Some((&first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        first.into()
    }
}

impl Coder for Decoder<'_> {
    fn code(&mut self, bit: &mut Bit, _: bool) -> bool {
        let share = share(self.range, *bit);
        let decision = self.place < share;
        if decision {
            self.range = share;
        } else {
            self.place -= share;
            self.range -= share;
        }
        bit.learn(decision);
        while self.range < SMALLEST_RANGE {
            self.range <<= 8;
            self.place = self.place << 8 | self.next_byte();
        }
        decision
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datagen::random::SplitMix64;

    /// Every number by its length and by a tree.
    fn code(coder: &mut impl Coder, numbers: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
        let (mut model, mut tree) = (Number::new(), [Bit::new(); 16]);
        numbers
            .map(|number| (coder.code_number(&mut model, number), coder.code_tree(&mut tree, 4, number % 16)))
            .collect()
    }

    #[test]
    fn what_is_written_is_read() {
        for seed in 0..50 {
            let mut random = SplitMix64::new(seed);
            let numbers: Vec<_> = (0..500)
                .map(|_| {
                    let bits = random.below(25);
                    (random.next_u64() & ((1 << bits) - 1)) as u32
                })
                .collect();
            let mut encoder = Encoder::new();
            let written = code(&mut encoder, numbers.iter().copied());
            assert!(written.iter().map(|pair| pair.0).eq(numbers));
            let bytes = encoder.finish();
            assert_eq!(code(&mut Decoder::new(&bytes), std::iter::repeat_n(0, 500)), written);
        }
    }

    /// The entropy of a coin that shows heads once in twenty throws is 0.286 bits.
    #[test]
    fn likely_decisions_are_cheap() {
        let mut random = SplitMix64::new(3);
        let throws: Vec<_> = (0..80_000).map(|_| random.below(20) == 0).collect();
        let (mut encoder, mut bit) = (Encoder::new(), Bit::new());
        for &throw in &throws {
            encoder.code(&mut bit, throw);
        }
        let bytes = encoder.finish();
        assert!((2860..2960).contains(&bytes.len()), "{}", bytes.len());
        let (mut decoder, mut bit) = (Decoder::new(&bytes), Bit::new());
        assert!(throws.iter().all(|&throw| decoder.code(&mut bit, false) == throw));
    }
}
