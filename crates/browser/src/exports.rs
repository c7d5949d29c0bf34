//! The exports and imports of the WebAssembly module. The README describes them.

use std::panic;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use ferz_eval::Network;

use crate::{Hearing, Page, Tab, self_test};

#[link(wasm_import_module = "ferz")]
unsafe extern "C" {
    safe fn now() -> f64;
    safe fn poll();
    fn say(pointer: *const u8, length: usize);
    fn panicked(pointer: *const u8, length: usize);
}

static TAB: OnceLock<Arc<Tab>> = OnceLock::new();
/// The text that the page has written.
static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The page outside the module.
struct OuterPage;

impl Page for OuterPage {
    fn now(&self) -> Duration {
        Duration::from_nanos((now() * 1e6) as u64)
    }

    fn say(&self, message: &str) {
        // SAFETY: the page reads the text before it returns.
        unsafe { say(message.as_ptr(), message.len()) }
    }

    fn poll(&self, _: &Tab) {
        poll();
    }
}

/// Takes the text out of the buffer.
fn take_input() -> String {
    let bytes = std::mem::take(&mut *INPUT.lock().unwrap_or_else(PoisonError::into_inner));
    // The page encodes it.
    String::from_utf8(bytes).expect("UTF-8")
}

fn report_panics() {
    panic::set_hook(Box::new(|info| {
        let text = info.to_string();
        // SAFETY: the page reads the text before it returns.
        unsafe { panicked(text.as_ptr(), text.len()) }
    }));
}

fn tab() -> &'static Arc<Tab> {
    TAB.get().expect("open comes first")
}

/// Opens the session. The seed has two halves.
#[unsafe(no_mangle)]
extern "C" fn open(seed_low: u32, seed_high: u32, hash_mib: u32, hearing: u32) {
    report_panics();
    let seed = u64::from(seed_low) | u64::from(seed_high) << 32;
    let hearing = if hearing == 0 { Hearing::Slices } else { Hearing::Live };
    let tab = Tab::new(OuterPage, Some(Network::embedded()), seed, hash_mib as usize, hearing);
    assert!(TAB.set(tab).is_ok(), "open was called twice");
}

/// Room for a text of this many bytes.
#[unsafe(no_mangle)]
extern "C" fn input(length: usize) -> *mut u8 {
    let mut input = INPUT.lock().unwrap_or_else(PoisonError::into_inner);
    input.clear();
    input.resize(length, 0);
    input.as_mut_ptr()
}

/// Handles the message in the buffer.
#[unsafe(no_mangle)]
extern "C" fn hear() {
    tab().hear(&take_input());
}

/// Milliseconds until `wake` must be called, or -1.
#[unsafe(no_mangle)]
extern "C" fn next_wake() -> f64 {
    tab().next_wake().map_or(-1.0, |wait| wait.as_secs_f64() * 1e3)
}

/// Handles the passage of time.
#[unsafe(no_mangle)]
extern "C" fn wake() {
    tab().wake();
}

/// Carries out the next job: 1 if more are waiting.
#[unsafe(no_mangle)]
extern "C" fn work() -> u32 {
    tab().work().into()
}

/// The nodes of `ferz bench`.
#[unsafe(no_mangle)]
extern "C" fn bench(depth: u32) -> f64 {
    report_panics();
    self_test::bench(depth, || OuterPage.now()) as f64
}

/// The nodes of a perft of the FEN in the buffer.
#[cfg(feature = "self-test")]
#[unsafe(no_mangle)]
extern "C" fn perft(depth: u32) -> f64 {
    report_panics();
    self_test::perft(&take_input(), depth) as f64
}

/// Compares all backends of the evaluation: the number of comparisons.
#[cfg(feature = "self-test")]
#[unsafe(no_mangle)]
extern "C" fn compare_kernels(seed: u32) -> u32 {
    report_panics();
    self_test::compare_kernels(seed.into())
}

/// Nests searches until they use as much stack as a path of this many plies: the number of plies.
#[unsafe(no_mangle)]
extern "C" fn deep_stack(plies: u32) -> u32 {
    report_panics();
    self_test::deep_stack(plies, || OuterPage.now(), || poll())
}
