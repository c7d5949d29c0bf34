//! What a page knows: the tree and the state as the server told them, held against somebody else's rules of chess.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, FromSetup, Piece, Position, PositionError, Square,
};

/// A node of the tree.
#[derive(Clone, Debug)]
struct Node {
    parent: Option<u64>,
    uci: String,
    children: Vec<u64>,
}

/// Everything that the server has told.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    nodes: HashMap<u64, Node>,
    /// Where the game starts, if that is known.
    root: Option<String>,
    pub(super) state: Value,
    /// The version and the text that were last to be saved.
    pub(super) saved: Option<(u64, String)>,
    /// The position on the board, if it could be reached from the start.
    pub(super) position: Option<Chess>,
}

impl Page {
    /// The state before this one is forgotten, but not where the game starts: a page that says hello again says so.
    pub(super) fn after_hello(&self) -> Page {
        Page { root: self.root.clone(), saved: self.saved.clone(), ..Page::default() }
    }

    pub(super) fn path(&self) -> &str {
        self.state["path"].as_str().unwrap_or_default()
    }

    pub(super) fn node(&self) -> u64 {
        self.state["node"].as_u64().unwrap_or_default()
    }

    pub(super) fn nodes(&self) -> Vec<u64> {
        let mut ids: Vec<_> = self.nodes.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// Whether a game against the engine is going on.
    pub(super) fn is_playing(&self) -> bool {
        self.state["play"].is_object() && self.state["play"]["over"].is_null()
    }

    /// Whether the state can change without the page asking for it.
    pub(super) fn is_engine_to_move(&self) -> bool {
        self.is_playing() && self.state["play"]["thinking"] == true
    }

    /// The legal moves as the server told them.
    pub(super) fn moves(&self) -> Vec<(&str, &str)> {
        let all = self.state["moves"].as_object().into_iter().flat_map(serde_json::Map::values);
        let all = all.filter_map(Value::as_array).flatten();
        all.filter_map(|mv| Some((mv["uci"].as_str()?, mv["san"].as_str()?))).collect()
    }

    /// Moves from the start to a node.
    pub(super) fn path_to(&self, node: u64) -> Option<String> {
        let mut words = Vec::new();
        let mut at = self.nodes.get(&node)?;
        // A tree whose parents go round in a circle has no path.
        while let Some(parent) = at.parent {
            if words.len() > self.nodes.len() {
                return None;
            }
            words.push(at.uci.as_str());
            at = self.nodes.get(&parent)?;
        }
        words.reverse();
        Some(words.join(" "))
    }

    /// Where a step leads.
    pub(super) fn after_step(&self, to: &str) -> Option<String> {
        let here = self.nodes.get(&self.node())?;
        let target = match to {
            "start" => return Some(String::new()),
            "previous" => here.parent,
            "next" => here.children.first().copied(),
            "end" => {
                let mut end = self.node();
                while let Some(&next) = self.nodes.get(&end)?.children.first() {
                    end = next;
                }
                Some(end)
            }
            "up" | "down" => {
                let siblings = here.parent.and_then(|parent| self.nodes.get(&parent)).map(|it| &it.children);
                siblings.and_then(|siblings| {
                    let place = siblings.iter().position(|&sibling| sibling == self.node())?;
                    let place = if to == "up" { place.checked_sub(1)? } else { place + 1 };
                    siblings.get(place).copied()
                })
            }
            _ => return None,
        };
        self.path_to(target.unwrap_or(self.node()))
    }

    /// Takes in a message and says what is wrong with it.
    pub(super) fn hear(&mut self, message: &Value) -> Result<(), String> {
        match message["type"].as_str() {
            Some("tree") => self.hear_tree(message),
            Some("state") => self.hear_state(message),
            Some("analysis") => self.check_analysis(message),
            Some("save") => {
                let version = message["version"].as_u64().ok_or("a text without version")?;
                let text = message["pgn"].as_str().ok_or("a text that is none")?;
                self.saved = Some((version, text.to_owned()));
                Ok(())
            }
            Some(_) => Ok(()),
            None => Err(format!("a message without type: {message}")),
        }
    }

    fn hear_tree(&mut self, change: &Value) -> Result<(), String> {
        if change["reset"] == true {
            self.nodes.clear();
            if !self.state.is_null() {
                // Another game, unless the page has just said hello.
                self.root = None;
            }
        }
        for id in change["removed"].as_array().into_iter().flatten().filter_map(Value::as_u64) {
            self.nodes.remove(&id);
        }
        for node in change["nodes"].as_array().ok_or("a tree without nodes")? {
            let id = node["id"].as_u64().ok_or("a node without id")?;
            let children = node["children"].as_array().ok_or("a node without children")?;
            let node = Node {
                parent: node["parent"].as_u64(),
                uci: node["uci"].as_str().unwrap_or_default().to_owned(),
                children: children.iter().filter_map(Value::as_u64).collect(),
            };
            self.nodes.insert(id, node);
        }
        Ok(())
    }

    fn hear_state(&mut self, state: &Value) -> Result<(), String> {
        let told = |name: &str| state[name].as_str().ok_or(format!("a state without {name}"));
        let (path, fen) = (told("path")?, told("fen")?);
        let node = state["node"].as_u64().ok_or("a state without node")?;
        if self.path_to(node).as_deref() != Some(path) {
            return Err(format!("node {node} is at {path:?}, in the tree at {:?}", self.path_to(node)));
        }
        let mode = if state["chess960"].is_null() { CastlingMode::Standard } else { CastlingMode::Chess960 };
        if path.is_empty() {
            match &self.root {
                Some(root) if root != fen => return Err(format!("the game started from {root}, now {fen}")),
                _ => self.root = Some(fen.to_owned()),
            }
        }
        self.position = None;
        if let Some(root) = &self.root {
            let position = replay(root, path, mode)?;
            check_position(&position, state, path.contains("0000"), mode)
                .map_err(|what| format!("{what}; after {path:?} from {root}"))?;
            self.position = Some(position);
        }
        self.state = state.clone();
        Ok(())
    }

    /// Every line of the engine must be legal where it is shown.
    fn check_analysis(&self, analysis: &Value) -> Result<(), String> {
        let Some(position) = self.position.as_ref().filter(|_| analysis["node"] == self.state["node"]) else {
            return Ok(());
        };
        for line in analysis["lines"].as_array().into_iter().flatten() {
            check_line(position, &line["uci"])?;
            let chances: Vec<_> =
                line["wdl"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
            if chances.iter().sum::<u64>() != 1000 {
                return Err(format!("chances that are not 1000 together: {line}"));
            }
        }
        Ok(())
    }
}

/// A line of the engine must be legal.
pub(super) fn check_line(position: &Chess, moves: &Value) -> Result<(), String> {
    let mut position = position.clone();
    for word in moves.as_array().into_iter().flatten().filter_map(Value::as_str) {
        position = after(position, word).map_err(|what| format!("{what} in {moves}"))?;
    }
    Ok(())
}

/// The position that moves lead to.
fn replay(root: &str, path: &str, mode: CastlingMode) -> Result<Chess, String> {
    path.split_ascii_whitespace().try_fold(position_of(root, mode)?, after)
}

fn position_of(fen: &str, mode: CastlingMode) -> Result<Chess, String> {
    let setup = Fen::from_ascii(fen.as_bytes()).map_err(|error| format!("{fen}: {error}"))?.into_setup();
    let position = Chess::from_setup(setup, mode);
    // Unusual material may be set up on the board.
    let position = position.or_else(PositionError::ignore_too_much_material);
    let position = position.or_else(PositionError::ignore_impossible_check);
    position.map_err(|error| format!("{fen}: {error}"))
}

fn after(position: Chess, word: &str) -> Result<Chess, String> {
    if word == "0000" {
        return position.swap_turn().map_err(|error| format!("no null move: {error}"));
    }
    let uci = UciMove::from_ascii(word.as_bytes()).map_err(|error| format!("{word}: {error}"))?;
    let mv = uci.to_move(&position).map_err(|error| format!("{word}: {error}"))?;
    position.play(mv).map_err(|error| format!("{word}: {error}"))
}

/// Compares a position with what the server says of it.
fn check_position(
    position: &Chess,
    state: &Value,
    has_null_move: bool,
    mode: CastlingMode,
) -> Result<(), String> {
    let text = |name: &str| state[name].as_str().unwrap_or_default();
    let fen = |position: &Chess| {
        let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
        // Whether a null move counts is a matter of taste.
        let fields = if has_null_move { 4 } else { 6 };
        fen.split(' ').take(fields).collect::<Vec<_>>().join(" ")
    };
    let (told, own) = (fen(&position_of(text("fen"), mode)?), fen(position));
    if told != own {
        return Err(format!("the position is {own}, not {told}"));
    }
    let mut board = String::new();
    for square in Square::ALL {
        // Writing to a text does not fail.
        let _ = write!(board, "{}", position.board().piece_at(square).map_or('.', Piece::char));
    }
    if text("board") != board {
        return Err(format!("the board is {board}, not {}", text("board")));
    }
    let turn = if position.turn() == Color::White { "white" } else { "black" };
    if text("turn") != turn {
        return Err(format!("{turn} is to move, not {}", text("turn")));
    }
    let is_over = position.is_checkmate() || position.is_stalemate() || position.is_insufficient_material();
    if state["outcome"].is_null() {
        let mut own: Vec<_> = position.legal_moves().iter().map(|mv| mv.to_uci(mode).to_string()).collect();
        let moves = state["moves"].as_object().into_iter().flat_map(serde_json::Map::values);
        let mut told: Vec<_> =
            moves.filter_map(Value::as_array).flatten().filter_map(|mv| mv["uci"].as_str()).collect();
        own.sort_unstable();
        told.sort_unstable();
        if is_over || own != told {
            return Err(format!("the moves are {own:?}, not {told:?}"));
        }
    } else if !is_over && !["fivefold_repetition", "seventy_five_moves"].contains(&text_of(&state["outcome"]))
    {
        return Err(format!("the game is not over: {}", state["outcome"]));
    }
    Ok(())
}

fn text_of(outcome: &Value) -> &str {
    outcome["reason"].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";

    fn start() -> Value {
        let position = Chess::default();
        state(&position, 1, "", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    }

    fn state(position: &Chess, node: u64, path: &str, fen: &str) -> Value {
        let moves: Vec<_> = position
            .legal_moves()
            .iter()
            .map(|mv| json!({"uci": mv.to_uci(CastlingMode::Standard).to_string(), "san": "?"}))
            .collect();
        let board: String =
            Square::ALL.iter().map(|&at| position.board().piece_at(at).map_or('.', Piece::char)).collect();
        let turn = if position.turn() == Color::White { "white" } else { "black" };
        json!({"type": "state", "node": node, "path": path, "fen": fen, "board": board, "turn": turn,
               "moves": {"x": moves}, "outcome": null, "chess960": null, "play": null})
    }

    fn page() -> Page {
        let mut page = Page::default();
        let nodes = json!([{"id": 1, "parent": null, "children": [2]}, {"id": 2, "parent": 1, "uci": "e2e4", "children": []}]);
        page.hear(&json!({"type": "tree", "reset": true, "nodes": nodes})).expect("a tree");
        page.hear(&start()).expect("the start");
        page
    }

    #[test]
    fn a_right_state_is_believed() {
        let mut page = page();
        assert_eq!(page.moves().len(), 20);
        assert_eq!(page.after_step("next").as_deref(), Some("e2e4"));
        let position = after(Chess::default(), "e2e4").expect("a move");
        page.hear(&state(&position, 2, "e2e4", AFTER_E4)).expect("it is right");
        assert_eq!(page.after_step("previous").as_deref(), Some(""));
    }

    #[test]
    fn wrong_states_are_found() {
        let position = after(Chess::default(), "e2e4").expect("a move");
        let right = state(&position, 2, "e2e4", AFTER_E4);
        for (name, value) in [
            ("path", json!("d2d4")),
            ("node", json!(1)),
            ("fen", start()["fen"].clone()),
            ("board", start()["board"].clone()),
            ("turn", json!("white")),
            ("moves", json!({})),
            ("outcome", json!({"reason": "checkmate"})),
        ] {
            let mut wrong = right.clone();
            wrong[name] = value;
            assert!(page().hear(&wrong).is_err(), "{name}");
        }
        let analysis =
            json!({"type": "analysis", "node": 1, "lines": [{"uci": ["e2e5"], "wdl": [0, 1000, 0]}]});
        assert!(page().hear(&analysis).is_err());
    }
}
