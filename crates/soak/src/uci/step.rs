//! What is done to the engine, and how it is written down.

use std::fmt;

use anyhow::{Context, Result, bail};

/// One thing done to the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Bytes in one write.
    Write(Vec<u8>),
    /// Nothing for so many milliseconds.
    Sleep(u64),
    /// Nobody reads for so many milliseconds; other steps go on.
    Pause(u64),
    /// Everything is stopped, and every answer must come.
    Settle,
    /// The end of the input.
    End,
}

/// A line that [`Step::parse`] understands.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Write(bytes) => write!(f, "write {}", bytes.escape_ascii()),
            Step::Sleep(milliseconds) => write!(f, "sleep {milliseconds}"),
            Step::Pause(milliseconds) => write!(f, "pause {milliseconds}"),
            Step::Settle => f.write_str("settle"),
            Step::End => f.write_str("end"),
        }
    }
}

impl Step {
    pub(super) fn parse(line: &str) -> Result<Step> {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        Ok(match name {
            "write" => Step::Write(unescaped(rest)?),
            "sleep" => Step::Sleep(rest.parse().context("milliseconds are expected")?),
            "pause" => Step::Pause(rest.parse().context("milliseconds are expected")?),
            "settle" => Step::Settle,
            "end" => Step::End,
            _ => bail!("there is no step {name:?}"),
        })
    }
}

fn unescaped(text: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next().context("nothing behind a backslash")? {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'x' => {
                let digits = [rest.next(), rest.next()].map(|digit| char::from(digit.unwrap_or_default()));
                u8::from_str_radix(&String::from_iter(digits), 16).context("two digits are expected")?
            }
            other => other,
        });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_down_can_be_done_again() {
        let bytes: Vec<u8> = (0..=255).collect();
        for step in [Step::Write(bytes), Step::Sleep(3), Step::Pause(4), Step::Settle, Step::End] {
            assert_eq!(Step::parse(&step.to_string()).expect("readable"), step);
        }
        assert!(Step::parse("write \\x0").is_err() && Step::parse("dance").is_err());
    }
}
