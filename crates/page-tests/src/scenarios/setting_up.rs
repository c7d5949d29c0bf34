//! The editor for positions.

use anyhow::{Result, ensure};

use super::{finish, open_tab};
use crate::TestBench;
use crate::page::{BrowserTab, square};

fn write_fen(page: &BrowserTab, fen: &str) -> Result<()> {
    page.click("#setup-fen")?;
    page.evaluate("document.querySelector('#setup-fen').select()")?;
    page.write(fen)
}

pub(super) fn set_up_errors(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_tab(&page, "setup")?;
    page.wait_for_text("#panel-setup .verdict", "legal")?;
    // A white king too many.
    page.click("button: Place a white king")?;
    page.click(&square("e4"))?;
    page.wait_for_square("e4", "white king")?;
    page.wait_for_text("#setup-problems", "king")?;
    ensure!(
        page.is_true("document.querySelector('#use-position').disabled")?,
        "an illegal position cannot be used"
    );
    stage.picture(&page, "setup")?;
    page.click(&square("e4"))?;
    page.wait_until("!document.querySelector('#use-position').disabled")?;
    // Without kings there are several reasons at once.
    page.click("button: Empty board")?;
    page.wait_until("document.querySelectorAll('#setup-problems li').length >= 2")?;
    // By keyboard: letters place pieces.
    page.evaluate("document.activeElement.blur()")?;
    page.press("b")?;
    for (name, letter) in [("e1", "K"), ("e8", "k"), ("d2", "P")] {
        page.walk_to(name)?;
        page.press(letter)?;
        page.wait_until(&format!(
            "!document.querySelector('{}').getAttribute('aria-label').includes('empty')",
            square(name).replace('\'', "")
        ))?;
    }
    page.wait_until("!document.querySelector('#use-position').disabled")?;
    // A dragged piece that leaves the board is gone.
    page.click("button: Move pieces")?;
    page.drag(&square("d2"), "#tab-setup", "left")?;
    page.wait_for_square("d2", "empty")?;

    write_fen(&page, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w")?;
    page.wait_for_text("#panel-setup .verdict", "not legal")?;
    write_fen(&page, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")?;
    page.wait_for_square("a8", "black rook")?;
    page.wait_until("!document.querySelector('#use-position').disabled")?;
    page.click("#use-position")?;
    page.wait_until("!document.querySelector('#panel-analyse').hidden")?;
    page.click_move("e1", "g1")?;
    page.wait_for_square("f1", "white rook")?;
    finish(page)
}

/// A start position by its number, and castling by taking the rook.
pub(super) fn chess960(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_tab(&page, "setup")?;
    page.wait_for_text("#panel-setup .verdict", "legal")?;
    page.click("#number-960")?;
    page.evaluate("document.activeElement.select()")?;
    page.write("534")?;
    page.click("button: Set up this number")?;
    // Number 534 has the knights and bishops of 518 in other places.
    page.wait_until("document.querySelector('#setup-fen').value !== '' && !document.querySelector('#setup-fen').value.startsWith('rnbqkbnr')")?;
    page.wait_until("!document.querySelector('#use-position').disabled")?;
    page.click("#use-position")?;
    page.wait_for_square("e2", "white pawn")?;
    page.click_moves("e2e4 e7e5")?;
    finish(page)
}
