//! The static folder on a web space: offline, updates, links, the content security policy, installing.

use std::env;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::games::OPERA;
use super::static_engine::open_probe;
use super::{DEPTH, finish, load, open_tab};
use crate::TestBench;
use crate::browser::INSECURE_HOST;
use crate::page::{BrowserTab, PATIENCE};
use crate::server::PageServer;

/// After the first visit everything works without the network, in a new tab too.
pub(super) fn offline(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("e2e4")?;
    let site = stage.site.folder()?;
    // The files must come from the service worker.
    page.call("Network.clearBrowserCache", &json!({}))?;
    site.cut(true);
    page.reload()?;
    page.wait_for_square("e4", "white pawn")?;
    page.click_moves("e7e5")?;
    let second = stage.browser.page_in(page.context())?;
    stage.visit(&second)?;
    second.wait_for_line("e4 e5")?;
    second.press("l")?;
    second.wait_until("document.querySelectorAll('.layer-engine .arrow').length === 3")?;
    second.press("l")?;
    open_tab(&second, "play")?;
    second.wait_until("document.querySelectorAll('.level').length >= 4")?;
    second.click(".level")?;
    second.click("#start-game")?;
    second.wait_for_text(".game-status", "Your move")?;
    second.click_move("d2", "d4")?;
    second.wait_until("document.querySelectorAll('.moves .move.main').length === 2")?;
    second.wait_for_text(".game-status", "Your move")?;
    second.click("#hint")?;
    second.wait_until("document.querySelector('.layer-hint .arrow') !== null")?;
    stage.picture(&second, "offline")?;
    finish(second)?;
    finish(page)
}

/// Changes a file of the folder, and its hash in the service worker's list.
pub(super) fn new_version(stage: &TestBench<'_>, file: &str, text: String) -> Result<()> {
    let probe = open_probe(stage)?;
    let hash = probe.evaluate(&format!(
        "crypto.subtle.digest('SHA-256', new TextEncoder().encode({})).then(digest => \
         Array.from(new Uint8Array(digest).slice(0, 10), byte => byte.toString(16).padStart(2, '0')).join(''))",
        json!(text)
    ))?;
    let site = stage.site.folder()?;
    let list = site.read("service-worker.js")?;
    let name = format!("  \"{file}\": \"");
    let at = list.find(&name).with_context(|| format!("{file} is not in the list"))? + name.len();
    let hash = hash.as_str().context("no hash")?;
    site.replace("service-worker.js", format!("{}{hash}{}", &list[..at], &list[at + hash.len()..]));
    site.replace(file, text);
    finish(probe)
}

/// A new version is fetched in the background, and used at the reader's click. The games of all tabs stay.
pub(super) fn update(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("e2e4 e7e5")?;
    let second = stage.browser.page_in(page.context())?;
    stage.visit(&second)?;
    second.click_moves("f1c4")?;
    page.bring_to_front()?;
    let index = stage.site.folder()?.read("index.html")?;
    new_version(stage, "index.html", index.replace("<title>Ferz</title>", "<title>Ferz, new</title>"))?;
    page.reload()?;
    page.wait_for_text("#notices", "A new version is ready")?;
    ensure!(page.is_true("document.title === 'Ferz'")?, "the new version is used without being asked for");
    page.click_moves("g1f3")?;
    stage.picture(&page, "update")?;
    page.click("button: Use it")?;
    page.wait_until("document.title === 'Ferz, new'")?;
    page.wait_until_ready()?;
    page.wait_for_line("e4 e5 Nf3")?;
    second.bring_to_front()?;
    second.click("button: Use it")?;
    second.wait_until("document.title === 'Ferz, new'")?;
    second.wait_until_ready()?;
    second.wait_for_line("e4 e5 Bc4")?;
    finish(second)?;
    page.bring_to_front()?;
    // The old files are gone, and the new version works offline.
    let keys = "caches.keys().then(names => Promise.all(names.map(async name => (await (await caches.open(name)).keys()).length)))";
    let list = stage.site.folder()?.read("service-worker.js")?;
    let files = list.lines().take_while(|line| *line != "};").count() - 1;
    let kept = page.evaluate(keys)?;
    ensure!(kept == json!([files - 1]), "{kept} files are kept; the list has {files} with two engines");
    stage.site.folder()?.cut(true);
    page.reload()?;
    ensure!(page.is_true("document.title === 'Ferz, new'")?, "offline it is the old version");
    page.wait_for_line("e4 e5 Nf3")?;
    finish(page)
}

/// While a host has files of two versions, the page keeps the old one, complete.
pub(super) fn half_an_update(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("e2e4")?;
    let site = stage.site.folder()?;
    let index = site.read("index.html")?;
    new_version(stage, "index.html", index.replace("<title>Ferz</title>", "<title>Ferz, new</title>"))?;
    site.replace("index.html", index);
    site.take_requests();
    page.reload()?;
    let start = Instant::now();
    while !site.take_requests().iter().any(|path| path == "index.html") {
        ensure!(start.elapsed() < PATIENCE, "the service worker does not look for a new version");
        thread::sleep(Duration::from_millis(50));
    }
    site.cut(true);
    page.reload()?;
    page.wait_for_line("e4")?;
    ensure!(!page.text("#notices")?.contains("new version"), "half a version is offered");
    // The service worker's complaint about the file, and about the missing network.
    page.forget_complaints()?;
    finish(page)
}

/// What the reader does while the engine is loading is carried out when it is there.
pub(super) fn slow_engine(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.browser.private_page()?;
    stage.site.folder()?.slow_down(".wasm", Duration::from_secs(2));
    page.navigate(&stage.site.url())?;
    page.wait_until("document.querySelectorAll('#board .men .piece').length === 32")
        .context("the board is there before the engine")?;
    page.click_move("e2", "e4")?;
    page.wait_for_text(".away:not([hidden])", "Loading the engine")?;
    stage.picture(&page, "loading")?;
    page.wait_for_square("e4", "white pawn, last move")?;
    page.wait_for_line("e4")?;
    finish(page)
}

/// Without a secure context there is no service worker, no shared memory and no clipboard. The page works online.
pub(super) fn insecure_host(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.browser.private_page()?;
    page.open(&stage.site.url().replace("127.0.0.1", INSECURE_HOST))?;
    ensure!(page.is_true("!isSecureContext && !crossOriginIsolated")?, "this is a secure context");
    page.click_moves("e2e4 e7e5")?;
    page.press("l")?;
    page.wait_until(&format!("{DEPTH} >= 8"))?;
    page.press("l")?;
    page.press("s")?;
    page.wait_until("document.querySelector('#share-link')?.value.includes('#pgn=')")?;
    finish(page)
}

/// Old browsers get the engine without SIMD; very old ones a sentence.
pub(super) fn old_browsers(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.browser.private_page()?;
    page.prepare("WebAssembly.validate = () => false")?;
    stage.site.folder()?.take_requests();
    page.open(&stage.site.url())?;
    let requests = stage.site.folder()?.take_requests();
    // The service worker, which was not made older, fetches the other one afterwards.
    let engine = requests.iter().find(|path| path.ends_with(".wasm")).context("no engine was loaded")?;
    ensure!(engine == "ferz-browser-scalar.wasm", "without SIMD the page loads {engine}");
    page.press("l")?;
    page.wait_until(&format!("{DEPTH} >= 6"))?;
    page.close()?;

    let page = stage.browser.private_page()?;
    page.prepare("delete globalThis.WebAssembly")?;
    page.navigate(&stage.site.url())?;
    page.wait_for_text(".away:not([hidden])", "This browser cannot run the engine")?;
    stage.picture(&page, "no-webassembly")?;
    page.close()
}

/// A link opens at another place, with and without `index.html`, on `ferz serve`, and the other way round.
pub(super) fn links_to_and_from_the_server(stage: &mut TestBench<'_>) -> Result<()> {
    let program = env::var_os("FERZ").context("set FERZ to the path of ferz")?;
    let server = PageServer::start(Path::new(&program))?;
    let (here, there) = (stage.site.url(), stage.site.folder()?.other_url());
    let page = stage.open()?;
    load(&page, OPERA)?;
    let link = link_of(&page)?;
    let game = link.strip_prefix(&here).with_context(|| format!("the link is {link}"))?;
    for place in [here.clone(), there.clone(), format!("{there}index.html"), server.url()] {
        let guest = stage.browser.private_page()?;
        guest.open(&format!("{place}{game}"))?;
        guest.wait_for_square("e4", "white pawn, last move").with_context(|| place.clone())?;
        let back = link_of(&guest)?;
        ensure!(back == format!("{place}{game}"), "{place} makes a different link: {back}");
        finish(guest)?;
    }
    finish(page)
}

/// Loads nothing; makes the link to the position after the first move of the current game.
fn link_of(page: &BrowserTab) -> Result<String> {
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 33")?;
    page.evaluate("document.activeElement.blur()")?;
    page.press("ArrowUp")?;
    page.press("ArrowRight")?;
    page.wait_for_square("e4", "last move")?;
    page.press("s")?;
    page.wait_until("document.querySelector('#share-link')?.value.includes('#pgn=')")?;
    let link = page.evaluate("document.querySelector('#share-link').value")?;
    page.press("Escape")?;
    Ok(link.as_str().unwrap_or_default().to_owned())
}

/// The page forbids inline scripts, other origins and workers from text. The run collects violations as complaints.
pub(super) fn content_security_policy(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    let attempts = [
        "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = true' }))",
        "document.body.append(Object.assign(document.createElement('script'), { src: 'data:text/javascript,window.ran = true' }))",
        "fetch('https://example.com/').catch(() => {})",
        "document.body.append(Object.assign(document.createElement('style'), { textContent: 'body { color: red }' }))",
        "{ try { new Worker(URL.createObjectURL(new Blob(['']))); } catch {} }",
    ];
    for attempt in attempts {
        page.evaluate(attempt)?;
        let complaints = page.complaints()?;
        ensure!(
            complaints.iter().any(|complaint| complaint.contains("Content Security Policy")),
            "not forbidden: {attempt}; complaints: {complaints:?}"
        );
        page.forget_complaints()?;
    }
    ensure!(page.is_true("window.ran === undefined")?, "a foreign script ran");
    finish(page)
}

/// Chromium would offer to install the page.
pub(super) fn installable(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    let manifest = page.call("Page.getAppManifest", &json!({}))?;
    ensure!(manifest["errors"].as_array().is_some_and(Vec::is_empty), "manifest: {}", manifest["errors"]);
    ensure!(
        manifest["url"].as_str().is_some_and(|url| url.starts_with(&stage.site.url())),
        "the manifest is {}",
        manifest["url"]
    );
    let answer = page.call("Page.getInstallabilityErrors", &json!({}))?;
    let errors = answer["installabilityErrors"].as_array().context("no answer about installing")?;
    // The tabs of these tests are private.
    let errors: Vec<_> = errors.iter().filter(|error| error["errorId"] != "in-incognito").collect();
    ensure!(errors.is_empty(), "not installable: {errors:?}");
    finish(page)
}
