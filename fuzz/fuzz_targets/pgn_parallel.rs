//! Property: reading on several threads gives the same events as on one.

#![no_main]

use std::io;

use ferz_fuzz::pgn::{Event, Log, MOVES, assert_same};
use ferz_notation::pgn::{Reader, parallel};
use libfuzzer_sys::fuzz_target;

/// A file is cut into parts of this many bytes, if there is a place to cut before.
const PART: usize = 256 << 10;

/// The text twice, each time so far behind a long line that says nothing that a part ends within the text.
fn file(text: &[u8]) -> Vec<u8> {
    // Any change of the text changes it.
    let sum: usize = text.iter().map(|&byte| usize::from(byte)).sum();
    let inside = sum % (text.len() + 1);
    let mut file = Vec::with_capacity(2 * PART + text.len());
    for end in [PART, 2 * PART] {
        file.extend(b"\n%");
        file.resize((end - inside).saturating_sub(1).max(file.len()), b' ');
        file.push(b'\n');
        file.extend(text);
    }
    file
}

fn read(file: &[u8], threads: usize) -> Vec<Event> {
    let mut events = Vec::new();
    let work = |batch: &mut parallel::Batch<'_>| {
        let mut log = Log::<MOVES, true>::default();
        while batch.read_game(&mut log) {}
        log.events
    };
    let outcome = parallel::read(file, threads, work, |mut batch, origin| {
        for event in &mut batch {
            if let Event::Problem(problem) = event {
                origin.locate(problem);
            }
        }
        events.append(&mut batch);
        Ok::<_, io::Error>(())
    });
    outcome.expect("reading from memory does not fail");
    events
}

fuzz_target!(|text: &[u8]| {
    let file = file(text);
    let mut log = Log::<MOVES, true>::default();
    let mut reader = Reader::new(file.as_slice());
    while reader.read_game(&mut log).expect("reading from memory does not fail") {}
    for threads in [1, 2] {
        assert_same(&log.events, &read(&file, threads));
    }
});
