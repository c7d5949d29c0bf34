//! Property: the reader plays the same moves as the SAN parser, word by word.

#![no_main]

use ferz_board::{Move, Position};
use ferz_fuzz::pgn::{Event, Log, MOVES, TOKENS};
use ferz_notation::pgn::{Problem, Reader};
use ferz_notation::san::{self, SanError};
use libfuzzer_sys::fuzz_target;

fn read<const WANTED: u8>(file: &[u8]) -> Vec<Event> {
    let mut reader = Reader::new(file);
    let mut log = Log::<WANTED, false>::default();
    while reader.read_game(&mut log).expect("reading from memory does not fail") {}
    log.events
}

/// What the words mean, up to the first move that is not legal. What is no move at all is skipped.
fn meaning<'a>(start: &Position, words: impl Iterator<Item = &'a [u8]>) -> Vec<Option<Move>> {
    let mut position = *start;
    let mut moves = Vec::new();
    for word in words.filter_map(|word| str::from_utf8(word).ok()) {
        match san::parse_or_null(&position, word) {
            Ok(mv) => {
                match mv {
                    Some(mv) => position.play_unchecked(mv),
                    None => position = position.null_move().expect("it was read"),
                }
                moves.push(mv);
            }
            Err(SanError::Syntax { .. }) => {}
            Err(_) => break,
        }
    }
    moves
}

fuzz_target!(|file: &[u8]| {
    let (played, words) = (read::<MOVES>(file), read::<TOKENS>(file));
    let is_end = |event: &Event| *event == Event::EndGame;
    for (played, words) in played.split(is_end).zip(words.split(is_end)) {
        let start = played.iter().find_map(|event| match event {
            Event::BeginMoves(start) => Some(start),
            _ => None,
        });
        let Some(start) = start else { continue };
        let moves = played.iter().filter_map(|event| match event {
            Event::Move(mv) => Some(*mv),
            _ => None,
        });
        let words = words.iter().filter_map(|event| match event {
            Event::San(word) => Some(word.as_slice()),
            _ => None,
        });
        let (moves, mut meant) = (moves.collect::<Vec<_>>(), meaning(start, words));
        // A move with a foreign piece letter ends the line; the SAN parser does not know it from other words.
        let is_foreign =
            |event: &Event| matches!(event, Event::Problem(problem) if problem.kind == Problem::ForeignMove);
        if played.iter().any(is_foreign) {
            meant.truncate(moves.len());
        }
        assert_eq!(moves, meant, "{start}");
    }
});
