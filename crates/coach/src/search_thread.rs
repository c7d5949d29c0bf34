//! Threads that search.

use std::io;
use std::thread;

/// The stack of a thread that searches: recursion goes hundreds of plies deep, and a frame has a list of moves.
/// What is not used costs nothing.
pub(crate) const STACK_SIZE: usize = 32 << 20;

/// Does something on a thread with enough stack for a search.
pub(crate) fn run<R: Send>(work: impl FnOnce() -> R + Send) -> io::Result<R> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("search".to_owned()).stack_size(STACK_SIZE);
        let thread = builder.spawn_scoped(scope, work)?;
        // A panic over there goes on here.
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
