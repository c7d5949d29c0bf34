//! The streaming reader.

use std::io::{self, Read};
use std::sync::LazyLock;

use ferz_board::{Color, Position};

use super::input::{Input, Place, Window};
use super::replay::{Refusal, Replay};
use super::scan::{find_either, find_line_end};
use super::simd::{self, Masks};
use super::tag::Tag;
use super::token::SanToken;
use super::{Diagnostic, GameResult, Movetext, Nag, Problem, Visitor};

/// Deeper nesting than this is an attack, not a game.
const MAX_DEPTH: usize = 1 << 16;
/// How much of a text a diagnostic quotes.
const MAX_QUOTE: usize = 40;

/// Reads games one after the other, in constant memory, and tells a [`Visitor`] what is there.
///
/// ```
/// use ferz_notation::pgn::{GameResult, Reader, Visitor};
/// use ferz_board::Move;
///
/// #[derive(Default)]
/// struct Count { plies: u32, draws: u32 }
///
/// impl Visitor for Count {
///     const VARIATIONS: bool = false;
///     fn mv(&mut self, _: Option<Move>) { self.plies += 1 }
///     fn result(&mut self, result: GameResult) { self.draws += u32::from(result == GameResult::Draw) }
/// }
///
/// let file = "[White \"Adams\"]\n\n1. e4 e5 (1... c5) 2. Nf3 1/2-1/2\n\n1. d4 d5 *".as_bytes();
/// let mut reader = Reader::new(file);
/// let mut count = Count::default();
/// while reader.read_game(&mut count)? {}
/// assert_eq!((reader.games(), count.plies, count.draws), (2, 5, 1));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    input: Input<R>,
    games: u64,
    /// No game is begun from this byte on.
    end: u64,
    /// The result in the tags of the present game.
    declared: Option<GameResult>,
}

/// What the tags of a game say about its moves.
enum Start {
    Standard,
    From(Box<Position>),
    /// They cannot be played.
    Unknown,
}

/// Whether the game goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Over,
}

/// What is known while the moves of a game are read.
struct Line<'a, V> {
    visitor: &'a mut V,
    board: Replay,
    /// The board before the last move of the line: variations go back to it.
    before: Option<Replay>,
    ply: u32,
    /// For each open variation the line it interrupts.
    outer: Vec<OuterLine>,
}

struct OuterLine {
    board: Replay,
    before: Option<Replay>,
    ply: u32,
}

impl<V: Visitor> Line<'_, V> {
    /// A move in SAN of the common kind; false if it is another.
    #[inline(always)]
    fn read_common_move(
        &mut self,
        now: &Replay,
        next: &mut Replay,
        window: Window<'_>,
        start: usize,
        len: u32,
    ) -> bool {
        let token = SanToken::new(window.word(start), len);
        if V::MOVETEXT == Movetext::Tokens {
            if token.decode(Color::White).is_none() {
                return false;
            }
            self.visitor.san(window.slice(start, len as usize));
        } else {
            let Some(played) = now.play_common(token, next) else { return false };
            self.visitor.mv(played.mv());
        }
        self.ply += 1;
        true
    }

    /// The boards after and before the last move, if there was one.
    #[inline(always)]
    fn set_boards(&mut self, now: &Replay, before: &Replay, moved: bool) {
        if moved {
            self.board = *now;
            self.before = Some(*before);
        }
    }

    /// Any other move, e.g. castling; false if it is none.
    #[inline(never)]
    fn read_uncommon_move(&mut self, text: &[u8]) -> bool {
        if V::MOVETEXT == Movetext::Tokens {
            self.visitor.san(text);
        } else {
            let before = self.board;
            let Ok(mv) = self.board.play_any(text) else { return false };
            self.before = Some(before);
            self.visitor.mv(mv);
        }
        self.ply += 1;
        true
    }
}

/// What a byte can be the start of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Letter,
    Digit,
    Special,
}

static CLASS: [Class; 256] = {
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

/// Whether a tag must be looked at before moves can be played.
#[inline(always)]
fn is_about_start<V: Visitor>(name: &[u8]) -> bool {
    V::MOVETEXT == Movetext::Moves && matches!(name, b"FEN" | b"Variant")
}

/// The start position, which nearly every game has.
static START: LazyLock<(Position, Replay)> = LazyLock::new(|| {
    let position = Position::start();
    (position, Replay::new(&position))
});

impl<R: Read> Reader<R> {
    /// A reader of anything that gives bytes; it has a buffer of its own.
    pub fn new(reader: R) -> Reader<R> {
        Reader { input: Input::new(reader), games: 0, end: u64::MAX, declared: None }
    }

    /// How many games have been read.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Where in the file the reader is.
    pub fn place(&mut self) -> Place {
        self.input.here()
    }

    /// How many bytes of the file have been read.
    pub fn offset(&self) -> u64 {
        self.input.offset()
    }

    /// Lets no game begin from this byte on.
    pub(super) fn stop_at(&mut self, end: u64) {
        self.end = end;
    }

    /// Reads the next game; false at the end of the file.
    pub fn read_game<V: Visitor>(&mut self, visitor: &mut V) -> io::Result<bool> {
        if self.input.is_at_file_start() {
            self.skip_byte_order_mark(visitor)?;
        }
        let Some(start) = self.read_tags(visitor)? else { return Ok(false) };
        let board = match &start {
            _ if V::MOVETEXT == Movetext::Skip => None,
            Start::Standard => visitor.begin_moves(&START.0).then_some(START.1),
            Start::From(position) => visitor.begin_moves(position).then(|| Replay::new(position)),
            Start::Unknown => None,
        };
        match board {
            Some(board) => self.read_moves(visitor, board)?,
            None => {
                self.skip_moves(visitor, false)?;
            }
        }
        visitor.end_game();
        Ok(true)
    }

    /// A byte-order mark is skipped; UTF-16 is refused whole, as nothing in it can be read.
    fn skip_byte_order_mark<V: Visitor>(&mut self, visitor: &mut V) -> io::Result<()> {
        self.input.look_ahead()?;
        match self.input.rest() {
            [0xef, 0xbb, 0xbf, ..] => self.input.advance(3),
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                self.report(visitor, Problem::Utf16, 0, 0);
                while self.input.look_ahead()? {
                    self.input.advance(usize::MAX);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Tells the visitor of a problem at the cursor, quoting so many bytes.
    #[cold]
    #[inline(never)]
    fn report<V: Visitor>(&mut self, visitor: &mut V, kind: Problem, ply: u32, quoted: usize) {
        let rest = self.input.rest();
        let quote = &rest[..quoted.min(rest.len()).min(MAX_QUOTE)];
        let token = super::text(&quote[..find_line_end(quote).unwrap_or(quote.len())]);
        visitor.problem(Diagnostic { kind, place: self.input.here(), game: self.games, ply, token });
    }

    /// A line that starts like a tag but is none; it may be the first of a game.
    #[cold]
    fn report_bad_tag<V: Visitor>(&mut self, visitor: &mut V, begun: bool) {
        let games = self.games;
        self.games += u64::from(!begun);
        self.report(visitor, Problem::BadTag, 0, MAX_QUOTE);
        self.games = games;
    }

    // ---- Tags

    /// The tags of the next game and where its moves start; `None` if there is no further game.
    fn read_tags<V: Visitor>(&mut self, visitor: &mut V) -> io::Result<Option<Start>> {
        let mut begun = false;
        let mut start = Start::Standard;
        let mut line_ends = 0;
        while self.input.look_ahead()? && (begun || self.offset() < self.end) {
            let tag = match self.input.byte() {
                byte @ 0..=b' ' => {
                    match byte {
                        b'\n' => line_ends += 1,
                        b'\r' => {}
                        _ => line_ends = 0,
                    }
                    self.input.advance(1);
                    continue;
                }
                b'%' if self.input.is_at_line_start() => {
                    line_ends = 0;
                    self.skip_line()?;
                    continue;
                }
                // The last game has no moves.
                b'[' if begun && line_ends > 1 && self.input.rest().starts_with(FIRST_TAG) => None,
                b'[' => match self.find_tag()? {
                    Some(tag) => Some(tag),
                    None => {
                        self.report_bad_tag(visitor, begun);
                        line_ends = 0;
                        self.skip_line()?;
                        continue;
                    }
                },
                _ => None,
            };
            if !begun {
                begun = true;
                self.games += 1;
                self.declared = None;
                visitor.begin_game();
            }
            let Some(tag) = tag else { break };
            let rest = self.input.rest();
            visitor.tag(tag.name(rest), tag.value(rest));
            if is_about_start::<V>(tag.name(rest)) {
                self.note_start(visitor, &tag, &mut start);
            } else if tag.name(rest) == b"Result" {
                self.declared = GameResult::from_ascii(tag.value(rest));
            }
            self.input.advance(tag.len);
            self.read_common_tags(visitor);
            line_ends = 0;
        }
        Ok(begun.then_some(start))
    }

    /// Further tags of the usual form that say nothing about the moves.
    #[inline(always)]
    fn read_common_tags<V: Visitor>(&mut self, visitor: &mut V) {
        let window = self.input.window();
        let mut declared = self.declared;
        let mut at = 0;
        while let Some(b'\n' | b'\r') = window.byte(at) {
            let Some(block) = window.block(at + 1) else { break };
            let Some(tag) = Tag::parse_common(block) else {
                // The second half of CR LF, an empty line, or something else.
                if block[0] == b'\n' && window.byte(at) == Some(b'\r') {
                    at += 1;
                    continue;
                }
                break;
            };
            let name = tag.name(block);
            if is_about_start::<V>(name) {
                break;
            }
            if V::MOVETEXT == Movetext::Moves && name == b"Result" {
                declared = GameResult::from_ascii(tag.value(block));
            }
            visitor.short_tag(block, name.len() + 1, tag.len - 2);
            at += 1 + tag.len;
        }
        self.declared = declared;
        self.input.advance(at);
    }

    /// What a tag means for the moves.
    #[cold]
    fn note_start<V: Visitor>(&mut self, visitor: &mut V, tag: &Tag, start: &mut Start) {
        let rest = self.input.rest();
        let value = super::text(tag.value(rest));
        let problem = if tag.name(rest) == b"Variant" {
            if is_chess(&value) {
                return;
            }
            Problem::OtherVariant
        } else {
            match Position::from_fen_lenient(&value) {
                Ok((position, _)) if !matches!(start, Start::Unknown) => {
                    *start = Start::From(Box::new(position));
                    return;
                }
                Ok(_) => return,
                Err(_) => Problem::BadFen,
            }
        };
        *start = Start::Unknown;
        self.report(visitor, problem, 0, tag.len);
    }

    /// The tag at the cursor, if there is one, brought into the window whole.
    #[inline(always)]
    fn find_tag(&mut self) -> io::Result<Option<Tag>> {
        if let Some(tag) = Tag::parse_common(self.input.block()) {
            return Ok(Some(tag));
        }
        loop {
            let rest = self.input.rest();
            if let Some(line_end) = find_line_end(rest) {
                return Ok(Tag::parse(&rest[..line_end]));
            }
            if !self.input.extend()? {
                return Ok(Tag::parse(self.input.rest()));
            }
        }
    }

    /// Goes to the end of the line.
    fn skip_line(&mut self) -> io::Result<()> {
        while self.input.look_ahead()? {
            if let Some(line_end) = find_line_end(self.input.rest()) {
                self.input.advance(line_end);
                break;
            }
            self.input.advance(usize::MAX);
        }
        Ok(())
    }

    // ---- Moves

    fn read_moves<V: Visitor>(&mut self, visitor: &mut V, board: Replay) -> io::Result<()> {
        let mut line = Line { visitor, board, before: None, ply: 0, outer: Vec::new() };
        while self.input.look_ahead()? {
            self.read_common_moves(&mut line);
            // What stopped it, if anything did.
            let flow = match CLASS[usize::from(self.input.byte())] {
                Class::Blank => {
                    self.input.advance(1);
                    Flow::On
                }
                Class::Letter => self.read_word(&mut line)?,
                Class::Digit => self.read_number(&mut line)?,
                Class::Special => self.read_special(&mut line)?,
            };
            if flow == Flow::Over {
                break;
            }
        }
        while line.outer.pop().is_some() {
            self.report(line.visitor, Problem::UnclosedVariation, line.ply, 0);
            line.visitor.end_variation();
        }
        Ok(())
    }

    /// Reads moves in SAN, and passes over move numbers and blanks, up to the first thing that is neither.
    /// Nearly all of a file is read here.
    #[inline(always)]
    fn read_common_moves<V: Visitor>(&mut self, line: &mut Line<'_, V>) {
        let window = self.input.window();
        // Two boards take turns: the one after a move is written over the one before the last.
        let (mut board, mut other) = (line.board, line.before.unwrap_or(line.board));
        let (mut now, mut before) = (&mut board, &mut other);
        let mut moved = false;
        let mut at = 0;
        'blocks: while let Some(block) = window.block(at) {
            let Masks { letters, digits, signs, blanks } = simd::classify(block);
            let words = letters | digits | signs;
            let starts = !(words << 1);
            // Adding a number's first digit carries through all of its digits to the byte behind.
            let behind_numbers = (digits & starts).wrapping_add(digits) & !digits;
            let odd = !(words | blanks) | behind_numbers & words | signs & starts;
            let ends = !words | odd;
            // A word that the block cuts off is left for the next.
            let last_end = 63 - (ends | 1).leading_zeros();
            let odd = odd & (!0 >> (63 - last_end));
            let stop = match odd.trailing_zeros() {
                64 => last_end,
                0 => 0,
                // Back to the first digit of what looked like a number, e.g. of a result.
                odd => odd - (digits << (64 - odd)).leading_ones(),
            };
            let mut moves = letters & starts & ((1 << stop) - 1);
            while moves != 0 {
                let start = at + moves.trailing_zeros() as usize;
                let len = (ends >> moves.trailing_zeros()).trailing_zeros();
                moves &= moves - 1;
                if len <= 8 && line.read_common_move(now, before, window, start, len) {
                    if V::MOVETEXT == Movetext::Moves {
                        core::mem::swap(&mut now, &mut before);
                        moved = true;
                    }
                    continue;
                }
                line.set_boards(now, before, moved);
                if !line.read_uncommon_move(window.slice(start, len as usize)) {
                    at = start;
                    break 'blocks;
                }
                *now = line.board;
                *before = line.before.unwrap_or(line.board);
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
    fn read_word<V: Visitor>(&mut self, line: &mut Line<'_, V>) -> io::Result<Flow> {
        let len = self.word_len()?;
        let text = &self.input.rest()[..len];
        if V::MOVETEXT == Movetext::Tokens {
            line.ply += 1;
            line.visitor.san(text);
            self.input.advance(len);
            return Ok(Flow::On);
        }
        let before = line.board;
        let problem = match line.board.play_any(text) {
            Ok(mv) => {
                line.before = Some(before);
                line.ply += 1;
                line.visitor.mv(mv);
                self.input.advance(len);
                return Ok(Flow::On);
            }
            Err(Refusal::Syntax) => {
                match Nag::from_symbol(text) {
                    Some(nag) => line.visitor.nag(nag),
                    None => self.report(line.visitor, Problem::NotAMove, line.ply, len),
                }
                self.input.advance(len);
                return Ok(Flow::On);
            }
            Err(Refusal::Illegal) => Problem::IllegalMove,
            Err(Refusal::Ambiguous) => Problem::AmbiguousMove,
        };
        // The line ends here: what follows was played on another board.
        self.report(line.visitor, problem, line.ply, len);
        self.input.advance(len);
        self.skip_moves(line.visitor, !line.outer.is_empty())
    }

    /// The length of the word at the cursor, brought into the window whole.
    fn word_len(&mut self) -> io::Result<usize> {
        loop {
            let rest = self.input.rest();
            match rest.iter().position(|&byte| !is_word_byte(byte)) {
                Some(len) => return Ok(len.max(1)),
                None if self.input.extend()? => {}
                None => return Ok(self.input.rest().len()),
            }
        }
    }

    /// A number that is no plain move number: a result, castling with zeros, or glued to something.
    #[inline(never)]
    fn read_number<V: Visitor>(&mut self, line: &mut Line<'_, V>) -> io::Result<Flow> {
        let len = self.word_len()?;
        let text = &self.input.rest()[..len];
        if let Some(result) = GameResult::from_ascii(text) {
            return Ok(self.read_result(line, result, len));
        }
        if text.starts_with(b"0-0") || text.starts_with(b"0000") {
            return self.read_word(line);
        }
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.input.advance(digits);
        Ok(Flow::On)
    }

    /// A result ends the game; in a variation it means nothing.
    fn read_result<V: Visitor>(&mut self, line: &mut Line<'_, V>, result: GameResult, len: usize) -> Flow {
        if !line.outer.is_empty() {
            self.input.advance(len);
            return Flow::On;
        }
        // A `*` on either side says nothing that could be wrong.
        let known = |result: &GameResult| *result != GameResult::Unknown;
        if self.declared.filter(known).is_some_and(|declared| known(&result) && declared != result) {
            self.report(line.visitor, Problem::ResultMismatch, line.ply, len);
        }
        self.input.advance(len);
        line.visitor.result(result);
        Flow::Over
    }

    /// Everything that is neither a word nor a number.
    #[inline(never)]
    fn read_special<V: Visitor>(&mut self, line: &mut Line<'_, V>) -> io::Result<Flow> {
        match self.input.byte() {
            b'{' => self.read_comment(line.visitor, line.ply, true)?,
            b';' => self.read_line_comment(line.visitor)?,
            b'$' => self.read_nag(line)?,
            b'!' | b'?' => {
                let rest = self.input.rest();
                let len = rest.iter().take(2).take_while(|byte| matches!(byte, b'!' | b'?')).count();
                if let Some(nag) = Nag::from_symbol(&rest[..len]) {
                    line.visitor.nag(nag);
                }
                self.input.advance(len);
            }
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

    fn open_variation<V: Visitor>(&mut self, line: &mut Line<'_, V>) -> io::Result<Flow> {
        self.input.advance(1);
        let before = if V::MOVETEXT == Movetext::Tokens { Some(line.board) } else { line.before };
        let problem = match before {
            _ if !V::VARIATIONS => None,
            Some(before) if line.outer.len() < MAX_DEPTH => {
                line.outer.push(OuterLine { board: line.board, before: line.before, ply: line.ply });
                line.board = before;
                line.before = None;
                line.ply = line.ply.saturating_sub(1);
                line.visitor.begin_variation();
                return Ok(Flow::On);
            }
            Some(_) => Some(Problem::TooDeep),
            None => Some(Problem::VariationWithoutMove),
        };
        if let Some(problem) = problem {
            self.report(line.visitor, problem, line.ply, 0);
        }
        let flow = self.skip_moves(line.visitor, true)?;
        if flow == Flow::On {
            self.input.advance(1); // the closing bracket
        }
        Ok(flow)
    }

    fn read_nag<V: Visitor>(&mut self, line: &mut Line<'_, V>) -> io::Result<()> {
        let rest = self.input.rest();
        let digits = rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = rest[1..=digits]
            .iter()
            .try_fold(0u8, |number, digit| number.checked_mul(10)?.checked_add(digit - b'0'));
        match number {
            Some(number) if digits > 0 => line.visitor.nag(Nag(number)),
            _ => self.report(line.visitor, Problem::BadNag, line.ply, digits + 1),
        }
        self.input.advance(digits + 1);
        Ok(())
    }

    // ---- Comments

    /// A comment in braces. It does not nest, and ends at the first closing brace. One that is never closed
    /// must not swallow the games after it: it ends where another game begins behind an empty line.
    fn read_comment<V: Visitor>(&mut self, visitor: &mut V, ply: u32, wanted: bool) -> io::Result<()> {
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
    fn read_line_comment<V: Visitor>(&mut self, visitor: &mut V) -> io::Result<()> {
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

    // ---- Skipping

    /// Skips moves up to the bracket that closes the variation, which stays unread ([`Flow::On`]), or to the
    /// end of the game, whose result is told.
    #[inline(never)]
    fn skip_moves<V: Visitor>(&mut self, visitor: &mut V, in_variation: bool) -> io::Result<Flow> {
        let mut depth = u64::from(in_variation);
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
                    let result = GameResult::from_ascii(&self.input.rest()[..len]);
                    self.input.advance(len);
                    if let Some(result) = result.filter(|_| depth == 0) {
                        visitor.result(result);
                        return Ok(Flow::Over);
                    }
                }
                byte if is_word_byte(byte) => {
                    let len = self.word_len()?;
                    self.input.advance(len);
                }
                _ => self.input.advance(1),
            }
        }
        Ok(Flow::Over)
    }
}

/// What words are made of: letters, digits and signs of all kinds of notation, and everything that is not
/// ASCII.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'=' | b'-' | b'/' | b':' | b'_' | 0x80..)
}

/// How the first tag of a game begins. Behind an empty line, another game begins with it in any case.
pub(super) const FIRST_TAG: &[u8] = b"[Event \"";
/// An empty line and the start of a game, the longest way to write it.
const NEXT_GAME: &[u8] = b"\n\r\n[Event \"";

/// Whether a line feed is followed by an empty line and the first tag of another game.
fn starts_next_game(text: &[u8]) -> bool {
    text.starts_with(b"\n\n[Event \"") || text.starts_with(NEXT_GAME)
}

/// Whether a `Variant` tag means chess, from whatever start position.
fn is_chess(variant: &str) -> bool {
    const NAMES: [&str; 12] = [
        "",
        "?",
        "chess",
        "standard",
        "normal",
        "from position",
        "fromposition",
        "chess960",
        "chess 960",
        "fischerandom",
        "fischerrandom",
        "freestyle",
    ];
    let variant = variant.trim().to_ascii_lowercase();
    NAMES.contains(&variant.as_str()) || variant.contains("960") || variant == "fischer random"
}
