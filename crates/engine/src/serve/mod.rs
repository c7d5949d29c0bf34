//! The server of the page, on the loopback address of this machine.

mod engines;
mod http;
mod library;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use std::{env, thread};

use anyhow::{Context, Result};
use ferz_eval::Network;
use ferz_syzygy::Tablebases;

use crate::allocator::{give_large_blocks_back, give_small_blocks_back};
use crate::explorers::Explorers;
use crate::library_path::LibraryChoice;
use crate::memory;
use engines::{EngineResources, Engines, OtherPrograms};
use http::App;
use library::LibraryHost;

pub(crate) use engines::OtherProgram;

/// The settings of the server.
#[derive(Debug)]
pub(crate) struct ServeOptions {
    /// `None` is the first free port from the default one on.
    pub(crate) port: Option<u16>,
    /// The transposition table of each tab, in MiB.
    pub(crate) hash: usize,
    /// The largest size that the page may choose, in MiB; `None` depends on the memory of this machine.
    pub(crate) max_hash: Option<usize>,
    /// Other engines.
    pub(crate) others: Vec<OtherProgram>,
    /// Threads that search at the same time; `None` is one per processor.
    pub(crate) searches: Option<usize>,
    pub(crate) network: Option<Arc<Network>>,
    pub(crate) tables: Tablebases,
    pub(crate) library: LibraryChoice,
    /// The folder to serve the page from; `None` serves the files in the program.
    pub(crate) assets: Option<PathBuf>,
    /// The sources of the opening explorer.
    pub(crate) explorers: Explorers,
    /// Whether to open the browser if there is a desktop.
    pub(crate) open: bool,
}

/// Serves the page until the program is interrupted.
pub(crate) fn run(options: ServeOptions, out: &mut impl Write) -> Result<()> {
    give_large_blocks_back();
    trim_memory_regularly();
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let searches = options.searches.unwrap_or(processors);
    let engines = Engines::new(EngineResources {
        slots: searches,
        hash: options.hash,
        max_hash: options.max_hash.unwrap_or_else(default_max_hash),
        network: options.network,
        tables: options.tables,
        others: OtherPrograms::new(options.others),
    });
    let library = LibraryHost::open(&options.library)?;
    let mut explorers = options.explorers;
    if let Some(library) = &library {
        explorers.add_library(library.path());
    }
    // Sessions need little time; two threads are enough for the maximum number of tabs.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.context("cannot start the threads of the server")?.block_on(async {
        let server = http::bind(options.port).await?;
        let app = App::new(server.port, engines, library, options.assets, explorers)?;
        let url = format!("http://127.0.0.1:{}/", server.port);
        writeln!(out, "{url}")?;
        out.flush()?;
        if options.open {
            open(&url);
        }
        server.run(&app).await;
        Ok(())
    })
}

/// A quarter of the memory, at most 1 GiB, in MiB.
fn default_max_hash() -> usize {
    const MOST: u64 = 1024;
    memory::available().map_or(MOST, |bytes| (bytes >> 22).clamp(1, MOST)) as usize
}

/// Returns the memory of closed tabs to the system from time to time.
fn trim_memory_regularly() {
    const INTERVAL: Duration = Duration::from_secs(5);
    // If the thread cannot be started, memory is returned later.
    let _ = thread::Builder::new().name("trim".to_owned()).spawn(|| {
        loop {
            thread::sleep(INTERVAL);
            give_small_blocks_back();
        }
    });
}

/// Opens the page in the browser if there is a desktop. If that fails, the user has the printed URL.
fn open(url: &str) {
    let Some(mut opener) = opener() else { return };
    let opener = opener.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Ok(mut opener) = opener {
        thread::spawn(move || opener.wait());
    }
}

/// The program that opens a URL. No shell is involved.
#[cfg(windows)]
fn opener() -> Option<Command> {
    // With its full path: Windows would look in the folder of the program and in the current one first.
    let system = PathBuf::from(env::var_os("SystemRoot")?).join("System32");
    let mut command = Command::new(system.join("rundll32.exe"));
    command.arg("url.dll,FileProtocolHandler");
    Some(command)
}

#[cfg(target_os = "macos")]
fn opener() -> Option<Command> {
    Some(Command::new("/usr/bin/open"))
}

#[cfg(not(any(windows, target_os = "macos")))]
fn opener() -> Option<Command> {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")).then(|| Command::new("xdg-open"))
}
