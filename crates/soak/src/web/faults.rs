//! What hostile or broken programs do to the server while others use it.
//!
//! The exact answer to each attack is tested in `crates/engine/tests/it/serve/attacks.rs`. Here attacks must be refused,
//! and tabs must work while they go on.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use fastrand::Rng;
use serde_json::json;
use tungstenite::{Message, WebSocket};

use super::tab::{TabClient, TabError, broken};
use super::wire::{self, PATIENCE, SocketError, is_timeout};
use super::{LOST, UNGUARDED, WRONG_STATE, WebRun};
use crate::figures::lock;
use crate::random::RandomChoice as _;

/// The server waits 8 s for a request and 20 s for an answer to be read; a busy machine gets more.
const HEADER_PATIENCE: Duration = Duration::from_secs(8 + 7);
const WRITE_PATIENCE: Duration = Duration::from_secs(20 + 15);

/// Attacks until the run is over. After each attack a new tab must work.
pub(super) fn attack(run: &WebRun, mut random: Rng) {
    while run.is_on() {
        run.rest_if_asked();
        let before = run.disturbances();
        let result = match random.usize(..40) {
            0..14 => send_bad_frame(run, &mut random),
            14..20 => send_bad_request(run, &mut random),
            20..26 => vanish(run, &mut random),
            26..28 => send_slowly(run),
            28..29 => read_nothing(run),
            29..30 => flood(run),
            30..32 => take_all_places(run),
            32..34 => own_socket(run).and_then(|silent| silent.map_or(Ok(()), wait_for_close)),
            _ => forge_credentials(run, &mut random),
        };
        run.figures.count("faults", 1);
        match result {
            Err(error) if !run.is_disturbed(before) => run.figures.note(UNGUARDED, format_args!("{error:#}")),
            _ => check_health(run),
        }
        run.pause(Duration::from_millis(random.u64(200..1_000)));
    }
}

/// A new tab opens and plays a move.
fn check_health(run: &WebRun) {
    let Some(mut tab) = TabClient::open(run) else { return };
    let mut play = || -> Result<(), TabError> {
        tab.ask(json!({"type": "hello"}), true)?;
        let state = tab.ask(json!({"type": "move", "san": "e4"}), true)?;
        let path = &state["path"];
        if path == "e2e4" { Ok(()) } else { Err(broken(WRONG_STATE, format!("e4 leads to {path}"))) }
    };
    match play() {
        Err(TabError::Gone(_)) if tab.is_excused() => {}
        Err(TabError::Gone(why)) => run.figures.note(LOST, format_args!("after a fault: {why}")),
        Err(TabError::Broken(it)) => run.figures.note(it.kind, format_args!("after a fault: {}", it.what)),
        Ok(()) => tab.close(),
    }
}

/// A socket, if there is a place.
fn own_socket(run: &WebRun) -> Result<Option<WebSocket<TcpStream>>> {
    match wire::own_socket(run.port) {
        Ok(socket) => Ok(Some(socket)),
        Err(SocketError::Refused(503)) => Ok(None),
        Err(error) => bail!("no socket: {error}"),
    }
}

/// The server closes the socket.
fn wait_for_close(mut socket: WebSocket<TcpStream>) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        match socket.read() {
            Err(tungstenite::Error::Io(error)) if is_timeout(&error) => {}
            Err(_) => return Ok(()),
            Ok(_) => {}
        }
    }
    bail!("the socket is still open")
}

/// Invalid WebSocket frames: opcodes, masks, lengths, fragments, text, and HTTP.
fn send_bad_frame(run: &WebRun, random: &mut Rng) -> Result<()> {
    let frames: [&[u8]; 12] = [
        b"\x83\x85\0\0\0\0hello",
        b"\xc1\x85\0\0\0\0hello",
        b"\x81\x05hello",
        b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0",
        b"\x81\xff\0\0\x01\0\0\0\0\0\0\0\0\0",
        b"\x81\xff\0\0\0\0\0\x01\0\x01\0\0\0\0",
        b"\x80\x85\0\0\0\0hello",
        b"\x09\x85\0\0\0\0hello",
        b"\x81\x83\0\0\0\0\xff\xfe\xc3",
        b"\x82\x85\0\0\0\0hello",
        b"\x01\x81\0\0\0\0{\x81\x81\0\0\0\0}",
        b"GET / HTTP/1.1\r\n\r\n",
    ];
    let Some(mut socket) = own_socket(run)? else { return Ok(()) };
    if random.percent(50) {
        socket.send(Message::text(r#"{"type":"hello"}"#))?;
    }
    let frame = random.pick(&frames);
    socket.get_mut().write_all(frame)?;
    wait_for_close(socket).map_err(|error| error.context(frame.escape_ascii().to_string()))
}

/// Requests that are refused.
fn send_bad_request(run: &WebRun, random: &mut Rng) -> Result<()> {
    let port = run.port;
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    let request = match random.usize(..8) {
        0 => format!("GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n"),
        1 => format!("POST /session HTTP/1.1\r\n{own}Origin: null\r\nContent-Length: 0\r\n\r\n"),
        2 => format!("POST / HTTP/1.1\r\n{own}Content-Length: 1000000\r\n\r\nx"),
        3 => format!("GET /../../etc/passwd HTTP/1.1\r\n{own}Connection: close\r\n\r\n"),
        4 => format!("GET /{} HTTP/1.1\r\n{own}\r\n", "x".repeat(60_000)),
        5 => format!("GET / HTTP/1.1\r\n{own}{}\r\n", "X: y\r\n".repeat(2_000)),
        6 => "\u{16}\u{3}\u{1}\u{0}\r\n\r\n".to_owned(),
        _ => format!("GET / HTTP/1.1\r\n{own}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n"),
    };
    let mut stream = wire::connect(port)?;
    // A server that refuses early may close before all is written or read.
    let _ = stream.write_all(request.as_bytes());
    let mut response = Vec::new();
    let read = stream.read_to_end(&mut response);
    let what: String = request.chars().take(60).collect();
    match wire::status(&response) {
        Some(status) => ensure!((400..500).contains(&status), "{what:?}: status {status}"),
        None => ensure!(!read.is_err_and(|error| is_timeout(&error)), "{what:?}: no answer"),
    }
    Ok(())
}

/// Goes away in the middle of something.
fn vanish(run: &WebRun, random: &mut Rng) -> Result<()> {
    let kind = random.usize(..4);
    if kind == 0 {
        let mut stream = wire::connect(run.port)?;
        write!(stream, "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgr", run.port)?;
        return Ok(stream.shutdown(Shutdown::Both)?);
    }
    let Some(mut socket) = own_socket(run)? else { return Ok(()) };
    if kind > 1 {
        socket.send(Message::text(r#"{"type":"hello"}"#))?;
        socket.send(Message::text(r#"{"type":"analyse","on":true,"lines":5}"#))?;
        socket.send(Message::text(r#"{"type":"explain"}"#))?;
    }
    if kind > 2 {
        thread::sleep(Duration::from_millis(random.u64(..300)));
    }
    // Dropped with unread answers, the connection is reset.
    let _ = socket.get_mut().write_all(b"\x81\xfe\x10\0\0\0\0\0{");
    Ok(())
}

/// Requests that never end are closed after some time.
fn send_slowly(run: &WebRun) -> Result<()> {
    let start = Instant::now();
    let mut streams = Vec::new();
    for _ in 0..40 {
        let mut stream = wire::connect(run.port)?;
        stream.set_read_timeout(Some(Duration::from_millis(1)))?;
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: 127");
        streams.push(stream);
    }
    while start.elapsed() < HEADER_PATIENCE && !streams.is_empty() && run.is_on() {
        run.pause(Duration::from_millis(500));
        // Another byte now and then does not help.
        streams.retain_mut(|stream| {
            let is_open = match stream.read(&mut [0; 512]) {
                Ok(length) => length > 0,
                Err(error) => is_timeout(&error),
            };
            is_open && stream.write_all(b"x").is_ok()
        });
    }
    ensure!(streams.is_empty() || !run.is_on(), "{} slow requests are still open", streams.len());
    Ok(())
}

/// Asks for much and reads nothing. The server closes the socket.
fn read_nothing(run: &WebRun) -> Result<()> {
    let Some(mut socket) = own_socket(run)? else { return Ok(()) };
    socket.send(Message::text(r#"{"type":"hello","xray":true}"#))?;
    let start = Instant::now();
    socket.get_ref().set_write_timeout(Some(Duration::from_secs(1)))?;
    let steps = [r#"{"type":"move","san":"e4"}"#, r#"{"type":"step","to":"start"}"#];
    for text in steps.iter().cycle() {
        if !run.is_on() || run.is_resting() {
            break;
        }
        ensure!(start.elapsed() < WRITE_PATIENCE, "the socket stays open, though nothing is read");
        match socket.send(Message::text(*text)) {
            Err(tungstenite::Error::WriteBufferFull(_)) => thread::sleep(Duration::from_millis(100)),
            Err(tungstenite::Error::Io(error)) if is_timeout(&error) => {}
            Err(_) => break,
            Ok(()) => {}
        }
    }
    Ok(())
}

/// More connections than the server accepts. Open tabs do not notice.
fn flood(run: &WebRun) -> Result<()> {
    let _turn = lock(&run.flood);
    run.floods.fetch_add(1, Relaxed);
    let streams: Vec<_> = (0..1_000).map_while(|_| wire::connect(run.port).ok()).collect();
    thread::sleep(Duration::from_millis(500));
    drop(streams);
    // Until the server has handled all of them.
    let deadline = Instant::now() + PATIENCE;
    let is_back = || (0..3).all(|_| wire::token(run.port).is_ok());
    while !is_back() && Instant::now() < deadline && run.is_on() {
        thread::sleep(Duration::from_millis(50));
    }
    run.floods.fetch_add(1, Relaxed);
    ensure!(Instant::now() < deadline, "no answers after a flood");
    Ok(())
}

/// More tabs than there are places for.
fn take_all_places(run: &WebRun) -> Result<()> {
    let mut sockets = Vec::new();
    while let Some(socket) = own_socket(run)? {
        sockets.push(socket);
        ensure!(sockets.len() <= 64, "{} sockets beside those in use", sockets.len());
    }
    Ok(())
}

/// Sockets for other pages, or with the wrong token.
fn forge_credentials(run: &WebRun, random: &mut Rng) -> Result<()> {
    let own = format!("http://127.0.0.1:{}", run.port);
    let token = wire::token(run.port)?;
    let (origin, token) = match random.usize(..4) {
        0 => ("https://evil.example", &token[..]),
        1 => ("null", &token[..]),
        2 => (&own[..], "00000000000000000000000000000000"),
        _ => (&own[..], &token[1..]),
    };
    match wire::socket(run.port, origin, token) {
        Err(SocketError::Refused(401 | 403)) => Ok(()),
        Err(error) => bail!("{origin}: {error}"),
        Ok(_) => bail!("{origin} with token {token} was accepted"),
    }
}
