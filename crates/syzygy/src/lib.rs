#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod check;
mod checksum;
mod error;
mod geometry;
mod header;
mod layout;
mod material;
mod pairs;
mod probe;
#[cfg(feature = "serde")]
mod serde_impls;
mod store;
mod table;
mod tablebases;
mod verdict;

pub use check::{CheckedTable, check_file};
pub use checksum::checksum;
pub use error::{AddError, Damage, OpenError, ProbeError};
pub use material::{Material, TableKind};
pub use tablebases::Tablebases;
pub use verdict::{Dtz, MoveVerdict, Wdl};
