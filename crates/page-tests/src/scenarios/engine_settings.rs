//! Settings of the engine, and another engine beside ours.

use anyhow::{Result, ensure};

use super::{DEPTH, finish, open_tab};
use crate::TestBench;
use crate::page::BrowserTab;

/// The settings in short, in the heading of their card.
const IN_SHORT: &str = ".engine-settings .in-short";
/// The lines of the other engine that have a score.
const OTHER_LINES: &str = "[...document.querySelectorAll('.other-engine .line')].filter(line => !line.hidden && /\\d/.test(line.querySelector('.score').textContent)).length";

/// Opens the card.
fn open_settings(page: &BrowserTab) -> Result<()> {
    open_tab(page, "analyse")?;
    page.wait_until("!document.querySelector('.engine-settings').hidden")?;
    page.click(".engine-settings summary")?;
    page.wait_until("document.querySelector('.engine-settings').open")
}

pub(super) fn engine_settings_survive_a_reload(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_settings(&page)?;
    page.choose("At depth 12")?;
    page.choose("32 MiB")?;
    page.wait_for_text(IN_SHORT, "32 MiB · stops at depth 12")?;
    stage.picture(&page, "engine-settings")?;
    page.reload()?;
    page.wait_for_text(IN_SHORT, "32 MiB · stops at depth 12")?;
    // They are in force without being touched again.
    page.press("l")?;
    page.wait_for_text(".facts", "(depth reached) · depth 12/")?;
    finish(page)
}

pub(super) fn stop_rule_ends_the_analysis(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_settings(&page)?;
    page.press("l")?;
    page.wait_until(&format!("{DEPTH} >= 3"))?;
    page.choose("At depth 12")?;
    page.wait_for_text(".facts", "(depth reached)")?;
    page.choose("Never")?;
    page.wait_until("!document.querySelector('.facts').textContent.includes('ended')")?;
    page.wait_until(&format!("{DEPTH} >= 3"))?;
    finish(page)
}

pub(super) fn two_threads_are_used(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_settings(&page)?;
    page.choose("2 threads")?;
    page.press("l")?;
    page.wait_until(&format!("{DEPTH} >= 5"))?;
    page.wait_for_text(".facts", "· 2 threads")?;
    page.choose("1 thread")?;
    page.wait_until(&format!(
        "{DEPTH} >= 5 && !document.querySelector('.facts').textContent.includes('threads')"
    ))?;
    finish(page)
}

pub(super) fn other_engine_beside_ours(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("e2e4 e7e5")?;
    open_settings(&page)?;
    ensure!(page.is_true("document.querySelector('.other-engine').hidden")?, "nobody has chosen it");
    page.choose("Twin")?;
    page.press("l")?;
    page.wait_until(&format!("{OTHER_LINES} === 3"))?;
    page.wait_for_text(".other-engine h3", "Ferz")?;
    page.wait_for_text(".other-facts", "depth ")?;
    stage.picture(&page, "other-engine")?;
    // A click plays its line, and it follows.
    page.click(".other-engine .line .move")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 3")?;
    page.wait_until(&format!("{OTHER_LINES} === 3"))?;
    page.reload()?;
    page.wait_until(&format!("{OTHER_LINES} === 3"))?;
    page.press("l")?;
    page.wait_until("document.querySelector('.other-engine').hidden")?;
    finish(page)
}

pub(super) fn engine_settings_on_a_phone(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.browser.private_page()?;
    page.become_phone(390, 844)?;
    stage.visit(&page)?;
    page.tap("#tab-analyse")?;
    page.wait_until("!document.querySelector('.engine-settings').hidden")?;
    page.tap(".engine-settings summary")?;
    page.wait_until("document.querySelector('.engine-settings').open")?;
    page.choose("At depth 12")?;
    page.wait_for_text(IN_SHORT, "stops at depth 12")?;
    let width = page.evaluate("document.documentElement.scrollWidth")?;
    ensure!(width == 390, "{width} pixels wide on a phone");
    let low = page.evaluate(
        "Math.min(...[...document.querySelectorAll('.engine-fields select')].map(one => one.getBoundingClientRect().height))",
    )?;
    ensure!(low.as_f64() >= Some(24.0), "lists of {low} pixels are hard to tap");
    stage.picture(&page, "engine-settings-phone")?;
    finish(page)
}
