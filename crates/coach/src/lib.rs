#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod explain;
pub mod puzzle;
pub mod review;
