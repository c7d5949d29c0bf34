//! What the server tells the page.

use ferz_board::{DrawReason, Outcome};
use serde::{Deserialize, Serialize};

use super::{ColorName, ExportKind, SquareName};
use crate::xray::{MagicLookup, Xray};

/// A message, and the number of the intent that caused it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Outgoing {
    #[serde(flatten)]
    pub(crate) message: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) re: Option<u64>,
}

impl Outgoing {
    /// The text that is sent.
    pub(crate) fn to_text(&self) -> String {
        // Strings, numbers and lists of them: there is nothing that JSON cannot say.
        serde_json::to_string(self)
            .unwrap_or_else(|error| format!(r#"{{"type":"error","message":"{error}"}}"#))
    }
}

/// What the server tells the page.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Message {
    Welcome(Welcome),
    Tree(TreeChange),
    State(Box<State>),
    Save {
        version: u64,
        pgn: String,
    },
    Analysis(Box<Analysis>),
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
}

/// The answer to `hello`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Welcome {
    pub(crate) version: &'static str,
    pub(crate) net: Option<String>,
    pub(crate) levels: Vec<LevelEntry>,
    pub(crate) limits: LimitsEntry,
}

/// A strength to play against.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LevelEntry {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) elo: Option<u32>,
    pub(crate) text: &'static str,
}

/// What the server allows.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LimitsEntry {
    pub(crate) lines: usize,
    pub(crate) text_bytes: usize,
    pub(crate) message_bytes: usize,
    pub(crate) games: usize,
    pub(crate) analysis_ms: u64,
}

/// What changed in the tree.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TreeChange {
    pub(crate) version: u64,
    pub(crate) reset: bool,
    pub(crate) more: bool,
    pub(crate) nodes: Vec<NodeEntry>,
    pub(crate) removed: Vec<u32>,
}

/// A node of the tree.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct NodeEntry {
    pub(crate) id: u32,
    pub(crate) parent: Option<u32>,
    pub(crate) children: Vec<u32>,
    pub(crate) san: Option<String>,
    pub(crate) uci: Option<String>,
    pub(crate) number: u32,
    pub(crate) color: ColorName,
    pub(crate) ply: usize,
    pub(crate) main: bool,
    pub(crate) comment: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) before: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) nags: Vec<u8>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) arrows: Vec<ArrowEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) circles: Vec<CircleEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clock_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) eval: Option<EvalEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) review: Option<MoveReview>,
}

/// An arrow on the board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct ArrowEntry {
    pub(crate) from: SquareName,
    pub(crate) to: SquareName,
    pub(crate) color: &'static str,
}

/// A circle on the board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct CircleEntry {
    pub(crate) square: SquareName,
    pub(crate) color: &'static str,
}

/// What an engine thought of a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct EvalEntry {
    pub(crate) score: ScoreEntry,
    pub(crate) depth: Option<u32>,
}

/// A score, White's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScoreEntry {
    Cp(i32),
    Mate(i32),
}

/// What a review said about a move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct MoveReview {
    pub(crate) class: &'static str,
    pub(crate) best: Option<BestMove>,
    pub(crate) win_before: f64,
    pub(crate) win_after: f64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) text: String,
}

/// The better move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct BestMove {
    pub(crate) uci: String,
    pub(crate) san: String,
    pub(crate) score: ScoreEntry,
}

/// Where the page stands.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct State {
    pub(crate) version: u64,
    pub(crate) node: u32,
    pub(crate) path: String,
    pub(crate) fen: String,
    pub(crate) board: String,
    pub(crate) turn: ColorName,
    pub(crate) number: u32,
    pub(crate) check: Option<SquareName>,
    pub(crate) last: Option<[SquareName; 2]>,
    pub(crate) moves: std::collections::BTreeMap<String, Vec<MoveEntry>>,
    pub(crate) outcome: Option<Over>,
    pub(crate) claims: Vec<&'static str>,
    pub(crate) result: &'static str,
    pub(crate) opening: Option<OpeningEntry>,
    pub(crate) chess960: Option<i32>,
    pub(crate) headers: Vec<[String; 2]>,
    pub(crate) undo: bool,
    pub(crate) redo: bool,
    pub(crate) play: Option<PlayEntry>,
    pub(crate) reviewing: bool,
}

/// A legal move.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct MoveEntry {
    pub(crate) uci: String,
    pub(crate) san: String,
    pub(crate) to: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) promotion: Option<char>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) capture: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) castling: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) en_passant: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) check: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) mate: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) captured: Option<SquareName>,
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Over {
    pub(crate) result: String,
    pub(crate) reason: String,
    pub(crate) text: String,
}

impl From<Outcome> for Over {
    fn from(outcome: Outcome) -> Over {
        let reason = match outcome {
            Outcome::Checkmate { .. } => "checkmate",
            Outcome::Draw(DrawReason::Stalemate) => "stalemate",
            Outcome::Draw(DrawReason::InsufficientMaterial) => "insufficient_material",
            Outcome::Draw(DrawReason::FivefoldRepetition) => "fivefold_repetition",
            Outcome::Draw(DrawReason::SeventyFiveMoves) => "seventy_five_moves",
        };
        Over {
            result: outcome.result().to_owned(),
            reason: reason.to_owned(),
            text: sentence(&outcome.to_string()),
        }
    }
}

/// With a capital letter.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The name of an opening.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct OpeningEntry {
    pub(crate) eco: &'static str,
    pub(crate) name: &'static str,
    pub(crate) here: bool,
}

/// A game against the engine.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct PlayEntry {
    pub(crate) color: ColorName,
    pub(crate) level: &'static str,
    pub(crate) from: u32,
    pub(crate) head: u32,
    pub(crate) from_ply: usize,
    pub(crate) head_path: String,
    pub(crate) thinking: bool,
    pub(crate) clock: Option<ClockEntry>,
    pub(crate) over: Option<Over>,
}

/// A chess clock.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct ClockEntry {
    pub(crate) initial_ms: u64,
    pub(crate) increment_ms: u64,
    pub(crate) white_ms: u64,
    pub(crate) black_ms: u64,
    pub(crate) running: Option<ColorName>,
}

/// How far an analysis has come.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Analysis {
    pub(crate) node: u32,
    pub(crate) status: AnalysisStatus,
    pub(crate) waiting: usize,
    pub(crate) depth: u32,
    pub(crate) selective_depth: u32,
    pub(crate) nodes: u64,
    pub(crate) nps: u64,
    pub(crate) time_ms: u64,
    pub(crate) hashfull: u32,
    pub(crate) lines: Vec<LineEntry>,
    pub(crate) history: Vec<DepthEntry>,
}

/// What an analysis is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AnalysisStatus {
    Off,
    Waiting,
    Searching,
    Done,
}

/// One line of an analysis.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct LineEntry {
    pub(crate) rank: usize,
    pub(crate) depth: u32,
    pub(crate) score: ScoreEntry,
    pub(crate) bound: &'static str,
    pub(crate) wdl: [u16; 3],
    #[serde(flatten)]
    pub(crate) moves: MovesEntry,
}

/// Moves in both notations.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub(crate) struct MovesEntry {
    pub(crate) uci: Vec<String>,
    pub(crate) san: Vec<String>,
}

/// One iteration of an analysis.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct DepthEntry {
    pub(crate) depth: u32,
    pub(crate) score: ScoreEntry,
    pub(crate) nodes: u64,
    pub(crate) time_ms: u64,
    pub(crate) best: String,
    pub(crate) hashfull: u32,
    pub(crate) cutoffs: u64,
    pub(crate) first_cutoffs: u64,
}

/// What the board would look like.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Preview {
    pub(crate) fen: String,
    pub(crate) board: String,
    pub(crate) turn: ColorName,
    pub(crate) check: Option<SquareName>,
    pub(crate) last: Option<[SquareName; 2]>,
}

/// A game in a list of games.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct GameEntry {
    pub(crate) index: usize,
    pub(crate) white: String,
    pub(crate) black: String,
    pub(crate) white_elo: String,
    pub(crate) black_elo: String,
    pub(crate) event: String,
    pub(crate) date: String,
    pub(crate) result: String,
    pub(crate) eco: String,
    pub(crate) plies: usize,
    pub(crate) problems: usize,
}

/// What is wrong with a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct SetupAnswer {
    pub(crate) ok: bool,
    pub(crate) fen: String,
    pub(crate) board: Option<String>,
    pub(crate) turn: ColorName,
    pub(crate) castling: String,
    pub(crate) en_passant: Option<SquareName>,
    pub(crate) halfmove: u32,
    pub(crate) fullmove: u32,
    pub(crate) chess960: bool,
    pub(crate) problems: Vec<ProblemEntry>,
    pub(crate) castling_possible: String,
    pub(crate) en_passant_possible: Vec<SquareName>,
}

/// A broken rule.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct ProblemEntry {
    pub(crate) rule: &'static str,
    pub(crate) message: String,
    pub(crate) squares: Vec<SquareName>,
}

/// A move the engine recommends, or would be afraid of.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Advice {
    pub(crate) node: u32,
    pub(crate) uci: Option<String>,
    pub(crate) san: Option<String>,
    pub(crate) score: Option<ScoreEntry>,
    pub(crate) line: MovesEntry,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
}

/// A paragraph of an explanation, and the line it is about.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct ExplanationPart {
    pub(crate) about: Topic,
    /// Where the line begins, and as what it is numbered there.
    pub(crate) node: u32,
    pub(crate) number: u32,
    pub(crate) turn: ColorName,
    pub(crate) text: String,
    pub(crate) line: MovesEntry,
}

/// What is explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Topic {
    /// The move that led here.
    Played,
    /// What would have been better.
    Instead,
    Best,
    Threat,
}

/// How far a review has come.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct ReviewProgress {
    pub(crate) status: &'static str,
    pub(crate) done: usize,
    pub(crate) total: usize,
    pub(crate) waiting: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) white: Option<SideReview>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) black: Option<SideReview>,
}

/// How a side played.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct SideReview {
    pub(crate) accuracy: Option<f64>,
    pub(crate) loss: u32,
    pub(crate) counts: std::collections::BTreeMap<&'static str, u32>,
}
