//! Reasons for refusing an intent.

use std::error::Error;

use crate::protocol::sentence;

/// A sentence that tells the user why an intent is refused. The session has not changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Refusal(pub(crate) String);

impl Refusal {
    /// A complete sentence, with a capital letter and a full stop.
    pub(crate) fn new(text: impl Into<String>) -> Refusal {
        Refusal(text.into())
    }

    /// There is no node with this id.
    pub(crate) fn no_node() -> Refusal {
        Refusal::new("There is no such move in the tree.")
    }
}

/// The error of a library as a sentence.
impl<E: Error> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal(format!("{}.", sentence(&error.to_string())))
    }
}
