//! Drives the page of `ferz serve` in a real browser: `make test-page`, or
//! `cargo run -p ferz-page-tests -- PATH-OF-FERZ [PART-OF-A-NAME]`.
//!
//! All scenarios share one server and one browser; each has a tab with its own storage. Screenshots for a person to look
//! at are written to `target/page`.

mod accessibility;
mod browser;
mod page;
mod scenarios;
mod server;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs};

use anyhow::{Context, Result, ensure};

use browser::Browser;
use page::BrowserTab;
use server::PageServer;

/// What a scenario works with.
struct TestBench<'a> {
    browser: &'a Browser,
    server: &'a mut PageServer,
    pictures: &'a Path,
}

impl TestBench<'_> {
    /// A fresh tab with the page in it.
    fn open(&self) -> Result<BrowserTab> {
        let page = self.browser.private_page()?;
        page.open(&self.server.url())?;
        Ok(page)
    }

    fn picture(&self, page: &BrowserTab, name: &str) -> Result<()> {
        page.screenshot(&self.pictures.join(format!("{name}.png")))
    }
}

fn main() -> Result<ExitCode> {
    let mut arguments = env::args().skip(1);
    let program = arguments.next().map(PathBuf::from).context("missing argument: the path of ferz")?;
    let filter = arguments.next().unwrap_or_default();
    let chromium = browser::find().context(
        "Chromium is missing. Install the package `chromium`, or set CHROMIUM to the path of Chromium or Chrome.",
    )?;
    let pictures = PathBuf::from(env::var_os("PICTURES").unwrap_or_else(|| "target/page".into()));
    fs::create_dir_all(&pictures)?;

    let mut server = PageServer::start(&program)?;
    let browser = Browser::start(&chromium)?;
    let mut failures = Vec::new();
    let chosen: Vec<_> = scenarios::ALL.iter().filter(|(name, _)| name.contains(&filter)).collect();
    ensure!(!chosen.is_empty(), "no scenario contains {filter:?} in its name");
    for (name, scenario) in &chosen {
        let start = Instant::now();
        let mut stage = TestBench { browser: &browser, server: &mut server, pictures: &pictures };
        let outcome = scenario(&mut stage);
        println!(
            "{} {name} ({:.1} s)",
            if outcome.is_ok() { "ok    " } else { "FAILED" },
            start.elapsed().as_secs_f64()
        );
        if let Err(error) = outcome {
            failures.push((name, error));
        }
    }
    for (name, error) in &failures {
        println!("\n{name}: {error:#}");
    }
    println!(
        "\n{} scenarios, {} failed; screenshots are in {}",
        chosen.len(),
        failures.len(),
        pictures.display()
    );
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
