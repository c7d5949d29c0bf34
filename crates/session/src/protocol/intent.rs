//! The intents of the page.
//!
//! `docs/page-protocol.md` explains every field; a test keeps it in step with these types.

#![allow(missing_docs)] // see above

use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::{ColorName, LibraryListWish, ResultName, ShapeColor, SquareName};

/// An intent and the number its answers carry.
#[derive(Clone, Debug)]
pub struct Envelope {
    pub id: Option<u64>,
    /// The intent, or a sentence that explains why the message is not valid.
    pub intent: Result<Intent, String>,
}

/// Numbers above this are not exact in every program.
const MAX_ID: u64 = 1 << 53;

impl Envelope {
    /// Parses a message.
    pub fn parse(text: &str) -> Envelope {
        let mut fields = match serde_json::from_str::<Fields>(text) {
            Ok(Fields(fields)) => fields,
            Err(error) => {
                return Envelope {
                    id: None,
                    intent: Err(format!("The message is not a JSON object: {error}.")),
                };
            }
        };
        let id = match fields.remove("id") {
            None => None,
            Some(id) => match id.as_u64().filter(|&id| id <= MAX_ID) {
                Some(id) => Some(id),
                None => {
                    let sentence = "The id of a message is a whole number from 0 to 2^53.".to_owned();
                    return Envelope { id: None, intent: Err(sentence) };
                }
            },
        };
        let name = fields.get("type").and_then(Value::as_str).unwrap_or("without type").to_owned();
        let intent = Intent::deserialize(Value::Object(fields)).map_err(|error| {
            let (name, reason) = (shortened(&name, 40), shortened(&error.to_string(), 240));
            format!("The message '{}' is not valid: {reason}.", name.escape_debug())
        });
        Envelope { id, intent }
    }
}

/// The start of a text from outside.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}

/// The fields of an object, each at most once.
struct Fields(Map<String, Value>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Fields, A::Error> {
                let mut fields = Map::new();
                while let Some((name, value)) = access.next_entry::<String, Value>()? {
                    if fields.insert(name, value).is_some() {
                        return Err(de::Error::custom("duplicate field"));
                    }
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(Collect)
    }
}

/// What the page asks for.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Intent {
    Hello(Box<Hello>),
    Part {
        #[serde(default)]
        text: String,
        #[serde(default)]
        reset: bool,
    },
    Move {
        uci: Option<String>,
        san: Option<String>,
    },
    Line {
        node: u32,
        moves: Vec<String>,
        #[serde(default)]
        go: bool,
    },
    Go {
        node: u32,
    },
    Step {
        to: Step,
    },
    Preview {
        node: u32,
        moves: Vec<String>,
    },
    Comment {
        node: u32,
        text: String,
        #[serde(default)]
        before: bool,
    },
    Nags {
        node: u32,
        nags: Vec<u8>,
    },
    Shapes {
        node: u32,
        #[serde(default)]
        arrows: Vec<ArrowWish>,
        #[serde(default)]
        circles: Vec<CircleWish>,
    },
    Promote {
        node: u32,
        #[serde(default)]
        main: bool,
    },
    Demote {
        node: u32,
    },
    Delete {
        node: u32,
    },
    DeleteAfter {
        node: u32,
    },
    Header {
        name: String,
        value: Option<String>,
    },
    Result {
        result: ResultName,
    },
    Undo {},
    Redo {},
    New(GameStart),
    Load {
        text: String,
    },
    Games {
        #[serde(default)]
        from: usize,
    },
    Choose {
        game: usize,
    },
    Setup(SetupWish),
    Export {
        what: ExportKind,
        node: Option<u32>,
        orientation: Option<ColorName>,
        size: Option<u32>,
    },
    Analyse(AnalysisWish),
    Engine(EngineWish),
    OtherEngine {
        engine: Option<String>,
    },
    Hint {},
    Threat {},
    Explain {},
    Play {
        color: PlayColor,
        level: String,
        clock: Option<ClockWish>,
        #[serde(default)]
        from: PlayFrom,
        book: Option<bool>,
    },
    Puzzles {
        text: Option<String>,
    },
    Puzzle(PuzzleWish),
    PuzzleShow {},
    PuzzleEnd {},
    Resign {},
    Takeback {},
    Draw {},
    Claim {},
    Leave {},
    Review {
        #[serde(default)]
        depth: ReviewDepth,
    },
    ReviewStop {},
    Xray {
        on: bool,
    },
    Magic {
        node: Option<u32>,
        square: SquareName,
        slider: SliderName,
    },
    Timeline {
        node: Option<u32>,
        uci: String,
    },
    Perft {
        node: Option<u32>,
        depth: u32,
        compare: Option<String>,
    },
    Accumulators {
        node: Option<u32>,
    },
    LibraryList(LibraryListWish),
    LibrarySummary {},
    LibraryOpen {
        game: u64,
    },
    LibraryDelete {
        games: Vec<u64>,
    },
    LibraryRestore {
        games: Vec<u64>,
    },
    LibraryTag {
        games: Vec<u64>,
        #[serde(default)]
        add: Vec<String>,
        #[serde(default)]
        remove: Vec<String>,
    },
    LibraryMove {
        games: Vec<u64>,
        folder: Option<u64>,
    },
    LibraryFolder {
        #[serde(default)]
        name: String,
        folder: Option<u64>,
        #[serde(default)]
        delete: bool,
    },
    LibraryStop {
        import: u64,
    },
    Explorer {
        node: Option<u32>,
        source: String,
    },
}

impl Intent {
    /// Whether carrying it out may take more than a few milliseconds.
    pub fn is_heavy(&self) -> bool {
        match self {
            Intent::Hello(hello) => hello.pgn.is_some(),
            Intent::Puzzles { text } => text.is_some(),
            Intent::Load { .. } | Intent::Choose { .. } | Intent::Perft { .. } | Intent::Export { .. } => {
                true
            }
            _ => self.is_for_library(),
        }
    }

    /// Whether a host with a library carries it out, and not the session.
    pub fn is_for_library(&self) -> bool {
        matches!(
            self,
            Intent::LibraryList(_)
                | Intent::LibrarySummary {}
                | Intent::LibraryOpen { .. }
                | Intent::LibraryDelete { .. }
                | Intent::LibraryRestore { .. }
                | Intent::LibraryTag { .. }
                | Intent::LibraryMove { .. }
                | Intent::LibraryFolder { .. }
                | Intent::LibraryStop { .. }
        )
    }
}

/// The first message of a page, with everything the page has kept.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    pub pgn: Option<String>,
    pub path: Option<String>,
    pub fen: Option<String>,
    pub play: Option<SavedPlay>,
    pub analysis: Option<AnalysisWish>,
    pub engine: Option<EngineWish>,
    pub other_engine: Option<String>,
    #[serde(default)]
    pub xray: bool,
    pub library: Option<u64>,
}

/// Whether the engine analyses the current node, and with how many lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalysisWish {
    pub on: bool,
    #[serde(default = "one")]
    pub lines: usize,
}

fn one() -> usize {
    1
}

/// The settings of the engine for analyses; what is absent has its default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineWish {
    pub threads: Option<usize>,
    pub hash_mb: Option<usize>,
    pub limit: Option<StopRule>,
}

/// When an analysis ends by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopRule {
    Seconds(u64),
    Depth(u32),
    Nodes(u64),
}

/// Where to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    Start,
    Previous,
    Next,
    End,
    Up,
    Down,
    Out,
}

/// An arrow on the board.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrowWish {
    pub from: SquareName,
    pub to: SquareName,
    pub color: ShapeColor,
}

/// A circle on the board.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CircleWish {
    pub square: SquareName,
    pub color: ShapeColor,
}

/// How a new game starts; without fields, from the standard position.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameStart {
    pub chess960: Option<StartNumber>,
    pub fen: Option<String>,
}

/// A start position of Chess960.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged)]
pub enum StartNumber {
    Number(u16),
    Word(String),
}

/// A position to be set up, as FEN or in its parts.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetupWish {
    pub fen: Option<String>,
    pub board: Option<String>,
    pub turn: Option<ColorName>,
    pub castling: Option<String>,
    pub en_passant: Option<SquareName>,
    pub halfmove: Option<u32>,
    pub fullmove: Option<u32>,
    pub chess960: Option<bool>,
    pub start: Option<u16>,
    #[serde(default)]
    pub accept: bool,
}

/// A puzzle to put on the board.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PuzzleWish {
    pub fen: String,
    pub moves: Vec<String>,
    #[serde(default)]
    pub strict: bool,
    #[serde(default)]
    pub chess960: bool,
}

/// What can be exported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportKind {
    Fen,
    Pgn,
    Moves,
    Svg,
    Html,
}

/// The human's colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayColor {
    White,
    Black,
    Random,
}

/// Where a game against the engine starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayFrom {
    #[default]
    Start,
    Here,
    Chess960,
}

/// A time control.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockWish {
    pub initial_ms: u64,
    pub increment_ms: u64,
}

/// A game against the engine as the page has kept it. Other fields are ignored.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct SavedPlay {
    pub color: ColorName,
    pub level: String,
    /// Plies from the root to the start of the game, as in [`PlayEntry`](super::PlayEntry).
    #[serde(default)]
    pub from_ply: usize,
    pub head_path: String,
    pub clock: Option<SavedClock>,
    pub book: Option<bool>,
    pub over: Option<super::OverEntry>,
}

/// A clock as the page has kept it.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct SavedClock {
    pub initial_ms: u64,
    pub increment_ms: u64,
    pub white_ms: u64,
    pub black_ms: u64,
    pub running: Option<ColorName>,
}

/// How thorough a review is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewDepth {
    Quick,
    #[default]
    Normal,
    Deep,
}

/// The two kinds of sliders.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SliderName {
    Rook,
    Bishop,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intent(text: &str) -> Result<Intent, String> {
        Envelope::parse(text).intent
    }

    #[test]
    fn intents_are_read_with_their_numbers() {
        let envelope = Envelope::parse(r#"{"type": "go", "node": 9, "id": 5}"#);
        assert_eq!((envelope.id, envelope.intent), (Some(5), Ok(Intent::Go { node: 9 })));
        assert_eq!(intent(r#"{"type":"step","to":"next"}"#), Ok(Intent::Step { to: Step::Next }));
        assert_eq!(intent(r#"{"type":"undo"}"#), Ok(Intent::Undo {}));
    }

    #[test]
    fn an_invalid_intent_is_explained_in_a_sentence() {
        let deep = format!("{}{}", "[".repeat(30_000), "]".repeat(30_000));
        for bad in [
            "",
            "null",
            "[]",
            "{",
            "{}",
            r#"{"type": 1}"#,
            r#"{"type": "quit"}"#,
            r#"{"type": "go"}"#,
            r#"{"type": "go", "node": "9"}"#,
            r#"{"type": "go", "node": -1}"#,
            r#"{"type": "go", "node": 1e99}"#,
            r#"{"type": "go", "node": NaN}"#,
            r#"{"type": "go", "node": 9, "path": "/etc/passwd"}"#,
            r#"{"type": "go", "node": 9, "node": 10}"#,
            r#"{"type": "go", "node": 9, "id": -1}"#,
            r#"{"type": "go", "node": 9, "id": 18446744073709551615}"#,
            r#"{"type": "move", "san": "\ud800"}"#,
            r#"{"type": "magic", "square": "i9", "slider": "rook"}"#,
            &deep,
            &format!(r#"{{"type": "move", "san": {deep}}}"#),
        ] {
            let sentence = intent(bad).expect_err(bad);
            assert!(sentence.starts_with("The ") && sentence.ends_with('.'), "{sentence}");
            assert!(sentence.len() < 400, "{sentence}");
        }
    }
}
