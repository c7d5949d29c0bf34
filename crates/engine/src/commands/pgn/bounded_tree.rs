//! Games from files as trees, in bounded memory.

use std::{io, mem};

use ferz_board::{Move, Position};
use ferz_notation::pgn::{Diagnostic, GameResult, GameTree, Nag, Visitor};

use super::problems::Problems;

/// A game with more text is none, and must not fill the memory.
const MAX_GAME: usize = 32 << 20;

/// The tree of the game that is read, and what is wrong with it and those before.
pub(in crate::commands) struct BoundedTree {
    tree: GameTree,
    problems: Problems,
    games: u64,
    /// How much memory the text and the moves of the game take.
    size: usize,
}

impl BoundedTree {
    pub(in crate::commands) fn new() -> BoundedTree {
        BoundedTree { tree: GameTree::new(), problems: Problems::default(), games: 0, size: 0 }
    }

    /// The last game that was read.
    pub(in crate::commands) fn tree(&self) -> &GameTree {
        &self.tree
    }

    /// The same, to be changed.
    pub(in crate::commands) fn tree_mut(&mut self) -> &mut GameTree {
        &mut self.tree
    }

    /// How many games have begun.
    pub(in crate::commands) fn games(&self) -> u64 {
        self.games
    }

    /// Whether the last game is. Its tree is not whole, then.
    pub(in crate::commands) fn is_too_long(&self) -> bool {
        self.size > MAX_GAME
    }

    /// Why nothing is read behind a game that is too long.
    pub(in crate::commands) fn too_long() -> io::Error {
        io::Error::other(format!("a game of more than {} MiB", MAX_GAME >> 20))
    }

    /// The problems of the games read since the last call.
    pub(in crate::commands) fn take_problems(&mut self) -> Problems {
        mem::take(&mut self.problems)
    }

    /// Whether there is room for so many bytes more.
    fn has_room(&mut self, len: usize) -> bool {
        self.size += len;
        !self.is_too_long()
    }
}

impl Visitor for BoundedTree {
    fn begin_game(&mut self) {
        self.games += 1;
        self.size = 0;
        self.problems.next_game();
        self.tree.builder().begin_game();
    }

    fn tag(&mut self, name: &[u8], value: &[u8]) {
        if self.has_room(name.len() + value.len()) {
            self.tree.builder().tag(name, value);
        }
    }

    fn begin_moves(&mut self, start: &Position) -> bool {
        self.tree.builder().begin_moves(start)
    }

    fn mv(&mut self, mv: Option<Move>) {
        // About as much as it takes in the tree.
        if self.has_room(16) {
            self.tree.builder().mv(mv);
        }
    }

    fn comment(&mut self, part: &[u8], last: bool) {
        if self.has_room(part.len()) {
            self.tree.builder().comment(part, last);
        }
    }

    fn nag(&mut self, nag: Nag) {
        if self.has_room(8) {
            self.tree.builder().nag(nag);
        }
    }

    fn begin_variation(&mut self) {
        self.tree.builder().begin_variation();
    }

    fn end_variation(&mut self) {
        self.tree.builder().end_variation();
    }

    fn result(&mut self, result: GameResult) {
        self.tree.builder().result(result);
    }

    fn problem(&mut self, problem: Diagnostic) {
        self.problems.add(problem);
    }

    fn end_game(&mut self) {
        self.problems.next_game();
        self.tree.builder().end_game();
    }
}
