//! What a page knows: the tree and the state from the server, compared with shakmaty's rules of chess.

use std::collections::HashMap;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use shakmaty::{CastlingMode, Chess, Piece, Position, Square};

use crate::rules::{legal_move, parse_fen, play_moves, write_fen};

/// A node of the tree of moves.
#[derive(Clone, Debug)]
struct PageNode {
    parent: Option<u64>,
    uci: String,
    children: Vec<u64>,
}

/// Everything that the server has sent.
#[derive(Clone, Debug, Default)]
pub(super) struct PageModel {
    nodes: HashMap<u64, PageNode>,
    /// The FEN of the start position, if it is known.
    root: Option<String>,
    pub(super) state: Value,
    /// The version and the PGN that were saved last.
    pub(super) saved: Option<(u64, String)>,
    /// The position on the board, if it could be reached from the start.
    pub(super) position: Option<Chess>,
}

impl PageModel {
    /// What is left when the page says hello again: where the game starts, and what was saved.
    pub(super) fn reloaded(&self) -> PageModel {
        PageModel { root: self.root.clone(), saved: self.saved.clone(), ..PageModel::default() }
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

    /// Whether a game against the engine goes on.
    pub(super) fn is_playing(&self) -> bool {
        self.state["play"].is_object() && self.state["play"]["over"].is_null()
    }

    /// Whether the state can change without a message of the page.
    pub(super) fn is_engine_to_move(&self) -> bool {
        self.is_playing() && self.state["play"]["thinking"] == true
    }

    /// The legal moves in the state: UCI and SAN.
    pub(super) fn moves(&self) -> Vec<(&str, &str)> {
        moves_of(&self.state)
    }

    /// The moves from the start to a node.
    pub(super) fn path_to(&self, node: u64) -> Option<String> {
        let mut words = Vec::new();
        let mut at = self.nodes.get(&node)?;
        while let Some(parent) = at.parent {
            // Parents must not form a circle.
            if words.len() > self.nodes.len() {
                return None;
            }
            words.push(at.uci.as_str());
            at = self.nodes.get(&parent)?;
        }
        words.reverse();
        Some(words.join(" "))
    }

    /// Where a step leads; `None` for steps that are not predicted.
    pub(super) fn path_after_step(&self, to: &str) -> Option<String> {
        let mut node = self.node();
        let here = self.nodes.get(&node)?;
        let siblings = here.parent.and_then(|parent| self.nodes.get(&parent)).map(|it| &it.children[..]);
        let siblings = siblings.unwrap_or_default();
        let place = siblings.iter().position(|&sibling| sibling == node);
        let sibling = |place: Option<usize>| place.and_then(|place| siblings.get(place)).copied();
        match to {
            "start" => return Some(String::new()),
            "previous" => node = here.parent.unwrap_or(node),
            "next" => node = here.children.first().copied().unwrap_or(node),
            "end" => {
                while let Some(&next) = self.nodes.get(&node)?.children.first() {
                    node = next;
                }
            }
            "up" => node = sibling(place.and_then(|place| place.checked_sub(1))).unwrap_or(node),
            "down" => node = sibling(place.map(|place| place + 1)).unwrap_or(node),
            _ => return None,
        }
        self.path_to(node)
    }

    /// Takes in a message; an error says what is wrong with it.
    pub(super) fn receive(&mut self, message: &Value) -> Result<()> {
        match message["type"].as_str().context("a message without type")? {
            "tree" => self.receive_tree(message),
            "state" => self.receive_state(message),
            "analysis" => self.check_analysis(message),
            "save" => {
                let version = message["version"].as_u64().context("save without version")?;
                self.saved = Some((version, message["pgn"].as_str().context("save without pgn")?.to_owned()));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn receive_tree(&mut self, change: &Value) -> Result<()> {
        if change["reset"] == true {
            self.nodes.clear();
            if !self.state.is_null() {
                // A different game, unless the page has just said hello.
                self.root = None;
            }
        }
        for id in change["removed"].as_array().into_iter().flatten().filter_map(Value::as_u64) {
            self.nodes.remove(&id);
        }
        for node in change["nodes"].as_array().context("a tree without nodes")? {
            let children = node["children"].as_array().context("a node without children")?;
            let known = PageNode {
                parent: node["parent"].as_u64(),
                uci: node["uci"].as_str().unwrap_or_default().to_owned(),
                children: children.iter().filter_map(Value::as_u64).collect(),
            };
            self.nodes.insert(node["id"].as_u64().context("a node without id")?, known);
        }
        Ok(())
    }

    fn receive_state(&mut self, state: &Value) -> Result<()> {
        let text = |name: &str| state[name].as_str().with_context(|| format!("a state without {name}"));
        let (path, fen) = (text("path")?, text("fen")?);
        let own_path = self.path_to(state["node"].as_u64().context("a state without node")?);
        ensure!(own_path.as_deref() == Some(path), "the state is at {path:?}, its node at {own_path:?}");
        if path.is_empty() {
            let root = self.root.get_or_insert_with(|| fen.to_owned());
            ensure!(root == fen, "the game started from {root}, now from {fen}");
        }
        self.position = None;
        if let Some(root) = &self.root {
            let context = || format!("after {path:?} from {root}");
            let position = replay(root, path).with_context(context)?;
            check_position(&position, state, path.contains("0000")).with_context(context)?;
            self.position = Some(position);
        }
        self.state = state.clone();
        Ok(())
    }

    /// Lines of the engine are legal, and probabilities add up.
    fn check_analysis(&self, analysis: &Value) -> Result<()> {
        let Some(position) = self.position.as_ref().filter(|_| analysis["node"] == self.state["node"]) else {
            return Ok(());
        };
        for line in analysis["lines"].as_array().into_iter().flatten() {
            check_line(position, &line["uci"])?;
            let wdl = line["wdl"].as_array().into_iter().flatten().filter_map(Value::as_u64);
            ensure!(wdl.sum::<u64>() == 1000, "probabilities that do not add up to 1000: {line}");
        }
        Ok(())
    }
}

/// A line of the engine must be legal.
pub(super) fn check_line(position: &Chess, moves: &Value) -> Result<()> {
    let words = moves.as_array().into_iter().flatten().filter_map(Value::as_str);
    play_moves(position, words).with_context(|| moves.to_string()).map(drop)
}

fn moves_of(state: &Value) -> Vec<(&str, &str)> {
    let all = state["moves"].as_object().into_iter().flat_map(serde_json::Map::values);
    let all = all.filter_map(Value::as_array).flatten();
    all.filter_map(|mv| Some((mv["uci"].as_str()?, mv["san"].as_str()?))).collect()
}

/// The position after these moves, null moves among them.
fn replay(root: &str, path: &str) -> Result<Chess> {
    let mut position = parse_fen(root)?;
    for word in path.split_ascii_whitespace() {
        if word == "0000" {
            position = position.swap_turn().context("illegal null move")?;
        } else {
            position.play_unchecked(legal_move(&position, word)?);
        }
    }
    Ok(position)
}

/// Compares a position with a state.
fn check_position(position: &Chess, state: &Value, has_null_move: bool) -> Result<()> {
    let text = |name: &str| state[name].as_str().unwrap_or_default();
    let fen = |position: &Chess| {
        // Null moves may count as moves or not.
        let fields = if has_null_move { 4 } else { 6 };
        write_fen(position).split(' ').take(fields).collect::<Vec<_>>().join(" ")
    };
    let (theirs, own) = (fen(&parse_fen(text("fen"))?), fen(position));
    ensure!(theirs == own, "the position is {own}, not {theirs}");
    let pieces = Square::ALL.iter().map(|&at| position.board().piece_at(at).map_or('.', Piece::char));
    let board: String = pieces.collect();
    ensure!(text("board") == board, "the board is {board}, not {}", text("board"));
    let turn = if position.turn().is_white() { "white" } else { "black" };
    ensure!(text("turn") == turn, "{turn} is to move, not {}", text("turn"));
    let is_over = position.is_checkmate() || position.is_stalemate() || position.is_insufficient_material();
    if state["outcome"].is_null() {
        let mode = if state["chess960"].is_null() { CastlingMode::Standard } else { CastlingMode::Chess960 };
        let mut own: Vec<_> = position.legal_moves().iter().map(|mv| mv.to_uci(mode).to_string()).collect();
        let mut theirs: Vec<_> = moves_of(state).into_iter().map(|(uci, _)| uci).collect();
        own.sort_unstable();
        theirs.sort_unstable();
        ensure!(!is_over && own == theirs, "the moves are {own:?}, not {theirs:?}");
    } else if !is_over {
        let reason = state["outcome"]["reason"].as_str().unwrap_or_default();
        if !["fivefold_repetition", "seventy_five_moves"].contains(&reason) {
            bail!("the game is not over: {}", state["outcome"]);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn state(position: &Chess, node: u64, path: &str) -> Value {
        let moves: Vec<_> = position
            .legal_moves()
            .iter()
            .map(|mv| json!({"uci": mv.to_uci(CastlingMode::Standard).to_string(), "san": "?"}))
            .collect();
        let board: String =
            Square::ALL.iter().map(|&at| position.board().piece_at(at).map_or('.', Piece::char)).collect();
        let turn = if position.turn().is_white() { "white" } else { "black" };
        json!({"type": "state", "node": node, "path": path, "fen": write_fen(position), "board": board,
               "turn": turn, "moves": {"x": moves}, "outcome": null, "chess960": null, "play": null})
    }

    /// A page at the start of a game, and the state after 1. e4.
    fn page_and_next_state() -> (PageModel, Value) {
        let mut page = PageModel::default();
        let nodes = json!([{"id": 1, "parent": null, "children": [2]},
                           {"id": 2, "parent": 1, "uci": "e2e4", "children": []}]);
        page.receive(&json!({"type": "tree", "reset": true, "nodes": nodes})).expect("a tree");
        page.receive(&state(&Chess::default(), 1, "")).expect("the start");
        let position = play_moves(&Chess::default(), ["e2e4"]).expect("a legal move");
        (page, state(&position, 2, "e2e4"))
    }

    #[test]
    fn a_right_state_is_accepted() {
        let (mut page, next) = page_and_next_state();
        assert_eq!(page.moves().len(), 20);
        assert_eq!(page.path_after_step("next").as_deref(), Some("e2e4"));
        page.receive(&next).expect("it is right");
        assert_eq!(page.path_after_step("previous").as_deref(), Some(""));
    }

    #[test]
    fn wrong_states_are_found() {
        for (name, value) in [
            ("path", json!("d2d4")),
            ("node", json!(1)),
            ("fen", json!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")),
            ("board", json!("?")),
            ("turn", json!("white")),
            ("moves", json!({})),
            ("outcome", json!({"reason": "checkmate"})),
        ] {
            let (mut page, mut wrong) = page_and_next_state();
            wrong[name] = value;
            assert!(page.receive(&wrong).is_err(), "{name}");
        }
        let analysis =
            json!({"type": "analysis", "node": 1, "lines": [{"uci": ["e2e5"], "wdl": [0, 1000, 0]}]});
        assert!(page_and_next_state().0.receive(&analysis).is_err());
    }
}
