//! Pseudo-random numbers.
//!
//! Not from a library: a resumed run must play the same games, so the sequence must never change with a dependency.

/// The splitmix64 generator.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator with this seed.
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64(seed)
    }

    /// A generator for one of many things with the same seed, such as a game by its number.
    pub fn for_number(seed: u64, number: u64) -> SplitMix64 {
        let mut outer = SplitMix64::new(seed);
        let inner = outer.next_u64() ^ number.wrapping_mul(0xd134_2543_de82_ef95);
        SplitMix64::new(SplitMix64::new(inner).next_u64())
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number less than `bound`, which is not 0, with a negligible bias.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// A random element; `None` if the slice is empty.
    pub fn choice<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() { None } else { Some(from[self.below(from.len() as u64) as usize]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_and_repeatable() {
        let mut counts = [0; 10];
        for number in 0..10_000 {
            counts[SplitMix64::for_number(7, number).below(10) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
        assert_eq!(SplitMix64::for_number(1, 2).next_u64(), SplitMix64::for_number(1, 2).next_u64());
        assert_ne!(SplitMix64::for_number(1, 2).next_u64(), SplitMix64::for_number(2, 1).next_u64());
    }
}
