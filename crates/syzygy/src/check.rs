//! Complete checks of table files, for those who downloaded them.

use std::path::Path;
use std::sync::Arc;

use crate::pairs::Pairs;
use crate::store::{Budget, Fault, Source, TableFile};
use crate::table::{Subtable, Table, Values};
use crate::tablebases::table_name;
use crate::{Damage, Material, ProbeError, TableKind, checksum};

/// What a file that passed all checks is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CheckedTable {
    /// The material of its name.
    pub material: Material,
    /// WDL or DTZ.
    pub kind: TableKind,
    /// How many positions it has, up to symmetry.
    pub positions: u64,
}

/// Checks a table file completely: its name, head and size, the checksum, every block and every value.
///
/// `progress` is called with the numbers of bytes that were checked; they add up to twice the file's size or less. The
/// memory it takes is bounded.
pub fn check_file(path: &Path, mut progress: impl FnMut(u64)) -> Result<CheckedTable, ProbeError> {
    let fail = |fault: Fault| fault.of_file(path.to_owned());
    let name = path.file_name().and_then(|name| table_name(name.to_str()?));
    let (material, kind) = name.ok_or_else(|| fail(Damage::Name.into()))?;
    let positions = check(path, material, kind, &mut progress).map_err(fail)?;
    Ok(CheckedTable { material, kind, positions })
}

fn check(
    path: &Path,
    material: Material,
    kind: TableKind,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, Fault> {
    let budget = Arc::new(Budget::default());
    let open = || TableFile::open(path.to_owned(), Arc::clone(&budget)).map(Source::File);
    // The head first: what it says is more helpful than that the checksum is wrong.
    let table = Table::new(open()?, material, kind, &budget)?;
    if !checksum::is_valid(table.source(), progress)? {
        return Err(Damage::Checksum.into());
    }
    let mut positions = 0;
    for subtable in table.subtables() {
        check_subtable(&table, subtable, progress)?;
        positions += subtable.layout.size();
    }
    Ok(positions)
}

/// Decodes all values of a subtable.
fn check_subtable(table: &Table, subtable: &Subtable, progress: &mut dyn FnMut(u64)) -> Result<(), Fault> {
    let is_value = |value| subtable.is_value(table.kind(), value);
    let pairs = match &subtable.values {
        Values::Constant(value) if is_value(*value) => return Ok(()),
        Values::Constant(_) => return Err(Damage::Value.into()),
        Values::Pairs(pairs) => pairs,
    };
    let source = table.source();
    let valid = pairs.code.symbols_with(is_value);
    let mut values = 0;
    pairs.data.for_each(source, |block, bytes| {
        let len = pairs.block_len(source, block)? as u32;
        values += u64::from(len);
        progress(1 << pairs.code.block_bits);
        Ok(pairs.code.check_block(bytes, len, &valid)?)
    })?;
    if values != subtable.layout.size() {
        return Err(Damage::Blocks.into());
    }
    check_sparse_index(pairs, source)
}

/// Every entry of the sparse index names the block that has the middle of its span.
fn check_sparse_index(pairs: &Pairs, source: &Source) -> Result<(), Fault> {
    let span = 1 << pairs.code.span_bits;
    let (mut block, mut start) = (0, 0);
    pairs.sparse.for_each(source, |entry, bytes| {
        let &[a, b, c, d, e, f] = bytes else { return Err(Damage::Blocks.into()) };
        let named = u64::from(u32::from_le_bytes([a, b, c, d]));
        while block < named {
            start += pairs.block_len(source, block)?;
            block += 1;
        }
        let place = start + i64::from(u16::from_le_bytes([e, f]));
        if block == named && place == entry as i64 * span + span / 2 {
            Ok(())
        } else {
            Err(Damage::Blocks.into())
        }
    })
}
