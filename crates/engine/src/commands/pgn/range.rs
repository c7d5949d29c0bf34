//! Ranges of numbers on the command line.

use std::str::FromStr;

/// A range of numbers, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::commands) struct NumberRange {
    first: u32,
    last: u32,
}

impl NumberRange {
    pub(in crate::commands) fn contains(self, number: u32) -> bool {
        (self.first..=self.last).contains(&number)
    }
}

/// `10..20`, `10..`, `..20`, or `10` alone.
impl FromStr for NumberRange {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<NumberRange, Self::Err> {
        let number = |text: &str, missing: u32| match text.trim() {
            "" => Ok(missing),
            text => text.parse().map_err(|_| "expected a range such as 10..20, 10.. or ..20"),
        };
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let range = NumberRange { first: number(first, 0)?, last: number(last, u32::MAX)? };
        if text.trim().is_empty() || range.first > range.last { Err("empty range") } else { Ok(range) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_both_ends() {
        let contains = |text: &str, number| text.parse::<NumberRange>().expect(text).contains(number);
        assert!(contains("10..20", 10) && contains("10..20", 20) && !contains("10..20", 21));
        assert!(contains("10..", u32::MAX) && !contains("10..", 9));
        assert!(contains("..20", 0) && !contains("..20", 21));
        assert!(contains("7", 7) && !contains("7", 8));
        for wrong in ["", "x", "20..10", "1..2..3", "-1..2", "1...2", "99999999999"] {
            assert!(wrong.parse::<NumberRange>().is_err(), "{wrong}");
        }
    }
}
