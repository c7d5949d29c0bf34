//! Temporary files.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A temporary file that is removed when it is dropped. It has no buffer.
#[derive(Debug)]
pub struct TemporaryFile {
    file: File,
    /// Its path, on systems that cannot remove an open file.
    path: Option<PathBuf>,
}

impl TemporaryFile {
    /// Creates a file beside another one, for reading and writing.
    pub fn create(beside: &Path) -> io::Result<TemporaryFile> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let mut name = beside.as_os_str().to_owned();
        // Never a file or a link that is there already. The stamp differs from run to run.
        let stamp = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
        let number = NUMBER.fetch_add(1, Relaxed);
        name.push(format!(".{}.{stamp}.{number}.bucket", std::process::id()));
        let path = PathBuf::from(name);
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        // Remove the name at once, so that nothing is left if the process is killed.
        let path = fs::remove_file(&path).is_err().then_some(path);
        Ok(TemporaryFile { file, path })
    }
}

impl Read for TemporaryFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Write for TemporaryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for TemporaryFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}
