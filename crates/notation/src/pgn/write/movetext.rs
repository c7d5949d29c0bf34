//! The moves of a game as text.

use ferz_board::Color;

use super::WriteOptions;
use super::lines::{Lines, number};
use crate::pgn::tree::Boards;
use crate::pgn::{GameTree, Nag, NodeId, WalkEvent};
use crate::san::San;

/// Writes the moves of one game.
pub(super) struct MoveWriter<'a> {
    game: &'a GameTree,
    options: &'a WriteOptions,
    lines: &'a mut Lines,
    boards: &'a mut Boards,
    /// Whether Black's next move needs a number: it does not right behind White's.
    needs_number: bool,
    /// Whether the next move begins a variation.
    begins_variation: bool,
    /// The last move of the line, and of those that are interrupted.
    last: NodeId,
    outer: Vec<NodeId>,
}

impl<'a> MoveWriter<'a> {
    pub(super) fn new(
        game: &'a GameTree,
        options: &'a WriteOptions,
        lines: &'a mut Lines,
        boards: &'a mut Boards,
    ) -> MoveWriter<'a> {
        boards.reset(game.start());
        let (last, outer) = (NodeId::ROOT, Vec::new());
        MoveWriter { game, options, lines, boards, needs_number: true, begins_variation: false, last, outer }
    }

    pub(super) fn write(mut self) {
        self.write_remarks(NodeId::ROOT);
        if self.options.variations {
            for event in self.game.walk() {
                match event {
                    WalkEvent::Move(node) => self.write_move(node),
                    WalkEvent::BeginVariation => {
                        self.lines.open_bracket();
                        self.boards.begin_variation();
                        self.outer.push(self.last);
                        self.needs_number = true;
                        self.begins_variation = true;
                    }
                    WalkEvent::EndVariation => {
                        self.write_tail();
                        self.lines.suffix(")");
                        self.boards.end_variation();
                        self.last = self.outer.pop().unwrap_or(NodeId::ROOT);
                        self.needs_number = true;
                    }
                }
            }
        } else {
            self.game.main_line().for_each(|node| self.write_move(node));
        }
        self.write_tail();
        self.lines.token(self.game.termination().as_str());
        self.lines.end_line();
    }

    fn write_move(&mut self, node: NodeId) {
        if std::mem::take(&mut self.begins_variation) && self.options.comments {
            self.game.comments_before(node).for_each(|comment| self.lines.comment(&comment));
        }
        self.write_number();
        let mv = self.game.mv(node);
        match mv {
            Some(mv) => self.lines.token(San::new(self.boards.position(), mv).as_str()),
            None => self.lines.token("--"),
        }
        self.boards.play(mv);
        self.last = node;
        self.write_remarks(node);
    }

    fn write_number(&mut self) {
        let position = self.boards.position();
        let move_number = position.fullmove_number();
        match position.side_to_move() {
            Color::White => self.lines.token(number("", move_number, ".").as_str()),
            Color::Black if self.needs_number => self.lines.token(number("", move_number, "...").as_str()),
            Color::Black => {}
        }
        self.needs_number = false;
    }

    /// The rest of the line, if it could not be read.
    fn write_tail(&mut self) {
        if let Some(text) = self.game.unread(self.last) {
            // Otherwise the text has its own.
            if self.game.has_known_start() {
                self.write_number();
            }
            self.lines.verbatim(&text);
        }
    }

    /// What stands behind a move, or before the first.
    fn write_remarks(&mut self, node: NodeId) {
        if self.options.nags {
            self.write_nags(node);
        }
        if self.options.comments {
            for comment in self.game.comments(node) {
                self.lines.comment(&comment);
                self.needs_number = true;
            }
        }
        if self.options.variations {
            for variation in self.game.unread_variations(node) {
                self.lines.verbatim(&variation);
                self.needs_number = true;
            }
        }
    }

    fn write_nags(&mut self, node: NodeId) {
        for (place, nag) in self.game.nags(node).enumerate() {
            match nag.symbol().filter(|_| self.options.symbols) {
                // Only the first: two signs in a row could be read as one.
                Some(symbol) if place == 0 && nag <= Nag::DUBIOUS && node != NodeId::ROOT => {
                    self.lines.suffix(symbol);
                }
                Some(symbol) => self.lines.token(symbol),
                None => self.lines.token(number("$", nag.0.into(), "").as_str()),
            }
        }
    }
}
