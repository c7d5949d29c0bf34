//! Where things are: board, moves and buttons at the sizes of laptops and phones, before and after a review.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::{finish, load, open_tab};
use crate::TestBench;
use crate::accessibility::check;
use crate::page::BrowserTab;

/// Width, height, and whether it is a phone.
type Size = (u32, u32, bool);

const LAPTOPS: [Size; 3] = [(1440, 900, false), (1366, 768, false), (1024, 768, false)];
/// A phone in landscape, and a laptop at a zoom of 200 %.
const LOW: [Size; 2] = [(844, 390, true), (683, 384, false)];
const PHONE: Size = (390, 844, true);

/// A game with clocks.
const BLITZ: &str = r#"[Event "Club evening"]
[Site "Bern"]
[Date "2024.05.31"]
[Round "3"]
[White "Ada"]
[Black "Grace"]
[Result "0-1"]
[WhiteElo "1510"]
[BlackElo "1720"]
[TimeControl "180+2"]

1. f3 {[%clk 0:03:00]} e5 {[%clk 0:02:57]} 2. g4 {[%clk 0:02:22]} Qh4# {[%clk 0:02:58]} 0-1
"#;

fn resize(page: &BrowserTab, (width, height, is_phone): Size) -> Result<()> {
    if is_phone { page.become_phone(width, height) } else { page.resize(width, height) }
}

/// Waits until an element is in the window as a whole, and nothing covers it.
fn in_sight(page: &BrowserTab, selector: &str) -> Result<()> {
    let script = format!(
        "(() => {{ const element = document.querySelector({0}); const box = element.getBoundingClientRect(); \
         const x = (box.left + box.right) / 2; \
         const isOnTop = y => element.contains(document.elementFromPoint(x, y)); \
         return box.width > 0 && box.top >= -1 && box.left >= -1 && box.right <= innerWidth + 1 && \
         box.bottom <= innerHeight + 1 && [box.top + 3, box.bottom - 3].every(isOnTop); }})()",
        json!(selector)
    );
    page.wait_until(&script).with_context(|| {
        let place = page.evaluate(&format!(
            "JSON.stringify([document.querySelector({})?.getBoundingClientRect(), innerWidth, innerHeight])",
            json!(selector)
        ));
        format!("{selector} is not in sight: {}", place.unwrap_or_default())
    })
}

/// A side of an element's box.
fn side(page: &BrowserTab, selector: &str, name: &str) -> Result<f64> {
    let value = page
        .evaluate(&format!("document.querySelector({}).getBoundingClientRect().{name}", json!(selector)))?;
    value.as_f64().with_context(|| format!("there is no {selector}"))
}

/// Loads the sample game and reviews it.
fn review_sample(page: &BrowserTab) -> Result<()> {
    page.click("#step-sample")?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 15")?;
    page.wait_until("!document.querySelector('#panel-review').hidden")?;
    page.click("input[value=quick]")?;
    page.click("#start-review")?;
    page.wait_until(
        "!document.querySelector('.counts').hidden && !document.querySelector('#next-mistake').hidden",
    )
}

/// Goes to the move that takes the queen, which is a mistake.
fn go_to_greed(page: &BrowserTab) -> Result<()> {
    page.evaluate(
        "[...document.querySelectorAll('.moves .main .san')].find(san => san.textContent === 'Bxd1').closest('button').click()",
    )?;
    page.wait_for_text(".moves [aria-current]", "Bxd1")
}

/// After a review the board, the current move and the button to the next mistake are in sight, and the list of moves is
/// in no other scroller.
pub(super) fn review_in_sight(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    review_sample(&page)?;
    page.click("#next-mistake")?;
    page.wait_until("document.querySelector('.verdict-text').textContent.includes('was better')")?;
    for size in LAPTOPS.into_iter().chain(LOW) {
        let name = format!("{}x{}", size.0, size.1);
        resize(&page, size)?;
        for what in ["#board", ".moves [aria-current]", "#next-mistake", ".verdict-text", "#go-forward"] {
            in_sight(&page, what).with_context(|| name.clone())?;
        }
        ensure!(
            side(&page, ".moves", "left")? >= side(&page, "#board", "right")?,
            "{name}: beside the board"
        );
        let scrollers = page.evaluate(
            "(() => { let count = 0; for (let at = document.querySelector('.moves'); at; at = at.parentElement) \
             if (at.scrollHeight > at.clientHeight + 1 && ['auto', 'scroll'].includes(getComputedStyle(at).overflowY)) count++; \
             return count; })()",
        )?;
        ensure!(scrollers == 1, "{name}: the moves are inside {scrollers} scrollers");
        stage.picture(&page, &format!("layout-review-{name}"))?;
    }
    resize(&page, LAPTOPS[1])?;
    ensure!(side(&page, ".graph-curve", "height")? < 100.0, "the curve is low");
    ensure!(side(&page, ".moves", "top")? < side(&page, ".graph", "top")?, "the moves come first");
    ensure!(side(&page, ".moves", "height")? > 150.0, "there is room for moves");
    ensure!(page.is_true("!document.querySelector('.counts').open")?, "the counts are folded");
    // Every step keeps the current move in sight.
    page.evaluate("document.activeElement.blur()")?;
    page.press("ArrowUp")?;
    page.wait_until("document.querySelector('.moves [aria-current]') === null")?;
    page.press("ArrowDown")?;
    page.wait_for_text(".moves [aria-current]", "Nd5#")?;
    in_sight(&page, ".moves [aria-current]")?;
    finish(page)
}

/// On a phone the board stays while the review scrolls.
pub(super) fn review_on_a_phone(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.browser.private_page()?;
    resize(&page, PHONE)?;
    stage.visit(&page)?;
    review_sample(&page)?;
    for _ in 0..2 {
        page.tap("#next-mistake")?;
        page.wait_until("document.querySelector('.verdict-text').textContent.includes('was better')")?;
        in_sight(&page, "#board")?;
        in_sight(&page, "#next-mistake")?;
    }
    page.evaluate("document.querySelector('.notebook').scrollIntoView({ block: 'end' })")?;
    ensure!(page.is_true("scrollY > 100")?, "the page scrolls");
    in_sight(&page, "#board").context("at the end of the page")?;
    ensure!(page.is_true("document.documentElement.scrollWidth === 390")?, "no wider than the phone");
    stage.picture(&page, "layout-phone-review")?;
    finish(page)
}

/// The board stays where it is: from tab to tab, and from a position without clocks to one with them.
pub(super) fn steady_board(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    load(&page, BLITZ)?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 4")?;
    page.evaluate("document.activeElement.blur()")?;
    for size in [LAPTOPS[0], LAPTOPS[1], (1920, 1080, false)] {
        resize(&page, size)?;
        let mut places = Vec::new();
        for tab in ["play", "analyse", "review", "puzzles", "library", "setup", "xray"] {
            open_tab(&page, tab)?;
            places.push((side(&page, "#board", "left")?, side(&page, "#board", "top")?));
        }
        ensure!(places.iter().all(|place| *place == places[0]), "{}: the board moves: {places:?}", size.0);
    }
    open_tab(&page, "analyse")?;
    for size in [PHONE, LOW[0], LAPTOPS[1]] {
        resize(&page, size)?;
        page.press("ArrowUp")?;
        page.wait_until("document.querySelector('.moves [aria-current]') === null")?;
        let before = side(&page, "#board", "top")?;
        page.press("ArrowRight")?;
        page.wait_until("document.querySelector('#strip-bottom .clock').checkVisibility()")?;
        let after = side(&page, "#board", "top")?;
        ensure!((after - before).abs() < 1.0, "{}: the board goes from {before} to {after}", size.0);
    }
    finish(page)
}

/// What is cut off first on small screens: the last tab, the button to start, the clock, the moves that are hidden.
pub(super) fn small_screens(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.browser.private_page()?;
    resize(&page, PHONE)?;
    stage.visit(&page)?;
    in_sight(&page, "#tab-xray").context("the tabs fit a phone")?;
    resize(&page, LOW[0])?;
    for step in ["#step-play", "#step-open", "#step-sample"] {
        in_sight(&page, step).context("in landscape")?;
    }
    resize(&page, LAPTOPS[2])?;
    open_tab(&page, "play")?;
    page.wait_until("document.querySelectorAll('.level').length >= 4")?;
    in_sight(&page, "#start-game").context("beside a large board")?;
    open_tab(&page, "review")?;
    review_sample(&page)?;
    go_to_greed(&page)?;
    resize(&page, PHONE)?;
    let height = side(&page, "#try-again", "height")?;
    ensure!(height >= 34.0, "a button for a finger is {height} pixels high");
    resize(&page, LOW[0])?;
    // White has lost the queen: the pieces that were taken must not cover the clock.
    in_sight(&page, "#strip-bottom .clock")?;
    in_sight(&page, "#strip-top .clock")?;
    page.click("#try-again")?;
    page.wait_for_text(".verdict-text", "Find a better move than 6… Bxd1")?;
    let note = page.evaluate(
        "getComputedStyle(document.querySelector('.notebook'), '::after').content.includes('The moves are hidden')",
    )?;
    ensure!(note == true, "the card says why it is empty");
    stage.picture(&page, "layout-second-try-low")?;
    finish(page)
}

/// In landscape the board fits the height, and everything that a game needs is beside it.
pub(super) fn game_in_landscape(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.browser.private_page()?;
    resize(&page, LOW[0])?;
    stage.visit(&page)?;
    open_tab(&page, "play")?;
    page.wait_until("document.querySelectorAll('.level').length >= 4")?;
    in_sight(&page, "#start-game")?;
    page.choose("5 minutes + 3 s")?;
    page.click("#start-game")?;
    page.wait_for_text(".game-status", "Your move")?;
    for size in LOW {
        resize(&page, size)?;
        for what in
            ["#board", ".game-status", "#take-back", "#resign", "#strip-top .clock", "#strip-bottom .clock"]
        {
            in_sight(&page, what).with_context(|| format!("{}x{}", size.0, size.1))?;
        }
        let [panel, board] = [side(&page, "#panel-play", "left")?, side(&page, "#board", "right")?];
        ensure!(panel > board, "the panel is beside the board");
        ensure!(side(&page, "#board", "height")? > 250.0, "a board that can be played on");
        stage.picture(&page, &format!("layout-game-{}x{}", size.0, size.1))?;
    }
    finish(page)
}

/// Without a game, the page offers three ways to start.
pub(super) fn first_screen(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    for size in LAPTOPS {
        resize(&page, size)?;
        for step in ["#step-play", "#step-open", "#step-sample"] {
            in_sight(&page, step)?;
        }
    }
    stage.picture(&page, "layout-first-screen")?;
    check_themes(&page, "the first screen")?;
    page.click("#step-open")?;
    page.wait_until("document.activeElement.id === 'import-text'")?;
    in_sight(&page, "#load")?;
    resize(&page, PHONE)?;
    page.tap("#tab-analyse")?;
    in_sight(&page, "#step-play")?;
    in_sight(&page, "#step-sample")?;
    stage.picture(&page, "layout-first-screen-phone")?;
    page.tap("#step-play")?;
    page.wait_until("!document.querySelector('#panel-play').hidden && scrollY === 0")?;
    in_sight(&page, "#start-game")?;
    in_sight(&page, ".level:has(:checked)")?;
    stage.picture(&page, "layout-before-a-game-phone")?;
    page.tap("#tab-review")?;
    page.tap("#step-sample")?;
    page.wait_for_text(".game-head", "Sample game")?;
    ensure!(page.is_true("document.querySelector('#step-sample') === null")?, "the invitation is gone");
    ensure!(page.is_true("document.querySelector('.notice') === null")?, "the sample has no problems");
    finish(page)
}

/// Players, event, date, result and clocks are shown, and the headers are changed in place.
pub(super) fn headers_and_clocks(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    load(&page, BLITZ)?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 4")?;
    let head = page.text(".game-head")?;
    for part in ["Ada", "1510", "0 – 1", "Grace", "1720", "Club evening", "Bern", "round 3", "31 May 2024"]
    {
        ensure!(head.contains(part), "{part} is not in {head:?}");
    }
    page.evaluate("document.activeElement.blur()")?;
    for (white, black, time) in [
        ("3:00", "", "1. f3 took 2 s."),
        ("3:00", "2:57", "1… e5 took 5 s."),
        ("2:22", "2:57", "2. g4 took 40 s."),
        ("2:22", "2:58", "2… Qh4# took 1 s."),
    ] {
        page.press("ArrowRight")?;
        page.wait_for_text(".time-words", time)?;
        ensure!(page.text("#strip-bottom .clock")? == white, "White's clock at {time}");
        let shown = page.evaluate("document.querySelector('#strip-top .clock').checkVisibility() ? document.querySelector('#strip-top .clock').textContent : ''")?;
        ensure!(shown == black, "Black's clock at {time} is {shown}");
    }
    ensure!(page.is_true("document.querySelectorAll('.times rect').length === 4")?, "a bar for each move");

    page.click("#edit-headers")?;
    page.wait_until("document.activeElement.id === 'header-White'")?;
    let fill = |name: &str, text: &str| -> Result<()> {
        page.click(&format!("#header-{name}"))?;
        page.evaluate("document.activeElement.select()")?;
        page.write(text)?;
        page.press("Enter")
    };
    fill("White", "Judit")?;
    page.wait_for_text(".players", "Judit")?;
    fill("Date", "31 May")?;
    page.wait_for_text("#header-Date-problem", "Write the date as")?;
    page.wait_for_text(".place", "31 May 2024")?;
    fill("Date", "2025-7")?;
    page.wait_for_text(".place", "July 2025")?;
    page.wait_until("document.querySelector('#header-Date-problem').textContent === ''")?;
    fill("BlackElo", "strong")?;
    page.wait_for_text("#header-BlackElo-problem", "number")?;
    fill("Event", &"x".repeat(5000))?;
    page.wait_for_text("#header-Event-problem", "A tag is one line of at most")?;
    ensure!(page.is_true("document.querySelector('.notice') === null")?, "errors stand at their fields");
    page.choose("½ – ½")?;
    page.wait_for_text(".players", "½ – ½")?;
    stage.picture(&page, "layout-headers")?;
    check_themes(&page, "the headers")?;
    page.press("s")?;
    page.wait_until(
        "['[White \"Judit\"]', '[Date \"2025.07.??\"]', '[Result \"1/2-1/2\"]', '[Event \"Club evening\"]']\
         .every(tag => document.querySelector('#share-pgn')?.value.includes(tag))",
    )?;
    finish(page)
}

/// The verdict says what a mistake costs, marks it on the board, and offers a second try.
pub(super) fn verdict_and_second_try(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    review_sample(&page)?;
    go_to_greed(&page)?;
    // The cost is said once, by the server's comment or below it.
    page.wait_until(
        "document.querySelector('.verdict').textContent.match(/costs|turns|mate in/gi)?.length >= 1",
    )?;
    page.wait_until("document.querySelectorAll('.layer-better .arrow').length === 1")?;
    // The sign is at the corner of d1.
    let off = page.evaluate(
        "(() => { const sign = document.querySelector('.move-sign').getBoundingClientRect(); \
         const square = document.querySelector('#board [data-square=d1]').getBoundingClientRect(); \
         return Math.hypot(sign.left + sign.width / 2 - square.right, sign.top + sign.height / 2 - square.top); })()",
    )?;
    ensure!(off.as_f64() < Some(12.0), "the sign is {off} pixels away from its corner");
    check_themes(&page, "the verdict")?;
    let best =
        page.evaluate("/(\\S+) was better/.exec(document.querySelector('.verdict-text').textContent)[1]")?;
    let best = best.as_str().context("a better move")?.to_owned();
    let moves = "document.querySelectorAll('.moves .move').length";
    let before = page.evaluate(moves)?;

    page.click("#try-again")?;
    page.wait_for_text(".verdict-text", "Find a better move than 6… Bxd1")?;
    page.wait_for_square("h5", "black bishop")?;
    ensure!(page.is_true("document.querySelectorAll('.layer-better .arrow').length === 0")?, "no hint");
    ensure!(
        page.is_true(
            "!document.querySelector('.moves .main').checkVisibility({ visibilityProperty: true })"
        )?,
        "the answer is hidden"
    );
    stage.picture(&page, "layout-second-try")?;
    type_move(&page, "a6")?;
    page.wait_for_text(".verdict-text", "The review found a better move")?;
    page.click("#try-again")?;
    page.wait_for_text(".verdict-text", "Find a better move than 6… Bxd1")?;
    page.wait_until(&format!("{moves} === {before}")).context("a wrong try leaves no trace")?;
    type_move(&page, &best)?;
    page.wait_for_text(".verdict-text", "Right, this is the better move")?;
    ensure!(
        page.is_true("document.querySelector('.moves .main').checkVisibility({ visibilityProperty: true })")?,
        "the moves are back"
    );
    page.click("#next-mistake")?;
    page.wait_until("document.querySelectorAll('.layer-better .arrow').length === 1")?;
    // The marks belong to the review.
    open_tab(&page, "analyse")?;
    page.wait_until("document.querySelectorAll('.layer-better .arrow').length === 0 && document.querySelector('.move-sign').hidden")?;
    finish(page)
}

/// The words for a loss, for headers and for the time of a move.
pub(super) fn words_of_a_review(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    let loss = |color: &str, wins: [f64; 2], best: &str, after: &str, words: &str| -> Result<()> {
        let found = page.evaluate(&format!(
            "import('./verdict.js').then(({{ lossWords }}) => lossWords({{ color: '{color}', comment: '', eval: {{ score: {after} }}, \
             review: {{ judgement: 'blunder', best: {{ uci: 'e2e4', san: 'e4', score: {best} }}, win_before: {}, win_after: {} }} }}))",
            wins[0], wins[1],
        ))?;
        ensure!(found == words, "{found} instead of {words:?}");
        Ok(())
    };
    let win_to_draw = "Costs about 3 pawns and turns a winning position into an equal one.";
    loss("white", [90.0, 50.0], "{ cp: 300 }", "{ cp: 0 }", win_to_draw)?;
    loss("black", [10.0, 50.0], "{ cp: -300 }", "{ cp: 0 }", win_to_draw)?;
    let draw_to_loss = "Costs about 2 pawns and turns an equal position into a lost one.";
    loss("black", [50.0, 88.0], "{ cp: 10 }", "{ cp: 240 }", draw_to_loss)?;
    let a_third = "Costs about a pawn and a third of the winning chances.";
    loss("white", [60.0, 40.0], "{ cp: 50 }", "{ cp: -60 }", a_third)?;
    loss("white", [60.0, 40.0], "{ cp: 50 }", "{ cp: 40 }", "Costs a third of the winning chances.")?;
    loss("white", [100.0, 70.0], "{ mate: 3 }", "{ cp: 200 }", "Misses mate in 3.")?;
    loss("black", [50.0, 100.0], "{ cp: 0 }", "{ mate: 2 }", "Allows mate in 2.")?;

    for (call, answer) in [
        ("headerValue('Date', '2024-5-3').value", json!("2024.05.03")),
        ("headerValue('Date', '2024').value", json!("2024.??.??")),
        ("headerValue('Date', '').value", json!("????.??.??")),
        ("headerValue('Date', '2024-13').problem?.length > 0", json!(true)),
        ("headerValue('WhiteElo', ' 2150 ').value", json!("2150")),
        ("headerValue('WhiteElo', '').value", json!(null)),
        ("headerValue('Event', '').value", json!("?")),
        ("dateWords('1858.??.??')", json!("1858")),
        ("dateWords('2024.05.31')", json!("31 May 2024")),
    ] {
        let found = page
            .evaluate(&format!("import('./game-head.js').then(({{ headerValue, dateWords }}) => {call})"))?;
        ensure!(found == answer, "{call} is {found} instead of {answer}");
    }
    let numbers = page.evaluate(
        "import('./format.js').then(({ short }) => [999, 1234, 999_499, 999_700, 1_234_567].map(short))",
    )?;
    ensure!(numbers == json!(["999", "1.23 k", "999 k", "1.00 M", "1.23 M"]), "the numbers are {numbers}");
    // 40 moves in 90 minutes: the clock gains time at the control, where the time of the move is unknown.
    let times = page.evaluate(
        "import('./time-graph.js').then(({ thinkingTimes }) => thinkingTimes([{ san: null, color: 'black' }, \
         ...[5400, 5395, 5340, 5300, 7000].map((seconds, ply) => \
         ({ san: 'e4', color: ply % 2 ? 'black' : 'white', clock_ms: 1000 * seconds }))], '40/5400+30:1800+30'))",
    )?;
    ensure!(times == json!([null, 30_000, 35_000, 90_000, 125_000, null]), "the times are {times}");
    finish(page)
}

fn check_themes(page: &BrowserTab, place: &str) -> Result<()> {
    for theme in ["dark", "light"] {
        page.prefer("prefers-color-scheme", theme)?;
        check(page, &format!("{place}, {theme}"))?;
    }
    Ok(())
}

fn type_move(page: &BrowserTab, san: &str) -> Result<()> {
    page.click("#typed-move")?;
    page.write(san)?;
    page.press("Enter")
}
