//! Reading a file on several threads, with the same result as on one.
//!
//! An empty line and `[Event "` always begin a new game, even in an unclosed comment. There the file is cut into parts,
//! which are read independently. If a long stretch has no such place, because the tags are in a different order or the
//! file is hostile, the rest is read on one thread, in constant memory.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use ferz_board::Move;
//! use ferz_notation::pgn::{GameResult, Stop, Visitor, parallel};
//!
//! #[derive(Default)]
//! struct Count { games: u64, plies: u64 }
//!
//! impl Visitor for Count {
//!     const VARIATIONS: bool = false;
//!     fn mv(&mut self, _: Option<Move>) -> ControlFlow<Stop> {
//!         self.plies += 1;
//!         ControlFlow::Continue(())
//!     }
//!     fn end_game(&mut self, _: GameResult) { self.games += 1 }
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

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::{fmt, mem, thread};

use super::input::Place;
use super::reader::FIRST_TAG;
use super::{Diagnostic, Movetext, Reader, Visitor};

#[cfg(test)]
mod tests;

/// Bytes in a part, about: enough to be worth a thread's while, few enough for its cache.
const PART: usize = 256 << 10;
/// If a stretch of this many parts has no place to cut, the rest of the file is read as one.
const PATIENCE: usize = 4;
/// How many parts for each thread may be on their way: no thread gets far ahead of a slow one.
const AHEAD: usize = 4;

/// Reads all games of a file on several threads.
///
/// The games come in batches: `work`, called on any of the threads, reads the games of one and makes something
/// of them; `each`, called on this thread and in the order of the file, gets what was made, and where the batch
/// [begins](Origin). Where batches begin and end is unspecified; everything else is the same for any number of
/// threads. Memory stays bounded: there are never more than a few batches at a time.
///
/// If a visitor stops the reading ([`Stop::Reading`](super::Stop::Reading)), `each` gets its batch and nothing of the
/// file behind it. If the input fails, the games before are delivered first. An error of `each` ends the reading.
pub fn read<R, T, E>(
    input: R,
    threads: usize,
    work: impl Fn(&mut Batch<'_>) -> T + Sync,
    each: impl FnMut(T, &Origin) -> Result<(), E>,
) -> Result<(), E>
where
    R: Read + Send,
    T: Send,
    E: From<io::Error>,
{
    read_in(Splitter::new(input, PART), threads, work, each)
}

fn read_in<T: Send, E: From<io::Error>>(
    mut splitter: Splitter<impl Read + Send>,
    threads: usize,
    work: impl Fn(&mut Batch<'_>) -> T + Sync,
    mut each: impl FnMut(T, &Origin) -> Result<(), E>,
) -> Result<(), E> {
    let mut origin = Origin::default();
    if threads > 1 {
        let deliver = |made: PartMade<T>| -> Result<(), E> {
            each(made.made, &origin)?;
            origin.pass(made.end, made.games);
            Ok(())
        };
        match read_parts(splitter, threads, &work, deliver)? {
            Some(rest) => splitter = rest,
            None => return Ok(()),
        }
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
    /// Whether the input has no further game.
    is_over: bool,
    error: Option<io::Error>,
}

impl<'a> Batch<'a> {
    fn new(input: &'a mut dyn Read) -> Batch<'a> {
        Batch { reader: Reader::new(input), end: u64::MAX, is_over: false, error: None }
    }

    /// Reads the next game; false at the end of the batch, behind a game in which the visitor has stopped the reading,
    /// or if the file cannot be read any further (then the last game may have begun without an end).
    ///
    /// Diagnostics count places from the [`Origin`] of the batch.
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
    #[must_use]
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
        problem.place = self.place_of(problem.place);
        problem.game += self.games;
    }

    /// The place in the file of a place in the batch.
    #[must_use]
    pub fn place_of(&self, place: Place) -> Place {
        Place { byte: place.byte + self.place.byte, line: place.line + self.place.line - 1, ..place }
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

/// What was made of a part.
struct PartMade<T> {
    made: T,
    end: Place,
    games: u64,
    /// Whether a visitor has stopped the reading.
    is_last: bool,
}

fn read_part<T>(part: &Part, work: &impl Fn(&mut Batch<'_>) -> T) -> PartMade<T> {
    let mut bytes = &part.bytes[..];
    let mut batch = Batch::new(&mut bytes);
    batch.reader.stop_at(part.len as u64);
    let made = work(&mut batch);
    batch.skip_rest();
    let reader = &mut batch.reader;
    PartMade { made, end: reader.place(), games: reader.games(), is_last: reader.is_stopped() }
}

/// Has parts read until no more can be cut off, and gives back the rest; `None` if a visitor has stopped the reading.
fn read_parts<R: Read + Send, T: Send, E>(
    splitter: Splitter<R>,
    threads: usize,
    work: &(impl Fn(&mut Batch<'_>) -> T + Sync),
    mut deliver: impl FnMut(PartMade<T>) -> Result<(), E>,
) -> Result<Option<Splitter<R>>, E> {
    let queue = Queue::new(splitter, AHEAD * threads);
    let is_stopped = thread::scope(|scope| {
        let _end = queue.end_when_left();
        let (done, results) = mpsc::channel();
        for _ in 0..threads {
            let (done, queue) = (done.clone(), &queue);
            let read = move || {
                let _end = queue.end_when_left();
                let mut part = Part::default();
                while let Some(number) = queue.take(&mut part) {
                    if done.send((number, read_part(&part, work))).is_err() {
                        break;
                    }
                }
            };
            // With fewer threads, if the system refuses some, it only takes longer.
            if thread::Builder::new().spawn_scoped(scope, read).is_err() {
                break;
            }
        }
        drop(done);
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for (number, made) in results {
            waiting.insert(number, made);
            while let Some(made) = waiting.remove(&next) {
                let is_last = made.is_last;
                deliver(made)?;
                if is_last {
                    return Ok(true);
                }
                next += 1;
                queue.note_delivered();
            }
        }
        Ok(false)
    })?;
    Ok((!is_stopped).then(|| queue.into_splitter()))
}

/// From which threads take parts, each as soon as it has time.
struct Queue<R> {
    state: Mutex<QueueState<R>>,
    changed: Condvar,
    /// How many parts may be on their way.
    limit: usize,
}

struct QueueState<R> {
    splitter: Splitter<R>,
    taken: usize,
    delivered: usize,
    is_over: bool,
}

impl<R: Read> Queue<R> {
    fn new(splitter: Splitter<R>, limit: usize) -> Queue<R> {
        let state = QueueState { splitter, taken: 0, delivered: 0, is_over: false };
        Queue { state: Mutex::new(state), changed: Condvar::new(), limit }
    }

    /// A thread that has panicked leaves nothing behind that could not be used.
    fn state(&self) -> MutexGuard<'_, QueueState<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts the next part into the memory of a used one and returns its number; `None` if no part is left.
    fn take(&self, part: &mut Part) -> Option<usize> {
        let is_full =
            |state: &mut QueueState<R>| !state.is_over && state.taken - state.delivered == self.limit;
        let mut state =
            self.changed.wait_while(self.state(), is_full).unwrap_or_else(PoisonError::into_inner);
        if state.is_over {
            return None;
        }
        // Set under the lock: the splitter must not be asked again after it has refused once.
        state.is_over = !state.splitter.next_part(part);
        if state.is_over {
            return None;
        }
        state.taken += 1;
        Some(state.taken - 1)
    }

    fn note_delivered(&self) {
        self.state().delivered += 1;
        self.changed.notify_one();
    }

    /// A thread that leaves, because of the end, an error or a panic, stops all others.
    fn end_when_left(&self) -> impl Drop {
        struct End<'a, R: Read>(&'a Queue<R>);
        impl<R: Read> Drop for End<'_, R> {
            fn drop(&mut self) {
                self.0.state().is_over = true;
                self.0.changed.notify_all();
            }
        }
        End(self)
    }

    fn into_splitter(self) -> Splitter<R> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).splitter
    }
}

/// Cuts the input into parts. What it has not cut off can be read from it.
struct Splitter<R> {
    input: R,
    part_len: usize,
    /// What has been taken from the input, but is not yet part of anything.
    rest: Vec<u8>,
    /// How much of it has been read.
    read: usize,
    /// Why the input ended.
    error: Option<io::Error>,
    is_started: bool,
}

impl<R: Read> Splitter<R> {
    fn new(input: R, part_len: usize) -> Splitter<R> {
        Splitter { input, part_len, rest: Vec::new(), read: 0, error: None, is_started: false }
    }

    /// Puts the next part into the memory of a used one; false if nothing more can be cut off.
    fn next_part(&mut self, part: &mut Part) -> bool {
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
                    self.rest = mem::take(&mut part.bytes);
                    return false;
                }
            }
        };
        self.rest.clear();
        self.rest.extend_from_slice(&part.bytes[cut..]);
        part.bytes.truncate(cut + FIRST_TAG.len());
        part.len = cut;
        true
    }

    /// Takes `len` bytes from the input; false at its end.
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

/// Where the last game begins that can be cut off from the one before.
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
