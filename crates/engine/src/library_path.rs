//! Where the library of games is.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::folders;

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
            None => folders::data_folder()
                .map_or(LibraryChoice::None, |folder| LibraryChoice::Default(folder.join("library.sqlite"))),
        }
    }
}
