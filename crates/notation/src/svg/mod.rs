//! Boards as SVG images, with our own pieces.
//!
//! ```
//! use ferz_board::{Position, Square};
//! use ferz_notation::svg::{Diagram, Paint};
//!
//! let mut position = Position::start();
//! let e4 = position.parse_uci("e2e4")?;
//! position.play(e4)?;
//! let svg = Diagram::new(&position)
//!     .size(400)
//!     .last_move(e4)
//!     .arrow(Square::C7, Square::C5, Paint::GREEN)
//!     .circle(Square::E5, Paint::BLUE)
//!     .to_string();
//! assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"));
//! assert!(svg.len() < 12_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The picture is one element without scripts, styles, fonts or links: it can be saved as a file or put into
//! a page as it is, also several times.

mod draw;
mod paint;
mod pieces;

use ferz_board::{Bitboard, Board, Color, Move, Position, Square};

pub use paint::{Paint, ParsePaintError, PieceStyle, Theme};
pub use pieces::piece;

/// Where the letters and digits of files and ranks are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Coordinates {
    /// Nowhere.
    Off,
    /// In the corners of the squares at the edge.
    #[default]
    Inside,
    /// In a frame around the board.
    Margin,
}

/// A picture of a board: what to draw, and how. [`Display`](std::fmt::Display) draws it.
///
/// The same diagram always gives the same text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    board: Board,
    title: String,
    size: Option<u32>,
    orientation: Color,
    coordinates: Coordinates,
    theme: Theme,
    last_move: Bitboard,
    check: Option<Square>,
    highlights: Vec<(Bitboard, Paint)>,
    circles: Vec<(Square, Paint)>,
    arrows: Vec<Arrow>,
    labels: Vec<(Square, String)>,
}

/// A straight arrow between two squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Arrow {
    from: Square,
    to: Square,
    paint: Paint,
}

impl Diagram {
    /// A diagram of a position. A king in check is marked.
    #[must_use]
    pub fn new(position: &Position) -> Diagram {
        let side = position.side_to_move();
        let check = position.is_check().then(|| position.king(side));
        let suffix = if check.is_some() { " and in check" } else { "" };
        let title = format!("Chess position, {side} to move{suffix}");
        Diagram { check, title, ..Diagram::of_board(position.board()) }
    }

    /// A diagram of pieces that need not be a legal position.
    #[must_use]
    pub fn of_board(board: &Board) -> Diagram {
        Diagram {
            board: *board,
            title: String::from("Chess board"),
            size: None,
            orientation: Color::White,
            coordinates: Coordinates::default(),
            theme: Theme::default(),
            last_move: Bitboard::EMPTY,
            check: None,
            highlights: Vec::new(),
            circles: Vec::new(),
            arrows: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// Gives the picture a width and height in pixels. Without, it fills the place it is put in.
    #[must_use]
    pub fn size(self, pixels: u32) -> Diagram {
        Diagram { size: Some(pixels), ..self }
    }

    /// Puts this side at the bottom. The default is White.
    #[must_use]
    pub fn orientation(self, bottom: Color) -> Diagram {
        Diagram { orientation: bottom, ..self }
    }

    /// Sets where the coordinates are written.
    #[must_use]
    pub fn coordinates(self, coordinates: Coordinates) -> Diagram {
        Diagram { coordinates, ..self }
    }

    /// Paints with these colours.
    #[must_use]
    pub fn theme(self, theme: Theme) -> Diagram {
        Diagram { theme, ..self }
    }

    /// Sets the title, for screen readers and the tooltip. Any text is allowed.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Diagram {
        Diagram { title: title.into(), ..self }
    }

    /// Marks the two squares of the move that led to this board.
    #[must_use]
    pub fn last_move(self, mv: Move) -> Diagram {
        Diagram { last_move: mv.from().bitboard() | mv.destination().bitboard(), ..self }
    }

    /// Marks a king in check with a red glow, or takes the mark away.
    #[must_use]
    pub fn check(self, king: Option<Square>) -> Diagram {
        Diagram { check: king, ..self }
    }

    /// Paints a square, or all squares of a set.
    #[must_use]
    pub fn highlight(mut self, squares: impl Into<Bitboard>, paint: Paint) -> Diagram {
        self.highlights.push((squares.into(), paint));
        self
    }

    /// Draws a ring around what stands on a square.
    #[must_use]
    pub fn circle(mut self, square: Square, paint: Paint) -> Diagram {
        self.circles.push((square, paint));
        self
    }

    /// Writes a short text, such as a number, on a square, below the piece there. Any text is allowed.
    #[must_use]
    pub fn label(mut self, square: Square, text: impl Into<String>) -> Diagram {
        self.labels.push((square, text.into()));
        self
    }

    /// Draws an arrow. Its ends leave room for the pieces they point at; from a square to itself it is a
    /// [circle](Diagram::circle).
    #[must_use]
    pub fn arrow(mut self, from: Square, to: Square, paint: Paint) -> Diagram {
        if from == to {
            return self.circle(to, paint);
        }
        self.arrows.push(Arrow { from, to, paint });
        self
    }
}

impl From<&Position> for Diagram {
    fn from(position: &Position) -> Diagram {
        Diagram::new(position)
    }
}

impl From<&Board> for Diagram {
    fn from(board: &Board) -> Diagram {
        Diagram::of_board(board)
    }
}
