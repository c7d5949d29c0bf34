//! Shorthands for random choices.

use fastrand::Rng;

pub(crate) trait RandomChoice {
    /// One element of a slice that is not empty.
    fn pick<T: Copy>(&mut self, choices: &[T]) -> T;

    /// One word of a text with single spaces.
    fn word<'a>(&mut self, text: &'a str) -> &'a str;

    /// True in this percentage of calls.
    fn percent(&mut self, chance: u32) -> bool;
}

impl RandomChoice for Rng {
    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.usize(..choices.len())]
    }

    fn word<'a>(&mut self, text: &'a str) -> &'a str {
        let words: Vec<_> = text.split(' ').collect();
        self.pick(&words)
    }

    fn percent(&mut self, chance: u32) -> bool {
        self.u32(..100) < chance
    }
}
