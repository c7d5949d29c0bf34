//! The checker of the protocol finds every difference: a small protocol that agrees, and then differs in one place each.

use ferz_doc_tests::markdown::Document;
use ferz_doc_tests::protocol::{Schema, document, typescript};

const RUST: &str = r#"
/// An intent and its number.
pub struct Envelope {
    pub id: Option<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Intent {
    Hello(Hello),
    ReviewStop {},
    Export {
        what: ExportKind,
        node: Option<u32>,
        #[serde(default)]
        size: u32,
    },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// What was kept.
    pub pgn: Option<String>,
    #[serde(default = "one")]
    pub lines: usize,
    pub start: Option<StartNumber>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum StartNumber {
    Number(u16),
    Word(String),
}

#[derive(Clone, Copy, Debug, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportKind {
    /// One position.
    Fen,
    WholeGame,
}

#[derive(Clone, Debug, Serialize)]
pub struct Outgoing {
    #[serde(flatten)]
    pub message: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub re: Option<u64>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    State(Box<State>),
    Xray {
        node: u32,
        #[serde(flatten)]
        part: Part,
    },
}

#[derive(Clone, Debug, Serialize)]
pub struct State {
    pub check: Option<SquareName>,
    #[serde(rename = "last")]
    pub last_move: Option<[SquareName; 2]>,
    pub moves: std::collections::BTreeMap<String, Vec<String>>,
    pub counts: std::collections::BTreeMap<ExportKind, u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nags: Vec<u8>,
    pub scores: Vec<Option<Score>>,
    pub done: bool,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    Cp(i32),
    Mate(i32),
}

pub struct SquareName(pub Square);

impl Serialize for SquareName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[derive(Clone, Debug, Serialize)]
struct Part {
    #[serde(flatten)]
    what: What,
    value: i32,
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum What {
    Piece { piece: char, square: SquareName },
    Turn,
}

#[derive(Clone, Debug, Serialize)]
struct Elsewhere {
    name: String,
}
"#;

const DECLARATIONS: &str = r#"// The protocol.

/** An intent. */
export type Envelope = Intent & {
  id?: number;
};

export type Intent =
  | ({ type: "hello" } & Hello)
  | { type: "review_stop" }
  | { type: "export"; what: ExportKind; node?: number | null; size?: number };

export interface Hello {
  pgn?: string | null;
  lines?: number;
  start?: StartNumber | null;
}

export type StartNumber =
  | number
  | string;

export type ExportKind =
  | "fen"
  | "whole_game";

export type Outgoing = Message & {
  re?: number;
};

export type Message =
  | ({ type: "state" } & State)
  | ({ type: "xray"; node: number } & Part);

export interface State {
  check: SquareName | null;
  last: [SquareName, SquareName] | null;
  moves: Record<string, string[]>;
  counts: Partial<Record<ExportKind, number>>;
  nags?: number[];
  scores: (Score | null)[];
  done: boolean;
}

export type Score =
  | { cp: number }
  | { mate: number };

export type SquareName = string;

export type Part = What & {
  value: number;
};

export type What =
  | { kind: "piece"; piece: string; square: SquareName }
  | { kind: "turn" };

// ==== Page ====

export type Answer = Message;
"#;

const DOCUMENT: &str = "\
# The protocol

## Intents

### `hello`

Fields: those of `Hello`.

### `review_stop`

No fields.

### `export`

| field | type | meaning |
|---|---|---|
| `what` | `ExportKind` | the format |
| `node` | number or null | the node |
| `size` | number, optional | the width |

## Messages

### `state`

Fields: those of `State`.

### `xray`

Fields: those of `Part`, and

| field | type | meaning |
|---|---|---|
| `node` | number | of the message |

## Types

### `Envelope`

| field | type | meaning |
|---|---|---|
| `id` | number, optional | the number |

### `Outgoing`

| field | type | meaning |
|---|---|---|
| `re` | number, optional | the number |

### `Hello`

| field | type | meaning |
|---|---|---|
| `pgn` | string or null | the game |
| `lines` | number, optional | lines |
| `start` | `StartNumber` or null | the start |

### `StartNumber`

A number, or `random`.

### `ExportKind`

| value | meaning |
|---|---|
| `fen` | a position |
| `whole_game` | all moves |

### `State`

| field | type | meaning |
|---|---|---|
| `check` | `SquareName` or null | the king |
| `last` | pair of `SquareName` or null | the move |
| `moves` | lists of strings by square | the moves |
| `counts` | numbers by `ExportKind` | how often |
| `nags` | list of numbers, optional | glyphs |
| `scores` | list of `Score` or null | scores |
| `done` | boolean | whether it is over |

### `Score`

| value | meaning |
|---|---|
| `cp` | centipawns |
| `mate` | moves to mate |

### `SquareName`

A string such as `e4`.

### `What`

| value | meaning |
|---|---|
| `piece` | a piece |
| `turn` | the turn |

| field | type | meaning |
|---|---|---|
| `kind` | string | the value |
| `piece` | string, optional | of `piece` |
| `square` | `SquareName`, optional | of `piece` |

### `Part`

Fields: those of `What`, and

| field | type | meaning |
|---|---|---|
| `value` | number | a random number |

## Files

| field |
|---|
| `more` |
";

/// The findings for these three texts.
fn findings(rust: &str, declarations: &str, text: &str) -> Vec<String> {
    let schema = match Schema::parse([("types.rs", rust.to_owned())]) {
        Ok(schema) => schema,
        Err(findings) => return findings.iter().map(ToString::to_string).collect(),
    };
    let mut findings = typescript::check("page.d.ts", declarations, &schema);
    findings.extend(document::check(&Document::parse("page.md", text), &schema));
    findings.iter().map(ToString::to_string).collect()
}

/// Changes the only place where `old` stands.
fn replaced(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old}");
    text.replace(old, new)
}

#[test]
fn three_descriptions_that_agree_pass() {
    assert_eq!(findings(RUST, DECLARATIONS, DOCUMENT), [""; 0]);
}

#[test]
fn every_change_of_the_rust_types_is_found_in_both_others() {
    let changes = [
        ("    ReviewStop {},\n", ""),
        ("    ReviewStop {},\n", "    ReviewHalt {},\n"),
        ("        what: ExportKind,\n", ""),
        ("what: ExportKind", "what: String"),
        ("node: Option<u32>", "node: u32"),
        ("        #[serde(default)]\n", ""),
        ("    #[serde(default = \"one\")]\n", ""),
        ("pgn: Option<String>", "text: Option<String>"),
        ("pgn: Option<String>", "pgn: Option<bool>"),
        ("    Fen,\n", ""),
        ("    WholeGame,\n", "    WholeGame,\n    Svg,\n"),
        ("    State(Box<State>)", "    State(Box<Score>)"),
        ("check: Option<SquareName>", "check: SquareName"),
        ("check: Option<SquareName>", "check: Option<Score>"),
        ("rename = \"last\"", "rename = \"latest\""),
        ("skip_serializing_if = \"Vec::is_empty\"", "default"),
        ("Vec<Option<Score>>", "Vec<Score>"),
        ("done: bool", "done: u8"),
        ("Mate(i32)", "Moves(i32)"),
        ("tag = \"kind\"", "tag = \"what\""),
        ("Piece { piece: char, square: SquareName }", "Piece { piece: char }"),
        ("    Turn,\n", "    Turn,\n    Castling { right: String },\n"),
        ("        #[serde(flatten)]\n        part: Part", "        part: Part"),
        ("    value: i32,\n", ""),
        ("pub re: Option<u64>", "pub answer: Option<u64>"),
    ];
    for (old, new) in changes {
        let found = findings(&replaced(RUST, old, new), DECLARATIONS, DOCUMENT);
        for file in ["page.d.ts:", "page.md:"] {
            assert!(found.iter().any(|finding| finding.starts_with(file)), "{new:?}: {found:?}");
        }
    }
}

#[test]
fn every_change_of_the_declarations_is_found() {
    let changes = [
        ("  | { type: \"review_stop\" }\n", "", "8: Intent has no `{ type: \"review_stop\" }`"),
        ("{ type: \"review_stop\" }", "{ type: \"halt\" }", "10: types.rs:9 has no `{ type: \"halt\" }`"),
        ("size?: number", "size: number", "Intent has no `{ type: \"export\"; what: ExportKind;"),
        ("  pgn?: string | null;\n", "  pgn?: string;\n", "14: types.rs:22 has no `pgn?: string;`"),
        ("  | \"fen\"\n", "  | \"fan\"\n", "has no `\"fan\"`"),
        ("Outgoing = Message &", "Outgoing = Intent &", "makes this `export type Outgoing = Message & {`"),
        ("  done: boolean;\n", "  done: boolean;\n  more: boolean;\n", "has no `more: boolean;`"),
        ("  done: boolean;\n", "  done: boolean;\n  done: boolean;\n", "State has `done: boolean;` twice"),
        ("  nags?: number[];\n", "  nags: number[];\n", "State has no `nags?: number[];`"),
        ("type SquareName = string;", "interface SquareName {\n}", "SquareName is not an object"),
        ("interface State {", "interface States {", "there is no Rust type States"),
        ("interface State {", "interface States {", "the type State of types.rs:65 is missing"),
        ("export interface Hello {", "interface Hello {", "13: the layout is not as the head says"),
        ("// The protocol.", "export type More = string;", "1: there is no Rust type More"),
    ];
    for (old, new, text) in changes {
        let found = findings(RUST, &replaced(DECLARATIONS, old, new), DOCUMENT);
        let is_meant = |finding: &&String| finding.starts_with("page.d.ts:") && finding.contains(text);
        assert!(found.iter().any(|finding| is_meant(&finding)), "{new:?}: {found:?}");
    }
}

#[test]
fn every_change_of_the_document_is_found() {
    let changes = [
        ("### `review_stop`", "### `review_halt`", "9: there is no intent review_halt"),
        ("### `review_stop`", "### `review_halt`", "the intent review_stop is missing"),
        ("### `review_stop`", "### `export`", "13: export is here twice"),
        ("Fields: those of `Hello`.", "Fields: none.", "5: hello has the fields of Hello too"),
        ("of `State`.", "of `State` and those of `Part`.", "state does not have the fields of Part"),
        ("| `what` | `ExportKind` | the format |\n", "", "13: export lacks the field what"),
        ("| `what` | `ExportKind` |", "| `what` | string |", "17: what is `ExportKind`: here it is string"),
        ("| `node` | number or null |", "| `node` | number |", "never null here"),
        (
            "| `check` | `SquareName` or null |",
            "| `check` | `Score` or null |",
            "check is `SquareName | null`",
        ),
        (
            "| `size` | number, optional |",
            "| `size` | number |",
            "size is `optional number`: not optional here",
        ),
        ("| `size` | number, optional |", "| `size` | string, optional |", "here it is string, optional"),
        ("| `done` | boolean |", "| `done` | boolean or null |", "may be null here"),
        ("| `done` | boolean |", "| `done` | boolean, optional |", "done is `boolean`: optional here"),
        ("| `fen` | a position |", "| `fan` | a position |", "ExportKind has no value fan"),
        ("| `fen` | a position |", "| `fan` | a position |", "ExportKind lacks the value fen"),
        (
            "| `done` | boolean |",
            "| `done` | boolean | yes |\n| `done` | boolean |",
            "the field done is here twice",
        ),
        (
            "| `nags` | list of numbers, optional |",
            "| `nags` | number, optional |",
            "nags is `optional number[]`",
        ),
        ("| `done` | boolean |", "| `over` | boolean |", "State has no field over"),
        ("| `cp` | centipawns |\n", "", "Score lacks the value cp"),
        ("### `SquareName`", "### `Square`", "there is no type Square in"),
        ("## Types\n", "## Kinds\n", "the type Envelope is missing"),
    ];
    for (old, new, text) in changes {
        let found = findings(RUST, DECLARATIONS, &replaced(DOCUMENT, old, new));
        let is_meant = |finding: &&String| finding.starts_with("page.md:") && finding.contains(text);
        assert!(found.iter().any(|finding| is_meant(&finding)), "{new:?}: {found:?}");
    }
}

#[test]
fn rust_that_is_not_understood_is_a_finding() {
    let changes = [
        ("rename = \"last\"", "alias = \"last\"", "does not know #[serde(alias = \"last\")]"),
        ("done: bool,", "done: HashMap<u8, u8>,", "does not know the type HashMap<u8, u8>"),
        ("    Mate(i32),", "    Mate(i32, i32),", "does not know the type i32, i32"),
        ("pub enum Score {", "pub enum Score<T> {", "this kind of type: Score<T> {"),
        ("struct Elsewhere {\n    name: String,\n}", "struct Elsewhere(String);", "Elsewhere(String);"),
        ("struct Elsewhere", "struct Part", "a second type with the name Part"),
        ("    pub done: bool,", "    pub done:\n        bool,", "this is not a field"),
        ("Vec<Option<Score>>", "Vec<Option<Points>>", "there is no Rust type Points"),
        ("#[derive(Clone, Copy, Debug, Serialize)]\n", "#[derive(\n    Serialize\n)]\n", "on several lines"),
        ("pub done: bool", "#[serde(default, skip)] pub done: bool", "on several lines"),
    ];
    for (old, new, text) in changes {
        let found = findings(&replaced(RUST, old, new), DECLARATIONS, DOCUMENT);
        assert!(found.iter().any(|finding| finding.contains(text)), "{new:?}: {found:?}");
    }
}
