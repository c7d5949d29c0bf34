//! The words of a line.

/// The words of a text, separated by any white space.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    /// The words of this text.
    pub(super) fn new(text: &'a str) -> Words<'a> {
        Words { rest: text }
    }

    /// The rest of the text as written, without white space at its ends.
    pub(super) fn rest(&self) -> &'a str {
        self.rest.trim()
    }

    /// The next word, without taking it.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// Takes and returns the text up to a word, and takes that word, too. Without that word, takes all of the text.
    pub(super) fn take_until(&mut self, word: &str) -> &'a str {
        let start = self.rest;
        loop {
            let end = start.len() - self.rest.len();
            match self.next() {
                Some(next) if next == word => return start[..end].trim(),
                Some(_) => {}
                None => return start.trim(),
            }
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start();
        let (word, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_white_space_separates_words() {
        let words: Vec<_> = Words::new(" \tgo\t\tdepth \u{a0} 2\r\n").collect();
        assert_eq!(words, ["go", "depth", "2"]);
        assert_eq!(Words::new(" \t\r\n").next(), None);
    }

    #[test]
    fn a_part_is_taken_as_it_is_written() {
        let mut words = Words::new("fen  a  b moves c");
        assert_eq!(words.next(), Some("fen"));
        assert_eq!(words.take_until("moves"), "a  b");
        assert_eq!((words.peek(), words.rest()), (Some("c"), "c"));
        assert_eq!(words.take_until("moves"), "c");
        assert_eq!((words.next(), words.take_until("moves")), (None, ""));
        let mut words = Words::new("moves x");
        assert_eq!((words.take_until("moves"), words.rest()), ("", "x"));
    }
}
