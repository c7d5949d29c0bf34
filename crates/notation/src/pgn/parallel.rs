//! Reading a file on several threads, with the same result as on one.
//!
//! An empty line and `[Event "` begin another game whatever stood before, even in a comment that was never
//! closed. At such places a file is cut into parts, which are then read without knowledge of each other. Where
//! there are none for a long time, because the tags are in another order or the file is hostile, the rest is
//! read on one thread, in constant memory.
//!
//! ```
//! use ferz_board::Move;
//! use ferz_notation::pgn::{Visitor, parallel};
//!
//! #[derive(Default)]
//! struct Count { games: u64, plies: u64 }
//!
//! impl Visitor for Count {
//!     const VARIATIONS: bool = false;
//!     fn mv(&mut self, _: Option<Move>) { self.plies += 1 }
//!     fn end_game(&mut self) { self.games += 1 }
//! }
//!
//! let file = "[Event \"A\"]\n\n1. e4 e5 *\n\n[Event \"B\"]\n\n1. d4 *\n".as_bytes();
//! let mut sum = Count::default();
//! parallel::read(
//!     file,
//!     4,
//!     |batch| batch.read_all(Count::default()),
//!     |count, _| {
//!         sum.games += count.games;
//!         sum.plies += count.plies;
//!         Ok::<_, std::io::Error>(())
//!     },
//! )?;
//! assert_eq!((sum.games, sum.plies), (2, 3));
//! # Ok::<(), std::io::Error>(())
//! ```

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, Scope};
use std::{fmt, mem};

use super::input::Place;
use super::reader::FIRST_TAG;
use super::{Diagnostic, Movetext, Reader, Visitor};

#[cfg(test)]
mod tests;

/// Bytes in a part, about: enough to be worth a thread's while, few enough for its cache.
const PART: usize = 256 << 10;
/// If in a stretch so many times that long there is no place to cut, the rest of the file is read in one go.
const PATIENCE: usize = 4;
/// How many parts are handed out to each thread before its first result must be there.
const AHEAD: usize = 3;

/// Reads all games of a file on so many threads.
///
/// The games come in batches: `work`, called on any of the threads, reads the games of one and makes something
/// of them; `each`, called on this thread and in the order of the file, gets what was made, and where the batch
/// [begins](Origin). Where batches begin and end is no part of the promise, everything else is the same for
/// any number of threads. Memory stays bounded: there are never more than a few batches at a time.
///
/// If the input fails, the games before are delivered first. An error of `each` ends the reading.
pub fn read<R, T, E>(
    input: R,
    threads: usize,
    work: impl Fn(&mut Batch<'_>) -> T + Sync,
    each: impl FnMut(T, &Origin) -> Result<(), E>,
) -> Result<(), E>
where
    R: Read,
    T: Send,
    E: From<io::Error>,
{
    read_in(Splitter::new(input, PART), threads, work, each)
}

fn read_in<T: Send, E: From<io::Error>>(
    mut splitter: Splitter<impl Read>,
    threads: usize,
    work: impl Fn(&mut Batch<'_>) -> T + Sync,
    mut each: impl FnMut(T, &Origin) -> Result<(), E>,
) -> Result<(), E> {
    let mut origin = Origin::default();
    if threads > 1 {
        let deliver = |result: BatchResult<T>| -> Result<(), E> {
            each(result.made, &origin)?;
            origin.pass(result.end, result.games);
            Ok(())
        };
        read_parts(&mut splitter, threads, &work, deliver)?;
    }
    let batch_len = splitter.part_len as u64;
    let mut batch = Batch::new(&mut splitter);
    while !batch.is_over {
        batch.end = batch.offset() + batch_len;
        let made = work(&mut batch);
        batch.skip_rest();
        each(made, &origin)?;
    }
    batch.error.map_or(Ok(()), |error| Err(error.into()))
}

/// Some games of a file, one after the other.
pub struct Batch<'a> {
    reader: Reader<&'a mut dyn Read>,
    /// No game is read that begins from this byte on.
    end: u64,
    /// Whether there is no further game in the input.
    is_over: bool,
    error: Option<io::Error>,
}

impl<'a> Batch<'a> {
    fn new(input: &'a mut dyn Read) -> Batch<'a> {
        Batch { reader: Reader::new(input), end: u64::MAX, is_over: false, error: None }
    }

    /// Reads the next game; false if there is none in the batch, or the file cannot be read any further (then
    /// the last game may have begun without an end).
    ///
    /// Diagnostics tell places from the [`Origin`] of the batch on.
    pub fn read_game<V: Visitor>(&mut self, visitor: &mut V) -> bool {
        if self.is_over || self.offset() >= self.end {
            return false;
        }
        match self.reader.read_game(visitor) {
            Ok(found) => self.is_over = !found,
            Err(error) => {
                self.is_over = true;
                self.error = Some(error);
            }
        }
        !self.is_over
    }

    /// Reads all games, and gives back the visitor.
    pub fn read_all<V: Visitor>(&mut self, mut visitor: V) -> V {
        while self.read_game(&mut visitor) {}
        visitor
    }

    /// How many bytes have been read from the [`Origin`] of the batch on.
    pub fn offset(&self) -> u64 {
        self.reader.offset()
    }

    /// Passes over what was not wanted.
    fn skip_rest(&mut self) {
        struct Skip;
        impl Visitor for Skip {
            const MOVETEXT: Movetext = Movetext::Skip;
        }
        self.read_all(Skip);
    }
}

impl fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("offset", &self.offset()).finish_non_exhaustive()
    }
}

/// What was before the place from which on a batch counts bytes, lines and games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The place.
    pub place: Place,
    /// How many games there were before.
    pub games: u64,
}

impl Origin {
    /// Makes a problem's place in a batch its place in the file.
    pub fn locate(&self, problem: &mut Diagnostic) {
        problem.place.byte += self.place.byte;
        problem.place.line += self.place.line - 1;
        problem.game += self.games;
    }

    /// Goes on behind a part, which ends with a line.
    fn pass(&mut self, end: Place, games: u64) {
        self.place.byte += end.byte;
        self.place.line += end.line - 1;
        self.games += games;
    }
}

impl Default for Origin {
    /// The start of the file.
    fn default() -> Origin {
        Origin { place: Place { byte: 0, line: 1, column: 1 }, games: 0 }
    }
}

/// A part of the file in which no game goes on from before or beyond.
#[derive(Default)]
struct Part {
    /// The part, and behind it the first tag of the next: some things end only when that is seen.
    bytes: Vec<u8>,
    len: usize,
}

struct BatchResult<T> {
    made: T,
    end: Place,
    games: u64,
    /// To be used again.
    part: Part,
}

/// Has parts read until they are hard to make.
fn read_parts<T: Send, E>(
    splitter: &mut Splitter<impl Read>,
    threads: usize,
    work: &(impl Fn(&mut Batch<'_>) -> T + Sync),
    mut deliver: impl FnMut(BatchResult<T>) -> Result<(), E>,
) -> Result<(), E> {
    thread::scope(|scope| {
        // With fewer threads, if the system refuses some, it only takes longer.
        let workers: Vec<_> = (0..threads).map_while(|_| Worker::spawn(scope, work).ok()).collect();
        let mut pending = 0..0;
        let mut spare = Vec::new();
        while !workers.is_empty() {
            // Parts go around in turn, so the results are in order if they are asked for in turn.
            if pending.len() == AHEAD * workers.len() {
                let Ok(mut result) = workers[pending.start % workers.len()].results.recv() else { break };
                spare.push(mem::take(&mut result.part));
                deliver(result)?;
                pending.start += 1;
            }
            let Some(part) = splitter.next_part(spare.pop().unwrap_or_default()) else { break };
            // This fails if the thread has panicked. So will the scope.
            let Ok(()) = workers[pending.end % workers.len()].parts.send(part) else { break };
            pending.end += 1;
        }
        for index in pending {
            let Ok(result) = workers[index % workers.len()].results.recv() else { break };
            deliver(result)?;
        }
        Ok(())
    })
}

/// A thread that reads parts.
struct Worker<T> {
    parts: Sender<Part>,
    results: Receiver<BatchResult<T>>,
}

impl<T: Send> Worker<T> {
    fn spawn<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        work: &'scope (impl Fn(&mut Batch<'_>) -> T + Sync),
    ) -> io::Result<Worker<T>>
    where
        T: 'scope,
    {
        let (parts, to_do) = mpsc::channel::<Part>();
        let (done, results) = mpsc::channel();
        let read = move || {
            for part in to_do {
                if done.send(read_part(part, work)).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new().spawn_scoped(scope, read)?;
        Ok(Worker { parts, results })
    }
}

fn read_part<T>(part: Part, work: &impl Fn(&mut Batch<'_>) -> T) -> BatchResult<T> {
    let mut bytes = &part.bytes[..];
    let mut batch = Batch::new(&mut bytes);
    batch.reader.stop_at(part.len as u64);
    let made = work(&mut batch);
    batch.skip_rest();
    let (end, games) = (batch.reader.place(), batch.reader.games());
    BatchResult { made, end, games, part }
}

/// Cuts the input into parts. What it has not cut off can be read from it.
struct Splitter<R> {
    input: R,
    part_len: usize,
    /// What has been taken from the input, but is not yet part of anything.
    rest: Vec<u8>,
    /// How much of it has been read.
    read: usize,
    /// Why there is no more.
    error: Option<io::Error>,
    is_started: bool,
}

impl<R: Read> Splitter<R> {
    fn new(input: R, part_len: usize) -> Splitter<R> {
        Splitter { input, part_len, rest: Vec::new(), read: 0, error: None, is_started: false }
    }

    /// The next part, in the memory of another; `None` if the rest cannot be cut.
    fn next_part(&mut self, mut part: Part) -> Option<Part> {
        let is_first = !mem::replace(&mut self.is_started, true);
        mem::swap(&mut part.bytes, &mut self.rest);
        let mut len = self.part_len;
        let cut = loop {
            let is_more = self.fill(&mut part.bytes, len);
            let is_utf_16 = is_first && matches!(part.bytes[..], [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
            match last_cut(&part.bytes) {
                Some(cut) if is_more && !is_utf_16 => break cut,
                None if is_more && len < PATIENCE * self.part_len => len *= 2,
                _ => {
                    self.rest = part.bytes;
                    return None;
                }
            }
        };
        self.rest.clear();
        self.rest.extend_from_slice(&part.bytes[cut..]);
        part.bytes.truncate(cut + FIRST_TAG.len());
        part.len = cut;
        Some(part)
    }

    /// Takes so many bytes from the input; false if there are no more.
    fn fill(&mut self, bytes: &mut Vec<u8>, len: usize) -> bool {
        let missing = len.saturating_sub(bytes.len());
        bytes.reserve_exact(missing);
        match self.input.by_ref().take(missing as u64).read_to_end(bytes) {
            Ok(count) => count == missing,
            Err(error) => {
                self.error = Some(error);
                false
            }
        }
    }
}

/// Where the last game begins that another may be cut off from.
fn last_cut(bytes: &[u8]) -> Option<usize> {
    let mut end = bytes.len();
    while let Some(cut) = bytes[..end].windows(FIRST_TAG.len()).rposition(|window| window == FIRST_TAG) {
        if bytes[..cut].ends_with(b"\n\n") || bytes[..cut].ends_with(b"\n\r\n") {
            return Some(cut);
        }
        end = cut;
    }
    None
}

impl<R: Read> Read for Splitter<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut rest = &self.rest[self.read..];
        if !rest.is_empty() {
            let count = rest.read(buffer)?;
            self.read += count;
            return Ok(count);
        }
        self.error.take().map_or_else(|| self.input.read(buffer), Err)
    }
}
