//! Property: a damaged table is refused, or probes of it end with a result or an error. Nothing panics or hangs.

#![no_main]

use std::sync::LazyLock;

use ferz_board::Position;
use ferz_fuzz::Bytes;
use ferz_syzygy::{ProbeError, Tablebases};
use ferz_table_maker::{DtzStyle, Solutions};
use libfuzzer_sys::fuzz_target;

/// Tables of all endings with three men, the distances in every style.
static FILES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let solutions = Solutions::all();
    let styles = [DtzStyle::Plies, DtzStyle::Mapped, DtzStyle::WideMapped, DtzStyle::Moves];
    styles.into_iter().flat_map(|style| solutions.files_in(style)).collect()
});

/// The first of them, undamaged.
static WHOLE_TABLES: LazyLock<Tablebases> = LazyLock::new(|| {
    let mut tables = Tablebases::new();
    for (name, file) in &FILES[..10] {
        tables.add_bytes(name, file.clone()).expect("a whole table");
    }
    tables
});

fn probe(tables: &Tablebases, position: &Position) {
    for error in [
        tables.probe_wdl(position).err(),
        tables.probe_dtz(position).err(),
        tables.probe_moves(position).err(),
    ] {
        if let Some(ProbeError::Unreadable { .. }) = error {
            panic!("memory can be read");
        }
        assert!(error.is_none_or(|error| !error.to_string().is_empty()));
    }
}

/// Positions with three men.
fn position(bytes: &mut Bytes<'_>) -> Option<Position> {
    let mut part = bytes.part(11);
    Position::from_setup(&part.setup(), ferz_board::CastlingMode::Standard).ok()
}

// Made before the first run, which has a time limit.
fuzz_target!(init: LazyLock::force(&WHOLE_TABLES), |bytes: &[u8]| {
    let mut bytes = Bytes::new(bytes);
    let mut tables = WHOLE_TABLES.clone();
    let (name, file) = &FILES[usize::from(bytes.byte()) % FILES.len()];
    let mut file = file.clone();
    // Most of a table is data: half of the changes are in its head.
    for _ in 0..bytes.byte() % 8 {
        let place = usize::from(bytes.number());
        let limit = if place % 2 == 0 { file.len().min(128) } else { file.len() };
        file[place / 2 % limit] = bytes.byte();
    }
    let positions: Vec<Position> = (0..4).filter_map(|_| position(&mut bytes)).collect();
    if tables.add_bytes(name, file).is_ok() {
        positions.iter().for_each(|position| probe(&tables, position));
    }
    // The fuzzer's own bytes as a table.
    if tables.add_bytes("KQvK.rtbw", bytes.rest().to_vec()).is_ok() {
        positions.iter().for_each(|position| probe(&tables, position));
    }
});
