//! `ferz serve`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::{Args, value_parser};

use crate::networks;
use crate::serve;
use crate::tables::TableArguments;

/// Play, analyse and inspect the engine in the browser
///
/// Serves a page on the loopback address of this machine, prints its URL and opens it if there is a desktop. Runs until
/// interrupted (Ctrl-C). The browser stores the games.
#[derive(Args)]
pub(crate) struct Serve {
    /// Port; 0 picks any free one [default: the first free port from 6464]
    #[arg(long, value_name = "P")]
    port: Option<u16>,

    /// Size of the transposition table of each tab
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = value_parser!(u32).range(1..=1024))]
    hash: u32,

    /// Searches that run at the same time; more take turns [default: one per processor]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=256))]
    searches: Option<u16>,

    /// The network to evaluate with: a file, `embedded` or `classical` (no network)
    #[arg(long, value_name = "FILE", default_value = networks::EMBEDDED)]
    net: PathBuf,

    #[command(flatten)]
    tables: TableArguments,

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
            searches: self.searches.map(usize::from),
            network: networks::load(&self.net)?,
            tables: self.tables.open()?,
            assets: self.assets,
            open: !self.no_open,
        };
        serve::run(options, out)?;
        Ok(ExitCode::SUCCESS)
    }
}
