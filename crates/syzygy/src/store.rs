//! Table files: positioned reads, and a cache of chunks that is filled once and never locked.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use crate::{Damage, ProbeError};

/// Why a table gives no value.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    Damaged(Damage),
    Unreadable(Arc<io::Error>),
}

impl Fault {
    /// The error of the file.
    #[cold]
    pub(crate) fn of_file(self, file: PathBuf) -> ProbeError {
        match self {
            Fault::Damaged(problem) => ProbeError::Damaged { file, problem },
            Fault::Unreadable(source) => ProbeError::Unreadable { file, source },
        }
    }
}

impl From<Damage> for Fault {
    fn from(damage: Damage) -> Fault {
        Fault::Damaged(damage)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Fault::Damaged(Damage::Changed),
            _ => Fault::Unreadable(Arc::new(error)),
        }
    }
}

/// What all tables share: memory and file handles.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: AtomicU64,
    used: AtomicU64,
    handles: AtomicUsize,
}

/// Cached chunks take at most this much memory unless the caller says otherwise.
pub(crate) const DEFAULT_CACHE: u64 = 256 << 20;

/// Files that stay open. There are thousands of tables, and systems allow about a thousand open files.
const MAX_HANDLES: usize = 200;

impl Default for Budget {
    fn default() -> Budget {
        Budget { limit: AtomicU64::new(DEFAULT_CACHE), used: AtomicU64::new(0), handles: AtomicUsize::new(0) }
    }
}

impl Budget {
    pub(crate) fn set_limit(&self, bytes: u64) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Whether there is room for this much more.
    pub(crate) fn has_room(&self, bytes: u64) -> bool {
        self.used().saturating_add(bytes) <= self.limit.load(Ordering::Relaxed)
    }

    /// Takes memory from the budget, or nothing if there is too little.
    fn take(&self, bytes: u64) -> bool {
        let limit = self.limit.load(Ordering::Relaxed);
        let more = |used: u64| used.checked_add(bytes).filter(|&used| used <= limit);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Where the bytes of a table are.
#[derive(Debug)]
pub(crate) enum Source {
    Memory(Box<[u8]>),
    File(TableFile),
}

impl Source {
    pub(crate) fn len(&self) -> u64 {
        match self {
            Source::Memory(bytes) => bytes.len() as u64,
            Source::File(file) => file.stamp.len,
        }
    }

    /// Fills a buffer from a place that lies within the [length](Source::len).
    pub(crate) fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Fault> {
        match self {
            Source::Memory(bytes) => {
                let from =
                    usize::try_from(offset).ok().and_then(|start| bytes.get(start..)?.get(..buffer.len()));
                buffer.copy_from_slice(from.ok_or(Damage::Changed)?);
                Ok(())
            }
            Source::File(file) => file.read(buffer, offset),
        }
    }
}

/// A file, and what it looked like when it was opened.
#[derive(Debug)]
pub(crate) struct TableFile {
    path: PathBuf,
    stamp: Stamp,
    /// Kept open while there are few of them; otherwise each read opens the file.
    handle: Option<File>,
    budget: Arc<Budget>,
}

#[derive(PartialEq, Eq, Debug)]
struct Stamp {
    len: u64,
    /// Not every system knows it.
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(file: &File) -> io::Result<Stamp> {
        let metadata = file.metadata()?;
        Ok(Stamp { len: metadata.len(), modified: metadata.modified().ok() })
    }
}

impl TableFile {
    pub(crate) fn open(path: PathBuf, budget: Arc<Budget>) -> io::Result<TableFile> {
        if !fs::metadata(&path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let file = File::open(&path)?;
        let stamp = Stamp::of(&file)?;
        let is_kept = budget.handles.fetch_add(1, Ordering::Relaxed) < MAX_HANDLES;
        if !is_kept {
            budget.handles.fetch_sub(1, Ordering::Relaxed);
        }
        Ok(TableFile { path, stamp, handle: is_kept.then_some(file), budget })
    }

    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Fault> {
        let opened;
        let file = match &self.handle {
            Some(file) => file,
            None => {
                opened = File::open(&self.path)?;
                &opened
            }
        };
        positioned::read_exact(file, buffer, offset)?;
        // A file that was cut short or written again while in use does not fit what is known of it.
        if Stamp::of(file)? == self.stamp { Ok(()) } else { Err(Damage::Changed.into()) }
    }
}

impl Drop for TableFile {
    fn drop(&mut self) {
        if self.handle.is_some() {
            self.budget.handles.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Reads that leave the file's position alone, so that threads can share a handle.
#[cfg(unix)]
mod positioned {
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::FileExt;

    pub(super) fn read_exact(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        file.read_exact_at(buffer, offset)
    }
}

#[cfg(windows)]
mod positioned {
    use std::fs::File;
    use std::io;
    use std::os::windows::fs::FileExt;

    pub(super) fn read_exact(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match file.seek_read(buffer, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    buffer = &mut buffer[read..];
                    offset += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Platforms without positioned reads take turns.
#[cfg(not(any(unix, windows)))]
mod positioned {
    use std::fs::File;
    use std::io::{self, Read, Seek, SeekFrom};
    use std::sync::{Mutex, PoisonError};

    static TURN: Mutex<()> = Mutex::new(());

    pub(super) fn read_exact(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(buffer)
    }
}

/// A part of a table made of entries of equal size, read in chunks.
#[derive(Debug)]
pub(crate) struct Region {
    start: u64,
    entries: u64,
    entry_len: usize,
    /// A chunk has this power of two of entries.
    chunk_bits: u32,
    /// Zeros behind the last entry of a chunk, so that a reader may look past it.
    slack: usize,
    /// Notes that a reader may make about each entry.
    marks: usize,
    /// Empty if the budget has no room even for these.
    chunks: Box<[OnceLock<Chunk>]>,
    budget: Arc<Budget>,
    used: AtomicU64,
}

/// Entries that are kept in memory.
#[derive(Debug)]
struct Chunk {
    bytes: Box<[u8]>,
    marks: Box<[AtomicU32]>,
}

/// Chunks have at most this many bytes, or one entry.
const CHUNK_LEN: usize = 1 << 16;

impl Region {
    /// A region that lies within the source. One in memory is copied at once; one in a file is read when needed.
    pub(crate) fn new(
        source: &Source,
        start: u64,
        entries: u64,
        entry_len: usize,
        slack: usize,
        marks: usize,
        budget: &Arc<Budget>,
    ) -> Result<Region, Fault> {
        let chunk_bits = (CHUNK_LEN / entry_len).max(1).ilog2();
        let count = entries.div_ceil(1 << chunk_bits);
        let used = AtomicU64::new(0);
        let mut region = Region {
            start,
            entries,
            entry_len,
            chunk_bits,
            slack,
            marks,
            chunks: Box::default(),
            budget: Arc::clone(budget),
            used,
        };
        let is_in_memory = matches!(source, Source::Memory(_));
        if is_in_memory || region.take(count * size_of::<OnceLock<Chunk>>() as u64) {
            region.chunks = (0..count).map(|_| OnceLock::new()).collect();
        }
        if is_in_memory {
            for (number, slot) in region.chunks.iter().enumerate() {
                let chunk = region.read_chunk(source, number as u64)?;
                region.charge(region.memory(number as u64));
                let _ = slot.set(chunk);
            }
        }
        Ok(region)
    }

    /// Counts memory that must be taken, whether the budget has it or not, until the region is dropped.
    pub(crate) fn charge(&self, bytes: u64) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
        self.budget.used.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Calls a function with every entry and the slack behind it, and keeps nothing in memory.
    pub(crate) fn for_each(
        &self,
        source: &Source,
        mut visit: impl FnMut(u64, &[u8]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        for number in 0..self.entries.div_ceil(1 << self.chunk_bits) {
            let read;
            let chunk = match self.chunks.get(number as usize).and_then(OnceLock::get) {
                Some(chunk) => chunk,
                None => {
                    read = self.read_chunk(source, number)?;
                    &read
                }
            };
            let first = number << self.chunk_bits;
            for entry in first..first + self.chunk_entries(number) as u64 {
                visit(entry, self.entry_of(chunk, entry).ok_or(Damage::Blocks)?.0)?;
            }
        }
        Ok(())
    }

    /// An entry and the slack behind it. The entry must be one of the region's.
    #[inline(always)]
    pub(crate) fn get<'a>(&'a self, source: &Source, entry: u64) -> Result<Cow<'a, [u8]>, Fault> {
        self.get_with_marks(source, entry).map(|(bytes, _)| bytes)
    }

    /// The same with the notes about it, which are zero at first. There are none if it is not kept in memory.
    #[inline(always)]
    pub(crate) fn get_with_marks<'a>(
        &'a self,
        source: &Source,
        entry: u64,
    ) -> Result<(Cow<'a, [u8]>, &'a [AtomicU32]), Fault> {
        let chunk = self.chunks.get((entry >> self.chunk_bits) as usize).and_then(OnceLock::get);
        match chunk.and_then(|chunk| self.entry_of(chunk, entry)) {
            Some((bytes, marks)) => Ok((Cow::Borrowed(bytes), marks)),
            None => self.load(source, entry),
        }
    }

    #[inline(always)]
    fn entry_of<'a>(&self, chunk: &'a Chunk, entry: u64) -> Option<(&'a [u8], &'a [AtomicU32])> {
        let number = (entry & ((1 << self.chunk_bits) - 1)) as usize;
        let bytes = chunk.bytes.get(number * self.entry_len..)?.get(..self.entry_len + self.slack)?;
        Some((bytes, chunk.marks.get(number * self.marks..)?.get(..self.marks)?))
    }

    /// Reads the chunk if the budget has room for it, and else the entry alone.
    #[cold]
    #[inline(never)]
    fn load<'a>(&'a self, source: &Source, entry: u64) -> Result<(Cow<'a, [u8]>, &'a [AtomicU32]), Fault> {
        if entry >= self.entries {
            return Err(Damage::Blocks.into());
        }
        let number = entry >> self.chunk_bits;
        if let Some(slot) = self.chunks.get(number as usize) {
            let memory = self.memory(number);
            if self.take(memory) {
                let chunk = self.read_chunk(source, number).inspect_err(|_| self.give_back(memory))?;
                if slot.set(chunk).is_err() {
                    // Another thread was quicker.
                    self.give_back(memory);
                }
                let found = slot.get().and_then(|chunk| self.entry_of(chunk, entry));
                return found
                    .map(|(bytes, marks)| (Cow::Borrowed(bytes), marks))
                    .ok_or(Damage::Blocks.into());
            }
        }
        let mut bytes = vec![0; self.entry_len + self.slack];
        source.read(&mut bytes[..self.entry_len], self.start + entry * self.entry_len as u64)?;
        Ok((Cow::Owned(bytes), &[]))
    }

    /// The memory of a chunk.
    fn memory(&self, number: u64) -> u64 {
        (self.chunk_entries(number) * (self.entry_len + self.marks * size_of::<AtomicU32>()) + self.slack)
            as u64
    }

    fn chunk_entries(&self, number: u64) -> usize {
        (self.entries - (number << self.chunk_bits)).min(1 << self.chunk_bits) as usize
    }

    fn read_chunk(&self, source: &Source, number: u64) -> Result<Chunk, Fault> {
        let entries = self.chunk_entries(number);
        let len = entries * self.entry_len;
        let mut bytes = vec![0; len + self.slack];
        let offset = self.start + (number << self.chunk_bits) * self.entry_len as u64;
        source.read(&mut bytes[..len], offset)?;
        let marks = (0..entries * self.marks).map(|_| AtomicU32::new(0)).collect();
        Ok(Chunk { bytes: bytes.into(), marks })
    }

    fn take(&self, bytes: u64) -> bool {
        let taken = self.budget.take(bytes);
        if taken {
            self.used.fetch_add(bytes, Ordering::Relaxed);
        }
        taken
    }

    fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        self.budget.give_back(bytes);
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        self.budget.give_back(self.used.load(Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that is removed on drop.
    struct Temporary(PathBuf);

    impl Temporary {
        fn new(name: &str, len: usize) -> Temporary {
            let path = std::env::temp_dir().join(format!("ferz-syzygy-{name}-{}", std::process::id()));
            fs::write(&path, (0..len).map(|i| (i / 7) as u8).collect::<Vec<u8>>()).unwrap();
            Temporary(path)
        }

        fn open(&self, budget: &Arc<Budget>) -> Source {
            Source::File(TableFile::open(self.0.clone(), Arc::clone(budget)).unwrap())
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    const LEN: usize = 6 * 50_000;

    fn entry(number: u64) -> Vec<u8> {
        (6 * number..6 * number + 6).map(|i| (i / 7) as u8).collect()
    }

    #[test]
    fn chunks_are_kept_while_the_budget_lasts() {
        let file = Temporary::new("budget", LEN);
        let budget = Arc::new(Budget::default());
        let source = file.open(&budget);
        let region = Region::new(&source, 0, 50_000, 6, 0, 0, &budget).unwrap();
        for number in [0, 49_999, 12_345, 0] {
            assert_eq!(region.get(&source, number).unwrap().as_ref(), entry(number));
        }
        let kept = budget.used();
        assert!((100_000..LEN as u64).contains(&kept), "{kept}");
        budget.set_limit(kept);
        for number in [0, 20_000, 30_000, 49_999] {
            assert_eq!(region.get(&source, number).unwrap().as_ref(), entry(number));
        }
        assert_eq!(budget.used(), kept);
        assert!(matches!(region.get(&source, 50_000), Err(Fault::Damaged(Damage::Blocks))));
        drop(region);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn without_a_budget_every_entry_is_read() {
        let file = Temporary::new("none", LEN);
        let budget = Arc::new(Budget::default());
        budget.set_limit(0);
        let source = file.open(&budget);
        let region = Region::new(&source, 6, 40_000, 6, 3, 0, &budget).unwrap();
        for number in [0, 1, 39_999] {
            assert_eq!(
                region.get(&source, number).unwrap().as_ref(),
                [entry(number + 1), vec![0; 3]].concat()
            );
        }
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn a_file_that_changes_in_use_is_noticed() {
        let file = Temporary::new("changed", LEN);
        let budget = Arc::new(Budget::default());
        let source = file.open(&budget);
        let region = Region::new(&source, 0, 50_000, 6, 0, 0, &budget).unwrap();
        assert_eq!(region.get(&source, 0).unwrap().as_ref(), entry(0));
        File::options().write(true).open(&file.0).unwrap().set_len(100_000).unwrap();
        // What has been read stays; what is read now is refused, within the new length or not.
        assert_eq!(region.get(&source, 1).unwrap().as_ref(), entry(1));
        for number in [15_000, 49_000] {
            assert!(matches!(region.get(&source, number), Err(Fault::Damaged(Damage::Changed))));
        }
    }

    #[test]
    fn few_files_stay_open() {
        let file = Temporary::new("handles", 1000);
        let budget = Arc::new(Budget::default());
        let sources: Vec<Source> = (0..MAX_HANDLES + 5).map(|_| file.open(&budget)).collect();
        assert_eq!(budget.handles.load(Ordering::Relaxed), MAX_HANDLES);
        let mut bytes = [0; 6];
        sources.last().unwrap().read(&mut bytes, 0).unwrap();
        assert_eq!(bytes.to_vec(), entry(0));
        drop(sources);
        assert_eq!(budget.handles.load(Ordering::Relaxed), 0);
    }
}
