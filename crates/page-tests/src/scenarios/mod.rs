//! User scenarios, one function each.

mod analysis;
mod comfort;
mod editor;
mod engine_settings;
mod everyone;
mod explaining;
mod explorer;
mod games;
mod keeping;
mod layout;
mod library;
mod playing;
mod puzzles;
mod setting_up;
mod sharing;
mod static_engine;
mod static_hosting;
mod tree;
mod xray;

use anyhow::{Result, ensure};

use crate::TestBench;
use crate::page::BrowserTab;
use crate::site::Site;

/// What a scenario runs on.
enum RunsOn {
    Both,
    /// Only `ferz serve`, and why.
    Server(&'static str),
    Static,
}

pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut TestBench<'_>) -> Result<()>,
    runs_on: RunsOn,
}

impl Scenario {
    /// The reason why the scenario is left out for this site.
    pub(crate) fn left_out(&self, site: &Site) -> Option<&'static str> {
        match (&self.runs_on, site) {
            (RunsOn::Server(reason), Site::Static(_)) => Some(reason),
            (RunsOn::Static, Site::Server(_)) => Some("about the static folder"),
            _ => None,
        }
    }
}

macro_rules! scenarios {
    ($($runs_on:expr => $($module:ident::$name:ident),+;)+) => {
        &[$($(Scenario { name: stringify!($name), run: $module::$name, runs_on: $runs_on }),+),+]
    };
}

/// Why a scenario of the page alone runs on one host only.
const SAME_PAGE: &str = "the page is the same";

/// All of them, in the order in which they run.
pub(crate) const ALL: &[Scenario] = scenarios! {
    RunsOn::Both =>
        everyone::loads_fast_and_small,
        playing::mate_by_clicks_and_drags,
        playing::mate_by_keyboard,
        playing::typed_moves,
        playing::promotion,
        playing::game_against_the_engine,
        playing::mate_against_the_engine,
        playing::dead_positions,
        analysis::live_analysis,
        analysis::threats_and_previews,
        analysis::explanations,
        explaining::end_of_a_game_explained,
        explaining::explanation_agrees_with_the_analysis,
        explaining::no_false_threats;
    RunsOn::Server("the tables are files on the server's disk") => analysis::endgame_tables;
    RunsOn::Both =>
        engine_settings::engine_settings_survive_a_reload,
        engine_settings::stop_rule_ends_the_analysis,
        engine_settings::engine_settings_on_a_phone;
    RunsOn::Server("a worker has one thread and starts no programs") =>
        engine_settings::two_threads_are_used,
        engine_settings::other_engine_beside_ours;
    RunsOn::Both =>
        explorer::explorer_book,
        explorer::repertoire,
        explorer::explorer_on_a_phone;
    RunsOn::Server("the games are a file on the server's disk") => explorer::explorer_games;
    RunsOn::Server(SAME_PAGE) =>
        comfort::evaluation_bar,
        comfort::calm_lines,
        comfort::end_of_a_game,
        comfort::human_pace,
        comfort::typed_errors,
        comfort::drawings,
        comfort::premoves,
        comfort::premoves_by_touch,
        comfort::sounds,
        comfort::settings,
        comfort::settings_on_a_phone;
    RunsOn::Both =>
        tree::variations_and_comments,
        tree::walking_through_a_game,
        tree::own_arrows,
        tree::glyphs,
        games::import_and_review,
        games::several_games,
        games::endless_game,
        games::hostile_text_stays_text,
        games::comments_from_right_to_left,
        puzzles::learn_from_mistakes,
        puzzles::puzzles_from_a_file,
        setting_up::set_up_errors,
        setting_up::chess960,
        editor::editor_chess960,
        sharing::web_page_export;
    RunsOn::Server(SAME_PAGE) =>
        editor::editor_spellings,
        editor::editor_draft,
        editor::editor_painting,
        editor::white_at_the_bottom,
        sharing::honest_links,
        sharing::picture_of_the_position,
        sharing::tabs_in_the_address;
    // The static page joins the modules that are loaded later, and the stylesheets, in its own way.
    RunsOn::Both =>
        editor::coordinate_trainer,
        sharing::animated_gif,
        sharing::printing;
    RunsOn::Server(SAME_PAGE) =>
        xray::xray_links,
        xray::xray_lit_squares,
        xray::xray_masks,
        xray::xray_timeline,
        xray::xray_copies,
        xray::xray_tours,
        xray::scratch_board;
    RunsOn::Both =>
        xray::xray_of_the_start,
        xray::xray_perft,
        xray::xray_values,
        xray::search_plots,
        keeping::reload_keeps_everything,
        keeping::reload_in_mid_search,
        keeping::versions_of_saved_data;
    RunsOn::Server("the pictures are the same") => xray::xray_pictures;
    RunsOn::Server("the server itself is stopped") => keeping::server_restart;
    RunsOn::Both =>
        keeping::two_tabs,
        keeping::links,
        layout::first_screen;
    RunsOn::Server(SAME_PAGE) =>
        layout::review_in_sight,
        layout::review_on_a_phone,
        layout::steady_board,
        layout::small_screens,
        layout::game_in_landscape,
        layout::headers_and_clocks,
        layout::verdict_and_second_try,
        layout::words_of_a_review;
    RunsOn::Both =>
        everyone::phone,
        everyone::accessible,
        everyone::pictures,
        everyone::touch;
    RunsOn::Server("the library is a file on the server's disk") =>
        library::library_keeps_games,
        library::library_imports_a_large_file,
        library::library_of_a_million,
        library::library_edits,
        library::library_in_two_tabs,
        library::library_on_a_phone,
        library::library_accessible,
        library::library_takes_long_files;
    RunsOn::Static => library::library_absent;
    RunsOn::Static =>
        static_engine::first_visit,
        static_engine::bench_in_the_browser,
        static_engine::deep_stack,
        static_engine::stop_to_silence,
        static_engine::crash_of_the_engine,
        static_hosting::slow_engine,
        static_hosting::insecure_host,
        static_hosting::old_browsers,
        static_hosting::offline,
        static_hosting::update,
        static_hosting::half_an_update,
        static_hosting::links_to_and_from_the_server,
        static_hosting::content_security_policy,
        static_hosting::installable;
};

/// The depth of the analysis that is shown, or 0.
const DEPTH: &str = "Number(/depth (\\d+)/.exec(document.querySelector('.facts').textContent)?.[1] ?? 0)";

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
