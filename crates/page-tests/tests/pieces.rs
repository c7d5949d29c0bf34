//! The page's piece files equal the pieces of SVG diagrams. They are files because style sheets can only refer to files.

use std::fs;
use std::path::PathBuf;

use ferz_board::Piece;
use ferz_notation::svg;

fn web() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../engine/web")
}

fn read(file: &str) -> String {
    fs::read_to_string(web().join(file)).unwrap_or_else(|error| panic!("web/{file}: {error}"))
}

#[test]
fn the_pieces_of_the_page_are_those_of_the_diagrams() {
    for piece in Piece::ALL {
        let letter = piece.to_char();
        let color = if letter.is_ascii_uppercase() { 'w' } else { 'b' };
        let file = format!("pieces/{color}{}.svg", letter.to_ascii_lowercase());
        assert_eq!(read(&file), svg::piece(piece), "{file} should be what `svg::piece` draws");
    }
}

#[test]
fn the_icon_is_the_queen() {
    assert_eq!(read("icon.svg"), svg::piece(Piece::WhiteQueen));
}
