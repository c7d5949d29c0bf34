//! Names of squares, colours and results in the protocol.

use ferz_board::{Color, Square};
use ferz_notation::pgn::GameResult;
use ferz_notation::pgn::annotation;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A square as `"e4"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SquareName(pub Square);

impl Serialize for SquareName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SquareName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SquareName, D::Error> {
        let text = String::deserialize(deserializer)?;
        let square = Square::from_ascii(text.as_bytes());
        square
            .map(SquareName)
            .ok_or_else(|| de::Error::custom("a square is a letter from a to h and a digit from 1 to 8"))
    }
}

/// A result as `"1-0"`, `"0-1"`, `"1/2-1/2"` or `"*"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResultName(pub GameResult);

impl Serialize for ResultName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl<'de> Deserialize<'de> for ResultName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ResultName, D::Error> {
        let text = String::deserialize(deserializer)?;
        let result = GameResult::from_ascii(text.as_bytes());
        result.map(ResultName).ok_or_else(|| de::Error::custom("a result is 1-0, 0-1, 1/2-1/2 or *"))
    }
}

/// A colour as `"white"` or `"black"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColorName {
    /// White.
    White,
    /// Black.
    Black,
}

impl From<Color> for ColorName {
    fn from(color: Color) -> ColorName {
        match color {
            Color::White => ColorName::White,
            Color::Black => ColorName::Black,
        }
    }
}

impl From<ColorName> for Color {
    fn from(name: ColorName) -> Color {
        match name {
            ColorName::White => Color::White,
            ColorName::Black => Color::Black,
        }
    }
}

/// The colour of an arrow or a circle, as `"green"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the names say it
pub enum ShapeColor {
    Green,
    Red,
    Yellow,
    Blue,
    Cyan,
    Orange,
}

impl From<annotation::ShapeColor> for ShapeColor {
    fn from(color: annotation::ShapeColor) -> ShapeColor {
        match color {
            annotation::ShapeColor::Green => ShapeColor::Green,
            annotation::ShapeColor::Red => ShapeColor::Red,
            annotation::ShapeColor::Yellow => ShapeColor::Yellow,
            annotation::ShapeColor::Blue => ShapeColor::Blue,
            annotation::ShapeColor::Cyan => ShapeColor::Cyan,
            annotation::ShapeColor::Orange => ShapeColor::Orange,
        }
    }
}

impl From<ShapeColor> for annotation::ShapeColor {
    fn from(color: ShapeColor) -> annotation::ShapeColor {
        match color {
            ShapeColor::Green => annotation::ShapeColor::Green,
            ShapeColor::Red => annotation::ShapeColor::Red,
            ShapeColor::Yellow => annotation::ShapeColor::Yellow,
            ShapeColor::Blue => annotation::ShapeColor::Blue,
            ShapeColor::Cyan => annotation::ShapeColor::Cyan,
            ShapeColor::Orange => annotation::ShapeColor::Orange,
        }
    }
}
