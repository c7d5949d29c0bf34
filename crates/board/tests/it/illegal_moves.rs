//! Why moves are illegal: every reason by construction, and thousands at random, confirmed on shakmaty's board.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use ferz_board::{
    CastlingMode, CastlingSide, IllegalReason, PieceType, PlacedPiece, Position, Square, UciMove, attacks,
};
use shakmaty::{Bitboard, Chess, Position as _, Role};

use crate::differential::for_random_positions;
use crate::random::chess960_start;

/// The names of all reasons that a move in UCI notation can have.
const NAMES: [&str; 20] = [
    "blocked",
    "castling-attacked",
    "castling-blocked",
    "castling-in-check",
    "castling-right-lost",
    "castling-without-rook",
    "check-unanswered",
    "double-check",
    "en-passant-unavailable",
    "en-passant-uncovers",
    "king-attacked",
    "no-piece",
    "nothing-to-capture",
    "null-move",
    "opponents-piece",
    "own-piece",
    "pinned",
    "promotion-impossible",
    "promotion-missing",
    "unreachable",
];

#[test]
fn every_kind_of_illegal_move_has_its_reason() {
    let mut names = BTreeSet::new();
    for (fen, text, name, message) in [
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "0000", "null-move", "the side to move must move"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "b2b3", "no-piece", "b2 is empty"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e8e7", "opponents-piece", "the king on e8 is the opponent's"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1b2", "unreachable", "the rook on a1 does not move to b2"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1a1", "unreachable", "the rook on a1 does not move to a1"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1e3", "unreachable", "the king on e1 does not move to e3"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c3", "unreachable", "the king on e1 does not move to c3"),
        ("4k3/8/8/8/8/3P4/8/4K3 w - - 0 1", "d3d5", "unreachable", "the pawn on d3 does not move to d5"),
        ("4k3/8/8/8/8/3P4/8/4K3 w - - 0 1", "d3d2", "unreachable", "the pawn on d3 does not move to d2"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1e1", "own-piece", "the king on e1 belongs to the same side"),
        ("4k3/8/8/8/8/4P3/3P4/4K3 w - - 0 1", "d2e3", "own-piece", "the pawn on e3 belongs to the same side"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1f1", "blocked", "the rook on a1 is blocked by the king on e1"),
        (
            "4k3/8/8/8/8/3n4/3P4/5K2 w - - 0 1",
            "d2d4",
            "blocked",
            "the pawn on d2 is blocked by the knight on d3",
        ),
        (
            "4k3/8/8/8/3n4/8/3P4/4K3 w - - 0 1",
            "d2d4",
            "blocked",
            "the pawn on d2 is blocked by the knight on d4",
        ),
        (
            "4k3/8/8/8/8/3P4/8/4K3 w - - 0 1",
            "d3e4",
            "nothing-to-capture",
            "a pawn moves diagonally only to capture, and e4 is empty",
        ),
        (
            "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1",
            "e5d6",
            "en-passant-unavailable",
            "the pawn on d5 has not just made a double step, so en passant is not possible",
        ),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", "promotion-missing", "the promotion piece is missing"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "e1e2q", "promotion-impossible", "a king does not promote"),
        (
            "4k3/8/P7/8/8/8/8/4K3 w - - 0 1",
            "a6a7q",
            "promotion-impossible",
            "the pawn on a6 promotes only on the last rank",
        ),
        (
            "3rk3/8/8/8/8/8/8/R3K3 w Q - 0 1",
            "e1d1",
            "king-attacked",
            "the king would be attacked on d1 by the rook on d8 along the d-file",
        ),
        // The king does not hide behind itself.
        (
            "6k1/4r3/8/8/8/4K3/8/8 w - - 0 1",
            "e3e2",
            "king-attacked",
            "the king would be attacked on e2 by the rook on e7 along the e-file",
        ),
        (
            "8/8/8/4k3/8/4K3/8/8 w - - 0 1",
            "e3e4",
            "king-attacked",
            "the king would be attacked on e4 by the king on e5",
        ),
        (
            "4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1",
            "e2c3",
            "pinned",
            "the knight on e2 is pinned to the king on e1 by the rook on e7 along the e-file",
        ),
        (
            "4k3/8/8/8/7b/8/5R2/4K3 w - - 0 1",
            "f2f3",
            "pinned",
            "the rook on f2 is pinned to the king on e1 by the bishop on h4 along the e1-h4 diagonal",
        ),
        (
            "4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
            "e5d6",
            "pinned",
            "the pawn on e5 is pinned to the king on e1 by the rook on e8 along the e-file",
        ),
        (
            "4k3/4r3/8/8/8/8/3P4/4K3 w - - 0 1",
            "d2d4",
            "check-unanswered",
            "the king on e1 would stay in check by the rook on e7 along the e-file",
        ),
        (
            "4k3/8/8/8/8/3n4/3P4/4K3 w - - 0 1",
            "d2d3",
            "blocked",
            "the pawn on d2 is blocked by the knight on d3",
        ),
        (
            "4k3/8/8/8/8/3n4/7P/4K3 w - - 0 1",
            "h2h4",
            "check-unanswered",
            "the king on e1 would stay in check by the knight on d3",
        ),
        (
            "4k3/4r3/8/8/7b/8/3P1N2/4K3 w - - 0 1",
            "d2d3",
            "check-unanswered",
            "the king on e1 would stay in check by the rook on e7 along the e-file",
        ),
        (
            "4k3/4r3/8/8/8/3n4/3Q4/4K3 w - - 0 1",
            "d2d3",
            "double-check",
            "the knight on d3 and the rook on e7 both give check, so only the king may move",
        ),
        (
            "8/8/8/8/1k1Pp2R/8/8/4K3 b - d3 0 1",
            "e4d3",
            "en-passant-uncovers",
            "en passant would open the fourth rank between the rook on h4 and the king on b4",
        ),
        (
            "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1",
            "e1g1",
            "castling-without-rook",
            "there is no rook to castle with on the king's side",
        ),
        (
            "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
            "e1c1",
            "castling-right-lost",
            "the right to castle on the queen's side is lost: the king or that rook has moved",
        ),
        (
            "4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1",
            "e1c1",
            "castling-blocked",
            "the knight on b1 is in the way of castling",
        ),
        (
            "4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1",
            "e1a1",
            "castling-blocked",
            "the knight on b1 is in the way of castling",
        ),
        (
            "4k3/4r3/8/8/8/8/8/R3K3 w Q - 0 1",
            "e1c1",
            "castling-in-check",
            "the king is in check by the rook on e7, and castling does not answer a check",
        ),
        (
            "3rk3/8/8/8/8/8/8/R3K3 w Q - 0 1",
            "e1c1",
            "castling-attacked",
            "castling leads the king over d1, which the rook on d8 attacks",
        ),
        (
            "2r1k3/8/8/8/8/8/8/R3K3 w Q - 0 1",
            "e1c1",
            "castling-attacked",
            "castling leads the king over c1, which the rook on c8 attacks",
        ),
    ] {
        let position = Position::from_fen(fen).expect(fen);
        let mv: UciMove = text.parse().expect(text);
        let reason = mv.why_illegal(&position).expect(text);
        assert_eq!((reason.name(), &reason.to_string()[..]), (name, message), "{text} in {fen}");
        let error = position.parse_uci(text).expect_err(text);
        assert_eq!(error.to_string(), format!("{text} is not legal: {message}"), "{fen}");
        names.insert(name);
    }
    assert_eq!(names.into_iter().collect::<Vec<_>>(), NAMES);

    let promotion = Position::from_fen("4k3/P7/8/8/8/8/8/4K3 w - - 0 1").expect("a legal position");
    let reason = promotion.why_illegal(Square::A7, Square::A8, Some(PieceType::King)).expect("not legal");
    assert_eq!(reason, IllegalReason::PromotionPiece(PieceType::King));
    assert_eq!(reason.to_string(), "a pawn does not become a king");
}

/// A rook of Chess960 that shields its king on the back rank.
#[test]
fn castling_that_uncovers_the_king_is_explained() {
    let fen = "4k3/8/8/8/8/8/8/qRK5 w B - 0 1";
    let position = Position::from_fen_in(fen, CastlingMode::Chess960).expect(fen);
    let reason = position.why_no_castling(CastlingSide::Queen).expect("a1 attacks c1");
    assert_eq!(reason.to_string(), "castling leads the king over c1, which the queen on a1 attacks");
}

/// Random illegal moves: the reason is true on a different board, by a definition of its own.
#[test]
fn random_illegal_moves_have_reasons_that_shakmaty_confirms() {
    let mut seen = BTreeMap::new();
    let mut random = Rng::with_seed(20);
    for (seed, standard) in [(1, true), (2, false)] {
        let start = |random: &mut Rng| if standard { Position::start() } else { chess960_start(random) };
        for_random_positions(seed, 4_000, start, |_, position, peer| {
            for _ in 0..3 {
                confirm_one(position, peer, random_triple(&mut random), &mut seen);
                confirm_one(position, peer, likely_triple(position, &mut random), &mut seen);
            }
        });
    }
    let total: u32 = seen.values().sum();
    assert!(total > 10_000, "{total} illegal moves");
    for name in NAMES.iter().filter(|&&name| name != "null-move" && name != "en-passant-uncovers") {
        assert!(seen.contains_key(name), "{name}: {seen:?}");
    }
}

type Triple = (Square, Square, Option<PieceType>);

fn random_triple(random: &mut Rng) -> Triple {
    let mut square = || Square::ALL[random.usize(..64)];
    let (from, to) = (square(), square());
    let promotion = (random.u8(..8) == 0).then(|| PieceType::ALL[random.usize(1..5)]);
    (from, to, promotion)
}

/// A move that the piece could make on an empty board, or castling.
fn likely_triple(position: &Position, random: &mut Rng) -> Triple {
    let us = position.side_to_move();
    let own: Vec<_> = position.by_color(us).into_iter().collect();
    let king = position.king(us);
    // Moves of the king and of pinned pieces are rare otherwise.
    let pinned: Vec<_> = position.pinned(us).into_iter().collect();
    let from = match random.u8(..8) {
        0 | 1 => king,
        2..=4 if !pinned.is_empty() => pinned[random.usize(..pinned.len())],
        _ => own[random.usize(..own.len())],
    };
    let piece = position.piece_at(from).expect("an own piece");
    let mut targets = attacks::of(piece, from, ferz_board::Bitboard::EMPTY);
    if from == king && random.bool() {
        targets = CastlingSide::ALL.into_iter().map(|side| side.king_target(us)).collect();
    }
    if piece.piece_type() == PieceType::Pawn {
        targets |= ferz_board::Bitboard::from_file(from.file());
    }
    let targets: Vec<_> = targets.into_iter().collect();
    (from, targets[random.usize(..targets.len())], None)
}

fn confirm_one(
    position: &Position,
    peer: &Chess,
    (from, to, promotion): Triple,
    seen: &mut BTreeMap<&'static str, u32>,
) {
    let uci = UciMove::Normal { from, to, promotion };
    let theirs = uci.to_string().parse::<shakmaty::uci::UciMove>().expect("UCI is common to both");
    let Some(reason) = uci.why_illegal(position) else {
        assert!(position.find_move(from, to, promotion).is_some());
        return;
    };
    assert!(theirs.to_move(peer).is_err(), "{uci} in {position}: {reason}");
    assert!(is_true(peer, (from, to, promotion), reason), "{uci} in {position}: {reason}");
    *seen.entry(reason.name()).or_default() += 1;
}

fn sq(square: Square) -> shakmaty::Square {
    shakmaty::Square::new(square.index() as u32)
}

/// Whether a reason holds on the other board.
fn is_true(peer: &Chess, (from, to, promotion): Triple, reason: IllegalReason) -> bool {
    let (us, board) = (peer.turn(), peer.board());
    let (from, to) = (sq(from), sq(to));
    let mover = board.piece_at(from);
    let is_there = |placed: PlacedPiece, color| {
        let role = Role::ALL[placed.piece.piece_type().index()];
        board.piece_at(sq(placed.square)) == Some(shakmaty::Piece { color, role })
    };
    if let IllegalReason::NoPiece(square) = reason {
        return sq(square) == from && mover.is_none();
    }
    let Some(mover) = mover else { return false };
    if let IllegalReason::OpponentsPiece(placed) = reason {
        return sq(placed.square) == from && is_there(placed, !us);
    }
    if mover.color != us {
        return false;
    }
    let promotes = mover.role == Role::Pawn && to.rank() == (!us).backrank();
    if let IllegalReason::PromotionImpossible(placed) = reason {
        return is_there(placed, us) && promotion.is_some() && !promotes;
    }
    if promotion.is_some() && !promotes {
        return false;
    }
    match reason {
        IllegalReason::CastlingWithoutRook(_)
        | IllegalReason::CastlingRightLost(_)
        | IllegalReason::CastlingBlocked(_)
        | IllegalReason::CastlingInCheck { .. }
        | IllegalReason::CastlingAttacked { .. } => {
            return mover.role == Role::King
                && from.rank() == us.backrank()
                && to.rank() == us.backrank()
                && castling_is_refused(peer, from, to, reason);
        }
        _ => {}
    }

    // How the piece moves on an empty board.
    let captures_there = board.by_color(!us).contains(to) || peer.pseudo_legal_ep_square() == Some(to);
    let attacks_it = shakmaty::attacks::attacks(from, mover, Bitboard::EMPTY).contains(to);
    let ranks = us.fold_wb(1, -1) * (i32::from(to.rank()) - i32::from(from.rank()));
    let advances = from.file() == to.file()
        && (ranks == 1
            || ranks == 2 && from.rank() == us.fold_wb(shakmaty::Rank::Second, shakmaty::Rank::Seventh));
    let moves_so = attacks_it || mover.role == Role::Pawn && advances;
    let own_there = board.by_color(us).contains(to);
    match reason {
        IllegalReason::Unreachable { .. } => return !moves_so,
        _ if !moves_so => return false,
        IllegalReason::OwnPiece(placed) => return sq(placed.square) == to && is_there(placed, us),
        IllegalReason::NothingToCapture(square) => {
            return sq(square) == to
                && mover.role == Role::Pawn
                && attacks_it
                && !captures_there
                && !own_there;
        }
        IllegalReason::EnPassantUnavailable(square) => {
            let victim = shakmaty::Square::from_coords(to.file(), from.rank());
            return mover.role == Role::Pawn
                && attacks_it
                && !captures_there
                && sq(square) == victim
                && board.piece_at(victim) == Some((!us).pawn());
        }
        _ if own_there || mover.role == Role::Pawn && attacks_it && !captures_there => return false,
        _ => {}
    }
    let mut path = shakmaty::attacks::between(from, to);
    if mover.role == Role::Pawn && advances {
        path.add(to);
    }
    let in_the_way = path & board.occupied();
    if let IllegalReason::Blocked { piece, by } = reason {
        let nearest = in_the_way.into_iter().min_by_key(|square| square.distance(from));
        return is_there(piece, us)
            && nearest == Some(sq(by.square))
            && (is_there(by, us) || is_there(by, !us));
    }
    if in_the_way.any() {
        return false;
    }
    if reason == IllegalReason::PromotionMissing {
        return promotes && promotion.is_none();
    }
    king_is_in_danger(peer, from, to, reason)
}

/// Plays the move on the board and looks who attacks the king.
fn king_is_in_danger(
    peer: &Chess,
    from: shakmaty::Square,
    to: shakmaty::Square,
    reason: IllegalReason,
) -> bool {
    let us = peer.turn();
    let mut after = peer.board().clone();
    let Some(mover) = after.remove_piece_at(from) else { return false };
    let without_mover = after.clone();
    after.set_piece_at(to, mover);
    let is_en_passant = mover.role == Role::Pawn && peer.pseudo_legal_ep_square() == Some(to);
    if is_en_passant {
        after.discard_piece_at(shakmaty::Square::from_coords(to.file(), from.rank()));
    }
    let attackers = |board: &shakmaty::Board| {
        let king = board.king_of(us).expect("a king is never captured");
        board.attacks_to(king, !us, board.occupied())
    };
    let checkers = peer.checkers();
    match reason {
        IllegalReason::KingAttacked { to: square, by } => {
            mover.role == Role::King && sq(square) == to && attackers(&after).contains(sq(by.square))
        }
        _ if mover.role == Role::King => false,
        IllegalReason::DoubleCheck { by: [first, second] } => {
            checkers == Bitboard::from_iter([sq(first.square), sq(second.square)]) && checkers.count() == 2
        }
        IllegalReason::CheckUnanswered { king, by } => {
            let by = sq(by.square);
            checkers == Bitboard::from(by)
                && attackers(&after).contains(by)
                && peer.board().king_of(us) == Some(sq(king))
        }
        IllegalReason::Pinned { piece, king, by } => {
            let by = sq(by.square);
            sq(piece.square) == from
                && !checkers.contains(by)
                && attackers(&without_mover).contains(by)
                && attackers(&after).contains(by)
                && peer.board().king_of(us) == Some(sq(king))
        }
        IllegalReason::EnPassantUncovers { by, .. } => {
            let by = sq(by.square);
            is_en_passant && !attackers(&without_mover).contains(by) && attackers(&after).contains(by)
        }
        _ => false,
    }
}

fn castling_is_refused(
    peer: &Chess,
    king: shakmaty::Square,
    to: shakmaty::Square,
    reason: IllegalReason,
) -> bool {
    let (us, board, castles) = (peer.turn(), peer.board(), peer.castles());
    shakmaty::CastlingSide::ALL.into_iter().any(|side| {
        let right = castles.rook(us, side);
        let meant = to == side.king_to(us) || right == Some(to) || board.piece_at(to) == Some(us.rook());
        let is_beside = |rook: &shakmaty::Square| {
            rook.rank() == us.backrank() && (*rook > king) == (side == shakmaty::CastlingSide::KingSide)
        };
        let has_rook = board.by_piece(us.rook()).into_iter().any(|rook| is_beside(&rook));
        let king_path = shakmaty::attacks::between(king, side.king_to(us)) | Bitboard::from(side.king_to(us));
        meant
            && match reason {
                IllegalReason::CastlingWithoutRook(_) => !has_rook && right.is_none(),
                IllegalReason::CastlingRightLost(_) => has_rook && right.is_none(),
                IllegalReason::CastlingBlocked(by) => {
                    right.is_some() && (castles.path(us, side) & board.occupied()).contains(sq(by.square))
                }
                IllegalReason::CastlingInCheck { by } => {
                    right.is_some() && peer.checkers().contains(sq(by.square))
                }
                IllegalReason::CastlingAttacked { square, by } => {
                    let Some(rook) = right else { return false };
                    let square = sq(square);
                    let mut after = board.clone();
                    after.discard_piece_at(king);
                    if square == side.king_to(us) {
                        after.discard_piece_at(rook);
                        after.set_piece_at(side.rook_to(us), us.rook());
                    }
                    king_path.contains(square)
                        && after.attacks_to(square, !us, after.occupied()).contains(sq(by.square))
                }
                _ => false,
            }
    })
}
