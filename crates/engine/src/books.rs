//! Opening books: the embedded one, and files.

use std::fs::{self, File};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use ferz_board::Position;
use ferz_notation::polyglot::{Book, BookError, BookFile, BookMove, Entry};

use crate::input;

/// The name of the embedded book.
pub(crate) const EMBEDDED: &str = "embedded";

/// A book to look positions up in. A file is not read into memory.
#[derive(Debug)]
pub(crate) enum OpeningBook {
    Embedded(&'static Book),
    File(BookFile<File>),
}

impl OpeningBook {
    /// Opens the book of this name or file. Errors name the file.
    pub(crate) fn open(name: &Path) -> Result<OpeningBook> {
        if name == Path::new(EMBEDDED) {
            return Ok(OpeningBook::Embedded(Book::embedded()));
        }
        OpeningBook::open_file(name).map(OpeningBook::File).with_context(|| input::name(name))
    }

    fn open_file(path: &Path) -> Result<BookFile<File>> {
        let book = BookFile::new(plain_file(path)?)?;
        ensure!(book.records() > 0, "the book is empty");
        Ok(book)
    }

    /// The legal moves that the book knows for a position.
    pub(crate) fn moves(&mut self, position: &Position) -> Result<Vec<BookMove>, BookError> {
        match self {
            OpeningBook::Embedded(book) => Ok(book.moves(position).collect()),
            OpeningBook::File(file) => file.moves(position),
        }
    }

    /// All records of a position, legal or not.
    pub(crate) fn entries(&mut self, position: &Position) -> Result<Vec<Entry>, BookError> {
        match self {
            OpeningBook::Embedded(book) => Ok(book.find(position.key()).to_vec()),
            OpeningBook::File(file) => file.find(position.key()),
        }
    }

    /// The number of records.
    pub(crate) fn records(&self) -> u64 {
        match self {
            OpeningBook::Embedded(book) => book.entries().len() as u64,
            OpeningBook::File(file) => file.records(),
        }
    }
}

/// Opens a file that can be read at any place. Checked before opening: opening a named pipe would block.
pub(crate) fn plain_file(path: &Path) -> Result<File> {
    ensure!(fs::metadata(path)?.is_file(), "not a file");
    Ok(File::open(path)?)
}
