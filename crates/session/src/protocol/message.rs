//! The messages to the page.
//!
//! `docs/page-protocol.md` explains every field; a test keeps it in step with these types.

#![allow(missing_docs)] // see above

use ferz_coach::review::Judgement;
use serde::{Deserialize, Serialize};

use super::{
    ColorName, ExplorerAnswer, ExplorerSource, ExportKind, ImportProgress, LibraryEntry, LibraryStatus,
    LibrarySummary, ResultName, ShapeColor, SquareName,
};
use crate::xray::{Divide, MagicLookup, NetTrace, Timeline, Word, Xray};

/// A message, and the number of the intent that caused it.
#[derive(Clone, Debug, Serialize)]
pub struct Outgoing {
    #[serde(flatten)]
    pub message: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub re: Option<u64>,
}

impl Outgoing {
    /// The text that is sent.
    pub fn to_text(&self) -> String {
        // The types hold strings, numbers and lists only, so this cannot fail.
        serde_json::to_string(self)
            .unwrap_or_else(|error| format!(r#"{{"type":"error","message":"{error}"}}"#))
    }
}

/// A message to the page.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    Welcome(Welcome),
    Tree(TreeChange),
    State(Box<State>),
    Save {
        version: u64,
        pgn: String,
    },
    Analysis(Box<Analysis>),
    OtherAnalysis(Box<OtherAnalysis>),
    Error {
        message: String,
    },
    Notice {
        message: String,
    },
    Preview(Preview),
    Games {
        count: usize,
        from: usize,
        games: Vec<GameEntry>,
    },
    Puzzles {
        puzzles: Vec<PuzzleText>,
        count: usize,
        problems: usize,
    },
    Loaded {
        problems: Vec<String>,
        problem_count: usize,
    },
    Setup(Box<SetupAnswer>),
    Export {
        what: ExportKind,
        text: String,
        file: String,
        mime: &'static str,
    },
    Hint(Advice),
    Threat(Advice),
    Explanation {
        node: u32,
        parts: Vec<ExplanationPart>,
    },
    Review(ReviewProgress),
    Xray {
        node: u32,
        #[serde(flatten)]
        xray: Box<Xray>,
    },
    Magic {
        node: u32,
        #[serde(flatten)]
        lookup: MagicLookup,
    },
    Timeline {
        node: u32,
        #[serde(flatten)]
        timeline: Box<Timeline>,
    },
    Perft {
        node: u32,
        #[serde(flatten)]
        divide: Divide,
    },
    Accumulators {
        node: u32,
        trace: Option<Box<NetTrace>>,
    },
    LibraryList {
        from: usize,
        total: usize,
        games: Vec<LibraryEntry>,
    },
    Library(LibrarySummary),
    LibraryChanged {},
    LibraryImport(ImportProgress),
    LibraryCurrent {
        game: Option<u64>,
    },
    Explorer(Box<ExplorerAnswer>),
}

/// The answer to `hello`.
#[derive(Clone, Debug, Serialize)]
pub struct Welcome {
    pub version: &'static str,
    pub net: Option<String>,
    pub levels: Vec<LevelEntry>,
    pub limits: LimitsEntry,
    pub library: Option<LibraryStatus>,
    pub tab: Option<String>,
    pub explorers: Vec<ExplorerSource>,
    pub engines: Vec<EngineEntry>,
}

/// Another engine, which can analyse beside ours.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EngineEntry {
    pub id: String,
    pub name: String,
}

/// A strength to play against.
#[derive(Clone, Debug, Serialize)]
pub struct LevelEntry {
    pub id: &'static str,
    pub name: &'static str,
    pub elo: Option<u32>,
    pub text: &'static str,
}

/// The limits of the server.
#[derive(Clone, Debug, Serialize)]
pub struct LimitsEntry {
    pub lines: usize,
    pub text_bytes: usize,
    pub message_bytes: usize,
    pub games: usize,
    pub analysis_ms: u64,
    pub threads: usize,
    pub hash_mb: usize,
    pub default_hash_mb: usize,
}

/// The changed part of the tree.
#[derive(Clone, Debug, Serialize)]
pub struct TreeChange {
    pub version: u64,
    pub reset: bool,
    pub more: bool,
    pub nodes: Vec<NodeEntry>,
    pub removed: Vec<u32>,
}

/// A node of the tree.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NodeEntry {
    pub id: u32,
    pub parent: Option<u32>,
    pub children: Vec<u32>,
    pub san: Option<String>,
    pub uci: Option<String>,
    pub number: u32,
    pub color: ColorName,
    pub ply: usize,
    pub main: bool,
    pub comment: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub before: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nags: Vec<u8>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arrows: Vec<ArrowEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub circles: Vec<CircleEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eval: Option<EvalEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<MoveReview>,
}

/// An arrow on the board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ArrowEntry {
    pub from: SquareName,
    pub to: SquareName,
    pub color: ShapeColor,
}

/// A circle on the board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CircleEntry {
    pub square: SquareName,
    pub color: ShapeColor,
}

/// The evaluation of a position in a game.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EvalEntry {
    pub score: ScoreEntry,
    pub depth: Option<u32>,
}

/// A score from White's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreEntry {
    Cp(i32),
    Mate(i32),
}

/// The review of a move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MoveReview {
    pub judgement: Judgement,
    pub best: Option<BestMove>,
    pub win_before: f64,
    pub win_after: f64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// The better move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BestMove {
    pub uci: String,
    pub san: String,
    pub score: ScoreEntry,
}

/// The current node.
#[derive(Clone, Debug, Serialize)]
pub struct State {
    pub version: u64,
    pub node: u32,
    pub path: String,
    pub fen: String,
    pub board: String,
    pub turn: ColorName,
    pub number: u32,
    pub check: Option<SquareName>,
    pub last: Option<[SquareName; 2]>,
    pub moves: std::collections::BTreeMap<String, Vec<MoveEntry>>,
    pub outcome: Option<OverEntry>,
    pub claims: Vec<ClaimName>,
    pub result: ResultName,
    pub opening: Option<OpeningEntry>,
    pub chess960: bool,
    pub start_number: Option<u16>,
    pub headers: Vec<[String; 2]>,
    pub undo: bool,
    pub redo: bool,
    pub play: Option<PlayEntry>,
    pub puzzle: Option<PuzzleEntry>,
    pub reviewing: bool,
}

/// A legal move.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct MoveEntry {
    pub uci: String,
    pub san: String,
    pub to: Vec<SquareName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promotion: Option<char>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub capture: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub castling: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub en_passant: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub check: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mate: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captured: Option<SquareName>,
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OverEntry {
    /// The result.
    pub result: ResultName,
    /// Why the game is over.
    pub reason: EndReason,
    /// Both as a phrase.
    pub text: String,
}

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the names say it
pub enum EndReason {
    Checkmate,
    Stalemate,
    InsufficientMaterial,
    FivefoldRepetition,
    SeventyFiveMoves,
    DeadPosition,
    Resignation,
    Agreement,
    ThreefoldRepetition,
    FiftyMoves,
    Time,
    TimeInsufficientMaterial,
}

/// A draw that the side to move may claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the names say it
pub enum ClaimName {
    ThreefoldRepetition,
    FiftyMoves,
}

/// Whether a score is exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundName {
    /// The score is exact.
    Exact,
    /// White has at least this score.
    Lower,
    /// White has at most this score.
    Upper,
}

/// What a review is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the names say it
pub enum ReviewStatus {
    Waiting,
    Running,
    Stopped,
    Done,
}

/// Makes the first letter a capital.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The name of an opening.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OpeningEntry {
    pub eco: &'static str,
    pub name: &'static str,
    pub here: bool,
}

/// A game against the engine.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlayEntry {
    pub color: ColorName,
    pub level: &'static str,
    pub from: u32,
    pub head: u32,
    pub from_ply: usize,
    pub head_path: String,
    pub thinking: bool,
    pub book: bool,
    pub book_move: bool,
    pub clock: Option<ClockEntry>,
    pub over: Option<OverEntry>,
}

/// A puzzle that was read from a text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PuzzleText {
    pub fen: String,
    pub moves: Vec<String>,
    pub title: String,
    pub source: String,
    pub strict: bool,
    pub chess960: bool,
}

/// The puzzle on the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PuzzleEntry {
    pub color: ColorName,
    pub moves: usize,
    pub found: usize,
    pub mistakes: u32,
    pub wrong: Option<String>,
    pub judging: bool,
    pub solved: bool,
    pub shown: bool,
}

/// A chess clock.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ClockEntry {
    pub initial_ms: u64,
    pub increment_ms: u64,
    pub white_ms: u64,
    pub black_ms: u64,
    pub running: Option<ColorName>,
}

/// The progress of an analysis.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Analysis {
    pub node: u32,
    pub status: AnalysisStatus,
    pub end: Option<AnalysisEnd>,
    pub waiting: usize,
    pub threads: usize,
    pub depth: u32,
    pub selective_depth: u32,
    pub nodes: u64,
    pub nps: u64,
    pub time_ms: u64,
    pub hashfull: u32,
    pub lines: Vec<LineEntry>,
    pub history: Vec<DepthEntry>,
    pub tables: Vec<TableMove>,
    pub tt: Option<TtView>,
}

/// What the transposition table has for the position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TtView {
    pub key: Word,
    pub clusters: u64,
    pub index: u64,
    pub key_part: u32,
    pub generation: u32,
    pub slots: Vec<Option<TtSlotView>>,
    pub hit: Option<usize>,
}

/// An entry of the transposition table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TtSlotView {
    pub data: Word,
    pub signature: u32,
    pub uci: Option<String>,
    pub value: i32,
    pub eval: Option<i32>,
    pub depth: u32,
    pub bound: Option<TtBoundName>,
    pub pv: bool,
    pub age: u32,
}

/// What a stored value says of the true one, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TtBoundName {
    /// It is the value.
    Exact,
    /// The true value is at least this.
    Lower,
    /// The true value is at most this.
    Upper,
}

/// A move of a position that the endgame tables know.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TableMove {
    pub uci: String,
    pub san: String,
    pub result: TableResult,
    pub dtz: i32,
}

/// The result after a move, for the side that plays it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TableResult {
    Win,
    CursedWin,
    Draw,
    BlessedLoss,
    Loss,
}

impl From<ferz_syzygy::Wdl> for TableResult {
    fn from(wdl: ferz_syzygy::Wdl) -> TableResult {
        match wdl {
            ferz_syzygy::Wdl::Win => TableResult::Win,
            ferz_syzygy::Wdl::CursedWin => TableResult::CursedWin,
            ferz_syzygy::Wdl::Draw => TableResult::Draw,
            ferz_syzygy::Wdl::BlessedLoss => TableResult::BlessedLoss,
            ferz_syzygy::Wdl::Loss => TableResult::Loss,
        }
    }
}

/// What an analysis is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnalysisStatus {
    Off,
    Waiting,
    Searching,
    Done,
}

/// Why an analysis has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnalysisEnd {
    /// By the stop rule: the time is over,
    Time,
    /// the depth is reached,
    Depth,
    /// or the nodes are searched.
    Nodes,
    /// The longest time that the server allows is over.
    Limit,
    /// There is nothing left to search.
    Complete,
}

/// The progress of another engine's analysis.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OtherAnalysis {
    pub engine: String,
    pub name: String,
    pub node: u32,
    pub status: AnalysisStatus,
    pub depth: u32,
    pub selective_depth: u32,
    pub nodes: u64,
    pub nps: u64,
    pub time_ms: u64,
    pub hashfull: u32,
    pub lines: Vec<OtherLine>,
    pub problem: Option<String>,
}

/// One line of another engine.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OtherLine {
    pub rank: usize,
    pub depth: u32,
    pub score: ScoreEntry,
    pub bound: BoundName,
    #[serde(flatten)]
    pub moves: MovesEntry,
}

/// One line of an analysis.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LineEntry {
    pub rank: usize,
    pub depth: u32,
    pub score: ScoreEntry,
    pub bound: BoundName,
    pub wdl: [u16; 3],
    #[serde(flatten)]
    pub moves: MovesEntry,
}

/// Moves in both notations.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct MovesEntry {
    pub uci: Vec<String>,
    pub san: Vec<String>,
}

/// One iteration of an analysis.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DepthEntry {
    pub depth: u32,
    pub score: ScoreEntry,
    pub nodes: u64,
    pub time_ms: u64,
    pub best: String,
    pub hashfull: u32,
    pub cutoffs: u64,
    pub first_cutoffs: u64,
}

/// The board after some moves.
#[derive(Clone, Debug, Serialize)]
pub struct Preview {
    pub fen: String,
    pub board: String,
    pub turn: ColorName,
    pub check: Option<SquareName>,
    pub last: Option<[SquareName; 2]>,
}

/// A game in a list of games.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct GameEntry {
    pub index: usize,
    pub white: String,
    pub black: String,
    pub white_elo: String,
    pub black_elo: String,
    pub event: String,
    pub date: String,
    pub result: String,
    pub eco: String,
    pub plies: usize,
    pub problems: usize,
}

/// The check of a position that is being set up.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SetupAnswer {
    pub ok: bool,
    pub fen: String,
    pub board: Option<String>,
    pub turn: ColorName,
    pub castling: String,
    pub en_passant: Option<SquareName>,
    pub halfmove: u32,
    pub fullmove: u32,
    pub chess960: bool,
    pub problems: Vec<ProblemEntry>,
    pub castling_possible: String,
    pub en_passant_possible: Vec<SquareName>,
}

/// A broken rule.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ProblemEntry {
    pub rule: &'static str,
    pub message: String,
    pub squares: Vec<SquareName>,
}

/// A hint or a threat.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Advice {
    pub node: u32,
    pub uci: Option<String>,
    pub san: Option<String>,
    pub score: Option<ScoreEntry>,
    pub line: MovesEntry,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A paragraph of an explanation, and its line of moves.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplanationPart {
    pub about: Topic,
    /// The node where the line starts, and the number of the move there.
    pub node: u32,
    pub number: u32,
    pub turn: ColorName,
    pub text: String,
    pub line: MovesEntry,
}

/// The subject of a paragraph.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// The move that led here.
    Played,
    /// The best move instead of it.
    Instead,
    Best,
    Threat,
}

/// The progress of a review.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ReviewProgress {
    pub status: ReviewStatus,
    pub done: usize,
    pub total: usize,
    pub waiting: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white: Option<SideReview>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black: Option<SideReview>,
}

/// The review of one side.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SideReview {
    pub accuracy: Option<f64>,
    pub loss: u32,
    pub counts: std::collections::BTreeMap<Judgement, u32>,
}
