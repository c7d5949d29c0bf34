//! The engine in the static page's worker: stopping, crashes, the stack, figures.

use std::env;
use std::process::Command;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::static_hosting::new_version;
use super::{DEPTH, finish};
use crate::TestBench;
use crate::page::BrowserTab;

/// The engine's memory is overwritten, so that its next step is a trap. The page goes on with the game.
pub(super) fn crash_of_the_engine(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("d2d4 d7d5 c2c4")?;
    let prototype =
        page.call_worker("Runtime.evaluate", &json!({"expression": "WebAssembly.Memory.prototype"}))?;
    let memories = page.call_worker(
        "Runtime.queryObjects",
        &json!({"prototypeObjectId": prototype["result"]["objectId"]}),
    )?;
    let overwrite = "function () { for (const memory of this) new Uint8Array(memory.buffer).fill(255); return this.length; }";
    let overwritten = page.call_worker(
        "Runtime.callFunctionOn",
        &json!({"objectId": memories["objects"]["objectId"], "functionDeclaration": overwrite}),
    )?;
    ensure!(
        overwritten["result"]["value"] == 1,
        "the worker has {} memories",
        overwritten["result"]["value"]
    );
    page.click("#go-back")?;
    page.wait_until("document.querySelector('.is-away') !== null")?;
    page.wait_until("document.querySelector('.is-away') === null")?;
    page.wait_for_square("c4", "white pawn, last move")?;
    page.click_moves("e7e6")?;
    page.wait_for_line("d4 d5 c4 e6")?;
    page.press("l")?;
    page.wait_until(&format!("{DEPTH} >= 8"))?;
    page.forget_complaints()?;
    finish(page)
}

/// The time from the key that stops the analysis to the engine's last sign of life, in each way to hear the page.
pub(super) fn stop_to_silence(stage: &mut TestBench<'_>) -> Result<()> {
    /// A slice is at most one second long; the rest is for a busy machine.
    const SLICES_LIMIT_MS: f64 = 2000.0;
    const LIMIT_MS: f64 = 50.0;
    let worker = stage.site.folder()?.read("engine-worker.js")?;
    new_version(stage, "engine-worker.js", format!("{}{worker}", include_str!("../engine-watch.js")))?;
    for (way, limit) in [("ring", LIMIT_MS), ("jspi", LIMIT_MS), ("slices", SLICES_LIMIT_MS)] {
        let page = stage.browser.private_page()?;
        page.prepare(
            "addEventListener('keydown', () => { window.stopTime = performance.timeOrigin + performance.now(); }, true); \
             window.Worker = class extends Worker { constructor(...values) { super(...values); \
             this.addEventListener('message', () => { window.lastMessage = performance.timeOrigin + performance.now(); }); } };",
        )?;
        stage.hearing = way;
        stage.visit(&page)?;
        let mut times = Vec::new();
        for _ in 0..5 {
            page.press("l")?;
            page.wait_until(&format!("{DEPTH} >= 10"))?;
            page.press("l")?;
            page.wait_for_text(".facts", "off")?;
            thread::sleep(Duration::from_millis(if way == "slices" { 1500 } else { 300 }));
            let stop = page.evaluate("window.stopTime")?.as_f64().context("no key was pressed")?;
            let message = page.evaluate("window.lastMessage")?.as_f64().context("no message came")?;
            let sign = page.call_worker("Runtime.evaluate", &json!({"expression": "globalThis.lastSign"}))?;
            let sign = sign["result"]["value"].as_f64().context("the engine did not start")?;
            times.push(message.max(sign) - stop);
        }
        times.sort_by(f64::total_cmp);
        println!("       {way}: silence after {:.0} ms, at worst {:.0} ms", times[2], times[4]);
        // The machine may be busy in one of them.
        ensure!(times[2] < limit, "{way}: silence only after {:.0} ms", times[2]);
        finish(page)?;
    }
    Ok(())
}

/// A page of this test beside the page, whose worker calls the engine's exports.
pub(super) fn open_probe(stage: &TestBench<'_>) -> Result<BrowserTab> {
    let site = stage.site.folder()?;
    site.replace(
        "page-tests/probe.html",
        "<!doctype html><title>Probe</title><link rel=icon href='data:,'>".to_owned(),
    );
    site.replace("page-tests/probe.js", include_str!("../engine-probe.js").to_owned());
    let page = stage.browser.private_page()?;
    page.navigate(&format!("{}page-tests/probe.html", stage.site.url()))?;
    page.wait_until("document.title === 'Probe'")?;
    Ok(page)
}

/// Calls an export of the engine in a worker: its result and the milliseconds it took.
fn probe(page: &BrowserTab, way: &str, name: &str, values: &[u32]) -> Result<(f64, f64)> {
    let question = json!({"way": way, "name": name, "values": values});
    let answer = page.evaluate(&format!(
        "new Promise(resolve => {{ const worker = new Worker('probe.js'); \
         worker.onmessage = ({{ data }}) => {{ worker.terminate(); resolve(data); }}; \
         worker.onerror = ({{ message }}) => resolve({{ trouble: message }}); \
         worker.postMessage({question}); }})"
    ))?;
    ensure!(answer["trouble"].is_null(), "{name}, {way}: {}", answer["trouble"]);
    let number = |field: &str| answer[field].as_f64().with_context(|| format!("{name}: no {field}"));
    Ok((number("result")?, number("milliseconds")?))
}

/// The longest path, 160 plies, fits on the stack twice, in each way to hear the page: a hint in the middle of a review.
pub(super) fn deep_stack(stage: &mut TestBench<'_>) -> Result<()> {
    const PLIES: u32 = 2 * 160;
    let page = open_probe(stage)?;
    for way in ["ring", "jspi", "slices"] {
        let (reached, _) = probe(&page, way, "deep_stack", &[PLIES])?;
        ensure!(reached >= f64::from(PLIES), "{way}: the path has only {reached} plies");
    }
    finish(page)
}

/// The engine searches the same nodes as the program, at a speed that is printed.
pub(super) fn bench_in_the_browser(stage: &mut TestBench<'_>) -> Result<()> {
    const BENCH_DEPTH: u32 = 9;
    let program = env::var_os("FERZ").context("set FERZ to the path of ferz")?;
    // The net of the WebAssembly modules. The program has a larger one.
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/../eval/networks/small/gen15-768.nnue");
    let output = Command::new(program).args(["bench", &BENCH_DEPTH.to_string(), "--net", net]).output()?;
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let native: f64 = output.split(' ').next().unwrap_or_default().parse().with_context(|| output.clone())?;
    let page = open_probe(stage)?;
    let mut fastest = 0.0_f64;
    for _ in 0..3 {
        let (nodes, milliseconds) = probe(&page, "slices", "bench", &[BENCH_DEPTH])?;
        ensure!(
            nodes == native,
            "bench {BENCH_DEPTH}: {nodes} nodes in the browser, {native} in the program"
        );
        fastest = fastest.max(nodes / milliseconds);
    }
    println!("       bench {BENCH_DEPTH}: {native} nodes, {fastest:.0} knps in the browser");
    finish(page)
}

/// The first visit, with a processor four times slower: the time to a board that answers, to the engine, and the bytes.
pub(super) fn first_visit(stage: &mut TestBench<'_>) -> Result<()> {
    /// The goals are 1 s and 2 s; a busy machine gets more.
    const INTERACTIVE_LIMIT_MS: f64 = 2500.0;
    const ENGINE_LIMIT_MS: f64 = 5000.0;
    const LARGEST: f64 = 1_310_000.0;
    let site = stage.site.folder()?;
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..3 {
        site.take_requests();
        let page = stage.browser.private_page()?;
        page.prepare(
            "new MutationObserver(() => { if (!document.querySelector('#board .men .piece')) return; \
             const now = performance.timeOrigin + performance.now(); window.interactiveTime ??= now; \
             if (!document.querySelector('.is-away')) window.engineTime ??= now; \
             }).observe(document, { attributes: true, childList: true, subtree: true });",
        )?;
        page.call("Emulation.setCPUThrottlingRate", &json!({"rate": 4}))?;
        let start = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64() * 1000.0;
        page.navigate(&stage.site.url())?;
        page.wait_until("window.engineTime > 0")?;
        let time = |name: &str| -> Result<f64> {
            Ok(page.evaluate(&format!("window.{name}"))?.as_f64().context("no time")? - start)
        };
        best = (best.0.min(time("interactiveTime")?), best.1.min(time("engineTime")?));
        page.call("Emulation.setCPUThrottlingRate", &json!({"rate": 1}))?;
        page.wait_until("navigator.serviceWorker.controller !== null")?;
        finish(page)?;
    }
    let (interactive, engine) = best;
    let mut files = site.take_requests();
    files.sort();
    files.dedup();
    let page = open_probe(stage)?;
    let size = page.evaluate(&format!(
        "Promise.all({}.map(async file => {{ const {{ body }} = await fetch('../' + file); \
         return (await new Response(body.pipeThrough(new CompressionStream('gzip'))).arrayBuffer()).byteLength; }})) \
         .then(sizes => sizes.reduce((sum, size) => sum + size))",
        json!(files)
    ))?;
    let size = size.as_f64().context("no size")?;
    finish(page)?;
    println!(
        "       first visit, processor 4 times slower: interactive after {interactive:.0} ms, engine after {engine:.0} ms"
    );
    println!("       download: {} files, {:.0} KB compressed", files.len(), size / 1000.0);
    ensure!(size < LARGEST, "the download has {size} bytes compressed");
    ensure!(interactive < INTERACTIVE_LIMIT_MS, "interactive only after {interactive:.0} ms");
    ensure!(engine < ENGINE_LIMIT_MS, "the engine is ready only after {engine:.0} ms");
    Ok(())
}
