//! Comfort at the board: what it shows when nothing is known, the end of a game, drawings, premoves and settings.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;

use super::{DEPTH, finish, load, load_fen, open_tab};
use crate::TestBench;
use crate::page::{BrowserTab, ScreenPoint, square};

const BAR_IS_VISIBLE: &str = "getComputedStyle(document.querySelector('#eval-bar')).visibility === 'visible'";
const MAIN_MOVES: &str = "document.querySelectorAll('.moves .move.main').length";
const OWN_SHAPES: &str = "document.querySelectorAll('.layer-own > *').length";

/// Without an evaluation there is no bar, the engine takes everything along when it leaves, and a result fills the bar.
pub(super) fn evaluation_bar(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    ensure!(!page.is_true(BAR_IS_VISIBLE)?, "a bar without an evaluation");
    page.press("l")?;
    page.wait_until(&format!("{DEPTH} >= 6"))?;
    page.wait_until(BAR_IS_VISIBLE)?;
    page.wait_until("document.querySelectorAll('.layer-engine .arrow').length === 3")?;
    // Switched off on a different tab.
    open_tab(&page, "review")?;
    page.press("l")?;
    let is_clear = format!(
        "document.querySelectorAll('.layer-engine .arrow').length === 0 && !({BAR_IS_VISIBLE}) && \
         document.querySelector('.chances').hidden && document.querySelector('.lines').hidden"
    );
    page.wait_until(&is_clear)?;
    // Messages that were under way change nothing.
    page.evaluate("new Promise(done => setTimeout(done, 400))")?;
    ensure!(page.is_true(&is_clear)?, "the engine is off, and something of it came back");

    let share = |expected: &str| {
        format!(
            "{BAR_IS_VISIBLE} && document.querySelector('#eval-bar .white').style.transform === 'scaleY({expected})'"
        )
    };
    load_fen(&page, "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1")?;
    page.wait_until(&share("1"))?;
    page.wait_for_text("#eval-bar", "1-0")?;
    load_fen(&page, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")?;
    page.wait_until(&share("0.5"))?;
    page.wait_for_text("#eval-bar", "½")?;
    load_fen(&page, "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1")?;
    page.wait_until(&format!("!({BAR_IS_VISIBLE})"))?;
    finish(page)
}

/// The lines never flash, never show a bound or a move twice, and unfold.
pub(super) fn calm_lines(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    page.press("l")?;
    page.evaluate(
        "window.seen = []; new MutationObserver(() => { \
           const facts = document.querySelector('.facts').textContent; \
           const lines = [...document.querySelectorAll('.line')].filter(line => !line.hidden); \
           const firsts = lines.map(line => line.querySelector('.move:not([hidden])')?.textContent).filter(Boolean); \
           if (/depth 0|\\b0 nodes/.test(facts)) window.seen.push(facts); \
           if (lines.some(line => /[≥≤]/.test(line.querySelector('.score').textContent))) window.seen.push('a bound'); \
           if (new Set(firsts).size < firsts.length) window.seen.push('twice: ' + firsts); \
         }).observe(document.querySelector('#panel-analyse'), { childList: true, characterData: true, subtree: true }); null",
    )?;
    for mv in ["e2e4", "e7e5", "g1f3"] {
        page.click_moves(mv)?;
        page.wait_until(&format!("{DEPTH} >= 8"))?;
    }
    let seen = page.evaluate("window.seen")?;
    ensure!(seen == json!([]), "flashed: {seen}");

    let height = "document.querySelector('.line').getBoundingClientRect().height";
    let folded = page.evaluate(height)?.as_f64().unwrap_or(0.0);
    page.wait_until("!document.querySelector('.line .unfold').hidden")?;
    page.evaluate("document.querySelector('.line .unfold').focus()")?;
    page.press("Enter")?;
    page.wait_until("document.querySelector('.line .unfold').getAttribute('aria-expanded') === 'true'")?;
    page.wait_until("getComputedStyle(document.querySelector('.line .line-moves')).whiteSpace !== 'nowrap'")?;
    stage.picture(&page, "line-unfolded")?;
    page.click(".line .unfold")?;
    page.wait_until(&format!("{height} === {folded}"))?;
    finish(page)
}

/// The result in the reader's words, once, and a rematch with the colours swapped.
pub(super) fn end_of_a_game(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    load_fen(&page, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")?;
    open_tab(&page, "play")?;
    page.wait_until("document.querySelectorAll('.level').length >= 4")?;
    page.click(".level:last-child")?;
    page.choose("current position")?;
    page.click("#start-game")?;
    page.wait_for_text(".game-status", "Your move")?;
    let place = "Math.round(document.querySelector('#notebook').getBoundingClientRect().top)";
    let before = page.evaluate(place)?.as_f64().unwrap_or(0.0);
    page.click_move("a1", "a8")?;
    page.wait_for_text("#game-end", "You won by checkmate")?;
    let told = page.evaluate("document.querySelector('main').innerText.match(/checkmate|wins/g).length")?;
    ensure!(told == json!(1), "the result stands there {told} times");
    let after = page.evaluate(place)?.as_f64().unwrap_or(0.0);
    ensure!((after - before).abs() < 80.0, "the moves went from {before} to {after}");
    ensure!(!page.is_true("document.querySelector('#start-game').checkVisibility()")?, "the form came back");
    stage.picture(&page, "game-end")?;
    page.click("#rematch")?;
    page.wait_until("document.querySelector('#board .square').dataset.square === 'h1'")?;
    // Now the engine has the mate, and may give it at once.
    page.wait_for_text("#game-end", "You lost by checkmate")?;
    open_tab(&page, "analyse")?;
    page.wait_for_text("#opening", "You lost by checkmate")?;
    open_tab(&page, "play")?;
    page.click("button: New game")?;
    page.wait_until("document.querySelector('#start-game').checkVisibility()")?;
    // A hint does not outlive its game. The result stands below the moves, whoever sets it.
    page.choose("start position")?;
    start_game(&page)?;
    page.click("#hint")?;
    page.wait_until("document.querySelectorAll('.layer-hint .arrow').length === 1")?;
    page.click_move("e2", "e4")?;
    page.wait_until(&format!("{MAIN_MOVES} === 2"))?;
    page.click("#hint")?;
    page.wait_until("document.querySelectorAll('.layer-hint .arrow').length === 1")?;
    page.click("#resign")?;
    page.click("#resign")?;
    page.wait_for_text("#game-end", "You lost by resignation")?;
    page.wait_until("document.querySelectorAll('.layer-hint .arrow').length === 0")?;
    page.wait_for_text(".moves .result", "0 – 1")?;
    page.click("#edit-headers")?;
    page.choose("½ – ½")?;
    page.wait_for_text(".moves .result", "½ – ½")?;
    // A rematch from the start is a new game, not a variation of the old one.
    page.click("#rematch")?;
    page.wait_for_text(".game-status", "Your move")?;
    page.wait_until(&format!("{MAIN_MOVES} === 1"))?;
    ensure!(page.is_true("document.querySelector('.moves .result') === null")?, "the old result is gone");
    finish(page)
}

/// A weak level without a clock answers neither at once nor late.
pub(super) fn human_pace(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    start_game(&page)?;
    let start = Instant::now();
    page.click_move("e2", "e4")?;
    page.wait_until(&format!("{MAIN_MOVES} === 2"))?;
    let time = start.elapsed();
    ensure!(time >= Duration::from_millis(600), "answered after {time:?}");
    ensure!(time < Duration::from_secs(8), "answered after {time:?}");
    finish(page)
}

/// Starts a game as White against the weakest level, without a clock.
fn start_game(page: &BrowserTab) -> Result<()> {
    open_tab(page, "play")?;
    page.wait_until("document.querySelectorAll('.level').length >= 4")?;
    page.click(".level")?;
    page.click("#start-game")?;
    page.wait_for_text(".game-status", "Your move")
}

/// What is wrong with a typed move stands at the field and goes with the text or the position.
pub(super) fn typed_errors(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    load_fen(&page, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")?;
    let type_move = |text: &str| -> Result<()> {
        page.evaluate("document.activeElement.blur()")?;
        page.press("m")?;
        page.write(text)?;
        page.press("Enter")
    };
    type_move("Qxh7")?;
    page.wait_for_text("#typed-error", "Qxh7")?;
    let is_close = "(() => { const box = id => document.querySelector(id).getBoundingClientRect(); \
        return Math.abs(box('#typed-error').top - box('#typed-move').bottom) < 12; })()";
    ensure!(page.is_true(is_close)?, "the error stands elsewhere");
    ensure!(page.is_true("document.querySelectorAll('.notice').length === 0")?, "a message far away");
    stage.picture(&page, "typed-error")?;
    page.write("a")?;
    page.wait_until("document.querySelector('#typed-error').hidden")?;
    page.press("Enter")?;
    page.wait_until("!document.querySelector('#typed-error').hidden")?;
    // With the next position the wrong text goes, too.
    page.click_moves("a1b1")?;
    page.wait_until(
        "document.querySelector('#typed-error').hidden && document.querySelector('#typed-move').value === ''",
    )?;
    page.evaluate("document.activeElement.blur()")?;
    page.press("ArrowLeft")?;
    page.wait_for_square("a1", "white rook")?;
    type_move("oo")?;
    page.wait_for_square("g1", "white king")?;
    type_move("ooo")?;
    page.wait_for_square("c8", "black king")?;
    page.evaluate("document.activeElement.blur()")?;
    page.press("ArrowUp")?;
    page.wait_for_square("e1", "white king")?;
    type_move("0-0")?;
    page.wait_for_square("g1", "white king")?;
    finish(page)
}

fn mouse(page: &BrowserTab, kind: &str, point: ScreenPoint, buttons: u32) -> Result<()> {
    let button = if buttons == 0 && kind == "mouseMoved" { "none" } else { "right" };
    let event = json!({"type": kind, "x": point.x, "y": point.y, "button": button, "buttons": buttons, "clickCount": 1});
    page.call("Input.dispatchMouseEvent", &event)?;
    Ok(())
}

/// Arrows appear while they are drawn, the shortest has a shaft, and they can be cleared.
pub(super) fn drawings(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    let (start, end) = (page.find(&square("h2"))?, page.find(&square("h3"))?);
    mouse(&page, "mouseMoved", start, 0)?;
    mouse(&page, "mousePressed", start, 2)?;
    mouse(&page, "mouseMoved", end, 2)?;
    page.wait_until("document.querySelectorAll('.layer-preview .arrow').length === 1")?;
    ensure!(page.is_true(&format!("{OWN_SHAPES} === 0"))?, "drawn before the button is released");
    mouse(&page, "mouseReleased", end, 0)?;
    page.wait_until(&format!(
        "{OWN_SHAPES} === 1 && document.querySelectorAll('.layer-preview > *').length === 0"
    ))?;
    // The shaft is at least a third of a square long.
    let shaft = "(() => { const [start, neck] = document.querySelector('.layer-own .arrow').getAttribute('points') \
        .split(' ').map(point => Number(point.split(',')[0])); return neck - start; })()";
    let length = page.evaluate(shaft)?.as_f64().unwrap_or(0.0);
    ensure!(length > 33.0, "a shaft of {length} hundredths of a square");
    page.drag(&square("e2"), &square("e4"), "right")?;
    page.wait_until(&format!("{OWN_SHAPES} === 2"))?;
    page.click("#clear-drawings")?;
    page.wait_until(&format!("{OWN_SHAPES} === 0 && document.querySelector('#clear-drawings').hidden"))?;
    page.drag(&square("b8"), &square("c6"), "right")?;
    page.wait_until(&format!("{OWN_SHAPES} === 1"))?;
    // A click on a piece that can move is for the move; a click on an empty square clears.
    page.click(&square("e2"))?;
    page.wait_for_square("e4", "can move here")?;
    ensure!(page.is_true(&format!("{OWN_SHAPES} === 1"))?, "cleared by picking up a piece");
    page.click(&square("e2"))?;
    page.click(&square("d5"))?;
    page.wait_until(&format!("{OWN_SHAPES} === 0"))?;

    // The engine's badge does not hide a short arrow.
    load_fen(&page, "7k/8/8/8/8/8/8/K1r5 w - - 0 1")?;
    page.evaluate("document.activeElement.blur()")?;
    page.press("l")?;
    page.wait_until("document.querySelectorAll('.layer-engine .badge').length === 2")?;
    let is_beside = "(() => { const middles = of => [...document.querySelectorAll(`.layer-engine ${of}`)] \
        .map(one => one.getBoundingClientRect()).map(box => [box.x + box.width / 2, box.y + box.height / 2, box.width]); \
        const arrows = middles('.arrow'); return middles('.badge circle') \
        .every(([x, y, width], index) => Math.hypot(x - arrows[index][0], y - arrows[index][1]) > width / 2); })()";
    ensure!(page.is_true(is_beside)?, "a badge covers its arrow");
    stage.picture(&page, "short-arrows")?;
    finish(page)
}

/// A move made while the engine thinks is shown, cancelled or played.
pub(super) fn premoves(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    start_game(&page)?;
    page.click_move("a2", "a3")?;
    page.wait_for_text(".game-status", "thinking")?;
    page.click_move("h2", "h4")?;
    page.wait_for_square("h4", "premove")?;
    ensure!(page.square("h2")?.contains("white pawn"), "the pawn has not moved yet");
    stage.picture(&page, "premove")?;
    page.press("Escape")?;
    page.wait_until("document.querySelectorAll('.square.premove').length === 0")?;
    page.drag(&square("h2"), &square("h3"), "left")?;
    page.wait_for_square("h3", "premove")?;
    page.wait_until(&format!("{MAIN_MOVES} >= 3"))?;
    page.wait_until("[...document.querySelectorAll('.moves .move.main .san')][2].textContent === 'h3'")?;
    ensure!(page.is_true("document.querySelectorAll('.square.premove').length === 0")?, "it is played");

    // The right button cancels, and draws nothing. What is not legal when its time comes is dropped.
    page.wait_for_text(".game-status", "thinking")?;
    page.click_move("g2", "g3")?;
    page.wait_for_square("g3", "premove")?;
    page.drag(&square("e5"), &square("e5"), "right")?;
    page.wait_until("document.querySelectorAll('.square.premove').length === 0")?;
    ensure!(page.is_true(&format!("{OWN_SHAPES} === 0"))?, "a circle was drawn");
    page.click_move("d1", "h5")?;
    page.wait_for_square("h5", "premove")?;
    page.wait_until(&format!("{MAIN_MOVES} === 4"))?;
    page.wait_for_text(".game-status", "Your move")?;
    ensure!(page.is_true("document.querySelectorAll('.square.premove').length === 0")?, "still there");
    ensure!(page.square("d1")?.contains("white queen"), "an illegal move was played");
    finish(page)
}

pub(super) fn premoves_by_touch(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.browser.private_page()?;
    page.become_phone(390, 844)?;
    stage.visit(&page)?;
    page.tap("#tab-play")?;
    page.wait_until("document.querySelectorAll('.level').length >= 4")?;
    page.tap(".level")?;
    page.tap("#start-game")?;
    page.wait_for_text(".game-status", "Your move")?;
    page.touch_drag(&square("a2"), &square("a3"))?;
    page.wait_for_text(".game-status", "thinking")?;
    page.touch_drag(&square("h2"), &square("h3"))?;
    page.wait_for_square("h3", "premove")?;
    stage.picture(&page, "phone-premove")?;
    page.wait_until(&format!("{MAIN_MOVES} >= 3"))?;
    page.wait_until("[...document.querySelectorAll('.moves .move.main .san')][2].textContent === 'h3'")?;
    finish(page)
}

/// Silent until the reader switches sounds on.
pub(super) fn sounds(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.browser.private_page()?;
    page.prepare(
        "window.started = 0; const start = AudioScheduledSourceNode.prototype.start; \
         AudioScheduledSourceNode.prototype.start = function (...when) { window.started++; return start.apply(this, when); }; \
         const play = AudioBufferSourceNode.prototype.start; \
         AudioBufferSourceNode.prototype.start = function (...when) { window.started++; return play.apply(this, when); };",
    )?;
    stage.visit(&page)?;
    page.click_moves("e2e4")?;
    ensure!(page.evaluate("window.started")? == json!(0), "a sound that nobody asked for");
    page.click("#settings")?;
    page.click("button: Sounds")?;
    page.wait_until("window.started > 0")?;
    page.press("Escape")?;
    page.wait_until("document.querySelector('dialog') === null")?;
    let count =
        |page: &BrowserTab| -> Result<i64> { Ok(page.evaluate("window.started")?.as_i64().unwrap_or(0)) };
    let mut before = count(&page)?;
    for mv in ["d7d5", "e4d5", "d8d5"] {
        page.click_moves(mv)?;
        page.wait_until(&format!("window.started > {before}"))?;
        before = count(&page)?;
    }
    // Stepping back is silent.
    page.evaluate("document.activeElement.blur()")?;
    page.press("ArrowLeft")?;
    page.wait_for_square("d8", "black queen")?;
    ensure!(count(&page)? == before, "a step back made a sound");
    finish(page)
}

const PICTURE_OF_A_PAWN: &str =
    "getComputedStyle(document.querySelector('#board .men .piece.wp')).backgroundImage";

/// Board, pieces, coordinates and figurines, kept by the browser.
pub(super) fn settings(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    load(&page, "1. e4 e5 2. Nf3 Nc6 3. Bb5 *")?;
    page.wait_for_line("e4 e5 Nf3 Nc6 Bb5")?;
    page.evaluate("document.activeElement.blur()")?;
    let light = "getComputedStyle(document.querySelector('#board .square.light')).backgroundColor";
    let classic = page.evaluate(light)?;
    page.press(",")?;
    page.wait_until("document.querySelector('dialog') !== null")?;
    stage.picture(&page, "settings")?;
    crate::accessibility::check(&page, "settings")?;
    page.click("input[value=green]")?;
    page.wait_until(&format!("{light} !== {classic}"))?;
    page.click("input[value=line]")?;
    page.wait_until(&format!("{PICTURE_OF_A_PAWN}.includes('pieces/line/wp.svg')"))?;
    page.click("input[value=outside]")?;
    let outside = "(() => { const cell = document.querySelector('#board [data-rank]'); \
        return parseFloat(getComputedStyle(cell, '::before').left) < 0; })()";
    page.wait_until(outside)?;
    page.click("button: Figurines (♘f3)")?;
    page.wait_for_line("e4 e5 ♘f3 ♘c6 ♗b5")?;
    page.press("Escape")?;
    page.wait_until("document.querySelector('dialog') === null")?;
    ensure!(
        page.is_true("document.documentElement.scrollHeight <= innerHeight")?,
        "coordinates outside make the page scroll"
    );
    stage.picture(&page, "coordinates-outside")?;
    page.reload()?;
    page.wait_for_line("e4 e5 ♘f3 ♘c6 ♗b5")?;
    ensure!(page.is_true(&format!("{PICTURE_OF_A_PAWN}.includes('line')"))?, "the pieces were forgotten");
    ensure!(page.is_true(outside)?, "the coordinates were forgotten");
    // Squares are still where they seem to be.
    page.click_moves("e2e4")?;
    page.press(",")?;
    page.click("input[value=off]")?;
    page.wait_until(
        "getComputedStyle(document.querySelector('#board [data-rank]'), '::before').display === 'none'",
    )?;
    page.click("button: Figurines (♘f3)")?;
    page.wait_for_line("e4 e5 Nf3 Nc6 Bb5")?;
    finish(page)
}

pub(super) fn settings_on_a_phone(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.browser.private_page()?;
    page.become_phone(390, 844)?;
    stage.visit(&page)?;
    page.tap("#settings")?;
    page.wait_until("document.querySelector('dialog') !== null")?;
    page.tap("input[value=letters]")?;
    page.wait_until(&format!("{PICTURE_OF_A_PAWN}.includes('letters')"))?;
    page.tap("input[value=blue]")?;
    page.tap("input[value=outside]")?;
    stage.picture(&page, "phone-settings")?;
    page.tap("button: Close")?;
    page.wait_until("document.querySelector('dialog') === null")?;
    let width = page.evaluate("document.documentElement.scrollWidth")?;
    ensure!(width == 390, "the page is {width} pixels wide");
    page.evaluate("scrollTo(0, 0)")?;
    stage.picture(&page, "phone-letters")?;
    page.touch_drag(&square("e2"), &square("e4"))?;
    page.wait_for_square("e4", "white pawn, last move")?;
    finish(page)
}
