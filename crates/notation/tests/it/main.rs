//! Tests of the whole crate, one module for each notation.

mod annotation;
mod bounded;
mod epd;
#[cfg(feature = "serde")]
mod json;
#[cfg(feature = "openings")]
mod openings;
mod polyglot;
mod random;
mod san;
#[cfg(feature = "svg")]
mod svg;
mod torture;
mod tree;
mod unread;
mod visitor;
mod write;
#[cfg(any(feature = "zst", feature = "libzstd"))]
mod zst;
