//! Serialisation: text for the small types, FEN for positions, numbers for bitboards and moves. Types without a text of
//! their own derive it.

use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    Bitboard, ByColor, ByPieceType, CastlingRights, CastlingStyle, Color, EnPassantMode, File, Move, Piece,
    PieceType, Position, Rank, Setup, Square, UciMove,
};

/// Reads a text with `FromStr`, whose error keeps the reason.
struct Text<T> {
    expected: &'static str,
    read: PhantomData<T>,
}

impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(|error| E::custom(format_args!("invalid value {text:?}: {error}")))
    }
}

macro_rules! as_text {
    ($($(#[$meta:meta])* $type:ty, $expected:expr, $write:expr;)*) => {$(
        $(#[$meta])*
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&$write(self))
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                deserializer.deserialize_str(Text { expected: $expected, read: PhantomData })
            }
        }
    )*};
}

as_text! {
    Color, Color::EXPECTED, |color: &Color| color.to_char();
    File, File::EXPECTED, |file: &File| *file;
    Rank, Rank::EXPECTED, |rank: &Rank| *rank;
    Square, Square::EXPECTED, |square: &Square| *square;
    PieceType, PieceType::EXPECTED, |piece_type: &PieceType| piece_type.to_char();
    Piece, Piece::EXPECTED, |piece: &Piece| piece.to_char();
    CastlingRights, CastlingRights::EXPECTED, |rights: &CastlingRights| *rights;
    UciMove, "a move in UCI notation", |mv: &UciMove| *mv;
    /// The FEN, as `Display` writes it.
    Setup, "a FEN", Setup::clone;
    /// The X-FEN with the skipped square, whether or not a pawn can capture there: nothing is lost.
    Position, "the FEN of a legal position", |it: &Position| it.fen(EnPassantMode::Always, CastlingStyle::XFen);
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

/// A bitboard as the list of its squares, for the reports of broken rules.
pub(crate) mod squares {
    use alloc::vec::Vec;

    use serde::{Deserialize, Deserializer, Serializer};

    use crate::{Bitboard, Square};

    pub(crate) fn serialize<S: Serializer>(set: &Bitboard, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(*set)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bitboard, D::Error> {
        Vec::<Square>::deserialize(deserializer).map(Bitboard::from_iter)
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

/// Maps are written with the names of their keys.
macro_rules! as_fields {
    ($map:ident, $fields:ident { $($field:ident)* }) => {
        #[derive(Serialize, Deserialize)]
        struct $fields<T> {
            $($field: T,)*
        }

        impl<T: Serialize> Serialize for $map<T> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let [$($field),*] = self.as_ref().into_array();
                $fields { $($field),* }.serialize(serializer)
            }
        }

        impl<'de, T: Deserialize<'de>> Deserialize<'de> for $map<T> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$map<T>, D::Error> {
                let $fields { $($field),* } = $fields::deserialize(deserializer)?;
                Ok($map::new([$($field),*]))
            }
        }
    };
}

as_fields!(ByColor, ColorFields { white black });
as_fields!(ByPieceType, PieceTypeFields { pawn knight bishop rook queen king });
