//! Books on disk.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use ferz_board::{Move, Position};

use super::{BookError, BookMove, Entry, Variety};

/// Bytes of a record.
const RECORD: u64 = 16;
/// A search ends by reading this many records at once.
const BLOCK: u64 = 128;
/// The records of a position that are read. No position has more than 218 moves.
const MAX_PER_POSITION: usize = 1024;
/// How many records are compared when a book is opened.
const SAMPLES: u64 = 64;

/// A book on disk, or in anything else that can be read at any place. It takes no memory: a lookup reads about twenty
/// records, even in a book of a gigabyte.
///
/// The book must be sorted. Some records are compared when it is opened, and all that are read in a lookup; the rest is
/// not looked at. A file that becomes shorter or changes while it is in use gives an error or moves that are legal.
///
/// ```
/// use std::io::Cursor;
///
/// use ferz_board::{Color, Position};
/// use ferz_notation::polyglot::{BookBuilder, BookFile, Variety};
///
/// let start = Position::start();
/// let e4 = start.parse_uci("e2e4")?;
/// let mut builder = BookBuilder::new();
/// builder.add_game(&start, [e4], Some(Color::White))?;
/// let mut bytes = Vec::new();
/// builder.build().write(&mut bytes)?;
///
/// // Usually a `std::fs::File`.
/// let mut book = BookFile::new(Cursor::new(bytes))?;
/// assert_eq!(book.choose(&start, Variety::BY_WEIGHT, 0x5eed)?, Some(e4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BookFile<R> {
    source: R,
    records: u64,
}

impl<R: Read + Seek> BookFile<R> {
    /// Opens a book. Its length must be a whole number of records, and those that are compared must be in their order.
    pub fn new(mut source: R) -> Result<BookFile<R>, BookError> {
        let length = source.seek(SeekFrom::End(0))?;
        if length % RECORD != 0 {
            let bytes = (length % RECORD) as usize;
            return Err(BookError::OddTail { offset: length - length % RECORD, bytes });
        }
        let mut book = BookFile { source, records: length / RECORD };
        let mut last = 0;
        let samples = SAMPLES.min(book.records);
        for sample in 0..samples {
            let index = (u128::from(sample) * u128::from(book.records) / u128::from(samples)) as u64;
            let key = book.read(index)?.key;
            if key < last {
                return Err(BookError::Unsorted { offset: index * RECORD });
            }
            last = key;
        }
        Ok(book)
    }

    /// The number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The records with a key, as they are, legal or not; at most 1024 of them.
    pub fn find(&mut self, key: u64) -> Result<Vec<Entry>, BookError> {
        // The first record of the key is in `from..=to`. The keys around limit those between them.
        let (mut from, mut to) = (0, self.records);
        let (mut lowest, mut highest) = (0, u64::MAX);
        while to - from > BLOCK {
            let middle = from + (to - from) / 2;
            let found = self.read(middle)?.key;
            if found < lowest || found > highest {
                return Err(BookError::Unsorted { offset: middle * RECORD });
            }
            if found < key {
                (from, lowest) = (middle + 1, found);
            } else {
                (to, highest) = (middle, found);
            }
        }
        let mut found = Vec::new();
        while from < self.records && found.len() < MAX_PER_POSITION {
            let mut bytes = [0; (BLOCK * RECORD) as usize];
            let count = BLOCK.min(self.records - from);
            let bytes = &mut bytes[..(count * RECORD) as usize];
            self.read_at(from, bytes)?;
            for (record, index) in bytes.as_chunks().0.iter().zip(from..) {
                let entry = Entry::from_bytes(*record);
                let is_low = entry.key < lowest || index >= to && entry.key < key;
                if is_low || index < to && entry.key > highest {
                    return Err(BookError::Unsorted { offset: index * RECORD });
                }
                lowest = entry.key;
                if entry.key > key {
                    return Ok(found);
                }
                if entry.key == key && found.len() < MAX_PER_POSITION {
                    found.push(entry);
                }
            }
            from += count;
        }
        Ok(found)
    }

    /// The moves the book knows for a position, in the order of the book. Records without a legal move are left out.
    pub fn moves(&mut self, position: &Position) -> Result<Vec<BookMove>, BookError> {
        let entries = self.find(position.key())?;
        Ok(entries.iter().filter_map(|entry| BookMove::new(entry, position)).collect())
    }

    /// A move chosen by weight, as [`Variety::choose`] does. `None` if the book knows no move, or only moves of weight
    /// zero.
    pub fn choose(
        &mut self,
        position: &Position,
        variety: Variety,
        random: u64,
    ) -> Result<Option<Move>, BookError> {
        Ok(variety.choose(&self.moves(position)?, random).map(|it| it.mv))
    }

    /// All records from the first on.
    pub fn into_entries(mut self) -> Result<Entries<R>, BookError> {
        self.source.rewind()?;
        Ok(Entries::new(self.source))
    }

    fn read(&mut self, index: u64) -> Result<Entry, BookError> {
        let mut bytes = [0; RECORD as usize];
        self.read_at(index, &mut bytes)?;
        Ok(Entry::from_bytes(bytes))
    }

    fn read_at(&mut self, index: u64, bytes: &mut [u8]) -> Result<(), BookError> {
        let offset = index * RECORD;
        self.source.seek(SeekFrom::Start(offset))?;
        self.source.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => BookError::Truncated { offset },
            _ => BookError::Io(error),
        })
    }
}

/// The records of a book one after the other, in constant memory and in any order.
#[derive(Debug)]
pub struct Entries<R> {
    reader: BufReader<R>,
    offset: u64,
    is_over: bool,
}

impl<R: Read> Entries<R> {
    /// The records in the rest of a reader, which needs no buffer.
    pub fn new(reader: R) -> Entries<R> {
        Entries { reader: BufReader::with_capacity(1 << 16, reader), offset: 0, is_over: false }
    }

    fn read(&mut self) -> Result<Option<Entry>, BookError> {
        let mut record = [0; RECORD as usize];
        let mut bytes = 0;
        while bytes < record.len() {
            match self.reader.read(&mut record[bytes..]) {
                Ok(0) if bytes == 0 => return Ok(None),
                Ok(0) => return Err(BookError::OddTail { offset: self.offset, bytes }),
                Ok(read) => bytes += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.offset += RECORD;
        Ok(Some(Entry::from_bytes(record)))
    }
}

/// Ends at the first error.
impl<R: Read> Iterator for Entries<R> {
    type Item = Result<Entry, BookError>;

    fn next(&mut self) -> Option<Result<Entry, BookError>> {
        if self.is_over {
            return None;
        }
        let next = self.read().transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

impl<R: Read> std::iter::FusedIterator for Entries<R> {}
