#![doc = include_str!("../README.md")]

pub mod epd;
pub mod line;
#[cfg(feature = "openings")]
pub mod openings;
pub mod pgn;
pub mod polyglot;
pub mod san;
#[cfg(feature = "serde")]
mod serde_impls;
#[cfg(feature = "svg")]
pub mod svg;
#[cfg(any(feature = "zst", feature = "libzstd"))]
pub mod zst;
