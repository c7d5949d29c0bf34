//! The X-ray, compared with known values.

use anyhow::{Result, ensure};

use super::{finish, open_tab};
use crate::TestBench;
use crate::page::{BrowserTab, square};

/// The word under a board of the X-ray.
fn word(page: &BrowserTab, name: &str) -> Result<String> {
    let script = format!(
        "[...document.querySelectorAll('.word-board')].find(one => one.querySelector('.word-name').textContent === '{name}')?.querySelector('.word').textContent"
    );
    Ok(page.evaluate(&script)?.as_str().unwrap_or_default().to_owned())
}

pub(super) fn xray_of_the_start(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_tab(&page, "xray")?;
    // The keys are those of Polyglot, whose specification lists both values.
    page.wait_for_text("#panel-xray", "0x463B96181691FC9C")?;
    ensure!(word(&page, "white pawn")? == "0x000000000000FF00", "white pawns");
    ensure!(word(&page, "black king")? == "0x1000000000000000", "black king");
    ensure!(word(&page, "occupied")? == "0xFFFF00000000FFFF", "occupied");
    ensure!(
        word(&page, "attacked by White")? == "0x0000000000FFFF7E",
        "attacks of White: {}",
        word(&page, "attacked by White")?
    );
    ensure!(
        page.is_true("document.querySelectorAll('.word-board.is-changed').length === 0")?,
        "nothing has changed yet"
    );

    page.click_moves("e2e4")?;
    page.wait_for_text("#panel-xray", "0x823C9B50FD114196")?;
    ensure!(word(&page, "white pawn")? == "0x000000001000EF00", "white pawns after e4");
    // The pawns, White's pieces and the occupied squares: two bits each.
    page.wait_until("document.querySelectorAll('.word-board.is-changed').length === 3")?;
    ensure!(
        page.is_true("document.querySelector('.word-board').textContent.includes('changed: e2 e4')")?,
        "e2 and e4 are marked"
    );
    page.wait_for_text("#panel-xray", "equals the key")?;
    page.wait_for_text("#panel-xray", "white pawn e4")?;

    // Any square can be asked for its attacks: the knight on g1, then the magic look-up of a rook there.
    page.click(&square("g1"))?;
    page.wait_until("[...document.querySelectorAll('.word-name')].some(one => one.textContent === 'attacks of white knight g1')")?;
    ensure!(word(&page, "attacks of white knight g1")? == "0x0000000000A01000", "attacks of the knight");
    page.wait_until("[...document.querySelectorAll('.word-board')].some(one => one.querySelector('.word-name').textContent === 'mask' && one.querySelector('.word').textContent === '0x004040404040403E')")?;
    ensure!(
        word(&page, "attacks")? == "0x00000000000040A0",
        "attacks of a rook on g1: {}",
        word(&page, "attacks")?
    );
    ensure!(
        page.is_true("document.querySelectorAll('.terms tbody tr').length > 5")?,
        "terms of the evaluation"
    );
    ensure!(
        page.is_true("document.querySelectorAll('.number-board .piece').length >= 32")?,
        "values by piece"
    );
    page.wait_for_text("#panel-xray", "KQkq = 0b1111")?;
    page.resize(1920, 1080)?;
    stage.picture(&page, "xray-wide")?;
    finish(page)
}

pub(super) fn scratch_board(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_tab(&page, "xray")?;
    page.wait_for_text("#panel-xray", "0x463B96181691FC9C")?;
    let value = |page: &BrowserTab| -> Result<String> {
        Ok(page
            .evaluate("document.querySelector('#scratch-hex').value")?
            .as_str()
            .unwrap_or_default()
            .to_owned())
    };
    page.evaluate("[...document.querySelectorAll('.word-board')].forEach(one => { one.id = 'word-' + one.querySelector('.word-name').textContent.replace(' ', '-'); })")?;
    page.click("#word-white-pawn")?;
    page.wait_until("document.querySelector('#scratch-hex').value === '0x000000000000FF00'")?;
    page.click("button: ⊕ xor")?;
    page.click("#word-white")?;
    page.wait_until("document.querySelector('#scratch-hex').value === '0x00000000000000FF'")?;
    page.click("button: One rank up")?;
    ensure!(value(&page)? == "0x000000000000FF00", "one rank up: {}", value(&page)?);
    page.click(".scratch-cell[data-square=a8]")?;
    ensure!(value(&page)? == "0x010000000000FF00", "a8 toggled: {}", value(&page)?);
    finish(page)
}

pub(super) fn search_plots(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.press("l")?;
    open_tab(&page, "xray")?;
    page.wait_until("document.querySelectorAll('.depths tbody tr').length >= 6")?;
    page.wait_until("[...document.querySelectorAll('.plot b')].every(one => /\\d/.test(one.textContent))")?;
    ensure!(page.is_true("[...document.querySelectorAll('.plot .curve')].every(curve => curve.getAttribute('d').includes('L'))")?, "curves");
    page.wait_for_text(".best-line", "Best line: ")?;
    finish(page)
}
