//! Where the library of games is.

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;

/// The library of a command.
#[derive(Args)]
pub(crate) struct LibraryArgument {
    /// The file with the library of games; `none` switches it off [default: library.sqlite in the data folder of Ferz]
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

/// Which library is meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LibraryChoice {
    /// This one: it is an error if it cannot be used.
    File(PathBuf),
    /// The one in the data folder of the user.
    Default(PathBuf),
    None,
}

impl LibraryArgument {
    pub(crate) fn choice(&self) -> LibraryChoice {
        match &self.library {
            Some(path) if path == Path::new("none") => LibraryChoice::None,
            Some(path) => LibraryChoice::File(path.clone()),
            None => default_file().map_or(LibraryChoice::None, LibraryChoice::Default),
        }
    }
}

/// The file in the data folder of the user; `None` if the system names no such folder.
fn default_file() -> Option<PathBuf> {
    // Relative paths are not allowed there, and would depend on the current folder.
    let folder = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = if cfg!(windows) {
        folder("APPDATA")?
    } else if cfg!(target_os = "macos") {
        folder("HOME")?.join("Library/Application Support")
    } else {
        folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local/share")))?
    };
    Some(data.join("ferz").join("library.sqlite"))
}
