//! Property: for any bytes, every call makes progress, and the games depend neither on what is read of the moves nor on
//! how the input is split.

#![no_main]

use std::io::Read;

use ferz_fuzz::pgn::{
    DECLINE, Event, Log, MOVES, POSITIONS, Pieces, Places, SKIP, STOP, TOKENS, assert_same,
};
use ferz_notation::pgn::Reader;
use libfuzzer_sys::fuzz_target;

/// Reads all games; the events, and where each game ends.
fn read<const WANTED: u8, const VARIATIONS: bool>(
    file: impl Read,
    places: &Places,
) -> (Vec<Event>, Vec<u64>) {
    let mut reader = Reader::new(file);
    let mut log = Log::<WANTED, VARIATIONS>::default();
    let mut ends = Vec::new();
    let mut last = 0;
    while reader.read_game(&mut log).expect("reading from memory does not fail") {
        let place = reader.place();
        assert!(places.has(place), "{place:?}");
        assert!(place.byte > last, "no progress at {last}");
        last = place.byte;
        ends.push(last);
        assert_eq!(reader.games(), ends.len() as u64);
        // A byte begins, tells and ends no more than this.
        assert!(log.calls as u64 <= 6 * last, "{} calls for {last} bytes", log.calls);
    }
    assert_eq!(reader.place().byte, reader.offset());
    for event in &log.events {
        if let Event::Problem(problem) = event {
            assert!(places.has(problem.place), "{problem:?}");
            assert!(!problem.to_string().is_empty());
        }
    }
    (log.events, ends)
}

fuzz_target!(|file: &[u8]| {
    let places = Places::new(file);
    let (events, ends) = read::<MOVES, true>(file, &places);
    for longest in [1, 100] {
        let (in_pieces, _) = read::<MOVES, true>(Pieces::new(file, longest), &places);
        assert_same(&events, &in_pieces);
    }
    let (with_positions, _) = read::<POSITIONS, true>(file, &places);
    assert_same(&events, &with_positions);
    let (tokens, _) = read::<TOKENS, true>(file, &places);
    let (in_pieces, _) = read::<TOKENS, true>(Pieces::new(file, 100), &places);
    assert_same(&tokens, &in_pieces);

    let about_games: Vec<_> = events.into_iter().filter(Event::is_about_game).collect();
    let others = [
        read::<MOVES, false>(file, &places),
        read::<TOKENS, true>(file, &places),
        read::<TOKENS, false>(file, &places),
        read::<SKIP, true>(file, &places),
        read::<DECLINE, true>(file, &places),
        read::<STOP, true>(file, &places),
    ];
    for (mut events, other_ends) in others {
        events.retain(Event::is_about_game);
        assert_same(&about_games, &events);
        assert_eq!(ends, other_ends);
    }
});
