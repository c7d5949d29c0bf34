//! Explanations and threats as a player reads them.

use anyhow::{Result, ensure};

use super::{DEPTH, finish, load_fen, open_tab};
use crate::TestBench;

/// The move that ended the game is explained, and what was missed.
pub(super) fn end_of_a_game_explained(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    load_fen(&page, "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1")?;
    open_tab(&page, "analyse")?;
    page.click_moves("f1f7")?;
    page.press("w")?;
    page.wait_for_text("#explanation", "Qf7 is stalemate")?;
    page.wait_for_text("#explanation", "Qf8# was mate.")?;
    ensure!(
        page.is_true("document.querySelector('#explanation progress').hidden")?,
        "no bar when it is done"
    );
    stage.picture(&page, "explained-stalemate")?;
    finish(page)
}

/// The explanation names the move at the head of the list beside it.
pub(super) fn explanation_agrees_with_the_analysis(stage: &mut TestBench<'_>) -> Result<()> {
    const FIRST: &str = "document.querySelector('.lines .line .move').textContent.replace(/^.*[.…] /, '')";
    let page = stage.open()?;
    load_fen(&page, "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8")?;
    open_tab(&page, "analyse")?;
    page.press("l")?;
    page.wait_until(&format!("{DEPTH} >= 14"))?;
    let before = page.evaluate(FIRST)?;
    page.press("w")?;
    page.wait_for_text("#explanation", "The best move is ")?;
    let (told, after) = (page.text("#explanation .reasons")?, page.evaluate(FIRST)?);
    let agrees = [before, after]
        .iter()
        .filter_map(|it| it.as_str())
        .any(|it| told.contains(&format!("best move is {it} (")));
    ensure!(agrees, "the explanation contradicts the list: {told}");
    finish(page)
}

/// A tempo is no threat: no arrow.
pub(super) fn no_false_threats(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    load_fen(&page, "r1bqkbnr/pp1ppppp/2n5/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")?;
    open_tab(&page, "analyse")?;
    page.press("x")?;
    page.wait_for_text(".threat-line", "There is no threat.")?;
    ensure!(page.is_true("document.querySelectorAll('.layer-threat .arrow').length === 0")?, "no arrow");
    finish(page)
}
