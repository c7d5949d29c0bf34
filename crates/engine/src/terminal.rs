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

/// Makes everything written to a terminal [visible]. Files and pipes get the bytes unchanged.
pub(crate) struct TerminalFilter<W> {
    out: W,
    is_terminal: bool,
    /// The start of a character whose other bytes have not been written yet.
    incomplete: Vec<u8>,
}

impl<W: Write> TerminalFilter<W> {
    pub(crate) fn new(out: W, is_terminal: bool) -> TerminalFilter<W> {
        TerminalFilter { out, is_terminal, incomplete: Vec::new() }
    }
}

impl<W: Write> Write for TerminalFilter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return self.out.write(bytes);
        }
        let mut text = std::mem::take(&mut self.incomplete);
        text.extend_from_slice(bytes);
        self.incomplete = text.split_off(complete_len(&text));
        self.out.write_all(visible(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.incomplete);
        self.out.write_all(visible(&rest).as_bytes())?;
        self.out.flush()
    }
}

/// The length of a text without an incomplete UTF-8 character at its end.
fn complete_len(text: &[u8]) -> usize {
    match text.utf8_chunks().last().map(|chunk| chunk.invalid()) {
        // An invalid sequence of the text may be continued only if it is the beginning of a character.
        Some(rest) if str::from_utf8(rest).is_err_and(|error| error.error_len().is_none()) => {
            text.len() - rest.len()
        }
        _ => text.len(),
    }
}

/// Standard output for text from files, beside a progress line.
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
            self.out.write_all(text)?;
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

    #[test]
    fn a_terminal_gets_visible_text_however_it_is_cut() {
        let text = "Müller \u{9b}31m\x1b[0m €\n".as_bytes();
        let invalid = b"M\xfcller \xe2\x82 \xff\n\xe2\x82";
        for text in [text, &invalid[..]] {
            for size in 1..text.len() {
                let mut shown = Vec::new();
                let mut filter = TerminalFilter::new(&mut shown, true);
                text.chunks(size).for_each(|part| filter.write_all(part).expect("vectors grow"));
                filter.flush().expect("vectors grow");
                assert_eq!(String::from_utf8(shown).expect("UTF-8"), visible(text), "{size} bytes at a time");
            }
        }
        let mut written = Vec::new();
        TerminalFilter::new(&mut written, false).write_all(invalid).expect("vectors grow");
        assert_eq!(written, invalid);
    }
}
