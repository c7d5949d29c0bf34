//! Observers receive exactly the changes of a move, and the reverse when it is taken back.

use ferz_board::{Board, CastlingMode, Color, Observer, Piece, Position, SearchKeys, Square};

/// What a search keeps beside the board: a board made only of the reported changes, a sum over piece squares
/// and the keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kept {
    board: Board,
    piece_square_sum: i64,
    keys: SearchKeys,
}

impl Kept {
    /// From scratch.
    pub fn of(position: &Position) -> Kept {
        let board = *position.board();
        let piece_square_sum = board.iter().map(|(square, piece)| piece_square_value(piece, square)).sum();
        Kept { board, piece_square_sum, keys: SearchKeys::new(position) }
    }
}

/// A number of its own for every piece on every square; squared, so that no two changes cancel by accident.
fn piece_square_value(piece: Piece, square: Square) -> i64 {
    let number = (piece.index() * 64 + square.index()) as i64;
    number * number
}

impl Observer for Kept {
    fn placed(&mut self, piece: Piece, square: Square) {
        assert_eq!(self.board.piece_at(square), None, "{piece} placed on an occupied {square}");
        self.board.set(square, Some(piece));
        self.piece_square_sum += piece_square_value(piece, square);
        self.keys.placed(piece, square);
    }

    fn removed(&mut self, piece: Piece, square: Square) {
        assert_eq!(self.board.piece_at(square), Some(piece), "{piece} removed from {square}");
        self.board.set(square, None);
        self.piece_square_sum -= piece_square_value(piece, square);
        self.keys.removed(piece, square);
    }
}

/// Records the changes: `+Qd8`, `-pd5`, `Ng1f3`.
#[derive(Default)]
struct Protocol(Vec<String>);

impl Observer for Protocol {
    fn placed(&mut self, piece: Piece, square: Square) {
        self.0.push(format!("+{}{square}", piece.to_char()));
    }

    fn removed(&mut self, piece: Piece, square: Square) {
        self.0.push(format!("-{}{square}", piece.to_char()));
    }

    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        self.0.push(format!("{}{from}{to}", piece.to_char()));
    }
}

#[test]
fn each_kind_of_move_is_told_as_what_it_does() {
    for (fen, mv, changes) in [
        ("4k3/8/8/8/8/8/8/4K1N1 w - - 0 1", "g1f3", "Ng1f3"),
        ("4k3/8/8/3p4/4N3/8/8/4K3 b - - 0 1", "d5e4", "-Ne4 pd5e4"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", "Pe2e4"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "-pd5 Pe5d6"),
        ("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1", "e4d3", "-Pd4 pe4d3"),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e7e8n", "-Pe7 +Ne8"),
        ("3r4/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e7d8q", "-rd8 -Pe7 +Qd8"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", "-Rh1 Ke1g1 +Rf1"),
        ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8a8", "-ra8 ke8c8 +rd8"),
        // Chess960: king and rook change places, or the rook lands where the king was, or the king stays.
        ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", "-Rg1 Kf1g1 +Rf1"),
        ("4k3/8/8/8/8/8/8/RK6 w A - 0 1", "b1a1", "-Ra1 Kb1c1 +Rd1"),
        ("4k3/8/8/8/8/8/8/2RK4 w C - 0 1", "d1c1", "-Rc1 Kd1c1 +Rd1"),
        ("6kr/8/8/8/8/8/8/4K3 b h - 0 1", "g8h8", "-rh8 kg8g8 +rf8"),
    ] {
        let position = Position::from_fen_in(fen, CastlingMode::Chess960).expect(fen);
        let mv = position.parse_uci(mv).expect(mv);
        let (mut child, mut protocol) = (position, Protocol::default());
        position.play_into(mv, &mut child, &mut protocol);
        assert_eq!(protocol.0.join(" "), changes, "{mv:?} in {fen}");

        let (mut in_place, mut kept) = (position, Kept::of(&position));
        let undo = in_place.make(mv, &mut kept);
        assert_eq!(kept, Kept::of(&in_place), "{mv:?} in {fen}");
        in_place.unmake(undo, &mut kept);
        assert_eq!(kept, Kept::of(&position), "{mv:?} taken back in {fen}");
    }
}

#[test]
fn search_keys_tell_what_they_are_for() {
    let keys = |fen: &str| SearchKeys::new(&Position::from_fen(fen).expect(fen));
    let base = keys("4k3/p7/2b5/8/8/2N5/P7/R3K3 w - - 0 1");
    assert_eq!(base, keys("4k3/8/p1b5/8/8/2N5/1P6/R3K3 b - - 7 9"), "pawns and state do not count");
    let rook_moved = keys("4k3/p7/2b5/8/8/2N5/P7/1R2K3 w - - 0 1");
    assert_eq!(rook_moved.minor, base.minor, "a rook is not a minor piece");
    assert_ne!(rook_moved.non_pawn[Color::White], base.non_pawn[Color::White]);
    assert_eq!(rook_moved.non_pawn[Color::Black], base.non_pawn[Color::Black], "each colour has its own key");
    let bishop_moved = keys("4k3/p7/8/3b4/8/2N5/P7/R3K3 w - - 0 1");
    assert_ne!(bishop_moved.minor, base.minor);
    assert_ne!(bishop_moved.non_pawn[Color::Black], base.non_pawn[Color::Black]);
}
