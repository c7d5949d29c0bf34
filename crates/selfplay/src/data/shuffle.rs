//! Shuffles any number of records in bounded memory.
//!
//! Records go into random buckets: files, unless one bucket in memory is enough. Then each bucket is read and shuffled.
//! All orders are equally likely.

use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::Path;

use super::temporary::TemporaryFile;
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
    File(BufWriter<TemporaryFile>),
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
                .map(|_| {
                    let file = TemporaryFile::create(beside)?;
                    Ok(Bucket::File(BufWriter::with_capacity(1 << 16, file)))
                })
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
            Bucket::File(file) => file,
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
                Bucket::File(file) => {
                    let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                    file.rewind()?;
                    let mut bytes = Vec::new();
                    file.read_to_end(&mut bytes)?;
                    bytes
                }
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
