#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(any(feature = "sample", feature = "tune"))]
mod cut;
pub mod data;
pub mod datagen;
mod error;
pub mod matches;

pub use error::{Damaged, Error};
