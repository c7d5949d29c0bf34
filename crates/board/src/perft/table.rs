//! A hash table of counted subtrees.

use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::Color;
use crate::movegen::placement::Placement;

/// A hash table of subtree counts, shared by all threads without locks.
///
/// It exists on targets with 64-bit atomics.
pub struct Table {
    entries: Vec<Entry>,
}

/// A count and the key it belongs to. The key is stored combined with the count, so that two halves written
/// by different threads are not taken for an entry.
struct Entry {
    sealed_key: AtomicU64,
    count: AtomicU64,
}

impl Table {
    /// A table of about this size, at least one entry; `None` if the memory cannot be allocated.
    #[must_use]
    pub fn new(mebibytes: usize) -> Option<Table> {
        let wanted = mebibytes.checked_mul(1 << 20)? / size_of::<Entry>();
        let len = if wanted == 0 { 1 } else { 1 << wanted.ilog2() };
        let mut entries = Vec::new();
        entries.try_reserve_exact(len).ok()?;
        entries.resize_with(len, || Entry { sealed_key: AtomicU64::new(0), count: AtomicU64::new(0) });
        Some(Table { entries })
    }

    /// The place of a subtree's count.
    #[inline(always)]
    pub(super) fn slot(&self, node: &Placement, side: Color, depth: u32) -> Slot<'_> {
        let (place, key) = hash(node, side, depth);
        Slot { entry: &self.entries[place as usize & (self.entries.len() - 1)], key }
    }
}

/// Where the count of one subtree is stored.
pub(super) struct Slot<'a> {
    entry: &'a Entry,
    key: u64,
}

impl Slot<'_> {
    /// The count, if it is that of this subtree.
    #[inline(always)]
    pub(super) fn get(&self) -> Option<u64> {
        let count = self.entry.count.load(Relaxed);
        (self.entry.sealed_key.load(Relaxed) ^ count == self.key).then_some(count)
    }

    #[inline(always)]
    pub(super) fn set(&self, count: u64) {
        self.entry.count.store(count, Relaxed);
        self.entry.sealed_key.store(self.key ^ count, Relaxed);
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} entries)", self.entries.len())
    }
}

/// The two halves of the product combined, so that every bit of the factors has an effect.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// A place and a key, never zero, from everything the count depends on. Each word is mixed with a number of
/// its own before words are combined: side and depth must not be able to cancel a square.
#[inline(always)]
fn hash(node: &Placement, side: Color, depth: u32) -> (u64, u64) {
    let a = fold(node.pawns.0 ^ 0x243f_6a88_85a3_08d3, node.knights.0 ^ 0x1319_8a2e_0370_7344);
    let b = fold(node.diagonal.0 ^ 0xa409_3822_299f_31d0, node.straight.0 ^ 0x082e_fa98_ec4e_6c89);
    let c = fold(node.kings.0 ^ 0x4528_21e6_38d0_1377, node.us.0 ^ 0xbe54_66cf_34e9_0c6c);
    let d = fold(node.castling.0 ^ 0xc0ac_29b7_c97c_50dd, node.en_passant.0 ^ 0x3f84_d5b5_b547_0917);
    let e = (u64::from(depth) << 1 | side as u64).wrapping_mul(0x9216_d5d9_8979_fb1b);
    let place = fold(a ^ c.rotate_left(17), b.rotate_left(31) ^ d ^ e);
    let key = fold(a.wrapping_add(d) ^ 0xd131_0ba6_98df_b5ac, b ^ c.rotate_left(7) ^ e.rotate_left(23));
    (place, key | 1)
}
