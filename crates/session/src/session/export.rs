//! Positions and games as files.

use ferz_board::Color;
use ferz_notation::pgn::annotation::ShapeColor;
use ferz_notation::pgn::{GameTree, NodeId, WriteOptions};
use ferz_notation::svg::{Diagram, Paint};

use super::html;
use super::refusal::Refusal;
use super::study::Study;
use crate::protocol::{ExportKind, Message};

/// The width of a picture in pixels.
const SIZES: std::ops::RangeInclusive<u32> = 64..=4096;

/// The game, or one of its positions, as a file.
pub(crate) fn export(
    study: &Study,
    what: ExportKind,
    node: NodeId,
    orientation: Color,
    size: Option<u32>,
) -> Result<Message, Refusal> {
    if size.is_some_and(|size| !SIZES.contains(&size)) {
        return Err(Refusal::new("A picture is 64 to 4096 pixels wide."));
    }
    let (text, extension, mime) = match what {
        ExportKind::Fen => (format!("{}", study.position_at(node)?), "fen", "text/plain"),
        ExportKind::Pgn => (study.tree().to_string(), "pgn", "application/x-chess-pgn"),
        ExportKind::Moves => (moves(study.tree()), "txt", "text/plain"),
        ExportKind::Svg => (picture(study, node, orientation, size)?, "svg", "image/svg+xml"),
        ExportKind::Html => (html::page(study, node, orientation), "html", "text/html"),
    };
    let file = format!("{}.{extension}", file_name(study.tree()));
    Ok(Message::Export { what, text, file, mime })
}

fn moves(tree: &GameTree) -> String {
    let options = WriteOptions::new().variations(false).comments(false).nags(false).line_width(usize::MAX);
    tree.to_movetext(&options)
}

/// The diagram with the arrows and circles of the position.
fn picture(study: &Study, node: NodeId, orientation: Color, size: Option<u32>) -> Result<String, Refusal> {
    let position = study.position_at(node)?;
    let mut diagram = Diagram::new(&position).orientation(orientation);
    if let Some(size) = size {
        diagram = diagram.size(size);
    }
    if let Some(mv) = study.tree().mv(node) {
        diagram = diagram.last_move(mv);
    }
    let notes = study.tree().annotations(node);
    for circle in notes.circles {
        diagram = diagram.circle(circle.square, paint(circle.color));
    }
    for arrow in notes.arrows {
        diagram = diagram.arrow(arrow.from, arrow.to, paint(arrow.color));
    }
    Ok(diagram.to_string())
}

fn paint(color: ShapeColor) -> Paint {
    match color {
        ShapeColor::Green => Paint::GREEN,
        ShapeColor::Red => Paint::RED,
        ShapeColor::Yellow => Paint::YELLOW,
        ShapeColor::Blue => Paint::BLUE,
        ShapeColor::Cyan => Paint::rgb(0x0f8f9c).with_opacity(80),
        ShapeColor::Orange => Paint::rgb(0xd9711c).with_opacity(80),
    }
}

/// The names of the players, reduced to characters that every file system allows.
fn file_name(tree: &GameTree) -> String {
    let player = |name: &str| {
        let value = tree.tag(name)?;
        let clean: String = value
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
            .take(24)
            .collect();
        let clean = clean.trim_matches('-').to_owned();
        (!clean.is_empty()).then_some(clean)
    };
    match (player("White"), player("Black")) {
        (Some(white), Some(black)) => format!("{white}-{black}"),
        _ => "ferz".to_owned(),
    }
}
