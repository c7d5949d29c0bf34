#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod material;
mod tablebases;
mod verdict;

pub use error::{AddError, Damage, OpenError, ProbeError};
pub use material::{Material, TableKind};
pub use tablebases::Tablebases;
pub use verdict::{Dtz, MoveVerdict, Wdl};
