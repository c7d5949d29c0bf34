//! Starting the threads of a session.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Builder};
use std::time::Duration;

/// How often the system may refuse a thread, and how long we wait each time.
const ATTEMPTS: usize = 50;
const PAUSE: Duration = Duration::from_millis(2);

/// Starts a thread, and tries again for a moment if the system refuses.
///
/// When a thread first allocates memory, the C library reserves 128 MiB of address space for an instant. Under a limit of
/// the address space, a second thread that starts just then finds no room for its stack.
pub(super) fn spawn(builder: impl Fn() -> Builder, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // A builder drops the work of a thread that does not start, so it only gets a reference.
    let work = Arc::new(Mutex::new(Some(work)));
    let mut attempt = 1;
    loop {
        let work = Arc::clone(&work);
        let started = builder().spawn(move || {
            let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(work) = work {
                work();
            }
        });
        match started {
            Ok(_) => return Ok(()),
            Err(error) if attempt == ATTEMPTS => return Err(error),
            Err(_) => thread::sleep(PAUSE),
        }
        attempt += 1;
    }
}
