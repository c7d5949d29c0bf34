//! The tags of a game.

use std::borrow::Cow;
use std::iter::FusedIterator;
use std::{error, fmt, slice};

use super::GameTree;
use super::text::{Span, TextStore};
use crate::pgn::reader::is_chess;

/// The seven tag roster: the tags that every game must have, and their values if unknown.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];
const RESULT: usize = 6;

/// One tag. The value is stored as it is written, with escapes.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredTag {
    pub(super) name: Span,
    pub(super) value: Span,
}

/// Why a tag cannot be set.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TagError {
    /// A name must have at least one character, and neither blanks nor `"`, `[`, `]`.
    BadName(String),
    /// The `FEN` tag is the start of the moves and cannot be changed: see [`GameTree::starting_from`].
    StartPosition,
    /// The `Variant` tag decides how the moves are read. It cannot name a different game than it does.
    Variant,
}

impl fmt::Display for TagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TagError::BadName(name) => write!(f, "'{}' is not a valid tag name", name.escape_debug()),
            TagError::StartPosition => {
                f.write_str("the FEN tag cannot be changed because the moves start there")
            }
            TagError::Variant => f.write_str("the Variant tag cannot name a different game"),
        }
    }
}

impl error::Error for TagError {}

impl GameTree {
    /// The names and values of all tags in their order, with `\"` and `\\` resolved. A name may be there
    /// several times.
    pub fn tags(&self) -> Tags<'_> {
        Tags { text: &self.text, rest: self.tags.iter() }
    }

    /// The value of a tag, the first one if there are several.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<Cow<'_, str>> {
        Some(self.text.tag_value(self.tags[self.find_tag(name)?].value))
    }

    /// Sets a tag where it is, or behind the others. In the value, line ends become blanks.
    ///
    /// Tags that decide how the moves are read cannot be changed: `FEN`, and `Variant` from chess to a different game or
    /// in a game whose start is [unknown](GameTree::has_known_start).
    ///
    /// ```
    /// use ferz_notation::pgn::{GameTree, TagError};
    ///
    /// let mut tree = GameTree::new();
    /// tree.set_tag("White", "Max \"Magic\" Maier")?;
    /// assert_eq!(tree.tag("White").as_deref(), Some("Max \"Magic\" Maier"));
    /// assert!(tree.to_string().contains(r#"[White "Max \"Magic\" Maier"]"#));
    /// assert_eq!(tree.set_tag("FEN", "8/8/8/8/8/8/8/8 w - - 0 1"), Err(TagError::StartPosition));
    /// # Ok::<(), TagError>(())
    /// ```
    pub fn set_tag(&mut self, name: &str, value: &str) -> Result<(), TagError> {
        if name.is_empty() || name.bytes().any(|byte| byte <= b' ' || matches!(byte, b'"' | b'[' | b']')) {
            return Err(TagError::BadName(name.to_owned()));
        }
        if name == "FEN" {
            return Err(TagError::StartPosition);
        }
        if name == "Variant" && (!is_chess(value) || !self.has_known_start()) {
            return Err(TagError::Variant);
        }
        self.put_tag(name, value);
        Ok(())
    }

    /// Removes all tags of a name; returns whether there were any. The `FEN` tag of a game that does not begin at the
    /// start position stays, and so do `FEN` and `Variant` if the start is [unknown](GameTree::has_known_start).
    pub fn remove_tag(&mut self, name: &str) -> bool {
        self.retain_tags(|known, _| known != name) > 0
    }

    /// Keeps the tags whose name and value satisfy a condition, and those that
    /// [`remove_tag`](GameTree::remove_tag) does not remove. Returns how many were removed.
    ///
    /// ```
    /// use ferz_notation::pgn::GameTree;
    /// let mut tree: GameTree = "[White \"Ada\"]\n[Round \"?\"]\n[Site \"?\"]\n\n1. e4 *".parse()?;
    /// assert_eq!(tree.retain_tags(|_, value| value != "?"), 2);
    /// assert_eq!(tree.tags().count(), 1);
    /// # Ok::<(), ferz_notation::pgn::NoGame>(())
    /// ```
    pub fn retain_tags(&mut self, mut keep: impl FnMut(&str, &str) -> bool) -> usize {
        let has_known_start = self.has_known_start();
        let keeps_fen = !has_known_start || self.start != *super::START;
        let GameTree { text, tags, .. } = self;
        let before = tags.len();
        tags.retain(|tag| {
            let name = text.text(tag.name);
            let is_needed = match &*name {
                "FEN" => keeps_fen,
                "Variant" => !has_known_start,
                _ => false,
            };
            keep(&name, &text.tag_value(tag.value)) || is_needed
        });
        before - tags.len()
    }

    /// Puts a tag, the first one if there are several, before the tag that is now at this place, or behind
    /// the last; returns whether the tag exists.
    pub fn move_tag(&mut self, name: &str, place: usize) -> bool {
        let Some(from) = self.find_tag(name) else { return false };
        let place = place.min(self.tags.len());
        if from < place {
            self.tags[from..place].rotate_left(1);
        } else {
            self.tags[place..=from].rotate_right(1);
        }
        true
    }

    /// The tags in the order of the export format: the seven tag roster, with question marks for unknown values, then
    /// the other tags.
    ///
    /// ```
    /// use ferz_notation::pgn::GameTree;
    /// let tree: GameTree = "[ECO \"C20\"]\n[Date \"1851.06.21\"]\n\n1. e4 e5 1-0".parse()?;
    /// let tags: Vec<_> = tree.export_tags().map(|(name, value)| format!("{name} {value}")).collect();
    /// assert_eq!(tags[..3], ["Event ?", "Site ?", "Date 1851.06.21"]);
    /// assert_eq!(tags[6..], ["Result 1-0", "ECO C20"]);
    /// # Ok::<(), ferz_notation::pgn::NoGame>(())
    /// ```
    pub fn export_tags(&self) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
        let mut roster = [None; ROSTER.len()];
        for (place, tag) in self.tags.iter().enumerate() {
            if let Some(index) = self.roster_index(tag) {
                roster[index].get_or_insert(place);
            }
        }
        let first = ROSTER.iter().enumerate().map(move |(index, &(name, unknown))| {
            let value = match roster[index] {
                Some(place) => self.text.tag_value(self.tags[place].value),
                None if index == RESULT => Cow::Borrowed(self.termination().as_str()),
                None => Cow::Borrowed(unknown),
            };
            (Cow::Borrowed(name), value)
        });
        let others = self.tags.iter().enumerate().filter(move |&(place, _)| !roster.contains(&Some(place)));
        let others = others.map(|(_, tag)| (self.text.text(tag.name), self.text.tag_value(tag.value)));
        first.chain(others)
    }

    fn roster_index(&self, tag: &StoredTag) -> Option<usize> {
        let name = self.text.bytes(tag.name);
        ROSTER.iter().position(|(known, _)| known.as_bytes() == name)
    }

    fn find_tag(&self, name: &str) -> Option<usize> {
        self.tags.iter().position(|tag| self.text.text(tag.name) == name)
    }

    /// Sets a tag of a name known to be good.
    pub(super) fn put_tag(&mut self, name: &str, value: &str) {
        let value = value.replace("\r\n", " ").replace(['\n', '\r'], " ");
        let value = self.text.push(escape(&value).as_bytes());
        match self.find_tag(name) {
            Some(place) => self.tags[place].value = value,
            None => {
                let name = self.text.push(name.as_bytes());
                self.tags.push(StoredTag { name, value });
            }
        }
    }
}

/// Names and values of tags; made by [`GameTree::tags`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Tags<'a> {
    text: &'a TextStore,
    rest: slice::Iter<'a, StoredTag>,
}

impl<'a> Tags<'a> {
    fn resolve(&self, tag: &StoredTag) -> (Cow<'a, str>, Cow<'a, str>) {
        (self.text.text(tag.name), self.text.tag_value(tag.value))
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = (Cow<'a, str>, Cow<'a, str>);

    fn next(&mut self) -> Option<Self::Item> {
        let tag = self.rest.next()?;
        Some(self.resolve(tag))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rest.size_hint()
    }
}

impl DoubleEndedIterator for Tags<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let tag = self.rest.next_back()?;
        Some(self.resolve(tag))
    }
}

impl ExactSizeIterator for Tags<'_> {}
impl FusedIterator for Tags<'_> {}

/// A tag's value as it is written.
pub(in crate::pgn) fn escape(value: &str) -> Cow<'_, str> {
    if value.contains(['"', '\\']) {
        Cow::Owned(value.replace('\\', r"\\").replace('"', r#"\""#))
    } else {
        Cow::Borrowed(value)
    }
}
