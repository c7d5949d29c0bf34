//! The library: games are kept, listed, searched, imported and changed.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::games::OPERA;
use super::{finish, load, open_tab};
use crate::TestBench;
use crate::accessibility::{check, tab_through};
use crate::page::BrowserTab;
use crate::server::PageServer;

/// The white players of the visible rows.
const WHITES: &str = "[...document.querySelectorAll('.library-row')].filter(row => { \
    const box = row.getBoundingClientRect(), view = document.querySelector('.library-view').getBoundingClientRect(); \
    return box.height > 0 && box.bottom > view.top + 1 && box.top < view.bottom - 1; \
    }).map(row => row.querySelector('.col-white').textContent)";

const MODIFIER_CTRL: u32 = 2;
const MODIFIER_SHIFT: u32 = 8;

/// A file that is removed when dropped.
struct GamesFile(PathBuf);

impl GamesFile {
    fn new(name: &str, games: &str) -> Result<GamesFile> {
        let folder = env::temp_dir().join(format!("ferz-page-games-{}", process::id()));
        fs::create_dir_all(&folder)?;
        let path = folder.join(name);
        fs::write(&path, games)?;
        Ok(GamesFile(path))
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for GamesFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
        if let Some(folder) = self.0.parent() {
            // Fails while there are files of other scenarios.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Games with names, dates, ratings and openings in a regular pattern.
fn generated(count: usize) -> String {
    const OPENINGS: [&str; 3] = [
        "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be3 e5 7. Nb3 Be6",
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4 5. d4 Nd6 6. Bxc6 dxc6",
        "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Nf3 Be7 5. Bf4 O-O 6. e3 c5",
    ];
    const RESULTS: [&str; 3] = ["1-0", "0-1", "1/2-1/2"];
    let game = |index: usize| {
        let (result, moves) = (RESULTS[index % 3], OPENINGS[index / 3 % 3]);
        format!(
            "[Event \"Open {}\"]\n[Site \"?\"]\n[Date \"{}.05.{:02}\"]\n[Round \"1\"]\n[White \"Player {index:05}\"]\n\
             [Black \"Rival {:02}\"]\n[Result \"{result}\"]\n[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n\n{moves} {result}\n\n",
            index % 40,
            1950 + index % 70,
            1 + index % 28,
            index % 97,
            1500 + index % 1200,
            1600 + index % 1000,
        )
    };
    (0..count).map(game).collect()
}

/// A fresh tab on a server of its own, whose library is empty.
fn open_empty(stage: &mut TestBench<'_>) -> Result<(PageServer, BrowserTab)> {
    let server = stage.site.server()?.with_empty_library()?;
    let page = stage.browser.private_page()?;
    page.open(&server.url())?;
    Ok((server, page))
}

fn open_library(page: &BrowserTab) -> Result<()> {
    page.wait_until("!document.querySelector('#tab-library').hidden")?;
    open_tab(page, "library")
}

fn wait_for_count(page: &BrowserTab, words: &str) -> Result<()> {
    let condition = format!("document.querySelector('#library-count').textContent === {}", json!(words));
    page.wait_until(&condition).with_context(|| page.text("#library-count").unwrap_or_default())
}

fn wait_for_nothing(page: &BrowserTab) -> Result<()> {
    page.wait_until("document.querySelector('.library-nothing').checkVisibility()")
        .with_context(|| page.text("#library-count").unwrap_or_default())
}

fn wait_for_first(page: &BrowserTab, white: &str) -> Result<()> {
    page.wait_until(&format!("{WHITES}[0] === {}", json!(white)))
        .with_context(|| format!("the rows are {}", page.evaluate(WHITES).unwrap_or_default()))
}

/// Gives a file to the button that imports, as the browser's dialog would.
fn import(page: &BrowserTab, file: &Path) -> Result<()> {
    const INPUT: &str = "[...document.querySelectorAll('#panel-library input[type=file]')]\
                         .find(input => input.previousElementSibling.checkVisibility())";
    page.wait_until(&format!("{INPUT} !== undefined"))?;
    let input = page.call("Runtime.evaluate", &json!({"expression": INPUT}))?;
    let object = &input["result"]["objectId"];
    page.call("DOM.setFileInputFiles", &json!({"files": [file], "objectId": object}))?;
    Ok(())
}

/// Drops files on the page.
fn drop_files(page: &BrowserTab, files: &[&Path]) -> Result<()> {
    let data = json!({"items": [], "files": files, "dragOperationsMask": 1});
    for kind in ["dragEnter", "dragOver", "drop"] {
        page.call("Input.dispatchDragEvent", &json!({"type": kind, "x": 300, "y": 300, "data": data}))?;
    }
    Ok(())
}

/// Presses a key together with Ctrl or Shift.
fn press_with(page: &BrowserTab, modifiers: u32, key: &str, code: u32) -> Result<()> {
    for kind in ["keyDown", "keyUp"] {
        let event = json!({"type": kind, "key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers});
        page.call("Input.dispatchKeyEvent", &event)?;
    }
    Ok(())
}

fn import_games(page: &BrowserTab, count: usize) -> Result<()> {
    let file = GamesFile::new(&format!("games-{count}.pgn"), &generated(count))?;
    open_library(page)?;
    import(page, file.path())?;
    page.wait_for_text(".library-import", "Imported")?;
    page.click(".library-import button")?;
    page.wait_until(&format!("{WHITES}.length > 1"))
}

/// A library without games invites. What is played and loaded appears in it, edits are saved, and a reload adds no copy.
pub(super) fn library_keeps_games(stage: &mut TestBench<'_>) -> Result<()> {
    let (_server, page) = open_empty(stage)?;
    open_library(&page)?;
    page.wait_for_text(".library-empty", "Your games are kept here")?;
    stage.picture(&page, "library-empty")?;
    page.click_moves("e2e4 e7e5")?;
    wait_for_count(&page, "1 game")?;
    page.wait_until("document.querySelector('.library-saved').textContent === '✓'")?;

    load(&page, OPERA)?;
    page.wait_for_text("#notices", "Your previous game is kept in the library.")?;
    open_library(&page)?;
    wait_for_count(&page, "2 games")?;
    wait_for_first(&page, "Paul Morphy")?;
    page.wait_until(
        "document.querySelector('.library-row[aria-current] .col-white').textContent === 'Paul Morphy'",
    )?;

    page.click(".library-row:nth-child(2) .col-white")?;
    page.wait_for_line("e4 e5")?;
    page.wait_for_text(".library-walk", "2/2")?;
    page.press("ArrowRight")?;
    page.press("ArrowRight")?;
    page.wait_for_square("e5", "last move")?;
    page.click_moves("g1f3")?;
    page.wait_for_line("e4 e5 Nf3")?;
    page.wait_until("document.querySelector('.library-saved').textContent === '✓'")?;
    page.click("button: Previous game of the list")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 33")?;
    page.wait_for_text(".library-walk", "1/2")?;
    page.click("button: Next game of the list")?;
    page.wait_for_line("e4 e5 Nf3").context("an edit is saved")?;

    page.reload()?;
    page.wait_for_line("e4 e5 Nf3")?;
    open_library(&page)?;
    wait_for_count(&page, "2 games").context("a reload adds no copy")?;
    finish(page)
}

/// 20,000 games from a file: progress, search, order, filters, and a list that scrolls without delay.
pub(super) fn library_imports_a_large_file(stage: &mut TestBench<'_>) -> Result<()> {
    const ENDING: &str = "[Event \"Study\"]\n[White \"Ending\"]\n[Black \"Study\"]\n[Result \"*\"]\n[SetUp \"1\"]\n\
                          [FEN \"4k2r/8/8/8/8/8/4P3/R3K3 w - - 0 1\"]\n\n1. e4 Ke7 *\n";
    let (_server, page) = open_empty(stage)?;
    let file = GamesFile::new("large.pgn", &format!("{}{ENDING}", generated(19_999)))?;
    open_library(&page)?;
    page.wait_for_text(".library-empty", "Import")?;
    page.evaluate(
        "window.progress = []; new MutationObserver(() => progress.push(document.querySelector('.library-import')?.innerText ?? '')) \
         .observe(document.querySelector('#panel-library'), { subtree: true, childList: true, characterData: true })",
    )?;
    import(&page, file.path())?;
    page.wait_for_text(".library-import", "Imported 20,000 games.")?;
    ensure!(page.is_true("progress.some(words => words.includes('games/s'))")?, "no progress was shown");
    page.click(".library-import button")?;
    wait_for_count(&page, "20,000 games")?;

    // Order.
    page.click(".library-head .col-white button")?;
    wait_for_first(&page, "Ending")?;
    page.click(".library-head .col-white button")?;
    wait_for_first(&page, "Player 19998")?;
    stage.picture(&page, "library")?;

    // To the end and back.
    page.evaluate(
        "window.tasks = []; new PerformanceObserver(list => tasks.push(...list.getEntries().map(task => task.duration))) \
         .observe({ type: 'longtask' })",
    )?;
    page.click(".library-row .mark")?;
    page.press("End")?;
    page.wait_until(&format!("{WHITES}.at(-1) === 'Ending'"))?;
    for _ in 0..10 {
        page.wheel(".library-view", -2000)?;
    }
    page.wait_until(&format!("!{WHITES}.includes('Ending') && !{WHITES}.includes('…')"))?;
    page.evaluate("document.querySelector('.library-view').scrollTop = 300000")?;
    page.wait_until(&format!("/^Player 1[01]/.test({WHITES}[3])"))?;
    page.press("Home")?;
    wait_for_first(&page, "Player 19998")?;
    let longest = page.evaluate("Math.max(0, ...tasks)")?.as_f64().context("no time")?;
    ensure!(longest < 200.0, "a task of {longest} ms while scrolling");
    let rows = page.evaluate("document.querySelectorAll('.library-row').length")?;
    ensure!(rows.as_u64() < Some(80), "{rows} rows are elements");

    // Search.
    page.click("#library-search")?;
    page.write("player 12345")?;
    wait_for_count(&page, "1 game")?;
    wait_for_first(&page, "Player 12345")?;
    page.evaluate("document.querySelector('#library-search').select()")?;
    page.write("nobody")?;
    wait_for_nothing(&page)?;
    page.click("button: Show all games")?;
    wait_for_count(&page, "20,000 games")?;

    // Filters.
    page.click("#library-filters")?;
    page.click("#library-filter-form input")?;
    page.write("Rival 07")?;
    wait_for_count(&page, "207 games")?;
    page.choose("White")?;
    wait_for_nothing(&page)?;
    page.choose("Black")?;
    wait_for_count(&page, "207 games")?;
    page.choose("Draw")?;
    page.wait_until("/^6\\d games$/.test(document.querySelector('#library-count').textContent)")?;
    stage.picture(&page, "library-filters")?;
    page.click("button: Clear")?;
    wait_for_count(&page, "20,000 games")?;
    page.click("#library-filter-form input[placeholder=KRPkr]")?;
    page.write("KRPkr")?;
    wait_for_count(&page, "1 game")?;
    page.click("button: Clear")?;
    // 1. c4 is only in the game on the board, 1. d4 in a third of all games.
    page.click_moves("c2c4")?;
    page.click("#library-here")?;
    wait_for_count(&page, "1 game")?;
    page.click("#go-first")?;
    page.wait_for_square("c4", "empty")?;
    page.click_moves("d2d4")?;
    page.wait_until("/^6,6\\d\\d games$/.test(document.querySelector('#library-count').textContent)")
        .with_context(|| page.text("#library-count").unwrap_or_default())?;
    finish(page)
}

/// A million rows: more pixels than a browser can scroll through.
pub(super) fn library_of_a_million(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.browser.private_page()?;
    page.prepare(include_str!("../million.js"))?;
    stage.visit(&page)?;
    open_library(&page)?;
    wait_for_first(&page, "Adams, 0")?;
    page.click(".library-row .mark")?;
    page.press("End")?;
    page.wait_until(&format!("{WHITES}.at(-1) === 'Adams, 999999'"))?;
    page.press("Home")?;
    wait_for_first(&page, "Adams, 0")?;
    // In the middle a turn of the wheel moves the rows as far as anywhere else.
    page.evaluate("document.querySelector('.library-view').scrollTop = 4000000")?;
    let row = |text: &str| -> Option<u64> { text.split(", ").nth(1)?.parse().ok() };
    page.wait_until(&format!("/, (49|50)\\d{{4}}$/.test({WHITES}[0])"))?;
    let before = page.evaluate(&format!("{WHITES}[0]"))?;
    page.wheel(".library-view", 640)?;
    page.wait_until(&format!("{WHITES}[0] !== {before} && {WHITES}[0] !== '…'"))?;
    // Smooth scrolling takes a moment.
    page.evaluate("new Promise(done => setTimeout(done, 500))")?;
    let after = page.evaluate(&format!("{WHITES}[0]"))?;
    let way = row(after.as_str().unwrap_or_default()).zip(row(before.as_str().unwrap_or_default()));
    let (to, from) = way.context("no rows")?;
    ensure!(to - from == 20, "the wheel moved the list by {} rows instead of 20", to - from);

    let frames = page.evaluate(
        "(async () => { const view = document.querySelector('.library-view'); const times = []; let last = performance.now(); \
         for (let at = 0; at < 90; at++) { view.scrollTop += at % 10 ? 90 : 300000; \
         await new Promise(requestAnimationFrame); const now = performance.now(); times.push(now - last); last = now; } \
         return times.sort((a, b) => a - b)[45]; })()",
    )?;
    let median = frames.as_f64().context("no time")?;
    ensure!(median < 34.0, "a frame takes {median:.0} ms while scrolling");
    println!("       a frame takes {median:.1} ms in a million rows");
    page.press("Home")?;
    wait_for_first(&page, "Adams, 0")?;
    press_with(&page, MODIFIER_CTRL, "a", 65)?;
    wait_for_count(&page, "1,000,000 selected")?;
    page.press("Delete")?;
    page.wait_for_text("#notices", "at most 10,000 games")?;
    finish(page)
}

/// Deletion and its undo, the deleted games, tags, folders, ranges, export.
pub(super) fn library_edits(stage: &mut TestBench<'_>) -> Result<()> {
    let (_server, page) = open_empty(stage)?;
    page.evaluate(
        "const make = URL.createObjectURL; URL.createObjectURL = blob => { window.exported = blob; return make.call(URL, blob); }",
    )?;
    import_games(&page, 30)?;
    wait_for_count(&page, "30 games")?;

    page.click(".library-row:nth-child(3) .mark")?;
    wait_for_count(&page, "1 selected")?;
    page.press("Delete")?;
    page.wait_for_text("#notices", "Deleted: Player")?;
    wait_for_count(&page, "29 games")?;
    page.click("button: Undo")?;
    wait_for_count(&page, "30 games")?;

    page.click(".library-row:nth-child(2) .mark")?;
    press_with(&page, MODIFIER_SHIFT, "ArrowDown", 40)?;
    wait_for_count(&page, "2 selected")?;
    page.click("button: Delete")?;
    wait_for_count(&page, "28 games")?;
    page.wait_for_text(".library-chips", "Deleted 2")?;
    page.click(".library-chips .chip:last-of-type")?;
    wait_for_count(&page, "2 games")?;
    page.click(".library-row .mark")?;
    page.click("button: Restore")?;
    wait_for_count(&page, "1 game")?;
    page.click(".library-row .mark")?;
    press_with(&page, MODIFIER_CTRL, "a", 65)?;
    page.click("button: Restore")?;
    page.click(".library-chips .chip")?;
    wait_for_count(&page, "30 games")?;

    page.click(".library-row .mark")?;
    press_with(&page, MODIFIER_CTRL, "a", 65)?;
    wait_for_count(&page, "30 selected")?;
    page.click("button: Tags…")?;
    page.click("dialog input")?;
    page.write("study")?;
    page.press("Enter")?;
    page.wait_for_text("dialog .library-tags", "#study")?;
    stage.picture(&page, "library-tags")?;
    page.press("Escape")?;
    page.wait_for_text(".library-chips", "#study 30")?;
    page.click("button: Deselect")?;

    page.click(".library-row:nth-child(1) .mark")?;
    page.click(".library-row:nth-child(2) .mark")?;
    wait_for_count(&page, "2 selected")?;
    page.click("button: Export")?;
    page.wait_until("window.exported !== undefined")?;
    page.wait_until("exported.text().then(text => text.match(/\\[Event /g).length === 2)")?;
    page.click("button: Move…")?;
    page.click("dialog input")?;
    page.write("Openings")?;
    page.press("Enter")?;
    page.wait_for_text(".library-chips", "Openings 2")?;
    page.wait_until("document.querySelector('dialog') === null")?;
    page.click(".library-chips .folder")?;
    wait_for_count(&page, "2 games")?;
    page.click("button: Rename")?;
    page.evaluate("document.querySelector('dialog input').select()")?;
    page.write("Repertoire")?;
    page.press("Enter")?;
    page.wait_for_text(".library-chips", "Repertoire 2")?;
    page.click("button: Delete the folder")?;
    wait_for_count(&page, "30 games")?;
    finish(page)
}

/// Two tabs show the same library.
pub(super) fn library_in_two_tabs(stage: &mut TestBench<'_>) -> Result<()> {
    let (server, one) = open_empty(stage)?;
    let two = stage.browser.private_page()?;
    two.open(&server.url())?;
    open_library(&two)?;
    import_games(&one, 12)?;
    wait_for_count(&one, "12 games")?;
    two.bring_to_front()?;
    wait_for_count(&two, "12 games")?;
    two.click(".library-row .mark")?;
    two.press("Delete")?;
    wait_for_count(&two, "11 games")?;
    one.bring_to_front()?;
    wait_for_count(&one, "11 games")?;
    finish(one)?;
    finish(two)
}

/// On a phone a game has two lines, and the list takes the place of the board.
pub(super) fn library_on_a_phone(stage: &mut TestBench<'_>) -> Result<()> {
    let server = stage.site.server()?.with_empty_library()?;
    let page = stage.browser.private_page()?;
    page.become_phone(390, 844)?;
    page.open(&server.url())?;
    import_games(&page, 40)?;
    wait_for_count(&page, "40 games")?;
    let height = page.evaluate("document.querySelector('.library-row').offsetHeight")?;
    ensure!(height == 54, "a row is {height} pixels high");
    let width = page.evaluate("document.documentElement.scrollWidth")?;
    ensure!(width == 390, "the page is {width} pixels wide");
    ensure!(page.is_true("document.querySelector('.library-chips').hidden")?, "one chip offers no choice");
    stage.picture(&page, "phone-library")?;
    page.tap(".library-row:nth-child(3) .mark")?;
    page.wait_for_text("#library-count", "1 selected")?;
    let height = page.evaluate("document.querySelector('.library-selected').offsetHeight")?;
    ensure!(height.as_u64() < Some(60), "the buttons for selected games are {height} pixels high");
    stage.picture(&page, "phone-library-selected")?;
    page.tap("button: Deselect")?;
    page.wait_for_text("#library-count", "40 games")?;
    page.tap(".library-row:nth-child(2) .col-white")?;
    page.wait_until("document.querySelector('#board').checkVisibility()")?;
    page.wait_for_text("#strip-bottom", "Player 00038")?;
    page.tap("button: Next game of the list")?;
    page.wait_for_text("#strip-bottom", "Player 00037")?;
    stage.picture(&page, "phone-library-game")?;
    page.tap("#tab-library")?;
    page.wait_until(
        "document.querySelector('.library-row[aria-current] .col-white')?.textContent === 'Player 00037'",
    )?;
    finish(page)
}

/// Every state of the tab, in both themes.
pub(super) fn library_accessible(stage: &mut TestBench<'_>) -> Result<()> {
    let (_server, page) = open_empty(stage)?;
    open_library(&page)?;
    page.wait_for_text(".library-empty", "Import")?;
    check(&page, "empty library")?;
    import_games(&page, 30)?;
    page.click(".library-row:nth-child(2) .col-white")?;
    page.wait_until("document.querySelector('.library-row[aria-current]') !== null")?;
    page.click(".library-row:nth-child(3) .mark")?;
    page.click("#library-filters")?;
    for theme in ["light", "dark"] {
        page.prefer("prefers-color-scheme", theme)?;
        check(&page, &format!("library, {theme}"))?;
        page.click("button: Tags…")?;
        check(&page, &format!("tags, {theme}"))?;
        page.press("Escape")?;
        page.wait_until("document.querySelector('dialog') === null")?;
        stage.picture(&page, &format!("library-{theme}"))?;
    }
    // The check has scrolled.
    page.evaluate("document.querySelector('#library-grid').focus()")?;
    page.press("Home")?;
    page.wait_until(&format!("{WHITES}[0] === 'Player 00029'"))?;
    let rows = page.evaluate(
        "[document.querySelector('#library-grid').ariaRowCount, document.querySelector('.library-row').ariaRowIndex]",
    )?;
    ensure!(rows == json!(["31", "2"]), "rows and their numbers for screen readers: {rows}");
    let scrolls = page.is_true("document.documentElement.scrollHeight > innerHeight")?;
    ensure!(!scrolls, "on a wide screen the list scrolls, not the page");
    let stops = tab_through(&page)?;
    ensure!(stops > 15, "the Tab key makes only {stops} stops");
    finish(page)
}

/// A file that is too long for the board is offered to the library; several files go there.
pub(super) fn library_takes_long_files(stage: &mut TestBench<'_>) -> Result<()> {
    let (_server, page) = open_empty(stage)?;
    let long = GamesFile::new("long.pgn", &generated(22_000))?;
    ensure!(fs::metadata(long.path())?.len() > 4 << 20, "the file is too short");
    drop_files(&page, &[long.path()])?;
    page.wait_for_text("#notices", "The library takes files of any size.")?;
    page.click("button: Import into the library")?;
    page.wait_for_text(".library-import", "Imported 22,000 games.")?;
    wait_for_count(&page, "22,000 games")?;
    let (one, two) = (GamesFile::new("one.pgn", &generated(5))?, GamesFile::new("two.pgn", &generated(6))?);
    open_tab(&page, "analyse")?;
    drop_files(&page, &[one.path(), two.path()])?;
    page.wait_until("document.querySelectorAll('.library-import').length === 3")?;
    page.wait_for_text(".library-import:nth-child(3)", "Imported 6 games.")?;
    wait_for_count(&page, "22,011 games")?;
    // The first problem is named with its line.
    let broken = GamesFile::new("broken.pgn", "[White \"Nobody\"]\n\n1. e4 e5 2. Ke3 *\n")?;
    drop_files(&page, &[broken.path()])?;
    page.wait_for_text(".library-import:nth-child(4)", "1 problem. Line 3")?;
    finish(page)
}

/// The static page has no library, and no tab for it.
pub(super) fn library_absent(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("e2e4")?;
    ensure!(!page.is_true("document.querySelector('#tab-library').checkVisibility()")?, "there is a tab");
    page.evaluate("document.activeElement.blur()")?;
    page.press("4")?;
    page.wait_until("[...document.querySelectorAll('[role=tab]')].filter(tab => tab.checkVisibility())[3].ariaSelected === 'true'")?;
    finish(page)
}
