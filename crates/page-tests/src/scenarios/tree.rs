//! The move tree: variations, comments, glyphs and navigation.

use anyhow::{Result, ensure};

use super::{finish, load, open_tab};
use crate::TestBench;
use crate::page::square;

pub(super) fn variations_and_comments(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("e2e4 e7e5 g1f3")?;
    page.press("ArrowLeft")?;
    page.press("ArrowLeft")?;
    page.wait_for_square("e4", "last move")?;
    page.click_moves("c7c5 g1f3")?;
    page.wait_for_text(".variation", "c5")?;
    page.wait_for_line("e4 e5 Nf3")?;

    page.click(".node-tools summary")?;
    page.click("button: good move")?;
    page.wait_for_text(".variation", "Nf3!")?;
    page.click("#comment")?;
    page.write("The open Sicilian comes.")?;
    page.press("Tab")?;
    page.wait_for_text(".variation .comment", "The open Sicilian comes.")?;
    stage.picture(&page, "tree")?;

    // The shortcut for comments opens the section of the field.
    page.click(".node-tools summary")?;
    page.evaluate("document.activeElement.blur()")?;
    page.press("c")?;
    page.wait_until("document.activeElement.id === 'comment'")?;

    page.click("button: Make main line")?;
    page.wait_until("document.querySelectorAll('.moves .move.main .san')[1].textContent === 'c5'")?;
    page.wait_for_text(".variation", "e5")?;
    page.click("button: Delete")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 2")?;
    page.evaluate("document.activeElement.blur()")?;
    page.press("u")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 3")?;
    finish(page)
}

pub(super) fn walking_through_a_game(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("d2d4 d7d5 c2c4 e7e6 b1c3")?;
    page.press("ArrowUp")?;
    page.wait_for_square("d2", "white pawn")?;
    page.press("ArrowRight")?;
    page.wait_for_square("d4", "last move")?;
    page.press("ArrowDown")?;
    page.wait_for_square("c3", "last move")?;
    page.wheel("#board", -100)?;
    page.wait_for_square("e6", "last move")?;
    page.wheel("#board", 100)?;
    page.wait_for_square("c3", "last move")?;
    page.click(".moves .pair:nth-child(2) .move:nth-child(2)")?;
    page.wait_for_square("c4", "last move")?;
    ensure!(
        page.is_true("document.querySelectorAll('.moves [aria-current]').length === 1")?,
        "one current move"
    );
    // After a click on a tab, arrow keys still move through the game, not through the tabs.
    open_tab(&page, "review")?;
    page.press("ArrowRight")?;
    page.wait_for_square("e6", "last move")?;
    page.click("#go-first")?;
    page.wait_for_square("d2", "white pawn")?;
    page.press("f")?;
    page.wait_until("document.querySelector('#board .square').dataset.square === 'h1'")?;
    finish(page)
}

/// Drawn with the right button, kept in the game.
pub(super) fn own_arrows(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("e2e4")?;
    page.drag(&square("g1"), &square("f3"), "right")?;
    page.wait_until("document.querySelectorAll('.layer-own .arrow.green').length === 1")?;
    page.drag(&square("e5"), &square("e5"), "right")?;
    page.wait_until("document.querySelectorAll('.layer-own .ring').length === 1")?;
    page.press("s")?;
    page.wait_until("document.querySelector('#share-pgn')?.value.includes('[%cal Gg1f3]')")?;
    ensure!(
        page.is_true("document.querySelector('#share-pgn').value.includes('[%csl Ge5]')")?,
        "the circle is in the PGN"
    );
    page.press("Escape")?;
    page.wait_until("document.querySelector('dialog') === null")?;
    page.drag(&square("g1"), &square("f3"), "right")?;
    page.wait_until("document.querySelectorAll('.layer-own .arrow').length === 0")?;
    finish(page)
}

/// Every glyph is shown once, however often and with whatever NAG it is written.
pub(super) fn glyphs(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    load(&page, "1. e4?? $4 e5 $8 2. Nf3 *")?;
    let signs = "[...document.querySelectorAll('.moves .glyph')].map(glyph => glyph.textContent).join(' ')";
    page.wait_until(&format!("{signs} === '?? □'"))?;
    page.evaluate("document.activeElement.blur()")?;
    page.press("ArrowRight")?;
    page.press("ArrowRight")?;
    page.wait_for_square("e5", "last move")?;
    page.click(".node-tools summary")?;
    page.click("button: only move")?;
    page.wait_until(&format!("{signs} === '??'"))?;
    finish(page)
}
