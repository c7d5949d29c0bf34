//! Random games, played on this board and on shakmaty's at once: the two agree about every position, and all
//! ways of asking this one about its moves agree with each other.

use fastrand::Rng;
use ferz_board::{
    Bitboard, CastlingMode, CastlingStyle, Color, DrawReason, EnPassantMode, Move, MoveClass, MoveList,
    MoveSet, MoveSetKind, Outcome, PieceType, Position, Rank, Setup, Square,
};
use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{Chess, Position as _};

use crate::observers::Kept;
use crate::random::chess960_start;

/// The peer's setting for each of ours.
const EN_PASSANT_MODES: [(EnPassantMode, shakmaty::EnPassantMode); 3] = [
    (EnPassantMode::Always, shakmaty::EnPassantMode::Always),
    (EnPassantMode::PseudoLegal, shakmaty::EnPassantMode::PseudoLegal),
    (EnPassantMode::Legal, shakmaty::EnPassantMode::Legal),
];

/// Games longer than this shuffle pieces and show nothing new.
const LONGEST_GAME: usize = 250;

/// Asking about all 65,536 encodings of a move takes a thousand times longer than anything else.
const POSITIONS_PER_FULL_LEGALITY_CHECK: usize = 200;

/// Plays random games and visits this many positions of them, as both libraries see them.
pub fn for_random_positions(
    seed: u64,
    count: usize,
    start: impl Fn(&mut Rng) -> Position,
    mut visit: impl FnMut(usize, &Position, &Chess),
) {
    let mut random = Rng::with_seed(seed);
    let mut seen = 0;
    while seen < count {
        let mut position = start(&mut random);
        let mut peer = peer_of(&position);
        for _ in 0..LONGEST_GAME.min(count - seen) {
            visit(seen, &position, &peer);
            seen += 1;
            let Some(mv) = random_move(&position, &mut random) else { break };
            let text = mv.uci(CastlingMode::Chess960).to_string();
            let peer_move = text.parse::<shakmaty::uci::UciMove>().expect("UCI is common to both");
            peer.play_unchecked(peer_move.to_move(&peer).expect("legal here, legal there"));
            position.play(mv).expect("a listed move is legal");
        }
    }
}

/// Captures and pawn moves oftener than by pure chance, so that games come to promotions and to endings.
fn random_move(position: &Position, random: &mut Rng) -> Option<Move> {
    let moves = position.legal_moves();
    let mut forward = MoveList::new();
    position.generate(MoveClass::Tactical, &mut forward);
    let pawns = position.by_type(PieceType::Pawn);
    forward.extend(moves.iter().copied().filter(|mv| pawns.contains(mv.from())));
    if random.u8(..4) == 0 && !forward.is_empty() { random.choice(forward) } else { random.choice(moves) }
}

fn peer_of(position: &Position) -> Chess {
    let fen = position.fen(EnPassantMode::Always, CastlingStyle::Shredder);
    let parsed: shakmaty::fen::Fen = fen.as_str().parse().expect("our FEN is a FEN");
    parsed.into_position(shakmaty::CastlingMode::Chess960).expect("our positions are legal")
}

fn check_everything(index: usize, position: &Position, peer: &Chess) {
    assert_same_fen(position, peer);
    assert_same_keys(position, peer);
    assert_same_moves(position, peer);
    assert_same_outcome(position, peer);
    assert_passing_agrees(position, peer);
    let moves = position.legal_moves();
    assert_all_generators_agree(position, &moves);
    assert_children_are_right(position, &moves);
    if index.is_multiple_of(POSITIONS_PER_FULL_LEGALITY_CHECK) {
        assert_exactly_the_listed_moves_are_legal(position, &moves);
    }
}

fn assert_same_fen(position: &Position, peer: &Chess) {
    for (mode, peer_mode) in EN_PASSANT_MODES {
        let x_fen = position.fen(mode, CastlingStyle::XFen);
        let peer_fen = shakmaty::fen::Fen::from_position(peer, peer_mode);
        assert_eq!(x_fen.as_str(), peer_fen.to_string());
        // The peer does not write Shredder-FEN, but reads it.
        let shredder = position.fen(mode, CastlingStyle::Shredder);
        let read: shakmaty::fen::Fen = shredder.as_str().parse().expect("our FEN is a FEN");
        assert_eq!(read, peer_fen, "{shredder}");
        for fen in [x_fen, shredder] {
            let again = Position::from_fen_in(fen.as_str(), CastlingMode::Chess960).expect("our own FEN");
            assert_eq!(again.fen(mode, CastlingStyle::XFen).as_str(), x_fen.as_str());
        }
    }
}

fn assert_same_keys(position: &Position, peer: &Chess) {
    let peer_key = |mode| peer.zobrist_hash::<Zobrist64>(mode).0;
    assert_eq!(position.key(), peer_key(shakmaty::EnPassantMode::PseudoLegal), "{position}");
    assert_eq!(position.repetition_key(), peer_key(shakmaty::EnPassantMode::Legal), "{position}");
    let pawn_key = peer.board().pawns().into_iter().fold(0, |key, square| {
        let pawn = peer.board().piece_at(square).expect("a pawn stands there");
        key ^ Zobrist64::zobrist_for_piece(square, pawn).0
    });
    assert_eq!(position.pawn_key(), pawn_key, "{position}");
}

fn assert_same_moves(position: &Position, peer: &Chess) {
    let ours =
        sorted(position.legal_moves().into_iter().map(|mv| mv.uci(CastlingMode::Chess960).to_string()));
    let mode = shakmaty::CastlingMode::Chess960;
    let theirs = sorted(peer.legal_moves().into_iter().map(|mv| mv.to_uci(mode).to_string()));
    assert_eq!(ours, theirs, "{position}");
}

fn assert_same_outcome(position: &Position, peer: &Chess) {
    assert_eq!(position.is_check(), peer.is_check(), "{position}");
    assert_eq!(position.checkers().0, peer.checkers().0, "{position}");
    assert_eq!(position.is_checkmate(), peer.is_checkmate(), "{position}");
    assert_eq!(position.is_stalemate(), peer.is_stalemate(), "{position}");
    assert_eq!(position.is_insufficient_material(), peer.is_insufficient_material(), "{position}");
    for (color, peer_color) in Color::ALL.into_iter().zip(shakmaty::Color::ALL) {
        assert_eq!(position.cannot_mate(color), peer.has_insufficient_material(peer_color), "{position}");
    }
    let by_the_position = match position.outcome() {
        // The peer leaves the 75-move rule to its callers.
        Some(Outcome::Draw(DrawReason::SeventyFiveMoves)) | None => "*",
        Some(outcome) => outcome.result(),
    };
    assert_eq!(by_the_position, peer.outcome().to_string(), "{position}");
}

fn assert_passing_agrees(position: &Position, peer: &Chess) {
    let Some(passed) = position.null_move() else { return assert!(position.is_check(), "{position}") };
    let peer = peer.clone().swap_turn().expect("out of check a side can pass");
    assert_eq!(passed.key(), peer.zobrist_hash::<Zobrist64>(shakmaty::EnPassantMode::Always).0, "{position}");
    assert_same_moves(&passed, &peer);
    assert_eq!(passed.halfmove_clock(), position.halfmove_clock() + 1);
    let after_black = u32::from(position.side_to_move() == Color::Black);
    assert_eq!(passed.fullmove_number(), position.fullmove_number() + after_black);
}

fn assert_all_generators_agree(position: &Position, moves: &MoveList) {
    let listed = sorted(moves.to_vec());
    assert!(listed.windows(2).all(|pair| pair[0] != pair[1]), "a move twice: {position}");
    assert_eq!(position.count_legal() as usize, moves.len(), "{position}");
    assert_eq!(position.has_legal_moves(), !moves.is_empty(), "{position}");
    let en_passant = moves.iter().any(|mv| mv.is_en_passant());
    assert_eq!(position.has_legal_en_passant(), en_passant, "{position}");

    let mut visited = Vec::new();
    position.for_each_move(|mv| visited.push(mv));
    assert_eq!(visited, moves.as_slice(), "{position}");

    let generated = |class| {
        let mut list = MoveList::new();
        position.generate(class, &mut list);
        list
    };
    assert_eq!(generated(MoveClass::All).as_slice(), moves.as_slice(), "{position}");
    let is_tactical = |mv: &Move| {
        let captures = position.piece_at(mv.to()).is_some() && !mv.is_castling();
        captures || mv.is_en_passant() || mv.promotion().is_some()
    };
    let (tactical, quiet): (Vec<_>, Vec<_>) = listed.iter().copied().partition(is_tactical);
    assert_eq!(sorted(generated(MoveClass::Tactical)), tactical, "{position}");
    assert_eq!(sorted(generated(MoveClass::Quiet)), quiet, "{position}");

    // Masks that differ from position to position, each with its complement.
    for mask in [Bitboard(position.key()), !Bitboard(position.key()), Bitboard::LIGHT, Bitboard::EMPTY] {
        let mut list = MoveList::new();
        position.generate_to(mask, &mut list);
        let wanted: Vec<_> = listed.iter().copied().filter(|mv| mask.contains(mv.destination())).collect();
        assert_eq!(sorted(list), wanted, "{position} to {mask:?}");
    }
}

/// Every child, reached in every way, with everything that observers keep beside the board.
fn assert_children_are_right(position: &Position, moves: &MoveList) {
    let kept = Kept::of(position);
    let mut in_place = *position;
    let mut expected = moves.iter().copied();
    position.for_each_child(|mv, child| {
        assert_eq!(expected.next(), Some(mv), "{position}");
        assert_eq!(position.gives_check(mv), child.is_check(), "{position} {mv:?}");
        let kept_after = Kept::of(child);

        let (mut copy, mut observer) = (*position, kept);
        position.play_into(mv, &mut copy, &mut observer);
        assert_eq!(all_of(&copy), all_of(child), "{position} {mv:?}");
        assert_eq!(observer, kept_after, "{position} {mv:?}");

        let mut observer = kept;
        let undo = in_place.make(mv, &mut observer);
        assert_eq!(all_of(&in_place), all_of(child), "{position} {mv:?}");
        assert_eq!(observer, kept_after, "{position} {mv:?}");
        assert_eq!(undo.mv(), mv);
        let captured = position.occupied().len() - child.occupied().len();
        assert_eq!(u32::from(undo.captured().is_some()), captured, "{position} {mv:?}");
        in_place.unmake(undo, &mut observer);
        assert_eq!(all_of(&in_place), all_of(position), "{position} {mv:?}");
        assert_eq!(observer, kept, "{position} {mv:?}");
    });
    assert_eq!(expected.next(), None, "{position}");
}

/// All that a position holds, including what does not count for `==`.
fn all_of(position: &Position) -> (Setup, u64, u64, Option<Square>) {
    (Setup::from(position), position.key(), position.pawn_key(), position.en_passant())
}

fn assert_exactly_the_listed_moves_are_legal(position: &Position, moves: &MoveList) {
    let listed = sorted(moves.to_vec());
    let legal: Vec<_> =
        (0..=u16::MAX).filter_map(Move::from_bits).filter(|&mv| position.is_legal(mv)).collect();
    assert_eq!(sorted(legal), listed, "{position}");
    for mv in listed {
        let text = mv.uci(CastlingMode::Chess960).to_string();
        assert_eq!(position.parse_uci(&text), Ok(mv), "{position}");
    }
    let mut found = 0;
    for (from, to) in Square::ALL.into_iter().flat_map(|from| Square::ALL.map(|to| (from, to))) {
        found += usize::from(position.find_move(from, to, None).is_some_and(|mv| mv.to() == to));
    }
    let promotions = moves.into_iter().filter(|mv| mv.promotion().is_some()).count();
    assert_eq!(found + promotions, moves.len(), "{position}");
}

fn sorted<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.sort();
    items
}

#[test]
fn standard_games_agree_with_shakmaty() {
    for_random_positions(1, 80_000, |_| Position::start(), check_everything);
}

#[test]
fn chess960_games_agree_with_shakmaty() {
    for_random_positions(960, 60_000, chess960_start, check_everything);
}

/// A position where castling, en passant and promotion are one move away.
fn special_start(random: &mut Rng) -> Position {
    let lines = include_str!("../data/special.perft").lines();
    let fens: Vec<_> = lines.filter_map(|line| line.split_once(" ;").map(|(fen, _)| fen)).collect();
    Position::from_fen(random.choice(fens).expect("the suite has positions")).expect("they are legal")
}

#[test]
fn games_from_special_positions_agree_with_shakmaty() {
    for_random_positions(64, 30_000, special_start, check_everything);
}

/// The moves of the generator's sets, in UCI notation.
fn moves_of_sets(position: &Position) -> Vec<String> {
    let mut moves = Vec::new();
    for set in &position.move_masks().sets {
        let is_pawn = !matches!(set.kind, MoveSetKind::Piece(_) | MoveSetKind::Castling);
        let pairs: Vec<_> = match set.from.single() {
            Some(from) => set.targets.into_iter().map(|to| (from, to)).collect(),
            None => set.from.into_iter().zip(set.targets).collect(),
        };
        for (from, to) in pairs {
            let promotes = is_pawn && matches!(to.rank(), Rank::First | Rank::Eighth);
            let pieces: &[&str] = if promotes { &["n", "b", "r", "q"] } else { &[""] };
            moves.extend(pieces.iter().map(|piece| format!("{from}{to}{piece}")));
        }
        assert!(set.targets.any(), "an empty set: {position}");
    }
    moves
}

/// What the masks say is true, and the sets that follow from them are the legal moves.
fn check_masks(_: usize, position: &Position, peer: &Chess) {
    let masks = position.move_masks();
    let mode = shakmaty::CastlingMode::Chess960;
    let theirs = sorted(peer.legal_moves().into_iter().map(|mv| mv.to_uci(mode).to_string()));
    assert_eq!(sorted(moves_of_sets(position)), theirs, "{position}");
    assert_eq!(masks.sets.iter().map(MoveSet::count).sum::<u32>() as usize, theirs.len(), "{position}");
    assert_eq!(masks.checkers.0, peer.checkers().0, "{position}");
    let us = peer.turn();
    let without_king =
        peer.board().occupied() ^ peer.board().king_of(us).map_or(shakmaty::Bitboard::EMPTY, Into::into);
    let danger = shakmaty::Square::ALL
        .into_iter()
        .filter(|&square| peer.board().attacks_to(square, !us, without_king).any());
    assert_eq!(masks.danger.0, danger.collect::<shakmaty::Bitboard>().0, "{position}");
    let pins = masks.straight_pins | masks.diagonal_pins;
    assert_eq!(
        pins & position.by_color(position.side_to_move()),
        position.pinned(position.side_to_move()),
        "{position}"
    );
    for set in &masks.sets {
        let is_king = matches!(set.kind, MoveSetKind::Piece(PieceType::King) | MoveSetKind::Castling);
        // The pawn that is captured en passant may give check from a different square than the target.
        let answers_check = set.targets & !masks.check_mask == Bitboard::EMPTY;
        assert!(is_king || set.kind == MoveSetKind::EnPassant || answers_check, "{set:?} {position}");
    }
}

#[test]
fn the_generators_masks_unite_to_the_legal_moves() {
    for_random_positions(11, 1_000, |_| Position::start(), check_masks);
    for_random_positions(12, 1_000, chess960_start, check_masks);
    for_random_positions(13, 1_000, special_start, check_masks);
}
