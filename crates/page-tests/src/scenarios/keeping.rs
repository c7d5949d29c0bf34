//! Nothing is lost: reloads, restarts, several tabs, links.

use anyhow::{Result, ensure};
use serde_json::json;

use super::{DEPTH, finish, load};
use crate::TestBench;
use crate::scenarios::games::OPERA;

pub(super) fn reload_keeps_everything(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("e2e4 e7e5")?;
    page.press("ArrowLeft")?;
    page.wait_for_square("e4", "last move")?;
    page.click_moves("c7c5")?;
    page.press("f")?;
    page.press("d")?;
    page.reload()?;
    page.wait_for_square("c5", "black pawn, last move")?;
    page.wait_for_line("e4 e5")?;
    page.wait_for_text(".variation", "c5")?;
    ensure!(
        page.is_true("document.querySelector('#board .square').dataset.square === 'h1'")?,
        "still flipped"
    );
    ensure!(page.is_true("document.documentElement.dataset.theme === 'dark'")?, "still dark");
    finish(page)
}

/// A reload in the middle of a search keeps the game, and the analysis starts again.
pub(super) fn reload_in_mid_search(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("e2e4 c7c5")?;
    page.press("l")?;
    page.wait_until(&format!("{DEPTH} >= 8"))?;
    page.reload()?;
    page.wait_for_line("e4 c5")?;
    page.wait_until(&format!("{DEPTH} >= 8"))?;
    page.press("l")?;
    page.wait_for_text(".facts", "off")?;
    page.click_moves("g1f3")?;
    page.press("l")?;
    page.wait_until(&format!("{DEPTH} >= 8"))?;
    finish(page)
}

/// Data without a version is read; data of a newer version is left alone.
pub(super) fn versions_of_saved_data(stage: &mut TestBench<'_>) -> Result<()> {
    const NEWER: &str = r#"{"version":99,"data":"unknown"}"#;
    let page = stage.open()?;
    let save = |text: &str| {
        let text = json!(text);
        page.evaluate(&format!(
            "for (const storage of [sessionStorage, localStorage]) {{ storage.clear(); storage.setItem('ferz-game', {text}); }}"
        ))
    };
    save(r#""1. d4 d5 *""#)?;
    page.reload()?;
    page.wait_for_line("d4 d5")?;
    save(NEWER)?;
    page.reload()?;
    page.wait_for_text("#notices", "A newer version of Ferz")?;
    page.click_moves("e2e4")?;
    let kept = page.evaluate("localStorage.getItem('ferz-game')")?;
    ensure!(kept == NEWER, "the newer data became {kept}");
    finish(page)
}

pub(super) fn server_restart(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("d2d4 d7d5 c2c4")?;
    page.press("l")?;
    page.wait_until("document.querySelector('.line .score')?.textContent !== '·'")?;
    stage.site.server()?.kill()?;
    page.wait_until("document.querySelector('.away') && !document.querySelector('.away').hidden")?;
    page.wait_for_text(".away", "The server is not responding")?;
    stage.site.server()?.restart()?;
    page.wait_until("document.querySelector('.away').hidden && !document.querySelector('.is-away')")?;
    page.wait_for_square("c4", "white pawn, last move")?;
    page.click_moves("e7e6")?;
    page.wait_for_line("d4 d5 c4 e6")?;
    // The analysis goes on as well.
    page.wait_until("document.querySelectorAll('.layer-engine .arrow').length >= 1")?;
    // While the server is down, the browser logs connection errors.
    page.forget_complaints()?;
    finish(page)
}

/// Two tabs of one browser have two games, also after a reload.
pub(super) fn two_tabs(stage: &mut TestBench<'_>) -> Result<()> {
    let first = stage.open()?;
    first.click_moves("e2e4")?;
    let second = stage.browser.page_in(first.context())?;
    stage.visit(&second)?;
    // A new tab begins with the game that was saved last.
    second.wait_for_square("e4", "white pawn")?;
    second.click_moves("c7c5")?;
    first.bring_to_front()?;
    first.click_moves("e7e5")?;
    second.bring_to_front()?;
    second.reload()?;
    second.wait_for_square("c5", "black pawn")?;
    first.bring_to_front()?;
    first.reload()?;
    first.wait_for_square("e5", "black pawn")?;
    ensure!(first.square("c5")?.contains("empty"), "the games must not mix");
    finish(second)?;
    finish(first)
}

/// A link holds the whole tree.
pub(super) fn links(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    load(&page, OPERA)?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 33")?;
    page.press("ArrowRight")?;
    page.wait_for_square("e4", "last move")?;
    page.evaluate("document.activeElement.blur()")?;
    page.press("s")?;
    page.wait_until("document.querySelector('#share-link')?.value.includes('#pgn=')")?;
    let link = page.evaluate("document.querySelector('#share-link').value")?;
    let link = link.as_str().unwrap_or_default().to_owned();
    stage.picture(&page, "share")?;
    let guest = stage.browser.private_page()?;
    guest.open(&link)?;
    guest.wait_until("document.querySelectorAll('.moves .move.main').length === 33")?;
    guest.wait_for_square("e4", "white pawn, last move")?;
    ensure!(
        guest.is_true("document.querySelectorAll('.moves > .variation').length === 2")?,
        "with its variations"
    );
    ensure!(guest.is_true("location.hash === '#analyse'")?, "the address is clean afterwards");
    finish(guest)?;
    finish(page)
}
