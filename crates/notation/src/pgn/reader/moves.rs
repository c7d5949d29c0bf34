//! The moves of a game, and everything between them.

use std::io::{self, Read};
use std::ops::ControlFlow;

use super::skip::{Recipient, Skipped, is_move_in_digits, is_word_byte, number_len};
use super::{Flow, Reader};
use crate::pgn::byte_masks::ByteMasks;
use crate::pgn::replay::{ReplayBoard, ReplayError};
use crate::pgn::token::{Decoded, SanTokens};
use crate::pgn::vectors::Vectors;
use crate::pgn::{GameResult, Movetext, Nag, Problem, Stop, Visitor};

/// Deeper nesting than this is an attack, not a game.
const MAX_DEPTH: usize = 1 << 16;

/// The state while the moves of a game are read.
struct LineReader<'a, V, B> {
    visitor: &'a mut V,
    board: B,
    /// The board before the last move of the line: variations go back to it.
    before: Option<B>,
    ply: u32,
    /// For each open variation the line it interrupts.
    outer: Vec<OuterLine<B>>,
    /// What the visitor skips.
    stop: Option<Stop>,
}

struct OuterLine<B> {
    board: B,
    before: Option<B>,
    ply: u32,
}

impl<V: Visitor, B: ReplayBoard> LineReader<'_, V, B> {
    /// Plays a common SAN move; `None` if the token is anything else.
    #[inline(always)]
    fn play_common(
        &mut self,
        vectors: impl Vectors,
        now: &B,
        next: &mut B,
        token: Decoded,
    ) -> Option<ControlFlow<Stop>> {
        let played = now.play_common(vectors, token, next)?;
        self.ply += 1;
        Some(B::report(self.visitor, now, played.mv(), next))
    }

    /// Plays a move of any kind.
    fn play_any(&mut self, text: &[u8]) -> Result<ControlFlow<Stop>, ReplayError> {
        let before = self.board;
        let mv = self.board.play_any(text)?;
        self.before = Some(before);
        self.ply += 1;
        Ok(B::report(self.visitor, &before, mv, &self.board))
    }

    /// Takes note of what the visitor skips.
    #[inline(always)]
    fn heed(&mut self, flow: ControlFlow<Stop>) {
        self.stop = flow.break_value();
    }

    /// The boards after and before the last move, if there was one.
    #[inline(always)]
    fn set_boards(&mut self, now: &B, before: &B, moved: bool) {
        if moved {
            self.board = *now;
            self.before = Some(*before);
        }
    }

    /// Reads any other move, e.g. castling; `None` if the token is not a legal move.
    #[inline(never)]
    fn read_uncommon_move(&mut self, text: &[u8]) -> Option<ControlFlow<Stop>> {
        if V::MOVETEXT == Movetext::Tokens {
            self.ply += 1;
            return Some(self.visitor.san(text));
        }
        self.play_any(text).ok()
    }
}

/// Whether a word is a move but for its piece letter, as `Sf3` or `Кg1` are. A letter outside ASCII may have any number
/// of bytes: the encoding of the file is unknown.
fn is_foreign_move(text: &[u8]) -> bool {
    let letter = match text {
        [b'N' | b'B' | b'R' | b'Q' | b'K' | b'O', ..] => return false,
        [b'A'..=b'Z', ..] => 1,
        _ => text.iter().take_while(|byte| !byte.is_ascii()).count(),
    };
    let end = text.iter().rposition(|byte| !b"+#!?".contains(byte)).map_or(0, |last| last + 1);
    match text.get(letter..end) {
        Some([origin @ .., b'a'..=b'h', b'1'..=b'8']) => {
            letter > 0 && origin.iter().all(|byte| b"abcdefgh12345678x:".contains(byte))
        }
        _ => false,
    }
}

/// What a byte can be the start of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Blank,
    Letter,
    Digit,
    Special,
}

pub(super) static CLASS: [Class; 256] = {
    let mut table = [Class::Special; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            0..=b' ' | b'.' => Class::Blank,
            b'0'..=b'9' => Class::Digit,
            b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'+' | b'=' | 0x80.. => Class::Letter,
            _ => Class::Special,
        };
        byte += 1;
    }
    table
};

impl<R: Read> Reader<R> {
    #[inline(always)]
    pub(super) fn read_moves<V: Visitor, B: ReplayBoard>(
        &mut self,
        vectors: impl Vectors,
        visitor: &mut V,
        board: B,
    ) -> io::Result<()> {
        let mut line = LineReader { visitor, board, before: None, ply: 0, outer: Vec::new(), stop: None };
        // Whether the visitor skips the rest of the game.
        let mut is_cut = false;
        while line.stop.is_some() || self.input.look_ahead()? {
            if line.stop.is_none() {
                self.read_common_moves(vectors, &mut line);
            }
            // What stopped it, if anything did.
            let flow = match line.stop.take() {
                Some(stop) => {
                    is_cut = stop != Stop::Line || line.outer.is_empty();
                    self.skip_rest(&mut line, stop)?
                }
                None => match CLASS[usize::from(self.input.byte())] {
                    Class::Blank => {
                        self.input.advance(1);
                        Flow::On
                    }
                    Class::Letter => self.read_word(&mut line)?,
                    Class::Digit => self.read_number(&mut line)?,
                    Class::Special => self.read_special(&mut line)?,
                },
            };
            if flow == Flow::Over {
                if !self.is_stopped {
                    let recipient = if is_cut { Recipient::Nobody } else { Recipient::Comment };
                    self.read_behind_result(line.visitor, line.ply, recipient)?;
                }
                break;
            }
        }
        while line.outer.pop().is_some() {
            if !is_cut {
                self.report(line.visitor, Problem::UnclosedVariation, line.ply, 0);
            }
            line.visitor.end_variation();
        }
        Ok(())
    }

    /// Skips what the visitor does not want.
    #[cold]
    fn skip_rest<V: Visitor, B: ReplayBoard>(
        &mut self,
        line: &mut LineReader<'_, V, B>,
        stop: Stop,
    ) -> io::Result<Flow> {
        match stop {
            Stop::Line if !line.outer.is_empty() => self.skip_moves(line.visitor, &mut Skipped::new(1, true)),
            Stop::Line | Stop::Game => {
                self.skip_moves(line.visitor, &mut Skipped::new(line.outer.len(), false))
            }
            Stop::Reading => {
                self.is_stopped = true;
                Ok(Flow::Over)
            }
        }
    }

    /// Reads moves in SAN, and passes over move numbers and blanks, up to the first thing that is neither.
    /// Nearly all of a file is read here.
    #[inline(always)]
    fn read_common_moves<V: Visitor, B: ReplayBoard>(
        &mut self,
        vectors: impl Vectors,
        line: &mut LineReader<'_, V, B>,
    ) {
        let window = self.input.window();
        // Two boards take turns: the one after a move is written over the one before the last.
        let (mut board, mut other) = (line.board, line.before.unwrap_or(line.board));
        let (mut now, mut before) = (&mut board, &mut other);
        let mut moved = false;
        let (mut tokens, mut decoded) = (SanTokens::new(), [Decoded::UNCOMMON; SanTokens::MAX]);
        let mut at = 0;
        'blocks: while let Some(block) = window.block(at) {
            let ByteMasks { letters, digits, signs, blanks } = vectors.classify(block);
            let words = letters | digits | signs;
            let starts = !(words << 1);
            // Adding a number's first digit carries through all of its digits to the byte behind.
            let behind_numbers = (digits & starts).wrapping_add(digits) & !digits;
            // No move number begins with a zero, but `0000` is a null move.
            let zeros = vectors.places_of(block, b'0');
            let odd = !(words | blanks) | behind_numbers & words | (signs | zeros) & starts;
            let ends = !words | odd;
            // A word that the block cuts off is left for the next.
            let last_end = 63 - (ends | 1).leading_zeros();
            let odd = odd & (!0 >> (63 - last_end));
            let stop = match odd.trailing_zeros() {
                64 => last_end,
                0 => 0,
                // Back to the start of the word that goes on with an unusual letter.
                odd if is_word_byte(block[odd as usize]) && words >> (odd - 1) & 1 != 0 => {
                    63 - (words & starts & ((1 << odd) - 1)).leading_zeros()
                }
                // Back to the first digit of what looked like a number, unless a word only ends with digits.
                odd => {
                    let first = odd - (digits << (64 - odd)).leading_ones();
                    if starts >> first & 1 != 0 { first } else { odd }
                }
            };
            let mut moves = letters & starts & ((1 << stop) - 1);
            let len_of = |start: u32| (ends >> start).trailing_zeros();
            if V::MOVETEXT.is_played() {
                let (mut rest, mut count) = (moves, 0);
                while rest != 0 {
                    let start = rest.trailing_zeros();
                    tokens.set(count, window.word(at + start as usize), len_of(start));
                    rest &= rest - 1;
                    count += 1;
                }
                tokens.decode(count, now.side(), &mut decoded);
            }
            let mut number = 0;
            while moves != 0 {
                let first = moves.trailing_zeros();
                let text = || window.slice(at + first as usize, len_of(first) as usize);
                moves &= moves - 1;
                let common = if V::MOVETEXT.is_played() {
                    line.play_common(vectors, now, before, decoded[number % SanTokens::MAX])
                } else {
                    None
                };
                number += 1;
                let flow = match common {
                    Some(flow) => {
                        core::mem::swap(&mut now, &mut before);
                        moved = true;
                        flow
                    }
                    None => {
                        line.set_boards(now, before, moved);
                        let Some(flow) = line.read_uncommon_move(text()) else {
                            at += first as usize;
                            break 'blocks;
                        };
                        *now = line.board;
                        *before = line.before.unwrap_or(line.board);
                        flow
                    }
                };
                if flow.is_break() {
                    line.heed(flow);
                    at += (first + len_of(first)) as usize;
                    break 'blocks;
                }
            }
            at += stop as usize;
            if odd != 0 || stop == 0 {
                break;
            }
        }
        line.set_boards(now, before, moved);
        self.input.advance(at);
    }

    /// A word that is not a move of the common kind.
    #[inline(never)]
    fn read_word<V: Visitor, B: ReplayBoard>(&mut self, line: &mut LineReader<'_, V, B>) -> io::Result<Flow> {
        let len = self.word_len()?;
        let text = &self.input.rest()[..len];
        if V::MOVETEXT == Movetext::Tokens {
            line.ply += 1;
            let flow = line.visitor.san(text);
            line.heed(flow);
            self.input.advance(len);
            return Ok(Flow::On);
        }
        let (problem, reason) = match line.play_any(text) {
            Ok(flow) => {
                line.heed(flow);
                self.input.advance(len);
                return Ok(Flow::On);
            }
            Err(ReplayError::Syntax) if is_foreign_move(text) => (Problem::ForeignMove, None),
            Err(ReplayError::Syntax) => {
                match Nag::from_symbol(text) {
                    Some(nag) => line.visitor.nag(nag),
                    None => self.report(line.visitor, Problem::NotAMove, line.ply, len),
                }
                self.input.advance(len);
                return Ok(Flow::On);
            }
            Err(ReplayError::Illegal(reason)) => (Problem::IllegalMove, reason),
            Err(ReplayError::Ambiguous) => (Problem::AmbiguousMove, None),
        };
        // The line ends here: the following moves belong to a different position.
        self.report_move(line.visitor, problem, line.ply, len, reason);
        self.leave_unread(line.visitor, !line.outer.is_empty())
    }

    /// The length of the word at the cursor, brought into the window whole.
    pub(super) fn word_len(&mut self) -> io::Result<usize> {
        loop {
            let rest = self.input.rest();
            match rest.iter().position(|&byte| !is_word_byte(byte)) {
                Some(len) => return Ok(len.max(1)),
                None if self.input.extend()? => {}
                None => return Ok(self.input.rest().len()),
            }
        }
    }

    /// A number that is not a plain move number: a result, castling with zeros, or glued to a word.
    #[inline(never)]
    fn read_number<V: Visitor, B: ReplayBoard>(
        &mut self,
        line: &mut LineReader<'_, V, B>,
    ) -> io::Result<Flow> {
        let len = self.word_len()?;
        let text = &self.input.rest()[..len];
        if let Some(result) = GameResult::from_ascii(text) {
            return Ok(self.read_result(line, result, len));
        }
        if is_move_in_digits(text) {
            return self.read_word(line);
        }
        self.input.advance(number_len(text));
        Ok(Flow::On)
    }

    /// A result ends the game; in a variation it means nothing.
    fn read_result<V: Visitor, B: ReplayBoard>(
        &mut self,
        line: &mut LineReader<'_, V, B>,
        result: GameResult,
        len: usize,
    ) -> Flow {
        if !line.outer.is_empty() {
            self.input.advance(len);
            return Flow::On;
        }
        // A `*` on either side contradicts nothing.
        let known = |result: &GameResult| V::MOVETEXT.is_played() && *result != GameResult::Unknown;
        let declared = self.declared.flatten().filter(known);
        if declared.is_some_and(|declared| known(&result) && declared != result) {
            self.report(line.visitor, Problem::ResultMismatch, line.ply, len);
        }
        self.input.advance(len);
        self.end_with(line.visitor, result);
        Flow::Over
    }

    /// Everything that is neither a word nor a number.
    #[inline(never)]
    fn read_special<V: Visitor, B: ReplayBoard>(
        &mut self,
        line: &mut LineReader<'_, V, B>,
    ) -> io::Result<Flow> {
        match self.input.byte() {
            b'{' | b';' | b'$' | b'!' | b'?' => self.read_remark(line.visitor, line.ply)?,
            b'(' => return self.open_variation(line),
            b')' => {
                match line.outer.pop() {
                    Some(OuterLine { board, before, ply }) => {
                        (line.board, line.before, line.ply) = (board, before, ply);
                        line.visitor.end_variation();
                    }
                    None => self.report(line.visitor, Problem::UnopenedVariation, line.ply, 1),
                }
                self.input.advance(1);
            }
            b'*' => return Ok(self.read_result(line, GameResult::Unknown, 1)),
            b'[' if self.input.is_at_line_start() => return Ok(Flow::Over),
            b'%' if self.input.is_at_line_start() => self.skip_line()?,
            _ => {
                self.report(line.visitor, Problem::StrayCharacter, line.ply, 1);
                self.input.advance(1);
            }
        }
        Ok(Flow::On)
    }

    fn open_variation<V: Visitor, B: ReplayBoard>(
        &mut self,
        line: &mut LineReader<'_, V, B>,
    ) -> io::Result<Flow> {
        self.input.advance(1);
        let before = if V::MOVETEXT == Movetext::Tokens { Some(line.board) } else { line.before };
        let problem = match before {
            _ if !V::VARIATIONS => None,
            Some(before) if line.outer.len() < MAX_DEPTH => {
                line.outer.push(OuterLine { board: line.board, before: line.before, ply: line.ply });
                line.board = before;
                line.before = None;
                line.ply = line.ply.saturating_sub(1);
                let flow = line.visitor.begin_variation();
                line.heed(flow);
                return Ok(Flow::On);
            }
            Some(_) => Some(Problem::TooDeep),
            None => Some(Problem::VariationWithoutMove),
        };
        if let Some(problem) = problem {
            self.report(line.visitor, problem, line.ply, 0);
        }
        let mut skipped = Skipped::new(1, true);
        if problem.is_some() {
            skipped.keep_in_brackets(line.visitor);
        }
        let flow = self.skip_moves(line.visitor, &mut skipped)?;
        if flow == Flow::On {
            self.input.advance(1); // the closing bracket
        }
        Ok(flow)
    }

    /// A game whose start is unknown: the comments and glyphs before its first move are read, the moves are not.
    #[cold]
    pub(super) fn read_unknown_moves<V: Visitor>(&mut self, visitor: &mut V) -> io::Result<()> {
        while self.input.look_ahead()? {
            let byte = self.input.byte();
            match byte {
                b'{' | b';' | b'$' | b'!' | b'?' => self.read_remark(visitor, 0)?,
                b'%' if self.input.is_at_line_start() => self.skip_line()?,
                _ if CLASS[usize::from(byte)] == Class::Blank => self.input.advance(1),
                _ => {
                    let len = self.word_len()?;
                    let Some(nag) = Nag::from_symbol(&self.input.rest()[..len]) else {
                        self.leave_unread(visitor, false)?;
                        break;
                    };
                    visitor.nag(nag);
                    self.input.advance(len);
                }
            }
        }
        self.read_behind_result(visitor, 0, Recipient::Comment)
    }

    /// Leaves the rest of a line unread.
    fn leave_unread<V: Visitor>(&mut self, visitor: &mut V, in_variation: bool) -> io::Result<Flow> {
        let mut skipped = Skipped::new(usize::from(in_variation), in_variation);
        skipped.keep();
        self.skip_moves(visitor, &mut skipped)
    }

    /// A comment or a glyph.
    fn read_remark<V: Visitor>(&mut self, visitor: &mut V, ply: u32) -> io::Result<()> {
        match self.input.byte() {
            b'{' => self.read_comment(visitor, ply, Recipient::Comment)?,
            b';' => self.read_line_comment(visitor, Recipient::Comment)?,
            b'$' => self.read_nag(visitor, ply),
            _ => {
                let rest = self.input.rest();
                let len = rest.iter().take(2).take_while(|byte| matches!(byte, b'!' | b'?')).count();
                if let Some(nag) = Nag::from_symbol(&rest[..len]) {
                    visitor.nag(nag);
                }
                self.input.advance(len);
            }
        }
        Ok(())
    }

    fn read_nag<V: Visitor>(&mut self, visitor: &mut V, ply: u32) {
        let rest = self.input.rest();
        let digits = rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = rest[1..=digits]
            .iter()
            .try_fold(0u8, |number, digit| number.checked_mul(10)?.checked_add(digit - b'0'));
        match number {
            Some(number) if digits > 0 => visitor.nag(Nag(number)),
            _ => self.report(visitor, Problem::BadNag, ply, digits + 1),
        }
        self.input.advance(digits + 1);
    }
}
