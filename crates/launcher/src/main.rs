//! `ferz` as people download it: starts the build for the best instruction-set level that the processor has.
//!
//! The builds lie beside this program: `ferz-x86-64`, `ferz-x86-64-v2` and so on. This program is built for plain
//! x86-64 and must run everywhere. `FERZ_LEVEL=x86-64-v2 ferz` starts that build, if the processor can run it.

mod levels;
mod start;

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use levels::{LEVELS, Level};

/// The environment variable that names the level to start.
const OVERRIDE: &str = "FERZ_LEVEL";
/// The exit code of a launcher that could not start anything, like that of a command that failed.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(FAILED)
        }
    }
}

fn run() -> Result<ExitCode, LaunchError> {
    let program = env::current_exe().and_then(|path| path.canonicalize()).map_err(LaunchError::NoFolder)?;
    let folder = program.parent().unwrap_or(Path::new("."));
    match env::var_os(OVERRIDE).filter(|name| !name.is_empty()) {
        Some(name) => start_named(folder, &name),
        None => start_best(folder),
    }
}

/// Starts the build of this level and no other.
fn start_named(folder: &Path, name: &OsString) -> Result<ExitCode, LaunchError> {
    let Some(level) = LEVELS.iter().find(|level| name == level.name) else {
        return Err(LaunchError::UnknownLevel(name.to_string_lossy().escape_debug().to_string()));
    };
    if !(level.can_run)() {
        return Err(LaunchError::NotSupported(level));
    }
    let path = level.path(folder);
    start::start(&path).map_err(|error| LaunchError::NotStarted(path, error))
}

/// Starts the best build that is there and that the processor can run.
fn start_best(folder: &Path) -> Result<ExitCode, LaunchError> {
    let mut best_missing = None;
    for level in LEVELS.iter().filter(|level| (level.can_run)()) {
        let path = level.path(folder);
        if !path.is_file() {
            best_missing = best_missing.or_else(|| Some(level.file_name()));
            continue;
        }
        if let Some(best) = best_missing {
            eprintln!("{best} is missing beside ferz; starting {}, which is slower", level.file_name());
        }
        return start::start(&path).map_err(|error| LaunchError::NotStarted(path, error));
    }
    Err(LaunchError::NothingFound(folder.to_owned()))
}

/// A path without the prefix of resolved paths on Windows.
fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    text.strip_prefix(r"\\?\").map(str::to_owned).unwrap_or(text)
}

/// Why nothing was started.
enum LaunchError {
    NoFolder(std::io::Error),
    UnknownLevel(String),
    NotSupported(&'static Level),
    NotStarted(PathBuf, std::io::Error),
    NothingFound(PathBuf),
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::NoFolder(error) => write!(f, "cannot find the folder of this program: {error}"),
            LaunchError::UnknownLevel(name) => {
                let names: Vec<_> = LEVELS.iter().map(|level| level.name).collect();
                write!(f, "{OVERRIDE}: unknown level {name}; the levels are {}", names.join(", "))
            }
            LaunchError::NotSupported(level) => {
                write!(f, "{OVERRIDE}: this processor cannot run {}", level.name)
            }
            LaunchError::NotStarted(path, error) => write!(f, "cannot start {}: {error}", shown(path)),
            LaunchError::NothingFound(folder) => {
                let names: Vec<_> =
                    LEVELS.iter().filter(|level| (level.can_run)()).map(Level::file_name).collect();
                write!(
                    f,
                    "{}: this folder has none of {}; unpack the whole archive, or build ferz for this machine",
                    shown(folder),
                    names.join(", "),
                )
            }
        }
    }
}
