//! Reading the lines of an EPD file.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result};
use ferz_notation::epd::Epd;

use crate::input::{self, ReadMeter};

/// Calls `visit` with every line that is neither empty nor a comment, and with its number.
pub(in crate::commands) fn for_each(
    file: &Path,
    meter: &ReadMeter,
    mut visit: impl FnMut(&[u8], u64) -> Result<()>,
) -> Result<()> {
    let name = input::name(file);
    let mut file = BufReader::new(input::open(file, meter).with_context(|| name.clone())?);
    let mut line = Vec::new();
    for number in 1u64.. {
        line.clear();
        if !read_line(&mut file, &mut line).with_context(|| name.clone())? {
            break;
        }
        let line = if number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line) } else { &line };
        if !matches!(line.trim_ascii_start(), [] | [b'#', ..]) {
            visit(line, number)?;
        }
    }
    Ok(())
}

/// Reads a line; false at the end of the file. Of a line that is too long, only the start is kept.
fn read_line(file: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    let is_some = file.by_ref().take(Epd::MAX_LINE_LEN as u64 + 2).read_until(b'\n', line)? > 0;
    if is_some && line.last() != Some(&b'\n') {
        file.skip_until(b'\n')?;
    }
    Ok(is_some)
}
