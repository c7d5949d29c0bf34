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

    /// Appends text as it is, whatever the width.
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        match text.rfind('\n') {
            Some(line_end) => self.column = text[line_end + 1..].chars().count(),
            None => self.column += text.chars().count(),
        }
        self.is_glued = false;
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
        let first_line = comment.lines().next().unwrap_or_default();
        self.make_room(2 + first_line.chars().count());
        if comment.contains('}') {
            self.push(";");
            self.push(comment);
            self.end_line();
        } else {
            self.push("{");
            self.push(comment);
            self.push("}");
        }
    }

    /// Separates the next token, of so many characters, from the last one.
    #[inline]
    fn make_room(&mut self, len: usize) {
        let bracket = usize::from(self.has_bracket);
        if self.is_glued {
        } else if self.column + 1 + bracket + len > self.width {
            self.end_line();
        } else {
            self.text.push(' ');
            self.column += 1;
        }
        if std::mem::take(&mut self.has_bracket) {
            self.text.push('(');
            self.column += 1;
        }
    }
}

/// A move number, as it is written before White's moves or before Black's.
pub(super) fn move_number(number: u32, dots: &str) -> ShortText<13> {
    let mut text = ShortText::new();
    let digits = number.checked_ilog10().unwrap_or(0);
    for place in (0..=digits).rev() {
        text.push(b'0' + (number / 10u32.pow(place) % 10) as u8);
    }
    text.push_str(dots);
    text
}
