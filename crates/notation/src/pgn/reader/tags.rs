//! The tags of a game.

use std::io::{self, Read};

use ferz_board::Position;

use super::{FIRST_TAG, Reader};
use crate::pgn::scan::find_line_end;
use crate::pgn::tag::{ShortTag, Tag};
use crate::pgn::vectors::Vectors;
use crate::pgn::{GameResult, Problem, Visitor, text};

/// Where the moves of a game start, according to its tags.
pub(super) enum Start {
    Standard,
    From(Box<Position>),
    /// They cannot be played.
    Unknown,
}

impl<R: Read> Reader<R> {
    /// The tags of the next game and where its moves start; `None` at the end of the file.
    #[inline(always)]
    pub(super) fn read_tags<V: Visitor>(
        &mut self,
        vectors: impl Vectors,
        visitor: &mut V,
    ) -> io::Result<Option<Start>> {
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
                b'[' => match self.find_tag(vectors)? {
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
                (self.declared, self.result) = (None, None);
                if V::PLACES {
                    visitor.begins_at(self.input.here());
                }
                visitor.begin_game();
            }
            let Some(tag) = tag else { break };
            if !tag.is_closed {
                self.report(visitor, Problem::UnclosedTag, 0, tag.len);
            }
            let rest = self.input.rest();
            visitor.tag(tag.name(rest), tag.value(rest));
            if is_about_start::<V>(tag.name(rest)) {
                self.note_start(visitor, &tag, &mut start);
            } else if is_declaration(tag.name(rest)) {
                self.declared.get_or_insert(GameResult::from_ascii(tag.value(rest)));
            }
            self.input.advance(tag.len);
            self.read_common_tags(vectors, visitor);
            line_ends = 0;
        }
        Ok(begun.then_some(start))
    }

    /// Further tags of the usual form that do not affect the moves.
    #[inline(always)]
    fn read_common_tags<V: Visitor>(&mut self, vectors: impl Vectors, visitor: &mut V) {
        let window = self.input.window();
        let mut declared = self.declared;
        let mut at = 0;
        while let Some(b'\n' | b'\r') = window.byte(at) {
            let Some(block) = window.block(at + 1) else { break };
            let Some(tag) = Tag::parse_common(vectors, block) else {
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
            if is_declaration(name) {
                declared.get_or_insert(GameResult::from_ascii(tag.value(block)));
            }
            visitor.short_tag(ShortTag::new(block, &tag));
            at += 1 + tag.len;
        }
        self.declared = declared;
        self.input.advance(at);
    }

    /// What a tag means for the moves.
    #[cold]
    fn note_start<V: Visitor>(&mut self, visitor: &mut V, tag: &Tag, start: &mut Start) {
        let rest = self.input.rest();
        let value = text(tag.value(rest));
        let problem = if tag.name(rest) == b"Variant" {
            if is_chess(&value) {
                return;
            }
            Problem::OtherVariant
        } else {
            match position_of(&value) {
                Some(position) if !matches!(start, Start::Unknown) => {
                    *start = Start::From(Box::new(position));
                    return;
                }
                Some(_) => return,
                None => Problem::BadFen,
            }
        };
        *start = Start::Unknown;
        self.report(visitor, problem, 0, tag.len);
    }

    /// The tag at the cursor, if there is one, brought into the window whole.
    #[inline(always)]
    fn find_tag(&mut self, vectors: impl Vectors) -> io::Result<Option<Tag>> {
        if let Some(tag) = Tag::parse_common(vectors, self.input.block()) {
            return Ok(Some(tag));
        }
        loop {
            let rest = self.input.rest();
            if let Some(line_end) = find_line_end(rest) {
                return Ok(Tag::parse(&rest[..line_end]));
            }
            if !self.input.extend()? {
                // At the end of the file it may be complete; a tag that fills the window is too long.
                let is_whole = !self.input.has_more();
                return Ok(if is_whole { Tag::parse(self.input.rest()) } else { None });
            }
        }
    }

    /// Goes to the end of the line.
    pub(super) fn skip_line(&mut self) -> io::Result<()> {
        while self.input.look_ahead()? {
            if let Some(line_end) = find_line_end(self.input.rest()) {
                self.input.advance(line_end);
                break;
            }
            self.input.advance(usize::MAX);
        }
        Ok(())
    }
}

/// Whether a tag holds the result.
#[inline(always)]
fn is_declaration(name: &[u8]) -> bool {
    name == b"Result"
}

/// Whether a tag must be looked at before moves can be played.
#[inline(always)]
fn is_about_start<V: Visitor>(name: &[u8]) -> bool {
    V::MOVETEXT.is_played() && matches!(name, b"FEN" | b"Variant")
}

/// The position of a `FEN` tag.
pub(in crate::pgn) fn position_of(fen: &str) -> Option<Position> {
    Position::from_fen_lenient(fen).ok().map(|(position, _)| position)
}

/// Whether a `Variant` tag means chess, from whatever start position.
pub(in crate::pgn) fn is_chess(variant: &str) -> bool {
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
