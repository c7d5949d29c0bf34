//! A game as a web page in one file: board, moves and pieces, without anything from the network.

use std::collections::HashMap;
use std::fmt::Write;

use ferz_board::{Color, Piece, Position, Square};
use ferz_notation::pgn::NodeId;
use ferz_notation::svg;
use serde::Serialize;

use super::notation::position_after;
use super::study::Study;
use super::tree_view;
use crate::protocol::ColorName;
use crate::xray;

/// The page, with places for the title, the pieces and the game.
const TEMPLATE: &str = include_str!("viewer.html");

/// The game as the page's script reads it. The names are short because a game has many nodes.
#[derive(Serialize)]
struct ViewedGame {
    tags: Vec<[String; 2]>,
    result: &'static str,
    black_at_bottom: bool,
    /// The index of the node that is shown first.
    at: usize,
    /// The board before the first move: 64 letters.
    start: String,
    nodes: Vec<ViewedNode>,
}

#[derive(Serialize)]
struct ViewedNode {
    /// The index of the parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    up: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    san: Option<String>,
    number: u32,
    color: ColorName,
    /// What the move changes: `e2.e4P`.
    #[serde(skip_serializing_if = "String::is_empty")]
    diff: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    before: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nags: Vec<u8>,
}

/// The whole tree as a page that shows `node` first.
pub(crate) fn page(study: &Study, node: NodeId, orientation: Color) -> String {
    let tree = study.tree();
    let mut nodes: Vec<ViewedNode> = Vec::with_capacity(tree.size() + 1);
    let mut positions: HashMap<u32, (usize, Position)> = HashMap::new();
    for entry in tree_view::entries(study) {
        // Parents come before their children.
        let parent = entry.parent.and_then(|parent| positions.get(&parent)).copied();
        let before = parent.map_or(*tree.start(), |(_, position)| position);
        let after = match (parent, NodeId::from_number(entry.id)) {
            (Some(_), Some(id)) => position_after(&before, tree.mv(id)).unwrap_or(before),
            _ => before,
        };
        positions.insert(entry.id, (nodes.len(), after));
        nodes.push(ViewedNode {
            up: parent.map(|(index, _)| index),
            san: entry.san,
            number: entry.number,
            color: entry.color,
            diff: difference(&before, &after),
            text: entry.comment,
            before: entry.before,
            nags: entry.nags,
        });
    }
    let game = ViewedGame {
        tags: tree.tags().map(|(name, value)| [name.into_owned(), value.into_owned()]).collect(),
        result: tree.termination().as_str(),
        black_at_bottom: orientation == Color::Black,
        at: positions.get(&node.number()).map_or(0, |(index, _)| *index),
        start: xray::letters(tree.start()),
        nodes,
    };
    // Inside a script element only `<` has a meaning.
    let game = serde_json::to_string(&game).unwrap_or_default().replace('<', "\\u003c");
    let players = [tree.tag("White"), tree.tag("Black")].map(|name| name.unwrap_or("?".into()).into_owned());
    let title = if players == ["?", "?"] { "A game of chess".to_owned() } else { players.join(" – ") };
    // One pass: a name that looks like a place is left alone.
    let mut page = String::with_capacity(TEMPLATE.len() + game.len() + (16 << 10));
    for part in TEMPLATE.split_inclusive("-->") {
        match part.rsplit_once("<!--").map(|(text, place)| (text, place.trim_end_matches("-->"))) {
            Some((text, place)) => {
                page.push_str(text);
                match place {
                    "title" => page.push_str(&escaped(&title)),
                    "pieces" => page.push_str(&piece_styles()),
                    "game" => page.push_str(&game),
                    _ => debug_assert!(false, "unknown place {place}"),
                }
            }
            None => page.push_str(part),
        }
    }
    page
}

/// The squares that differ, each with its new content.
fn difference(before: &Position, after: &Position) -> String {
    let mut text = String::new();
    for square in Square::ALL {
        let (old, new) = (before.board().piece_at(square), after.board().piece_at(square));
        if old != new {
            let _ = write!(text, "{square}{}", new.map_or('.', Piece::to_char));
        }
    }
    text
}

/// Style rules with our pieces as pictures.
fn piece_styles() -> String {
    let mut rules = String::new();
    for piece in Piece::ALL {
        let mut picture = svg::piece(piece).replace('%', "%25");
        for (letter, code) in [("#", "%23"), ("<", "%3C"), (">", "%3E"), ("\"", "'")] {
            picture = picture.replace(letter, code);
        }
        let color = if piece.color() == Color::White { 'w' } else { 'b' };
        let kind = piece.to_char().to_ascii_lowercase();
        let _ = writeln!(
            rules,
            r#"#board .{color}{kind} {{ background-image: url("data:image/svg+xml,{picture}"); }}"#
        );
    }
    rules
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferz_notation::pgn::{GameTree, Reader};

    fn study(pgn: &str) -> Study {
        let mut tree = GameTree::new();
        assert!(tree.read(&mut Reader::new(pgn.as_bytes())).unwrap());
        Study::new(tree)
    }

    /// The game inside a page.
    fn game(page: &str) -> serde_json::Value {
        let start = page.find(r#"type="application/json">"#).unwrap();
        let text = &page[start + r#"type="application/json">"#.len()..];
        serde_json::from_str(&text[..text.find("</script>").unwrap()]).unwrap()
    }

    #[test]
    fn every_move_says_what_it_changes() {
        let study = study("1. e4 {best} e5 (1... c5 2. Nf3) 2. Nf3 $1 Nc6 3. Bb5 a6 4. O-O *");
        let page = page(&study, NodeId::ROOT, Color::Black);
        let game = game(&page);
        assert_eq!(game["black_at_bottom"], true);
        let nodes = game["nodes"].as_array().unwrap();
        assert_eq!(nodes.len(), 10);
        assert_eq!(
            (&nodes[1]["san"], &nodes[1]["diff"], &nodes[1]["text"]),
            (&"e4".into(), &"e2.e4P".into(), &"best".into())
        );
        let castling = nodes.iter().find(|node| node["san"] == "O-O").unwrap();
        assert_eq!(castling["diff"], "e1.f1Rg1Kh1.");
        // The variation comes after the line that it replaces, with the same parent.
        let variation = nodes.iter().position(|node| node["san"] == "c5").unwrap();
        assert_eq!((&nodes[variation]["up"], &nodes[variation + 1]["up"]), (&1.into(), &variation.into()));
    }

    #[test]
    fn nothing_comes_from_the_network() {
        let page = page(&study("1. d4 *"), NodeId::ROOT, Color::White);
        assert!(page.contains("default-src 'none'"));
        let addresses = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!["http:", "https:", "src=", "@import"].iter().any(|sign| addresses.contains(sign)));
        assert!(page.len() < 40_000, "{} bytes", page.len());
        assert!(!page.contains("<!--"), "a place was not filled");
    }

    #[test]
    fn hostile_text_stays_text() {
        let pgn = "[White \"</title><script>alert(1)</script>\"]\n[Black \"<!--game-->\"]\n\n1. e4 {</script><b>} *";
        let page = page(&study(pgn), NodeId::ROOT, Color::White);
        assert_eq!(page.matches("</script>").count(), 2, "the game and the page's own script");
        assert_eq!(page.matches("</title>").count(), 1);
        assert!(page.contains("&lt;!--game--&gt;"));
        assert_eq!(game(&page)["nodes"][1]["text"], "</script><b>");
    }
}
