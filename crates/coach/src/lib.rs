#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod explain;
pub mod move_text;
pub mod review;
