//! Following the moves of a book from the start position.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, Result};
use ferz_board::{PackedPosition, Position};

use crate::books::OpeningBook;
use crate::input;

/// The keys of the positions that the book leads to in fewer than `plies` half-moves.
pub(super) fn reachable(path: &Path, plies: u32) -> Result<HashSet<u64>> {
    let mut book = OpeningBook::open(path)?;
    let start = Position::start();
    let mut reached = HashSet::from([start.key()]);
    let mut frontier: Vec<PackedPosition> = vec![start.pack()];
    for _ in 1..plies {
        let mut next = Vec::new();
        for packed in frontier {
            let position = packed.unpack()?;
            for it in book.moves(&position).with_context(|| input::name(path))? {
                let mut after = position;
                after.play_unchecked(it.mv);
                if reached.insert(after.key()) {
                    next.push(after.pack());
                }
            }
        }
        frontier = next;
    }
    Ok(reached)
}
