//! Game trees in bounded memory.

use std::{io, mem};

use ferz_board::{Move, Position};
use ferz_notation::pgn::{Diagnostic, GameResult, GameTree, Nag, Visitor};

use super::problems::Problems;

/// The maximum size of a game. A larger one is not a real game and must not fill the memory.
const MAX_GAME: usize = 32 << 20;

/// Builds the tree of each game that is read, and collects problems.
pub(in crate::commands) struct BoundedTree {
    tree: GameTree,
    problems: Problems,
    games: u64,
    /// The approximate memory of the game.
    size: usize,
}

impl BoundedTree {
    pub(in crate::commands) fn new() -> BoundedTree {
        BoundedTree { tree: GameTree::new(), problems: Problems::default(), games: 0, size: 0 }
    }

    /// The last game.
    pub(in crate::commands) fn tree(&self) -> &GameTree {
        &self.tree
    }

    /// The last game, mutable.
    pub(in crate::commands) fn tree_mut(&mut self) -> &mut GameTree {
        &mut self.tree
    }

    /// The number of games so far.
    pub(in crate::commands) fn games(&self) -> u64 {
        self.games
    }

    /// Whether the last game is too long. Its tree is incomplete then.
    pub(in crate::commands) fn is_too_long(&self) -> bool {
        self.size > MAX_GAME
    }

    /// The error for a game that is too long.
    pub(in crate::commands) fn too_long() -> io::Error {
        io::Error::other(format!("a game is longer than {} MiB", MAX_GAME >> 20))
    }

    /// Takes the problems found since the last call.
    pub(in crate::commands) fn take_problems(&mut self) -> Problems {
        mem::take(&mut self.problems)
    }

    /// Whether there is room for this many more bytes.
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
        // The approximate size of a node.
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
