//! The error of the small types that are read from text.

use core::fmt;

/// The text was not a value of the type: a square, a piece, a colour …
///
/// ```
/// use ferz_board::Square;
/// let error = "e9".parse::<Square>().unwrap_err();
/// assert_eq!(error.to_string(), "expected a square from a1 to h8");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Completes "expected …".
    pub(crate) expected: &'static str,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", self.expected)
    }
}

impl core::error::Error for ParseError {}

/// Implements `FromStr` with a function that returns `None` for other texts.
macro_rules! from_str {
    ($(#[$meta:meta])* $type:ty, $expected:literal, $read:expr) => {
        impl $type {
            /// Completes "expected …" in errors.
            pub(crate) const EXPECTED: &'static str = $expected;
        }

        $(#[$meta])*
        impl core::str::FromStr for $type {
            type Err = $crate::ParseError;

            fn from_str(text: &str) -> Result<$type, $crate::ParseError> {
                let read: fn(&str) -> Option<$type> = $read;
                read(text).ok_or($crate::ParseError { expected: <$type>::EXPECTED })
            }
        }
    };
}

pub(crate) use from_str;

/// The only character of a text.
pub(crate) fn only_char(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}
