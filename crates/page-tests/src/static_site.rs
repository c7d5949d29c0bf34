//! A static file server for a folder, as any web space has it: no special headers, and the folder below a path prefix.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

/// The path that the scenarios open.
const PREFIX: &str = "/some/where/";
/// The same folder at a second place.
const OTHER_PREFIX: &str = "/other/";

/// The server. It ends with the program.
pub(crate) struct StaticSite {
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    folder: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Whether every connection is closed without an answer.
    is_cut: bool,
    /// The paths that were asked for, relative to the prefix.
    requests: Vec<String>,
    /// Files that are not, or not like this, in the folder.
    replaced: BTreeMap<String, String>,
    /// How long answers with this ending of the path wait.
    slow: Option<(String, Duration)>,
}

impl StaticSite {
    pub(crate) fn start(folder: &Path) -> Result<StaticSite> {
        ensure!(folder.join("index.html").is_file(), "there is no index.html in {}", folder.display());
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared { folder: folder.to_owned(), state: Mutex::default() });
        let served = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let served = Arc::clone(&served);
                // A browser that hangs up in the middle is no fault of the site.
                thread::spawn(move || served.answer(&stream));
            }
        });
        Ok(StaticSite { port, shared })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}{PREFIX}", self.port)
    }

    pub(crate) fn other_url(&self) -> String {
        format!("http://127.0.0.1:{}{OTHER_PREFIX}", self.port)
    }

    /// Closes all connections without an answer, or answers again.
    pub(crate) fn cut(&self, is_cut: bool) {
        self.shared.state().is_cut = is_cut;
    }

    /// The paths that were asked for since the last call, relative to the prefix.
    pub(crate) fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.state().requests)
    }

    /// Serves a text in place of a file, or as a new one.
    pub(crate) fn replace(&self, path: &str, text: String) {
        self.shared.state().replaced.insert(path.to_owned(), text);
    }

    /// Serves the folder again as it is, without delays and cuts.
    pub(crate) fn restore(&self) {
        *self.shared.state() = State::default();
    }

    /// Delays answers to paths with this ending.
    pub(crate) fn slow_down(&self, ending: &str, delay: Duration) {
        self.shared.state().slow = Some((ending.to_owned(), delay));
    }

    /// The text of a file of the folder.
    pub(crate) fn read(&self, path: &str) -> Result<String> {
        fs::read_to_string(self.shared.folder.join(path)).with_context(|| path.to_owned())
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers one request and closes the connection.
    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        let mut lines = BufReader::new(stream).lines();
        let request = lines.next().transpose()?.unwrap_or_default();
        // An answer before the end of the request could reset the connection.
        for line in lines {
            if line?.is_empty() {
                break;
            }
        }
        let target = request.split(' ').nth(1).unwrap_or_default();
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let Some(path) = path.strip_prefix(PREFIX).or_else(|| path.strip_prefix(OTHER_PREFIX)) else {
            return respond(stream, "404 Not Found", "text/plain", b"outside of the prefix");
        };
        let path = if path.is_empty() { "index.html" } else { path };
        let (replaced, delay) = {
            let mut state = self.state();
            if state.is_cut {
                return Ok(());
            }
            state.requests.push(path.to_owned());
            let delay =
                state.slow.as_ref().filter(|(ending, _)| path.ends_with(ending)).map(|(_, delay)| *delay);
            (state.replaced.get(path).cloned(), delay)
        };
        if let Some(delay) = delay {
            thread::sleep(delay);
        }
        let is_inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        let content = match replaced {
            Some(text) => Ok(text.into_bytes()),
            None if is_inside => fs::read(self.folder.join(path)),
            None => Err(io::ErrorKind::NotFound.into()),
        };
        match content {
            Ok(content) => respond(stream, "200 OK", mime_type(path), &content),
            Err(_) => respond(stream, "404 Not Found", "text/plain", b"no such file"),
        }
    }
}

fn respond(mut stream: &TcpStream, status: &str, mime: &str, content: &[u8]) -> io::Result<()> {
    let length = content.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {mime}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(content)
}

fn mime_type(path: &str) -> &'static str {
    match Path::new(path).extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("webmanifest") => "application/manifest+json",
        Some("txt") => "text/plain",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// The answer to a request for a path, or nothing.
    fn get(site: &StaticSite, path: &str) -> Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", site.port))?;
        write!(stream, "GET {path} HTTP/1.1\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }

    #[test]
    fn serves_a_folder_below_its_prefixes() -> Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/web");
        let site = StaticSite::start(&folder)?;
        let index = get(&site, PREFIX)?;
        assert!(index.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"), "{index}");
        assert!(index.ends_with(&site.read("index.html")?));
        assert_eq!(get(&site, "/other/index.html?hearing=ring")?, index);
        assert!(get(&site, "/some/where/pieces/wq.svg")?.contains("Content-Type: image/svg+xml\r\n"));
        for path in
            ["/index.html", "/some/where/none.js", "/some/where/../../Cargo.toml", "/some/where//etc/passwd"]
        {
            assert!(get(&site, path)?.starts_with("HTTP/1.1 404"), "{path}");
        }
        assert_eq!(site.take_requests()[..3], ["index.html", "index.html", "pieces/wq.svg"]);
        Ok(())
    }

    #[test]
    fn a_cut_site_says_nothing() -> Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/web");
        let site = StaticSite::start(&folder)?;
        site.cut(true);
        assert_eq!(get(&site, PREFIX)?, "");
        assert!(site.take_requests().is_empty());
        site.replace("index.html", "new".to_owned());
        site.cut(false);
        assert!(get(&site, PREFIX)?.ends_with("\r\n\r\nnew"));
        site.restore();
        assert!(get(&site, PREFIX)?.contains("<!doctype html>"));
        Ok(())
    }
}
