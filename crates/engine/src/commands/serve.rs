//! `ferz serve`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::{Args, value_parser};

use crate::explorers::Explorers;
use crate::library_path::LibraryArgument;
use crate::networks;
use crate::serve::{self, OtherProgram};
use crate::tables::TableArguments;

/// Play, analyse and inspect the engine in the browser
///
/// Serves a page on the loopback address of this machine, prints its URL and opens it if there is a desktop. Runs until
/// interrupted (Ctrl-C). Games that are played or loaded are kept in a library on disk.
#[derive(Args)]
pub(crate) struct Serve {
    /// Port; 0 picks any free one [default: the first free port from 6464]
    #[arg(long, value_name = "P")]
    port: Option<u16>,

    /// Size of the transposition table of each tab, unless the page chooses a different one
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = value_parser!(u32).range(1..=1024))]
    hash: u32,

    /// Largest transposition table that the page may choose [default: a quarter of the memory, at most 1024]
    #[arg(long, value_name = "MIB", value_parser = value_parser!(u32).range(1..=1 << 20))]
    max_hash: Option<u32>,

    /// Another UCI engine, shown beside Ferz: a program, with a name for the page in front (repeatable)
    ///
    /// The page can only choose among the engines named here. They run with the rights of the server.
    #[arg(long = "engine", value_name = "[NAME=]PATH")]
    engines: Vec<String>,

    /// Threads that search at the same time; more take turns [default: one per processor]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=256))]
    searches: Option<u16>,

    /// The network to evaluate with: a file, `embedded` or `classical` (no network)
    #[arg(long, value_name = "FILE", default_value = networks::EMBEDDED)]
    net: PathBuf,

    #[command(flatten)]
    tables: TableArguments,

    /// Games (.pgn) or a book (.bin) for the opening explorer; may be repeated
    #[arg(long, value_name = "FILE")]
    openings: Vec<PathBuf>,

    #[command(flatten)]
    library: LibraryArgument,

    /// Do not open the browser
    #[arg(long)]
    no_open: bool,

    /// Serve the page from this folder, read at every request (for development)
    #[arg(long, value_name = "DIR")]
    assets: Option<PathBuf>,
}

impl Serve {
    /// Serves until interrupted.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        if let Some(folder) = &self.assets {
            ensure!(folder.is_dir(), "{}: not a folder", folder.display());
        }
        let options = serve::ServeOptions {
            port: self.port,
            hash: self.hash as usize,
            max_hash: self.max_hash.map(|mebibytes| mebibytes as usize),
            others: other_programs(&self.engines)?,
            searches: self.searches.map(usize::from),
            network: networks::load(&self.net)?,
            tables: self.tables.open()?,
            library: self.library.choice(),
            assets: self.assets,
            explorers: Explorers::open(&self.openings)?,
            open: !self.no_open,
        };
        serve::run(options, out)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The programs that `--engine` names.
fn other_programs(texts: &[String]) -> Result<Vec<OtherProgram>> {
    /// The longest name, in characters.
    const LONGEST: usize = 40;
    let mut programs: Vec<OtherProgram> = Vec::new();
    for text in texts {
        let (name, path) = match text.split_once('=') {
            Some((name, path)) if !Path::new(text).is_file() => (name.trim().to_owned(), PathBuf::from(path)),
            _ => {
                let path = PathBuf::from(text);
                let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
                (stem.unwrap_or_default(), path)
            }
        };
        ensure!(path.is_file(), "--engine {}: not a file", path.display());
        let is_name = (1..=LONGEST).contains(&name.chars().count()) && !name.chars().any(char::is_control);
        ensure!(is_name, "--engine {text}: a name has 1 to {LONGEST} printable characters");
        ensure!(programs.iter().all(|known| known.name != name), "--engine {text}: '{name}' is named twice");
        // A path without a folder would be searched for elsewhere.
        programs.push(OtherProgram { name, path: std::path::absolute(path)? });
    }
    Ok(programs)
}
