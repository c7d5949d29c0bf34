//! Writing a book record by record.

use std::cmp::Reverse;
use std::io::{self, Write};

use super::{Entry, PackedMove};

/// Writes a book whose moves come in the order of their keys, in constant memory.
///
/// In each position the heaviest move comes first. Where weights exceed 16 bits, all weights of the position shrink
/// together. The writer needs no buffer.
///
/// ```
/// use ferz_board::Position;
/// use ferz_notation::polyglot::{Book, BookWriter, PackedMove};
///
/// let start = Position::start();
/// let mut file = Vec::new();
/// let mut writer = BookWriter::new(&mut file);
/// for (text, weight) in [("d2d4", 50_000), ("e2e4", 100_000)] {
///     writer.push(start.key(), PackedMove::new(start.parse_uci(text)?), weight, 0)?;
/// }
/// let size = writer.finish()?;
/// assert_eq!((size.positions, size.moves), (1, 2));
/// let weights: Vec<_> = Book::from_bytes(&file)?.moves(&start).map(|it| it.weight).collect();
/// assert_eq!(weights, [65_535, 32_767]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BookWriter<W> {
    out: W,
    buffer: Vec<u8>,
    /// The moves of the last position.
    group: Vec<Weighed>,
    size: BookSize,
}

/// The size of a book.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct BookSize {
    /// Positions with at least one move.
    pub positions: u64,
    /// Records of 16 bytes.
    pub moves: u64,
}

/// A record whose weight may be too large.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weighed {
    pub(super) key: u64,
    pub(super) mv: PackedMove,
    pub(super) weight: u64,
    pub(super) learn: u32,
}

const BUFFER: usize = 1 << 16;

impl<W: Write> BookWriter<W> {
    /// A writer of an empty book.
    pub fn new(out: W) -> BookWriter<W> {
        BookWriter { out, buffer: Vec::new(), group: Vec::new(), size: BookSize::default() }
    }

    /// Adds a move. It is an error if its key is lower than the one before.
    pub fn push(&mut self, key: u64, mv: PackedMove, weight: u64, learn: u32) -> io::Result<()> {
        match self.group.last() {
            Some(last) if key < last.key => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    "the moves are not in the order of keys",
                ));
            }
            Some(last) if key > last.key => self.write_group()?,
            Some(_) | None => {}
        }
        self.group.push(Weighed { key, mv, weight, learn });
        Ok(())
    }

    fn write_group(&mut self) -> io::Result<()> {
        self.size.positions += u64::from(!self.group.is_empty());
        self.size.moves += self.group.len() as u64;
        weigh(&mut self.group, |entry| self.buffer.extend_from_slice(&entry.to_bytes()));
        self.group.clear();
        if self.buffer.len() >= BUFFER {
            self.write_buffer()?;
        }
        Ok(())
    }

    fn write_buffer(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Writes the last moves.
    pub fn finish(mut self) -> io::Result<BookSize> {
        self.write_group()?;
        self.write_buffer()?;
        self.out.flush()?;
        Ok(self.size)
    }
}

/// Makes records of the moves of a position: the heaviest first, with weights that fit into 16 bits.
pub(super) fn weigh(moves: &mut [Weighed], mut each: impl FnMut(Entry)) {
    moves.sort_unstable_by_key(|it| (Reverse(it.weight), it.mv));
    let heaviest = moves.first().map_or(0, |it| it.weight);
    for &Weighed { key, mv, weight, learn } in &*moves {
        each(Entry { key, mv, weight: shrink(weight, heaviest), learn });
    }
}

/// A weight in proportion to the heaviest one, if that does not fit into 16 bits. What weighs anything keeps
/// some weight.
fn shrink(weight: u64, heaviest: u64) -> u16 {
    const MOST: u64 = u16::MAX as u64;
    let shrunk = if heaviest > MOST {
        let proportional = u128::from(weight) * u128::from(MOST) / u128::from(heaviest);
        proportional.max(u128::from(weight > 0))
    } else {
        u128::from(weight)
    };
    u16::try_from(shrunk).unwrap_or(u16::MAX)
}
