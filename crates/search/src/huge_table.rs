//! Large tables on huge pages.
//!
//! The search reads its tables at random, and every read must find the page of its address first. A processor keeps the
//! places of some thousand pages: 4 KiB each are soon too few, 2 MiB each are enough. Linux provides huge pages for
//! memory that is aligned to them, if it is asked. Elsewhere a table lies wherever the allocator puts it.

use std::alloc::{Layout, alloc, dealloc};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::slice;

/// The size of a huge page. Where the system has a different one, it ignores the advice.
const HUGE_PAGE: usize = 2 << 20;
/// Smaller tables do not get a page of their own.
const SMALLEST: usize = 1 << 20;

/// A table of fixed size, on huge pages if it is large and the system has them.
pub(crate) struct HugeTable<T> {
    entries: NonNull<T>,
    len: usize,
}

impl<T> HugeTable<T> {
    /// A table with this many entries, each made by the function; `None` without enough memory.
    pub(crate) fn new(len: usize, mut entry: impl FnMut() -> T) -> Option<HugeTable<T>> {
        const { assert!(!std::mem::needs_drop::<T>() && size_of::<T>() > 0) };
        assert!(len > 0, "a table has entries");
        let layout = layout::<T>(len)?;
        // SAFETY: the size is not zero, since neither the number nor the size of the entries is.
        let entries = NonNull::new(unsafe { alloc(layout) })?;
        if layout.align() == HUGE_PAGE {
            advise_huge_pages(entries, layout.size());
        }
        let entries = entries.cast::<T>();
        for index in 0..len {
            // SAFETY: the memory has room for `len` entries and is aligned for them.
            unsafe { entries.add(index).write(entry()) };
        }
        Some(HugeTable { entries, len })
    }
}

/// The memory of a table: whole huge pages if it is large.
fn layout<T>(len: usize) -> Option<Layout> {
    let layout = Layout::array::<T>(len).ok()?;
    if cfg!(target_os = "linux") && layout.size() >= SMALLEST {
        Some(layout.align_to(HUGE_PAGE).ok()?.pad_to_align())
    } else {
        Some(layout)
    }
}

/// Asks for huge pages, which the system may refuse.
#[cfg(target_os = "linux")]
fn advise_huge_pages(start: NonNull<u8>, bytes: usize) {
    use std::ffi::{c_int, c_void};
    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    const MADV_HUGEPAGE: c_int = 14;
    // SAFETY: the memory was just allocated with this size and alignment. The advice does not change its contents.
    let _ = unsafe { madvise(start.as_ptr().cast(), bytes, MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages(_start: NonNull<u8>, _bytes: usize) {}

impl<T> Deref for HugeTable<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `len` entries were written there, and the table owns them.
        unsafe { slice::from_raw_parts(self.entries.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for HugeTable<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and nobody else has a reference while this one lives.
        unsafe { slice::from_raw_parts_mut(self.entries.as_ptr(), self.len) }
    }
}

impl<T> Drop for HugeTable<T> {
    fn drop(&mut self) {
        if let Some(layout) = layout::<T>(self.len) {
            // SAFETY: it was allocated with this layout, which depends only on the type and the length. The entries
            // need no drop.
            unsafe { dealloc(self.entries.as_ptr().cast(), layout) };
        }
    }
}

impl<T> fmt::Debug for HugeTable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HugeTable({} entries)", self.len)
    }
}

// SAFETY: a table owns its entries like a `Vec`.
unsafe impl<T: Send> Send for HugeTable<T> {}
// SAFETY: a shared table only gives shared references to its entries, like a `Vec`.
unsafe impl<T: Sync> Sync for HugeTable<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Below and above the size from which a table gets huge pages: the same entries as a `Vec`.
    #[test]
    fn a_table_holds_what_a_vec_holds() {
        for len in [1, 7, SMALLEST / 24 - 1, SMALLEST / 24 + 1, HUGE_PAGE / 24 + 3, 3 * HUGE_PAGE / 24] {
            let mut random = fastrand::Rng::with_seed(len as u64);
            let mut count = 0;
            let mut next = || {
                count += 1;
                [count, 0, 1]
            };
            let mut table = HugeTable::<[u64; 3]>::new(len, &mut next).expect("a few mebibytes");
            let mut twin: Vec<_> = (1..=len as u64).map(|count| [count, 0, 1]).collect();
            assert_eq!(*table, *twin);
            for _ in 0..1_000 {
                let (index, value) = (random.usize(..len), random.u64(..));
                table[index][1] ^= value;
                twin[index][1] ^= value;
            }
            assert_eq!(*table, *twin);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn large_tables_begin_at_a_huge_page() {
        let table = HugeTable::new(SMALLEST, || 0u8).expect("a mebibyte");
        assert_eq!(table.as_ptr().addr() % HUGE_PAGE, 0);
    }

    #[test]
    fn a_table_too_large_is_refused() {
        for len in [usize::MAX, usize::MAX / 8, isize::MAX as usize / 8, 1 << 58] {
            assert!(HugeTable::new(len, || 0u64).is_none(), "{len}");
        }
    }
}
