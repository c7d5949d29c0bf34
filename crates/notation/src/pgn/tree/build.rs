//! Building trees while reading.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::str::FromStr;
use std::{error, fmt, mem};

use ferz_board::{Move, Position};

use super::remarks::{Comment, NodeNag, Side};
use super::tags::StoredTag;
use super::unread::{Unread, UnreadKind};
use super::{BoundedDiagnostics, GameTree, NodeId};
use crate::pgn::tag::ShortTag;
use crate::pgn::{Diagnostic, GameResult, Nag, Reader, Stop, Visitor};

/// Where in the game the reader is.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    /// The last move.
    current: NodeId,
    /// The variations that are open.
    variations: Vec<OpenVariation>,
    /// Where the text of an unfinished comment starts.
    comment_start: Option<u32>,
    /// The same of unread movetext.
    unread_start: Option<u32>,
    /// Whether comments or glyphs came out of the order of their nodes.
    is_unordered: bool,
    /// Whether the game has ended, so that the next problem belongs to a different game.
    is_over: bool,
    pub(super) is_truncated: bool,
}

#[derive(Clone, Copy, Debug)]
struct OpenVariation {
    /// The move that the variation replaces.
    replaced: NodeId,
    /// How many nodes there were before its first.
    nodes_before: usize,
}

impl Default for Reading {
    fn default() -> Reading {
        Reading {
            current: NodeId::ROOT,
            variations: Vec::new(),
            comment_start: None,
            unread_start: None,
            is_unordered: false,
            is_over: false,
            is_truncated: false,
        }
    }
}

impl Reading {
    pub(super) fn clear(&mut self) {
        let mut variations = mem::take(&mut self.variations);
        variations.clear();
        *self = Reading { variations, ..Reading::default() };
    }
}

impl GameTree {
    /// Replaces the tree by the next game of a file and reuses its memory. At the end of the file the result is false and
    /// the tree empty.
    ///
    /// A game may take up to 4 GiB of text and as many moves; for files from strangers see
    /// [`BoundedTree`](crate::pgn::BoundedTree).
    ///
    /// ```
    /// use ferz_notation::pgn::{GameTree, Reader};
    ///
    /// let file = "[White \"Ada\"]\n\n1. e4 *\n\n[White \"Bob\"]\n\n1. d4 d6 *".as_bytes();
    /// let mut reader = Reader::new(file);
    /// let mut tree = GameTree::new();
    /// let mut plies = 0;
    /// while tree.read(&mut reader)? {
    ///     plies += tree.main_line().count();
    /// }
    /// assert_eq!((reader.games(), plies), (2, 3));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn read<R: Read>(&mut self, reader: &mut Reader<R>) -> io::Result<bool> {
        // The present problems belong to an earlier game.
        self.reading.is_over = true;
        let found = reader.read_game(&mut self.builder());
        match found {
            Ok(true) => {}
            Ok(false) if self.reading.is_over => self.clear(),
            Ok(false) => self.clear_game(),
            Err(_) => self.end_reading(),
        }
        found
    }

    /// A visitor that replaces the tree by the game it visits; for visitors that inspect games before they keep them.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use ferz_board::Move;
    /// use ferz_notation::pgn::{GameResult, GameTree, Reader, Stop, Visitor};
    ///
    /// /// Keeps the main lines, and nothing else.
    /// struct MainLine(GameTree);
    ///
    /// impl Visitor for MainLine {
    ///     const VARIATIONS: bool = false;
    ///     fn begin_game(&mut self) { self.0.builder().begin_game() }
    ///     fn mv(&mut self, mv: Option<Move>) -> ControlFlow<Stop> { self.0.builder().mv(mv) }
    ///     fn end_game(&mut self, result: GameResult) { self.0.builder().end_game(result) }
    /// }
    ///
    /// let mut main_line = MainLine(GameTree::new());
    /// Reader::new("1. e4 {best by test} e5 (1... c5) *".as_bytes()).read_game(&mut main_line)?;
    /// assert!(main_line.0.to_string().ends_with("1. e4 e5 *\n"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn builder(&mut self) -> TreeBuilder<'_> {
        TreeBuilder(self)
    }
}

/// Builds a tree from the events of a reader; made by [`GameTree::builder`].
#[derive(Debug)]
pub struct TreeBuilder<'a>(&'a mut GameTree);

impl TreeBuilder<'_> {
    /// Where a comment or glyph belongs that comes now.
    #[inline]
    fn place(&self) -> (NodeId, Side) {
        let GameTree { nodes, reading, .. } = &*self.0;
        match reading.variations.last() {
            // Before the first move of a variation, which will be the next node.
            Some(open) if open.nodes_before == nodes.len() => match NodeId::from_index(nodes.len()) {
                Some(next) => (next, Side::Before),
                None => (open.replaced, Side::After),
            },
            _ => (reading.current, Side::After),
        }
    }
}

impl Visitor for TreeBuilder<'_> {
    fn begin_game(&mut self) {
        if self.0.reading.is_over {
            self.0.problems.clear();
        }
        self.0.clear_game();
    }

    #[inline]
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        let (name, value) = (self.0.text.push(name), self.0.text.push(value));
        self.0.tags.push(StoredTag { name, value });
    }

    #[inline]
    fn short_tag(&mut self, tag: ShortTag<'_>) {
        let text = self.0.text.push_block(tag.block());
        let (name, value) = (tag.name_range(), tag.value_range());
        self.0.tags.push(StoredTag {
            name: text.part(name.start, name.end),
            value: text.part(value.start, value.end),
        });
    }

    fn begin_moves(&mut self, start: &Position) -> ControlFlow<Stop> {
        self.0.start = *start;
        ControlFlow::Continue(())
    }

    #[inline]
    fn mv(&mut self, mv: Option<Move>) -> ControlFlow<Stop> {
        match self.0.push_child(self.0.reading.current, mv) {
            Some(node) => self.0.reading.current = node,
            None => self.0.reading.is_truncated = true,
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn comment(&mut self, part: &[u8], last: bool) {
        let place = self.place();
        let GameTree { text, comments, reading, .. } = &mut *self.0;
        let start = *reading.comment_start.get_or_insert(text.end());
        text.extend(part);
        if last {
            reading.comment_start = None;
            let (node, side) = place;
            let comment = Comment { node, side, text: text.span_from(start) };
            reading.is_unordered |= comments.last().is_some_and(|last| last.key() > comment.key());
            comments.push(comment);
        }
    }

    #[inline]
    fn nag(&mut self, nag: Nag) {
        let (node, _) = self.place();
        self.0.reading.is_unordered |= self.0.nags.last().is_some_and(|last| last.node > node);
        self.0.nags.push(NodeNag { node, nag });
    }

    fn unread(&mut self, part: &[u8], last: bool) {
        let place = self.place();
        let GameTree { text, reading, .. } = &mut *self.0;
        let start = *reading.unread_start.get_or_insert(text.end());
        text.extend(part);
        if !last {
            return;
        }
        reading.unread_start = None;
        let text = text.span_from(start);
        // Only the tail of a game whose start is unknown may begin like a variation.
        let is_variation = match self.0.text.bytes(text) {
            [] => return,
            [b'(', ..] => self.0.nodes.len() > 1 || self.0.has_known_start(),
            _ => false,
        };
        let (node, kind) = match place {
            (node, _) if !is_variation => (node, UnreadKind::Tail),
            (node, Side::After) => (node, UnreadKind::Variation),
            (node, Side::Before) => (node, UnreadKind::Before),
        };
        self.0.unread.push(Unread { node, kind, text });
    }

    fn begin_variation(&mut self) -> ControlFlow<Stop> {
        let replaced = self.0.reading.current;
        let nodes_before = self.0.nodes.len();
        self.0.reading.variations.push(OpenVariation { replaced, nodes_before });
        self.0.reading.current = self.0.parent(replaced).unwrap_or(NodeId::ROOT);
        ControlFlow::Continue(())
    }

    /// If the variation had no moves, its comments and glyphs belong to the move it was to replace, and so does its
    /// unread movetext, as a whole.
    fn end_variation(&mut self) {
        let GameTree { nodes, comments, nags, unread, text, reading, .. } = &mut *self.0;
        let Some(OpenVariation { replaced, .. }) = reading.variations.pop() else { return };
        let is_pending = |node: NodeId| node.index() >= nodes.len();
        for comment in comments.iter_mut().rev().take_while(|comment| is_pending(comment.node)) {
            (comment.node, comment.side) = (replaced, Side::After);
            reading.is_unordered = true;
        }
        for entry in nags.iter_mut().rev().take_while(|entry| is_pending(entry.node)) {
            entry.node = replaced;
            reading.is_unordered = true;
        }
        let read = unread.len() - unread.iter().rev().take_while(|entry| is_pending(entry.node)).count();
        if read < unread.len() {
            let texts: Vec<_> = unread.drain(read..).map(|entry| entry.text).collect();
            let text = text.push_in_brackets(&texts);
            unread.push(Unread { node: replaced, kind: UnreadKind::Variation, text });
        }
        reading.current = replaced;
    }

    fn result(&mut self, result: GameResult) {
        self.0.result = Some(result);
    }

    fn problem(&mut self, problem: Diagnostic) {
        if mem::take(&mut self.0.reading.is_over) {
            self.0.problems.clear();
        }
        self.0.problems.add(problem, GameTree::MAX_PROBLEMS);
    }

    fn end_game(&mut self, _: GameResult) {
        self.0.end_reading();
    }
}

impl GameTree {
    /// Completes a game that was read, wherever the text ended.
    fn end_reading(&mut self) {
        let mut builder = self.builder();
        if builder.0.reading.comment_start.is_some() {
            builder.comment(&[], true);
        }
        if builder.0.reading.unread_start.is_some() {
            builder.unread(&[], true);
        }
        while !builder.0.reading.variations.is_empty() {
            builder.end_variation();
        }
        // A variation that replaces nothing can be written behind a move if it has one pair of brackets more.
        for entry in self.unread.iter_mut().filter(|entry| entry.kind == UnreadKind::Before) {
            entry.text = self.text.push_in_brackets(&[entry.text]);
            entry.kind = UnreadKind::Variation;
        }
        if mem::take(&mut self.reading.is_unordered) || !self.unread.is_empty() {
            self.sort_remarks();
        }
        self.reading.is_over = true;
    }
}

/// Reads all games of a file, each into a tree of its own.
///
/// Problems of a game are in [`GameTree::problems`], the first thousand of them; an error means that the file could not
/// be read. Memory is that of the largest game: for files from strangers see [`BoundedTree`](crate::pgn::BoundedTree).
///
/// ```
/// use ferz_notation::pgn;
///
/// let file = "1. e4 e5 1-0\n\n1. d4 Ke7 *".as_bytes();
/// let games = pgn::games(file).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(games.len(), 2);
/// assert!(games[0].problems().is_empty());
/// assert_eq!(games[1].problems()[0].kind, pgn::Problem::IllegalMove);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn games<R: Read>(file: R) -> Games<R> {
    Games { reader: Reader::new(file), is_over: false, problems: BoundedDiagnostics::default() }
}

/// The games of a file; made by [`games`].
#[derive(Debug)]
pub struct Games<R> {
    reader: Reader<R>,
    is_over: bool,
    problems: BoundedDiagnostics,
}

impl<R> Games<R> {
    /// At the end of the file, the problems behind the last game, as in [`GameTree::problems`].
    pub fn problems(&self) -> &[Diagnostic] {
        &self.problems.kept
    }

    /// How many more there were, as in [`GameTree::omitted_problems`].
    pub fn omitted_problems(&self) -> u64 {
        self.problems.omitted
    }
}

impl<R: Read> Iterator for Games<R> {
    type Item = io::Result<GameTree>;

    fn next(&mut self) -> Option<io::Result<GameTree>> {
        if self.is_over {
            return None;
        }
        let mut tree = GameTree::new();
        match tree.read(&mut self.reader) {
            Ok(true) => Some(Ok(tree)),
            Ok(false) => {
                self.is_over = true;
                self.problems = tree.problems;
                None
            }
            Err(error) => {
                self.is_over = true;
                Some(Err(error))
            }
        }
    }
}

impl<R: Read> std::iter::FusedIterator for Games<R> {}

/// A text contains no game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoGame;

impl fmt::Display for NoGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text contains no game")
    }
}

impl error::Error for NoGame {}

/// Reads the first game of a text. Its problems are in [`GameTree::problems`].
impl FromStr for GameTree {
    type Err = NoGame;

    fn from_str(text: &str) -> Result<GameTree, NoGame> {
        let mut tree = GameTree::new();
        match tree.read(&mut Reader::new(text.as_bytes())) {
            Ok(true) => Ok(tree),
            Ok(false) | Err(_) => Err(NoGame),
        }
    }
}
