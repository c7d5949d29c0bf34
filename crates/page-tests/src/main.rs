//! Drives the page of `ferz serve` in a real browser: `make test-page`, or
//! `cargo run -p ferz-page-tests -- PATH-OF-FERZ [PART-OF-A-NAME]`.
//!
//! One server and one browser serve all scenarios; each gets a tab with storage of its own. Pictures are written for a
//! person to look at, into `target/page`.

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
use page::Page;
use server::Server;

/// What a scenario has to work with.
struct Stage<'a> {
    browser: &'a Browser,
    server: &'a mut Server,
    pictures: &'a Path,
}

impl Stage<'_> {
    /// A fresh tab with the page in it.
    fn open(&self) -> Result<Page> {
        let page = self.browser.private_page()?;
        page.open(&self.server.url())?;
        Ok(page)
    }

    fn picture(&self, page: &Page, name: &str) -> Result<()> {
        page.screenshot(&self.pictures.join(format!("{name}.png")))
    }
}

fn main() -> Result<ExitCode> {
    let mut arguments = env::args().skip(1);
    let program = arguments.next().map(PathBuf::from).context("the path of ferz is missing")?;
    let filter = arguments.next().unwrap_or_default();
    let chromium = browser::find().context(
        "Chromium is missing: install the package `chromium`, or set CHROMIUM to the path of a Chromium or Chrome",
    )?;
    let pictures = PathBuf::from(env::var_os("PICTURES").unwrap_or_else(|| "target/page".into()));
    fs::create_dir_all(&pictures)?;

    let mut server = Server::start(&program)?;
    let browser = Browser::start(&chromium)?;
    let mut failures = Vec::new();
    let chosen: Vec<_> = scenarios::ALL.iter().filter(|(name, _)| name.contains(&filter)).collect();
    ensure!(!chosen.is_empty(), "no scenario is called {filter:?}");
    for (name, scenario) in &chosen {
        let start = Instant::now();
        let mut stage = Stage { browser: &browser, server: &mut server, pictures: &pictures };
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
        "\n{} scenarios, {} failed; pictures are in {}",
        chosen.len(),
        failures.len(),
        pictures.display()
    );
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
