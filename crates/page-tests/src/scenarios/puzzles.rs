//! Puzzles: from mistakes and from files.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::{finish, load, open_tab};
use crate::TestBench;
use crate::page::{BrowserTab, square};

/// Black allows a mate in one, and White overlooks it.
const GAME: &str = "[White \"Ada\"]\n[Black \"Grace\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. d3 Nxh5 *\n";
/// What `ferz puzzles` writes: mate in two, and one move that saves the draw.
const FILE: &str = r#"[SetUp "1"]
[FEN "rn1qkbnr/ppp2p1p/3p2p1/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6"]
[Goal "mate in 2"]
[Source "game 2, after 5... Bxd1"]

6. Bxf7+ Ke7 7. Nd5# *

[SetUp "1"]
[FEN "8/8/8/8/8/3PK3/8/3k4 b - - 0 1"]
[Goal "draw"]

1... Ke1 *
"#;

fn status(page: &BrowserTab, part: &str) -> Result<()> {
    page.wait_for_text("#puzzle-status", part)
}

/// Opens a file of puzzles, as the file dialog would.
fn open_file(page: &BrowserTab, text: &str) -> Result<()> {
    page.evaluate(&format!(
        "(() => {{ const files = new DataTransfer(); files.items.add(new File([{}], 'puzzles.pgn')); \
         const input = document.querySelector('#puzzle-file'); input.files = files.files; \
         input.dispatchEvent(new Event('change')); }})()",
        json!(text)
    ))?;
    Ok(())
}

pub(super) fn learn_from_mistakes(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_tab(&page, "puzzles")?;
    page.wait_for_text("#puzzle-count", "There are no puzzles yet.")?;
    ensure!(page.is_true("document.querySelector('#puzzle-learn').hidden")?, "there is no review");
    ensure!(page.is_true("document.querySelector('#puzzle-start').hidden")?, "there is nothing to solve");
    load(&page, GAME)?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 8")?;
    page.click("input[value=quick]")?;
    page.click("#start-review")?;
    page.wait_until("document.querySelector('.summary .accuracy') !== null")?;
    open_tab(&page, "puzzles")?;
    page.click("#puzzle-learn")?;
    // The mistakes come in the order of the game. An early queen may count as one.
    page.wait_for_text("#puzzle-title", "to move: find a better move than")?;
    if page.text("#puzzle-title")?.contains("Qh5") {
        page.click("#puzzle-remove")?;
    }
    page.wait_for_text("#puzzle-title", "Black to move: find a better move than Nf6")?;
    page.wait_for_text(".puzzle", "Ada, Grace")?;
    page.wait_until("document.querySelectorAll('.moves .move').length === 0")?;
    ensure!(
        page.is_true("!document.querySelector('.first-steps')?.checkVisibility()")?,
        "a puzzle is not the first screen"
    );
    ensure!(page.is_true("document.querySelector('.notice') === null")?, "the game is not replaced");
    stage.picture(&page, "puzzle")?;
    // The same mistake again. The engine judges it.
    page.click_move("g8", "f6")?;
    status(&page, "Nf6 is not the move. Try again.")?;
    page.wait_for_square("g8", "black knight")?;
    // A good move is accepted, whether the review named it or not.
    page.click_move("g7", "g6")?;
    status(&page, "Solved. The puzzle will come back soon.")?;
    page.click("#puzzle-next")?;
    page.wait_for_text("#puzzle-title", "White to move: find a better move than d3")?;
    page.click_move("h5", "f7")?;
    status(&page, "Solved on the first try.")?;
    page.click("#puzzle-end")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 8")
        .context("the game is back, with nothing of the puzzles in it")?;
    page.wait_for_text("#puzzle-count", "puzzles")?;
    // What is not solved comes again, what is solved after a day.
    page.reload()?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 8")?;
    page.wait_until("!document.querySelector('#puzzle-start').disabled")?;
    let kept = page.evaluate(
        "JSON.parse(localStorage.getItem('ferz-puzzles')).data.map(card => [card.box, card.tries])",
    )?;
    ensure!(
        kept.as_array().is_some_and(|cards| cards.contains(&json!([0, 1])) && cards.contains(&json!([1, 1]))),
        "{kept}"
    );
    finish(page)
}

pub(super) fn puzzles_from_a_file(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.browser.private_page()?;
    page.become_phone(390, 844)?;
    stage.visit(&page)?;
    page.tap("#tab-puzzles")?;
    open_file(&page, "1. e4 e5 *")?;
    page.wait_for_text("#notices", "The text contains no puzzles.")?;
    page.evaluate("document.querySelector('#notices').replaceChildren()")?;
    open_file(&page, FILE)?;
    page.wait_for_text("#puzzle-news", "2 new puzzles.")?;
    page.wait_for_text("#puzzle-count", "2 puzzles, 2 to solve now.")?;
    page.tap("#puzzle-start")?;
    page.wait_for_text("#puzzle-title", "White to move and mate in 2")?;
    page.tap("#puzzle-hint")?;
    status(&page, "Move the bishop on c4.")?;
    // Only the solution is right: this move wins, too.
    page.evaluate("document.querySelector('#board').scrollIntoView()")?;
    page.tap(&square("c3"))?;
    page.tap(&square("d1"))?;
    status(&page, "Nxd1 is not the move. Try again.")?;
    page.tap(&square("c4"))?;
    page.tap(&square("f7"))?;
    status(&page, "Right. One more move.")?;
    page.wait_for_square("e7", "black king")?;
    page.tap(&square("c3"))?;
    page.tap(&square("d5"))?;
    status(&page, "Solved. The puzzle will come back soon.")?;
    stage.picture(&page, "puzzle-phone")?;
    page.tap("#puzzle-next")?;
    page.wait_for_text("#puzzle-title", "Black to move and draw")?;
    page.tap("#puzzle-solution")?;
    status(&page, "This is the solution.")?;
    page.wait_for_square("e1", "black king")?;
    ensure!(page.is_true("document.documentElement.scrollWidth === 390")?, "the page is too wide");
    page.tap("#puzzle-remove")?;
    page.wait_for_text("#puzzle-title", "White to move and mate in 2")?;
    page.tap("#puzzle-end")?;
    page.wait_for_text("#puzzle-count", "1 puzzle")?;
    finish(page)
}
