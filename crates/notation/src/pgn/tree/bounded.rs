//! Game trees in bounded memory.

use std::ops::ControlFlow;
use std::{error, fmt, mem};

use ferz_board::{Move, Position};

use super::GameTree;
use super::node::Node;
use super::remarks::{Comment, NodeNag};
use super::tags::StoredTag;
use super::unread::Unread;
use crate::pgn::tag::ShortTag;
use crate::pgn::{Diagnostic, GameResult, Nag, Stop, Visitor};

/// How large a game may be for a [`BoundedTree`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeLimits {
    /// Moves, those of variations included.
    pub moves: usize,
    /// Bytes of tags, comments and unread movetext.
    pub text: usize,
    /// Bytes that moves, tags, comments and glyphs take together. (Vectors that grow may reserve twice as much.)
    pub memory: usize,
    /// How many diagnostics of a game are kept. More are counted, and are no reason to refuse the game.
    pub diagnostics: usize,
}

/// 32 MiB of memory, without a limit of its own on moves or text, and 100 diagnostics.
impl Default for TreeLimits {
    fn default() -> TreeLimits {
        TreeLimits { moves: usize::MAX, text: usize::MAX, memory: 32 << 20, diagnostics: 100 }
    }
}

/// One of the [`TreeLimits`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum TreeLimit {
    /// [`TreeLimits::moves`]
    Moves,
    /// [`TreeLimits::text`]
    Text,
    /// [`TreeLimits::memory`]
    Memory,
}

/// A game exceeds one of the [`TreeLimits`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameTooLarge {
    /// Which limit.
    pub limit: TreeLimit,
    /// Its value.
    pub maximum: usize,
}

impl fmt::Display for GameTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let maximum = self.maximum;
        match self.limit {
            TreeLimit::Moves => write!(f, "the game has more than {maximum} moves"),
            TreeLimit::Text => write!(f, "the game has more than {maximum} bytes of text"),
            TreeLimit::Memory if maximum >= 1 << 20 => {
                write!(f, "the game takes more than {} MiB of memory", maximum >> 20)
            }
            TreeLimit::Memory => write!(f, "the game takes more than {maximum} bytes of memory"),
        }
    }
}

impl error::Error for GameTooLarge {}

/// The first diagnostics of a game and the number of the others; see [`BoundedTree::take_diagnostics`].
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct BoundedDiagnostics {
    /// The first ones, up to [`TreeLimits::diagnostics`].
    pub kept: Vec<Diagnostic>,
    /// How many more there were.
    pub omitted: u64,
}

impl BoundedDiagnostics {
    pub(super) fn add(&mut self, diagnostic: Diagnostic, limit: usize) {
        if self.kept.len() < limit {
            self.kept.push(diagnostic);
        } else {
            self.omitted += 1;
        }
    }

    /// Forgets all but the memory.
    pub(super) fn clear(&mut self) {
        self.kept.clear();
        self.omitted = 0;
    }
}

/// A visitor that builds the tree of a game, as long as the game keeps within limits.
///
/// A [`GameTree`] holds up to 4 GiB of text and as many moves, and a hostile file has games of that size. This visitor
/// stops building when a limit is exceeded; the rest of the game is skipped, and the reader goes on with the next. One `BoundedTree` serves for
/// all games of a file and reuses its memory.
///
/// Diagnostics are kept beside the tree, in bounded memory, too: [`GameTree::problems`] is empty.
///
/// ```
/// use ferz_notation::pgn::{BoundedTree, Reader, TreeLimit, TreeLimits};
///
/// let file = "1. e4 e5 2. Nf3 *\n\n1. d4 (1. c4 c5) d5 2. c4 *".as_bytes();
/// let mut game = BoundedTree::new(TreeLimits { moves: 4, ..TreeLimits::default() });
/// let mut reader = Reader::new(file);
///
/// assert!(reader.read_game(&mut game)?);
/// assert_eq!(game.tree()?.main_line().count(), 3);
///
/// assert!(reader.read_game(&mut game)?);
/// let error = game.tree().unwrap_err();
/// assert_eq!(error.limit, TreeLimit::Moves);
/// assert_eq!(error.to_string(), "the game has more than 4 moves");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct BoundedTree {
    limits: TreeLimits,
    tree: GameTree,
    text: usize,
    memory: usize,
    exceeded: Option<GameTooLarge>,
    diagnostics: BoundedDiagnostics,
    /// Whether the next diagnostic belongs to a different game.
    is_over: bool,
}

impl BoundedTree {
    /// An empty tree that keeps within these limits.
    #[must_use]
    pub fn new(limits: TreeLimits) -> BoundedTree {
        BoundedTree { limits, ..BoundedTree::default() }
    }

    /// The last game, or the limit that it exceeds.
    pub fn tree(&self) -> Result<&GameTree, GameTooLarge> {
        match self.exceeded {
            None => Ok(&self.tree),
            Some(exceeded) => Err(exceeded),
        }
    }

    /// The last game, to be changed. What is added here is not limited.
    pub fn tree_mut(&mut self) -> Result<&mut GameTree, GameTooLarge> {
        match self.exceeded {
            None => Ok(&mut self.tree),
            Some(exceeded) => Err(exceeded),
        }
    }

    /// Takes the diagnostics of the last game, including those between it and the game before. At the end of a file
    /// there may be some behind the last game.
    ///
    /// Diagnostics that nobody takes are dropped when the next game has some, or begins.
    ///
    /// ```
    /// use ferz_notation::pgn::{BoundedTree, Problem, Reader, TreeLimits};
    ///
    /// let mut game = BoundedTree::new(TreeLimits { diagnostics: 1, ..TreeLimits::default() });
    /// Reader::new("1. e4 & % Ke3 *".as_bytes()).read_game(&mut game)?;
    /// let diagnostics = game.take_diagnostics();
    /// assert_eq!(diagnostics.kept[0].kind, Problem::StrayCharacter);
    /// assert_eq!(diagnostics.omitted, 2);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn take_diagnostics(&mut self) -> BoundedDiagnostics {
        mem::take(&mut self.diagnostics)
    }

    /// Whether there is room for more text and memory, which are counted then.
    #[inline]
    fn reserve(&mut self, text: usize, memory: usize) -> bool {
        if self.exceeded.is_none() {
            self.text += text;
            self.memory += memory;
            if self.text > self.limits.text {
                self.refuse(TreeLimit::Text, self.limits.text);
            } else if self.memory > self.limits.memory {
                self.refuse(TreeLimit::Memory, self.limits.memory);
            }
        }
        self.exceeded.is_none()
    }

    #[cold]
    fn refuse(&mut self, limit: TreeLimit, maximum: usize) {
        self.exceeded = Some(GameTooLarge { limit, maximum });
    }

    /// Diagnostics of an earlier game are dropped.
    fn begin_diagnostics(&mut self) {
        if mem::take(&mut self.is_over) {
            self.diagnostics = BoundedDiagnostics::default();
        }
    }
}

impl Visitor for BoundedTree {
    fn begin_game(&mut self) {
        self.begin_diagnostics();
        (self.text, self.memory, self.exceeded) = (0, 0, None);
        self.tree.builder().begin_game();
    }

    #[inline]
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        let len = name.len() + value.len();
        if self.reserve(len, len + size_of::<StoredTag>()) {
            self.tree.builder().tag(name, value);
        }
    }

    #[inline]
    fn short_tag(&mut self, tag: ShortTag<'_>) {
        // The tree stores the whole block.
        let len = tag.name().len() + tag.value().len();
        if self.reserve(len, tag.block().len() + size_of::<StoredTag>()) {
            self.tree.builder().short_tag(tag);
        }
    }

    fn begin_moves(&mut self, start: &Position) -> ControlFlow<Stop> {
        if self.exceeded.is_some() {
            return ControlFlow::Break(Stop::Game);
        }
        self.tree.builder().begin_moves(start)
    }

    #[inline]
    fn mv(&mut self, mv: Option<Move>) -> ControlFlow<Stop> {
        if self.tree.size() >= self.limits.moves && self.exceeded.is_none() {
            self.refuse(TreeLimit::Moves, self.limits.moves);
        }
        if !self.reserve(0, size_of::<Node>()) {
            return ControlFlow::Break(Stop::Game);
        }
        self.tree.builder().mv(mv)
    }

    #[inline]
    fn comment(&mut self, part: &[u8], last: bool) {
        let entry = if last { size_of::<Comment>() } else { 0 };
        if self.reserve(part.len(), part.len() + entry) {
            self.tree.builder().comment(part, last);
        }
    }

    #[inline]
    fn nag(&mut self, nag: Nag) {
        if self.reserve(0, size_of::<NodeNag>()) {
            self.tree.builder().nag(nag);
        }
    }

    fn unread(&mut self, part: &[u8], last: bool) {
        let entry = if last { size_of::<Unread>() } else { 0 };
        if self.reserve(part.len(), part.len() + entry) {
            self.tree.builder().unread(part, last);
        }
    }

    fn begin_variation(&mut self) -> ControlFlow<Stop> {
        if self.exceeded.is_some() {
            return ControlFlow::Break(Stop::Game);
        }
        self.tree.builder().begin_variation()
    }

    fn end_variation(&mut self) {
        if self.exceeded.is_none() {
            self.tree.builder().end_variation();
        }
    }

    fn result(&mut self, result: GameResult) {
        self.tree.builder().result(result);
    }

    fn problem(&mut self, problem: Diagnostic) {
        self.begin_diagnostics();
        self.diagnostics.add(problem, self.limits.diagnostics);
    }

    fn end_game(&mut self, result: GameResult) {
        self.tree.builder().end_game(result);
        self.is_over = true;
    }
}
