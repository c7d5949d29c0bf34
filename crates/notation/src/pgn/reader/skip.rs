//! Comments, and the text that the visitor does not want.

use std::io::{self, Read};

use super::moves::{CLASS, Class};
use super::{Flow, Reader};
use crate::pgn::scan::{find_either, find_line_end};
use crate::pgn::{Diagnostic, GameResult, Problem, Visitor};

/// Who gets a comment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Recipient {
    /// [`Visitor::comment`]
    Comment,
    /// [`Visitor::unread`], with its braces.
    Unread,
    Nobody,
}

impl Recipient {
    fn take<V: Visitor>(self, visitor: &mut V, part: &[u8], last: bool) {
        match self {
            Recipient::Comment => visitor.comment(part, last),
            Recipient::Unread => visitor.unread(part, false),
            Recipient::Nobody => {}
        }
    }
}

/// Movetext that is passed over, and may be kept as [unread](Visitor::unread).
pub(super) struct Skipped {
    /// The open brackets.
    depth: usize,
    /// Whether the outermost bracket, that of the variation, ends it.
    in_variation: bool,
    is_kept: bool,
    /// What stands between the last piece that was kept and the next.
    gap: Gap,
    /// What is added at the end.
    behind: &'static [u8],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    Nothing,
    /// The next piece is the first.
    Start,
    Blank,
    LineEnd,
    /// A comment up to the end of the line, which must have one.
    OpenLine,
}

impl Skipped {
    pub(super) fn new(depth: usize, in_variation: bool) -> Skipped {
        Skipped { depth, in_variation, is_kept: false, gap: Gap::Start, behind: b"" }
    }

    /// Keeps the text.
    pub(super) fn keep(&mut self) {
        self.is_kept = true;
    }

    /// Keeps the text with the brackets of a variation around it.
    pub(super) fn keep_in_brackets<V: Visitor>(&mut self, visitor: &mut V) {
        (self.is_kept, self.gap, self.behind) = (true, Gap::Nothing, b")");
        visitor.unread(b"(", false);
    }

    fn recipient(&self) -> Recipient {
        if self.is_kept { Recipient::Unread } else { Recipient::Nobody }
    }

    /// Separates the next piece, which begins with a byte, from the last one.
    fn separate<V: Visitor>(&mut self, visitor: &mut V, first: u8) {
        if !self.is_kept {
            return;
        }
        let gap: &[u8] = match self.gap {
            // At the start of a line these would be an escaped line and the next game.
            Gap::Start if matches!(first, b'%' | b'[') => b" ",
            Gap::LineEnd | Gap::OpenLine if matches!(first, b'%' | b'[') => b"\n ",
            Gap::Nothing | Gap::Start => b"",
            Gap::Blank => b" ",
            Gap::LineEnd | Gap::OpenLine => b"\n",
        };
        if !gap.is_empty() {
            visitor.unread(gap, false);
        }
        self.gap = Gap::Nothing;
    }

    /// Takes note of a blank or a line end, or of something that is left out.
    fn note_blank(&mut self, byte: u8) {
        self.gap = match self.gap {
            Gap::Nothing | Gap::Blank if matches!(byte, b'\n' | b'\r') => Gap::LineEnd,
            Gap::Nothing => Gap::Blank,
            gap => gap,
        };
    }

    /// Closes what is open, and ends the text.
    fn close<V: Visitor>(&mut self, visitor: &mut V) {
        const BRACKETS: &[u8; 64] = &[b')'; 64];
        if !self.is_kept {
            return;
        }
        if self.gap == Gap::OpenLine {
            visitor.unread(b"\n", false);
        }
        self.gap = Gap::Nothing;
        let mut missing = self.depth - usize::from(self.in_variation);
        while missing > 0 {
            let count = missing.min(BRACKETS.len());
            visitor.unread(&BRACKETS[..count], false);
            missing -= count;
        }
        visitor.unread(self.behind, true);
    }
}

impl<R: Read> Reader<R> {
    /// A comment in braces. It does not nest, and ends at the first closing brace. One that is never closed
    /// must not swallow the games after it: it ends where a new game begins behind an empty line.
    pub(super) fn read_comment<V: Visitor>(
        &mut self,
        visitor: &mut V,
        ply: u32,
        recipient: Recipient,
    ) -> io::Result<()> {
        self.begin_comment(visitor, b"{", recipient);
        self.input.advance(1);
        let mut opened = None;
        let mut searched = 0;
        let is_closed = loop {
            if !self.input.look_ahead()? {
                break false;
            }
            let rest = self.input.rest();
            let found = find_either(&rest[searched..], b'}', b'\n').map(|found| searched + found);
            match found {
                Some(at) if rest[at] == b'}' => {
                    recipient.take(visitor, &rest[..at], true);
                    self.input.advance(at + 1);
                    break true;
                }
                Some(at) if rest.len() - at >= NEXT_GAME.len() || !self.input.has_more() => {
                    if starts_next_game(&rest[at..]) {
                        opened.get_or_insert_with(|| self.input.here());
                        self.hand_on(visitor, at, recipient);
                        break false;
                    }
                    searched = at + 1;
                }
                _ if !self.input.is_full() && self.input.extend()? => {}
                _ => {
                    opened.get_or_insert_with(|| self.input.here());
                    let len = found.unwrap_or(usize::MAX).min(self.input.rest().len());
                    self.hand_on(visitor, len, recipient);
                    searched = 0;
                }
            }
        };
        if !is_closed {
            recipient.take(visitor, &[], true);
            let place = opened.unwrap_or_else(|| self.input.here());
            let kind = Problem::UnclosedComment;
            let (game, token) = (self.games, String::new());
            visitor.problem(Diagnostic { kind, place, game, ply, token, reason: None });
        }
        if recipient == Recipient::Unread {
            visitor.unread(b"}", false);
        }
        Ok(())
    }

    fn begin_comment<V: Visitor>(&mut self, visitor: &mut V, mark: &[u8], recipient: Recipient) {
        match recipient {
            Recipient::Comment if V::PLACES => visitor.begins_at(self.input.here()),
            Recipient::Unread => visitor.unread(mark, false),
            Recipient::Comment | Recipient::Nobody => {}
        }
    }

    /// A part of a comment that goes on.
    fn hand_on<V: Visitor>(&mut self, visitor: &mut V, len: usize, recipient: Recipient) {
        recipient.take(visitor, &self.input.rest()[..len], false);
        self.input.advance(len);
    }

    /// A comment up to the end of the line.
    pub(super) fn read_line_comment<V: Visitor>(
        &mut self,
        visitor: &mut V,
        recipient: Recipient,
    ) -> io::Result<()> {
        self.begin_comment(visitor, b";", recipient);
        self.input.advance(1);
        while self.input.look_ahead()? {
            let rest = self.input.rest();
            if let Some(line_end) = find_line_end(rest) {
                recipient.take(visitor, &rest[..line_end], true);
                self.input.advance(line_end);
                return Ok(());
            }
            if self.input.is_full() || !self.input.extend()? {
                self.hand_on(visitor, self.input.rest().len(), recipient);
            }
        }
        recipient.take(visitor, &[], true);
        Ok(())
    }

    /// Comments in the line of the result belong to the game, and so does a second result.
    pub(super) fn read_behind_result<V: Visitor>(
        &mut self,
        visitor: &mut V,
        ply: u32,
        recipient: Recipient,
    ) -> io::Result<()> {
        while self.input.look_ahead()? && !self.input.is_at_line_start() {
            match self.input.byte() {
                b' ' | b'\t' | b'*' => self.input.advance(1),
                b'{' => self.read_comment(visitor, ply, recipient)?,
                b';' => self.read_line_comment(visitor, recipient)?,
                b'0'..=b'9' => {
                    let len = self.word_len()?;
                    if GameResult::from_ascii(&self.input.rest()[..len]).is_none() {
                        break;
                    }
                    self.input.advance(len);
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// Skips moves up to the bracket that closes the variation, which stays unread ([`Flow::On`]), or to the end of the
    /// game, whose result is reported.
    #[inline(never)]
    pub(super) fn skip_moves<V: Visitor>(
        &mut self,
        visitor: &mut V,
        skipped: &mut Skipped,
    ) -> io::Result<Flow> {
        let mut flow = Flow::Over;
        while self.input.look_ahead()? {
            let byte = self.input.byte();
            match byte {
                b'{' => {
                    skipped.separate(visitor, byte);
                    self.read_comment(visitor, 0, skipped.recipient())?;
                }
                b';' => {
                    skipped.separate(visitor, byte);
                    self.read_line_comment(visitor, skipped.recipient())?;
                    skipped.gap = Gap::OpenLine;
                }
                b'%' if self.input.is_at_line_start() => self.skip_line()?,
                b'[' if self.input.is_at_line_start() => break,
                b'(' => {
                    skipped.depth += 1;
                    self.pass(visitor, skipped, 1);
                }
                b')' if skipped.depth == 1 && skipped.in_variation => {
                    flow = Flow::On;
                    break;
                }
                b')' if skipped.depth == 0 => self.leave_out(skipped, 1),
                b')' => {
                    skipped.depth -= 1;
                    self.pass(visitor, skipped, 1);
                }
                b'*' | b'0'..=b'9' => {
                    let len = self.word_len()?;
                    let text = &self.input.rest()[..len];
                    match GameResult::from_ascii(text) {
                        Some(result) if skipped.depth == 0 => {
                            self.input.advance(len);
                            skipped.close(visitor);
                            self.end_with(visitor, result);
                            return Ok(Flow::Over);
                        }
                        // It would end the game if the variation became the main line.
                        Some(_) if skipped.depth == 1 && skipped.in_variation => self.leave_out(skipped, len),
                        Some(_) => self.pass(visitor, skipped, len),
                        None if is_move_in_digits(text) => self.pass(visitor, skipped, len),
                        None => self.pass(visitor, skipped, number_len(text).max(1)),
                    }
                }
                b'$' => {
                    let digits =
                        self.input.rest()[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                    self.pass(visitor, skipped, 1 + digits);
                }
                0..=b' ' => {
                    skipped.note_blank(byte);
                    self.input.advance(1);
                }
                _ if CLASS[usize::from(byte)] == Class::Letter => {
                    let len = self.word_len()?;
                    self.pass(visitor, skipped, len);
                }
                _ => self.pass(visitor, skipped, 1),
            }
        }
        skipped.close(visitor);
        Ok(flow)
    }

    /// Passes over a piece of movetext.
    fn pass<V: Visitor>(&mut self, visitor: &mut V, skipped: &mut Skipped, len: usize) {
        skipped.separate(visitor, self.input.byte());
        if skipped.is_kept {
            visitor.unread(&self.input.rest()[..len], false);
        }
        self.input.advance(len);
    }

    /// Passes over a piece that is not kept.
    fn leave_out(&mut self, skipped: &mut Skipped, len: usize) {
        skipped.note_blank(b' ');
        self.input.advance(len);
    }

    /// The result that ends the game.
    pub(super) fn end_with<V: Visitor>(&mut self, visitor: &mut V, result: GameResult) {
        self.result = Some(result);
        visitor.result(result);
    }
}

/// Whether a word that begins with a digit may be castling or a null move.
pub(super) fn is_move_in_digits(text: &[u8]) -> bool {
    text.starts_with(b"0-0") || text.starts_with(b"0000")
}

/// How long the number is that a word begins with.
pub(super) fn number_len(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// What words are made of: letters, digits and signs of all kinds of notation, and everything that is not
/// ASCII.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'=' | b'-' | b'/' | b':' | b'_' | 0x80..)
}

/// An empty line and the start of a game, the longest way to write it.
const NEXT_GAME: &[u8] = b"\n\r\n[Event \"";

/// Whether a line feed is followed by an empty line and the first tag of a new game.
fn starts_next_game(text: &[u8]) -> bool {
    text.starts_with(b"\n\n[Event \"") || text.starts_with(NEXT_GAME)
}
