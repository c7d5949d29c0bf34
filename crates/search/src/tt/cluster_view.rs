//! A cluster of the transposition table, for readers.

use std::sync::atomic::Ordering::Relaxed;

use ferz_board::Move;

use super::{GENERATION_STEP, KEY_BITS, KEY_MASK, TranspositionTable, TtBound, TtEntry, signature};
use crate::report::Bound;

/// Where the transposition table keeps the root of a search, and what stands there.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TtProbe {
    /// The key: that of the position, and near the fifty-move draw one that depends on the halfmove clock too.
    pub key: u64,
    /// The number of clusters of the table.
    pub clusters: u64,
    /// The cluster of the key: key · clusters / 2⁶⁴.
    pub index: u64,
    /// The lowest 21 bits of the key, by which an entry is recognised.
    pub key_part: u32,
    /// The number of the search, modulo 32. Entries of earlier searches have an age.
    pub generation: u32,
    /// The three entries of the cluster. `None` is empty.
    pub slots: [Option<TtSlot>; 3],
    /// The slot that belongs to the position.
    pub hit: Option<usize>,
}

/// An entry of the transposition table.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TtSlot {
    /// The 64 bits of the entry.
    pub data: u64,
    /// The 21 bits that are kept beside it: bits of the key, mixed with the data.
    pub signature: u32,
    /// The best move, or the one that caused a cutoff.
    pub mv: Option<Move>,
    /// The value, as the node that stored it saw it.
    pub value: i32,
    /// The static evaluation; `None` in check.
    pub eval: Option<i32>,
    /// The depth to which the position was searched.
    pub depth: u32,
    /// What the value is; `None` if only the evaluation is stored.
    pub bound: Option<Bound>,
    /// Whether the position is or was on a principal variation.
    pub pv: bool,
    /// The number of searches since the entry was written.
    pub age: u32,
}

impl TranspositionTable {
    /// Everything about the cluster of a key.
    pub(crate) fn cluster_view(&self, key: u64) -> TtProbe {
        let cluster = self.cluster(key);
        let keys = cluster.keys.load(Relaxed);
        let mut hit = None;
        let slots = [0, 1, 2].map(|slot| {
            let data = cluster.data[slot].load(Relaxed);
            if data == 0 {
                return None;
            }
            let kept = keys >> (KEY_BITS * slot) & KEY_MASK;
            if kept == signature(key, data) {
                hit = hit.or(Some(slot));
            }
            let TtEntry { mv, value, eval, depth, bound, pv } = TtEntry::unpack(data);
            let bound = match bound {
                TtBound::None => None,
                TtBound::Upper => Some(Bound::Upper),
                TtBound::Lower => Some(Bound::Lower),
                TtBound::Exact => Some(Bound::Exact),
            };
            let (depth, age) = (depth as u32, self.age_of(data) as u32);
            Some(TtSlot { data, signature: kept as u32, mv, value, eval, depth, bound, pv, age })
        });
        TtProbe {
            key,
            clusters: self.clusters.len() as u64,
            index: self.index(key) as u64,
            key_part: (key & KEY_MASK) as u32,
            generation: u32::from(self.generation / GENERATION_STEP),
            slots,
            hit,
        }
    }
}
