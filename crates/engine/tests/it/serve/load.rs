//! A short version of `make soak-web`: tabs in use while other clients misbehave.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Server, Tab, comes_to_rest, open_files};

const TABS: usize = 12;
const TIME: Duration = Duration::from_secs(4);

/// The path after a move is the path before it, and the move.
fn play_on(tab: &mut Tab, state: &Value) -> Value {
    let moves: Vec<_> = state["moves"]
        .as_object()
        .expect("moves")
        .values()
        .filter_map(|it| it.as_array())
        .flatten()
        .collect();
    if moves.is_empty() {
        return tab.do_it(json!({"type": "new"}));
    }
    let uci = moves[state["path"].as_str().expect("a path").len() % moves.len()]["uci"].clone();
    let next = tab.do_it(json!({"type": "move", "uci": uci}));
    let expected = format!("{} {}", state["path"].as_str().expect("a path"), uci.as_str().expect("a move"));
    assert_eq!(next["path"], expected.trim_start());
    assert_ne!(next["turn"], state["turn"]);
    next
}

/// A user who plays, asks the engine, and closes the tab now and then.
fn use_page(server: &Server, is_over: &AtomicBool, is_analysing: bool) -> usize {
    let mut count = 0;
    while !is_over.load(Relaxed) {
        let mut tab = server.tab();
        let mut state = tab.do_it(json!({"type": "analyse", "on": is_analysing, "lines": 3}));
        for step in 0..60 {
            state = match step % 20 {
                7 => tab.do_it(json!({"type": "step", "to": "end"})),
                13 => {
                    tab.ask(json!({"type": "load", "text": "(".repeat(step * 100)}));
                    tab.send_text("{\"type\":");
                    tab.next("error");
                    tab.do_it(json!({"type": "step", "to": "end"}))
                }
                _ => play_on(&mut tab, &state),
            };
            count += 1;
            thread::sleep(Duration::from_millis(10));
            if is_over.load(Relaxed) {
                break;
            }
        }
        // Closes abruptly, in the middle of a message.
        let stream = tab.socket.get_mut();
        stream.write_all(&[0x81, 0xfe, 0x10, 0x00, 0, 0, 0, 0, b'{']).expect("the socket is open");
        stream.shutdown(Shutdown::Both).expect("the socket is open");
    }
    count
}

/// A client that sends invalid messages, so that the server closes the socket.
fn disturb(server: &Server, is_over: &AtomicBool) {
    let garbage: [&[u8]; 6] = [
        b"\x83\x85\0\0\0\0hello",
        b"\xc1\x85\0\0\0\0hello",
        b"\x81\x05hello",
        b"\x81\xff\x00\x00\x01\x00\x00\x00\x00\x00\0\0\0\0",
        b"\x81\x82\0\0\0\0\xff\xfe",
        b"GET / HTTP/1.1\r\n\r\n",
    ];
    for bytes in garbage.iter().cycle().take_while(|_| !is_over.load(Relaxed)) {
        let mut tab = server.tab();
        tab.socket.get_mut().write_all(bytes).expect("the socket is open");
        let mut rest = Vec::new();
        // It may be reset, but it must end.
        let _ = tab.socket.get_mut().read_to_end(&mut rest);
        let mut half = server.connection();
        half.write_all(b"GET / HTTP/1.1\r\nHost").expect("the server listens");
        assert_eq!(server.get("/").status(), 200);
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn tabs_work_while_others_do_harm() {
    let server = Server::start_with(&["--searches", "2"]);
    let before = open_files(&server);
    let is_over = AtomicBool::new(false);
    let moves: usize = thread::scope(|scope| {
        let users: Vec<_> = (0..TABS)
            .map(|index| (&server, &is_over, index % 3 == 0))
            .map(|(server, is_over, is_analysing)| {
                scope.spawn(move || use_page(server, is_over, is_analysing))
            })
            .collect();
        let vandal = scope.spawn(|| disturb(&server, &is_over));
        thread::sleep(TIME);
        is_over.store(true, Relaxed);
        vandal.join().expect("what is no message ends a socket and nothing else");
        users.into_iter().map(|user| user.join().expect("a tab that does not notice")).sum()
    });
    assert!(moves > TABS * 10, "{moves} moves in all");
    assert!(comes_to_rest(&server, Duration::from_secs(10)), "no search goes on for nobody");
    let deadline = Instant::now() + super::PATIENCE;
    while open_files(&server) > before {
        assert!(Instant::now() < deadline, "{} files open, {before} before", open_files(&server));
        thread::sleep(Duration::from_millis(100));
    }
}
