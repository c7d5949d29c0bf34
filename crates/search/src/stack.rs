//! The stack of threads that search.

use std::hint::black_box;
use std::panic::resume_unwind;
use std::thread::{self, Scope, ScopedJoinHandle};

/// The stack size of a thread that searches, in bytes. The search recurses hundreds of plies deep and every level
/// holds lists of moves; memory that is never touched costs nothing.
pub const SEARCH_STACK_SIZE: usize = 32 << 20;

/// Calls a function on a new thread whose stack is large enough for [`Engine::search_on_this_thread`], and returns its
/// result. A panic is passed on.
///
/// Where no thread can be started (WebAssembly, or the system refuses) the function runs on the calling thread.
///
/// Starting a thread takes some 30 µs. [`Engine::search`] does so for every search; a program that makes thousands of
/// very short searches starts one thread and searches there:
///
/// ```
/// use ferz_board::Game;
/// use ferz_search::{Engine, Limits, SearchOptions, Signals, with_search_stack};
///
/// let mut engine = Engine::new(1)?;
/// let limits = Limits::default().nodes(100);
/// let options = SearchOptions::default();
/// let game = with_search_stack(|| {
///     let mut game = Game::default();
///     for _ in 0..20 {
///         let result = engine.search_on_this_thread(&game, &limits, &options, &Signals::new(), &mut |_| {});
///         let Some(best) = result.best else { break };
///         game.play(best).expect("the best move is legal");
///     }
///     game
/// });
/// assert_eq!(game.ply(), 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Engine::search`]: crate::Engine::search
/// [`Engine::search_on_this_thread`]: crate::Engine::search_on_this_thread
pub fn with_search_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let mut work = Some(work);
    let mut result = None;
    thread::scope(|scope| {
        let run = || result = work.take().map(|work| work());
        if let Some(thread) = spawn_search(scope, run)
            && let Err(panic) = thread.join()
        {
            resume_unwind(panic);
        }
    });
    match (result, work) {
        (Some(result), _) => result,
        (None, Some(work)) => work(),
        (None, None) => unreachable!("the work was done or is still there"),
    }
}

/// Starts a thread with a stack for searches; `None` if the system refuses.
pub(crate) fn spawn_search<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    spawn(scope, "search", SEARCH_STACK_SIZE, work)
}

/// Starts a thread with a stack of this size; `None` if the system refuses or memory is nearly used up.
///
/// On Unix a new thread allocates a second stack for signal handlers, and the standard library aborts the process if it
/// cannot. So there must be room for more than the stack.
pub(crate) fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    stack_size: usize,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    const RESERVE: usize = 2 << 20;
    if cfg!(unix) && black_box(Vec::<u8>::new()).try_reserve_exact(stack_size + RESERVE).is_err() {
        return None;
    }
    thread::Builder::new().name(name.to_owned()).stack_size(stack_size).spawn_scoped(scope, work).ok()
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn results_and_panics_come_back() {
        let text = "lent".to_owned();
        assert_eq!(with_search_stack(|| text.len()), 4);
        let broken = catch_unwind(|| with_search_stack(|| panic!("this test panics on purpose")));
        assert!(broken.is_err());
    }

    /// Deeper than any search: at least 8 MiB of frames, more than the main thread of most systems has.
    #[test]
    fn the_stack_is_large() {
        fn descend(levels: usize) -> usize {
            let frame = black_box([levels; 1 << 9]);
            if levels == 0 { 0 } else { descend(levels - 1) + black_box(frame[0] / levels) }
        }
        assert_eq!(with_search_stack(|| descend(2048)), 2048);
    }
}
