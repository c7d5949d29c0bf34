//! Making books of any size in bounded memory: an external merge sort.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use super::PackedMove;
use super::builder::BookBuilder;
use super::tally::{TALLY_BYTES, Tally, TallyTable};
use super::writer::{BookSize, BookWriter};

/// How many runs are merged into one.
const FAN_IN: usize = 16;
/// The buffer of each run that is read or written.
const BUFFER: usize = 1 << 15;

/// Collects moves in bounded memory and writes a book of them; made by [`BookBuilder::bounded`].
///
/// Moves are counted in a table. When it is full, it is sorted and written to temporary storage, which the caller
/// provides, and at the end all these runs are merged.
///
/// ```
/// use std::io::Cursor;
///
/// use ferz_board::Position;
/// use ferz_notation::polyglot::{Book, BookBuilder, PackedMove};
///
/// let start = Position::start();
/// // A program would create temporary files instead.
/// let mut builder = BookBuilder::new().bounded(1 << 20, || Ok(Cursor::new(Vec::new())));
/// for text in ["e2e4", "d2d4", "e2e4"] {
///     builder.add(start.key(), PackedMove::new(start.parse_uci(text)?), 2)?;
/// }
/// let mut file = Vec::new();
/// builder.write(&mut file)?;
/// let weights: Vec<_> = Book::from_bytes(&file)?.moves(&start).map(|it| it.weight).collect();
/// assert_eq!(weights, [4, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BoundedBuilder<S, F> {
    builder: BookBuilder,
    max_slots: usize,
    new_storage: F,
    /// Sorted runs; those of a level are about [`FAN_IN`] times as long as those of the level before.
    levels: Vec<Vec<S>>,
}

impl<S, F> fmt::Debug for BoundedBuilder<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs: Vec<usize> = self.levels.iter().map(Vec::len).collect();
        f.debug_struct("BoundedBuilder").field("runs", &runs).finish_non_exhaustive()
    }
}

impl<S: Read + Write + Seek, F: FnMut() -> io::Result<S>> BoundedBuilder<S, F> {
    pub(super) fn new(builder: BookBuilder, memory: usize, new_storage: F) -> BoundedBuilder<S, F> {
        // A smaller table would make more runs than can be merged in reasonable time.
        let max_slots = (memory / TallyTable::BYTES_PER_SLOT).max(64);
        BoundedBuilder { builder, max_slots, new_storage, levels: Vec::new() }
    }

    /// Adds one move with its points, as of one game. It is not checked: whoever reads a book has to check its moves
    /// anyway.
    pub fn add(&mut self, key: u64, mv: PackedMove, points: u32) -> io::Result<()> {
        let tally = Tally { key, mv, games: 1, points: u64::from(points) };
        if !self.builder.tallies.add(&tally, self.max_slots) {
            self.spill()?;
            self.builder.tallies.add(&tally, self.max_slots);
        }
        Ok(())
    }

    /// Empties the table into a new run.
    fn spill(&mut self) -> io::Result<()> {
        let mut run = BufWriter::with_capacity(BUFFER, (self.new_storage)()?);
        self.builder
            .tallies
            .drain_sorted(|tallies| tallies.iter().try_for_each(|tally| run.write_all(&tally.to_bytes())))?;
        let mut run = run.into_inner().map_err(io::IntoInnerError::into_error)?;
        for level in 0.. {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(run);
            if self.levels[level].len() < FAN_IN {
                break;
            }
            let mut merged = BufWriter::with_capacity(BUFFER, (self.new_storage)()?);
            let runs = std::mem::take(&mut self.levels[level]);
            merge(runs, &[], |tally| merged.write_all(&tally.to_bytes()))?;
            run = merged.into_inner().map_err(io::IntoInnerError::into_error)?;
        }
        Ok(())
    }

    /// Writes the book of the moves that are good enough. The writer needs no buffer.
    pub fn write(mut self, out: impl Write) -> io::Result<BookSize> {
        let mut writer = BookWriter::new(out);
        let mut tallies = std::mem::take(&mut self.builder.tallies);
        let runs = self.levels.into_iter().flatten().collect();
        tallies.drain_sorted(|rest| {
            merge(runs, rest, |tally| {
                if self.builder.keeps(tally) {
                    writer.push(tally.key, tally.mv, tally.points, 0)?;
                }
                Ok(())
            })
        })?;
        writer.finish()
    }
}

/// Merges sorted runs and a sorted table.
fn merge<S: Read + Seek>(
    runs: Vec<S>,
    rest: &[Tally],
    mut each: impl FnMut(&Tally) -> io::Result<()>,
) -> io::Result<()> {
    let mut sources: Vec<TallySource<'_, S>> = vec![TallySource::Table(rest.iter())];
    for mut run in runs {
        run.rewind()?;
        sources.push(TallySource::Run(BufReader::with_capacity(BUFFER, run)));
    }
    let mut next = Vec::with_capacity(sources.len());
    let mut heap = BinaryHeap::with_capacity(sources.len());
    for (index, source) in sources.iter_mut().enumerate() {
        let tally = source.next()?;
        heap.extend(tally.map(|tally| Reverse((tally.order(), index))));
        next.push(tally);
    }
    let mut sum: Option<Tally> = None;
    while let Some(Reverse((order, index))) = heap.pop() {
        let Some(tally) = next[index].take() else { continue };
        match &mut sum {
            Some(sum) if sum.order() == order => sum.add(&tally),
            _ => {
                if let Some(sum) = sum.replace(tally) {
                    each(&sum)?;
                }
            }
        }
        next[index] = sources[index].next()?;
        heap.extend(next[index].map(|tally| Reverse((tally.order(), index))));
    }
    sum.map_or(Ok(()), |sum| each(&sum))
}

/// Tallies in their order.
enum TallySource<'a, S> {
    Table(std::slice::Iter<'a, Tally>),
    Run(BufReader<S>),
}

impl<S: Read> TallySource<'_, S> {
    fn next(&mut self) -> io::Result<Option<Tally>> {
        let run = match self {
            TallySource::Table(tallies) => return Ok(tallies.next().copied()),
            TallySource::Run(run) => run,
        };
        let mut bytes = [0; TALLY_BYTES];
        match run.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(Tally::from_bytes(&bytes))),
            // Runs hold whole tallies.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}
