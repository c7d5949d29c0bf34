//! Games of the engine against itself: playing them, keeping them in files, and turning them into training records.

pub mod data;
pub mod datagen;
