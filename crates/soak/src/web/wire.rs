//! Requests and sockets, as a browser makes them and as it never would.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tungstenite::client::IntoClientRequest;
use tungstenite::{HandshakeError, WebSocket};

/// How long anything may take on a machine that is busy with other things.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// A connection to the server.
pub(super) fn connect(port: u16) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// What comes back for these bytes, up to the end of the connection.
pub(super) fn exchange(port: u16, request: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = connect(port)?;
    stream.write_all(request)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(answer)
}

/// The status of an answer, if it is one.
pub(super) fn status(answer: &[u8]) -> Option<u16> {
    let line = answer.strip_prefix(b"HTTP/1.1 ").or(answer.strip_prefix(b"HTTP/1.0 "))?;
    str::from_utf8(line.get(..3)?).ok()?.parse().ok()
}

/// The body of a file of the page; every other answer than 200 is an error.
pub(super) fn get(port: u16, path: &str) -> Result<Vec<u8>> {
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    let answer = exchange(port, request.as_bytes())?;
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").context("no head")?;
    match status(&answer) {
        Some(200) => Ok(answer[end + 4..].to_vec()),
        other => bail!("{path}: status {other:?}"),
    }
}

/// The token that opens a socket.
pub(super) fn token(port: u16) -> Result<String> {
    let session: Value = serde_json::from_slice(&get(port, "/session")?)?;
    Ok(session["token"].as_str().context("no token")?.to_owned())
}

/// Why there is no socket.
#[derive(Debug)]
pub(super) enum NoSocket {
    /// The status with which it was refused.
    Refused(u16),
    /// The connection failed or ended.
    Failed(String),
}

/// A socket from this origin, with this token.
pub(super) fn socket(port: u16, origin: &str, token: &str) -> Result<WebSocket<TcpStream>, NoSocket> {
    let failed = |error: &dyn std::fmt::Display| NoSocket::Failed(error.to_string());
    let url = format!("ws://127.0.0.1:{port}/ws");
    let mut request = url.into_client_request().map_err(|error| failed(&error))?;
    let headers = request.headers_mut();
    headers.insert("Origin", origin.parse().map_err(|error| failed(&error))?);
    let protocols = format!("ferz, {token}").parse().map_err(|error| failed(&error))?;
    headers.insert("Sec-WebSocket-Protocol", protocols);
    let stream = connect(port).map_err(|error| failed(&error))?;
    match tungstenite::client(request, stream) {
        Ok((socket, _)) => Ok(socket),
        Err(HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
            Err(NoSocket::Refused(answer.status().as_u16()))
        }
        Err(error) => Err(failed(&error)),
    }
}

/// The socket of our own page.
pub(super) fn own_socket(port: u16) -> Result<WebSocket<TcpStream>, NoSocket> {
    let token = token(port).map_err(|error| NoSocket::Failed(error.to_string()))?;
    socket(port, &format!("http://127.0.0.1:{port}"), &token)
}
