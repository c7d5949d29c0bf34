//! The set-up editor as people use it: Chess960, pasted FEN, drafts, painting; and the coordinate trainer.

use anyhow::{Context, Result, ensure};

use super::{finish, load, open_tab};
use crate::TestBench;
use crate::page::{BrowserTab, square};

const USABLE: &str = "!document.querySelector('#use-position').disabled";

fn open_editor(page: &BrowserTab) -> Result<()> {
    open_tab(page, "setup")?;
    page.wait_for_text("#panel-setup .verdict", "legal")
}

fn write_fen(page: &BrowserTab, fen: &str) -> Result<()> {
    page.click("#setup-fen")?;
    page.evaluate("document.querySelector('#setup-fen').select()")?;
    page.write(fen)
}

fn ensure_no_errors(page: &BrowserTab) -> Result<()> {
    let errors = page.evaluate("document.querySelector('.notice.error')?.textContent ?? ''")?;
    ensure!(errors == "", "the page says {errors}");
    Ok(())
}

/// A number, X-FEN and Shredder-FEN: the editor finds out that it is Chess960.
pub(super) fn editor_chess960(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("e2e4")?;
    open_editor(&page)?;
    page.click("#number-960")?;
    page.evaluate("document.activeElement.select()")?;
    page.write("0")?;
    page.click("button: Set up this number")?;
    page.wait_for_square("a1", "white bishop")?;
    page.wait_for_text("#panel-setup .verdict", "legal in Chess960")?;
    page.wait_until("document.querySelector('#setup-chess960').checked")?;
    stage.picture(&page, "editor-chess960")?;
    // Until it is used, the game stays as it is.
    open_tab(&page, "analyse")?;
    page.wait_for_square("e4", "white pawn, last move")?;
    open_tab(&page, "setup")?;
    page.wait_for_square("a1", "white bishop")?;

    write_fen(&page, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")?;
    page.wait_until("!document.querySelector('#setup-chess960').checked")?;
    write_fen(&page, "1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/4R1KR w HEgb - 0 1")?;
    page.wait_for_text("#panel-setup .verdict", "legal in Chess960")?;
    page.wait_until(
        "[...document.querySelectorAll('#panel-setup .tick input[value]')].filter(box => /[KQkq]/.test(box.value) && box.checked).length === 4",
    )?;
    // Standard castling has no such rights: the switch says so.
    page.click("#setup-chess960")?;
    page.wait_for_text("#setup-problems", "only in Chess960")?;
    page.click("#setup-chess960")?;
    page.wait_until(USABLE)?;
    page.click("#use-position")?;
    page.wait_until("!document.querySelector('#panel-analyse').hidden")?;
    // The king takes its rook.
    page.click_move("g1", "h1")?;
    page.wait_for_square("f1", "white rook")?;

    // Importing it is not an error.
    load(&page, "6k1/8/8/8/8/8/8/1K1RR3 w D - 0 1")?;
    page.wait_for_square("b1", "white king")?;
    ensure_no_errors(&page)?;
    load(
        &page,
        "[Variant \"Chess960\"]\n[FEN \"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1\"]\n\n1. e4 e5 *",
    )?;
    page.wait_for_line("e4 e5")?;
    ensure_no_errors(&page)?;
    finish(page)
}

/// FEN as people paste it.
pub(super) fn editor_spellings(stage: &mut TestBench<'_>) -> Result<()> {
    const FEN: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    let underscores = FEN.replace(' ', "_");
    let page = stage.open()?;
    open_editor(&page)?;
    let shown = "document.querySelector('#setup-fen').value";
    for text in [
        underscores.clone(),
        format!("[FEN \"{FEN}\"]"),
        format!("https://lichess.org/analysis/standard/{underscores}?color=white"),
        format!("https://www.chess.com/analysis?fen={}&flip=false", FEN.replace(' ', "%20")),
        FEN.trim_end_matches(" 2 3").to_owned(),
    ] {
        page.click("button: Empty board")?;
        page.wait_for_square("f3", "empty")?;
        write_fen(&page, &text)?;
        page.wait_for_square("f3", "white knight").with_context(|| text.clone())?;
        page.wait_until(USABLE)?;
        // When the field is left, the FEN is written out.
        page.press("Tab")?;
        page.wait_until(&format!(
            "{shown}.startsWith('{} w KQkq - ')",
            FEN.split(' ').next().unwrap_or_default()
        ))?;
    }
    // Errors are still exact.
    write_fen(&page, &underscores.replace("4p3", "4p4"))?;
    page.wait_for_text("#setup-problems", "Board, column 25")?;
    // The same in the import.
    load(&page, &format!("https://lichess.org/analysis/standard/{underscores}"))?;
    page.wait_for_square("f3", "white knight")?;
    ensure_no_errors(&page)?;
    finish(page)
}

/// A draft survives other tabs and reloads.
pub(super) fn editor_draft(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("d2d4")?;
    open_editor(&page)?;
    page.click("button: Place a black queen")?;
    page.click(&square("e5"))?;
    page.wait_for_square("e5", "black queen")?;
    page.wait_for_text("#setup-kept", "draft is kept")?;
    open_tab(&page, "analyse")?;
    page.wait_for_square("e5", "empty")?;
    page.wait_for_square("d4", "last move")?;
    open_tab(&page, "setup")?;
    page.wait_for_square("e5", "black queen")?;
    page.reload()?;
    page.wait_for_square("e5", "black queen")?;
    // A FEN that cannot be read is kept as it was typed, even if nobody has answered yet.
    write_fen(&page, "4k3/8/8 w")?;
    page.reload()?;
    page.wait_until("document.querySelector('#setup-fen').value === '4k3/8/8 w'")?;
    page.click("#from-game")?;
    page.wait_for_square("e5", "empty")?;
    page.wait_for_text("#setup-kept", "position of your game")?;
    // Start position and empty board do not touch the game.
    page.click("button: Start position")?;
    page.wait_for_square("d2", "white pawn")?;
    page.click("button: Empty board")?;
    page.wait_for_square("d2", "empty")?;
    open_tab(&page, "analyse")?;
    page.wait_for_square("d4", "white pawn, last move")?;
    page.wait_for_line("d4")?;
    finish(page)
}

/// Pieces come from the palette, a brush paints, the right button erases.
pub(super) fn editor_painting(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_editor(&page)?;
    page.click("button: Empty board")?;
    page.wait_for_square("e1", "empty")?;
    page.drag("button: Place a white king", &square("e1"), "left")?;
    page.wait_for_square("e1", "white king")?;
    ensure!(
        page.is_true("document.querySelector('[data-brush=move]').getAttribute('aria-pressed') === 'true'")?,
        "a dragged piece is not chosen as a brush"
    );
    ensure!(page.is_true("document.querySelector('.carried') === null")?, "the dragged piece is put down");
    // Beside the board nothing happens.
    page.drag("button: Place a black king", "#tab-setup", "left")?;
    page.click("button: Place a white pawn")?;
    page.drag(&square("a2"), &square("h2"), "left")?;
    for file in "abcdefgh".chars() {
        page.wait_for_square(&format!("{file}2"), "white pawn")?;
    }
    page.drag(&square("a2"), &square("d2"), "right")?;
    page.wait_for_square("a2", "empty")?;
    page.wait_for_square("d2", "empty")?;
    page.wait_for_square("e2", "white pawn")?;
    // A press on the same piece takes it away.
    page.click(&square("h2"))?;
    page.wait_for_square("h2", "empty")?;
    page.drag("button: Place a black king", &square("e8"), "left")?;
    page.wait_until(USABLE)?;
    stage.picture(&page, "editor-painting")?;
    finish(page)?;

    let page = stage.browser.private_page()?;
    page.become_phone(390, 844)?;
    stage.visit(&page)?;
    page.tap("#tab-setup")?;
    page.wait_for_text("#panel-setup .verdict", "legal")?;
    page.evaluate("scrollTo(0, 0)")?;
    page.touch_drag("button: Place a white rook", &square("e4"))?;
    page.wait_for_square("e4", "white rook")?;
    page.tap("button: Remove pieces")?;
    page.wait_until("document.querySelector('[data-brush=\".\"]').getAttribute('aria-pressed') === 'true'")?;
    page.touch_drag(&square("a2"), &square("h2"))?;
    page.wait_for_square("a2", "empty")?;
    page.wait_for_square("h2", "empty")?;
    ensure!(page.is_true("scrollY === 0")?, "painting scrolled the page");
    stage.picture(&page, "editor-phone")?;
    finish(page)
}

/// After a game with Black, White is at the bottom again.
pub(super) fn white_at_the_bottom(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    let corner = |name: &str| format!("document.querySelector('#board .square').dataset.square === '{name}'");
    open_tab(&page, "play")?;
    page.click("input[value=black]")?;
    page.click("#start-game")?;
    page.wait_until(&corner("h1"))?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 1")?;
    page.click("#resign")?;
    page.click("#resign")?;
    open_tab(&page, "setup")?;
    page.wait_for_text("#panel-setup .verdict", "legal")?;
    page.click("button: Start position")?;
    page.wait_until(USABLE)?;
    page.click("#use-position")?;
    page.wait_until(&corner("a8"))?;
    finish(page)
}

/// Squares by mouse and keyboard, from both sides; the result is kept.
pub(super) fn coordinate_trainer(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    // The test does not wait for half a minute.
    page.evaluate("{ const now = performance.now.bind(performance); window.later = 0; performance.now = () => now() + window.later; }")?;
    page.press("t")?;
    page.wait_until("document.querySelector('#trainer-start') !== null")?;
    page.click("#trainer-start")?;
    let target = "document.querySelector('#trainer-target').textContent";
    page.wait_until(&format!("/^[a-h][1-8]$/.test({target})"))?;
    let cell = |black: bool, wrong: bool| {
        let turned = if black { "63 - index" } else { "index" };
        let shift = if wrong { " ^ 1" } else { "" };
        format!(
            "document.querySelectorAll('.trainer-board .square')[(() => {{ const name = {target}; \
             const index = name.charCodeAt(0) - 97 + 8 * (8 - Number(name[1])); return ({turned}){shift}; }})()].id = 'pick'"
        )
    };
    let unmark = "document.querySelector('#pick').removeAttribute('id')";
    page.evaluate(&cell(false, true))?;
    page.click("#pick")?;
    page.evaluate(unmark)?;
    page.wait_for_text("#trainer-score", "0 found, 1 missed")?;
    page.evaluate(&cell(false, false))?;
    page.click("#pick")?;
    page.evaluate(unmark)?;
    page.wait_for_text("#trainer-score", "1 found, 1 missed")?;
    stage.picture(&page, "trainer")?;
    // By keyboard: the arrow keys lead to the square.
    page.evaluate("document.querySelector('.trainer-board [tabindex=\"0\"]').focus()")?;
    for _ in 0..16 {
        let way = page.evaluate(&format!(
            "(() => {{ const at = [...document.querySelectorAll('.trainer-board .square')].indexOf(document.activeElement); \
             const name = {target}; const column = name.charCodeAt(0) - 97, row = 8 - Number(name[1]); \
             return at % 8 < column ? 'ArrowRight' : at % 8 > column ? 'ArrowLeft' : (at >> 3) < row ? 'ArrowDown' : (at >> 3) > row ? 'ArrowUp' : 'Enter'; }})()"
        ))?;
        let key = way.as_str().context("no key")?.to_owned();
        page.press(&key)?;
        if key == "Enter" {
            break;
        }
    }
    page.wait_for_text("#trainer-score", "2 found, 1 missed")?;
    page.evaluate("window.later = 31000")?;
    page.wait_for_text("#trainer-score", "Time is up: 2 found, 1 missed. Your best round.")?;
    page.wait_for_text("#trainer-records", "best 2, last 2")?;
    // From Black's side.
    page.click(".trainer input[value=black]")?;
    page.wait_for_text("#trainer-records", "No round with Black yet")?;
    page.click("#trainer-start")?;
    page.wait_until(&format!("/^[a-h][1-8]$/.test({target})"))?;
    page.evaluate(&cell(true, false))?;
    page.click("#pick")?;
    page.evaluate(unmark)?;
    page.wait_for_text("#trainer-score", "1 found, 0 missed")?;
    crate::accessibility::check(&page, "coordinate trainer")?;
    // The results outlive the page.
    page.reload()?;
    open_tab(&page, "setup")?;
    page.click("#open-trainer")?;
    page.wait_for_text("#trainer-records", "best 2, last 2")?;
    finish(page)
}
