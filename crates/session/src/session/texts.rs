//! Texts from the page: long texts in parts, and texts with several games.

use ferz_board::Position;
use ferz_notation::pgn::{Diagnostic, GameTree, Reader};

use super::fen_text;
use super::refusal::Refusal;
use super::study::MAX_NODES;
use crate::protocol::GameEntry;

/// The longest text in bytes, all parts together.
pub(crate) const MAX_TEXT: usize = 4 << 20;
/// The most games in a list.
pub(crate) const MAX_GAMES: usize = 1_000;
/// The most games in a message.
const PAGE: usize = 200;
/// The most problems reported in full.
const MAX_PROBLEMS: usize = 50;
/// The most tags of a game, and their bytes. Every state repeats them.
const MAX_TAGS: usize = 200;
const MAX_TAG_BYTES: usize = 32 << 10;

/// The parts of a text received so far.
#[derive(Debug, Default)]
pub(crate) struct Parts(String);

impl Parts {
    /// Adds a part, unless the text would become too long.
    pub(crate) fn add(&mut self, text: &str, reset: bool) -> Result<(), Refusal> {
        if reset {
            self.0.clear();
        }
        if self.0.len() + text.len() > MAX_TEXT {
            self.0 = String::new();
            return Err(too_long());
        }
        self.0.push_str(text);
        Ok(())
    }

    /// The whole text; `end` is its last part.
    pub(crate) fn complete(&mut self, end: &str) -> Result<String, Refusal> {
        let mut text = std::mem::take(&mut self.0);
        if text.len() + end.len() > MAX_TEXT {
            return Err(too_long());
        }
        text.push_str(end);
        Ok(text)
    }
}

fn too_long() -> Refusal {
    Refusal::new(format!("The text is too long: the limit is {} MiB.", MAX_TEXT >> 20))
}

/// The content of a text.
#[derive(Debug)]
pub(crate) enum Loaded {
    /// A position, and the repairs that its FEN needed.
    Position(Position, Vec<String>),
    Game(Box<ReadGame>),
    Games(Library),
}

/// A game, and the problems in its text.
#[derive(Debug)]
pub(crate) struct ReadGame {
    pub(crate) tree: GameTree,
    pub(crate) problems: Vec<String>,
    pub(crate) problem_count: usize,
}

/// A text with several games.
#[derive(Debug)]
pub(crate) struct Library {
    text: String,
    count: usize,
    games: Vec<GameEntry>,
    /// The first problem after the last game.
    complaint: Option<String>,
}

/// Reads a text as PGN or FEN.
pub(crate) fn load(text: String) -> Result<Loaded, Refusal> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(Refusal::new("The text is empty."));
    }
    if let Some(fen) = fen_text::find(trimmed) {
        let (position, repairs) = fen_text::read(&fen)?;
        return Ok(Loaded::Position(position, repairs));
    }
    let library = Library::new(text);
    match library.count {
        0 => Err(no_game(library.complaint)),
        1 => Ok(Loaded::Game(Box::new(library.game(0)?))),
        _ => Ok(Loaded::Games(library)),
    }
}

fn no_game(complaint: Option<String>) -> Refusal {
    let complaint = complaint.map(|it| format!(" ({it})")).unwrap_or_default();
    Refusal::new(format!("The text contains no game and is not a FEN{complaint}."))
}

impl Library {
    fn new(text: String) -> Library {
        let mut games = Vec::new();
        let mut count = 0;
        let mut reader = Reader::new(text.as_bytes());
        let mut tree = GameTree::new();
        // Reading from memory does not fail.
        while tree.read(&mut reader).unwrap_or(false) {
            if games.len() < MAX_GAMES {
                games.push(entry(&tree, count));
            }
            count += 1;
        }
        let complaint = tree.problems().first().map(Diagnostic::to_string);
        Library { text, count, games, complaint }
    }

    /// The number of games, and a page of the list.
    pub(crate) fn page(&self, from: usize) -> (usize, Vec<GameEntry>) {
        let page = self.games.iter().skip(from).take(PAGE);
        (self.count, page.cloned().collect())
    }

    /// One of the listed games.
    pub(crate) fn game(&self, index: usize) -> Result<ReadGame, Refusal> {
        if index >= self.games.len() {
            return Err(Refusal::new("There is no game with this number in the list."));
        }
        let mut tree = GameTree::new();
        let mut reader = Reader::new(self.text.as_bytes());
        for _ in 0..=index {
            tree.read(&mut reader)?;
        }
        if tree.size() > MAX_NODES {
            let size = tree.size();
            return Err(Refusal::new(format!(
                "The game has {size} moves, more than the limit of {MAX_NODES}."
            )));
        }
        let problems = tree.problems();
        // A text without any game must not replace the current game.
        if tree.size() == 0 && tree.tags().next().is_none() && !problems.is_empty() {
            return Err(no_game(None));
        }
        let mut problem_count = problem_count(&tree);
        let mut problems: Vec<_> = problems.iter().take(MAX_PROBLEMS).map(Diagnostic::to_string).collect();
        if let Some(problem) = limit_tags(&mut tree) {
            problems.insert(0, problem);
            problem_count += 1;
        }
        Ok(ReadGame { tree, problems, problem_count })
    }
}

fn entry(tree: &GameTree, index: usize) -> GameEntry {
    /// Long names would not fit the list.
    const LONGEST: usize = 80;
    let tag =
        |name: &str| tree.tag(name).map(|value| value.chars().take(LONGEST).collect()).unwrap_or_default();
    GameEntry {
        index,
        white: tag("White"),
        black: tag("Black"),
        white_elo: tag("WhiteElo"),
        black_elo: tag("BlackElo"),
        event: tag("Event"),
        date: tag("Date"),
        result: tree.termination().as_str().to_owned(),
        eco: tag("ECO"),
        plies: tree.main_line().count(),
        problems: problem_count(tree),
    }
}

/// Drops tags beyond the limits. Returns the problem to report.
fn limit_tags(tree: &mut GameTree) -> Option<String> {
    let (mut count, mut bytes) = (0, 0);
    let dropped = tree.retain_tags(|name, value| {
        let size = name.len() + value.len();
        let fits = count < MAX_TAGS && bytes + size <= MAX_TAG_BYTES;
        if fits {
            count += 1;
            bytes += size;
        }
        fits
    });
    if dropped == 0 {
        return None;
    }
    // The text of the tags is freed, too. Nobody knows the ids of the nodes yet.
    tree.compact();
    Some(format!(
        "{dropped} tags were dropped: a game has at most {MAX_TAGS} tags with {} KiB",
        MAX_TAG_BYTES >> 10
    ))
}

/// All problems, including those that the tree does not keep.
fn problem_count(tree: &GameTree) -> usize {
    tree.problems().len() + tree.omitted_problems() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chess960_is_read_without_problems() {
        for fen in [
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "6k1/8/8/8/8/8/8/1K1RR3 w D",
        ] {
            let Loaded::Position(position, problems) = load(fen.to_owned()).unwrap() else { panic!("{fen}") };
            assert!(problems.is_empty() && !position.has_standard_castling(), "{problems:?}");
            let mv = if fen.len() > 40 { "e4" } else { "Kc1" };
            let pgn = format!("[FEN \"{fen}\"]\n\n1. {mv} *");
            let Loaded::Game(game) = load(pgn).unwrap() else { panic!("{fen}") };
            assert_eq!((game.problem_count, game.tree.size()), (0, 1), "{:?}", game.problems);
        }
    }

    #[test]
    fn addresses_are_positions_and_tags_are_games() {
        let address = "https://lichess.org/analysis/standard/4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1";
        assert!(matches!(load(address.to_owned()), Ok(Loaded::Position(_, problems)) if problems.is_empty()));
        let pgn = "[White \"A\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n*";
        assert!(matches!(load(pgn.to_owned()), Ok(Loaded::Game(_))));
    }
}
