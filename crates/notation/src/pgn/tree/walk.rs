//! Walking through a tree in the order of its text.

use std::iter::FusedIterator;

use ferz_board::{Move, Position};

use super::{GameTree, LineMoves, NodeId};

/// An event of a [walk](GameTree::walk).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
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
    /// replace. The walk does not recurse, however deeply they are nested.
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
    ///         _ => {}
    ///     }
    /// }
    /// assert_eq!(sketch, "e4e5(c5)(e6)f3");
    /// # Ok::<(), ferz_notation::pgn::NoGame>(())
    /// ```
    pub fn walk(&self) -> Walk<'_> {
        Walk { tree: self, next: Next::After(NodeId::ROOT), open: Vec::new() }
    }

    /// All moves of the tree in the order of a [walk](GameTree::walk), each with the position it leads to. Those of
    /// the game as it was played are [`main_line_positions`](GameTree::main_line_positions).
    pub fn positions(&self) -> Positions<'_> {
        Positions { walk: self.walk(), boards: Boards::new(&self.start) }
    }

    /// The moves of the main line, each with the position it leads to.
    ///
    /// ```
    /// use ferz_notation::pgn::GameTree;
    ///
    /// let tree: GameTree = "1. e4 e5 (1... c5 2. Nf3) 2. f4 *".parse()?;
    /// assert_eq!((tree.main_line_positions().count(), tree.positions().count()), (3, 5));
    /// let (_, last) = tree.main_line_positions().last().unwrap();
    /// assert_eq!(last.to_string(), "rnbqkbnr/pppp1ppp/8/4p3/4PP2/8/PPPP2PP/RNBQKBNR b KQkq - 0 2");
    /// # Ok::<(), ferz_notation::pgn::NoGame>(())
    /// ```
    pub fn main_line_positions(&self) -> MainLinePositions<'_> {
        MainLinePositions { line: self.main_line(), tree: self, position: self.start }
    }
}

/// The events of a tree; made by [`GameTree::walk`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Walk<'a> {
    tree: &'a GameTree,
    next: Next,
    /// The variations that are open.
    open: Vec<OpenVariation>,
}

/// What comes next.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// The line goes on behind this move.
    After(NodeId),
    /// A variation opens.
    Open(OpenVariation),
    /// The first move of the variation just opened.
    First(NodeId),
}

#[derive(Clone, Copy, Debug)]
struct OpenVariation {
    first: NodeId,
    /// The move it replaces, behind which the walk goes on.
    replaced: NodeId,
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
                None => {
                    let OpenVariation { first, replaced } = self.open.pop()?;
                    self.next = self.after_alternative(first, replaced);
                    Some(WalkEvent::EndVariation)
                }
            },
            Next::Open(variation) => {
                self.open.push(variation);
                self.next = Next::First(variation.first);
                Some(WalkEvent::BeginVariation)
            }
            Next::First(node) => {
                self.next = Next::After(node);
                Some(WalkEvent::Move(node))
            }
        }
    }
}

impl Walk<'_> {
    /// Behind a move or one of its variations: the next variation, or behind the last one the line itself.
    fn after_alternative(&self, node: NodeId, replaced: NodeId) -> Next {
        match self.tree.next_sibling(node) {
            Some(first) => Next::Open(OpenVariation { first, replaced }),
            None => Next::After(replaced),
        }
    }
}

impl FusedIterator for Walk<'_> {}

/// Moves and the positions they lead to; made by [`GameTree::positions`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
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

/// Moves of the main line and the positions they lead to; made by [`GameTree::main_line_positions`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct MainLinePositions<'a> {
    line: LineMoves<'a>,
    tree: &'a GameTree,
    position: Position,
}

impl Iterator for MainLinePositions<'_> {
    type Item = (NodeId, Position);

    fn next(&mut self) -> Option<(NodeId, Position)> {
        let node = self.line.next()?;
        // The moves of a tree are legal.
        play(&mut self.position, self.tree.mv(node));
        Some((node, self.position))
    }
}

impl FusedIterator for MainLinePositions<'_> {}

/// The board of the line that is being walked, and those of the lines it interrupts.
#[derive(Clone, Debug, Default)]
pub(in crate::pgn) struct Boards {
    line: LineBoards,
    outer: Vec<LineBoards>,
}

/// The positions after and before the last move of a line, by turns in one place and the other, so that none is
/// copied.
#[derive(Clone, Copy, Debug, Default)]
struct LineBoards {
    positions: [Position; 2],
    is_second: bool,
}

impl Boards {
    fn new(start: &Position) -> Boards {
        let mut boards = Boards::default();
        boards.reset(start);
        boards
    }

    /// Starts a new walk.
    pub(in crate::pgn) fn reset(&mut self, start: &Position) {
        self.line.positions = [*start; 2];
        self.outer.clear();
    }

    pub(in crate::pgn) fn position(&self) -> &Position {
        &self.line.positions[usize::from(self.line.is_second)]
    }

    pub(in crate::pgn) fn play(&mut self, mv: Option<Move>) {
        let LineBoards { positions: [first, second], is_second } = &mut self.line;
        let (now, next) = if *is_second { (second, first) } else { (first, second) };
        match mv {
            Some(mv) if now.is_legal(mv) => now.play_into(mv, next, &mut ()),
            Some(_) => *next = *now,
            None => *next = now.null_move().unwrap_or(*now),
        }
        *is_second = !*is_second;
    }

    pub(in crate::pgn) fn begin_variation(&mut self) {
        self.outer.push(self.line);
        self.line.is_second = !self.line.is_second;
    }

    pub(in crate::pgn) fn end_variation(&mut self) {
        if let Some(line) = self.outer.pop() {
            self.line = line;
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
