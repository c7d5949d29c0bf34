//! `ferz serve` as a process, and requests and sockets as a browser makes them.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use fastrand::Rng;
use serde_json::Value;
use tungstenite::client::IntoClientRequest;
use tungstenite::{HandshakeError, WebSocket};

use super::{LOST, WRONG_ANSWER, WebRun};
use crate::process::{FerzProcess, cpu_time, open_files, resident_kib, status_field};
use crate::random::RandomChoice as _;

/// How long any answer may take on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// A server whose port stays the same when it is restarted.
#[derive(Debug)]
pub(super) struct ServerProcess {
    program: PathBuf,
    pub(super) process: FerzProcess,
    pub(super) port: u16,
}

/// What a server uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerUsage {
    pub(super) memory_kib: u64,
    pub(super) threads: u64,
    pub(super) files: usize,
    pub(super) cpu: Duration,
}

impl ServerProcess {
    pub(super) fn start(program: &Path, port: u16) -> Result<ServerProcess> {
        let mut process = FerzProcess::start(
            program,
            &["serve", "--no-open", "--library", "none", "--port", &port.to_string()],
        )?;
        let (_, line) = process.line(PATIENCE)?.context("the server does not start")?;
        let port = line.trim().strip_prefix("http://127.0.0.1:").and_then(|rest| rest.strip_suffix('/'));
        let port = port.and_then(|port| port.parse().ok()).with_context(|| format!("no address: {line}"))?;
        Ok(ServerProcess { program: program.to_owned(), process, port })
    }

    /// Kills it without warning and starts it again.
    pub(super) fn restart(&mut self) -> Result<()> {
        self.process.kill();
        *self = ServerProcess::start(&self.program, self.port).context("no server after a restart")?;
        Ok(())
    }

    pub(super) fn usage(&self) -> Result<ServerUsage> {
        let id = self.process.id();
        Ok(ServerUsage {
            memory_kib: resident_kib(id).context("memory is not known")?,
            threads: status_field(id, "Threads:").context("threads are not known")?,
            files: open_files(id).context("open files are not known")?,
            cpu: cpu_time(id).context("processor time is not known")?,
        })
    }
}

/// Whether a read or write ended because of its time limit.
pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

pub(super) fn connect(port: u16) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The status code of an HTTP response.
pub(super) fn status(response: &[u8]) -> Option<u16> {
    let line = response.strip_prefix(b"HTTP/1.1 ").or(response.strip_prefix(b"HTTP/1.0 "))?;
    str::from_utf8(line.get(..3)?).ok()?.parse().ok()
}

/// The body of a response with status 200.
pub(super) fn get(port: u16, path: &str) -> Result<Vec<u8>> {
    let mut stream = connect(port)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response)?;
    let end = response.windows(4).position(|four| four == b"\r\n\r\n").context("no header")?;
    match status(&response) {
        Some(200) => Ok(response[end + 4..].to_vec()),
        other => bail!("{path}: status {other:?}"),
    }
}

/// The token that opens a socket.
pub(super) fn token(port: u16) -> Result<String> {
    let session: Value = serde_json::from_slice(&get(port, "/session")?)?;
    Ok(session["token"].as_str().context("no token")?.to_owned())
}

/// Why a socket does not open.
#[derive(Debug)]
pub(super) enum SocketError {
    /// The HTTP status.
    Refused(u16),
    Failed(anyhow::Error),
}

impl fmt::Display for SocketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SocketError::Refused(status) => write!(f, "refused with status {status}"),
            SocketError::Failed(error) => write!(f, "{error:#}"),
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for SocketError {
    fn from(error: E) -> SocketError {
        SocketError::Failed(error.into())
    }
}

/// A socket from this origin, with this token.
pub(super) fn socket(port: u16, origin: &str, token: &str) -> Result<WebSocket<TcpStream>, SocketError> {
    let mut request = format!("ws://127.0.0.1:{port}/ws").into_client_request()?;
    request.headers_mut().insert("Origin", origin.parse()?);
    request.headers_mut().insert("Sec-WebSocket-Protocol", format!("ferz, {token}").parse()?);
    match tungstenite::client(request, connect(port)?) {
        Ok((socket, _)) => Ok(socket),
        Err(HandshakeError::Failure(tungstenite::Error::Http(response))) => {
            Err(SocketError::Refused(response.status().as_u16()))
        }
        Err(error) => Err(error.into()),
    }
}

/// A socket of our own page.
pub(super) fn own_socket(port: u16) -> Result<WebSocket<TcpStream>, SocketError> {
    socket(port, &format!("http://127.0.0.1:{port}"), &token(port)?)
}

/// The files that the page refers to, with their contents.
pub(super) fn page_files(port: u16) -> Result<HashMap<String, Vec<u8>>> {
    let index = get(port, "/")?;
    let text = String::from_utf8_lossy(&index).into_owned();
    let mut files = HashMap::from([("/".to_owned(), index)]);
    for rest in text.split("href=\"").skip(1).chain(text.split("src=\"").skip(1)) {
        let name = rest.split('"').next().unwrap_or_default();
        if name.contains('.') && !name.contains(':') {
            let path = format!("/{}", name.trim_start_matches(['.', '/']));
            files.insert(path.clone(), get(port, &path)?);
        }
    }
    ensure!(files.len() > 3, "the page refers to {} files only", files.len());
    Ok(files)
}

/// Loads the files of the page again and again. They never change.
pub(super) fn load_files(run: &WebRun, mut random: Rng, files: &HashMap<String, Vec<u8>>) {
    let mut paths: Vec<_> = files.keys().collect();
    paths.sort_unstable();
    while run.is_on() {
        run.rest_if_asked();
        let path = random.pick(&paths);
        let (before, start) = (run.disturbances(), Instant::now());
        match get(run.port, path) {
            Ok(body) if files.get(path) == Some(&body) => run.figures.time("GET", start.elapsed()),
            Ok(_) => run.figures.note(WRONG_ANSWER, format_args!("{path} has changed")),
            Err(_) if run.is_disturbed(before) => {}
            Err(error) => run.figures.note(LOST, format_args!("{path}: {error}")),
        }
        run.pause(Duration::from_millis(random.u64(20..100)));
    }
}
