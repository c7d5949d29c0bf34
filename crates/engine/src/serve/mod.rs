//! The page in the browser: a server on this machine's loopback address.

mod engines;
mod http;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use std::{env, thread};

use anyhow::{Context, Result};
use ferz_eval::Network;

use crate::allocator::{give_large_blocks_back, give_small_blocks_back};
use engines::Engines;
use http::App;

/// What the server is started with.
#[derive(Debug)]
pub(crate) struct Options {
    /// The usual one if `None`.
    pub(crate) port: Option<u16>,
    /// The table of every tab's engine, in MiB.
    pub(crate) hash: usize,
    /// Searches that run at a time; as many as there are processors if `None`.
    pub(crate) searches: Option<usize>,
    pub(crate) network: Option<Arc<Network>>,
    /// Where the page's files are read from, instead of the program itself.
    pub(crate) assets: Option<PathBuf>,
    /// Whether to open the page where there is a desktop.
    pub(crate) open: bool,
}

/// Serves the page until the program is ended.
pub(crate) fn run(options: Options, out: &mut impl Write) -> Result<()> {
    give_large_blocks_back();
    keep_house();
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let searches = options.searches.unwrap_or(processors);
    let engines = Engines::new(searches, options.hash, options.network);
    // Rules and notation are quick; two threads are enough for as many tabs as are let in.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.context("no threads for the server")?.block_on(async {
        let server = http::bind(options.port).await?;
        let app = App::new(server.port, engines, options.assets)?;
        let url = format!("http://127.0.0.1:{}/", server.port);
        writeln!(out, "{url}")?;
        out.flush()?;
        if options.open && has_desktop() {
            open(&url);
        }
        server.run(&app).await;
        Ok(())
    })
}

/// Now and then gives back what closed tabs have left.
fn keep_house() {
    const INTERVAL: Duration = Duration::from_secs(5);
    // Without the thread memory is given back later.
    let _ = thread::Builder::new().name("house".to_owned()).spawn(|| {
        loop {
            thread::sleep(INTERVAL);
            give_small_blocks_back();
        }
    });
}

/// Whether there is a screen to open a page on.
fn has_desktop() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Asks the desktop to show the page. If it cannot, the address is there to be clicked.
fn open(url: &str) {
    let opener = Command::new("xdg-open")
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Ok(mut opener) = opener {
        thread::spawn(move || opener.wait());
    }
}
