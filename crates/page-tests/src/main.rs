//! Drives the page in a real browser: `make test-page` for the page of `ferz serve`, `make test-static` for the folder
//! of static files. By hand: `cargo run -p ferz-page-tests -- PATH-OF-FERZ [PART-OF-A-NAME]` or
//! `cargo run -p ferz-page-tests -- --static FOLDER [PART-OF-A-NAME]`.
//!
//! All scenarios share one server and one browser; each has a tab with its own storage. Screenshots for a person to look
//! at are written to `target/page`. With `--static`, the variable `FERZ` names the program whose server opens links of
//! the static page.

mod accessibility;
mod browser;
mod page;
mod scenarios;
mod server;
mod site;
mod static_site;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs};

use anyhow::{Context, Result, ensure};

use browser::Browser;
use page::BrowserTab;
use server::PageServer;
use site::Site;
use static_site::StaticSite;

/// The ways in which a static page's worker hears the page during a search. The scenarios alternate between the first
/// two; `HEARING` in the environment sets one for all of them.
const HEARINGS: [&str; 3] = ["ring", "jspi", "slices"];

/// What a scenario works with.
struct TestBench<'a> {
    browser: &'a Browser,
    site: &'a mut Site,
    pictures: &'a Path,
    /// How the worker of a static page hears it during a search.
    hearing: &'static str,
}

impl TestBench<'_> {
    /// A fresh tab with the page in it.
    fn open(&self) -> Result<BrowserTab> {
        let page = self.browser.private_page()?;
        self.visit(&page)?;
        Ok(page)
    }

    /// Opens the page. That of a static folder is then ready to work offline.
    fn visit(&self, page: &BrowserTab) -> Result<()> {
        let Site::Static(site) = &*self.site else { return page.open(&self.site.url()) };
        page.open(&format!("{}?hearing={}", site.url(), self.hearing))?;
        page.wait_until("navigator.serviceWorker.controller !== null")?;
        if self.hearing == "ring" {
            // The service worker's headers allow shared memory, for which the page loads itself again.
            page.wait_until("crossOriginIsolated")?;
        }
        page.wait_until_ready()
    }

    fn picture(&self, page: &BrowserTab, name: &str) -> Result<()> {
        page.screenshot(&self.pictures.join(format!("{name}.png")))
    }
}

fn main() -> Result<ExitCode> {
    let mut arguments = env::args().skip(1);
    let first = arguments.next().context("missing argument: the path of ferz, or --static FOLDER")?;
    let mut site = if first == "--static" {
        let folder = arguments.next().context("missing argument: the folder of static files")?;
        Site::Static(StaticSite::start(Path::new(&folder))?)
    } else {
        Site::Server(PageServer::start(Path::new(&first))?)
    };
    let filter = arguments.next().unwrap_or_default();
    let chromium = browser::find().context(
        "Chromium is missing. Install the package `chromium`, or set CHROMIUM to the path of Chromium or Chrome.",
    )?;
    let pictures = PathBuf::from(env::var_os("PICTURES").unwrap_or_else(|| "target/page".into()));
    fs::create_dir_all(&pictures)?;

    let wanted = env::var("HEARING").unwrap_or_default();
    let hearing = HEARINGS.into_iter().find(|way| *way == wanted);
    ensure!(wanted.is_empty() || hearing.is_some(), "HEARING is {wanted:?} instead of one of {HEARINGS:?}");
    let browser = Browser::start(&chromium)?;
    let mut failures = Vec::new();
    let mut unsteady = Vec::new();
    let named: Vec<_> = scenarios::ALL.iter().filter(|scenario| scenario.name.contains(&filter)).collect();
    ensure!(!named.is_empty(), "no scenario contains {filter:?} in its name");
    let (left_out, chosen): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|scenario| scenario.left_out(&site).is_some());
    let start = Instant::now();
    for (index, scenario) in chosen.iter().enumerate() {
        let hearing = hearing.unwrap_or(HEARINGS[index % 2]);
        let mut attempt = || {
            let start = Instant::now();
            let mut stage = TestBench { browser: &browser, site: &mut site, pictures: &pictures, hearing };
            let outcome = (scenario.run)(&mut stage);
            let word = if outcome.is_ok() { "ok    " } else { "FAILED" };
            println!("{word} {} ({:.1} s)", scenario.name, start.elapsed().as_secs_f64());
            if let Site::Static(site) = &site {
                site.restore();
            }
            outcome
        };
        // Chromium and the machine have bad moments. What fails twice in a row is wrong.
        if let Err(error) = attempt() {
            println!("       {error:#}");
            match attempt() {
                Ok(()) => unsteady.push(scenario.name),
                Err(error) => failures.push((scenario.name, error)),
            }
        }
    }
    for scenario in &left_out {
        println!("left out: {} ({})", scenario.name, scenario.left_out(&site).unwrap_or_default());
    }
    for (name, error) in &failures {
        println!("\n{name}: {error:#}");
    }
    if !unsteady.is_empty() {
        println!("\nunsteady, passed the second time: {}", unsteady.join(", "));
    }
    println!(
        "\n{} scenarios in {:.0} s, {} failed, {} unsteady; screenshots are in {}",
        chosen.len(),
        start.elapsed().as_secs_f64(),
        failures.len(),
        unsteady.len(),
        pictures.display()
    );
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
