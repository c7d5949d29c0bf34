//! Pictures of boards: well-formed, complete, everything in its place.

use std::collections::BTreeSet;

use ferz_board::{Bitboard, Board, Color, Piece, Position, Square};
use ferz_notation::svg::{self, Coordinates, Diagram, Paint, ParsePaintError, Theme};

const MIDDLE_GAME: &str = "r1bqk2r/pppp1Qpp/2n2n2/2b1p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4";

/// Everything at once.
fn busy() -> Diagram {
    let position = Position::from_fen(MIDDLE_GAME).unwrap();
    Diagram::new(&position)
        .size(400)
        .coordinates(Coordinates::Margin)
        .highlight(Square::A3, Paint::GREEN)
        .highlight(Bitboard::from_rank(ferz_board::Rank::Fifth), Paint::rgb(0x123456).with_opacity(5))
        .circle(Square::E5, Paint::YELLOW)
        .arrow(Square::G8, Square::F6, Paint::BLUE)
        .arrow(Square::C4, Square::F7, Paint::RED)
}

#[test]
fn pictures_are_well_formed() {
    let start = Diagram::new(&Position::start());
    let elements = parse(&start.to_string());
    assert_eq!(elements[0].name, "svg");
    assert_eq!(elements[0].attribute("role"), Some("img"));
    assert_eq!(elements[0].attribute("viewBox"), Some("0 0 800 800"));
    assert_eq!(elements[0].attribute("width"), None);
    assert_eq!(elements[1].text, "Chess position, White to move");

    let busy = busy().to_string();
    let elements = parse(&busy);
    assert_eq!(elements[0].attribute("width"), Some("400"));
    assert_eq!(elements[1].text, "Chess position, Black to move and in check");
    assert!(busy.len() < 12_000, "{} bytes", busy.len());

    parse(&Diagram::of_board(&Board::empty()).to_string());
    for piece in Piece::ALL {
        let elements = parse(svg::piece(piece));
        assert_eq!(elements[1].text, piece.to_string());
        assert!(elements.iter().all(|element| element.attribute("id").is_none()));
    }
}

#[test]
fn ids_are_defined_once_and_only_those_are_used() {
    let text = busy().to_string();
    let elements = parse(&text);
    let ids: Vec<&str> = elements.iter().filter_map(|element| element.attribute("id")).collect();
    let distinct: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), distinct.len());
    assert_eq!(ids.len(), 7); // six drawings and the glow of the check
    for element in &elements {
        if let Some(target) = element.attribute("href") {
            assert!(distinct.contains(target.trim_start_matches('#')), "{target}");
        }
    }
    assert_eq!(text.matches("url(#ferz-check)").count(), 1);
}

#[test]
fn sixty_four_squares_with_the_right_colours() {
    for bottom in Color::ALL {
        let text = Diagram::of_board(&Board::empty()).orientation(bottom).to_string();
        let elements = parse(&text);
        let ground = elements.iter().find(|element| element.name == "rect").unwrap();
        assert_eq!((ground.attribute("width"), ground.attribute("height")), (Some("800"), Some("800")));
        let dark = elements.iter().find(|element| element.name == "path").unwrap();
        let corners = subpaths(dark.attribute("d").unwrap());
        let expected: BTreeSet<(i32, i32)> =
            Bitboard::DARK.into_iter().map(|it| corner(it, bottom)).collect();
        assert_eq!(corners.len(), 32);
        assert_eq!(corners.into_iter().collect::<BTreeSet<_>>(), expected);
        // The corner at the lower left is dark for both.
        assert!(expected.contains(&(0, 700)));
    }
}

#[test]
fn every_piece_stands_on_its_square() {
    for fen in ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", MIDDLE_GAME] {
        let position = Position::from_fen(fen).unwrap();
        for bottom in Color::ALL {
            let text = Diagram::new(&position).orientation(bottom).to_string();
            // White's pieces are all drawn before Black's, in a group of their own.
            let mut color = None;
            let mut drawn = BTreeSet::new();
            for element in parse(&text) {
                match element.name.as_str() {
                    "g" if element.attribute("stroke") == Some("#1c1a18") => color = Some(Color::White),
                    "g" if element.attribute("stroke") == Some("#141210") => color = Some(Color::Black),
                    "use" => {
                        let place = (element.number("x"), element.number("y"));
                        let name = element.attribute("href").unwrap().trim_start_matches("#ferz-");
                        let side = if color == Some(Color::White) { "white" } else { "black" };
                        assert!(drawn.insert((place, format!("{side} {name}"))));
                    }
                    _ => {}
                }
            }
            let pieces = position.board().iter();
            let expected =
                pieces.map(|(square, piece)| (corner(square, bottom), piece.to_string())).collect();
            assert_eq!(drawn, expected, "{fen} {bottom}");
        }
    }
}

#[test]
fn coordinates_follow_the_orientation() {
    let labels = |diagram: Diagram| -> String {
        let text = diagram.to_string();
        let mut labels: Vec<_> = parse(&text).into_iter().filter(|element| element.name == "text").collect();
        // From left to right, then from top to bottom: files first.
        let ranks = labels.split_off(labels.len() / 2);
        let mut labels: Vec<(i32, String)> =
            labels.into_iter().map(|label| (label.number("x"), label.text)).collect();
        labels.extend(ranks.into_iter().map(|label| (10_000 + label.number("y"), label.text)));
        labels.sort();
        labels.into_iter().map(|(_, label)| label).collect()
    };
    let diagram = Diagram::new(&Position::start());
    for coordinates in [Coordinates::Inside, Coordinates::Margin] {
        let diagram = diagram.clone().coordinates(coordinates);
        assert_eq!(labels(diagram.clone()), "abcdefgh87654321");
        assert_eq!(labels(diagram.orientation(Color::Black)), "hgfedcba12345678");
    }
    assert_eq!(labels(diagram.coordinates(Coordinates::Off)), "");
}

#[test]
fn marks_lie_where_they_should() {
    let position = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
    let castles = position.parse_uci("e1h1").unwrap();
    let text = Diagram::new(&position).last_move(castles).to_string();
    let last_move = format!(
        r#"fill="{}" fill-opacity=".55" d="M400 700h100v100h-100zM600 700h100"#,
        Theme::LIGHT.last_move
    );
    assert!(text.contains(&last_move), "{text}");

    let text = Diagram::new(&position).check(Some(Square::E8)).to_string();
    assert!(text.contains(r#"url(#ferz-check)" d="M400 0h100"#), "{text}");
    let text = busy().check(None).to_string();
    assert!(!text.contains("ferz-check"), "{text}");

    let text = Diagram::new(&position).circle(Square::A1, Paint::rgb(0xabcdef)).to_string();
    assert!(text.contains(r##"<circle cx="50" cy="750" r="45" fill="none" stroke="#abcdef" "##), "{text}");
    let round = Diagram::new(&position).arrow(Square::A1, Square::A1, Paint::rgb(0xabcdef)).to_string();
    assert_eq!(round, text);
}

#[test]
fn labels_stand_on_their_squares() {
    let text = Diagram::of_board(&Board::empty())
        .coordinates(Coordinates::Off)
        .label(Square::B1, "<0>")
        .label(Square::H8, "63")
        .orientation(Color::Black)
        .to_string();
    assert_eq!(text.matches("<text ").count(), 2);
    // Black sees b1 in the seventh column of the first row, h8 in the first column of the last.
    assert!(text.contains(r#"<text x="650" y="62" "#) && text.contains(">&lt;0&gt;</text>"), "{text}");
    assert!(text.contains(r#"<text x="50" y="762" "#) && text.contains(">63</text>"), "{text}");
}

#[test]
fn arrows_point_at_pieces_without_hiding_them() {
    let position = Position::start();
    for from in Square::ALL {
        for to in Square::ALL.into_iter().filter(|to| *to != from) {
            let text = Diagram::new(&position).arrow(from, to, Paint::GREEN).to_string();
            let elements = parse(&text);
            let arrow = elements.iter().find(|element| element.name == "polygon").unwrap();
            let points: Vec<(f64, f64)> = arrow
                .attribute("points")
                .unwrap()
                .split(' ')
                .map(|point| point.split_once(',').unwrap())
                .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
                .collect();
            assert_eq!(points.len(), 7);
            // The tip is in the target square, on the line from centre to centre, outside the piece.
            let center = |square| {
                let (x, y) = corner(square, Color::White);
                (f64::from(x + 50), f64::from(y + 50))
            };
            let ((from_x, from_y), (to_x, to_y), (x, y)) = (center(from), center(to), points[3]);
            let off_line = (x - from_x) * (to_y - from_y) - (y - from_y) * (to_x - from_x);
            assert!(off_line.abs() < 100.0, "{from}{to}");
            let (aside, above) = ((to_x - x).abs(), (to_y - y).abs());
            assert!(aside <= 50.0 && above <= 50.0, "{from}{to}");
            if position.piece_at(to).is_some() {
                assert!(aside > 29.0 || above > 37.0, "{from}{to}");
            }
        }
    }
}

#[test]
fn text_is_escaped() {
    let title = "</title><script>alert(\"1\" & '2')</script>\0\u{b}\u{ffff}\u{1f600}\n";
    let text = Diagram::new(&Position::start()).title(title).to_string();
    assert!(!text.contains("<script"));
    let elements = parse(&text);
    assert_eq!(elements[1].name, "title");
    assert_eq!(
        elements[1].text,
        "</title><script>alert(\"1\" & '2')</script>\u{fffd}\u{fffd}\u{fffd}\u{1f600}\n"
    );
}

#[test]
fn the_description_tells_what_stands_where() {
    let position = Position::from_fen("4k3/8/8/8/8/8/4P3/R3K2R w KQ - 0 1").unwrap();
    let elements = parse(&Diagram::new(&position).to_string());
    assert_eq!(elements[2].name, "desc");
    assert_eq!(elements[2].text, "White: king e1, rooks a1 h1, pawn e2. Black: king e8.");
    let elements = parse(&Diagram::of_board(&Board::empty()).to_string());
    assert_eq!(elements[2].text, "White: nothing. Black: nothing.");
}

#[test]
fn the_same_diagram_gives_the_same_text() {
    assert_eq!(busy().to_string(), busy().to_string());
    assert_eq!(busy(), busy());
    assert_ne!(busy().to_string(), busy().theme(Theme::DARK).to_string());
}

#[test]
fn paints_are_read_and_written() {
    for text in ["#000000", "#ffffff", "#01ab9f"] {
        assert_eq!(text.parse::<Paint>().unwrap().to_string(), text);
    }
    assert_eq!("Y".parse(), Ok(Paint::YELLOW));
    for text in ["", "#", "#12345", "#1234567", "#+12345", "#12345g", "123456", "chartreuse", "#é234"] {
        assert_eq!(text.parse::<Paint>(), Err(ParsePaintError), "{text}");
    }
    assert_eq!(Paint::rgb(0xff12_3456).to_string(), "#123456");
    assert_eq!(Paint::RED.with_opacity(255).opacity(), 100);
}

/// Where a square is drawn.
fn corner(square: Square, bottom: Color) -> (i32, i32) {
    let seen = if bottom == Color::White { square.flip_rank() } else { square.flip_file() };
    (100 * seen.file() as i32, 100 * seen.rank() as i32)
}

/// The starting points of the squares in a path.
fn subpaths(path: &str) -> Vec<(i32, i32)> {
    let squares = path.split_terminator('z').map(|square| {
        let (x, y) =
            square.strip_prefix('M').unwrap().strip_suffix("h100v100h-100").unwrap().split_once(' ').unwrap();
        (x.parse().unwrap(), y.parse().unwrap())
    });
    squares.collect()
}

/// An element with the text directly after its start tag.
#[derive(Debug)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
}

impl Element {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|attribute| attribute.0 == name).map(|attribute| attribute.1.as_str())
    }

    fn number(&self, name: &str) -> i32 {
        self.attribute(name).unwrap().parse().unwrap()
    }
}

/// The elements of a document in the order of their start tags. Panics if it is not well-formed XML, as far
/// as our pictures use that: elements, attributes, text, entities.
fn parse(document: &str) -> Vec<Element> {
    let mut elements = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut rest = document;
    while let Some(after) = rest.strip_prefix('<') {
        let (tag, after) = after.split_once('>').expect("a tag that ends");
        let (text, next) = after.split_at(after.find('<').unwrap_or(after.len()));
        let text = unescape(text);
        rest = next;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "end tags match start tags");
        } else {
            let (tag, empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
            let (name, mut list) = tag.split_once(' ').unwrap_or((tag, ""));
            assert!(name.bytes().all(|byte| byte.is_ascii_alphabetic()), "{name}");
            let mut attributes: Vec<(String, String)> = Vec::new();
            while !list.is_empty() {
                let (key, after) = list.split_once("=\"").expect("a quoted value");
                let (value, after) = after.split_once('"').expect("a quoted value that ends");
                assert!(key.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-'), "{key}");
                assert!(attributes.iter().all(|attribute| attribute.0 != key), "{key} only once");
                assert!(!value.contains('<'));
                attributes.push((key.into(), unescape(value)));
                assert!(after.is_empty() || after.starts_with(' '), "attributes are separated");
                list = after.trim_start_matches(' ');
            }
            elements.push(Element { name: name.into(), attributes, text });
            if !empty {
                open.push(name.into());
            }
        }
        assert!(!open.is_empty() || rest.is_empty(), "one root");
    }
    assert!(rest.is_empty() && open.is_empty(), "everything is closed");
    elements
}

fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut parts = text.split('&');
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (entity, after) = part.split_once(';').expect("an entity that ends");
        plain.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#39" => '\'',
            _ => panic!("unknown entity {entity}"),
        });
        plain.push_str(after);
    }
    assert!(plain.chars().all(|c| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)));
    plain
}
