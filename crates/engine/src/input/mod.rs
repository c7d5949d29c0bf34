//! Files as commands read them: plain or packed by zstd, `-` for standard input.

mod zstd;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use zstd::Unzstd;

/// Text does not begin with so many zero bytes; an endless device does.
const MAX_LEADING_ZEROS: u64 = 1 << 20;

/// How much has been read; the progress line looks at it.
#[derive(Default)]
pub(crate) struct Meter {
    /// Bytes of the file, packed or not.
    taken: AtomicU64,
    /// Of how many, as far as is known.
    size: AtomicU64,
    /// Bytes of text.
    text: AtomicU64,
}

impl Meter {
    /// How much text has been read, of all files.
    pub(crate) fn text(&self) -> u64 {
        self.text.load(Relaxed)
    }

    /// How much of the file has been read, if its size is known.
    pub(crate) fn percent(&self) -> Option<u64> {
        let size = self.size.load(Relaxed);
        (size > 0).then(|| (self.taken.load(Relaxed).saturating_mul(100) / size).min(100))
    }
}

/// The name of a file for messages, in which no control character gets to the terminal.
pub(crate) fn name(path: &Path) -> String {
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    path.display().to_string().chars().map(escape).collect()
}

/// The text of a file.
pub(crate) type Text<'a> = Box<dyn Read + Send + 'a>;

/// Opens a file. What is packed by zstd is recognised by its first bytes; if only the name says so, that is an
/// error.
pub(crate) fn open<'a>(path: &Path, meter: &'a Meter) -> io::Result<Text<'a>> {
    let file: Box<dyn Read + Send> = if path.as_os_str() == "-" {
        meter.size.store(0, Relaxed);
        Box::new(io::stdin())
    } else {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        meter.size.store(if metadata.is_file() { metadata.len() } else { 0 }, Relaxed);
        Box::new(file)
    };
    meter.taken.store(0, Relaxed);
    let mut file = Counted { inner: file, count: &meter.taken };
    let mut first = Vec::new();
    file.by_ref().take(zstd::MAGIC_LEN as u64).read_to_end(&mut first)?;
    let is_packed = zstd::is_magic(&first);
    let is_said_to_be = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zst"));
    let file = io::Cursor::new(first).chain(file);
    let text: Text<'a> = match (is_packed, is_said_to_be) {
        (true, _) => Box::new(Unzstd::new(BufReader::new(file))),
        (false, false) => Box::new(file),
        (false, true) => return Err(io::Error::other("not packed by zstd, though the name says so")),
    };
    Ok(Box::new(Counted { inner: NotOnlyZeros { inner: text, zeros: Some(0) }, count: &meter.text }))
}

/// Counts what is read.
struct Counted<'a, R> {
    inner: R,
    count: &'a AtomicU64,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count.fetch_add(count as u64, Relaxed);
        Ok(count)
    }
}

/// Refuses what begins with zeros and perhaps never ends.
struct NotOnlyZeros<R> {
    inner: R,
    /// How many there were, until something else came.
    zeros: Option<u64>,
}

impl<R: Read> Read for NotOnlyZeros<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        if let Some(zeros) = self.zeros {
            let is_zero = buffer[..count].iter().all(|&byte| byte == 0);
            self.zeros = is_zero.then_some(zeros + count as u64);
            if self.zeros > Some(MAX_LEADING_ZEROS) {
                return Err(io::Error::other("not text, but zero bytes"));
            }
        }
        Ok(count)
    }
}
