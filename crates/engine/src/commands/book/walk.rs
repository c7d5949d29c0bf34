//! Following the moves of a book from the start position.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, Result};
use ferz_board::{PackedPosition, Position};

use super::records::{MergedMove, MergedMoves};
use crate::books::OpeningBook;
use crate::input;

/// The keys of the positions that the book leads to in fewer than `plies` half-moves, by moves that are kept.
pub(super) fn reachable(
    path: &Path,
    plies: u32,
    keep: impl Fn(&mut Vec<MergedMove>),
) -> Result<HashSet<u64>> {
    let mut book = OpeningBook::open(path)?;
    let start = Position::start();
    let mut reached = HashSet::from([start.key()]);
    let mut frontier: Vec<PackedPosition> = vec![start.pack()];
    for _ in 1..plies {
        let mut next = Vec::new();
        for packed in frontier {
            let position = packed.unpack()?;
            let mut merged = MergedMoves::default();
            let entries = book.entries(&position).with_context(|| input::name(path))?;
            entries.iter().for_each(|entry| merged.add(entry, 1));
            let mut moves = merged.into_moves();
            keep(&mut moves);
            for mv in moves.iter().filter_map(|it| it.mv.unpack(&position)) {
                let mut after = position;
                after.play_unchecked(mv);
                if reached.insert(after.key()) {
                    next.push(after.pack());
                }
            }
        }
        frontier = next;
    }
    Ok(reached)
}
