//! Merging runs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;
use std::sync::Arc;

use super::error::IndexError;
use super::run::{Content, Record, Run, RunRecords, RunWriter};

/// Merges runs, the oldest first, into a new one. The statistics of the same move are added; moves without games are
/// dropped. If there `is_older` run, marks of what it must not count any more are kept.
///
/// Memory: a block for each run.
pub(super) fn merge(runs: &[Arc<Run>], is_older: bool, path: &Path) -> Result<Run, IndexError> {
    let mut writer = RunWriter::create(path)?;
    let mut sources: Vec<RunRecords<'_>> = runs.iter().map(|run| run.records()).collect();
    let mut heads: Vec<Option<Record>> = Vec::with_capacity(sources.len());
    for source in &mut sources {
        heads.push(source.next()?);
    }
    let place = |record: &Record, source: usize| Reverse((record.key, record.mv, source));
    let mut heap: BinaryHeap<_> =
        heads.iter().enumerate().filter_map(|(source, head)| Some(place(head.as_ref()?, source))).collect();
    let mut pending: Option<Record> = None;
    while let Some(Reverse((_, _, source))) = heap.pop() {
        let Some(mut record) = heads[source].take() else { continue };
        heads[source] = sources[source].next()?;
        heap.extend(heads[source].as_ref().map(|head| place(head, source)));
        if let Content::Moves(stats) = &mut record.content {
            stats.drop_samples(|game| runs[source + 1..].iter().any(|run| run.touches(game)));
        }
        match &mut pending {
            Some(sum) if (sum.key, sum.mv) == (record.key, record.mv) => {
                match (&mut sum.content, record.content) {
                    (Content::Moves(stats), Content::Moves(more)) => stats.add(&more),
                    // Records of equal keys come from the oldest run to the newest.
                    (old, new) => *old = new,
                }
            }
            _ => {
                if let Some(sum) = pending.replace(record) {
                    write(&mut writer, sum, is_older)?;
                }
            }
        }
    }
    if let Some(sum) = pending {
        write(&mut writer, sum, is_older)?;
    }
    writer.finish()
}

/// Writes a record unless it means nothing.
fn write(writer: &mut RunWriter, mut record: Record, is_older: bool) -> Result<(), IndexError> {
    let is_wanted = match &mut record.content {
        Content::Moves(stats) => {
            if !is_older {
                stats.settle();
            }
            !stats.is_empty()
        }
        Content::Line(line) => is_older || !line.is_empty(),
        Content::Touched => is_older,
    };
    if is_wanted { writer.write(&record) } else { Ok(()) }
}
