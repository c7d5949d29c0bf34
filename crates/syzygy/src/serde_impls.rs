//! Serialisation: results and distances are numbers, materials are text.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Dtz, Material, Wdl};

/// From -2 (loss) to 2 (win).
impl Serialize for Wdl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Wdl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Wdl, D::Error> {
        let value = i32::deserialize(deserializer)?;
        Wdl::from_value(value).ok_or_else(|| D::Error::custom("expected a result from -2 to 2"))
    }
}

/// The plies.
impl Serialize for Dtz {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Dtz {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Dtz, D::Error> {
        i32::deserialize(deserializer).map(Dtz::new)
    }
}

/// As in `KQvKR`.
impl Serialize for Material {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
