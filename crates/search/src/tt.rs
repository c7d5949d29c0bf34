//! The transposition table (TT): results of earlier searches, shared by all threads without locks.
//!
//! Three entries and their keys fill half a cache line. Threads write without synchronisation, so a reader may find the
//! key of one position beside the data of another. Each key is therefore mixed with its data (the XOR trick of lockless
//! hashing), and a mixed pair does not match. What slips through is harmless: a TT move is played only if it is legal.

mod cluster_view;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use ferz_board::Move;
use ferz_eval::VALUE_LIMIT;

use crate::OutOfMemory;
use crate::huge_table::HugeTable;
use crate::stack::spawn;
use crate::value::{MATE, TB_WIN, Value, is_loss, is_mate, is_win};

pub use cluster_view::{TtProbe, TtSlot};

/// From this halfmove clock on there are no TT cutoffs: a stored value knows nothing of the fifty-move draw that is
/// near.
pub(crate) const TT_CUTOFF_CLOCK_LIMIT: u32 = 90;

/// The relation of a stored value to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum TtBound {
    /// None: only the evaluation is stored.
    None = 0,
    Upper = 1,
    Lower = 2,
    Exact = 3,
}

impl TtBound {
    /// Whether the true value is at least the stored one.
    #[inline]
    pub(crate) const fn is_lower(self) -> bool {
        self as u8 & TtBound::Lower as u8 != 0
    }

    /// Whether the true value is at most the stored one.
    #[inline]
    pub(crate) const fn is_upper(self) -> bool {
        self as u8 & TtBound::Upper as u8 != 0
    }

    /// Whether a value stored with this bound proves that the true one is on the same side of a limit.
    #[inline]
    pub(crate) const fn confirms(self, value: Value, limit: Value) -> bool {
        if value >= limit { self.is_lower() } else { self.is_upper() }
    }

    const fn from_bits(bits: u8) -> TtBound {
        match bits & 3 {
            0 => TtBound::None,
            1 => TtBound::Upper,
            2 => TtBound::Lower,
            _ => TtBound::Exact,
        }
    }
}

/// An entry of the transposition table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TtEntry {
    pub(crate) mv: Option<Move>,
    /// Mates and table wins count from the node that stored the entry.
    pub(crate) value: Value,
    /// The static evaluation before correction history; `None` in check.
    pub(crate) eval: Option<Value>,
    pub(crate) depth: i32,
    pub(crate) bound: TtBound,
    /// Whether the position is or was on a principal variation (`tt_pv`).
    pub(crate) pv: bool,
}

/// How an entry without an evaluation is packed.
const NO_EVAL: i16 = i16::MIN;
/// The lower three bits beside the generation hold the bound and `pv`.
const GENERATION_STEP: u8 = 8;
const ENTRIES: usize = 3;
/// Replacement: an entry of the same position and search is kept if it is deeper by this number of plies.
const KEEP_DEEPER: i32 = 4;
/// Replacement: how many plies more if the new entry is of the principal variation.
const KEEP_DEEPER_PV: i32 = 2;
/// Replacement: the plies of depth that an entry loses with every search.
const AGE_WEIGHT: i32 = 4;
/// TT keys ignore halfmove clocks below this.
const CLOCK_IN_KEY: u32 = 24;
/// The halfmove clocks that share a TT key.
const CLOCK_STEP: u32 = 8;

impl TtEntry {
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
    fn unpack(data: u64) -> TtEntry {
        let eval = (data >> 32) as i16;
        TtEntry {
            mv: Move::from_bits(data as u16),
            value: Value::from((data >> 16) as i16),
            eval: (eval != NO_EVAL).then_some(Value::from(eval)),
            depth: i32::from((data >> 48) as u8),
            bound: TtBound::from_bits((data >> 56) as u8),
            pv: data >> 58 & 1 != 0,
        }
    }

    /// The value as seen from the root of a search that is `ply` plies away, at a position with this halfmove clock. A
    /// mate or a table win that the fifty-move rule would prevent is only an advantage.
    #[inline]
    pub(crate) fn value_from_tt(&self, ply: usize, clock: u32) -> Value {
        let left = 100 - clock.min(100) as Value;
        if is_win(self.value) {
            if self.distance() > left { VALUE_LIMIT } else { self.value - ply as Value }
        } else if is_loss(self.value) {
            if self.distance() > left { -VALUE_LIMIT } else { self.value + ply as Value }
        } else {
            self.value
        }
    }

    /// A mate that is certain, if perhaps not the shortest.
    #[inline]
    pub(crate) fn is_proven_mate(&self) -> bool {
        is_mate(self.value) && self.bound != if self.value > 0 { TtBound::Upper } else { TtBound::Lower }
    }

    /// The plies to the mate, or to the position that the tables know.
    fn distance(&self) -> Value {
        if is_mate(self.value) { MATE - self.value.abs() } else { TB_WIN - self.value.abs() }
    }
}

/// The value as the node at `ply` stores it: mates and table wins count from that node.
#[inline]
pub(crate) fn value_to_tt(value: Value, ply: usize) -> Value {
    if is_win(value) {
        value + ply as Value
    } else if is_loss(value) {
        value - ply as Value
    } else {
        value
    }
}

/// The entries that compete for the same slot, also called a bucket.
#[derive(Debug, Default)]
#[repr(align(32))]
struct Cluster {
    /// A [`signature`] for each entry.
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

/// The signature by which an entry is recognised: bits of its key, mixed with its data.
#[inline]
fn signature(key: u64, data: u64) -> u64 {
    (key ^ data ^ data >> KEY_BITS ^ data >> (2 * KEY_BITS)) & KEY_MASK
}

#[inline]
fn depth_of(data: u64) -> i32 {
    i32::from((data >> 48) as u8)
}

/// The transposition table.
#[derive(Debug)]
pub(crate) struct TranspositionTable {
    clusters: HugeTable<Cluster>,
    mebibytes: usize,
    /// The age of new entries, in the upper five bits as entries hold it.
    generation: u8,
}

impl TranspositionTable {
    pub(crate) fn new(mebibytes: usize) -> Result<TranspositionTable, OutOfMemory> {
        let error = OutOfMemory { mebibytes };
        let bytes = mebibytes.checked_mul(1 << 20).ok_or(error)?;
        let count = (bytes / size_of::<Cluster>()).max(1);
        let clusters = HugeTable::new(count, Cluster::default).ok_or(error)?;
        Ok(TranspositionTable { clusters, mebibytes, generation: 0 })
    }

    /// The size that was asked for, in MiB.
    pub(crate) fn mebibytes(&self) -> usize {
        self.mebibytes
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self, threads: usize) {
        const CLEAR_STACK_SIZE: usize = 256 << 10;
        self.generation = 0;
        let share = self.clusters.len().div_ceil(threads.max(1));
        thread::scope(|scope| {
            let mut parts = self.clusters.chunks(share);
            let mine = parts.next();
            for part in parts {
                let clear = || part.iter().for_each(Cluster::clear);
                // If the system refuses a thread, this one does the work.
                if spawn(scope, "clear", CLEAR_STACK_SIZE, clear).is_none() {
                    clear();
                }
            }
            mine.into_iter().flatten().for_each(Cluster::clear);
        });
    }

    /// A new search begins: existing entries grow older.
    pub(crate) fn age(&mut self) {
        self.generation = self.generation.wrapping_add(GENERATION_STEP);
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        ((u128::from(key) * self.clusters.len() as u128) >> 64) as usize
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        &self.clusters[self.index(key)]
    }

    /// Prefetches the cluster of a position into the cache.
    #[inline]
    #[allow(unsafe_code)]
    pub(crate) fn prefetch(&self, key: u64) {
        let cluster = self.cluster(key);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch never faults, whatever the address; this one is of a living object. It
        // gains some 5 % nodes per second.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(cluster).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = cluster;
    }

    /// The entry of a position.
    #[inline]
    pub(crate) fn probe(&self, key: u64) -> Option<TtEntry> {
        let cluster = self.cluster(key);
        let keys = cluster.keys.load(Relaxed);
        for (index, data) in cluster.data.iter().enumerate() {
            let data = data.load(Relaxed);
            if keys >> (KEY_BITS * index) & KEY_MASK == signature(key, data) && data != 0 {
                return Some(TtEntry::unpack(data));
            }
        }
        None
    }

    /// Stores an entry. It replaces an older one of the same position, else the one of least depth and greatest age.
    pub(crate) fn store(&self, key: u64, mut entry: TtEntry) {
        let cluster = self.cluster(key);
        let keys = cluster.keys.load(Relaxed);
        let mut slot = 0;
        let mut least = i32::MAX;
        for (index, data) in cluster.data.iter().enumerate() {
            let data = data.load(Relaxed);
            if data == 0 {
                slot = index;
                break;
            }
            if keys >> (KEY_BITS * index) & KEY_MASK == signature(key, data) {
                let old = TtEntry::unpack(data);
                if old.is_proven_mate() && !(entry.is_proven_mate() && entry.value.abs() >= old.value.abs()) {
                    // A new search starts with small depths. It must not forget a mate that was announced.
                    entry = old;
                    slot = index;
                    break;
                }
                entry.mv = entry.mv.or(old.mv);
                let age = self.age_of(data);
                if entry.bound != TtBound::Exact
                    && age == 0
                    && entry.depth + KEEP_DEEPER + KEEP_DEEPER_PV * i32::from(entry.pv) <= old.depth
                {
                    return;
                }
                slot = index;
                break;
            }
            let priority = depth_of(data) - AGE_WEIGHT * self.age_of(data);
            if priority < least {
                (least, slot) = (priority, index);
            }
        }
        let data = entry.pack(self.generation);
        let shift = KEY_BITS * slot;
        let key_bits = signature(key, data) << shift;
        cluster.data[slot].store(data, Relaxed);
        cluster.keys.store(keys & !(KEY_MASK << shift) | key_bits, Relaxed);
    }

    /// The number of searches since an entry was written.
    #[inline]
    fn age_of(&self, data: u64) -> i32 {
        let generation = (data >> 56) as u8 & !(GENERATION_STEP - 1);
        i32::from(self.generation.wrapping_sub(generation) / GENERATION_STEP)
    }

    /// How full the table is with entries of the present search, in thousandths.
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

/// The TT key of a position. Near the fifty-move draw, positions that differ only in the halfmove clock have different
/// keys.
#[inline]
pub(crate) fn tt_key(key: u64, clock: u32) -> u64 {
    if clock < CLOCK_IN_KEY {
        key
    } else {
        key ^ u64::from(clock / CLOCK_STEP).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::DRAW;
    use ferz_board::Position;

    fn entry(depth: i32) -> TtEntry {
        TtEntry { mv: None, value: -17, eval: Some(42), depth, bound: TtBound::Lower, pv: true }
    }

    #[test]
    fn what_is_stored_is_found_again() {
        let tt = TranspositionTable::new(1).unwrap();
        let mv = Position::start().legal_moves().first().copied();
        for (index, value) in [0, -1, 31_990, -31_990, 5].into_iter().enumerate() {
            let key = (index as u64).wrapping_mul(0x1234_5678_9abc_def1);
            let stored = TtEntry { mv, value, eval: None, ..entry(index as i32) };
            tt.store(key, stored);
            assert_eq!(tt.probe(key), Some(stored));
        }
        assert_eq!(tt.probe(0xdead_beef), None);
    }

    #[test]
    fn a_view_of_a_cluster_shows_what_a_probe_finds() {
        let mut tt = TranspositionTable::new(1).unwrap();
        let mv = Position::start().legal_moves().first().copied();
        // Three keys of one cluster.
        for key in 1..=3 {
            tt.store(key, TtEntry { mv, ..entry(10 + key as i32) });
            tt.age();
        }
        let view = tt.cluster_view(2);
        assert_eq!((view.index, view.clusters, view.key_part, view.generation), (0, 1 << 15, 2, 3));
        let slot = view.hit.and_then(|hit| view.slots[hit].clone()).expect("a hit");
        let found = tt.probe(2).expect("the same entry");
        assert_eq!((slot.mv, slot.value, slot.eval, slot.depth), (mv, found.value, found.eval, 12));
        assert_eq!((slot.bound, slot.pv, slot.age), (Some(crate::Bound::Lower), true, 2));
        assert_eq!(slot.data, found.pack(8));
        assert_eq!(u64::from(slot.signature), signature(2, slot.data));
        let missed = tt.cluster_view(4);
        assert_eq!((missed.hit, missed.slots.iter().flatten().count()), (None, 3));
    }

    #[test]
    fn an_entry_without_a_move_keeps_the_move_known_before() {
        let tt = TranspositionTable::new(1).unwrap();
        let mv = Position::start().legal_moves().first().copied();
        tt.store(77, TtEntry { mv, ..entry(3) });
        tt.store(77, entry(9));
        assert_eq!(tt.probe(77), Some(TtEntry { mv, ..entry(9) }));
    }

    #[test]
    fn shallow_and_old_entries_give_way() {
        let mut tt = TranspositionTable::new(1).unwrap();
        for key in 1..=3 {
            tt.store(key, entry(10 + key as i32));
        }
        tt.store(4, entry(1));
        assert!(tt.probe(1).is_none(), "the shallowest was replaced");
        assert!(tt.probe(2).is_some() && tt.probe(3).is_some() && tt.probe(4).is_some());
        (0..4).for_each(|_| tt.age());
        tt.store(4, entry(1));
        tt.store(5, entry(8));
        assert!(tt.probe(4).is_some(), "fresh though shallow");
        assert!(tt.probe(2).is_none(), "deep but old");
    }

    #[test]
    fn a_key_beside_foreign_data_does_not_match() {
        let tt = TranspositionTable::new(1).unwrap();
        tt.store(9, entry(5));
        // A different thread has written its data but not yet its key.
        let cluster = tt.cluster(9);
        cluster.data[0].store(TtEntry { value: 31_999, ..entry(20) }.pack(0), Relaxed);
        assert_eq!(tt.probe(9), None);
    }

    #[test]
    fn mates_count_from_the_node_and_respect_the_clock() {
        let mate = TtEntry { value: value_to_tt(MATE - 12, 4), ..entry(1) };
        assert_eq!(mate.value_from_tt(4, 0), MATE - 12);
        assert_eq!(mate.value_from_tt(2, 0), MATE - 10);
        assert_eq!(mate.value_from_tt(4, 95), VALUE_LIMIT);
        assert_eq!(TtEntry { value: DRAW, ..mate }.value_from_tt(4, 95), DRAW);
    }

    #[test]
    fn table_results_count_from_the_node_and_respect_the_clock() {
        for sign in [1, -1] {
            let result = TtEntry { value: value_to_tt(sign * (TB_WIN - 12), 4), ..entry(1) };
            assert_eq!(result.value_from_tt(4, 0), sign * (TB_WIN - 12));
            assert_eq!(result.value_from_tt(2, 0), sign * (TB_WIN - 10));
            assert_eq!(result.value_from_tt(4, 95), sign * VALUE_LIMIT);
        }
    }

    /// Other results of the same position do not replace it, in this search or a later one.
    #[test]
    fn a_proven_mate_stays() {
        let mut tt = TranspositionTable::new(1).expect("memory for 1 MiB");
        let mate = TtEntry { value: MATE - 9, bound: TtBound::Lower, depth: 3, ..entry(1) };
        let estimate = TtEntry { value: 50, bound: TtBound::Exact, depth: 20, ..entry(2) };
        tt.store(77, mate);
        tt.age();
        tt.store(77, estimate);
        assert_eq!(tt.probe(77), Some(mate));
        let shorter = TtEntry { value: MATE - 7, ..mate };
        tt.store(77, shorter);
        tt.store(77, mate);
        assert_eq!(tt.probe(77), Some(shorter));
        // An upper bound of a win is no proof.
        let bound = TtEntry { bound: TtBound::Upper, ..mate };
        tt.store(78, bound);
        tt.store(78, estimate);
        assert_eq!(tt.probe(78), Some(estimate));
    }

    #[test]
    fn a_table_too_large_is_refused() {
        assert_eq!(TranspositionTable::new(usize::MAX).unwrap_err(), OutOfMemory { mebibytes: usize::MAX });
        assert!(TranspositionTable::new(1 << 42).is_err());
    }

    #[test]
    fn clearing_forgets() {
        let mut tt = TranspositionTable::new(1).unwrap();
        tt.store(77, entry(3));
        assert_eq!(tt.hashfull(), 0, "rounded down");
        tt.clear(3);
        assert_eq!(tt.probe(77), None);
    }
}
