#![doc = include_str!("../README.md")]

#[cfg(target_arch = "wasm32")]
mod exports;
pub mod self_test;
mod tab;

pub use tab::{Hearing, Page, Tab};
