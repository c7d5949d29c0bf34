//! Moves: their sixteen bits and their text.

use fastrand::Rng;
use ferz_board::{
    Board, CastlingMode, CastlingRights, CastlingSide, Color, Game, GameMoves, Move, MoveKind, MoveList,
    Piece, PieceType, PiecesOnSquares, Position, RepetitionKeys, SingleRights, Square, UciError,
    UciSyntaxError,
};

use crate::random::chess960_start;

const KINDS: [MoveKind; 8] = [
    MoveKind::Normal,
    MoveKind::DoubleStep,
    MoveKind::Castling,
    MoveKind::EnPassant,
    MoveKind::Promotion(PieceType::Knight),
    MoveKind::Promotion(PieceType::Bishop),
    MoveKind::Promotion(PieceType::Rook),
    MoveKind::Promotion(PieceType::Queen),
];

#[test]
fn hot_types_stay_small() {
    assert_eq!(size_of::<Move>(), 2);
    assert_eq!(size_of::<Option<Move>>(), 2);
    assert_eq!(size_of::<Position>(), 192);
    assert!(size_of::<MoveList>() <= 1024);
}

#[test]
fn every_move_survives_its_sixteen_bits() {
    let mut encodings = std::collections::HashSet::new();
    for from in Square::ALL {
        for to in Square::ALL {
            for kind in KINDS {
                let Some(mv) = Move::new(from, to, kind) else {
                    assert_eq!(from, to);
                    continue;
                };
                assert_eq!((mv.from(), mv.to(), mv.kind()), (from, to, kind));
                assert_eq!(Move::from_bits(mv.bits()), Some(mv));
                assert!(encodings.insert(mv.bits()), "two moves with the same bits");
            }
        }
    }
    let meaningful = (0..=u16::MAX).filter(|&bits| Move::from_bits(bits).is_some()).count();
    assert_eq!(meaningful, encodings.len());
}

#[test]
fn no_pawn_becomes_a_pawn_or_a_king() {
    for piece_type in [PieceType::Pawn, PieceType::King] {
        assert_eq!(Move::new(Square::A7, Square::A8, MoveKind::Promotion(piece_type)), None);
    }
}

#[test]
fn castling_is_written_as_the_mode_wants_it_and_read_both_ways() {
    let position = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1").expect("legal");
    for (standard, chess960, side) in
        [("e8g8", "e8h8", CastlingSide::King), ("e8c8", "e8a8", CastlingSide::Queen)]
    {
        let mv = position.parse_uci(standard).expect(standard);
        assert_eq!(position.parse_uci(chess960), Ok(mv));
        assert_eq!(mv.castling_side(), Some(side));
        assert_eq!(mv.uci(CastlingMode::Standard).to_string(), standard);
        assert_eq!(mv.uci(CastlingMode::Chess960).to_string(), chess960);
    }
}

#[test]
fn a_king_step_is_not_taken_for_castling() {
    // The king on f1 can step to g1, its target when it castles with the rook on h1.
    let position = Position::from_fen_in("4k3/8/8/8/8/8/8/5K1R w H - 0 1", CastlingMode::Chess960);
    let position = position.expect("legal in Chess960");
    assert!(!position.parse_uci("f1g1").expect("a step").is_castling());
    assert!(position.parse_uci("f1h1").expect("castling").is_castling());
}

#[test]
fn syntax_errors_are_distinguished_from_illegal_moves() {
    let position = Position::from_fen("4k3/P7/8/8/8/8/8/4K3 w - - 0 1").expect("legal");
    for (part, texts) in [
        (UciSyntaxError::Length, &["", "e2", "e1e2e3", "é1é2"][..]),
        (UciSyntaxError::From, &["e9e1", "i1a1", "E1E2", "0001", "zzzzz", "é1e2"]),
        (UciSyntaxError::To, &["e1e9", "e1-e2", "e1i1", "e1E2"]),
        (UciSyntaxError::Promotion, &["a7a8p", "a7a8k", "a7a8+"]),
        (UciSyntaxError::Drop, &["N@f3", "p@a2"]),
    ] {
        for text in texts {
            assert_eq!(position.parse_uci(text), Err(UciError::Syntax(part)), "{text}");
        }
    }
    for text in ["e1e1", "e1e3", "e8e7", "a7a8", "a7b8q", "e1e2q", "d4d5", "e1g1"] {
        let error = position.parse_uci(text).expect_err(text);
        let UciError::Illegal { mv, .. } = error else { panic!("{text}: {error}") };
        assert_eq!(mv.to_string(), text);
    }
    let promotion = position.parse_uci("a7b8q").expect_err("nothing to capture");
    assert_eq!(
        promotion.to_string(),
        "a7b8q is not legal: a pawn moves diagonally only to capture, and b8 is empty"
    );
    assert_eq!(position.parse_uci("a7a8r").map(Move::promotion), Ok(Some(PieceType::Rook)));
}

#[test]
fn any_text_is_judged_without_a_panic() {
    let mut random = Rng::with_seed(3);
    let position = Position::start();
    for _ in 0..100_000 {
        let text: Vec<u8> = (0..random.usize(..8)).map(|_| random.u8(..)).collect();
        if let Ok(mv) = position.parse_uci(&String::from_utf8_lossy(&text)) {
            assert!(position.is_legal(mv));
        }
    }
}

#[test]
fn an_illegal_move_changes_nothing() {
    let mut position = Position::start();
    let rook_through_pawn = Move::new(Square::A1, Square::A3, MoveKind::Normal).expect("two squares");
    let error = position.play(rook_through_pawn).expect_err("the pawn is in the way");
    assert_eq!(error.to_string(), "the move a1a3 is not legal in this position");
    assert_eq!(position, Position::start());
}

/// The piece reported as captured is the one that disappears, whatever stands on the target square.
#[test]
fn what_a_move_captures_is_known_before_it_is_made() {
    let mut random = Rng::with_seed(7);
    let mut kinds = [0; 3];
    for _ in 0..200 {
        let mut position = chess960_start(&mut random);
        for _ in 0..150 {
            let moves = position.legal_moves();
            for &mv in &moves {
                assert_eq!(
                    position.captured(mv),
                    position.clone().make(mv, &mut ()).captured(),
                    "{position} {mv:?}"
                );
                kinds[0] += usize::from(mv.is_castling());
                kinds[1] += usize::from(mv.is_en_passant());
                kinds[2] += usize::from(mv.promotion().is_some() && position.captured(mv).is_some());
            }
            let Some(mv) = random.choice(moves) else { break };
            position.play_unchecked(mv);
        }
    }
    assert!(kinds.iter().all(|&count| count > 20), "{kinds:?}");
}

#[test]
fn a_move_list_is_a_slice_to_be_sorted() {
    let mut moves = Position::start().legal_moves();
    moves.sort_by_key(|mv| std::cmp::Reverse(mv.bits()));
    assert!(moves.windows(2).all(|pair| pair[0] > pair[1]));
    moves.clear();
    assert!(moves.is_empty());
}

#[test]
fn a_move_list_is_iterated_over_borrowed_or_whole() {
    let moves = Position::start().legal_moves();
    let listed = moves.to_vec();
    assert!((&moves).into_iter().eq(moves.iter()) && moves.iter().eq(&listed));
    let mut whole = moves.into_iter();
    assert_eq!((whole.len(), whole.next(), whole.next_back()), (20, Some(listed[0]), Some(listed[19])));
    assert_eq!((whole.len(), whole.rev().collect::<Vec<_>>().len()), (18, 18));
    let mut count = 0;
    for mv in Position::start().legal_moves() {
        count += usize::from(listed.contains(&mv));
    }
    assert_eq!(count, 20);
    assert_eq!(MoveList::new().into_iter().next_back(), None);
}

/// The promise of `play_unchecked` about moves that are not legal: with debug assertions it may panic, without it must
/// not, and any move may come next.
#[test]
fn illegal_moves_played_unchecked_keep_the_promise() {
    let mut panics = 0;
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3pPk/8/4P3/8 b - g3 0 1",
    ] {
        let position = Position::from_fen(fen).expect("legal");
        for mv in (0..=u16::MAX).filter_map(Move::from_bits) {
            let played = std::panic::catch_unwind(|| {
                let mut after = position;
                after.play_unchecked(mv);
                let moves = after.legal_moves();
                moves.first().into_iter().for_each(|&mv| after.play_unchecked(mv));
            });
            panics += u32::from(played.is_err());
            assert!(played.is_ok() || !position.is_legal(mv), "{mv:?} in {fen}");
        }
    }
    assert_eq!(panics > 0, cfg!(debug_assertions), "{panics} panics");
}

#[test]
fn iterators_can_be_kept_cloned_and_reversed() {
    let mut game = Game::default();
    for text in ["e2e4", "e7e5", "g1f3"] {
        game.play_uci(text).expect(text);
    }
    assert!(game.play_uci("f3f4").is_err() && game.ply() == 3);
    struct Kept<'a> {
        moves: GameMoves<'a>,
        keys: RepetitionKeys<'a>,
        pieces: PiecesOnSquares<'a>,
        rights: SingleRights,
    }
    let position = game.position();
    let mut kept = Kept {
        moves: game.moves(),
        keys: game.repetition_keys(),
        pieces: position.board().iter(),
        rights: position.castling_rights().iter(),
    };
    assert_eq!((kept.moves.len(), kept.keys.len(), kept.pieces.len(), kept.rights.len()), (3, 4, 32, 4));
    assert_eq!(
        kept.moves.clone().rev().map(Move::to).collect::<Vec<_>>(),
        [Square::F3, Square::E5, Square::E4]
    );
    assert_eq!(kept.keys.next_back(), Some(position.repetition_key()));
    assert_eq!(kept.pieces.next_back(), Some((Square::H8, Piece::BlackRook)));
    assert_eq!(
        kept.pieces.clone().rev().collect::<Board>().occupied(),
        position.occupied().without(Square::H8)
    );
    assert_eq!(kept.rights.next_back(), Some((Color::Black, CastlingSide::Queen)));
    let rights = kept.rights.map(|(color, side)| CastlingRights::single(color, side));
    assert_eq!(rights.reduce(|all, right| all | right).map(|it| it.to_string()).as_deref(), Some("KQk"));
}
