#![doc = include_str!("../README.md")]
// Only JavaScript calls the exports.
#![cfg_attr(not(target_family = "wasm"), allow(dead_code))]

/// Functions that JavaScript calls. Native builds are for tests and keep their names to themselves.
macro_rules! exports {
    ($(
        $(#[$meta:meta])*
        fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block
    )*) => {$(
        $(#[$meta])*
        #[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
        pub extern "C" fn $name($($argument: $type),*) $(-> $result)? $body
    )*};
}

mod buffers;
mod engine;
mod error;
mod game;
mod handles;
mod host;
mod pgn;
mod position;

exports! {
    /// Prepares the instance: panics are reported before they end it.
    fn start() {
        std::panic::set_hook(Box::new(|info| host::panicked(&info.to_string())));
    }

    /// Panics, for the test of what JavaScript makes of it.
    fn panic() {
        panic!("a panic was asked for");
    }
}
