//! Shuffles any number of records in bounded memory.
//!
//! Records go into random buckets: files, unless one bucket in memory is enough. Then each bucket is read and shuffled.
//! All orders are equally likely.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::datagen::random::SplitMix64;

/// The most buckets: every process may have this many files open.
const MAX_BUCKETS: u64 = 256;

/// Takes records and returns them in random order.
#[derive(Debug)]
pub struct Shuffler {
    random: SplitMix64,
    buckets: Vec<Bucket>,
}

#[derive(Debug)]
enum Bucket {
    Memory(Vec<u8>),
    File(TemporaryFile),
}

impl Shuffler {
    /// For about `bytes` bytes, of which at most `memory` are held in memory. Buckets are files next to `beside`. The
    /// same records and arguments give the same order.
    pub fn new(seed: u64, bytes: u64, memory: u64, beside: &Path) -> io::Result<Shuffler> {
        // Buckets differ in size.
        let count = (bytes + bytes / 8).div_ceil(memory.max(1)).clamp(1, MAX_BUCKETS);
        let buckets = match count {
            1 => vec![Bucket::Memory(Vec::new())],
            _ => (0..count)
                .map(|number| TemporaryFile::create(beside, number).map(Bucket::File))
                .collect::<io::Result<_>>()?,
        };
        Ok(Shuffler { random: SplitMix64::new(seed), buckets })
    }

    /// Takes a record of less than 64 KiB.
    pub fn push(&mut self, record: &[u8]) -> io::Result<()> {
        let length = u16::try_from(record.len()).map_err(|_| io::Error::other("a record is too long"))?;
        let bucket = match self.buckets.len() {
            1 => 0,
            count => self.random.below(count as u64) as usize,
        };
        let out: &mut dyn Write = match &mut self.buckets[bucket] {
            Bucket::Memory(bytes) => bytes,
            Bucket::File(file) => &mut file.writer,
        };
        out.write_all(&length.to_le_bytes())?;
        out.write_all(record)
    }

    /// Returns all records.
    pub fn finish<E: From<io::Error>>(
        mut self,
        mut visit: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        for bucket in self.buckets {
            let bytes = match bucket {
                Bucket::Memory(bytes) => bytes,
                Bucket::File(file) => file.read()?,
            };
            let mut places = Vec::new();
            let mut at = 0;
            while let Some(length) = bytes.get(at..at + 2) {
                let end = at + 2 + usize::from(u16::from_le_bytes([length[0], length[1]]));
                places.push((at + 2, end));
                at = end;
            }
            for left in (1..places.len()).rev() {
                places.swap(left, self.random.below(left as u64 + 1) as usize);
            }
            for (from, to) in places {
                visit(&bytes[from..to])?;
            }
        }
        Ok(())
    }
}

/// A temporary file that is removed when it is dropped.
#[derive(Debug)]
struct TemporaryFile {
    writer: BufWriter<File>,
    /// Its path, on systems that cannot remove an open file.
    path: Option<PathBuf>,
}

impl TemporaryFile {
    fn create(beside: &Path, number: u64) -> io::Result<TemporaryFile> {
        let mut name = beside.as_os_str().to_owned();
        // Never a file or a link that is there already. The stamp differs from run to run.
        let stamp = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
        name.push(format!(".{}.{stamp}.{number}.bucket", std::process::id()));
        let path = PathBuf::from(name);
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        // Remove the name at once, so that nothing is left if the process is killed.
        let path = fs::remove_file(&path).is_err().then_some(path);
        Ok(TemporaryFile { writer: BufWriter::with_capacity(1 << 16, file), path })
    }

    fn read(mut self) -> io::Result<Vec<u8>> {
        self.writer.flush()?;
        let file = self.writer.get_mut();
        file.rewind()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shuffled(seed: u64, memory: u64) -> Vec<u32> {
        let beside = std::env::temp_dir().join("ferz-shuffle-test");
        let mut shuffler = Shuffler::new(seed, 6000, memory, &beside).expect("a folder for temporary files");
        for number in 0..1000_u32 {
            shuffler.push(&number.to_le_bytes()).expect("room");
        }
        let mut numbers = Vec::new();
        let read = shuffler.finish(|record| -> io::Result<()> {
            numbers.push(u32::from_le_bytes(record.try_into().expect("four bytes")));
            Ok(())
        });
        read.expect("all can be read again");
        numbers
    }

    #[test]
    fn every_record_comes_once_in_an_order_of_the_seed() {
        for memory in [1 << 20, 1000] {
            let numbers = shuffled(1, memory);
            assert_eq!(numbers, shuffled(1, memory));
            assert_ne!(numbers, shuffled(2, memory));
            let late = numbers[..100].iter().filter(|&&number| number >= 500).count();
            assert!((25..75).contains(&late), "{late} of the first hundred");
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..1000));
        }
    }
}
