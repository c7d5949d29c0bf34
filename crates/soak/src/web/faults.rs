//! What hostile or broken programs do to the server while people use it.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use tungstenite::{Message, WebSocket};

use super::World;
use super::figures::{Breach, count};
use super::tab::{Tab, Trouble};
use super::wire::{self, NoSocket, PATIENCE};
use crate::random::Random;

/// How long a request may take to arrive, with something for a busy machine.
const HEAD_PATIENCE: Duration = Duration::from_secs(8 + 7);
/// How long an answer may remain unread, likewise.
const WRITE_PATIENCE: Duration = Duration::from_secs(20 + 15);

/// Does harm until the run is over; after each fault a new tab must work.
pub(super) fn harm(world: &World, seed: u64) {
    let mut random = Random::new(seed);
    while world.is_on() {
        world.rest_if_asked();
        let (life, floods) = (world.life.load(Relaxed), world.floods.load(Relaxed));
        let done = match random.below(40) {
            0..14 => speak_badly(world, &mut random),
            14..20 => request_badly(world, &mut random),
            20..26 => vanish(world, &mut random),
            26..28 => connect_slowly(world),
            28..29 => read_nothing(world),
            29..30 => flood(world),
            30..32 => take_all_places(world),
            32..34 => say_nothing(world),
            _ => come_with_wrong_papers(world, &mut random),
        };
        count(&world.figures.faults);
        match done {
            Err(what) if !world.is_disturbed(life, floods) => world.figures.note(Breach::Unguarded, &what),
            _ => check_health(world),
        }
        world.pause(Duration::from_millis(200 + random.below(800) as u64));
    }
}

/// A new tab opens and plays a move.
fn check_health(world: &World) {
    let Some(mut tab) = Tab::open(world) else { return };
    let mut try_out = || -> Result<(), Trouble> {
        tab.ask(json!({"type": "hello"}), true)?;
        let state = tab.ask(json!({"type": "move", "san": "e4"}), true)?;
        if state["path"] == "e2e4" {
            return Ok(());
        }
        Err(Trouble::Broken(Breach::WrongState, format!("e4 leads to {}", state["path"])))
    };
    match try_out() {
        Err(Trouble::Gone(_)) if tab.is_excused() => {}
        Err(Trouble::Gone(why)) => world.figures.note(Breach::Lost, &format!("after a fault: {why}")),
        Err(Trouble::Broken(breach, what)) => world.figures.note(breach, &format!("after a fault: {what}")),
        Ok(()) => tab.close(),
    }
}

/// A socket, if there is a place.
fn own_socket(world: &World) -> Result<Option<WebSocket<TcpStream>>, String> {
    match wire::own_socket(world.port) {
        Ok(socket) => Ok(Some(socket)),
        Err(NoSocket::Refused(503)) => Ok(None),
        Err(error) => Err(format!("no socket: {error:?}")),
    }
}

/// Reads until the server ends the connection; the code with which it closes, if it says one.
fn end_of(mut socket: WebSocket<TcpStream>) -> Result<Option<u16>, String> {
    let deadline = Instant::now() + PATIENCE;
    let mut code = None;
    while Instant::now() < deadline {
        match socket.read() {
            Ok(Message::Close(frame)) => code = frame.map(|frame| frame.code.into()),
            Ok(_) => {}
            Err(tungstenite::Error::Io(error))
                if matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
                ) => {}
            Err(_) => return Ok(code),
        }
    }
    Err("the socket is still open".to_owned())
}

/// Frames that are none. The server closes, and says why in the words of the protocol.
fn speak_badly(world: &World, random: &mut Random) -> Result<(), String> {
    const MASK: [u8; 4] = [0; 4];
    let short =
        |first: u8, payload: &[u8]| [&[first, 0x80 | payload.len() as u8][..], &MASK, payload].concat();
    let long = |first: u8, length: u64| [&[first, 0xff][..], &length.to_be_bytes(), &MASK].concat();
    let (what, bytes, code) = match random.below(13) {
        0 => ("an unknown opcode", short(0x83, b"hello"), Some(1002)),
        1 => ("a reserved bit", short(0xc1, b"hello"), Some(1002)),
        2 => ("no mask", b"\x81\x05hello".to_vec(), Some(1002)),
        3 => ("an endless frame", long(0x81, u64::MAX), None),
        4 => ("a huge frame", long(0x81, 1 << 40), Some(1009)),
        5 => ("a long frame", long(0x81, 65_537), Some(1009)),
        6 => ("a continuation of nothing", short(0x80, b"hello"), Some(1002)),
        7 => ("a long ping", [&[0x89, 0xfe, 0, 200][..], &MASK, &[0; 200]].concat(), Some(1002)),
        8 => ("a ping in parts", short(0x09, b"hello"), Some(1002)),
        9 => ("no UTF-8", short(0x81, b"\xff\xfe\xc3"), Some(1007)),
        10 => ("a binary message", short(0x82, b"hello"), Some(1003)),
        11 => {
            ("a second message within the first", [short(0x01, b"{"), short(0x81, b"}")].concat(), Some(1002))
        }
        _ => ("another protocol", b"GET / HTTP/1.1\r\n\r\n".to_vec(), None),
    };
    let Some(mut socket) = own_socket(world)? else { return Ok(()) };
    if random.percent(50) {
        socket.send(Message::text(r#"{"type":"hello"}"#)).map_err(|error| error.to_string())?;
    }
    let sent = socket.get_mut().write_all(&bytes);
    sent.map_err(|error| format!("{what}: {error}"))?;
    match (end_of(socket).map_err(|error| format!("{what}: {error}"))?, code) {
        (Some(told), Some(code)) if told != code => Err(format!("{what}: closed with {told}, not {code}")),
        _ => Ok(()),
    }
}

/// Requests that are refused, each with its status.
fn request_badly(world: &World, random: &mut Random) -> Result<(), String> {
    let port = world.port;
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    let origin = format!("Origin: http://127.0.0.1:{port}\r\n");
    let (request, statuses): (String, &[u16]) = match random.below(11) {
        0 => (format!("GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n"), &[403]),
        1 => ("GET /session HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), &[403]),
        2 => (format!("GET / HTTP/1.1\r\n{own}Host: evil.example\r\n\r\n"), &[400, 403]),
        3 => (format!("POST /session HTTP/1.1\r\n{own}Origin: null\r\nContent-Length: 0\r\n\r\n"), &[403]),
        4 => (format!("POST / HTTP/1.1\r\n{own}{origin}Content-Length: 1000000\r\n\r\nx"), &[405]),
        5 => (format!("POST / HTTP/1.1\r\n{own}{origin}Content-Encoding: zstd\r\n\r\n"), &[415]),
        6 => (format!("GET /../../etc/passwd HTTP/1.1\r\n{own}Connection: close\r\n\r\n"), &[400, 404]),
        7 => (format!("GET /{} HTTP/1.1\r\n{own}\r\n", "x".repeat(60_000)), &[400, 414, 431]),
        8 => (format!("GET / HTTP/1.1\r\n{own}{}\r\n", "X: y\r\n".repeat(2_000)), &[400, 431]),
        9 => ("\u{16}\u{3}\u{1}\u{0}\r\n\r\n".to_owned(), &[400]),
        _ => (
            format!("GET / HTTP/1.1\r\n{own}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n"),
            &[400, 413],
        ),
    };
    let mut stream = wire::connect(port).map_err(|error| error.to_string())?;
    // A server that refuses early may close before all is written or read.
    let _ = stream.write_all(request.as_bytes());
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    let what = || request.chars().take(60).collect::<String>();
    match (wire::status(&answer), read) {
        (Some(status), _) if statuses.contains(&status) => Ok(()),
        (Some(status), _) => Err(format!("{:?}: status {status}", what())),
        (None, Err(error)) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            Err(format!("{:?}: no answer", what()))
        }
        (None, _) => Ok(()),
    }
}

/// Goes away in the middle of something.
fn vanish(world: &World, random: &mut Random) -> Result<(), String> {
    let kind = random.below(4);
    if kind == 0 {
        let mut stream = wire::connect(world.port).map_err(|error| error.to_string())?;
        let head = format!("GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgr", world.port);
        stream.write_all(head.as_bytes()).map_err(|error| error.to_string())?;
        return stream.shutdown(Shutdown::Both).map_err(|error| error.to_string());
    }
    let Some(mut socket) = own_socket(world)? else { return Ok(()) };
    let mut say = |text: &str| socket.send(Message::text(text)).map_err(|error| error.to_string());
    if kind > 1 {
        say(r#"{"type":"hello"}"#)?;
        say(r#"{"type":"analyse","on":true,"lines":5}"#)?;
        say(r#"{"type":"explain"}"#)?;
    }
    if kind > 2 {
        thread::sleep(Duration::from_millis(random.below(300) as u64));
    }
    let _ = socket.get_mut().write_all(&[0x81, 0xfe, 0x10, 0x00, 0, 0, 0, 0, b'{']);
    // Dropped with answers that nobody has read: the connection is reset.
    Ok(())
}

/// Connections whose requests never end are closed after some time.
fn connect_slowly(world: &World) -> Result<(), String> {
    let start = Instant::now();
    let mut streams = Vec::new();
    for _ in 0..40 {
        let mut stream = wire::connect(world.port).map_err(|error| error.to_string())?;
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: 127");
        streams.push(stream);
    }
    while start.elapsed() < HEAD_PATIENCE && !streams.is_empty() {
        world.pause(Duration::from_millis(500));
        // Another byte now and then does not help.
        streams.retain_mut(|stream| {
            let _ = stream.set_read_timeout(Some(Duration::from_millis(1)));
            let is_open = match stream.read(&mut [0; 512]) {
                Ok(0) => false,
                Ok(_) => true,
                Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
            };
            is_open && stream.write_all(b"x").is_ok()
        });
        if !world.is_on() {
            return Ok(());
        }
    }
    if streams.is_empty() {
        Ok(())
    } else {
        Err(format!("{} slow requests are still waited for", streams.len()))
    }
}

/// Asks for much and reads none of it. The server gives up, and keeps no more than it must meanwhile.
fn read_nothing(world: &World) -> Result<(), String> {
    let Some(mut socket) = own_socket(world)? else { return Ok(()) };
    let mut say = |text: &str| socket.send(Message::text(text));
    say(r#"{"type":"hello","xray":true}"#).map_err(|error| error.to_string())?;
    let start = Instant::now();
    let stream = socket.get_ref().try_clone().map_err(|error| error.to_string())?;
    let _ = stream.set_write_timeout(Some(Duration::from_secs(1)));
    let mut steps = [r#"{"type":"move","san":"e4"}"#, r#"{"type":"step","to":"start"}"#].iter().cycle();
    // Written until the server stops reading, and then until it closes.
    while start.elapsed() < WRITE_PATIENCE && world.is_on() && !world.is_resting() {
        let Some(text) = steps.next() else { return Ok(()) };
        match socket.send(Message::text(*text)) {
            Ok(()) => {}
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(tungstenite::Error::WriteBufferFull(_)) => thread::sleep(Duration::from_millis(100)),
            Err(_) => return Ok(()),
        }
    }
    if world.is_on() && !world.is_resting() {
        Err("nobody reads, and the socket stays open".to_owned())
    } else {
        Ok(())
    }
}

/// More connections than there are places for. Those that have a tab do not notice.
fn flood(world: &World) -> Result<(), String> {
    const CONNECTIONS: usize = 1_000;
    let _turn = world.flood.lock().unwrap_or_else(PoisonError::into_inner);
    world.floods.fetch_add(1, Relaxed);
    let streams: Vec<_> = (0..CONNECTIONS).map_while(|_| wire::connect(world.port).ok()).collect();
    thread::sleep(Duration::from_millis(500));
    drop(streams);
    // Until the server has got through all of them.
    let deadline = Instant::now() + PATIENCE;
    let is_back = || (0..3).all(|_| wire::token(world.port).is_ok());
    while !is_back() && Instant::now() < deadline && world.is_on() {
        thread::sleep(Duration::from_millis(50));
    }
    world.floods.fetch_add(1, Relaxed);
    if Instant::now() < deadline { Ok(()) } else { Err("no answers after a flood".to_owned()) }
}

/// More tabs than there are places for: the rest is told to come again later.
fn take_all_places(world: &World) -> Result<(), String> {
    let mut sockets = Vec::new();
    while sockets.len() <= 64 {
        match own_socket(world)? {
            Some(socket) => sockets.push(socket),
            None => return Ok(()),
        }
    }
    Err(format!("{} sockets beside those in use", sockets.len()))
}

/// A socket on which nothing is said.
fn say_nothing(world: &World) -> Result<(), String> {
    let Some(socket) = own_socket(world)? else { return Ok(()) };
    match end_of(socket)? {
        Some(1008) => Ok(()),
        other => Err(format!("nothing was said, and closed with {other:?}")),
    }
}

/// Sockets for other pages, and with the wrong token.
fn come_with_wrong_papers(world: &World, random: &mut Random) -> Result<(), String> {
    let port = world.port;
    let own = format!("http://127.0.0.1:{port}");
    let token = wire::token(port).map_err(|error| error.to_string())?;
    let (origin, token, status) = match random.below(5) {
        0 => ("https://evil.example".to_owned(), token, 403),
        1 => ("null".to_owned(), token, 403),
        2 => (format!("http://192.168.1.5:{port}"), token, 403),
        3 => (own, "0".repeat(32), 401),
        _ => (own, token[1..].to_owned(), 401),
    };
    match wire::socket(port, &origin, &token) {
        Err(NoSocket::Refused(told)) if told == status => Ok(()),
        Err(NoSocket::Refused(told)) => Err(format!("{origin}: status {told}, not {status}")),
        Err(NoSocket::Failed(why)) => Err(format!("{origin}: {why}")),
        Ok(_) => Err(format!("{origin} with token {token} was let in")),
    }
}
