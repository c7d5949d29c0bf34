//! Why an intent is not carried out.

use std::error::Error;

use crate::protocol::sentence;

/// A sentence for the user; nothing has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal(pub String);

impl Refusal {
    /// The sentence is whole: with a capital letter and a full stop.
    pub fn new(text: impl Into<String>) -> Refusal {
        Refusal(text.into())
    }

    /// There is no node of this id, or no longer.
    pub fn no_node() -> Refusal {
        Refusal::new("There is no such move in the tree.")
    }
}

/// What a library says, made a sentence.
impl<E: Error> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal(format!("{}.", sentence(&error.to_string())))
    }
}
