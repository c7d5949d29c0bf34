//! Input files, plain or compressed with zstd; `-` is stdin.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ferz_notation::zst::TextReader;

/// A file that starts with more zero bytes is not text. It may be an endless device.
const MAX_LEADING_ZEROS: u64 = 1 << 20;

/// How much has been read, for the progress line.
#[derive(Debug, Default)]
pub(crate) struct ReadMeter {
    /// Bytes read from the file.
    taken: AtomicU64,
    /// The size of the file; 0 if unknown.
    size: AtomicU64,
    /// Bytes of decompressed text.
    text: AtomicU64,
}

impl ReadMeter {
    /// The bytes of text read from all files.
    pub(crate) fn text(&self) -> u64 {
        self.text.load(Relaxed)
    }

    /// The percentage of the file that has been read, if its size is known.
    pub(crate) fn percent(&self) -> Option<u64> {
        let size = self.size.load(Relaxed);
        (size > 0).then(|| (self.taken.load(Relaxed).saturating_mul(100) / size).min(100))
    }
}

/// The name of a file for messages, with control characters escaped.
pub(crate) fn name(path: &Path) -> String {
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    path.display().to_string().chars().map(escape).collect()
}

/// The text of a file.
pub(crate) type InputText<'a> = Box<dyn Read + Send + 'a>;

/// Opens a file. Zstd data is recognised by its first bytes. It is an error if only the name says `.zst`.
pub(crate) fn open<'a>(path: &Path, meter: &'a ReadMeter) -> io::Result<InputText<'a>> {
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
    let text = TextReader::new(Counted { inner: file, count: &meter.taken })?;
    let is_named_zst = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zst"));
    if is_named_zst && !text.is_compressed() {
        return Err(io::Error::other("not zstd data, although the name ends in .zst"));
    }
    Ok(Box::new(Counted { inner: ZeroGuard { inner: text, zeros: Some(0) }, count: &meter.text }))
}

/// Counts the bytes read.
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

/// Rejects files that start with too many zero bytes.
struct ZeroGuard<R> {
    inner: R,
    /// The number of leading zeros, until another byte is found.
    zeros: Option<u64>,
}

impl<R: Read> Read for ZeroGuard<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        if let Some(zeros) = self.zeros {
            let is_zero = buffer[..count].iter().all(|&byte| byte == 0);
            self.zeros = is_zero.then_some(zeros + count as u64);
            if self.zeros > Some(MAX_LEADING_ZEROS) {
                return Err(io::Error::other("not text: the file starts with zero bytes"));
            }
        }
        Ok(count)
    }
}
