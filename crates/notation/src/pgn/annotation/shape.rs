//! Arrows and circles on the board.

use std::fmt;

use ferz_board::Square;

/// The colours of arrows and circles, with the letters by which they are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ShapeColor {
    /// `G`
    Green,
    /// `R`
    Red,
    /// `Y`
    Yellow,
    /// `B`
    Blue,
    /// `C`
    Cyan,
    /// `O`
    Orange,
}

impl ShapeColor {
    /// All of them.
    pub const ALL: [ShapeColor; 6] = [
        ShapeColor::Green,
        ShapeColor::Red,
        ShapeColor::Yellow,
        ShapeColor::Blue,
        ShapeColor::Cyan,
        ShapeColor::Orange,
    ];

    /// The letter.
    #[must_use]
    pub const fn to_char(self) -> char {
        match self {
            ShapeColor::Green => 'G',
            ShapeColor::Red => 'R',
            ShapeColor::Yellow => 'Y',
            ShapeColor::Blue => 'B',
            ShapeColor::Cyan => 'C',
            ShapeColor::Orange => 'O',
        }
    }

    /// The colour of a letter, large or small.
    #[must_use]
    pub fn from_char(letter: char) -> Option<ShapeColor> {
        let letter = letter.to_ascii_uppercase();
        ShapeColor::ALL.into_iter().find(|color| color.to_char() == letter)
    }
}

/// An arrow: `Ga1b2`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arrow {
    /// Its colour.
    pub color: ShapeColor,
    /// Where it starts.
    pub from: Square,
    /// Where it points.
    pub to: Square,
}

impl Arrow {
    pub(super) fn parse(text: &str) -> Option<Arrow> {
        let (color, squares) = split(text)?;
        let (from, to) = squares.split_at_checked(2)?;
        Some(Arrow { color, from: Square::from_ascii(from)?, to: Square::from_ascii(to)? })
    }
}

impl fmt::Display for Arrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.color.to_char(), self.from, self.to)
    }
}

/// A marked square: `Ge4`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Circle {
    /// The colour of the mark.
    pub color: ShapeColor,
    /// The square.
    pub square: Square,
}

impl Circle {
    pub(super) fn parse(text: &str) -> Option<Circle> {
        let (color, square) = split(text)?;
        Some(Circle { color, square: Square::from_ascii(square)? })
    }
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.color.to_char(), self.square)
    }
}

/// The colour, and the squares behind it.
fn split(text: &str) -> Option<(ShapeColor, &[u8])> {
    let (&letter, squares) = text.as_bytes().split_first()?;
    Some((ShapeColor::from_char(char::from(letter))?, squares))
}
