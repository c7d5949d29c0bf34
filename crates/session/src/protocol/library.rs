//! Intents and messages of the library of games.
//!
//! `docs/page-protocol.md` explains every field; a test keeps it in step with these types.

#![allow(missing_docs)] // see above

use serde::{Deserialize, Serialize};

use super::{ColorName, ResultName};

/// Asks for a page of the list.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryListWish {
    #[serde(default)]
    pub query: LibraryQuery,
    #[serde(default)]
    pub sort: LibrarySort,
    #[serde(default = "yes")]
    pub descending: bool,
    #[serde(default)]
    pub from: usize,
    #[serde(default = "fifty")]
    pub count: usize,
}

fn yes() -> bool {
    true
}

fn fifty() -> usize {
    50
}

/// Which games are listed: those that satisfy every field.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryQuery {
    pub text: Option<String>,
    pub player: Option<String>,
    pub color: Option<ColorName>,
    pub opening: Option<String>,
    pub result: Option<ResultName>,
    pub date_from: Option<String>,
    pub date_to: Option<String>,
    pub elo_from: Option<u32>,
    pub elo_to: Option<u32>,
    pub plies_from: Option<u32>,
    pub plies_to: Option<u32>,
    pub material: Option<String>,
    pub fen: Option<String>,
    pub folder: Option<u64>,
    pub tag: Option<String>,
    #[serde(default)]
    pub deleted: bool,
}

/// The order of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LibrarySort {
    #[default]
    Added,
    Date,
    White,
    Black,
    Result,
    Opening,
    Plies,
    Elo,
}

/// The library as `welcome` describes it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LibraryStatus {
    pub games: usize,
    pub writable: bool,
}

/// A game in the list.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct LibraryEntry {
    pub game: u64,
    pub white: String,
    pub black: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white_elo: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black_elo: Option<u32>,
    pub result: String,
    pub date: String,
    pub event: String,
    pub site: String,
    pub round: String,
    pub eco: String,
    pub opening: String,
    pub plies: usize,
    pub folder: Option<u64>,
    pub tags: Vec<String>,
    pub added_ms: u64,
    pub is_current: bool,
}

/// What the library contains.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LibrarySummary {
    pub games: usize,
    pub deleted: usize,
    pub folders: Vec<LibraryFolderEntry>,
    pub tags: Vec<LibraryTagEntry>,
    pub writable: bool,
}

/// A folder.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LibraryFolderEntry {
    pub folder: u64,
    pub name: String,
    pub games: usize,
}

/// A tag of games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LibraryTagEntry {
    pub tag: String,
    pub games: usize,
}

/// The progress of an import.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ImportProgress {
    pub import: u64,
    pub name: String,
    pub bytes: u64,
    pub size: Option<u64>,
    pub games: u64,
    pub problems: u64,
    pub state: ImportState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What an import is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportState {
    Running,
    Done,
    Stopped,
    Failed,
}
