//! Sharing and exporting: honest links, a web page in one file, an animated GIF, paper, and tabs in the address.

use std::{env, fs, process};

use anyhow::{Context, Result, ensure};
use data_encoding::BASE64;
use serde_json::json;

use super::games::OPERA;
use super::{finish, load, open_tab};
use crate::TestBench;
use crate::page::BrowserTab;

/// Keeps the files that the page saves.
const KEEP_FILES: &str = "{ const make = URL.createObjectURL; window.files = []; \
    URL.createObjectURL = (blob) => { window.files.push(blob); return make.call(URL, blob); }; }";

/// A tab with the opera game and the Share dialog.
fn share(stage: &TestBench<'_>) -> Result<BrowserTab> {
    let page = stage.open()?;
    page.evaluate(KEEP_FILES)?;
    load(&page, OPERA)?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 33")?;
    page.evaluate("document.activeElement.blur()")?;
    page.press("ArrowRight")?;
    page.wait_for_square("e4", "last move")?;
    page.press("s")?;
    page.wait_until("document.querySelector('#share-link')?.value.includes('#pgn=')")?;
    Ok(page)
}

/// A link to this machine says so.
pub(super) fn honest_links(stage: &mut TestBench<'_>) -> Result<()> {
    let page = share(stage)?;
    page.wait_for_text("#share-reach", "opens only on this computer")?;
    // A message of the dialog is above it, and outlives it.
    page.click("button: Copy FEN")?;
    page.wait_until("document.querySelector('dialog .notice') !== null")?;
    page.press("Escape")?;
    page.wait_until(
        "document.querySelector('dialog') === null && document.querySelector('.notice') !== null",
    )?;
    page.click("button: Dismiss")?;
    page.press("s")?;
    page.wait_for_text("#share-reach", "opens only on this computer")?;
    for theme in ["light", "dark"] {
        page.prefer("prefers-color-scheme", theme)?;
        crate::accessibility::check(&page, &format!("share, {theme}"))?;
        stage.picture(&page, &format!("share-{theme}"))?;
    }
    page.resize(390, 844)?;
    let width = page.evaluate(
        "document.querySelector('dialog').scrollWidth <= document.querySelector('dialog').clientWidth",
    )?;
    ensure!(width == true, "the dialog is too wide for a phone");
    stage.picture(&page, "share-phone")?;
    finish(page)
}

/// The saved web page shows the game without the server.
pub(super) fn web_page_export(stage: &mut TestBench<'_>) -> Result<()> {
    let page = share(stage)?;
    page.click("#save-html")?;
    let file = "window.files.find(file => file.type === 'text/html')";
    page.wait_until(&format!("{file} !== undefined"))?;
    let text = page.evaluate(&format!("{file}.text()"))?;
    let text = text.as_str().context("no text")?;
    let path = env::temp_dir().join(format!("ferz-page-tests-{}.html", process::id()));
    fs::write(&path, text)?;
    let viewer = stage.browser.private_page()?;
    viewer.navigate(&format!("file://{}", path.display()))?;
    viewer.wait_for_text("#players", "Paul Morphy – Duke Karl")?;
    let piece = |square: &str, class: &str| {
        format!("document.querySelector('[data-square={square}]').classList.contains('{class}')")
    };
    // It opens at the position that was shared, and steps by keys, buttons and clicks.
    viewer.wait_until(&piece("e4", "wp"))?;
    ensure!(
        viewer.is_true("getComputedStyle(document.querySelector('.wp')).backgroundImage.startsWith('url(\"data:image/svg')")?,
        "the pieces have pictures"
    );
    viewer.press("ArrowRight")?;
    viewer.wait_until(&piece("e5", "bp"))?;
    viewer.press("End")?;
    viewer.wait_until(&piece("d8", "wr"))?;
    viewer.click("#back")?;
    viewer.wait_until(&piece("d8", "wr").replace("document", "!document"))?;
    viewer.press("Home")?;
    viewer.wait_until(&piece("e2", "wp"))?;
    viewer.evaluate("[...document.querySelectorAll('#moves .variation button')].find(one => one.textContent === 'Bg7').id = 'chosen'")?;
    viewer.click("#chosen")?;
    viewer.wait_until(&piece("g7", "bb"))?;
    viewer.click("#flip")?;
    viewer.wait_until("document.querySelector('#board div').dataset.square === 'h1'")?;
    ensure!(viewer.text("#moves")?.contains("Too early."), "with comments");
    stage.picture(&viewer, "web-page")?;
    viewer.resize(390, 844)?;
    ensure!(viewer.is_true("document.documentElement.scrollWidth <= 390")?, "it fits a phone");
    stage.picture(&viewer, "web-page-phone")?;
    fs::remove_file(&path)?;
    finish(viewer)?;
    finish(page)
}

/// The PNG shows the position: a white pawn on e4, and none on e2.
pub(super) fn picture_of_the_position(stage: &mut TestBench<'_>) -> Result<()> {
    let page = share(stage)?;
    page.click("button: Save PNG")?;
    let file = "window.files.find(file => file.type === 'image/png')";
    page.wait_until(&format!("{file} !== undefined"))?;
    let data = page.evaluate(&format!(
        "{file}.arrayBuffer().then(data => btoa(Array.from(new Uint8Array(data), byte => String.fromCharCode(byte)).join('')))"
    ))?;
    let bytes = BASE64.decode(data.as_str().context("no data")?.as_bytes())?;
    ensure!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "not a PNG");
    ensure!(
        bytes[16..24] == [0, 0, 4, 176, 0, 0, 4, 176],
        "it is 1200 by 1200 pixels large: {:?}",
        &bytes[16..24]
    );
    ensure!((10_000..500_000).contains(&bytes.len()), "{} bytes", bytes.len());
    fs::write(stage.pictures.join("position.png"), &bytes)?;
    // A pawn is brighter than any square at its middle.
    let seen = page.evaluate(&format!(
        "createImageBitmap({file}).then(image => {{ const context = new OffscreenCanvas(1200, 1200).getContext('2d', {{ willReadFrequently: true }}); \
         context.drawImage(image, 0, 0); const [x, y] = [1200 / 8, 1200 / 8]; \
         return [4.6, 6.6].map(row => Math.min(...context.getImageData(4.5 * x, row * y, 1, 1).data.slice(0, 3))); }})"
    ))?;
    ensure!(seen[0].as_u64() > Some(240), "the pawn on e4 is {}", seen[0]);
    ensure!(seen[1].as_u64() < Some(240), "the empty square e2 is {}", seen[1]);
    finish(page)
}

/// The browser's own decoder reads the GIF: one frame for each position.
pub(super) fn animated_gif(stage: &mut TestBench<'_>) -> Result<()> {
    let page = share(stage)?;
    page.click("#save-gif")?;
    let file = "window.files.find(file => file.type === 'image/gif')";
    page.wait_until(&format!("{file} !== undefined"))?;
    let data = page.evaluate(&format!(
        "{file}.arrayBuffer().then(data => btoa(Array.from(new Uint8Array(data), byte => String.fromCharCode(byte)).join('')))"
    ))?;
    let bytes = BASE64.decode(data.as_str().context("no data")?.as_bytes())?;
    ensure!(bytes.starts_with(b"GIF89a") && bytes.ends_with(b";"), "not a GIF");
    ensure!(bytes[6..10] == [224, 1, 4, 2], "it is 480 by 516 pixels large: {:?}", &bytes[6..10]);
    ensure!(bytes.len() < 1_000_000, "{} bytes", bytes.len());
    ensure!(frames(&bytes) == Some(34), "{:?} frames", frames(&bytes));
    fs::write(stage.pictures.join("game.gif"), &bytes)?;
    // The last frame has the mating rook on d8: the middle of its square is white, that of d7 is dark.
    let seen = page.evaluate(&format!(
        "(async () => {{ const decoder = new ImageDecoder({{ data: await {file}.arrayBuffer(), type: 'image/gif' }}); \
         await decoder.tracks.ready; await decoder.completed; const count = decoder.tracks.selectedTrack.frameCount; \
         const {{ image }} = await decoder.decode({{ frameIndex: count - 1 }}); \
         const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight); const context = canvas.getContext('2d', {{ willReadFrequently: true }}); \
         context.drawImage(image, 0, 0); const at = (x, y) => [...context.getImageData(x, y, 1, 1).data.slice(0, 3)]; \
         return {{ count, seconds: image.duration / 1e6, rook: at(210, 30), empty: at(204, 96) }}; }})()"
    ))?;
    ensure!(seen["count"] == 34 && seen["seconds"] == 3.0, "{seen}");
    let sum = |name: &str| {
        seen[name].as_array().into_iter().flatten().filter_map(serde_json::Value::as_u64).sum::<u64>()
    };
    ensure!(sum("rook") > 720, "the rook on d8 is {}", seen["rook"]);
    ensure!(sum("empty") < 720, "the empty square d7 is {}", seen["empty"]);
    finish(page)
}

/// The frames of a GIF; `None` if its blocks do not fit together.
fn frames(gif: &[u8]) -> Option<usize> {
    let mut at = 13 + 3 * 256;
    let mut frames = 0;
    loop {
        at += match *gif.get(at)? {
            0x21 => 2,
            0x2c => {
                frames += 1;
                11
            }
            0x3b => return (at + 1 == gif.len()).then_some(frames),
            _ => return None,
        };
        // Blocks of data up to an empty one.
        while *gif.get(at)? != 0 {
            at += 1 + usize::from(gif[at]);
        }
        at += 1;
    }
}

/// Tabs have addresses; Back and Forward lead from one to the next.
pub(super) fn tabs_in_the_address(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    let is_open =
        |tab: &str| format!("location.hash === '#{tab}' && !document.querySelector('#panel-{tab}').hidden");
    page.wait_until(&is_open("analyse"))?;
    open_tab(&page, "review")?;
    page.wait_until(&is_open("review"))?;
    open_tab(&page, "play")?;
    page.evaluate("history.back()")?;
    page.wait_until(&is_open("review"))?;
    page.evaluate("history.back()")?;
    page.wait_until(&is_open("analyse"))?;
    page.evaluate("history.go(2)")?;
    page.wait_until(&is_open("play"))?;
    page.reload()?;
    page.wait_until(&is_open("play"))?;
    // The X-ray names its section as well.
    open_tab(&page, "xray")?;
    page.wait_until("location.hash.startsWith('#xray/')")?;
    page.evaluate("history.back()")?;
    page.wait_until(&is_open("play"))?;
    // An address opens its tab, and links to games still work.
    page.evaluate("location.hash = '#setup'")?;
    page.wait_until(&is_open("setup"))?;
    page.evaluate("location.hash = '#fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1&analyse'")?;
    page.wait_for_square("h1", "white rook")?;
    page.wait_until(&is_open("analyse"))?;
    finish(page)
}

/// Paper has the header, the moves and the diagrams, and no controls.
pub(super) fn printing(stage: &mut TestBench<'_>) -> Result<()> {
    let page = stage.open()?;
    let game = OPERA.replace("9. Bg5 b5", "9. Bg5 $220 b5 {A diagram, please.}");
    load(&page, &game)?;
    page.wait_until("document.querySelectorAll('.moves .move.main').length === 33")?;
    page.evaluate("document.activeElement.blur()")?;
    page.press("ArrowRight")?;
    page.wait_for_square("e4", "last move")?;
    page.press("d")?;
    // The boards of the diagrams arrive while the reader looks for the printer.
    std::thread::sleep(std::time::Duration::from_millis(800));
    let paper = page.call("Page.printToPDF", &json!({"paperWidth": 8.27, "paperHeight": 11.69}))?;
    let pdf = BASE64.decode(paper["data"].as_str().context("no paper")?.as_bytes())?;
    ensure!(pdf.starts_with(b"%PDF-"), "not a PDF");
    fs::write(stage.pictures.join("print.pdf"), &pdf)?;
    page.call("Emulation.setEmulatedMedia", &json!({"media": "print"}))?;
    page.resize(794, 1123)?;
    page.wait_for_text("#print-sheet h1", "Paul Morphy – Duke Karl and Count Isouard  1–0")?;
    let sheet = page.text("#print-sheet")?;
    for part in [
        "Paris, 1858",
        "1. e4 e5 2. Nf3 d6",
        "(3… exd4 4. Nxd4 Nf6 (4… g6",
        "Too early.",
        "17. Rd8#",
        "After 9. Bg5",
    ] {
        ensure!(sheet.contains(part), "{part} is not on the paper: {sheet}");
    }
    let diagrams = page.evaluate("document.querySelectorAll('#print-sheet figure').length")?;
    ensure!(diagrams == 3, "{diagrams} diagrams instead of the current position and two marked ones");
    ensure!(
        page.is_true(
            "![...document.querySelectorAll('button, input, #board')].some(one => one.checkVisibility())"
        )?,
        "no controls on paper"
    );
    ensure!(
        page.is_true("getComputedStyle(document.querySelector('#print-sheet')).color === 'rgb(0, 0, 0)'")?,
        "black on white, in the dark theme as well"
    );
    stage.picture(&page, "print")?;
    finish(page)
}
