//! Numbers that look random and depend on a seed alone.

/// A small generator (splitmix64): every seed begins a sequence of its own.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A new one.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// For one of many things under the same seed, say a game by its number.
    pub fn for_number(seed: u64, number: u64) -> Random {
        let mut outer = Random::new(seed);
        let inner = outer.next() ^ number.wrapping_mul(0xd134_2543_de82_ef95);
        Random::new(Random::new(inner).next())
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Less than `bound`, which is not 0; every number as likely as any other, but for a difference nobody can see.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// Any of these, each as likely as any other; nothing if there are none.
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
            counts[Random::for_number(7, number).below(10) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
        assert_eq!(Random::for_number(1, 2).next(), Random::for_number(1, 2).next());
        assert_ne!(Random::for_number(1, 2).next(), Random::for_number(2, 1).next());
    }
}
