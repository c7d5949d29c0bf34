//! What tests of the WebAssembly module call: results that must be the same as in a native build.

#[cfg(target_arch = "wasm32")]
mod deep_stack;
#[cfg(feature = "self-test")]
mod large;

use std::time::Duration;

use ferz_search::{Engine, Host, Signals, bench};

#[cfg(target_arch = "wasm32")]
pub use deep_stack::deep_stack;
#[cfg(feature = "self-test")]
pub use large::{compare_kernels, perft};

/// The nodes of `ferz bench`.
pub fn bench(depth: u32, now: fn() -> Duration) -> u64 {
    let mut engine = Engine::new(bench::DEFAULT_HASH).expect("memory for the transposition table");
    engine.set_host(Host::default().now(now));
    bench::run(&mut engine, depth, &Signals::new(), &mut |_| {}).expect("nothing stops it").nodes
}
