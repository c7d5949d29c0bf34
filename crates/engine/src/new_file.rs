//! Output files of commands.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::input;

/// A file that gets its name only when it is complete.
#[derive(Debug)]
pub(crate) struct NewFile {
    path: PathBuf,
    /// The name while it is written. On Linux it has none, so nothing is left behind however the process ends.
    temporary: Option<PathBuf>,
    /// `None` when complete.
    writer: Option<BufWriter<File>>,
}

impl NewFile {
    /// Creates a file, which must not be one of the inputs.
    pub(crate) fn create(path: &Path, inputs: &[PathBuf]) -> Result<NewFile> {
        let same = |input: &PathBuf| matches!((input.canonicalize(), path.canonicalize()), (Ok(input), Ok(output)) if input == output);
        if inputs.iter().any(same) {
            bail!("{}: is an input file, too; choose a different output file", input::name(path));
        }
        if path.is_dir() {
            bail!("{}: is a folder", input::name(path));
        }
        // Renaming would replace a device.
        if path.exists() && !path.is_file() {
            bail!("{}: not a file", input::name(path));
        }
        let (file, temporary) = match unnamed::create(path) {
            Some(file) => (file, None),
            None => {
                let created =
                    with_unused_name(path, |name| File::options().write(true).create_new(true).open(name));
                let (file, name) = created.with_context(|| input::name(path))?;
                (file, Some(name))
            }
        };
        let writer = Some(BufWriter::with_capacity(1 << 18, file));
        Ok(NewFile { path: path.to_owned(), temporary, writer })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Completes the file and gives it its name.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.close().with_context(|| input::name(&self.path))
    }

    fn close(&mut self) -> io::Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        writer.flush()?;
        writer.get_ref().sync_data()?;
        if self.temporary.is_none() {
            let ((), name) = with_unused_name(&self.path, |name| unnamed::link(writer.get_ref(), name))?;
            self.temporary = Some(name);
        }
        if let Some(temporary) = &self.temporary {
            fs::rename(temporary, &self.path)?;
        }
        self.writer = None;
        Ok(())
    }
}

/// Removes an incomplete file.
impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            drop(writer.into_parts());
            if let Some(temporary) = &self.temporary {
                let _ = fs::remove_file(temporary);
            }
        }
    }
}

/// Whether two outputs would replace each other, also if they do not exist yet.
pub(crate) fn is_same_place(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some((folder.canonicalize().ok()?, path.file_name()?.to_owned()))
    };
    a == b || place(a).is_some_and(|a| place(b) == Some(a))
}

/// Creates something beside a file under a name that is not in use: others may have put files or links there.
fn with_unused_name<T>(path: &Path, create: impl Fn(&Path) -> io::Result<T>) -> io::Result<(T, PathBuf)> {
    let mut number = 0;
    loop {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.{number}.part", std::process::id()));
        let name = PathBuf::from(name);
        match create(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
            created => return created.map(|created| (created, name)),
        }
    }
}

/// Files without a name, on the file systems of Linux that have them.
#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};

    /// A file in the folder of a path; `None` if it could not get a name later.
    pub(super) fn create(beside: &Path) -> Option<File> {
        let folder = match beside.parent()? {
            here if here.as_os_str().is_empty() => Path::new("."),
            folder => folder,
        };
        let file =
            open(folder, OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC, Mode::from(0o666)).ok()?;
        let file = File::from(file);
        entry(&file).exists().then_some(file)
    }

    /// Gives the file a name that must not be in use.
    pub(super) fn link(file: &File, name: &Path) -> io::Result<()> {
        Ok(linkat(CWD, entry(file), CWD, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    fn entry(file: &File) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
    }
}

#[cfg(not(target_os = "linux"))]
mod unnamed {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub(super) fn create(_: &Path) -> Option<File> {
        None
    }

    pub(super) fn link(_: &File, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.as_mut().map_or(Ok(0), |writer| writer.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Write::flush)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Somebody else can write to the folder and knows the number of this process.
    #[test]
    fn planted_links_are_neither_followed_nor_replaced() {
        let folder = std::env::temp_dir().join(format!("ferz-planted-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the test");
        let [out, victim] = ["out", "victim"].map(|name| folder.join(name));
        fs::write(&victim, "precious").expect("the folder can be written to");
        let links = [0, 1].map(|number| folder.join(format!("out.{}.{number}.part", std::process::id())));
        links.iter().for_each(|link| symlink(&victim, link).expect("a link"));
        symlink(&victim, &out).expect("a link");

        let mut file = NewFile::create(&out, &[]).expect("created");
        file.write_all(b"new").expect("written");
        file.finish().expect("complete");
        assert!(fs::symlink_metadata(&out).expect("there").is_file());
        assert_eq!(fs::read(&out).expect("there"), b"new");
        assert_eq!(fs::read(&victim).expect("there"), b"precious");
        assert!(links.iter().all(|link| link.is_symlink()));

        let named = with_unused_name(&out, |name| File::options().write(true).create_new(true).open(name));
        let (_, name) = named.expect("created");
        assert!(!links.contains(&name));
        assert_eq!(fs::read(&victim).expect("there"), b"precious");
        fs::remove_dir_all(&folder).expect("removed");
    }
}
