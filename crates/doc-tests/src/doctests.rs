//! The Rust blocks of documents that are not the documentation of a crate, for rustdoc to compile and run. The build
//! script collects them.

include!(concat!(env!("OUT_DIR"), "/doctests.rs"));
