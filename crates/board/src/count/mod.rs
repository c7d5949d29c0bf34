//! Counting legal moves without generating them: the last ply of a perft, and the quick answer to "is it
//! mate?".

pub(crate) mod portable;

pub(crate) use portable::count;
