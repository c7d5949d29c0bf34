//! An observer that keeps the material balance while a tree is searched, and compares it with the balance
//! from scratch at every node.
//!
//! `cargo run --release --example material`

use ferz_board::{Color, Observer, Piece, PieceType, Position, Square};

/// Centipawns from White's point of view.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Material(i32);

impl Material {
    fn value(piece: Piece) -> i32 {
        let value = match piece.piece_type() {
            PieceType::Pawn => 100,
            PieceType::Knight => 300,
            PieceType::Bishop => 310,
            PieceType::Rook => 500,
            PieceType::Queen => 900,
            PieceType::King => 0,
        };
        if piece.color() == Color::White { value } else { -value }
    }

    fn from_scratch(position: &Position) -> Material {
        Material(position.board().iter().map(|(_, piece)| Material::value(piece)).sum())
    }
}

impl Observer for Material {
    fn placed(&mut self, piece: Piece, _: Square) {
        self.0 += Material::value(piece);
    }

    fn removed(&mut self, piece: Piece, _: Square) {
        self.0 -= Material::value(piece);
    }

    // Moving changes no material.
    fn moved(&mut self, _: Piece, _: Square, _: Square) {}
}

/// The best balance the side to move can force within this depth. Counts the positions searched in `nodes`.
fn search(position: &Position, material: Material, depth: u32, nodes: &mut u64) -> i32 {
    *nodes += 1;
    assert_eq!(material, Material::from_scratch(position));
    let sign = if position.side_to_move() == Color::White { 1 } else { -1 };
    if depth == 0 {
        return sign * material.0;
    }
    let mut best = -100_000;
    let mut child = *position;
    for &mv in &position.legal_moves() {
        let mut after = material;
        position.play_into(mv, &mut child, &mut after);
        best = best.max(-search(&child, after, depth - 1, nodes));
    }
    best
}

fn main() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let position = Position::from_fen(fen).expect("a legal position");
    let mut nodes = 0;
    let best = search(&position, Material::from_scratch(&position), 3, &mut nodes);
    println!("{}\nbest balance in three plies: {best} ({nodes} positions)", position.board());
}
