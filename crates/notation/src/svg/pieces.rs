//! The drawings of the six pieces.
//!
//! Every drawing lives on a grid of 100 by 100, stands on the same foot at `y` = 94 and uses the same stroke,
//! so that the pieces look like one set. A drawing has no colours of its own: it inherits `fill` (the body),
//! `stroke` (the outline) and `color` (the lines inside) from where it is used, so White and Black share it.

use std::fmt;
use std::sync::LazyLock;

use ferz_board::{Piece, PieceType};

use super::paint::{PieceStyle, Theme};

/// One piece: what is filled and outlined, and what is drawn on top of that.
struct Drawing {
    /// The closed silhouette.
    outline: &'static str,
    /// Strokes inside the silhouette. They end just short of it: the outline of a white piece swallows the
    /// gap, and the light lines of a black piece stay clear of its edge.
    lines: &'static str,
    /// Small filled shapes inside the silhouette.
    marks: &'static str,
}

const PAWN: Drawing = Drawing {
    outline: "M50 22c8.5 0 15 6.5 15 15c0 5-2 9-5.5 12h5.5q3 0 3 3.5q0 3.5-3 3.5h-6c1 12 5 22 12 26\
              q9 1 9 8q0 4-4 4H24q-4 0-4-4q0-7 9-8c7-4 11-14 12-26h-6q-3 0-3-3.5q0-3.5 3-3.5h5.5\
              c-3.5-3-5.5-7-5.5-12c0-8.5 6.5-15 15-15z",
    lines: "M44 56h12M33.5 82h33",
    marks: "",
};

const KNIGHT: Drawing = Drawing {
    outline: "M29 82C28 70 48 68 51 49.5C47 54.5 41 54.5 37 56.5C33 59 31 65.5 26 65.5\
              C22.5 65.5 20.5 63 21.5 60C16 61.5 12 57.5 13 52C14.5 45.5 22 39.5 25 31\
              C27 25.5 30.5 22 35.5 19.5C34.5 15 35.5 11.5 37.5 8C42.5 10.5 46.5 14 49 18.5\
              C71 19 84 46 76 82q7 1 7 8q0 4-4 4H21q-4 0-4-4q0-7 7-8z",
    lines: "M57.5 27C70 37 73.5 57 69.5 74M51 49.5C56 44 55.5 38 51.5 35M33 82h39.5",
    marks: "M29.5 34q3.5-6 9-4.5q-2 6-9 4.5zM17 53.5a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0z",
};

const BISHOP: Drawing = Drawing {
    outline: "M50 8c3.8 0 6.5 2.7 6.5 6.2c0 2.3-1 4.1-2.5 5.3c9 4.5 16 13.5 16 23.5c0 6-3 11-8.5 14h4.5\
              q3 0 3 3.5q0 3.5-3 3.5h-6c1 9 6 15 14 18q9 1 9 8q0 4-4 4H21q-4 0-4-4q0-7 9-8c8-3 13-9 14-18\
              h-6q-3 0-3-3.5q0-3.5 3-3.5h4.5c-5.5-3-8.5-8-8.5-14c0-10 7-19 16-23.5c-1.5-1.2-2.5-3-2.5-5.3\
              c0-3.5 2.7-6.2 6.5-6.2z",
    lines: "M58 29L47 44M43 64h14M29.5 82h41",
    marks: "",
};

const ROOK: Drawing = Drawing {
    outline: "M50 19h7v8h7.5v-8h12.5v15l-8.5 9l1.5 27l5 12q8 1 8 8q0 4-4 4H21q-4 0-4-4q0-7 8-8l5-12l1.5-27\
              l-8.5-9v-15h12.5v8h7.5v-8z",
    lines: "M34.5 43h31M33 70h34M28 82h44",
    marks: "",
};

const QUEEN: Drawing = Drawing {
    outline: "M50 8c4 0 7 3 7 6.5c0 2.2-1 4.2-2.5 5.3l4 13.2l9-12l3.5 13l10.5-7.5\
              c-2 13.5-8.5 21.5-16.5 27.5h2q3 0 3 3.5q0 3.5-3 3.5h-5c0 10 4 18 12 21q9 1 9 8q0 4-4 4H21\
              q-4 0-4-4q0-7 9-8c8-3 12-11 12-21h-5q-3 0-3-3.5q0-3.5 3-3.5h2c-8-6-14.5-14-16.5-27.5\
              l10.5 7.5l3.5-13l9 12l4-13.2c-1.5-1.1-2.5-3.1-2.5-5.3c0-3.5 3-6.5 7-6.5z",
    lines: "M41 61h18M29.5 82h41",
    marks: "",
};

const KING: Drawing = Drawing {
    outline: "M50 6h4.5v6h7.5v8.5h-7.5v8.5c7.5 0 16 2 21.5 6c-2 9-6 15-11 19h2q3 0 3 3.5q0 3.5-3 3.5h-5\
              c0 10 4 18 12 21q9 1 9 8q0 4-4 4H21q-4 0-4-4q0-7 9-8c8-3 12-11 12-21h-5q-3 0-3-3.5\
              q0-3.5 3-3.5h2c-5-4-9-10-11-19c5.5-4 14-6 21.5-6v-8.5h-7.5v-8.5h7.5v-6z",
    lines: "M32 41Q50 33 68 41M41 61h18M29.5 82h41",
    marks: "",
};

/// By type of piece.
static DRAWINGS: [Drawing; 6] = [PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING];

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, r#"<path d="{}"/>"#, self.outline)?;
        write!(f, r#"<path d="{}" fill="none" stroke="currentColor" stroke-width="3.2"/>"#, self.lines)?;
        if !self.marks.is_empty() {
            write!(f, r#"<path d="{}" fill="currentColor" stroke="none"/>"#, self.marks)?;
        }
        Ok(())
    }
}

/// The drawing of a type of piece as a group with the id by which it is used.
pub(super) fn write_definition(f: &mut fmt::Formatter<'_>, piece_type: PieceType) -> fmt::Result {
    write!(f, r#"<g id="ferz-{piece_type}">{}</g>"#, DRAWINGS[piece_type.index()])
}

/// The attributes that a drawing inherits.
pub(super) struct Inherited<'a>(pub(super) &'a PieceStyle);

impl fmt::Display for Inherited<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PieceStyle { body, outline, lines } = self.0;
        write!(f, r#"fill="{body}" stroke="{outline}" color="{lines}" "#)?;
        f.write_str(r#"stroke-width="3.6" stroke-linecap="round" stroke-linejoin="round""#)
    }
}

/// A piece alone: a small SVG document of 100 by 100 units without a fixed size and without ids, to be put
/// into a page as it is, or used as an image.
///
/// ```
/// use ferz_board::Piece;
/// use ferz_notation::svg;
///
/// let knight = svg::piece(Piece::BlackKnight);
/// assert!(knight.starts_with("<svg ") && knight.ends_with("</svg>"));
/// assert!(knight.contains("<title>black knight</title>"));
/// ```
#[must_use]
pub fn piece(piece: Piece) -> &'static str {
    static DOCUMENTS: LazyLock<[String; 12]> = LazyLock::new(|| Piece::ALL.map(document));
    &DOCUMENTS[piece.color().index() * PieceType::ALL.len() + piece.piece_type().index()]
}

fn document(piece: Piece) -> String {
    let style = Inherited(Theme::LIGHT.pieces(piece.color()));
    let drawing = &DRAWINGS[piece.piece_type().index()];
    let size = r#"xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100""#;
    format!(r#"<svg {size} role="img" {style}><title>{piece}</title>{drawing}</svg>"#)
}
