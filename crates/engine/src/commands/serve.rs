//! `ferz serve`: the page.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::{Args, value_parser};

use crate::networks;
use crate::serve;

/// Play, analyse and look inside, in the browser
///
/// Serves a page on this machine's loopback address, prints its URL and opens it where there is a desktop. It goes on
/// until it is interrupted. Games are kept by the browser.
#[derive(Args)]
pub(crate) struct Serve {
    /// The port; 0 for any that is free [default: the first free one from 6464]
    #[arg(long, value_name = "P")]
    port: Option<u16>,

    /// The transposition table of every tab's engine
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = value_parser!(u32).range(1..=1024))]
    hash: u32,

    /// Searches that run at a time; further ones take turns [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=256))]
    searches: Option<u16>,

    /// Evaluate with this net; `classical` is none
    #[arg(long, value_name = "FILE", default_value = networks::EMBEDDED)]
    net: PathBuf,

    /// Do not open the page
    #[arg(long)]
    no_open: bool,

    /// Read the page's files from a folder at every request, for work on them
    #[arg(long, value_name = "DIR")]
    assets: Option<PathBuf>,
}

impl Serve {
    /// Serves until it is interrupted.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        if let Some(folder) = &self.assets {
            ensure!(folder.is_dir(), "{}: not a folder", folder.display());
        }
        let options = serve::Options {
            port: self.port,
            hash: self.hash as usize,
            searches: self.searches.map(usize::from),
            network: networks::load(&self.net)?,
            assets: self.assets,
            open: !self.no_open,
        };
        serve::run(options, out)?;
        Ok(ExitCode::SUCCESS)
    }
}
