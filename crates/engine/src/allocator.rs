//! How memory is given back to the system.

/// Lets every block of more than 128 KiB be a mapping of its own, which the system gets back at once when it is freed,
/// and the rest be shared by all threads. For what runs for a long time: tables come and go there.
///
/// glibc begins so, but once such a block has been freed it takes others of that size from its heaps, which keep them,
/// and every thread has a heap of its own. After Hash 16, 64 and 16 a table of 64 MiB took 95.7 MiB in all instead of
/// 79.5; after twenty engines had come and gone, a server that did nothing more held 190 to 270 MiB instead of 26.
pub(crate) fn give_large_blocks_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const PARAMETERS: [(i32, i32); 2] = [(libc::M_MMAP_THRESHOLD, 128 << 10), (libc::M_ARENA_MAX, 2)];
        for (parameter, value) in PARAMETERS {
            // SAFETY: this sets a parameter of the allocator, under the allocator's own lock. If it is refused, memory is
            // only given back later.
            let _ = unsafe { libc::mallopt(parameter, value) };
        }
    }
}

/// Returns the pages in which nothing is left of many small blocks. A tab with a great game has millions of them, and
/// whatever still lives between them keeps glibc from returning the rest by itself: after two minutes with fifty tabs
/// a server at rest held 67 MiB instead of 15.
pub(crate) fn give_small_blocks_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: the allocator looks for unused pages under its own locks and touches nothing that is in use.
        let _ = unsafe { libc::malloc_trim(0) };
    }
}
