//! Text in lines of limited width.

use crate::san::ShortText;

/// Text that grows by whole tokens, one blank or line end between them.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    text: String,
    width: usize,
    /// Characters in the last line.
    column: usize,
    /// Whether the next token comes right behind what is there, as at the start of a line.
    is_glued: bool,
    /// Whether it has an opening bracket in front.
    has_bracket: bool,
}

impl Lines {
    pub(super) fn new(width: usize) -> Lines {
        Lines { text: String::new(), width, column: 0, is_glued: true, has_bracket: false }
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.column = 0;
        self.is_glued = true;
        self.has_bracket = false;
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Appends a whole line as it is.
    pub(super) fn line(&mut self, parts: &[&str]) {
        parts.iter().for_each(|part| self.text.push_str(part));
        self.end_line();
    }

    pub(super) fn end_line(&mut self) {
        self.text.push('\n');
        self.column = 0;
        self.is_glued = true;
    }

    /// Appends a token of ASCII.
    #[inline]
    pub(super) fn token(&mut self, token: &str) {
        self.make_room(token.len());
        self.text.push_str(token);
        self.column += token.len();
        self.is_glued = false;
    }

    /// Puts an opening bracket in front of the next token.
    pub(super) fn open_bracket(&mut self) {
        self.has_bracket = true;
    }

    /// Appends to the last token, or if it does not fit as a token of its own.
    pub(super) fn suffix(&mut self, suffix: &str) {
        self.is_glued |= self.column + suffix.len() <= self.width;
        self.token(suffix);
    }

    /// Appends a comment: in braces, or behind a semicolon if it has a brace in it.
    pub(super) fn comment(&mut self, comment: &str) {
        let (first_line, last_line) = match comment.find('\n') {
            Some(end) => (&comment[..end], comment.rsplit('\n').next()),
            None => (comment, None),
        };
        self.make_room(first_line.chars().count() + 2);
        let is_braced = !comment.contains('}');
        self.text.push(if is_braced { '{' } else { ';' });
        self.text.push_str(comment);
        if is_braced {
            self.text.push('}');
            self.column = match last_line {
                Some(last_line) => last_line.chars().count() + 1,
                None => self.column + first_line.chars().count() + 2,
            };
            self.is_glued = false;
        } else {
            self.end_line();
        }
    }

    /// Appends text with its own line ends.
    pub(super) fn verbatim(&mut self, text: &str) {
        let (first_line, last_line) = match text.find('\n') {
            Some(end) => (&text[..end], text.rsplit('\n').next()),
            None => (text, None),
        };
        self.make_room(first_line.chars().count());
        self.text.push_str(text);
        self.column = match last_line {
            Some(last_line) => last_line.chars().count(),
            None => self.column + first_line.chars().count(),
        };
        self.is_glued = text.ends_with('\n');
    }

    /// Separates the next token, of `len` characters, from the last one.
    #[inline]
    fn make_room(&mut self, len: usize) {
        let bracket = usize::from(self.has_bracket);
        if !self.is_glued {
            if self.column + 1 + bracket + len > self.width {
                self.end_line();
            } else {
                self.text.push(' ');
                self.column += 1;
            }
        }
        if self.has_bracket {
            self.text.push('(');
            self.column += 1;
            self.has_bracket = false;
        }
    }
}

/// A number with something before and behind it: `12.`, `12...`, `$5`.
pub(super) fn number(before: &str, number: u32, behind: &str) -> ShortText<14> {
    let mut text = ShortText::new();
    text.push_str(before);
    let digits = number.checked_ilog10().unwrap_or(0);
    for place in (0..=digits).rev() {
        text.push(b'0' + (number / 10u32.pow(place) % 10) as u8);
    }
    text.push_str(behind);
    text
}
