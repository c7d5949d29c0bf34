//! Uploads of games into the library, and downloads from it.

use std::future::poll_fn;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use ferz_library::{Import, ImportCount, Library, LibraryError};
use ferz_session::protocol::{ImportProgress, ImportState, LibraryQuery, Message};
use hyper::body::{Body as HttpBody, Frame};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::{LibraryHost, answers, explain};

/// The interval of progress messages.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);
/// How long an upload may make no progress.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest request for an export in bytes.
const MAX_WISH: usize = 1 << 20;
/// Parts of an upload or download that may wait.
const PARTS: usize = 8;
/// The size of a part of a download in bytes, about.
const PART: usize = 256 << 10;
/// How long an import leaves the library to the tabs. They try again within this time.
const WRITER_TIME: Duration = Duration::from_millis(150);

/// Why a transfer is refused.
fn refuse(status: StatusCode, message: &str) -> Response {
    let close = [(header::CONNECTION, "close"), (header::CONTENT_TYPE, "application/json")];
    (status, close, json!({ "error": message }).to_string()).into_response()
}

/// Takes a file into the library.
pub(crate) async fn import(host: Arc<LibraryHost>, uri: &Uri, headers: &HeaderMap, body: Body) -> Response {
    if !host.is_writable {
        return refuse(StatusCode::CONFLICT, "The library is read-only. Nothing was imported.");
    }
    let Ok(place) = Arc::clone(&host.import_places).try_acquire_owned() else {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "Too many imports are running. Try again later.");
    };
    let value = |name| parameter(uri.query().unwrap_or_default(), name);
    let number = |name| value(name).and_then(|text| text.parse::<u64>().ok());
    let folder = match value("folder").map(|text| text.parse::<u64>()) {
        None => 0,
        Some(Ok(folder)) => folder,
        Some(Err(_)) => return refuse(StatusCode::BAD_REQUEST, "The number of the folder is not valid."),
    };
    let name: String =
        value("name").unwrap_or_default().chars().filter(|it| !it.is_control()).take(200).collect();
    let size = headers.get(header::CONTENT_LENGTH).and_then(|size| size.to_str().ok()?.parse().ok());
    let (parts, received) = channel(PARTS);
    let (done, result) = oneshot::channel();
    let job = ImportJob {
        number: host.next_number(),
        tab: number("tab").unwrap_or(0),
        folder,
        name,
        size,
        bytes: Arc::default(),
        stop: Arc::default(),
        host,
    };
    let import = job.number;
    let started = thread::Builder::new().name("import".to_owned()).spawn(move || {
        let _place = place;
        // Nobody may be waiting any more.
        let _ = done.send(job.run(received));
    });
    if started.is_err() {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "Not enough memory for an import. Try again later.");
    }
    upload(body, parts).await;
    match result.await {
        Ok(Ok(())) => ([(header::CONTENT_TYPE, "application/json")], json!({ "import": import }).to_string())
            .into_response(),
        Ok(Err(message)) => refuse(StatusCode::UNPROCESSABLE_ENTITY, &message),
        Err(_) => refuse(StatusCode::INTERNAL_SERVER_ERROR, "Internal error: the import failed. Try again."),
    }
}

/// Passes a request body on. Ends early if nobody wants the rest.
async fn upload(mut body: Body, parts: Sender<io::Result<Bytes>>) {
    loop {
        let next = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        let part = match timeout(UPLOAD_TIMEOUT, next).await {
            Ok(None) => return,
            Ok(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) => Ok(data),
                Err(_) => continue,
            },
            Ok(Some(Err(_))) => {
                Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the upload was interrupted"))
            }
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "the upload sent nothing for 30 seconds")),
        };
        let is_end = part.is_err();
        if parts.send(part).await.is_err() || is_end {
            return;
        }
    }
}

/// An upload as a file.
struct Upload {
    parts: Receiver<io::Result<Bytes>>,
    part: Bytes,
    bytes: Arc<AtomicU64>,
}

impl Read for Upload {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.part.is_empty() {
            match self.parts.blocking_recv() {
                Some(part) => self.part = part?,
                None => return Ok(0),
            }
        }
        let count = self.part.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.part.split_to(count));
        self.bytes.fetch_add(count as u64, Relaxed);
        Ok(count)
    }
}

/// An import of a tab.
struct ImportJob {
    number: u64,
    tab: u64,
    folder: u64,
    name: String,
    size: Option<u64>,
    /// Bytes of the upload that were read.
    bytes: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    host: Arc<LibraryHost>,
}

impl ImportJob {
    fn run(self, parts: Receiver<io::Result<Bytes>>) -> Result<(), String> {
        self.host.imports().insert(self.number, Arc::clone(&self.stop));
        self.report(&ImportCount::default(), ImportState::Running, None);
        let mut last = ImportCount::default();
        let result = self.read(parts, &mut last);
        self.host.imports().remove(&self.number);
        // The number of games is counted again.
        let _ = self.host.summary();
        let result = match result {
            Ok(count) if count.is_stopped => {
                self.report(&count, ImportState::Stopped, None);
                Ok(())
            }
            Ok(count) if count.games == 0 => Err("The file contains no game.".to_owned()),
            Ok(count) => {
                self.report(&count, ImportState::Done, count.first_problem.clone());
                Ok(())
            }
            Err(error) => Err(explain(&error)),
        };
        if let Err(message) = &result {
            self.report(&last, ImportState::Failed, Some(message.clone()));
        }
        self.host.announce_change(None);
        result
    }

    fn read(
        &self,
        parts: Receiver<io::Result<Bytes>>,
        last: &mut ImportCount,
    ) -> Result<ImportCount, LibraryError> {
        let upload = Upload { parts, part: Bytes::new(), bytes: Arc::clone(&self.bytes) };
        let mut import = Import::new(self.host.path())?.folder(self.folder)?;
        let mut reported = Instant::now();
        import.read(upload, &mut (), |count| {
            last.clone_from(count);
            // Lets the tabs write that could not during the transaction.
            if self.host.has_writer.swap(false, Relaxed) {
                thread::sleep(WRITER_TIME);
            }
            if reported.elapsed() >= PROGRESS_INTERVAL {
                reported = Instant::now();
                self.report(count, ImportState::Running, None);
            }
            if self.stop.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }

    fn report(&self, count: &ImportCount, state: ImportState, message: Option<String>) {
        let progress = ImportProgress {
            import: self.number,
            name: self.name.clone(),
            bytes: self.bytes.load(Relaxed),
            size: self.size,
            games: count.games,
            problems: count.problems,
            state,
            message,
        };
        self.host.tell(self.tab, Message::LibraryImport(progress));
    }
}

/// A request for games as a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExportWish {
    query: Option<LibraryQuery>,
    games: Option<Vec<u64>>,
}

/// Sends games as a PGN file.
pub(crate) async fn export(host: Arc<LibraryHost>, body: Body) -> Response {
    let Some(wish) = short_body(body).await else {
        return refuse(StatusCode::PAYLOAD_TOO_LARGE, "The request is too long.");
    };
    let wish: ExportWish = match serde_json::from_slice(&wish) {
        Ok(wish) => wish,
        Err(error) => return refuse(StatusCode::BAD_REQUEST, &format!("The request is not valid: {error}.")),
    };
    let Ok(place) = Arc::clone(&host.export_places).try_acquire_owned() else {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "Too many exports are running. Try again later.");
    };
    let games = tokio::task::block_in_place(|| match wish.games {
        Some(games) => Ok(games),
        None => host.library().find(&answers::query(&wish.query.unwrap_or_default())),
    });
    let games = match games {
        Ok(games) => games,
        Err(error) => return refuse(StatusCode::BAD_REQUEST, &explain(&error)),
    };
    let (sender, parts) = channel(PARTS);
    let started = thread::Builder::new().name("export".to_owned()).spawn(move || {
        let _place = place;
        send_games(host.path(), &games, sender);
    });
    if started.is_err() {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "Not enough memory for an export. Try again later.");
    }
    let headers = [
        (header::CONTENT_TYPE, "application/x-chess-pgn"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"games.pgn\""),
    ];
    (headers, Body::new(Download(parts))).into_response()
}

async fn short_body(mut body: Body) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let next = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        match timeout(UPLOAD_TIMEOUT, next).await.ok()? {
            None => return Some(bytes),
            Some(frame) => bytes.extend(frame.ok()?.into_data().unwrap_or_default()),
        }
        if bytes.len() > MAX_WISH {
            return None;
        }
    }
}

/// Reads the games with a connection of its own: a slow client keeps nobody waiting.
fn send_games(path: &Path, games: &[u64], sender: Sender<Result<Bytes, LibraryError>>) {
    let mut out = PartWriter { sender, part: Vec::new() };
    let exported = Library::open(path).and_then(|library| {
        library.export(games, &mut out)?;
        Ok(out.flush()?)
    });
    if let Err(error) = exported {
        // Ends the response before its end, which the client notices.
        let _ = out.sender.blocking_send(Err(error));
    }
}

/// Sends what is written in parts, and waits while the client does not take them.
struct PartWriter {
    sender: Sender<Result<Bytes, LibraryError>>,
    part: Vec<u8>,
}

impl Write for PartWriter {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let count = text.len().min(PART);
        self.part.extend_from_slice(&text[..count]);
        if self.part.len() >= PART {
            self.flush()?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        let part = std::mem::take(&mut self.part);
        self.sender.blocking_send(Ok(part.into())).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// A response that is made while it is sent.
struct Download(Receiver<Result<Bytes, LibraryError>>);

impl HttpBody for Download {
    type Data = Bytes;
    type Error = LibraryError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, LibraryError>>> {
        self.0.poll_recv(context).map(|part| part.map(|part| part.map(Frame::data)))
    }
}

/// The value of a parameter in the query of a URL.
fn parameter(query: &str, name: &str) -> Option<String> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let value = pairs.filter(|&(key, _)| key == name).map(|(_, value)| value).next()?;
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, behind @ ..] = rest {
        let escaped = match behind {
            [high, low, ..] if *first == b'%' => {
                let digits = [*high, *low];
                std::str::from_utf8(&digits).ok().and_then(|digits| u8::from_str_radix(digits, 16).ok())
            }
            _ => None,
        };
        match escaped {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(if *first == b'+' { b' ' } else { *first });
                rest = behind;
            }
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded() {
        let query = "name=my%20games+%28%C3%A4%29.pgn&folder=3&bad=%zz%4";
        assert_eq!(parameter(query, "name").as_deref(), Some("my games (ä).pgn"));
        assert_eq!(parameter(query, "folder").as_deref(), Some("3"));
        assert_eq!(parameter(query, "bad").as_deref(), Some("%zz%4"));
        assert_eq!(parameter(query, "tab"), None);
    }
}
