#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod data;
pub mod datagen;
mod error;

pub use error::{Damaged, Error};
