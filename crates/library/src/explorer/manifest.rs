//! The manifest: which runs make up the index.
//!
//! A text of lines, the last of which is a checksum. It is replaced as a whole, so that a crash leaves the old or the
//! new index.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::checksum::checksum;
use super::error::IndexError;

/// The first line. A new format gets a new number.
const HEAD: &str = "Ferz explorer index 2";
/// The file in the folder of an index.
pub(super) const NAME: &str = "manifest";
/// Larger files are not manifests.
const MAX_SIZE: u64 = 64 << 10;

/// More runs than anyone can make.
const MAX_NUMBER: u64 = 1 << 60;

/// What makes up an index.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Manifest {
    /// What the index was built from.
    pub(super) label: String,
    /// How much of it was read, in words of the reader.
    pub(super) mark: String,
    /// The games in it.
    pub(super) games: u64,
    /// The number of the next run.
    pub(super) next: u64,
    /// The numbers of the runs, the oldest and largest first.
    pub(super) runs: Vec<u64>,
}

/// A label is one line.
pub(super) fn one_line(label: &str) -> String {
    label.replace(char::is_control, "?")
}

/// The last line of a manifest.
fn check_line(text: &str) -> String {
    format!("check {:016x}\n", checksum(text.as_bytes()))
}

impl Manifest {
    fn to_text(&self) -> String {
        let runs: Vec<String> = self.runs.iter().map(u64::to_string).collect();
        let text = format!(
            "{HEAD}\nlabel {}\nmark {}\ngames {}\nnext {}\nruns {}\n",
            self.label,
            self.mark,
            self.games,
            self.next,
            runs.join(" ")
        );
        format!("{text}{}", check_line(&text))
    }

    fn from_text(text: &str) -> Option<Manifest> {
        let end = text.len().checked_sub("check 0123456789abcdef\n".len())?;
        let (body, check) = text.split_at_checked(end)?;
        if check != check_line(body) {
            return None;
        }
        let mut lines = body.lines();
        if lines.next()? != HEAD {
            return None;
        }
        let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        Some(Manifest {
            label: field("label")?.to_owned(),
            mark: field("mark")?.to_owned(),
            games: field("games")?.parse().ok()?,
            next: field("next")?.parse().ok().filter(|&next| next < MAX_NUMBER)?,
            runs: field("runs")?.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?,
        })
    }

    /// Reads the manifest of a folder; `None` if there is none.
    pub(super) fn read(folder: &Path) -> Result<Option<Manifest>, IndexError> {
        let path = folder.join(NAME);
        match fs::metadata(&path) {
            Ok(metadata) if !metadata.is_file() || metadata.len() > MAX_SIZE => {
                return Err(IndexError::damaged(&path, "not a manifest"));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Ok(_) | Err(_) => {}
        }
        let text = fs::read(&path).map_err(IndexError::io(&path))?;
        let manifest = str::from_utf8(&text).ok().and_then(Manifest::from_text);
        manifest.map(Some).ok_or_else(|| IndexError::damaged(&path, "not a manifest of this version"))
    }

    /// Replaces the manifest of a folder. When this returns, it survives a crash.
    pub(super) fn write(&self, folder: &Path) -> Result<(), IndexError> {
        let (path, part) = (folder.join(NAME), folder.join("manifest.part"));
        let mut file = File::create(&part).map_err(IndexError::io(&part))?;
        let written = file.write_all(self.to_text().as_bytes()).and_then(|()| file.sync_all());
        written.map_err(IndexError::io(&part))?;
        fs::rename(&part, &path).map_err(IndexError::io(&path))?;
        sync_folder(folder);
        Ok(())
    }
}

/// Makes new names in a folder survive a crash. Not every system can do that for folders, and none loses more than the
/// last change without it.
pub(super) fn sync_folder(folder: &Path) {
    if cfg!(unix)
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_with_impossible_numbers_is_refused() {
        let manifest = |next| Manifest { label: "games".to_owned(), next, ..Manifest::default() };
        assert_eq!(Manifest::from_text(&manifest(7).to_text()), Some(manifest(7)));
        assert_eq!(Manifest::from_text(&manifest(u64::MAX).to_text()), None);
    }
}
