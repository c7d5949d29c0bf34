//! Commands in the text of a comment.

use std::borrow::Cow;
use std::iter::FusedIterator;
use std::ops::Range;

/// One command in a comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command<'a> {
    /// The name without the `%`.
    pub name: &'a str,
    /// What follows it, without blanks at the ends.
    pub value: &'a str,
    /// Where the command is in the comment, from bracket to bracket.
    pub range: Range<usize>,
}

/// All commands in a comment, whatever they are.
///
/// ```
/// use ferz_notation::pgn::annotation::commands;
/// let found: Vec<_> = commands("a [%clk 0:10] b [%tqu \"En\",\"\"] [%draft [%]").collect();
/// assert_eq!((found[0].name, found[0].value), ("clk", "0:10"));
/// assert_eq!((found[1].name, found[1].value), ("tqu", "\"En\",\"\""));
/// assert_eq!(found.len(), 3);
/// ```
#[must_use]
pub fn commands(comment: &str) -> Commands<'_> {
    Commands { comment, from: 0 }
}

/// The commands in a comment; made by [`commands`].
#[derive(Clone, Debug)]
pub struct Commands<'a> {
    comment: &'a str,
    /// Where to go on.
    from: usize,
}

impl<'a> Iterator for Commands<'a> {
    type Item = Command<'a>;

    fn next(&mut self) -> Option<Command<'a>> {
        let start = self.from + self.comment.get(self.from..)?.find("[%")?;
        let end = start + self.comment[start..].find(']')? + 1;
        self.from = end;
        let inside = self.comment.get(start + 2..end - 1)?.trim();
        let (name, value) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
        Some(Command { name, value: value.trim(), range: start..end })
    }
}

impl FusedIterator for Commands<'_> {}

/// A comment without its commands and without blanks at the ends; where a command stood between words, one
/// blank is left.
#[must_use]
pub fn plain_text(comment: &str) -> Cow<'_, str> {
    let mut from = 0;
    let mut text = Cow::Borrowed("");
    let ranges = commands(comment).map(|command| command.range);
    for range in ranges.chain(std::iter::once(comment.len()..comment.len())) {
        let piece = comment[from..range.start].trim();
        from = range.end;
        if text.is_empty() {
            text = Cow::Borrowed(piece);
        } else if !piece.is_empty() {
            let text = text.to_mut();
            text.push(' ');
            text.push_str(piece);
        }
    }
    text
}

/// A comment without the commands of some name. Everything else stays as it is, but of the blanks on both sides
/// of a command one goes with it.
#[must_use]
pub fn remove(comment: &str, name: &str) -> String {
    replace(comment, name, None)
}

/// A comment with some text in the place of the first command of a name, or behind everything.
pub(super) fn set(comment: &str, name: &str, command: &str) -> String {
    replace(comment, name, Some(command))
}

fn replace(comment: &str, name: &str, mut replacement: Option<&str>) -> String {
    let mut text = String::with_capacity(comment.len() + replacement.map_or(0, str::len) + 1);
    let mut from = 0;
    for Command { range, .. } in commands(comment).filter(|command| command.name == name) {
        text.push_str(&comment[from..range.start]);
        from = range.end;
        match replacement.take() {
            Some(command) => text.push_str(command),
            None if text.ends_with(' ') || text.is_empty() => {
                from += usize::from(comment[from..].starts_with(' '));
            }
            None => {}
        }
    }
    text.push_str(&comment[from..]);
    if let Some(command) = replacement {
        if !text.is_empty() && !text.ends_with(char::is_whitespace) {
            text.push(' ');
        }
        text.push_str(command);
    }
    text
}
