//! Serialisation: names for the small types, FEN for positions, numbers for bitboards and moves.

use core::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    Bitboard, CastlingStyle, Color, EnPassantMode, FenError, File, Move, Piece, PieceType, Position, Rank,
    Square,
};

/// Reads a text with a function that knows what it must look like.
struct Text<T> {
    expected: &'static str,
    read: fn(&str) -> Option<T>,
}

impl<T> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.read)(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// The only character of a text.
fn only_char(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

macro_rules! as_text {
    ($type:ty, $expected:literal, $write:expr, $read:expr) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&$write(self))
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                deserializer.deserialize_str(Text { expected: $expected, read: $read })
            }
        }
    };
}

as_text!(Color, "w or b", |color: &Color| color.to_char(), |text| Color::from_char(only_char(text)?));
as_text!(File, "a file from a to h", |file: &File| *file, |text| File::from_char(only_char(text)?));
as_text!(Rank, "a rank from 1 to 8", |rank: &Rank| *rank, |text| Rank::from_char(only_char(text)?));
as_text!(Square, "a square from a1 to h8", |square: &Square| *square, |text| text.parse().ok());
as_text!(PieceType, "a letter of pnbrqk", |it: &PieceType| it.to_char(), |text| {
    PieceType::from_char(only_char(text)?)
});
as_text!(Piece, "a FEN letter", |piece: &Piece| piece.to_char(), |text| Piece::from_char(only_char(text)?));

/// The FEN with the skipped square, whether or not a pawn can capture there: nothing is lost.
impl Serialize for Position {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.fen(EnPassantMode::Always, CastlingStyle::Shredder))
    }
}

/// Any position that can be serialised, as `FromStr` reads it. The error says what is wrong with the FEN.
impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Position, D::Error> {
        deserializer.deserialize_str(FenText)
    }
}

struct FenText;

impl Visitor<'_> for FenText {
    type Value = Position;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the FEN of a legal position")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Position, E> {
        text.parse().map_err(|error: FenError| {
            E::custom(format_args!("expected the FEN of a legal position: {error}"))
        })
    }
}

impl Serialize for Bitboard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Bitboard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bitboard, D::Error> {
        u64::deserialize(deserializer).map(Bitboard)
    }
}

/// The sixteen bits, because the text of a move does not say what kind of move it is.
impl Serialize for Move {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u16(self.bits())
    }
}

impl<'de> Deserialize<'de> for Move {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Move, D::Error> {
        let bits = u16::deserialize(deserializer)?;
        Move::from_bits(bits)
            .ok_or_else(|| D::Error::invalid_value(Unexpected::Unsigned(bits.into()), &"the bits of a move"))
    }
}
