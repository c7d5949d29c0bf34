//! Readers of the tutorials that Ferz grew out of find their names: each of sixty ideas of those texts is an item of a
//! library, an alias in its documentation, or a row of `docs/names.md`.

use std::collections::BTreeSet;

use ferz_doc_tests::repository::{self, Repository};

/// Where a reader finds an idea.
enum Found {
    /// An item of a library, as its source declares it.
    Item(&'static str),
    /// An alias that the search of rustdoc knows.
    Alias(&'static str),
    /// The first cell of a row, or a part of it.
    Row(&'static str),
}

use Found::{Alias, Item, Row};

/// The ideas in the order of the texts: bitboards, squares, pieces and board, state, initialization, project.
const SEEDS: [(&str, &[Found]); 60] = [
    (
        "a board in a u64, a1 is bit 0",
        &[Item("pub struct Bitboard(pub u64)"), Row("a board in a u64, a1 is bit 0")],
    ),
    ("drawings with ranks and files", &[Row("drawings with ranks and files"), Item("f.alternate()")]),
    ("a drawing of any number", &[Row("a drawing of any number"), Item("pub(crate) struct DrawBitboard")]),
    ("the 64 binary digits", &[Item("impl fmt::Binary for Bitboard"), Row("the 64 binary digits")]),
    ("the twelve start values", &[Row("the twelve start values")]),
    ("a tuple struct", &[Row("Bitboard(u64)"), Row("Board(u64)")]),
    ("has_bit", &[Alias("has_bit"), Row("has_bit")]),
    ("set_bit", &[Alias("set_bit"), Row("set_bit")]),
    ("is_any", &[Item("pub const fn is_empty(self)"), Alias("is_any"), Row("is_any")]),
    ("empty and full mask", &[Alias("EMPTY_MASK"), Alias("FULL_MASK"), Row("EMPTY_MASK"), Row("FULL_MASK")]),
    (
        "file and rank masks",
        &[Alias("FILE_MASKS"), Alias("RANK_MASKS"), Row("FILE_MASKS"), Row("RANK_MASKS")],
    ),
    ("singular masks", &[Alias("SINGULAR_MASKS"), Row("SINGULAR_MASKS")]),
    ("from_square", &[Item("pub const fn from_square("), Row("from_square")]),
    ("operators", &[Row("BitOr"), Item("impl Not for Bitboard")]),
    (
        "is_singular",
        &[Item("pub const fn is_singular("), Alias("from_singular_bitboard"), Row("is_singular")],
    ),
    ("bits::next", &[Alias("bits::next"), Row("bits::next")]),
    ("squares with labels", &[Alias("SquareLabels"), Row("SquareLabels")]),
    (
        "new, index, file, rank",
        &[Item("pub const fn new(index: u8) -> Option<Square>"), Row("index"), Row("rank")],
    ),
    ("new_unchecked", &[Alias("new_unchecked"), Row("new_unchecked")]),
    ("from_file_and_rank", &[Alias("from_file_and_rank"), Row("from_file_and_rank")]),
    ("COUNT", &[Item("pub const COUNT: usize"), Row("COUNT")]),
    ("coords", &[Item("pub const fn coords(self) -> (File, Rank)"), Row("coords")]),
    ("flipped", &[Item("pub const fn rotate_180(self) -> Square"), Alias("flipped"), Row("flipped")]),
    ("File and Rank", &[Item("pub enum File"), Item("pub enum Rank"), Row("File"), Row("Rank")]),
    ("colours and types in a byte", &[Item("pub enum Color"), Item("pub enum PieceType"), Row("PieceType")]),
    ("a piece in a byte", &[Item("pub enum Piece "), Row("Piece(u8)")]),
    ("is_white and is_black", &[Item("pub const fn is_white(self)"), Row("is_white"), Row("is_black")]),
    ("sets by piece and side", &[Alias("bb_pieces"), Alias("white_pawns"), Row("bb_pieces")]),
    (
        "occupancy and empty squares",
        &[Alias("all_pieces"), Alias("bb_sides"), Row("all_pieces"), Row("bb_sides")],
    ),
    ("get_piece_at", &[Alias("get_piece_at"), Row("get_piece_at")]),
    ("mailbox and piece list", &[Alias("Mailbox"), Alias("piece_list"), Row("Mailbox"), Row("piece_list")]),
    ("filling the piece list", &[Row("init_piece_list")]),
    ("can this knight go to e4?", &[Item("pub fn is_legal("), Row("a knight to e4: is it possible?")]),
    ("what was captured", &[Item("pub const fn captured("), Row("the captured piece")]),
    ("a king is never captured", &[Row("a king is never captured")]),
    ("a separate state", &[Alias("State"), Alias("GameState"), Row("State"), Row("GameState")]),
    (
        "castling rights in four bits",
        &[Item("pub struct CastlingRights(u8)"), Row("four bits"), Row("CastlingRights")],
    ),
    (
        "default castling rights",
        &[Row("CastlingRights::default"), Item("The default is [`CastlingRights::NONE`]")],
    ),
    (
        "labels of castling rights",
        &[
            Alias("NO_CASTLING"),
            Alias("ANY_CASTLING"),
            Alias("WHITE_00"),
            Alias("BLACK_000"),
            Alias("KING_SIDE"),
            Alias("QUEEN_SIDE"),
            Alias("WHITE_CASTLING"),
            Item("pub const fn of_side("),
            Row("KING_SIDE"),
        ],
    ),
    ("side to move", &[Alias("stm"), Alias("active_color"), Row("stm")]),
    (
        "en passant and counters",
        &[
            Alias("en_passant_square"),
            Alias("half_move_counter"),
            Row("half_move_counter"),
            Row("en_passant_square"),
        ],
    ),
    ("the position that needs en passant", &[Row("the position that needs en passant")]),
    ("history in the board", &[Alias("History"), Row("History")]),
    ("next_move", &[Alias("next_move"), Row("next_move")]),
    ("Game::new and fen_setup", &[Row("Game::new"), Alias("fen_setup"), Row("new and fen_setup")]),
    (
        "FEN_START_POSITION",
        &[Item("pub const START_FEN: &str"), Alias("FEN_START_POSITION"), Row("FEN_START_POSITION")],
    ),
    ("init", &[Row("init")]),
    ("random numbers of the board", &[Alias("ZobristRandoms"), Row("ZobristRandoms in an Arc")]),
    ("the key from scratch", &[Alias("init_zobrist_key"), Row("init_zobrist_key")]),
    ("count_phase", &[Alias("count_phase"), Row("count_phase")]),
    (
        "piece-square sums",
        &[Alias("psqt_apply"), Alias("W"), Alias("FLIP"), Row("psqt_apply"), Row("W"), Row("FLIP")],
    ),
    ("increments", &[Alias("increments"), Row("incremental updates")]),
    (
        "six crates",
        &[Row("arena"), Row("magician"), Row("prophet"), Row("tactition"), Row("translator"), Row("warden")],
    ),
    ("magics", &[Alias("wizardry"), Alias("magician"), Row("wizardry"), Item("pub(crate) struct FindMagic")]),
    ("FEN, PGN, UCI, mate and stalemate", &[Row("UCI; mate and stalemate"), Item("pub fn outcome(&self)")]),
    ("nnue-probe", &[Row("nnue-probe"), Item("pub struct Network ")]),
    ("CuteChess", &[Row("CuteChess")]),
    ("a library", &[Row("a library")]),
    ("credits and further reading", &[Item("## Credits and further reading")]),
    ("a narrative", &[Item("The narrative is theirs")]),
];

/// The document and the sources of the libraries and the program.
struct Texts {
    sources: Vec<String>,
    aliases: BTreeSet<String>,
    /// First cells without their marks.
    cells: Vec<String>,
    /// Code in second cells.
    named: Vec<String>,
    document: String,
}

impl Texts {
    fn read() -> Texts {
        let repository = Repository::read(&repository::root());
        let is_source = |path: &&String| {
            ["board", "notation", "eval", "search", "engine"]
                .iter()
                .any(|name| path.starts_with(&format!("crates/{name}/src/")) && path.ends_with(".rs"))
        };
        let sources: Vec<String> =
            repository.paths.iter().filter(is_source).map(|path| repository.text(path)).collect();
        assert!(sources.len() > 100, "{}", sources.len());
        let document = repository.text("docs/names.md");
        let rows = || document.lines().filter_map(|line| line.strip_prefix("| "));
        let cell = |row: &str, index| row.split(" | ").nth(index).unwrap_or_default().to_owned();
        let code =
            |text: String| -> Vec<String> { text.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
        Texts {
            aliases: sources.iter().flat_map(|source| aliases(source)).collect(),
            cells: rows().map(|row| cell(row, 0).replace('`', "")).collect(),
            named: rows().flat_map(|row| code(cell(row, 1))).collect(),
            sources,
            document,
        }
    }

    fn has(&self, found: &Found) -> bool {
        match found {
            Item(text) => {
                self.document.contains(text) || self.sources.iter().any(|source| source.contains(text))
            }
            Alias(name) => self.aliases.contains(*name),
            Row(name) => {
                let is_part = |cell: &String| {
                    cell == name || cell.split(", ").any(|part| part.trim_end_matches(" …") == *name)
                };
                self.cells.iter().any(is_part)
            }
        }
    }

    /// Whether a library declares something of that name.
    fn declares(&self, name: &str) -> bool {
        let kinds = ["fn", "const", "struct", "enum", "trait", "mod", "static"];
        let begins = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        kinds.iter().any(|kind| {
            let declaration = format!("{kind} {name}");
            let is_declared = |source: &String| {
                source.match_indices(&declaration).any(|(at, _)| begins(&source[at + declaration.len()..]))
            };
            self.sources.iter().any(is_declared)
        })
    }
}

/// The names in `#[doc(alias = "…")]` and `#[doc(alias("…", "…"))]`.
fn aliases(source: &str) -> Vec<String> {
    let attributes = source.split("#[doc(alias").skip(1).filter_map(|rest| rest.split_once(")]"));
    attributes.flat_map(|(names, _)| names.split('"').skip(1).step_by(2)).map(str::to_owned).collect()
}

#[test]
fn every_idea_of_the_texts_has_its_place() {
    let texts = Texts::read();
    let mut missing = Vec::new();
    for (idea, places) in &SEEDS {
        assert!(!places.is_empty(), "{idea}");
        for place in places.iter().filter(|place| !texts.has(place)) {
            missing.push(match place {
                Item(text) => format!("{idea}: no source has {text:?}"),
                Alias(name) => format!("{idea}: no item has the alias {name}"),
                Row(name) => format!("{idea}: docs/names.md has no row for {name}"),
            });
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn everything_that_the_rows_name_exists() {
    let texts = Texts::read();
    let is_name =
        |name: &&String| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:".contains(&byte));
    let last = |name: &String| name.rsplit("::").next().unwrap_or_default().to_owned();
    let names: Vec<String> = texts.named.iter().filter(is_name).map(last).collect();
    assert!(names.len() > 80, "{}", names.len());
    let missing: Vec<_> = names.iter().filter(|name| !texts.declares(name)).collect();
    assert!(missing.is_empty(), "docs/names.md names what does not exist: {missing:?}");
}
