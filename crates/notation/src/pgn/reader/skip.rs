//! Comments, and the text that the visitor does not want.

use std::io::{self, Read};

use super::moves::{CLASS, Class};
use super::{Flow, Reader};
use crate::pgn::scan::{find_either, find_line_end};
use crate::pgn::{Diagnostic, GameResult, Problem, Visitor};

impl<R: Read> Reader<R> {
    /// A comment in braces. It does not nest, and ends at the first closing brace. One that is never closed
    /// must not swallow the games after it: it ends where a new game begins behind an empty line.
    pub(super) fn read_comment<V: Visitor>(
        &mut self,
        visitor: &mut V,
        ply: u32,
        wanted: bool,
    ) -> io::Result<()> {
        self.input.advance(1);
        let mut opened = None;
        let mut searched = 0;
        while self.input.look_ahead()? {
            let rest = self.input.rest();
            let found = find_either(&rest[searched..], b'}', b'\n').map(|found| searched + found);
            match found {
                Some(at) if rest[at] == b'}' => {
                    if wanted {
                        visitor.comment(&rest[..at], true);
                    }
                    self.input.advance(at + 1);
                    return Ok(());
                }
                Some(at) if rest.len() - at >= NEXT_GAME.len() || !self.input.has_more() => {
                    if starts_next_game(&rest[at..]) {
                        opened.get_or_insert_with(|| self.input.here());
                        self.hand_on(visitor, at, wanted);
                        break;
                    }
                    searched = at + 1;
                }
                _ if !self.input.is_full() && self.input.extend()? => {}
                _ => {
                    opened.get_or_insert_with(|| self.input.here());
                    let len = found.unwrap_or(usize::MAX).min(self.input.rest().len());
                    self.hand_on(visitor, len, wanted);
                    searched = 0;
                }
            }
        }
        if wanted {
            visitor.comment(&[], true);
        }
        let place = opened.unwrap_or_else(|| self.input.here());
        let kind = Problem::UnclosedComment;
        visitor.problem(Diagnostic { kind, place, game: self.games, ply, token: String::new() });
        Ok(())
    }

    /// A part of a comment that goes on.
    fn hand_on<V: Visitor>(&mut self, visitor: &mut V, len: usize, wanted: bool) {
        if wanted {
            visitor.comment(&self.input.rest()[..len], false);
        }
        self.input.advance(len);
    }

    /// A comment up to the end of the line.
    pub(super) fn read_line_comment<V: Visitor>(&mut self, visitor: &mut V) -> io::Result<()> {
        self.input.advance(1);
        while self.input.look_ahead()? {
            let rest = self.input.rest();
            if let Some(line_end) = find_line_end(rest) {
                visitor.comment(&rest[..line_end], true);
                self.input.advance(line_end);
                return Ok(());
            }
            if self.input.is_full() || !self.input.extend()? {
                self.hand_on(visitor, self.input.rest().len(), true);
            }
        }
        visitor.comment(&[], true);
        Ok(())
    }

    /// Comments in the line of the result belong to the game, and so does a second result.
    pub(super) fn read_behind_result<V: Visitor>(
        &mut self,
        visitor: &mut V,
        ply: u32,
        wanted: bool,
    ) -> io::Result<()> {
        while self.input.look_ahead()? && !self.input.is_at_line_start() {
            match self.input.byte() {
                b' ' | b'\t' | b'*' => self.input.advance(1),
                b'{' => self.read_comment(visitor, ply, wanted)?,
                b';' if wanted => self.read_line_comment(visitor)?,
                b';' => self.skip_line()?,
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

    /// Skips moves inside of `depth` brackets: up to the bracket that closes the variation, which stays unread
    /// ([`Flow::On`]), or to the end of the game, whose result is reported.
    #[inline(never)]
    pub(super) fn skip_moves<V: Visitor>(
        &mut self,
        visitor: &mut V,
        mut depth: usize,
        in_variation: bool,
    ) -> io::Result<Flow> {
        while self.input.look_ahead()? {
            match self.input.byte() {
                b'{' => self.read_comment(visitor, 0, false)?,
                b';' => self.skip_line()?,
                b'%' if self.input.is_at_line_start() => self.skip_line()?,
                b'[' if self.input.is_at_line_start() => return Ok(Flow::Over),
                b'(' => {
                    depth += 1;
                    self.input.advance(1);
                }
                b')' if depth == 1 && in_variation => return Ok(Flow::On),
                b')' => {
                    depth = depth.saturating_sub(1);
                    self.input.advance(1);
                }
                b'*' | b'0'..=b'9' => {
                    let len = self.word_len()?;
                    let text = &self.input.rest()[..len];
                    let result = GameResult::from_ascii(text);
                    let is_whole = result.is_some() || is_move_in_digits(text);
                    let read = if is_whole { len } else { number_len(text).max(1) };
                    self.input.advance(read);
                    if let Some(result) = result.filter(|_| depth == 0) {
                        self.end_with(visitor, result);
                        return Ok(Flow::Over);
                    }
                }
                b'$' => {
                    let digits =
                        self.input.rest()[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                    self.input.advance(1 + digits);
                }
                byte if CLASS[usize::from(byte)] == Class::Letter => {
                    let len = self.word_len()?;
                    self.input.advance(len);
                }
                _ => self.input.advance(1),
            }
        }
        Ok(Flow::Over)
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
