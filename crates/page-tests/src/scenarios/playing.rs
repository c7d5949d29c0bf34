//! Making moves and playing games.

use anyhow::{Context, Result, ensure};

use super::{finish, load_fen, open_tab};
use crate::TestBench;
use crate::page::square;

/// The shepherd's mate: clicks, and one move dragged.
pub(super) fn mate_by_clicks_and_drags(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click(&square("e2"))?;
    page.wait_for_square("e4", "can move here")?;
    ensure!(!page.square("e5")?.contains("can move here"), "a pawn cannot move three squares");
    page.click(&square("e4"))?;
    page.wait_for_square("e4", "white pawn, last move")?;
    page.click_moves("e7e5 f1c4 b8c6")?;
    page.drag(&square("d1"), &square("h5"), "left")?;
    page.wait_for_square("h5", "white queen")?;
    // An illegal drag puts the piece back.
    page.drag(&square("g8"), &square("g5"), "left")?;
    page.wait_for_square("g8", "black knight")?;
    page.click_moves("g8f6 h5f7")?;
    page.wait_for_square("e8", "in check")?;
    page.wait_for_text("#opening", "White wins by checkmate")?;
    page.wait_until("document.querySelector('#spoken-moves').textContent.includes('queen takes f7, checkmate. White wins by checkmate')")?;
    page.wait_for_line("e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#")?;
    finish(page)
}

/// The fool's mate without a mouse.
pub(super) fn mate_by_keyboard(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.press("b")?;
    for mv in ["f2f3", "e7e5", "g2g4", "d8h4"] {
        page.walk_to(&mv[..2])?;
        page.press("Enter")?;
        page.wait_for_square(&mv[2..], "can move here")?;
        page.walk_to(&mv[2..])?;
        page.press("Enter")?;
        page.wait_for_square(&mv[2..], "last move")?;
    }
    page.wait_for_text("#opening", "Black wins by checkmate")?;
    page.wait_for_square("e1", "in check")?;
    finish(page)
}

pub(super) fn typed_moves(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    for san in ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"] {
        page.press("m")?;
        page.write(san)?;
        page.press("Enter")?;
        page.wait_until("document.querySelector('#typed-move').value === ''")?;
        page.evaluate("document.activeElement.blur()")?;
    }
    page.wait_for_text("#opening", "Ruy Lopez")?;
    page.press("m")?;
    page.write("Qxh7")?;
    page.press("Enter")?;
    page.wait_for_text("#typed-error", "Qxh7")?;
    page.wait_for_line("e4 e5 Nf3 Nc6 Bb5 a6").context("an illegal move must change nothing")?;
    finish(page)
}

/// Promotion by mouse and by keyboard.
pub(super) fn promotion(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    load_fen(&page, "8/4P3/7k/8/8/8/1p4K1/8 w - - 0 1")?;
    page.click_move("e7", "e8")?;
    page.wait_until("document.querySelectorAll('.promotion button').length === 4")?;
    stage.picture(&page, "promotion")?;
    page.click(".promotion [aria-label='Promote to a knight']")?;
    page.wait_for_square("e8", "white knight")?;
    page.press("b")?;
    page.walk_to("b2")?;
    page.press("Enter")?;
    page.walk_to("b1")?;
    page.press("Enter")?;
    page.wait_until("document.querySelector('.promotion') !== null")?;
    page.press("Escape")?;
    page.wait_until("document.querySelector('.promotion') === null")?;
    page.wait_for_square("b2", "black pawn")?;
    page.walk_to("b2")?;
    page.press("Enter")?;
    page.walk_to("b1")?;
    page.press("Enter")?;
    page.wait_until("document.querySelector('.promotion') !== null")?;
    page.press("q")?;
    page.wait_for_square("b1", "black queen")?;
    page.wait_for_line("e8=N b1=Q")?;
    // From either side a second press on the same square is a queen.
    for _ in 0..2 {
        load_fen(&page, "8/4P3/7k/8/8/8/1p4K1/8 w - - 0 1")?;
        page.wait_for_square("e7", "white pawn")?;
        page.click_move("e7", "e8")?;
        page.wait_until("document.querySelector('.promotion') !== null")?;
        page.click(&square("e8"))?;
        page.wait_for_square("e8", "white queen")?;
        page.evaluate("document.activeElement.blur()")?;
        page.press("f")?;
    }
    finish(page)
}

/// A game with a clock: the engine answers, hints, take-backs, and the end by resignation.
pub(super) fn game_against_the_engine(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_tab(&page, "play")?;
    page.wait_until("document.querySelectorAll('.level').length >= 4")?;
    page.click(".level")?;
    page.choose("5 minutes + 3 s")?;
    page.click("#start-game")?;
    page.wait_for_text(".game-status", "Your move")?;
    page.click_move("e2", "e4")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 2")?;
    page.wait_for_text(".game-status", "Your move")?;
    page.press("ArrowLeft")?;
    page.wait_for_text(".game-status", "earlier position")?;
    page.press("ArrowDown")?;
    page.wait_for_text(".game-status", "Your move")?;
    ensure!(
        page.is_true(
            "[...document.querySelectorAll('.clock')].every(clock => /^[45]:\\d\\d$/.test(clock.textContent))"
        )?,
        "clocks"
    );
    ensure!(
        page.is_true("getComputedStyle(document.querySelector('#eval-bar')).visibility === 'hidden'")?,
        "no evaluation during a game"
    );
    stage.picture(&page, "play")?;
    page.click("#hint")?;
    page.wait_until("document.querySelector('.layer-hint .arrow') !== null")?;
    page.click("#take-back")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 0")?;
    page.click_move("d2", "d4")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 2")?;
    page.wait_for_text(".game-status", "Your move")?;
    // Pasting or opening something by mistake does not end the game.
    page.evaluate(
        "(() => { const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', '1. c4 *'); \
         document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true })); })()",
    )?;
    page.wait_for_text("#notices", "Finish it or resign first")?;
    page.evaluate("location.hash = '#fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1'")?;
    page.wait_for_text("#notices", "before you open another")?;
    page.wait_for_text(".game-status", "Your move")?;
    // The game goes on after a reload, clocks and all.
    page.reload()?;
    page.wait_for_text(".game-status", "Your move")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 2")?;
    page.click("#resign")?;
    page.click("#resign")?;
    page.wait_for_text("#game-end", "You lost by resignation")?;
    finish(page)
}

/// A game from a position, won on the spot.
pub(super) fn mate_against_the_engine(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    load_fen(&page, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")?;
    open_tab(&page, "play")?;
    page.choose("current position")?;
    page.click("#start-game")?;
    page.wait_for_text(".game-status", "Your move")?;
    page.click_move("a1", "a8")?;
    page.wait_for_text("#game-end", "You won by checkmate")?;
    page.wait_until(
        "document.querySelector('#spoken-moves').textContent.includes('White wins by checkmate')",
    )?;
    finish(page)
}

/// A move that closes a wall of pawns ends the game, and a flag that falls behind one is a draw.
pub(super) fn dead_positions(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    load_fen(&page, "4k3/8/8/p1p1p1p1/P1P1P3/6P1/8/4K3 w - - 0 1")?;
    open_tab(&page, "play")?;
    page.choose("current position")?;
    page.click("#start-game")?;
    page.wait_for_text(".game-status", "Your move")?;
    page.click_move("g3", "g4")?;
    page.wait_for_text("#game-end", "Draw by dead position")?;
    // Black cannot mate: the bishop never gets past the pawns.
    load_fen(&page, "5b2/p7/Pp3k2/1Pp1pBp1/2P1P1P1/5K2/8/8 w - - 0 1")?;
    open_tab(&page, "play")?;
    page.wait_until("document.querySelectorAll('.level').length >= 4")?;
    page.click(".level")?;
    page.choose("current position")?;
    page.choose("custom…")?;
    page.evaluate(
        "(() => { const minutes = [...document.querySelectorAll('input.number')].find(it => it.checkVisibility()); \
         minutes.value = '0.1'; minutes.dispatchEvent(new Event('change')); })()",
    )?;
    page.click("#start-game")?;
    page.wait_for_text(".game-status", "Your move")?;
    page.click_move("f3", "e3")?;
    page.wait_for_text("#game-end", "Draw: your time is up, but Ferz cannot mate")?;
    finish(page)
}
