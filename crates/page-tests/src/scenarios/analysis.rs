//! The engine's lines during analysis.

use anyhow::{Result, ensure};
use serde_json::Value;

use super::{DEPTH, finish, load_fen};
use crate::TestBench;
use crate::page::BrowserTab;

const SHOWN_LINES: &str = "[...document.querySelectorAll('.line')].filter(line => !line.hidden && /\\d/.test(line.querySelector('.score').textContent)).length";

fn depth(page: &BrowserTab) -> Result<i64> {
    let depth = page.evaluate(DEPTH)?;
    Ok(depth.as_i64().unwrap_or(0))
}

pub(super) fn live_analysis(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("e2e4 e7e5 g1f3 b8c6")?;
    page.press("l")?;
    page.wait_until(&format!("{SHOWN_LINES} === 3"))?;
    let early = depth(&page)?;
    page.wait_until(&format!("{DEPTH} >= 9"))?;
    ensure!(depth(&page)? >= early, "the depth goes up");
    let facts = page.text(".facts")?;
    ensure!(facts.contains("nodes") && facts.contains("/s") && facts.contains("hash"), "facts: {facts}");
    let chances = page.evaluate("document.querySelector('.chances').getAttribute('aria-label')")?;
    ensure!(chances.as_str().is_some_and(|text| text.starts_with("White wins ")), "chances: {chances}");
    ensure!(
        page.is_true(
            "document.querySelector('#eval-bar').getAttribute('aria-label').startsWith('Evaluation: ')"
        )?,
        "bar"
    );
    page.wait_until("document.querySelectorAll('.layer-engine .arrow').length === 3")?;

    // At most ten updates per second, and none under the pointer.
    let updates = page.evaluate(
        "new Promise(done => { let count = 0; const watch = new MutationObserver(() => count++); \
         watch.observe(document.querySelector('.facts'), { childList: true, characterData: true, subtree: true }); \
         setTimeout(() => { watch.disconnect(); done(count); }, 2000); })",
    )?;
    ensure!(updates.as_i64().is_some_and(|count| count <= 22), "{updates} updates in two seconds");

    // One line only.
    page.choose("1 line")?;
    page.wait_until(&format!("{SHOWN_LINES} === 1"))?;

    // A click plays the line up to there.
    page.wait_until("!document.querySelector('.line .move:nth-child(2)').hidden")?;
    page.click(".line .move:nth-child(2)")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 6")?;
    page.press("l")?;
    page.wait_for_text(".facts", "off")?;
    finish(page)
}

pub(super) fn threats_and_previews(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    // Black would mate on the back rank.
    load_fen(&page, "4r1k1/5ppp/8/8/N7/8/5PPP/6K1 w - - 0 1")?;
    super::open_tab(&page, "analyse")?;
    page.press("x")?;
    page.wait_for_text(".threat-line", "Re1#")?;
    page.wait_until("document.querySelectorAll('.layer-threat .arrow').length === 1")?;
    page.press("x")?;
    page.press("l")?;
    page.wait_until(&format!("{SHOWN_LINES} >= 1"))?;
    page.hover(".line .move")?;
    page.wait_until("!document.querySelector('.preview').hidden && document.querySelectorAll('.preview .piece').length > 5")?;
    page.hover("h1")?;
    page.wait_until("document.querySelector('.preview').hidden")?;
    // The best move by the space bar.
    page.evaluate("document.activeElement.blur()")?;
    page.press(" ")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 1")?;
    ensure!(
        page.evaluate("document.querySelector('#spoken-moves').textContent")? != Value::Null,
        "announced"
    );
    finish(page)
}

pub(super) fn explanations(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    // The knight can fork king and queen.
    load_fen(&page, "q3k3/8/8/3N4/8/8/5PPP/6K1 w - - 0 1")?;
    super::open_tab(&page, "analyse")?;
    ensure!(page.is_true("document.querySelector('#explanation').hidden")?, "nobody has asked");
    page.click("#why")?;
    page.wait_for_text("#explanation", "The best move is Nc7+")?;
    page.wait_for_text("#explanation", "forks the queen on a8 and the king on e8")?;
    ensure!(
        page.is_true("document.querySelector('#spoken-moves').textContent.startsWith('Explanation: ')")?,
        "announced"
    );
    page.hover("#explanation .move")?;
    page.wait_until("[...document.querySelectorAll('.preview')].some(one => !one.hidden)")?;
    page.click("#explanation .move")?;
    page.wait_for_line("Nc7+")?;
    page.wait_until("document.querySelector('#explanation').hidden")?;

    // A move that misses it, explained by the keyboard shortcut.
    page.press("ArrowLeft")?;
    page.wait_for_square("d5", "knight")?;
    page.click_moves("h2h3")?;
    page.press("w")?;
    page.wait_for_text("#explanation", "h3 is a ")?;
    page.wait_for_text("#explanation", "The best move was Nc7+")?;
    stage.picture(&page, "explanation")?;

    // At the end of a line there is a sentence, not an error.
    load_fen(&page, "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1")?;
    page.press("w")?;
    page.wait_for_text("#explanation", "The game is over")?;
    finish(page)
}

pub(super) fn endgame_tables(stage: &mut TestBench<'_>) -> Result<()> {
    const SHOWN: &str = "!document.querySelector('.tables').hidden";
    let page = stage.open()?;
    super::open_tab(&page, "analyse")?;
    page.press("l")?;
    page.wait_until(&format!("{SHOWN_LINES} >= 1"))?;
    ensure!(!page.is_true(SHOWN)?, "no table has 32 men");

    // With the opposition the pawn wins; without it, it does not.
    load_fen(&page, "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1")?;
    super::open_tab(&page, "analyse")?;
    page.wait_until(SHOWN)?;
    let moves = page.evaluate("document.querySelectorAll('.table-moves li').length")?;
    ensure!(moves.as_i64() == Some(4), "{moves} moves, but four are legal");
    let first = page.text(".table-moves li")?;
    ensure!(first.contains("win") && first.contains("DTZ"), "first move: {first}");
    page.wait_until("document.querySelector('.line .score').textContent.startsWith('+')")?;
    stage.picture(&page, "endgame-tables")?;
    // A click plays the move, and the list is that of the new position.
    page.click(".table-moves .move")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 1")?;
    page.wait_for_text(".table-moves", "loss")?;
    finish(page)
}
