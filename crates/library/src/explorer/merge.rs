//! Merging runs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;
use std::sync::Arc;

use super::error::IndexError;
use super::run::{Record, Run, RunRecords, RunWriter};

/// Merges runs into a new one. The statistics of the same move are added; moves without games are dropped.
///
/// Memory: a block for each run.
pub(super) fn merge(runs: &[Arc<Run>], path: &Path) -> Result<Run, IndexError> {
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
        let Some(record) = heads[source].take() else { continue };
        heads[source] = sources[source].next()?;
        heap.extend(heads[source].as_ref().map(|head| place(head, source)));
        match &mut pending {
            Some(sum) if (sum.key, sum.mv) == (record.key, record.mv) => sum.stats.add(&record.stats),
            _ => {
                if let Some(sum) = pending.replace(record).filter(|sum| !sum.stats.is_empty()) {
                    writer.write(&sum)?;
                }
            }
        }
    }
    if let Some(sum) = pending.filter(|sum| !sum.stats.is_empty()) {
        writer.write(&sum)?;
    }
    writer.finish()
}
