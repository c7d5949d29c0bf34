//! The X-ray, compared with known values.

use anyhow::{Result, ensure};

use super::{finish, open_tab};
use crate::TestBench;
use crate::accessibility::check;
use crate::page::{BrowserTab, square};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Opens a section of the X-ray by its address.
fn open_section(page: &BrowserTab, id: &str) -> Result<()> {
    page.evaluate(&format!("location.hash = '#xray/{id}'"))?;
    page.wait_until(&is_open(id))
}

/// Whether a section is on display.
fn is_open(id: &str) -> String {
    format!("document.querySelector('#xray-{id}')?.checkVisibility() === true")
}

/// Waits until the page has been drawn: the section of a link has come to its place.
fn two_frames(page: &BrowserTab) -> Result<()> {
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))")?;
    Ok(())
}

/// Opens a section with a position.
fn open_with(page: &BrowserTab, fen: &str, id: &str) -> Result<()> {
    page.evaluate(&format!("location.hash = '#fen={}&xray/{id}'", fen.replace(' ', "_")))?;
    page.wait_until(&format!("location.hash === '#xray/{id}'"))?;
    page.wait_until(&is_open(id))?;
    let placement = fen.split(' ').next().unwrap_or_default();
    let pieces = placement.chars().filter(char::is_ascii_alphabetic).count();
    page.wait_until(&format!("document.querySelectorAll('#board .men .piece').length === {pieces}"))
}

/// The word under a board of the X-ray.
fn word(page: &BrowserTab, name: &str) -> Result<String> {
    let script = format!(
        "[...document.querySelectorAll('.word-board')].find(one => one.querySelector('.word-name').textContent === '{name}')?.querySelector('.word').textContent"
    );
    Ok(page.evaluate(&script)?.as_str().unwrap_or_default().to_owned())
}

pub(super) fn xray_of_the_start(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_tab(&page, "xray")?;
    // The keys are those of Polyglot, whose specification lists both values.
    page.wait_for_text("#panel-xray", "0x463B96181691FC9C")?;
    ensure!(word(&page, "white pawn")? == "0x000000000000FF00", "white pawns");
    ensure!(word(&page, "black king")? == "0x1000000000000000", "black king");
    ensure!(word(&page, "occupied")? == "0xFFFF00000000FFFF", "occupied");
    open_section(&page, "attacks")?;
    page.wait_until("[...document.querySelectorAll('#xray-attacks .word')].some(one => one.textContent === '0x0000000000FFFF7E')")?;
    ensure!(
        word(&page, "attacked by White")? == "0x0000000000FFFF7E",
        "attacks of White: {}",
        word(&page, "attacked by White")?
    );
    ensure!(
        page.is_true("document.querySelectorAll('.word-board.is-changed').length === 0")?,
        "nothing has changed yet"
    );

    open_section(&page, "bitboards")?;
    page.click_moves("e2e4")?;
    page.wait_for_text("#panel-xray", "0x823C9B50FD114196")?;
    ensure!(word(&page, "white pawn")? == "0x000000001000EF00", "white pawns after e4");
    // The pawns, White's pieces and the occupied squares: two bits each.
    page.wait_until("document.querySelectorAll('.word-board.is-changed').length === 3")?;
    ensure!(
        page.is_true("document.querySelector('.word-board').textContent.includes('changed: e2 e4')")?,
        "e2 and e4 are marked"
    );
    page.wait_for_text("#panel-xray", "KQkq = 0b1111")?;
    page.resize(1920, 1080)?;
    stage.picture(&page, "xray-wide")?;
    open_section(&page, "key")?;
    page.wait_for_text("#panel-xray", "equals the key")?;
    page.wait_for_text("#panel-xray", "white pawn e4")?;

    // Any square can be asked for its attacks: the knight on g1, then the magic look-up of a rook there.
    open_section(&page, "attacks")?;
    page.click(&square("g1"))?;
    page.wait_until("[...document.querySelectorAll('.word-name')].some(one => one.textContent === 'attacks of white knight g1')")?;
    ensure!(word(&page, "attacks of white knight g1")? == "0x0000000000A01000", "attacks of the knight");
    page.wait_until("[...document.querySelectorAll('.word-board')].some(one => one.querySelector('.word-name').textContent === 'mask' && one.querySelector('.word').textContent === '0x004040404040403E')")?;
    ensure!(
        word(&page, "attacks")? == "0x00000000000040A0",
        "attacks of a rook on g1: {}",
        word(&page, "attacks")?
    );
    open_section(&page, "evaluation")?;
    page.wait_until("document.querySelectorAll('.terms tbody tr').length > 5")?;
    page.wait_until("document.querySelectorAll('.number-board .piece').length >= 32")?;
    finish(page)
}

/// Each section has a link that opens it, on a laptop and on a phone, and nothing there is inaccessible.
pub(super) fn xray_links(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.evaluate("location.hash = '#xray/contents'")?;
    page.wait_until("document.querySelector('.contents-group a')?.checkVisibility() === true")?;
    let links = page.evaluate(
        "[...document.querySelectorAll('.contents-group a')].map(one => one.getAttribute('href'))",
    )?;
    let links: Vec<String> =
        links.as_array().into_iter().flatten().filter_map(|link| Some(link.as_str()?.to_owned())).collect();
    ensure!(links.len() == 16, "{} sections", links.len());
    check(&page, "contents")?;
    finish(page)?;
    for size in ["laptop", "phone"] {
        let page = stage.browser.private_page()?;
        if size == "phone" {
            page.become_phone(390, 844)?;
        } else {
            page.resize(1366, 768)?;
        }
        for link in &links {
            let id = link.strip_prefix("#xray/").unwrap_or_default();
            // A change of the fragment alone would not load the page.
            page.call("Page.navigate", &serde_json::json!({"url": "about:blank"}))?;
            page.open(&format!("{}{link}", stage.site.url()))?;
            page.wait_until(&is_open(id))?;
            page.wait_until("document.querySelectorAll('#panel-xray .word').length > 0")?;
            let seen = format!(
                "(() => {{ const box = document.querySelector('#xray-{id} h3').getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; }})()"
            );
            page.wait_until(&seen)?;
            ensure!(
                page.is_true(&format!("[...document.querySelectorAll('.section-links a[aria-current]')].map(one => one.getAttribute('href')).join() === '{link}'"))?,
                "{size} {link} is marked"
            );
            let width = page.evaluate("document.documentElement.scrollWidth <= innerWidth")?;
            ensure!(width == true, "{size} {link} is too wide");
            check(&page, &format!("{size} {link}"))?;
        }
        // Back and forward, within the X-ray and out of it.
        page.evaluate("document.querySelector('.xray-links a[href=\"#xray/key\"]').click()")?;
        page.wait_until(&is_open("key"))?;
        // Not with the mouse: answers that come late keep the section in view, and the tab moves away.
        page.evaluate("document.querySelector('#tab-play').click()")?;
        page.wait_until("location.hash === '#play'")?;
        page.evaluate("history.back()")?;
        page.wait_until(&is_open("key"))?;
        page.evaluate("history.back()")?;
        page.wait_until(&is_open("search"))?;
        page.evaluate("history.go(2)")?;
        page.wait_until("document.querySelector('#panel-play').checkVisibility()")?;
        finish(page)?;
    }
    Ok(())
}

/// The square under the pointer or the focus is lit on all boards.
pub(super) fn xray_lit_squares(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_section(&page, "bitboards")?;
    page.wait_for_text("#panel-xray", "0x463B96181691FC9C")?;
    page.hover(&square("c6"))?;
    page.wait_for_text(".readout", "c6 = bit 42")?;
    page.hover(".scratch-cell[data-square=h1]")?;
    page.wait_for_text(".readout", "h1 = bit 7")?;
    let at_same_place = "new Set([...document.querySelectorAll('#xray-bitboards .lit')].map(one => { \
         const [lit, board] = [one, one.closest('svg')].map(it => it.getBoundingClientRect()); \
         return Math.round(10 * (lit.left - board.left) / board.width) + ' ' + Math.round(10 * (lit.top - board.top) / board.height); })).size === 1";
    ensure!(page.is_true(at_same_place)?, "the same square on all boards");
    page.press("b")?;
    page.press("ArrowUp")?;
    page.wait_until("/^[a-h][1-8] = bit/.test(document.querySelector('.readout').textContent)")?;
    let focused = page.evaluate("document.activeElement.dataset.square")?;
    let focused = focused.as_str().unwrap_or_default().to_owned();
    page.wait_for_text(".readout", &format!("{focused} = bit"))?;
    finish(page)
}

/// The sets of the generator, one by one, unite to the legal moves.
pub(super) fn xray_masks(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    for (fen, moves) in [
        (KIWIPETE, 48),
        ("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", 9),
        ("8/8/8/8/1k1Pp2R/8/8/4K3 b - d3 0 1", 8),
        ("4r2k/8/8/8/7b/8/8/R3K3 w - - 0 1", 3),
    ] {
        open_with(&page, fen, "masks")?;
        page.wait_for_text(".mask-sum", &format!("of {moves} so far"))?;
        // Not with the mouse: answers that come late move the section.
        page.evaluate("document.querySelector('[aria-label=\"Last step (sets of moves)\"]').click()")?;
        page.wait_for_text(".mask-sum", &format!("{moves} of {moves} so far: ✓ these are all legal moves"))?;
    }
    page.wait_for_text("#xray-masks", "Double check from")?;
    finish(page)
}

/// Each kind of move, stepped forth and back, leads to the position where it began.
pub(super) fn xray_timeline(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    let board = |page: &BrowserTab| {
        page.evaluate("[...document.querySelectorAll('#xray-timeline td[data-square]')].map(one => one.dataset.square + (one.querySelector('.piece')?.className ?? '')).join()")
    };
    let step = |page: &BrowserTab| -> Result<u64> {
        let text = page.text("#xray-timeline .stepper")?;
        let number = text.split("step ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
        Ok(number.unwrap_or_default())
    };
    for (fen, option) in [
        (KIWIPETE, "O-O (e1g1)"),
        (KIWIPETE, "O-O-O (e1c1)"),
        (KIWIPETE, "Nxg6 (e5g6)"),
        (KIWIPETE, "a4 (a2a4)"),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", "exf6 (e5f6)"),
        ("1n6/P7/8/8/8/8/7k/K7 w - - 0 1", "axb8=N (a7b8n)"),
        ("1n6/P7/8/8/8/8/7k/K7 w - - 0 1", "a8=B (a7a8b)"),
        ("k7/8/8/8/8/8/7p/K7 b - - 0 1", "h1=R+ (h2h1r)"),
        ("k7/8/8/8/8/8/7p/K7 b - - 0 1", "h1=Q+ (h2h1q)"),
    ] {
        open_with(&page, fen, "timeline")?;
        page.wait_for_text("#timeline-fen", fen)?;
        page.choose(option)?;
        page.wait_until(
            "document.querySelector('#xray-timeline .stepper').textContent.includes('step 1 of')",
        )?;
        page.wait_for_text("#timeline-fen", fen)?;
        let (first, key) = (board(&page)?, page.text("#timeline-key")?);
        let mut made = None;
        let mut last = 0;
        while step(&page)? != last {
            last = step(&page)?;
            if page.text("#xray-timeline [role=status]")?.starts_with("Make: The pieces stand") {
                made = Some((board(&page)?, page.text("#timeline-fen")?));
            }
            page.click("button: One step forward (steps of the move)")?;
        }
        ensure!(last >= 4, "{option} has {last} steps");
        let (made, fen_after) = made.unwrap_or_default();
        ensure!(made != first && fen_after != fen, "{option} changes the board");
        ensure!(board(&page)? == first && page.text("#timeline-key")? == key, "{option} is taken back");
        ensure!(page.text("#timeline-fen")? == fen, "{option} restores the FEN");
        while step(&page)? > 1 {
            page.click("button: One step back (steps of the move)")?;
            if page.text("#timeline-fen")? == fen_after {
                ensure!(board(&page)? == made, "{option}: the position after the move, on the way back");
            }
        }
        ensure!(
            board(&page)? == first && page.text("#timeline-key")? == key,
            "{option}: the first step again"
        );
    }
    open_section(&page, "moves")?;
    page.wait_for_text("#xray-moves", "7 = promotion to a queen")?;
    finish(page)
}

pub(super) fn xray_perft(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_section(&page, "perft")?;
    page.wait_for_text("#xray-perft", "Choose a depth")?;
    // The answer for the section above moves this one.
    page.wait_until("document.querySelector('#timeline-fen') !== null")?;
    two_frames(&page)?;
    page.click("#perft-count")?;
    page.wait_for_text(".perft-status", "8,902 leaves at depth 3, below 20 moves.")?;
    // A divide with three bugs, in three styles.
    let lines = page.evaluate("[...document.querySelectorAll('#xray-perft tbody tr')].map((row, at) => row.cells[0].textContent + [': ', ' ', ' - '][at % 3] + row.cells[2].textContent).join('\\n')")?;
    let good = lines.as_str().unwrap_or_default().to_owned();
    page.evaluate(&format!("document.querySelector('#perft-paste').value = {}", serde_json::json!(good)))?;
    page.click("#perft-count")?;
    page.wait_for_text(".perft-verdict", "✓ All 20 moves agree.")?;
    let bad: Vec<_> = good.lines().map(|line| line.replace("g1h3", "g1g3").replace("600", "599")).collect();
    page.evaluate(&format!(
        "document.querySelector('#perft-paste').value = {}",
        serde_json::json!(bad.join("\n"))
    ))?;
    page.click("#perft-count")?;
    page.wait_for_text(".perft-verdict", "differences, ")?;
    page.wait_for_text("#xray-perft", "g1g3")?;
    page.wait_for_text("#xray-perft", "extra g1g3: the knight on g1")?;
    page.wait_for_text("#xray-perft", "missing g1h3: a move of the knight")?;
    page.wait_for_text("#xray-perft", "599 leaves instead of 600")?;
    stage.picture(&page, "xray-perft")?;
    open_with(&page, KIWIPETE, "perft")?;
    page.wait_for_text("#timeline-fen", KIWIPETE)?;
    two_frames(&page)?;
    page.evaluate("document.querySelector('#perft-depth').value = '6'; document.querySelector('#perft-paste').value = ''")?;
    page.click("#perft-count")?;
    page.wait_for_text(".perft-status", "Choose a smaller depth")?;
    finish(page)
}

/// The accumulators add up to the evaluation, and the table has the root of the search.
pub(super) fn xray_values(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_section(&page, "accumulator")?;
    page.wait_for_text("#xray-accumulator", "Computed anew")?;
    page.wait_for_text(".accumulator-sum", "✓ equals the evaluation")?;
    page.click_moves("e2e4 e7e5 g1f3")?;
    page.wait_for_text("#xray-accumulator", "Rows added: 1, removed: 1.")?;
    page.wait_for_text("#xray-accumulator", "white knight f3")?;
    page.wait_for_text(".accumulator-sum", "✓ equals the evaluation")?;
    open_section(&page, "table")?;
    page.wait_for_text("#xray-table", "Turn the engine on")?;
    page.evaluate("document.activeElement.blur()")?;
    page.press("l")?;
    page.wait_for_text("#xray-table", "✓ this position")?;
    let position = page.evaluate("document.querySelector('#xray-table dd').textContent")?;
    open_section(&page, "key")?;
    page.wait_for_text("#xray-key", position.as_str().unwrap_or_default())?;
    finish(page)
}

/// Literals of three languages.
pub(super) fn xray_copies(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_section(&page, "bitboards")?;
    page.wait_for_text("#panel-xray", "0x463B96181691FC9C")?;
    page.evaluate(
        "navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }",
    )?;
    for (language, literal) in [
        ("Rust", "const WHITE_PAWN: u64 = 0x0000_0000_0000_ff00;"),
        ("C", "const uint64_t white_pawn = 0x000000000000ff00ULL;"),
        ("Python", "WHITE_PAWN = 0x000000000000ff00"),
    ] {
        page.choose(language)?;
        page.click("#xray-bitboards .word-board .word")?;
        page.wait_until(&format!("window.copied === '{literal}'"))?;
        page.click("button: Copy: Bitboards")?;
        page.wait_until(&format!(
            "window.copied.startsWith('{literal}\\n') && window.copied.split('\\n').length === 15"
        ))?;
    }
    finish(page)
}

/// Each tour to its end, and the reader's game comes back.
pub(super) fn xray_tours(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.click_moves("d2d4 d7d5")?;
    for (tour, last) in [
        ("A rook’s attacks in five steps", "the first piece on each side"),
        ("Why en passant is tricky", "The captured pawn is not on the target square"),
        ("What a key is", "addressed by the key"),
    ] {
        page.evaluate("location.hash = '#xray/contents'")?;
        page.wait_until("document.querySelector('.tours')?.checkVisibility() === true")?;
        page.click(&format!("button: {tour}"))?;
        for step in 1..=5 {
            page.wait_for_text(".tour", &format!("step {step} of 5"))?;
            if step < 5 {
                page.click("button: One step forward (tour)")?;
            }
        }
        page.wait_for_text(".tour", last)?;
        if tour.contains("passant") {
            page.reload()?;
            page.wait_for_text(".tour", "step 5 of 5")?;
        }
        page.click("button: Back to my game")?;
        page.wait_for_square("d5", "black pawn, last move")?;
        page.wait_for_square("d4", "white pawn")?;
    }
    finish(page)
}

/// For a person to look at.
pub(super) fn xray_pictures(stage: &mut TestBench<'_>) -> Result<()> {
    for (size, theme) in [("laptop", "light"), ("laptop", "dark"), ("phone", "light"), ("phone", "dark")] {
        let page = stage.open()?;
        page.prefer("prefers-color-scheme", theme)?;
        if size == "phone" {
            page.become_phone(390, 844)?;
        } else {
            page.resize(1366, 768)?;
        }
        open_with(&page, KIWIPETE, "bitboards")?;
        for id in ["bitboards", "magic", "masks", "timeline", "accumulator", "table"] {
            open_section(&page, id)?;
            page.evaluate("new Promise(done => setTimeout(done, 400))")?;
            if size == "laptop" {
                page.hover("#board .square[data-square=d5], #board [data-square=d5]")?;
            }
            stage.picture(&page, &format!("xray-{size}-{id}-{theme}"))?;
        }
        finish(page)?;
    }
    Ok(())
}

pub(super) fn scratch_board(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    open_tab(&page, "xray")?;
    page.wait_for_text("#panel-xray", "0x463B96181691FC9C")?;
    let value = |page: &BrowserTab| -> Result<String> {
        Ok(page
            .evaluate("document.querySelector('#scratch-hex').value")?
            .as_str()
            .unwrap_or_default()
            .to_owned())
    };
    page.evaluate("[...document.querySelectorAll('.word-board')].forEach(one => { one.id = 'word-' + one.querySelector('.word-name').textContent.replace(' ', '-'); })")?;
    page.click("#word-white-pawn")?;
    page.wait_until("document.querySelector('#scratch-hex').value === '0x000000000000FF00'")?;
    page.click("button: ⊕ xor")?;
    page.click("#word-white")?;
    page.wait_until("document.querySelector('#scratch-hex').value === '0x00000000000000FF'")?;
    page.click("button: One rank up")?;
    ensure!(value(&page)? == "0x000000000000FF00", "one rank up: {}", value(&page)?);
    page.click(".scratch-cell[data-square=a8]")?;
    ensure!(value(&page)? == "0x010000000000FF00", "a8 toggled: {}", value(&page)?);
    finish(page)
}

pub(super) fn search_plots(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.press("l")?;
    open_section(&page, "search")?;
    page.wait_until("document.querySelectorAll('.depths tbody tr').length >= 6")?;
    page.wait_until("[...document.querySelectorAll('.plot b')].every(one => /\\d/.test(one.textContent))")?;
    ensure!(page.is_true("[...document.querySelectorAll('.plot .curve')].every(curve => curve.getAttribute('d').includes('L'))")?, "curves");
    page.wait_for_text(".best-line", "Best line: ")?;
    finish(page)
}
