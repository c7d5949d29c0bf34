#![doc = include_str!("../README.md")]

pub mod epd;
pub mod line;
pub mod openings;
pub mod pgn;
pub mod polyglot;
pub mod san;
pub mod svg;
