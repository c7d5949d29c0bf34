//! Text from files on a terminal, without control sequences.

use std::io::{self, IsTerminal, Write};

use crate::progress::ProgressLine;

/// Replaces control characters except line feeds and tabs (`^[` is the escape character). Carriage returns are removed,
/// and bytes that are not UTF-8 become replacement characters.
pub(crate) fn visible(text: &[u8]) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in String::from_utf8_lossy(text).chars() {
        match c {
            '\n' | '\t' => visible.push(c),
            '\r' => {}
            '\0'..='\x1f' | '\x7f' => visible.extend(['^', char::from(c as u8 ^ 0x40)]),
            // C1 controls, and characters that change the writing direction.
            '\u{80}'..='\u{9f}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => {
                visible.push(char::REPLACEMENT_CHARACTER);
            }
            _ => visible.push(c),
        }
    }
    visible
}

/// Standard output for text from files: unchanged into files and pipes, [visible] on a terminal.
pub(crate) struct TextOutput<'a, W> {
    out: &'a mut W,
    is_terminal: bool,
}

impl<'a, W: Write> TextOutput<'a, W> {
    /// `out` must lead to stdout.
    pub(crate) fn new(out: &'a mut W) -> TextOutput<'a, W> {
        TextOutput { out, is_terminal: io::stdout().is_terminal() }
    }

    /// Writes whole lines. On a terminal the progress line is removed first.
    pub(crate) fn write(&mut self, text: &[u8], progress: &ProgressLine) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        if !self.is_terminal {
            return self.out.write_all(text);
        }
        progress.suspend(|| {
            self.out.write_all(visible(text).as_bytes())?;
            self.out.flush()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_visible() {
        assert_eq!(visible(b"a\tb\r\nc"), "a\tb\nc");
        assert_eq!(visible(b"\x1b[31mred\x07\0\x7f"), "^[[31mred^G^@^?");
        assert_eq!(visible("Müller \u{9b}31m \u{202e}".as_bytes()), "Müller \u{fffd}31m \u{fffd}");
        assert_eq!(visible(b"M\xfcller \x9b"), "M\u{fffd}ller \u{fffd}");
    }
}
