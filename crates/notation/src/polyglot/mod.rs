//! Opening books in the Polyglot format: reading, looking up, choosing, making and merging.
//!
//! [`Book`] holds a book in memory. [`BookFile`] looks positions up on disk, so a book of any size costs no memory.
//! [`BookBuilder`] makes books from games, if need be in [bounded memory](BookBuilder::bounded).
//!
//! A book is a list of records of 16 bytes sorted by position; a position is known only by its 64-bit
//! [key](ferz_board::Position::key). Different positions can share a key and files can be damaged, so every
//! move that comes out of a book is checked on the board.
//!
//! ```
//! use ferz_board::{Color, Game};
//! use ferz_notation::polyglot::{Book, BookBuilder, Variety};
//!
//! let mut game = Game::default();
//! for text in ["e2e4", "c7c5", "g1f3"] {
//!     game.play(game.position().parse_uci(text)?)?;
//! }
//! let mut builder = BookBuilder::new();
//! builder.add_game(game.start(), game.moves(), Some(Color::White))?;
//!
//! let mut file = Vec::new();
//! builder.build().write(&mut file)?;
//! let book = Book::read(file.as_slice())?;
//! let e4 = game.start().parse_uci("e2e4")?;
//! assert_eq!(book.choose(game.start(), Variety::BY_WEIGHT, 0x5eed), Some(e4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounded;
mod builder;
mod entry;
mod error;
mod file;
mod tally;
mod variety;
mod writer;

use std::io::{self, Read, Write};
use std::iter::FusedIterator;
use std::slice;

use ferz_board::{Move, Position};

pub use bounded::BoundedBuilder;
pub use builder::{BookBuilder, Points};
pub use entry::{Entry, PackedMove};
pub use error::BookError;
pub use file::{BookFile, Entries};
pub use variety::Variety;
pub use writer::{BookSize, BookWriter};

/// A book in memory, sorted by key.
#[derive(Clone, Debug, Default)]
pub struct Book {
    entries: Vec<Entry>,
    had_to_be_sorted: bool,
}

/// A legal move that a book knows for a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BookMove {
    /// The move.
    pub mv: Move,
    /// How often it is to be played, compared with the other moves; zero means never.
    pub weight: u16,
    /// What a learning program has noted about it.
    pub learn: u32,
}

impl BookMove {
    /// The move of a record, if it is legal in the position.
    fn new(entry: &Entry, position: &Position) -> Option<BookMove> {
        let mv = entry.mv.unpack(position)?;
        Some(BookMove { mv, weight: entry.weight, learn: entry.learn })
    }
}

impl Book {
    /// The longest book that [`read`](Book::read) takes, in bytes: 33 million moves.
    pub const DEFAULT_LIMIT: u64 = 512 << 20;

    /// Our own small book: openings with names, weighted by games of Ferz against itself. `polyglot/LINEAGE.md` says how
    /// it was made.
    #[cfg(feature = "embedded-book")]
    #[must_use]
    pub fn embedded() -> &'static Book {
        static BOOK: std::sync::LazyLock<Book> = std::sync::LazyLock::new(|| {
            let (records, _) = include_bytes!("ferz.bin").as_chunks();
            Book::new(records.iter().map(|&record| Entry::from_bytes(record)).collect())
        });
        &BOOK
    }

    /// A book of these records. Those with the same key keep their order.
    #[must_use]
    pub fn new(mut entries: Vec<Entry>) -> Book {
        let had_to_be_sorted = !entries.is_sorted_by_key(|entry| entry.key);
        if had_to_be_sorted {
            entries.sort_by_key(|entry| entry.key);
        }
        Book { entries, had_to_be_sorted }
    }

    /// Reads a book from memory. Any bytes are a book if they are whole records.
    pub fn from_bytes(bytes: &[u8]) -> Result<Book, BookError> {
        Book::read_at_most(bytes, u64::MAX)
    }

    /// Reads a book of at most [`DEFAULT_LIMIT`](Book::DEFAULT_LIMIT) bytes, e.g. from a file. The reader
    /// needs no buffer.
    pub fn read(reader: impl Read) -> Result<Book, BookError> {
        Book::read_at_most(reader, Book::DEFAULT_LIMIT)
    }

    /// Reads a book of at most `limit` bytes. Memory is bounded by the limit (and the slack of a growing vector), however
    /// much the reader delivers.
    pub fn read_at_most(mut reader: impl Read, limit: u64) -> Result<Book, BookError> {
        const CHUNK: u64 = 1 << 16;
        let mut entries = Vec::new();
        let mut chunk = Vec::new();
        let mut length = 0;
        loop {
            chunk.clear();
            // Less than a whole chunk comes only at the end.
            let read = reader.by_ref().take(CHUNK).read_to_end(&mut chunk)? as u64;
            length += read;
            if length > limit {
                return Err(BookError::TooLong { limit });
            }
            let (records, tail) = chunk.as_chunks();
            entries.extend(records.iter().map(|&record| Entry::from_bytes(record)));
            if !tail.is_empty() {
                return Err(BookError::OddTail { offset: length - tail.len() as u64, bytes: tail.len() });
            }
            if read < CHUNK {
                return Ok(Book::new(entries));
            }
        }
    }

    /// Writes the book; reading it gives the same book. The writer needs no buffer.
    pub fn write(&self, mut writer: impl Write) -> io::Result<()> {
        let mut buffer = Vec::new();
        for entries in self.entries.chunks(4096) {
            buffer.clear();
            buffer.extend(entries.iter().flat_map(|entry| entry.to_bytes()));
            writer.write_all(&buffer)?;
        }
        writer.flush()
    }

    /// All records, sorted by key.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether the records were sorted when the book was made. A file that is not sorted works here, but
    /// other programs find only part of it.
    #[must_use]
    pub fn was_sorted(&self) -> bool {
        !self.had_to_be_sorted
    }

    /// The records with a key, as they are, legal or not.
    #[must_use]
    pub fn find(&self, key: u64) -> &[Entry] {
        let start = self.entries.partition_point(|entry| entry.key < key);
        let entries = &self.entries[start..];
        &entries[..entries.partition_point(|entry| entry.key == key)]
    }

    /// The moves the book knows for a position, in the order of the book. Records without a legal move
    /// are left out.
    #[must_use]
    pub fn moves(&self, position: &Position) -> BookMoves<'_> {
        BookMoves { entries: self.find(position.key()).iter(), position: *position }
    }

    /// A move chosen by weight, as [`Variety::choose`] does. `None` if the book knows no move, or only moves of weight
    /// zero.
    #[must_use]
    pub fn choose(&self, position: &Position, variety: Variety, random: u64) -> Option<Move> {
        let moves: Vec<BookMove> = self.moves(position).collect();
        variety.choose(&moves, random).map(|it| it.mv)
    }

    /// The move with the greatest weight, the first of several. `None` if the book knows no move, or only
    /// moves of weight zero.
    #[must_use]
    pub fn best(&self, position: &Position) -> Option<Move> {
        self.choose(position, Variety::HEAVIEST, 0)
    }

    /// The two books as one. The weights of a move that is in both are added; where that exceeds 16 bits, all
    /// weights of the position shrink together. Of two learning notes the first one that is not zero stays.
    #[must_use]
    pub fn merge(&self, other: &Book) -> Book {
        builder::merge(&self.entries, &other.entries)
    }
}

/// The legal moves that a book knows for a position; made by [`Book::moves`].
#[derive(Clone, Debug)]
pub struct BookMoves<'a> {
    entries: slice::Iter<'a, Entry>,
    position: Position,
}

impl Iterator for BookMoves<'_> {
    type Item = BookMove;

    fn next(&mut self) -> Option<BookMove> {
        self.entries.find_map(|entry| BookMove::new(entry, &self.position))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.entries.len()))
    }
}

impl FusedIterator for BookMoves<'_> {}

/// Books are equal if their records are.
impl PartialEq for Book {
    fn eq(&self, other: &Book) -> bool {
        self.entries == other.entries
    }
}

impl Eq for Book {}
