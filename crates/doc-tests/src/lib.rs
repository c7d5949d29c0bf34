//! Documents that cannot lie: their examples are run, and what they name must exist.
//!
//! * A `console` block is a session in a shell: `$ command` and the output it must have ([`console`]).
//! * A `sh` block is not run. Its programs, options, targets, packages and files must exist ([`commands`]).
//! * A `rust` block is a doctest of this crate ([`doctests`]), unless its document already is the documentation of a crate.
//! * Links, anchors, paths, tests and options in the text must exist ([`names`]).
//! * The document of the page's protocol and the page's type declarations agree with the Rust types ([`protocol`]).

pub mod commands;
pub mod console;
pub mod doctests;
pub mod markdown;
pub mod names;
pub mod program;
pub mod protocol;
pub mod repository;

use std::fmt;

/// Something that a document says and that is not so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The document, from the root of the repository.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub text: String,
}

impl Finding {
    /// A finding in a line of a document.
    #[must_use]
    pub fn new(file: &str, line: usize, text: impl Into<String>) -> Finding {
        Finding { file: file.to_owned(), line, text: text.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.text)
    }
}

/// Panics with all findings, one to a line, if there are any.
///
/// # Panics
/// If there are findings.
pub fn expect_none(findings: &[Finding]) {
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{} untrue statements:\n{}", findings.len(), lines.join("\n"));
}
