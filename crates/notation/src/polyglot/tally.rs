//! Counting moves: a hash table of 24 bytes per move.
//!
//! Written by hand: the table of the standard library needs twice the memory, and its size cannot be bounded.

use super::PackedMove;

/// What is known about a move in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tally {
    pub(super) key: u64,
    pub(super) points: u64,
    /// Zero in an empty slot.
    pub(super) games: u32,
    pub(super) mv: PackedMove,
}

/// Bytes of a tally in a file.
pub(super) const TALLY_BYTES: usize = 22;

impl Tally {
    const EMPTY: Tally = Tally { key: 0, points: 0, games: 0, mv: PackedMove::from_bits(0) };

    /// Position and move, by which tallies are sorted.
    pub(super) fn order(&self) -> (u64, PackedMove) {
        (self.key, self.mv)
    }

    /// Adds what another tally knows about the same move.
    pub(super) fn add(&mut self, other: &Tally) {
        self.games = self.games.saturating_add(other.games);
        self.points = self.points.saturating_add(other.points);
    }

    pub(super) fn to_bytes(self) -> [u8; TALLY_BYTES] {
        let mut bytes = [0; TALLY_BYTES];
        bytes[..8].copy_from_slice(&self.key.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.points.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.games.to_le_bytes());
        bytes[20..].copy_from_slice(&self.mv.bits().to_le_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; TALLY_BYTES]) -> Tally {
        let number = |from: usize, len: usize| {
            bytes[from..from + len].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        Tally {
            key: number(0, 8),
            points: number(8, 8),
            games: number(16, 4) as u32,
            mv: PackedMove::from_bits(number(20, 2) as u16),
        }
    }
}

/// Tallies by position and move. Open addressing with linear probing.
#[derive(Clone, Debug, Default)]
pub(super) struct TallyTable {
    slots: Vec<Tally>,
    len: usize,
}

/// The size of a small table.
const FIRST_SLOTS: usize = 1 << 12;

impl TallyTable {
    /// The bytes that a table takes for each of its slots while it grows: it needs the old slots, too, half as many.
    pub(super) const BYTES_PER_SLOT: usize = size_of::<Tally>() * 3 / 2;

    /// Adds a tally. False if the table is full and may not grow beyond `max_slots`; it is then unchanged.
    pub(super) fn add(&mut self, tally: &Tally, max_slots: usize) -> bool {
        if self.len >= self.slots.len() / 4 * 3 {
            let wanted = (self.slots.len() * 2).max(FIRST_SLOTS).min(max_slots);
            if wanted <= self.slots.len() {
                return false;
            }
            self.resize(wanted);
        }
        self.insert(tally);
        true
    }

    fn insert(&mut self, tally: &Tally) {
        let mut index = slot(tally, self.slots.len());
        loop {
            let place = &mut self.slots[index];
            if place.games == 0 {
                *place = *tally;
                self.len += 1;
                return;
            }
            if place.order() == tally.order() {
                place.add(tally);
                return;
            }
            index += 1;
            if index == self.slots.len() {
                index = 0;
            }
        }
    }

    fn resize(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.slots, vec![Tally::EMPTY; slots]);
        self.len = 0;
        old.iter().filter(|tally| tally.games > 0).for_each(|tally| self.insert(tally));
    }

    /// All tallies, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Tally> {
        self.slots.iter().filter(|tally| tally.games > 0)
    }

    /// Gives the tallies sorted by position and move to a function, and empties the table. Needs no memory.
    pub(super) fn drain_sorted<R>(&mut self, take: impl FnOnce(&[Tally]) -> R) -> R {
        let mut filled = 0;
        for index in 0..self.slots.len() {
            if self.slots[index].games > 0 {
                self.slots.swap(index, filled);
                filled += 1;
            }
        }
        self.slots[..filled].sort_unstable_by_key(Tally::order);
        let taken = take(&self.slots[..filled]);
        self.slots[..filled].fill(Tally::EMPTY);
        self.len = 0;
        taken
    }
}

/// Where a tally is looked for first. Keys are random numbers already; the moves of a position are spread.
fn slot(tally: &Tally, slots: usize) -> usize {
    let hash = (tally.key ^ u64::from(tally.mv.bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((u128::from(hash) * slots as u128) >> 64) as usize
}
