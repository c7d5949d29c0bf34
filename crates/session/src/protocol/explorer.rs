//! Messages of the opening explorer.
//!
//! `docs/page-protocol.md` explains every field; a test keeps it in step with these types.

#![allow(missing_docs)] // see above

use serde::Serialize;

use super::{ColorName, ResultName};

/// Where the explorer looks moves up.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ExplorerSource {
    pub id: String,
    pub name: String,
    pub kind: ExplorerKind,
    pub games: u64,
}

/// What a source knows of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExplorerKind {
    /// A weight.
    Book,
    /// The results of games.
    Games,
}

/// What a source knows of a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplorerAnswer {
    pub node: u32,
    pub source: String,
    pub kind: ExplorerKind,
    pub key: String,
    pub building: Option<u8>,
    pub total: u64,
    pub moves: Vec<ExplorerMove>,
    pub games: Vec<ExplorerGame>,
    pub path: Vec<ExplorerStep>,
}

/// A move of a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplorerMove {
    pub uci: String,
    pub san: String,
    pub key: String,
    pub games: u64,
    pub white: u64,
    pub draws: u64,
    pub black: u64,
    pub elo: Option<u32>,
    pub year: Option<u16>,
    pub transpositions: u64,
}

/// A game that reached a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplorerGame {
    pub game: Option<u64>,
    pub white: String,
    pub black: String,
    pub elo: Option<u32>,
    pub year: Option<u16>,
    pub result: ResultName,
}

/// A move that leads to a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ExplorerStep {
    pub key: String,
    pub uci: String,
    pub san: String,
    pub number: u32,
    pub color: ColorName,
}
