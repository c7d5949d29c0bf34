//! The opening explorer and the repertoire.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{finish, open_tab};
use crate::TestBench;
use crate::page::BrowserTab;
use crate::server::PageServer;

const OPEN: &str = "#explorer summary";
const ROWS: &str = "document.querySelectorAll('#explorer tbody tr').length";

/// Opens the explorer on the Analyse tab and waits for moves.
fn open_explorer(page: &BrowserTab) -> Result<()> {
    open_tab(page, "analyse")?;
    page.click(OPEN)?;
    // The games of other scenarios may be in the library of the server.
    if page.is_true("document.querySelector('#explorer-source').checkVisibility()")? {
        page.choose("Ferz book")?;
        page.wait_until("document.querySelector('#explorer .weight-bar') !== null")?;
    }
    page.wait_until(&format!("{ROWS} > 0"))
}

/// The book, on both hosts: it follows the board, previews and plays moves, and stays open.
pub(super) fn explorer_book(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_tab(&page, "analyse")?;
    ensure!(!page.is_true("document.querySelector('#explorer').open")?, "folded at first");
    open_explorer(&page)?;
    let shares = page.evaluate(
        "[...document.querySelectorAll('#explorer .weight-line')].reduce((sum, one) => sum + parseInt(one.textContent), 0)",
    )?;
    ensure!(shares.as_i64().is_some_and(|sum| (90..=110).contains(&sum)), "the shares add up to {shares} %");
    page.hover("#explorer .move")?;
    page.wait_until("[...document.querySelectorAll('.preview')].some(one => !one.hidden)")?;
    page.click("#explorer .move")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 1")?;
    page.wait_until("document.querySelector('#explorer .move')?.textContent.startsWith('1… ')")?;

    // It answers quickly.
    let slowest = page.evaluate(
        "new Promise(done => { const times = []; const rows = document.querySelector('#explorer tbody'); let start = 0; \
         const watch = new MutationObserver(() => { times.push(performance.now() - start); \
         if (times.length < 6) go(); else { watch.disconnect(); done(times.sort((a, b) => a - b)[3]); } }); \
         const go = () => { start = performance.now(); document.querySelector(times.length % 2 ? '#go-forward' : '#go-back').click(); }; \
         watch.observe(rows, { childList: true }); go(); })",
    )?;
    println!("       the explorer follows in {slowest} ms");

    // A position that the book does not know.
    super::load_fen(&page, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")?;
    open_tab(&page, "analyse")?;
    page.wait_for_text(".explorer-text", "does not know")?;
    page.reload()?;
    page.wait_for_text(".explorer-text", "does not know")?;
    ensure!(page.is_true("document.querySelector('#explorer').open")?, "still open");
    finish(page)
}

/// Lines of the generated games. The fourth reaches the first by a different order of moves.
const LINES: [&str; 5] = ["e4 e5 Nf3 Nc6", "e4 c5 Nf3 d6", "d4 d5 c4 e6", "Nf3 e5 e4 Nc6", "e4 e5 Bc4 Nc6"];
const GAMES: usize = 2_000;

/// The line and the result of a game.
fn generated(game: usize) -> (&'static str, &'static str) {
    (LINES[game * game % 11 % LINES.len()], ["1-0", "1/2-1/2", "0-1"][game * 7 % 13 % 3])
}

fn games_text() -> String {
    let mut text = String::new();
    for game in 0..GAMES {
        let (line, result) = generated(game);
        let year = 1990 + game % 30;
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "[Event \"Test\"]\n[White \"Player {game}\"]\n[Black \"<b>Opponent</b>\"]\n[Date \"{year}.01.01\"]\n\
             [WhiteElo \"{}\"]\n[BlackElo \"2000\"]\n[Result \"{result}\"]\n\n{line} {result}\n\n",
            2000 + game % 100
        );
    }
    text
}

/// How often each move follows some moves, with its results, counted in the texts.
fn count_after(moves: &str) -> BTreeMap<&'static str, [usize; 3]> {
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for game in 0..GAMES {
        let (line, result) = generated(game);
        let Some(rest) = line.strip_prefix(moves) else { continue };
        let Some(next) = rest.split_whitespace().next() else { continue };
        let index = ["1-0", "1/2-1/2", "0-1"].iter().position(|it| *it == result).unwrap_or_default();
        counts.entry(next).or_default()[index] += 1;
    }
    counts
}

/// What the explorer shows: the move, its games, and the description of its results.
fn shown(page: &BrowserTab) -> Result<BTreeMap<String, (String, String)>> {
    let rows = page.evaluate(
        "[...document.querySelectorAll('#explorer tbody tr')].map(row => [row.querySelector('.move').textContent.split(' ')[1], \
         row.querySelector('.games').title, row.querySelector('.results-bar')?.title ?? ''])",
    )?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rows = rows.as_array().context("no rows")?;
    Ok(rows.iter().map(|row| (text(&row[0]), (text(&row[1]), text(&row[2])))).collect())
}

fn expected(moves: &str) -> BTreeMap<String, (String, String)> {
    let row = |(mv, counts): (&str, [usize; 3])| {
        let games: usize = counts.iter().sum();
        let [white, draws, black] = counts.map(|count| (100.0 * count as f64 / games as f64).round());
        let results = format!("White wins {white} %, draw {draws} %, Black wins {black} %");
        (mv.to_owned(), (format!("{games} games"), results))
    };
    count_after(moves).into_iter().map(row).collect()
}

/// A folder that is removed on drop.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Games of a file: counts, results and transpositions are those of an independent count.
pub(super) fn explorer_games(stage: &mut TestBench<'_>) -> Result<()> {
    let folder = Folder(std::env::temp_dir().join(format!("ferz-page-openings-{}", std::process::id())));
    fs::create_dir_all(&folder.0)?;
    let file = folder.0.join("games.pgn");
    fs::write(&file, games_text())?;
    let server = stage.site.server()?;
    let server = PageServer::start_with_openings(server.program(), &file, &folder.0)?;
    let page = stage.browser.private_page()?;
    page.resize(1366, 768)?;
    page.open(&server.url())?;
    open_tab(&page, "analyse")?;
    page.click(OPEN)?;
    page.wait_for_text(".explorer-text", "2,000 games")?;
    ensure!(shown(&page)? == expected(""), "at the start: {:?}", shown(&page)?);
    ensure!(page.text("#explorer .explorer-games")?.contains("<b>Opponent</b>"), "names are text");
    stage.picture(&page, "explorer")?;
    page.click_moves("e2e4 e7e5")?;
    page.wait_until("document.querySelector('#explorer .move')?.textContent.startsWith('2. ')")?;
    ensure!(shown(&page)? == expected("e4 e5"), "after 1. e4 e5: {:?}", shown(&page)?);

    // 2. Nf3 was reached by 1. Nf3, too.
    let others = count_after("Nf3 e5").values().flatten().sum::<usize>();
    let knight = "[...document.querySelectorAll('#explorer tbody tr')].find(row => row.querySelector('.move').textContent.endsWith('Nf3'))";
    let title = page.evaluate(&format!("{knight}.querySelector('.transposition').title"))?;
    ensure!(title == json!(format!("{others} more games reach this position by other moves")), "{title}");
    page.click_moves("g1f3")?;
    let here = count_after("e4 e5 Nf3").values().flatten().sum::<usize>() + others;
    page.wait_for_text(".explorer-text", &format!("{here} games"))?;

    // The book is there as well.
    page.choose("Ferz book")?;
    page.wait_until("document.querySelector('#explorer .weight-bar') !== null")?;
    for (width, height, dark) in [(1440, 900, true), (1024, 768, false)] {
        page.resize(width, height)?;
        page.prefer("prefers-color-scheme", if dark { "dark" } else { "light" })?;
        stage.picture(&page, &format!("explorer-{width}"))?;
    }
    finish(page)
}

/// The repertoire: starred moves and main lines, kept over a reload, and where the line leaves them.
pub(super) fn repertoire(stage: &mut TestBench<'_>) -> Result<()> {
    const CHOSEN: &str = "document.querySelectorAll('#explorer .star[aria-pressed=true]').length";
    let page = stage.open()?;
    open_explorer(&page)?;
    ensure!(page.is_true(&format!("{CHOSEN} === 0"))?, "nothing is chosen yet");
    page.click("#explorer .star")?;
    page.wait_until(&format!("{CHOSEN} === 1"))?;
    let chosen = page.text("#explorer tr.chosen .move")?;
    page.reload()?;
    page.wait_until(&format!("{CHOSEN} === 1"))?;
    ensure!(page.text("#explorer tr.chosen .move")? == chosen, "the same move after a reload");
    page.wait_for_text(".explorer-note", "of the book leaves White’s repertoire here")?;
    page.click("#explorer tr:not(.chosen) .move")?;
    page.wait_for_text(".explorer-note", "The line left White’s repertoire at 1. ")?;

    // The main line of a game, for the side at the bottom.
    page.press("f")?;
    super::load(&page, "1. e4 c6 2. d4 d5 3. Nc3 *")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 5")?;
    open_tab(&page, "analyse")?;
    page.wait_for_text("#adopt-line", "Black’s")?;
    // The button is below what the explorer and the engine say, and moves when they answer.
    page.wait_until(
        "(() => { const at = document.querySelector('#adopt-line').getBoundingClientRect().top, now = performance.now(); \
         if (window.adoptAt !== at) [window.adoptAt, window.adoptSince] = [at, now]; \
         return now - window.adoptSince > 700; })()",
    )?;
    page.click("#adopt-line")?;
    page.wait_for_text("#notices", "2 moves are in Black’s repertoire")?;
    page.press("ArrowUp")?;
    page.wait_until("document.querySelector('#explorer .move')?.textContent.startsWith('1. ')")?;
    page.press("ArrowRight")?;
    page.wait_until("document.querySelector('#explorer tr.chosen .move')?.textContent.endsWith('c6')")?;
    let kept =
        page.evaluate("Object.keys(JSON.parse(localStorage.getItem('ferz-repertoire')).data.black).length")?;
    ensure!(kept == json!(2), "{kept} positions of Black are kept");
    // A second click takes a move out again.
    page.click("#explorer tr.chosen .star")?;
    page.wait_until(&format!("{CHOSEN} === 0"))?;
    finish(page)
}

/// On a phone the table fits, and taps play moves.
pub(super) fn explorer_on_a_phone(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.browser.private_page()?;
    page.become_phone(390, 844)?;
    stage.visit(&page)?;
    page.tap("#tab-analyse")?;
    page.tap(OPEN)?;
    page.wait_until(&format!("{ROWS} > 0"))?;
    let width = page.evaluate("document.documentElement.scrollWidth")?;
    ensure!(width == 390, "the page is {width} pixels wide");
    let small = page.evaluate(
        "[...document.querySelectorAll('#explorer .star')].filter(star => star.getBoundingClientRect().width < 32).length",
    )?;
    ensure!(small == json!(0), "{small} stars are too small for a finger");
    stage.picture(&page, "explorer-phone")?;
    page.tap("#explorer .move")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 1")?;
    page.resize(844, 390)?;
    stage.picture(&page, "explorer-landscape")?;
    finish(page)
}
