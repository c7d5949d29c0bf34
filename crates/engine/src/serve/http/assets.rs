//! The files of the page.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::App;

/// A file in the program.
#[derive(Debug)]
struct Asset {
    /// Relative to the folder of the page.
    path: &'static str,
    bytes: &'static [u8],
}

macro_rules! assets {
    ($($path:literal)*) => {
        &[$(Asset { path: $path, bytes: include_bytes!(concat!("../../../web/", $path)) }),*]
    };
}

/// All files in `web/` that the browser loads.
static ASSETS: &[Asset] = assets![
    "analyse.js"
    "announce.js"
    "app.js"
    "base.css"
    "board-keyboard.js"
    "board-overlay.js"
    "board-pointer.js"
    "board.css"
    "board.js"
    "comfort.css"
    "connection.js"
    "controls.js"
    "dialog.js"
    "dom.js"
    "editor-pointer.js"
    "editor.css"
    "engine-settings.js"
    "eval-bar.js"
    "explain.js"
    "explorer.css"
    "explorer.js"
    "figurines.js"
    "film.js"
    "first-steps.js"
    "format.js"
    "game-end.js"
    "game-head.js"
    "gif.js"
    "glyphs.js"
    "graph.js"
    "icon.svg"
    "import.js"
    "index.html"
    "keys.js"
    "layout.css"
    "layout.js"
    "library-filters.js"
    "library-games.js"
    "library-grid.js"
    "library-import.js"
    "library-shelves.js"
    "library.css"
    "library.js"
    "lines.js"
    "little-board.js"
    "main.js"
    "memory.js"
    "notebook.js"
    "notices.js"
    "panels.css"
    "pieces/bb.svg"
    "pieces/bk.svg"
    "pieces/bn.svg"
    "pieces/bp.svg"
    "pieces/bq.svg"
    "pieces/br.svg"
    "pieces/letters/bb.svg"
    "pieces/letters/bk.svg"
    "pieces/letters/bn.svg"
    "pieces/letters/bp.svg"
    "pieces/letters/bq.svg"
    "pieces/letters/br.svg"
    "pieces/letters/wb.svg"
    "pieces/letters/wk.svg"
    "pieces/letters/wn.svg"
    "pieces/letters/wp.svg"
    "pieces/letters/wq.svg"
    "pieces/letters/wr.svg"
    "pieces/line/bb.svg"
    "pieces/line/bk.svg"
    "pieces/line/bn.svg"
    "pieces/line/bp.svg"
    "pieces/line/bq.svg"
    "pieces/line/br.svg"
    "pieces/line/wb.svg"
    "pieces/line/wk.svg"
    "pieces/line/wn.svg"
    "pieces/line/wp.svg"
    "pieces/line/wq.svg"
    "pieces/line/wr.svg"
    "pieces/wb.svg"
    "pieces/wk.svg"
    "pieces/wn.svg"
    "pieces/wp.svg"
    "pieces/wq.svg"
    "pieces/wr.svg"
    "play.js"
    "premove.js"
    "print.css"
    "print.js"
    "promotion.js"
    "puzzle-box.js"
    "puzzles.css"
    "puzzles.js"
    "repertoire.js"
    "review.js"
    "route.js"
    "settings.js"
    "setup.js"
    "share.js"
    "socket-transport.js"
    "sounds.js"
    "squares.js"
    "stage.js"
    "status.js"
    "store.js"
    "strips.js"
    "tabs.js"
    "theme-boot.js"
    "theme.js"
    "time-graph.js"
    "trainer.js"
    "transport.js"
    "verdict.js"
    "xray-accumulator.js"
    "xray-attacks.js"
    "xray-bitboards.js"
    "xray-contents.js"
    "xray-copy.js"
    "xray-key.js"
    "xray-lit.js"
    "xray-masks.js"
    "xray-moves.js"
    "xray-parts.js"
    "xray-perft.js"
    "xray-route.js"
    "xray-scratch.js"
    "xray-search.js"
    "xray-stepper.js"
    "xray-table.js"
    "xray-tours.js"
    "xray-values.js"
    "xray.css"
    "xray.js"
];

/// Serves a file from the program, or from the folder of `--assets`.
pub(super) async fn serve(State(app): State<Arc<App>>, request: Request) -> Response {
    let path = match request.uri().path() {
        "/" => "index.html",
        path => path.strip_prefix('/').unwrap_or(path),
    };
    let bytes = match &app.folder {
        Some(folder) => read(folder, path).map(Bytes::from),
        None => ASSETS.iter().find(|asset| asset.path == path).map(|asset| Bytes::from_static(asset.bytes)),
    };
    match bytes {
        Some(bytes) => {
            let content_type = HeaderValue::from_static(content_type(path));
            ([(header::CONTENT_TYPE, content_type)], bytes).into_response()
        }
        None => (StatusCode::NOT_FOUND, "Not found.").into_response(),
    }
}

/// Reads a file in the folder. Links, hidden files and anything that is not a plain file are rejected.
fn read(folder: &Path, path: &str) -> Option<Vec<u8>> {
    let is_plain = |part: &str| {
        let letters = part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        letters && !part.is_empty() && !part.starts_with('.')
    };
    let mut file = folder.to_owned();
    for part in path.split('/') {
        if !is_plain(part) {
            return None;
        }
        file.push(part);
        if fs::symlink_metadata(&file).ok()?.is_symlink() {
            return None;
        }
    }
    if fs::metadata(&file).ok()?.is_file() { fs::read(&file).ok() } else { None }
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webmanifest" => "application/manifest+json",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn web() -> PathBuf {
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/web"))
    }

    /// The files below a folder, by their paths from it.
    fn files(folder: &Path, prefix: &str) -> Vec<String> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = format!("{prefix}{}", entry.file_name().to_str().expect("a plain name"));
            if entry.file_type().expect("a type").is_dir() {
                found.extend(files(&entry.path(), &format!("{path}/")));
            } else {
                found.push(path);
            }
        }
        found.sort();
        found
    }

    #[test]
    fn every_file_of_the_page_is_in_the_program() {
        let mut known: Vec<_> = ASSETS.iter().map(|asset| asset.path.to_owned()).collect();
        known.sort();
        // Only the type checker reads these.
        let is_loaded = |file: &String| !file.ends_with(".d.ts") && file != "tsconfig.json";
        let loaded: Vec<_> = files(&web(), "").into_iter().filter(is_loaded).collect();
        assert_eq!(known, loaded);
    }

    #[test]
    fn the_page_is_small_and_every_file_has_a_type() {
        // The browser loads one of the sets of pieces, and some modules when they are first used.
        let later = ["pieces/", "xray", "film.js", "gif.js", "trainer.js"];
        let is_loaded = |asset: &&Asset| !later.iter().any(|name| asset.path.starts_with(name));
        let total: usize = ASSETS.iter().filter(is_loaded).map(|asset| asset.bytes.len()).sum();
        assert!(total < 500_000, "{total} bytes");
        assert!(ASSETS.iter().all(|asset| !content_type(asset.path).starts_with("text/plain")));
    }

    #[test]
    fn nothing_outside_the_folder_is_read() {
        let folder = web();
        assert!(read(&folder, "index.html").is_some());
        for path in [
            "",
            "..",
            "../Cargo.toml",
            "pieces/../index.html",
            ".",
            ".git",
            "/etc/passwd",
            "a//b",
            "pieces",
            "%2e%2e/x",
            "..\\x",
            "index.html\0",
        ] {
            assert!(read(&folder, path).is_none(), "{path}");
        }
    }
}
