//! The transposition table: what is known of positions, shared by all threads without locks.
//!
//! Three entries and their keys fill half a cache line. Threads write entries without asking each other, so a
//! reader may find the key of one position beside the data of another: each key is mixed with the data it
//! belongs to, and such a pair does not match. What slips through is harmless: moves from the table are played
//! only if they are legal.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use ferz_board::Move;
use ferz_eval::VALUE_LIMIT;

use crate::OutOfMemory;
use crate::value::{MATE, Value, is_loss, is_win};

/// What a stored value says of the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum TableBound {
    /// Nothing: only the evaluation is known.
    None = 0,
    Upper = 1,
    Lower = 2,
    Exact = 3,
}

impl TableBound {
    /// Whether the true value is at least the stored one.
    #[inline]
    pub(crate) const fn is_lower(self) -> bool {
        self as u8 & TableBound::Lower as u8 != 0
    }

    /// Whether the true value is at most the stored one.
    #[inline]
    pub(crate) const fn is_upper(self) -> bool {
        self as u8 & TableBound::Upper as u8 != 0
    }

    /// Whether the true value lies on the same side of a limit as this one that was stored with the bound.
    #[inline]
    pub(crate) const fn confirms(self, value: Value, limit: Value) -> bool {
        if value >= limit { self.is_lower() } else { self.is_upper() }
    }

    const fn from_bits(bits: u8) -> TableBound {
        match bits & 3 {
            0 => TableBound::None,
            1 => TableBound::Upper,
            2 => TableBound::Lower,
            _ => TableBound::Exact,
        }
    }
}

/// What the table knows of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) mv: Option<Move>,
    /// As the node that stored it saw it: mates count from there.
    pub(crate) value: Value,
    /// The evaluation before corrections; none in check.
    pub(crate) eval: Option<Value>,
    pub(crate) depth: i32,
    pub(crate) bound: TableBound,
    /// Whether the position has ever been on a principal variation.
    pub(crate) pv: bool,
}

const NO_EVAL: i16 = i16::MIN;
const GENERATION_STEP: u8 = 8;
const ENTRIES: usize = 3;

impl Entry {
    fn pack(&self, generation: u8) -> u64 {
        let mv = self.mv.map_or(0, Move::bits);
        let eval = self.eval.map_or(NO_EVAL, |eval| eval as i16);
        let flags = generation | u8::from(self.pv) << 2 | self.bound as u8;
        u64::from(mv)
            | u64::from(self.value as i16 as u16) << 16
            | u64::from(eval as u16) << 32
            | u64::from(self.depth.clamp(0, 255) as u8) << 48
            | u64::from(flags) << 56
    }

    #[inline]
    fn unpack(data: u64) -> Entry {
        let eval = (data >> 32) as i16;
        Entry {
            mv: Move::from_bits(data as u16),
            value: Value::from((data >> 16) as i16),
            eval: (eval != NO_EVAL).then_some(Value::from(eval)),
            depth: i32::from((data >> 48) as u8),
            bound: TableBound::from_bits((data >> 56) as u8),
            pv: data >> 58 & 1 != 0,
        }
    }

    /// The value as seen from `ply`, at a position whose 50-move counter stands at `clock`. A mate that comes
    /// too late for that counter is only an advantage.
    #[inline]
    pub(crate) fn value_at(&self, ply: usize, clock: u16) -> Value {
        let left = 100 - Value::from(clock.min(100));
        if is_win(self.value) {
            if MATE - self.value > left { VALUE_LIMIT } else { self.value - ply as Value }
        } else if is_loss(self.value) {
            if MATE + self.value > left { -VALUE_LIMIT } else { self.value + ply as Value }
        } else {
            self.value
        }
    }
}

/// A value as the node at `ply` stores it: mates count from that node.
#[inline]
pub(crate) fn value_to_store(value: Value, ply: usize) -> Value {
    if is_win(value) {
        value + ply as Value
    } else if is_loss(value) {
        value - ply as Value
    } else {
        value
    }
}

/// Entries that compete for the same place.
#[derive(Debug, Default)]
#[repr(align(32))]
struct Cluster {
    /// A [`mark`] for each entry.
    keys: AtomicU64,
    data: [AtomicU64; ENTRIES],
}

impl Cluster {
    fn clear(&self) {
        self.keys.store(0, Relaxed);
        self.data.iter().for_each(|data| data.store(0, Relaxed));
    }
}

/// Bits of a key that an entry keeps.
const KEY_BITS: usize = 21;
const KEY_MASK: u64 = (1 << KEY_BITS) - 1;

/// What an entry keeps of its key: some of its bits, mixed with bits that depend on all of the data.
#[inline]
fn mark(key: u64, data: u64) -> u64 {
    (key ^ data ^ data >> KEY_BITS ^ data >> (2 * KEY_BITS)) & KEY_MASK
}

#[inline]
fn depth_of(data: u64) -> i32 {
    i32::from((data >> 48) as u8)
}

/// The transposition table.
#[derive(Debug)]
pub(crate) struct Table {
    clusters: Vec<Cluster>,
    /// In the upper five bits, as entries hold it.
    generation: u8,
}

impl Table {
    pub(crate) fn new(mebibytes: usize) -> Result<Table, OutOfMemory> {
        let error = OutOfMemory { mebibytes };
        let bytes = mebibytes.checked_mul(1 << 20).ok_or(error)?;
        let count = (bytes / size_of::<Cluster>()).max(1);
        let mut clusters = Vec::new();
        clusters.try_reserve_exact(count).map_err(|_| error)?;
        clusters.resize_with(count, Cluster::default);
        Ok(Table { clusters, generation: 0 })
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self, threads: usize) {
        self.generation = 0;
        let share = self.clusters.len().div_ceil(threads.max(1));
        thread::scope(|scope| {
            for part in self.clusters.chunks(share) {
                let clear = || part.iter().for_each(Cluster::clear);
                // A thread the system cannot give is done without.
                if thread::Builder::new().spawn_scoped(scope, clear).is_err() {
                    clear();
                }
            }
        });
    }

    /// A new search begins: what is there already grows older.
    pub(crate) fn age(&mut self) {
        self.generation = self.generation.wrapping_add(GENERATION_STEP);
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        &self.clusters[((u128::from(key) * self.clusters.len() as u128) >> 64) as usize]
    }

    /// Brings the entries of a position into the cache.
    #[inline]
    #[allow(unsafe_code)]
    pub(crate) fn prefetch(&self, key: u64) {
        let cluster = self.cluster(key);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch never faults, whatever the address; this one is of a living object. The search
        // visits some 5 % more nodes a second with it.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(cluster).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = cluster;
    }

    /// What is known of a position.
    #[inline]
    pub(crate) fn probe(&self, key: u64) -> Option<Entry> {
        let cluster = self.cluster(key);
        let keys = cluster.keys.load(Relaxed);
        for (index, data) in cluster.data.iter().enumerate() {
            let data = data.load(Relaxed);
            if keys >> (KEY_BITS * index) & KEY_MASK == mark(key, data) && data != 0 {
                return Some(Entry::unpack(data));
            }
        }
        None
    }

    /// Remembers a position, in the place of what is worth least.
    pub(crate) fn store(&self, key: u64, mut entry: Entry) {
        let cluster = self.cluster(key);
        let keys = cluster.keys.load(Relaxed);
        let mut place = 0;
        let mut least = i32::MAX;
        for (index, data) in cluster.data.iter().enumerate() {
            let data = data.load(Relaxed);
            if data == 0 {
                place = index;
                break;
            }
            if keys >> (KEY_BITS * index) & KEY_MASK == mark(key, data) {
                let old = Entry::unpack(data);
                entry.mv = entry.mv.or(old.mv);
                let age = self.age_of(data);
                if entry.bound != TableBound::Exact
                    && age == 0
                    && entry.depth + 4 + 2 * i32::from(entry.pv) <= old.depth
                {
                    return;
                }
                place = index;
                break;
            }
            let worth = depth_of(data) - 4 * self.age_of(data);
            if worth < least {
                (least, place) = (worth, index);
            }
        }
        let data = entry.pack(self.generation);
        let shift = KEY_BITS * place;
        let key_bits = mark(key, data) << shift;
        cluster.data[place].store(data, Relaxed);
        cluster.keys.store(keys & !(KEY_MASK << shift) | key_bits, Relaxed);
    }

    /// How many searches ago an entry was written.
    #[inline]
    fn age_of(&self, data: u64) -> i32 {
        let generation = (data >> 56) as u8 & !(GENERATION_STEP - 1);
        i32::from(self.generation.wrapping_sub(generation) / GENERATION_STEP)
    }

    /// How full the table is of entries of the present search, in thousandths.
    pub(crate) fn hashfull(&self) -> u32 {
        let sample = self.clusters.len().min(1000);
        let used = self.clusters[..sample]
            .iter()
            .flat_map(|cluster| &cluster.data)
            .map(|data| data.load(Relaxed))
            .filter(|&data| data != 0 && self.age_of(data) == 0)
            .count();
        (used * 1000 / (sample * ENTRIES)) as u32
    }
}

/// A key for the table: near the 50-move draw, positions that differ only in that counter are not the same.
#[inline]
pub(crate) fn table_key(key: u64, clock: u16) -> u64 {
    if clock < 24 { key } else { key ^ u64::from(clock / 8).wrapping_mul(0x9e37_79b9_7f4a_7c15) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::DRAW;
    use ferz_board::Position;

    fn entry(depth: i32) -> Entry {
        Entry { mv: None, value: -17, eval: Some(42), depth, bound: TableBound::Lower, pv: true }
    }

    #[test]
    fn what_is_stored_is_found_again() {
        let table = Table::new(1).unwrap();
        let mv = Position::start().legal_moves().first().copied();
        for (index, value) in [0, -1, 31_990, -31_990, 5].into_iter().enumerate() {
            let key = (index as u64).wrapping_mul(0x1234_5678_9abc_def1);
            let stored = Entry { mv, value, eval: None, ..entry(index as i32) };
            table.store(key, stored);
            assert_eq!(table.probe(key), Some(stored));
        }
        assert_eq!(table.probe(0xdead_beef), None);
    }

    #[test]
    fn an_entry_without_a_move_keeps_the_move_known_before() {
        let table = Table::new(1).unwrap();
        let mv = Position::start().legal_moves().first().copied();
        table.store(77, Entry { mv, ..entry(3) });
        table.store(77, entry(9));
        assert_eq!(table.probe(77), Some(Entry { mv, ..entry(9) }));
    }

    #[test]
    fn shallow_and_old_entries_give_way() {
        let mut table = Table::new(1).unwrap();
        for key in 1..=3 {
            table.store(key, entry(10 + key as i32));
        }
        table.store(4, entry(1));
        assert!(table.probe(1).is_none(), "the shallowest was replaced");
        assert!(table.probe(2).is_some() && table.probe(3).is_some() && table.probe(4).is_some());
        (0..4).for_each(|_| table.age());
        table.store(4, entry(1));
        table.store(5, entry(8));
        assert!(table.probe(4).is_some(), "fresh though shallow");
        assert!(table.probe(2).is_none(), "deep but old");
    }

    #[test]
    fn a_key_beside_foreign_data_does_not_match() {
        let table = Table::new(1).unwrap();
        table.store(9, entry(5));
        // Another thread has written its data but not yet its key.
        let cluster = table.cluster(9);
        cluster.data[0].store(Entry { value: 31_999, ..entry(20) }.pack(0), Relaxed);
        assert_eq!(table.probe(9), None);
    }

    #[test]
    fn mates_count_from_the_node_and_respect_the_clock() {
        let mate = Entry { value: value_to_store(MATE - 12, 4), ..entry(1) };
        assert_eq!(mate.value_at(4, 0), MATE - 12);
        assert_eq!(mate.value_at(2, 0), MATE - 10);
        assert_eq!(mate.value_at(4, 95), VALUE_LIMIT);
        assert_eq!(Entry { value: DRAW, ..mate }.value_at(4, 95), DRAW);
    }

    #[test]
    fn a_table_too_large_is_refused() {
        assert_eq!(Table::new(usize::MAX).unwrap_err(), OutOfMemory { mebibytes: usize::MAX });
        assert!(Table::new(1 << 42).is_err());
    }

    #[test]
    fn clearing_forgets() {
        let mut table = Table::new(1).unwrap();
        table.store(77, entry(3));
        assert_eq!(table.hashfull(), 0, "rounded down");
        table.clear(3);
        assert_eq!(table.probe(77), None);
    }
}
