//! The records of books in the order of their keys, position by position.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use ferz_notation::polyglot::{Book, BookError, BookSize, BookWriter, Entries, Entry, PackedMove};

use crate::books::{self, EMBEDDED};
use crate::input;
use crate::progress::note;

/// The records of a book.
type BookEntries = Box<dyn Iterator<Item = Result<Entry, BookError>>>;

/// All records of a book in the order of the file.
pub(super) fn all(path: &Path) -> Result<BookEntries> {
    if path == Path::new(EMBEDDED) {
        let book = Book::embedded();
        return Ok(Box::new((0..book.entries().len()).map(move |index| Ok(book.entries()[index]))));
    }
    Ok(Box::new(Entries::new(books::plain_file(path).with_context(|| input::name(path))?)))
}

/// The records of a book in the order of their keys. One that is not sorted is sorted in memory.
fn sorted(path: &Path) -> Result<BookEntries> {
    let mut last = 0;
    for entry in all(path)? {
        let key = entry.with_context(|| input::name(path))?.key;
        if key < last {
            note(format_args!("note: {}: not sorted, sorting it in memory", input::name(path)));
            let file = books::plain_file(path).with_context(|| input::name(path))?;
            let entries = Book::read(file).with_context(|| input::name(path))?.entries().to_vec();
            return Ok(Box::new(entries.into_iter().map(Ok)));
        }
        last = key;
    }
    all(path)
}

/// A move of a position, with the weights of all books added.
#[derive(Clone, Copy)]
pub(super) struct MergedMove {
    pub(super) mv: PackedMove,
    pub(super) weight: u64,
    learn: u32,
}

/// The moves of a position.
#[derive(Default)]
pub(super) struct MergedMoves(BTreeMap<PackedMove, (u64, u32)>);

impl MergedMoves {
    pub(super) fn add(&mut self, entry: &Entry, factor: u32) {
        let (weight, learn) = self.0.entry(entry.mv).or_default();
        *weight = weight.saturating_add(u64::from(entry.weight) * u64::from(factor));
        *learn = if *learn == 0 { entry.learn } else { *learn };
    }

    pub(super) fn into_moves(self) -> Vec<MergedMove> {
        self.0.into_iter().map(|(mv, (weight, learn))| MergedMove { mv, weight, learn }).collect()
    }
}

/// Writes one book of several, each with a factor for its weights. `keep` can change the moves of every position.
pub(super) fn rewrite(
    books: &[(&Path, u32)],
    out: impl Write,
    mut keep: impl FnMut(u64, &mut Vec<MergedMove>),
) -> Result<BookSize> {
    let mut sources = Vec::new();
    for &(path, factor) in books {
        let mut entries = sorted(path)?;
        let next = entries.next().transpose().with_context(|| input::name(path))?;
        sources.push((path, factor, entries, next));
    }
    let mut writer = BookWriter::new(out);
    while let Some(key) = sources.iter().filter_map(|source| Some(source.3?.key)).min() {
        let mut merged = MergedMoves::default();
        for (path, factor, entries, next) in &mut sources {
            while let Some(entry) = next.take_if(|entry| entry.key == key) {
                merged.add(&entry, *factor);
                *next = entries.next().transpose().with_context(|| input::name(path))?;
            }
        }
        let mut moves = merged.into_moves();
        keep(key, &mut moves);
        for it in &moves {
            writer.push(key, it.mv, it.weight, it.learn)?;
        }
    }
    Ok(writer.finish()?)
}
