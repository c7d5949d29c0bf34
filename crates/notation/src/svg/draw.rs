//! Drawing a diagram, from the board up to the arrows.
//!
//! A square is 100 units wide, whatever the size of the picture, so nearly all numbers are whole.

use std::fmt;

use ferz_board::{Bitboard, Color, File, PieceType, Rank, Square};

use super::pieces::{Inherited, write_definition};
use super::{Arrow, Coordinates, Diagram};

/// The width of the board.
const BOARD: i32 = 800;
/// How far the frame reaches beyond it.
const FRAME: i32 = 44;
/// The part of the frame next to the board that is drawn as a line.
const EDGE: i32 = 3;

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frame = if self.coordinates == Coordinates::Margin { FRAME } else { 0 };
        let extent = BOARD + 2 * frame;
        f.write_str(r#"<svg xmlns="http://www.w3.org/2000/svg" "#)?;
        write!(f, r#"viewBox="{0} {0} {extent} {extent}""#, -frame)?;
        if let Some(size) = self.size {
            write!(f, r#" width="{size}" height="{size}""#)?;
        }
        write!(f, r#" role="img"><title>{}</title>"#, Escaped(&self.title))?;
        self.describe(f)?;
        self.define(f)?;
        self.draw_board(f)?;
        self.draw_marks(f)?;
        self.draw_coordinates(f)?;
        self.draw_labels(f)?;
        self.draw_pieces(f)?;
        for arrow in &self.arrows {
            self.draw_arrow(f, arrow)?;
        }
        f.write_str("</svg>")
    }
}

impl Diagram {
    /// Lists the pieces and their squares, for screen readers.
    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<desc>")?;
        for (color, end) in [(Color::White, ". "), (Color::Black, ".")] {
            write!(f, "{color}:")?;
            let mut separator = "";
            for piece_type in PieceType::ALL.into_iter().rev() {
                let squares = self.board.pieces(piece_type.of(color));
                if squares.any() {
                    let plural = if squares.is_several() { "s" } else { "" };
                    write!(f, "{separator} {piece_type}{plural}")?;
                    squares.into_iter().try_for_each(|square| write!(f, " {square}"))?;
                    separator = ",";
                }
            }
            write!(f, "{}{end}", if separator.is_empty() { " nothing" } else { "" })?;
        }
        f.write_str("</desc>")
    }

    /// The drawings of the pieces on the board, and the glow if there is a check. They are the same in every
    /// diagram, so that several diagrams in a page do not disturb each other.
    fn define(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<defs>")?;
        for piece_type in PieceType::ALL {
            if self.board.by_type(piece_type).any() {
                write_definition(f, piece_type)?;
            }
        }
        if self.check.is_some() {
            f.write_str(r##"<radialGradient id="ferz-check"><stop offset=".2" stop-color="#e00000"/>"##)?;
            f.write_str(r##"<stop offset="1" stop-color="#e00000" stop-opacity="0"/></radialGradient>"##)?;
        }
        f.write_str("</defs>")
    }

    /// The upper left corner of a square.
    fn corner(&self, square: Square) -> (i32, i32) {
        let (file, rank) = (square.file() as i32, square.rank() as i32);
        match self.orientation {
            Color::White => (100 * file, 100 * (7 - rank)),
            Color::Black => (100 * (7 - file), 100 * rank),
        }
    }

    /// The frame with its bright edge, then the squares: the light ones are one ground on which the dark ones
    /// lie, so there are no seams between them at any size.
    fn draw_board(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut draw_ground = |border: i32, paint| {
            let extent = BOARD + 2 * border;
            write!(f, r#"<rect x="{0}" y="{0}" width="{extent}" height="{extent}" fill="{paint}"/>"#, -border)
        };
        if self.coordinates == Coordinates::Margin {
            draw_ground(FRAME, self.theme.frame)?;
            draw_ground(EDGE, self.theme.label_on_frame)?;
        }
        draw_ground(0, self.theme.light)?;
        self.fill_squares(f, Bitboard::DARK, &format!(r#"fill="{}""#, self.theme.dark))
    }

    /// Everything between the board and the pieces.
    fn draw_marks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last_move = (self.last_move, self.theme.last_move);
        for (squares, paint) in std::iter::once(&last_move).chain(&self.highlights) {
            let opacity = paint.opacity_attribute("fill-opacity");
            self.fill_squares(f, *squares, &format!(r#"fill="{paint}"{opacity}"#))?;
        }
        if let Some(king) = self.check {
            self.fill_squares(f, king.bitboard(), r##"fill="url(#ferz-check)""##)?;
        }
        for &(square, paint) in &self.circles {
            let (x, y) = self.corner(square);
            let opacity = paint.opacity_attribute("opacity");
            write!(f, r#"<circle cx="{}" cy="{}" r="45" fill="none" "#, x + 50, y + 50)?;
            write!(f, r#"stroke="{paint}" stroke-width="7"{opacity}/>"#)?;
        }
        Ok(())
    }

    fn fill_squares(&self, f: &mut fmt::Formatter<'_>, squares: Bitboard, fill: &str) -> fmt::Result {
        if squares.is_empty() {
            return Ok(());
        }
        write!(f, r#"<path {fill} d=""#)?;
        for square in squares {
            let (x, y) = self.corner(square);
            write!(f, "M{x} {y}h100v100h-100z")?;
        }
        f.write_str(r#""/>"#)
    }

    /// Files along the lower edge, ranks along the left one.
    fn draw_coordinates(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Where the text is anchored, and its offset from the corner of a square.
        let (font_size, of_files, of_ranks) = match self.coordinates {
            Coordinates::Off => return Ok(()),
            Coordinates::Inside => (18, ("end", 98, 96), ("start", 3, 18)),
            Coordinates::Margin => (26, ("middle", 50, 131), ("middle", -22, 59)),
        };
        let (left, bottom) = match self.orientation {
            Color::White => (File::A, Rank::First),
            Color::Black => (File::H, Rank::Eighth),
        };
        let files = File::ALL.map(|file| (file.to_char(), Square::from_coords(file, bottom)));
        let ranks = Rank::ALL.map(|rank| (rank.to_char(), Square::from_coords(left, rank)));
        write!(f, r#"<g font-family="sans-serif" font-weight="bold" font-size="{font_size}">"#)?;
        for (labels, (anchor, right, down)) in [(files, of_files), (ranks, of_ranks)] {
            write!(f, r#"<g text-anchor="{anchor}">"#)?;
            for (label, square) in labels {
                let (x, y) = self.corner(square);
                let paint = match self.coordinates {
                    Coordinates::Margin => self.theme.label_on_frame,
                    _ if square.is_light() => self.theme.label_on_light,
                    _ => self.theme.label_on_dark,
                };
                write!(f, r#"<text x="{}" y="{}" fill="{paint}">{label}</text>"#, x + right, y + down)?;
            }
            f.write_str("</g>")?;
        }
        f.write_str("</g>")
    }

    fn draw_labels(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.labels.is_empty() {
            return Ok(());
        }
        f.write_str(r#"<g font-family="sans-serif" font-size="34" text-anchor="middle">"#)?;
        for (square, text) in &self.labels {
            let (x, y) = self.corner(*square);
            let paint = if square.is_light() { self.theme.label_on_light } else { self.theme.label_on_dark };
            write!(f, r#"<text x="{}" y="{}" fill="{paint}">{}</text>"#, x + 50, y + 62, Escaped(text))?;
        }
        f.write_str("</g>")
    }

    fn draw_pieces(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for color in Color::ALL {
            write!(f, "<g {}>", Inherited(self.theme.pieces(color)))?;
            for (square, piece) in self.board.iter().filter(|(_, piece)| piece.color() == color) {
                let (x, y) = self.corner(square);
                write!(f, r##"<use href="#ferz-{}" x="{x}" y="{y}"/>"##, piece.piece_type())?;
            }
            f.write_str("</g>")?;
        }
        Ok(())
    }

    /// One polygon for shaft and head, so that a transparent arrow has no darker overlap.
    fn draw_arrow(&self, f: &mut fmt::Formatter<'_>, arrow: &Arrow) -> fmt::Result {
        const SHAFT: f64 = 8.0;
        const HEAD: f64 = 23.0;
        const HEAD_LENGTH: f64 = 34.0;
        let center = |square| {
            let (x, y) = self.corner(square);
            (f64::from(x + 50), f64::from(y + 50))
        };
        let ((from_x, from_y), (to_x, to_y)) = (center(arrow.from), center(arrow.to));
        let length = ((to_x - from_x).powi(2) + (to_y - from_y).powi(2)).sqrt();
        let (along_x, along_y) = ((to_x - from_x) / length, (to_y - from_y) / length);
        // From near the middle of the first square to near the middle of the last, but only to the edge of a
        // piece there; pieces are higher than wide.
        let edge = (30.0 / along_x.abs()).min(38.0 / along_y.abs());
        let start = if self.board.piece_at(arrow.from).is_some() { 28.0 } else { 12.0 };
        let tip = length - if self.board.piece_at(arrow.to).is_some() { edge } else { 6.0 };
        let neck = (tip - HEAD_LENGTH).max(start);
        let outline = [
            (start, SHAFT),
            (neck, SHAFT),
            (neck, HEAD),
            (tip, 0.0),
            (neck, -HEAD),
            (neck, -SHAFT),
            (start, -SHAFT),
        ];
        f.write_str(r#"<polygon points=""#)?;
        for (i, (forward, aside)) in outline.into_iter().enumerate() {
            let x = from_x + along_x * forward - along_y * aside;
            let y = from_y + along_y * forward + along_x * aside;
            write!(f, "{}{x:.1},{y:.1}", if i == 0 { "" } else { " " })?;
        }
        let paint = arrow.paint;
        write!(f, r#"" fill="{paint}" stroke="{paint}" stroke-width="4" stroke-linejoin="round""#)?;
        write!(f, "{}/>", paint.opacity_attribute("opacity"))
    }
}

/// Text that cannot be taken for markup. Characters that XML does not allow at all are replaced.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\t' | '\n' | '\r' | ' '.. if !matches!(c, '\u{fffe}' | '\u{ffff}') => write!(f, "{c}")?,
                _ => f.write_str("\u{fffd}")?,
            }
        }
        Ok(())
    }
}
