//! Loaded games and their review.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::{finish, load, open_tab};
use crate::TestBench;

/// Morphy at the opera, with variations and comments.
pub(super) const OPERA: &str = r#"[Event "Paris"]
[Date "1858.??.??"]
[White "Paul Morphy"]
[Black "Duke Karl and Count Isouard"]
[Result "1-0"]

{At the opera.} 1. e4 e5 2. Nf3 d6 3. d4 Bg4 {Too early.} (3... exd4 4. Nxd4 Nf6 (4... g6 5. Nc3 Bg7) 5. Nc3 Be7) (3... Nf6)
4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8
13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0
"#;

pub(super) fn import_and_review(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    load(&page, OPERA)?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 33")?;
    ensure!(page.is_true("document.querySelectorAll('.moves > .variation').length === 2")?, "two variations");
    page.wait_for_text(".variation", "Bg7")?;
    page.wait_for_text("#strip-bottom", "Paul Morphy")?;
    page.wait_for_text(".moves > .comment", "At the opera.")?;

    page.click("input[value=quick]")?;
    page.click("#start-review")?;
    page.wait_until("(bar => bar.max > 1 && !bar.hidden)(document.querySelector('#panel-review progress'))")?;
    page.wait_until("document.querySelector('.summary .accuracy') !== null")?;
    page.wait_until("!document.querySelector('.graph').hidden")?;
    ensure!(
        page.is_true("/^\\d+\\.\\d %$/.test(document.querySelector('.summary .accuracy td').textContent)")?,
        "accuracy"
    );
    // Every move of the main line has a judgement in words, not only in colour.
    page.wait_until(
        "[...document.querySelectorAll('.move.main')].every(move => move.className.includes('tone-'))",
    )
    .context("every move is classified")?;
    page.click(".graph")?;
    page.wait_until("/^[89]/.test(document.querySelector('.moves [aria-current]')?.textContent)")?;
    page.click("#next-mistake")?;
    page.wait_until("document.querySelector('.verdict p').textContent.length > 5")?;
    stage.picture(&page, "review")?;
    page.press("s")?;
    page.wait_until("document.querySelector('#share-pgn')?.value.includes('[%eval ')")?;
    let accuracy = page.text(".accuracies")?;
    page.reload()?;
    page.wait_for_text(".accuracies", &accuracy).context("a review is not lost on reload")?;
    page.wait_until("!document.querySelector('.graph').hidden")?;
    finish(page)
}

pub(super) fn several_games(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    let second = "[Event \"Second\"]\n[White \"Ada\"]\n[Black \"Grace\"]\n[Result \"1/2-1/2\"]\n\n1. c4 c5 2. g3 g6 1/2-1/2\n";
    load(&page, &format!("{OPERA}\n{second}"))?;
    page.wait_until("document.querySelectorAll('.game-list li').length === 2")?;
    page.click(".game-list li:nth-child(2) button")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 4")?;
    page.wait_for_text("#strip-top", "Grace")?;
    finish(page)
}

/// A very long game: the text is sent in parts, the move list is truncated, and the board still goes to the end.
pub(super) fn endless_game(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    let pairs = (0..3000).map(|pair| format!("{}. Nf3 Nf6 {}. Ng1 Ng8\n", 2 * pair + 1, 2 * pair + 2));
    let game = format!("{}6001. e4 *\n", pairs.collect::<String>());
    // Typing this text would take minutes.
    open_tab(&page, "review")?;
    page.evaluate(&format!("document.querySelector('#import-text').value = {}", json!(game)))?;
    page.click("#load")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 5000")?;
    page.wait_for_text(".moves", "too long")?;
    page.evaluate("document.activeElement.blur()")?;
    page.press("ArrowDown")?;
    page.wait_for_square("e4", "white pawn, last move")?;
    page.press("ArrowLeft")?;
    page.wait_for_square("g8", "black knight, last move")?;
    finish(page)
}

/// Markup in names and comments is shown as text; nonsense is refused with a sentence.
pub(super) fn hostile_text_stays_text(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    load(
        &page,
        "[Site \"javascript:alert(3)\"]\n[White \"<img src=x onerror=alert(1)>\"]\n\n1. e4 {<script>alert(2)</script><b>bold</b>} e5 *\n",
    )?;
    page.wait_for_text(".moves .comment", "<script>alert(2)</script><b>bold</b>")?;
    page.wait_for_text("#strip-bottom", "<img src=x onerror=alert(1)>")?;
    ensure!(
        page.is_true("document.querySelectorAll('body script, body img, .moves b').length === 0")?,
        "no element from text"
    );
    ensure!(
        page.is_true("[...document.links].every(link => ['http:', 'https:'].includes(link.protocol))")?,
        "no link from text"
    );
    load(&page, "1. e4 (1. d5) (1. e6) (1. d6) (1. e5) Ke7 *")?;
    page.wait_for_text(".notice", "Line 1, column 11: illegal move; rest of the line skipped")?;
    page.wait_for_text(".notice", "And 2 more.")?;
    page.click(".notice button")?;
    // The current game stays.
    load(&page, "this is no game")?;
    page.wait_for_text(".notice", "The text contains no game")?;
    page.wait_for_line("e4")?;
    page.evaluate("location.hash = '#pgn=%%%'")?;
    page.wait_until(
        "[...document.querySelectorAll('.notice.error')].some(one => one.textContent.includes('link'))",
    )?;
    finish(page)
}

/// A comment in Hebrew is read from right to left, the moves around it are not.
pub(super) fn comments_from_right_to_left(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    load(&page, "1. e4 e5 (1... c5 {טוב} 2. Nf3 d6 3. d4) 2. Nf3 *")?;
    page.wait_for_text(".variation", "d4")?;
    let lefts =
        "[...document.querySelectorAll('.variation .move')].map(move => move.getBoundingClientRect().left)";
    ensure!(
        page.is_true(&format!("{lefts}.every((left, index, all) => index === 0 || left > all[index - 1])"))?,
        "the moves are not in order: {}",
        page.evaluate(lefts)?
    );
    finish(page)
}
