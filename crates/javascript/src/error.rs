//! Errors as text for JavaScript: a code, a message and details, one to a line. They are rare, so text is fast enough.

use std::fmt::Display;

use ferz_board::{FenError, UciError};
use ferz_notation::san::SanError;

use crate::buffers::set_output;

/// Writes an error to the output; the result of a function that failed.
pub fn fail(code: &str, message: impl Display, details: &[String]) -> u32 {
    // Messages quote their input with escapes, so a line feed is always ours.
    let mut text = format!("{code}\n{message}");
    for detail in details {
        text.push('\n');
        text.push_str(detail);
    }
    set_output(text.as_bytes())
}

/// Details: field and column, or a line `rule<tab>squares<tab>message` for each broken rule.
pub fn fail_fen(error: &FenError) -> u32 {
    match error {
        FenError::Syntax(syntax) => {
            let place = [syntax.field.to_string(), syntax.column.to_string()];
            fail(syntax.problem.name(), error, &place)
        }
        FenError::Position(setup) => {
            let mut details = vec![String::new(), String::new()];
            details.extend(setup.violations().iter().map(|violation| {
                let squares: Vec<String> = violation.squares.into_iter().map(|it| it.to_string()).collect();
                format!("{}\t{}\t{}", violation.rule.name(), squares.join(" "), violation.rule)
            }));
            let code = setup.violations().first().map_or("position", |violation| violation.rule.name());
            fail(code, error, &details)
        }
        _ => fail("fen", error, &[]),
    }
}

pub fn fail_uci(error: UciError) -> u32 {
    match error {
        UciError::Illegal { reason, .. } => fail(reason.name(), error, &[]),
        _ => fail("syntax", error, &[]),
    }
}

pub fn fail_san(error: &SanError) -> u32 {
    fail(error.name(), error, &[])
}
