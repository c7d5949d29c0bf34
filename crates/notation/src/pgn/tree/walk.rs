//! Walking through a tree in the order of its text.

use std::iter::FusedIterator;

use ferz_board::{Move, Position};

use super::{GameTree, NodeId};

/// What a [walk](GameTree::walk) comes to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WalkEvent {
    /// A move.
    Move(NodeId),
    /// A variation: its moves come next, and replace the last one.
    BeginVariation,
    /// Its end. The line goes on that it interrupted.
    EndVariation,
}

impl GameTree {
    /// Walks through all moves in the order in which PGN has them: variations come right behind the move they
    /// replace. It takes neither recursion nor memory, however deeply they are nested.
    ///
    /// ```
    /// use ferz_notation::pgn::{GameTree, WalkEvent};
    ///
    /// let tree: GameTree = "1. e4 e5 (1... c5 (1... e6)) 2. Nf3 *".parse()?;
    /// let mut sketch = String::new();
    /// for event in tree.walk() {
    ///     match event {
    ///         WalkEvent::Move(node) => sketch += &tree.mv(node).unwrap().to().to_string(),
    ///         WalkEvent::BeginVariation => sketch += "(",
    ///         WalkEvent::EndVariation => sketch += ")",
    ///     }
    /// }
    /// assert_eq!(sketch, "e4e5(c5)(e6)f3");
    /// # Ok::<(), ferz_notation::pgn::NoGame>(())
    /// ```
    pub fn walk(&self) -> Walk<'_> {
        Walk { tree: self, next: Next::After(NodeId::ROOT) }
    }

    /// All moves of the tree in the order of a [walk](GameTree::walk), each with the position it leads to.
    pub fn positions(&self) -> Positions<'_> {
        Positions { walk: self.walk(), boards: Boards::new(&self.start) }
    }
}

/// The events of a tree; made by [`GameTree::walk`].
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    tree: &'a GameTree,
    next: Next,
}

/// What comes next.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// The line goes on behind this move.
    After(NodeId),
    /// A variation opens that begins with this move.
    Open(NodeId),
    /// The first move of the variation just opened.
    First(NodeId),
    Nothing,
}

impl Iterator for Walk<'_> {
    type Item = WalkEvent;

    fn next(&mut self) -> Option<WalkEvent> {
        match self.next {
            Next::After(node) => match self.tree.next(node) {
                Some(child) => {
                    self.next = self.after_alternative(child, child);
                    Some(WalkEvent::Move(child))
                }
                None => self.close_line(node),
            },
            Next::Open(node) => {
                self.next = Next::First(node);
                Some(WalkEvent::BeginVariation)
            }
            Next::First(node) => {
                self.next = Next::After(node);
                Some(WalkEvent::Move(node))
            }
            Next::Nothing => None,
        }
    }
}

impl Walk<'_> {
    /// Behind a move or its variation: the next variation, or behind the last one the line itself.
    fn after_alternative(&self, node: NodeId, line: NodeId) -> Next {
        self.tree.next_sibling(node).map_or(Next::After(line), Next::Open)
    }

    /// The line of which `node` is the last move ends. Every line is climbed once, so the whole walk takes
    /// linear time.
    fn close_line(&mut self, node: NodeId) -> Option<WalkEvent> {
        let start = self.tree.line_start(node);
        match self.tree.parent(start).and_then(|parent| self.tree.next(parent)) {
            Some(line) => {
                self.next = self.after_alternative(start, line);
                Some(WalkEvent::EndVariation)
            }
            None => {
                self.next = Next::Nothing;
                None
            }
        }
    }
}

impl FusedIterator for Walk<'_> {}

/// Moves and the positions they lead to; made by [`GameTree::positions`].
#[derive(Clone, Debug)]
pub struct Positions<'a> {
    walk: Walk<'a>,
    boards: Boards,
}

impl Iterator for Positions<'_> {
    type Item = (NodeId, Position);

    fn next(&mut self) -> Option<(NodeId, Position)> {
        loop {
            match self.walk.next()? {
                WalkEvent::Move(node) => {
                    self.boards.play(self.walk.tree.mv(node));
                    return Some((node, *self.boards.position()));
                }
                WalkEvent::BeginVariation => self.boards.begin_variation(),
                WalkEvent::EndVariation => self.boards.end_variation(),
            }
        }
    }
}

impl FusedIterator for Positions<'_> {}

/// The board of the line that is being walked, and those of the lines it interrupts.
#[derive(Clone, Debug, Default)]
pub(in crate::pgn) struct Boards {
    now: Position,
    /// Before the last move: variations go back to it.
    before: Position,
    outer: Vec<(Position, Position)>,
}

impl Boards {
    fn new(start: &Position) -> Boards {
        Boards { now: *start, before: *start, outer: Vec::new() }
    }

    /// Starts another walk.
    pub(in crate::pgn) fn reset(&mut self, start: &Position) {
        (self.now, self.before) = (*start, *start);
        self.outer.clear();
    }

    pub(in crate::pgn) fn position(&self) -> &Position {
        &self.now
    }

    pub(in crate::pgn) fn play(&mut self, mv: Option<Move>) {
        self.before = self.now;
        play(&mut self.now, mv);
    }

    pub(in crate::pgn) fn begin_variation(&mut self) {
        self.outer.push((self.now, self.before));
        self.now = self.before;
    }

    pub(in crate::pgn) fn end_variation(&mut self) {
        if let Some((now, before)) = self.outer.pop() {
            (self.now, self.before) = (now, before);
        }
    }
}

/// Plays a move, or a null move; false if it is not legal.
pub(super) fn play(position: &mut Position, mv: Option<Move>) -> bool {
    match mv {
        Some(mv) => position.play(mv).is_ok(),
        None => position.null_move().map(|next| *position = next).is_some(),
    }
}
