//! The folders in which the system wants programs to keep their files. Each is that of Ferz in it.

use std::env;
use std::path::PathBuf;

/// Where the user's data is; `None` if the system names no such folder.
pub(crate) fn data_folder() -> Option<PathBuf> {
    let data = if cfg!(windows) {
        folder("APPDATA")?
    } else if cfg!(target_os = "macos") {
        folder("HOME")?.join("Library/Application Support")
    } else {
        folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local/share")))?
    };
    Some(data.join("ferz"))
}

/// Where what can be made again is; `None` if the system names no such folder.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    let cache = if cfg!(windows) {
        folder("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        folder("HOME")?.join("Library/Caches")
    } else {
        folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?
    };
    Some(cache.join("ferz"))
}

/// The folder that a variable of the environment names.
fn folder(variable: &str) -> Option<PathBuf> {
    // Relative paths are not allowed there, and would depend on the current folder.
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}
