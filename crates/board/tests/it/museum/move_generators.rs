//! Bugs of move generators: en passant, kings, castling, pawns, unmaking.

use ferz_board::{
    Bitboard, CastlingMode, Color, Move, MoveKind, Piece, Position, Setup, Square, attacks, perft,
};
use shakmaty::Position as _;

use super::{is_legal, oracle, position};

#[test]
fn en_passant_can_open_a_rank() {
    /// Trusts the pins. Of two pawns between king and rook neither is pinned.
    fn is_legal_en_passant(position: &Position, mv: Move) -> bool {
        let king = position.king(position.side_to_move());
        let is_pinned = position.pinned(position.side_to_move()).contains(mv.from());
        !is_pinned || attacks::line(king, mv.from()).contains(mv.to())
    }
    let capture = |from, to| Move::new(from, to, MoveKind::EnPassant).expect("two squares");
    let fen = "8/8/8/8/1k1Pp2R/8/8/4K3 b - d3 0 1";
    assert!(is_legal_en_passant(&position(fen), capture(Square::E4, Square::D3)));
    assert!(!is_legal(fen, "e4d3"));

    // The Wiki's position 3 finds two of them at depth 2: 193 leaves instead of 191.
    let fen = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
    let mut extra = 0;
    for mv in position(fen).legal_moves() {
        let mut after = position(fen);
        after.play(mv).expect("legal");
        let Some(target) = after.en_passant() else { continue };
        for from in attacks::pawn(Color::White, target) & after.pieces(Piece::BlackPawn) {
            let mv = capture(from, target);
            extra += u32::from(is_legal_en_passant(&after, mv) && !after.is_legal(mv));
        }
    }
    assert_eq!(extra, 2);
    assert_eq!(perft::count(&position(fen), 2), 191);
    assert_eq!(shakmaty::perft(&oracle(fen), 2), 191);
}

#[test]
fn en_passant_can_answer_a_check() {
    /// An answer to a check goes to the checker or in between. The capturer arrives on neither.
    fn answers_check(position: &Position, to: Square) -> bool {
        let king = position.king(position.side_to_move());
        let checker = position.checkers().single().expect("one checker");
        (attacks::between(king, checker) | checker.bitboard()).contains(to)
    }
    let fen = "8/8/8/4k3/3Pp3/8/8/4K3 b - d3 0 1";
    assert_eq!(position(fen).checkers(), Square::D4.bitboard());
    assert!(!answers_check(&position(fen), Square::D3));
    assert!(is_legal(fen, "e4d3"));
}

#[test]
fn a_king_does_not_hide_behind_itself() {
    /// The king is still on the board and blocks the rook that attacks it.
    fn king_targets(position: &Position) -> Bitboard {
        let us = position.side_to_move();
        let is_safe = |square: &Square| !position.attackers_to(*square).intersects(position.by_color(!us));
        (attacks::king(position.king(us)) & !position.by_color(us)).into_iter().filter(is_safe).collect()
    }
    let fen = "8/8/8/8/4k3/8/8/K3R3 b - - 0 1";
    let targets: Bitboard = position(fen).legal_moves().into_iter().map(Move::to).collect();
    assert_eq!(king_targets(&position(fen)), targets.with(Square::E5));
    assert!(!is_legal(fen, "e4e5"));
    assert!(!is_legal(fen, "e4e3"), "towards the rook: found by either");
}

#[test]
fn only_the_king_must_not_cross_an_attacked_square() {
    /// Everything between king and rook must be empty, so it is tempting to ask the same of attacks.
    fn can_castle_long(position: &Position) -> bool {
        let between = attacks::between(Square::E1, Square::A1);
        let is_safe = |square| !position.attackers_to(square).intersects(position.by_color(Color::Black));
        !between.intersects(position.occupied()) && between.with(Square::E1).into_iter().all(is_safe)
    }
    let fen = |rook: &str| "1r6/4k3/8/8/8/8/8/R3K3 w Q - 0 1".replace("1r6", rook);
    for rook in ["1r6", "r7"] {
        assert!(is_legal(&fen(rook), "e1c1"), "the king does not cross b1 or a1");
    }
    assert!(!can_castle_long(&position(&fen("1r6"))));
    for rook in ["2r5", "3r4"] {
        assert!(!is_legal(&fen(rook), "e1c1"), "the king crosses d1 and arrives on c1");
        assert!(!can_castle_long(&position(&fen(rook))));
    }
}

#[test]
fn a_captured_rook_takes_its_castling_right_along() {
    /// Only the moved piece loses rights.
    fn rights_after(position: &Position, mv: Move) -> Bitboard {
        position.castling_rooks().without(mv.from())
    }
    fn can_castle_short(position: &Position, rights: Bitboard) -> bool {
        let path = attacks::between(Square::E1, Square::H1);
        let is_safe = |square| !position.attackers_to(square).intersects(position.by_color(Color::Black));
        rights.contains(Square::H1)
            && !path.intersects(position.occupied())
            && path.with(Square::E1).into_iter().all(is_safe)
    }
    let before = position("4k3/8/8/8/8/6n1/8/4K2R b K - 0 1");
    let capture = before.parse_uci("g3h1").expect("legal");
    let mut after = before;
    after.play(capture).expect("legal");
    assert!(can_castle_short(&after, rights_after(&before, capture)), "with a black knight");
    assert!(after.castling_rights().is_empty());
    assert!(!is_legal(&after.to_string(), "e1g1"));

    let mut theirs = oracle("4k3/8/8/8/8/6n1/8/4K2R b K - 0 1");
    let capture: shakmaty::uci::UciMove = "g3h1".parse().expect("UCI");
    theirs.play_unchecked(capture.to_move(&theirs).expect("legal"));
    assert!(theirs.castles().castling_rights().is_empty());
}

#[test]
fn pawns_do_not_capture_around_the_edge() {
    /// Up and to the right is nine bits further, but not on the h-file.
    fn capture_targets(position: &Position) -> Bitboard {
        let pawns = position.pieces(Piece::WhitePawn);
        ((pawns << 7) | (pawns << 9)) & position.by_color(Color::Black)
    }
    let fen = "4k3/8/r7/8/7P/8/8/4K3 w - - 0 1";
    assert_eq!(capture_targets(&position(fen)), Square::A6.bitboard());
    assert!(!is_legal(fen, "h4a6"));
    assert_eq!(attacks::pawn(Color::White, Square::H4), Square::G5.bitboard());
    // The left edge wraps to the same rank.
    let fen = "4k3/8/8/8/P6r/8/8/4K3 w - - 0 1";
    assert_eq!(capture_targets(&position(fen)), Square::H4.bitboard());
    assert!(!is_legal(fen, "a4h4"));
}

#[test]
fn unmaking_restores_the_castling_rights() {
    /// Unmaking puts the pieces back, but leaves the rights as they were after the move.
    fn leaves(setup: &mut Setup, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let position = Position::from_setup(setup, CastlingMode::Standard).expect("a legal position");
        let mut sum = 0;
        for mv in position.legal_moves() {
            let mut after = position;
            after.play(mv).expect("a listed move is legal");
            let mut child = Setup::from(&after);
            child.castling_rooks &= setup.castling_rooks;
            sum += leaves(&mut child, depth - 1);
            // The pieces are back on their squares: the setup still has them.
            setup.castling_rooks = child.castling_rooks;
        }
        sum
    }
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let counts = |depth| {
        let ours = perft::count(&position(fen), depth);
        assert_eq!(ours, shakmaty::perft(&oracle(fen), depth));
        (leaves(&mut Setup::from(&position(fen)), depth), ours)
    };
    assert_eq!(counts(1), (26, 26));
    assert_eq!(counts(2), (528, 568));
    assert_eq!(counts(3), (12_436, 13_744));
    let mut here = position(fen);
    for mv in here.legal_moves() {
        let undo = here.make(mv, &mut ());
        here.unmake(undo, &mut ());
        assert_eq!(here, position(fen));
    }
}
