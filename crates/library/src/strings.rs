//! Strings that occur many times, each stored once.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// The number of a string.
pub(crate) type StringId = u32;

/// All strings of a catalogue, one behind the other.
#[derive(Debug)]
pub(crate) struct Strings {
    text: String,
    /// Where each ends.
    ends: Vec<u32>,
    /// The strings by their hashes. A string whose hash is taken has the next free one.
    ids: HashMap<u64, StringId>,
    hasher: RandomState,
}

impl Default for Strings {
    fn default() -> Strings {
        let mut strings = Strings {
            text: String::new(),
            ends: Vec::new(),
            ids: HashMap::new(),
            hasher: RandomState::new(),
        };
        strings.intern("");
        strings
    }
}

impl Strings {
    /// The number of a string. If there are 4 GiB of text, that of the empty one.
    pub(crate) fn intern(&mut self, text: &str) -> StringId {
        let mut hash = self.hasher.hash_one(text);
        loop {
            match self.ids.get(&hash) {
                Some(&id) if self.get(id) == text => return id,
                Some(_) => hash = hash.wrapping_add(1),
                None => break,
            }
        }
        let Ok(end) = u32::try_from(self.text.len() + text.len()) else { return 0 };
        let id = self.ends.len() as StringId;
        self.text.push_str(text);
        self.ends.push(end);
        self.ids.insert(hash, id);
        id
    }

    pub(crate) fn get(&self, id: StringId) -> &str {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.text[start as usize..self.ends[id] as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The strings that satisfy a condition.
    pub(crate) fn select(&self, condition: impl Fn(&str) -> bool) -> StringSet {
        let mut set = StringSet(vec![0; self.len().div_ceil(64)]);
        for id in 0..self.len() {
            if condition(self.get(id as StringId)) {
                set.0[id / 64] |= 1 << (id % 64);
            }
        }
        set
    }
}

/// Some of the strings.
#[derive(Clone, Debug)]
pub(crate) struct StringSet(Vec<u64>);

impl StringSet {
    pub(crate) fn contains(&self, id: StringId) -> bool {
        self.0[id as usize / 64] >> (id % 64) & 1 != 0
    }
}

/// A text to look for in others, whatever the case of its letters.
#[derive(Clone, Debug)]
pub(crate) struct Needle {
    lower: String,
    upper_first: u8,
}

impl Needle {
    pub(crate) fn new(text: &str) -> Needle {
        let lower = text.to_lowercase();
        let upper_first = lower.as_bytes().first().map_or(0, u8::to_ascii_uppercase);
        Needle { lower, upper_first }
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        if text.is_ascii() {
            self.is_in_ascii(text.as_bytes())
        } else {
            text.to_lowercase().contains(&self.lower)
        }
    }

    fn is_in_ascii(&self, text: &[u8]) -> bool {
        let needle = self.lower.as_bytes();
        let Some(&first) = needle.first() else { return true };
        let Some(last) = text.len().checked_sub(needle.len()) else { return false };
        (0..=last).any(|at| {
            (text[at] == first || text[at] == self.upper_first)
                && text[at..at + needle.len()].eq_ignore_ascii_case(needle)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_stored_once() {
        let mut strings = Strings::default();
        let ids = ["", "Tal", "Löwenfisch", "Tal", "tal"].map(|text| strings.intern(text));
        assert_eq!((ids[0], ids[1], ids[4]), (0, ids[3], 3));
        assert_eq!(strings.get(ids[2]), "Löwenfisch");
        let found = strings.select(|text| Needle::new("TAL").is_in(text));
        assert_eq!([0, 1, 2, 3].map(|id| found.contains(id)), [false, true, false, true]);
    }

    #[test]
    fn needles_ignore_case() {
        for (needle, text, is_in) in [
            ("carl", "Carlsen, Magnus", true),
            ("MAGNUS", "Carlsen, Magnus", true),
            ("magnuss", "Carlsen, Magnus", false),
            ("LÖWEN", "Löwenfisch", true),
            ("löwen", "Loewenfisch", false),
            ("", "x", true),
            ("xyz", "x", false),
        ] {
            assert_eq!(Needle::new(needle).is_in(text), is_in, "{needle} in {text}");
        }
    }
}
