//! The page's session: what happens in a tab, without sockets, threads, files or clocks.

pub mod analysis;
pub mod protocol;
pub mod session;
pub mod xray;
