//! User scenarios, one function each.

mod analysis;
mod everyone;
mod games;
mod keeping;
mod playing;
mod setting_up;
mod tree;
mod xray;

use anyhow::{Result, ensure};

use crate::TestBench;
use crate::page::BrowserTab;

type Scenario = fn(&mut TestBench<'_>) -> Result<()>;

/// All of them, in the order in which they run.
pub(crate) const ALL: &[(&str, Scenario)] = &[
    ("loads_fast_and_small", everyone::loads_fast_and_small),
    ("mate_by_clicks_and_drags", playing::mate_by_clicks_and_drags),
    ("mate_by_keyboard", playing::mate_by_keyboard),
    ("typed_moves", playing::typed_moves),
    ("promotion", playing::promotion),
    ("game_against_the_engine", playing::game_against_the_engine),
    ("mate_against_the_engine", playing::mate_against_the_engine),
    ("dead_positions", playing::dead_positions),
    ("live_analysis", analysis::live_analysis),
    ("threats_and_previews", analysis::threats_and_previews),
    ("explanations", analysis::explanations),
    ("endgame_tables", analysis::endgame_tables),
    ("variations_and_comments", tree::variations_and_comments),
    ("walking_through_a_game", tree::walking_through_a_game),
    ("own_arrows", tree::own_arrows),
    ("glyphs", tree::glyphs),
    ("import_and_review", games::import_and_review),
    ("several_games", games::several_games),
    ("endless_game", games::endless_game),
    ("hostile_text_stays_text", games::hostile_text_stays_text),
    ("comments_from_right_to_left", games::comments_from_right_to_left),
    ("set_up_errors", setting_up::set_up_errors),
    ("chess960", setting_up::chess960),
    ("xray_of_the_start", xray::xray_of_the_start),
    ("xray_links", xray::xray_links),
    ("xray_lit_squares", xray::xray_lit_squares),
    ("xray_masks", xray::xray_masks),
    ("xray_timeline", xray::xray_timeline),
    ("xray_perft", xray::xray_perft),
    ("xray_values", xray::xray_values),
    ("xray_copies", xray::xray_copies),
    ("xray_tours", xray::xray_tours),
    ("xray_pictures", xray::xray_pictures),
    ("scratch_board", xray::scratch_board),
    ("search_plots", xray::search_plots),
    ("reload_keeps_everything", keeping::reload_keeps_everything),
    ("server_restart", keeping::server_restart),
    ("two_tabs", keeping::two_tabs),
    ("links", keeping::links),
    ("phone", everyone::phone),
    ("accessible", everyone::accessible),
    ("pictures", everyone::pictures),
];

/// Fails if there are errors on the console.
fn finish(page: BrowserTab) -> Result<()> {
    let complaints = page.complaints()?;
    ensure!(complaints.is_empty(), "on the console: {}", complaints.join("; "));
    page.close()
}

/// Opens a tab of the page and waits for its panel.
fn open_tab(page: &BrowserTab, name: &str) -> Result<()> {
    page.click(&format!("#tab-{name}"))?;
    page.wait_until(&format!("!document.querySelector('#panel-{name}').hidden"))
}

/// Pastes a text into the PGN field and loads it.
fn load(page: &BrowserTab, text: &str) -> Result<()> {
    open_tab(page, "review")?;
    page.evaluate("document.querySelector('.import-card').open = true")?;
    page.click("#import-text")?;
    page.write(text)?;
    page.click("#load")
}

/// Starts from a position.
fn load_fen(page: &BrowserTab, fen: &str) -> Result<()> {
    load(page, fen)?;
    let placement = fen.split(' ').next().unwrap_or_default();
    let pieces = placement.chars().filter(char::is_ascii_alphabetic).count();
    page.wait_until(&format!("document.querySelectorAll('#board .men .piece').length === {pieces}"))
}
