//! Serialisation: everything that has a notation is written in it. Problems have their names.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::Error as _;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use ferz_board::IllegalReason;

use crate::epd::{Epd, EpdError, EpdProblem};
use crate::pgn::annotation::{Eval, EvalScore};
use crate::pgn::{Diagnostic, GameResult, Nag, Place, Problem};
use crate::san::{San, SanError};

/// Reads a text; the reason of an error is kept.
fn parse<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(D::Error::custom)
}

macro_rules! as_text {
    ($($type:ty),+) => {
        $(
            impl Serialize for $type {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.collect_str(self)
                }
            }

            impl<'de> Deserialize<'de> for $type {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                    parse(deserializer)
                }
            }
        )+
    };
}

as_text!(Epd, Eval, EvalScore, GameResult, San);

/// The number.
impl Serialize for Nag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Nag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Nag, D::Error> {
        u8::deserialize(deserializer).map(Nag)
    }
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Place", 3)?;
        fields.serialize_field("byte", &self.byte)?;
        fields.serialize_field("line", &self.line)?;
        fields.serialize_field("column", &self.column)?;
        fields.end()
    }
}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Diagnostic", 8)?;
        fields.serialize_field("problem", &self.kind)?;
        fields.serialize_field("message", &self.kind.to_string())?;
        fields.serialize_field("place", &self.place)?;
        fields.serialize_field("game", &self.game)?;
        fields.serialize_field("ply", &self.ply)?;
        fields.serialize_field("token", &self.token)?;
        fields.serialize_field("reason", &self.reason.map(IllegalReason::name))?;
        fields.serialize_field("explanation", &self.reason.map(|reason| reason.to_string()))?;
        fields.end()
    }
}

/// Name, text, message and the name of the reason.
impl Serialize for SanError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("SanError", 4)?;
        fields.serialize_field("problem", self.name())?;
        fields.serialize_field("token", self.token())?;
        fields.serialize_field("message", &self.to_string())?;
        fields.serialize_field("reason", &self.reason().map(IllegalReason::name))?;
        fields.end()
    }
}

impl Serialize for EpdProblem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Serialize for EpdError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("EpdError", 4)?;
        fields.serialize_field("problem", &self.problem)?;
        fields.serialize_field("message", &self.problem.to_string())?;
        fields.serialize_field("opcode", &self.opcode.map(|opcode| opcode.to_string()))?;
        fields.serialize_field("column", &self.column)?;
        fields.end()
    }
}
