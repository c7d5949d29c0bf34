//! Tests of the whole crate, one module for each notation.

mod annotation;
mod bounded;
mod epd;
mod openings;
mod polyglot;
mod random;
mod san;
mod svg;
mod torture;
mod tree;
mod unread;
mod visitor;
mod write;
