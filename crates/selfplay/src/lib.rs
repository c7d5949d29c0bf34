#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod data;
pub mod datagen;
mod error;
mod growing_file;
pub mod matches;

pub use error::{Damaged, Error};
