//! The opening explorer. The session knows the embedded book; other sources are the host's.

use ferz_board::{CastlingMode, Move, Position};
use ferz_notation::pgn::NodeId;
use ferz_notation::polyglot::Book;

use super::notation;
use super::refusal::Refusal;
use super::{Outbox, Session};
use crate::protocol::{
    ExplorerAnswer, ExplorerGame, ExplorerKind, ExplorerMove, ExplorerSource, ExplorerStep, Message,
};

/// The name of the embedded book as a source.
const BOOK: &str = "book";
/// The longest line whose positions are named.
const MAX_PATH: usize = 60;

/// A position to be looked up by the host.
#[derive(Clone, Debug)]
pub struct ExploreTask {
    /// The number of the intent that asked for it.
    pub re: Option<u64>,
    /// The name of the source.
    pub source: String,
    /// The position.
    pub position: Position,
    node: NodeId,
    mode: CastlingMode,
    path: Vec<ExplorerStep>,
}

/// What a source knows of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MoveCounts {
    /// The games that played it, or its weight in a book.
    pub games: u64,
    /// The games that White won.
    pub white: u64,
    /// The drawn games.
    pub draws: u64,
    /// The games that Black won.
    pub black: u64,
    /// The mean rating.
    pub elo: Option<u32>,
    /// The last year.
    pub year: Option<u16>,
    /// The games that reached the position behind it differently. For a book: its moves there, if this move is not in it.
    pub transpositions: u64,
}

impl ExploreTask {
    /// The answer: the moves in their order, all games that reached the position, and some of them.
    #[must_use]
    pub fn answer(
        &self,
        kind: ExplorerKind,
        total: u64,
        moves: impl IntoIterator<Item = (Move, MoveCounts)>,
        games: Vec<ExplorerGame>,
    ) -> Message {
        let moves = moves.into_iter().map(|(mv, counts)| self.entry(mv, counts)).collect();
        Message::Explorer(Box::new(ExplorerAnswer { total, moves, games, ..self.empty(kind) }))
    }

    /// The answer while the source is being built, in per cent.
    #[must_use]
    pub fn is_building(&self, percent: u8) -> Message {
        let building = Some(percent.min(100));
        Message::Explorer(Box::new(ExplorerAnswer { building, ..self.empty(ExplorerKind::Games) }))
    }

    fn empty(&self, kind: ExplorerKind) -> ExplorerAnswer {
        ExplorerAnswer {
            node: self.node.number(),
            source: self.source.clone(),
            kind,
            key: key(&self.position),
            building: None,
            total: 0,
            moves: Vec::new(),
            games: Vec::new(),
            path: self.path.clone(),
        }
    }

    fn entry(&self, mv: Move, counts: MoveCounts) -> ExplorerMove {
        let MoveCounts { games, white, draws, black, elo, year, transpositions } = counts;
        let mut after = self.position;
        after.play_unchecked(mv);
        ExplorerMove {
            uci: notation::uci(Some(mv), self.mode),
            san: notation::san(&self.position, Some(mv)),
            key: key(&after),
            games,
            white,
            draws,
            black,
            elo,
            year,
            transpositions,
        }
    }

    /// What a book knows, given a function that looks a position up.
    pub fn answer_from_book<E>(
        &self,
        moves: impl FnMut(&Position) -> Result<Vec<(Move, u16)>, E>,
    ) -> Result<Message, E> {
        let rows = book_counts(&self.position, moves)?;
        let total = rows.iter().map(|(_, counts)| counts.games).sum();
        Ok(self.answer(ExplorerKind::Book, total, rows, Vec::new()))
    }
}

/// The moves of a position in a book, and those that lead to other positions of the book. `moves` looks a position up.
pub fn book_counts<E>(
    position: &Position,
    mut moves: impl FnMut(&Position) -> Result<Vec<(Move, u16)>, E>,
) -> Result<Vec<(Move, MoveCounts)>, E> {
    let known = moves(position)?;
    let mut rows: Vec<(Move, MoveCounts)> = Vec::new();
    for &mv in &position.legal_moves() {
        let games = known.iter().filter(|(it, _)| *it == mv).map(|&(_, weight)| u64::from(weight)).sum();
        let is_known = known.iter().any(|(it, _)| *it == mv);
        let mut after = *position;
        after.play_unchecked(mv);
        let transpositions = if is_known { 0 } else { moves(&after)?.len() as u64 };
        if is_known || transpositions > 0 {
            rows.push((mv, MoveCounts { games, transpositions, ..MoveCounts::default() }));
        }
    }
    rows.sort_by_key(|(_, counts)| std::cmp::Reverse((counts.games, counts.transpositions)));
    Ok(rows)
}

/// The key of a position as text: JavaScript's numbers do not hold 64 bits.
fn key(position: &Position) -> String {
    format!("{:016x}", position.repetition_key())
}

/// The sources of every session.
pub(super) fn sources() -> Vec<ExplorerSource> {
    let name = "Ferz book".to_owned();
    vec![ExplorerSource { id: BOOK.to_owned(), name, kind: ExplorerKind::Book, games: 0 }]
}

impl Session {
    /// Looks a position up in the embedded book, or leaves it to the host.
    pub(super) fn explore(
        &mut self,
        node: Option<u32>,
        source: String,
        re: Option<u64>,
        out: &mut Outbox,
    ) -> Result<(), Refusal> {
        self.refuse_while_playing("The explorer is closed during a game.")?;
        let node = self.node_or_current(node)?;
        let position = self.study.position_at(node)?;
        let (mode, path) = (self.study.mode(), self.explored_path(node));
        let task = ExploreTask { re, source, position, node, mode, path };
        if task.source != BOOK {
            out.explorations.push(task);
            return Ok(());
        }
        let moves = |position: &Position| {
            Ok::<_, Refusal>(Book::embedded().moves(position).map(|it| (it.mv, it.weight)).collect())
        };
        out.say(re, task.answer_from_book(moves)?);
        Ok(())
    }

    /// The first moves that lead to a node.
    fn explored_path(&self, node: NodeId) -> Vec<ExplorerStep> {
        let (tree, mode) = (self.study.tree(), self.study.mode());
        let mut position = *tree.start();
        let mut steps = Vec::new();
        for node in tree.path(node).into_iter().take(MAX_PATH) {
            let mv = tree.mv(node);
            steps.push(ExplorerStep {
                key: key(&position),
                uci: notation::uci(mv, mode),
                san: notation::san(&position, mv),
                number: position.fullmove_number(),
                color: position.side_to_move().into(),
            });
            match notation::position_after(&position, mv) {
                Some(after) => position = after,
                None => break,
            }
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;
    use crate::protocol::Envelope;

    fn tell(session: &mut Session, message: &Value) -> Outbox {
        session.handle(Envelope::parse(&message.to_string()), Duration::ZERO)
    }

    fn said(out: &Outbox) -> Vec<Value> {
        out.messages.iter().map(|it| serde_json::from_str(&it.to_text()).expect("an object")).collect()
    }

    fn greeted() -> Session {
        let mut session = Session::new(None, 1);
        let welcome =
            said(&tell(&mut session, &json!({"type": "hello", "pgn": "1. e4 e5 2. Nf3 *"}))).remove(0);
        assert_eq!(welcome["explorers"][0]["id"], "book");
        session
    }

    #[test]
    fn the_book_is_explored_with_keys_and_path() {
        let mut session = greeted();
        let first =
            said(&tell(&mut session, &json!({"type": "explorer", "source": "book", "id": 7}))).remove(0);
        assert_eq!(
            (&first["type"], &first["re"], &first["kind"]),
            (&json!("explorer"), &json!(7), &json!("book"))
        );
        let moves = first["moves"].as_array().expect("a list");
        let sum: u64 = moves.iter().filter_map(|it| it["games"].as_u64()).sum();
        assert!(moves.len() > 1 && first["total"] == sum && first["path"] == json!([]), "{first}");
        let e4 = moves.iter().find(|it| it["san"] == "e4").expect("a popular move");

        // After 1. e4 the position has the key that was announced, and the path leads there.
        tell(&mut session, &json!({"type": "step", "to": "next"}));
        let second = said(&tell(&mut session, &json!({"type": "explorer", "source": "book"}))).remove(0);
        assert_eq!(second["key"], e4["key"]);
        let step = json!({"key": first["key"], "uci": "e2e4", "san": "e4", "number": 1, "color": "white"});
        assert_eq!(second["path"], json!([step]));
    }

    #[test]
    fn other_sources_are_left_to_the_host() {
        let mut session = greeted();
        let out = tell(&mut session, &json!({"type": "explorer", "source": "file-1", "id": 9}));
        assert!(out.messages.is_empty());
        let [task] = &out.explorations[..] else { panic!("one position to look up") };
        assert_eq!((task.re, &task.source[..], task.position), (Some(9), "file-1", Position::start()));
        let Message::Explorer(answer) = task.is_building(200) else { panic!("an answer") };
        assert_eq!((answer.building, answer.node), (Some(100), NodeId::ROOT.number()));
    }

    /// A book that knows one position: the moves that lead there are shown where it is not.
    #[test]
    fn moves_into_the_book_are_transpositions() {
        let mut target = Position::start();
        target.play_unchecked(target.parse_uci("g1f3").expect("legal"));
        let reply = target.parse_uci("d7d5").expect("legal");
        let book = |position: &Position| {
            Ok::<_, ()>(if *position == target { vec![(reply, 3)] } else { Vec::new() })
        };
        let rows = book_counts(&Position::start(), book).expect("no errors");
        let rows: Vec<_> = rows
            .iter()
            .map(|(mv, counts)| {
                (notation::uci(Some(*mv), CastlingMode::Standard), counts.games, counts.transpositions)
            })
            .collect();
        assert_eq!(rows, [("g1f3".to_owned(), 0, 1)]);
    }
}
