//! Bugs of Zobrist keys, and of tables that trust them.

use ferz_board::{Game, Move, Position, Square, zobrist};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Position as _};

use super::{is_legal, oracle, position};

fn oracle_key(position: &shakmaty::Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

#[test]
fn an_en_passant_square_is_hashed_only_if_it_matters() {
    /// Hashes the skipped square after every double step.
    fn key(position: &Position) -> u64 {
        let unusable = position.double_step().filter(|_| position.en_passant().is_none());
        position.key() ^ unusable.map_or(0, |square| zobrist::en_passant(square.file()))
    }
    let mut game = Game::default();
    game.play_uci("e2e4").expect("legal");
    let first = *game.position();
    for uci in ["g8f6", "g1f3", "f6g8", "f3g1"] {
        game.play_uci(uci).expect("legal");
    }
    let second = *game.position();
    // No black pawn can capture on e3: it is the same position, and the repetition counts.
    assert_ne!(key(&first), key(&second));
    assert_eq!(first.key(), second.key());
    assert_eq!(game.repetitions(), 2);
    let oracle_keys = [first, second].map(|it| oracle_key(&oracle(&it.to_string())));
    assert_eq!(oracle_keys, [first.key(); 2]);
}

#[test]
fn a_null_move_ends_en_passant() {
    /// Changes the side to move and nothing else.
    fn key_after_null_move(position: &Position) -> u64 {
        position.key() ^ zobrist::WHITE_TO_MOVE
    }
    let fen = "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1";
    assert!(is_legal(fen, "e4d3"));
    let before = position(fen);
    let after = before.null_move().expect("no check");
    let fresh = "4k3/8/8/8/3Pp3/8/8/4K3 w - - 1 2";
    assert_eq!(after, position(fresh));
    assert_eq!(after.key(), oracle_key(&oracle(fresh)));
    assert_ne!(key_after_null_move(&before), after.key());
    assert_eq!(key_after_null_move(&before), after.key() ^ zobrist::en_passant(Square::D3.file()));
}

#[test]
fn an_index_is_not_a_key() {
    const SLOTS: usize = 64;
    #[derive(Clone, Copy)]
    struct Entry {
        key: u64,
        mv: Move,
    }
    fn slot(position: &Position) -> usize {
        position.key() as usize % SLOTS
    }
    /// Returns what is in the slot, whichever position it is for.
    fn probe(table: &[Option<Entry>; SLOTS], position: &Position) -> Option<Move> {
        table[slot(position)].map(|entry| entry.mv)
    }
    fn probe_with_key(table: &[Option<Entry>; SLOTS], position: &Position) -> Option<Move> {
        table[slot(position)].filter(|entry| entry.key == position.key()).map(|entry| entry.mv)
    }
    // The 400 positions after a move of each side, in a table that is far too small.
    let mut positions = Vec::new();
    for first in Position::start().legal_moves() {
        let mut middle = Position::start();
        middle.play(first).expect("legal");
        for second in middle.legal_moves() {
            let mut last = middle;
            last.play(second).expect("legal");
            positions.push(last);
        }
    }
    let mut table = [None; SLOTS];
    for position in &positions {
        let mv = *position.legal_moves().last().expect("there are moves");
        table[slot(position)] = Some(Entry { key: position.key(), mv });
    }
    let is_refused = |position: &Position, mv: Move| {
        let uci: shakmaty::uci::UciMove =
            mv.uci(ferz_board::CastlingMode::Standard).to_string().parse().expect("UCI");
        let is_refused = uci.to_move(&oracle(&position.to_string())).is_err();
        assert_eq!(is_refused, !position.is_legal(mv), "{position} {mv:?}");
        is_refused
    };
    let count = |probe: fn(&[Option<Entry>; SLOTS], &Position) -> Option<Move>| {
        positions.iter().filter(|it| probe(&table, it).is_some_and(|mv| is_refused(it, mv))).count()
    };
    assert!(count(probe) > 10, "{}", count(probe));
    assert_eq!(count(probe_with_key), 0);
}
