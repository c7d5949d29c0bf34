//! One tab must not block the others or exhaust the memory.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::Message;

#[cfg(target_env = "gnu")]
use super::peak_memory;
use super::{Server, Tab, comes_to_rest, memory, open_files, processor_time};

/// Loads a text in parts and returns the answer.
fn load(tab: &mut Tab, text: &str) -> Value {
    let pieces: Vec<_> = text.as_bytes().chunks(30_000).map(|piece| str::from_utf8(piece).unwrap()).collect();
    let (last, first) = pieces.split_last().unwrap();
    for (index, piece) in first.iter().enumerate() {
        tab.send_text(&json!({"type": "part", "text": piece, "reset": index == 0}).to_string());
    }
    tab.ask(json!({"type": "load", "text": last}))
}

/// A game in which the knights go out and back.
fn long_game(moves: usize) -> String {
    (1..=moves).map(|number| format!("{number}. {} ", ["Ng1 Ng8", "Nf3 Nf6"][number % 2])).collect()
}

/// The slowest of the answers to one tab while three others step without pause through a game.
fn slowest_beside(text: &str) -> Duration {
    let server = Server::start();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut tab = server.tab();
                load(&mut tab, text);
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    tab.do_it(json!({"type": "step", "to": "start"}));
                    tab.do_it(json!({"type": "step", "to": "end"}));
                }
            });
        }
        let mut tab = server.tab();
        thread::sleep(Duration::from_secs(1));
        let times = (0..20).map(|_| {
            thread::sleep(Duration::from_millis(50));
            let start = Instant::now();
            assert!(tab.is_alive());
            start.elapsed()
        });
        let slowest = times.max().unwrap();
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        slowest
    })
}

#[test]
fn large_games_hold_no_other_tab_up() {
    let tags: String = (0..100_000).map(|index| format!("[T{index} \"v\"]\n")).collect();
    for (what, text) in [("tags", format!("{tags}\n1. e4 *")), ("plies", long_game(9_500))] {
        let slowest = slowest_beside(&text);
        println!("{what}: {slowest:?}");
        assert!(slowest < Duration::from_millis(500), "{what}: {slowest:?}");
    }
}

#[test]
fn tags_beyond_the_limit_are_dropped_and_reported() {
    let server = Server::start();
    let mut tab = server.tab();
    let huge = "x".repeat(40_000);
    let tags: String = (0..1_000).map(|index| format!("[T{index} \"v\"]\n")).collect();
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let loaded = load(&mut tab, &format!("[White \"{huge}\"]\n{tags}[FEN \"{fen}\"]\n\n1. O-O *"));
    let problem = loaded["problems"][0].as_str().unwrap();
    assert!(problem.starts_with("801 tags were dropped"), "{problem}");
    let state = tab.next("state");
    // The start of the moves is not a tag like others.
    assert_eq!(state["headers"].as_array().unwrap().len(), 201);
    assert_eq!(state["fen"], fen);
    assert_eq!(tab.do_it(json!({"type": "step", "to": "end"}))["path"], "e1g1");
}

#[cfg(target_env = "gnu")]
#[test]
fn loading_takes_little_memory() {
    let server = Server::start();
    let mut tab = server.tab();
    let idle = peak_memory(&server);
    assert_eq!(load(&mut tab, &long_game(9_500))["problem_count"], 0);
    tab.next("save");
    assert!(peak_memory(&server) < idle + 90, "{idle} MiB before, {} at most", peak_memory(&server));
    // A million problems are counted, not kept.
    let loaded = load(&mut tab, &format!("1. e4 {}", "Zz9 ".repeat(1_040_000)));
    assert_eq!(loaded["problem_count"], 1_040_000);
    let deadline = Instant::now() + super::PATIENCE;
    while memory(&server) > idle + 40 {
        assert!(Instant::now() < deadline, "{idle} MiB before, {} after", memory(&server));
        thread::sleep(Duration::from_millis(100));
    }
}

/// An empty frame costs the sender six bytes.
#[test]
fn a_flood_of_empty_frames_is_paced() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.socket.get_mut().set_write_timeout(Some(Duration::from_millis(300))).unwrap();
    let empty = [0x00, 0x80, 0, 0, 0, 0].repeat(10_000);
    let stream = tab.socket.get_mut();
    stream.write_all(&[0x01, 0x80, 0, 0, 0, 0]).unwrap();
    let before = processor_time(&server);
    let sent = (0..1_000).take_while(|_| stream.write_all(&empty).is_ok()).count();
    assert!(sent < 1_000, "the server reads on");
    let start = Instant::now();
    assert!(server.tab().is_alive());
    assert!(start.elapsed() < Duration::from_secs(1), "others are not held up");
    let used = processor_time(&server) - before;
    assert!(used < 0.5, "{used} s of processor time");
}

#[test]
fn closing_a_tab_ends_its_search() {
    let server = Server::start();
    for is_abrupt in [false, true] {
        let mut tab = server.tab();
        tab.do_it(json!({"type": "analyse", "on": true, "lines": 5}));
        tab.do_it(json!({"type": "load", "text": "1. e4 e5 2. Nf3 Nc6 3. Bb5 *"}));
        tab.do_it(json!({"type": "review", "depth": "deep"}));
        tab.until(|it| it["type"] == "analysis" && it["status"] == "searching");
        let before = processor_time(&server);
        thread::sleep(Duration::from_millis(500));
        assert!(processor_time(&server) > before, "it searches");
        if is_abrupt {
            tab.socket.get_mut().shutdown(Shutdown::Both).unwrap();
        } else {
            tab.socket.close(None).unwrap();
        }
        drop(tab);
        assert!(comes_to_rest(&server, Duration::from_secs(5)), "abrupt: {is_abrupt}");
    }
}

#[test]
fn there_is_an_end_to_the_number_of_tabs() {
    let server = Server::start();
    let before = open_files(&server);
    let mut tabs = Vec::new();
    let refused = loop {
        match server.silent_tab() {
            Ok(tab) => tabs.push(tab),
            Err(status) => break status,
        }
        assert!(tabs.len() <= 64);
    };
    assert_eq!((refused, tabs.len()), (503, 64));
    // The open tabs continue to work.
    tabs[0].ask(json!({"type": "hello"}));
    assert!(tabs[0].is_alive());
    drop(tabs);
    let deadline = Instant::now() + super::PATIENCE;
    while server.silent_tab().is_err() {
        assert!(Instant::now() < deadline, "places are given back");
        thread::sleep(Duration::from_millis(20));
    }
    while open_files(&server) > before + 3 {
        assert!(Instant::now() < deadline, "{} files open, {before} before", open_files(&server));
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn there_is_an_end_to_the_number_of_engines() {
    let server = Server::start_with(&["--searches", "2"]);
    let mut tabs: Vec<_> = (0..34).map(|_| server.tab()).collect();
    for tab in &mut tabs {
        tab.do_it(json!({"type": "analyse", "on": true}));
    }
    // Two tabs get no engine; all others get a turn sooner or later.
    let mut refused = 0;
    for tab in &mut tabs {
        let is_served = |it: &Value| it["type"] == "analysis" && it["depth"].as_u64() >= Some(1);
        let answer = tab.until(|it| it["type"] == "notice" || is_served(it)).pop().unwrap();
        if answer["type"] == "notice" {
            refused += 1;
            assert!(answer["message"].as_str().unwrap().contains("All engines are in use"), "{answer}");
        }
    }
    assert_eq!(refused, 2);
    drop(tabs);
    assert!(comes_to_rest(&server, Duration::from_secs(10)));
}

/// An idle server must return the memory of closed tabs.
#[cfg(target_env = "gnu")]
#[test]
fn engines_give_their_memory_back() {
    const ROUNDS: usize = 3;
    const TABS: usize = 10;
    let server = Server::launch(&[
        "serve",
        "--port",
        "0",
        "--no-open",
        "--searches",
        "2",
        "--hash",
        "16",
        "--library",
        "none",
    ]);
    server.tab().is_alive();
    let idle = memory(&server);
    for _ in 0..ROUNDS {
        let mut tabs: Vec<_> = (0..TABS).map(|_| server.tab()).collect();
        for tab in &mut tabs {
            tab.do_it(json!({"type": "analyse", "on": true}));
        }
        for tab in &mut tabs {
            tab.until(|it| it["type"] == "analysis" && it["depth"].as_u64() >= Some(1));
        }
        assert!(memory(&server) > idle + 100, "every engine has a table");
        drop(tabs);
        assert!(comes_to_rest(&server, Duration::from_secs(10)));
    }
    let deadline = Instant::now() + super::PATIENCE;
    while memory(&server) > idle + 40 {
        assert!(Instant::now() < deadline, "{idle} MiB before, {} after", memory(&server));
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_flood_of_messages_does_not_cost_memory() {
    let server = Server::start();
    let mut tab = server.tab();
    let idle = memory(&server);
    let start = Instant::now();
    tab.socket.get_mut().set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    // The client reads no responses, and the server limits the rate.
    for _ in 0..200_000 {
        if tab.socket.send(Message::text(r#"{"type":"step","to":"start"}"#)).is_err() {
            break;
        }
        if start.elapsed() > Duration::from_secs(5) {
            break;
        }
    }
    let flooded = memory(&server);
    assert!(flooded < idle + 20, "{idle} MiB before, {flooded} after");
    let mut other = server.tab();
    let start = Instant::now();
    assert!(other.is_alive());
    assert!(start.elapsed() < Duration::from_secs(2), "others are not held up");
}

#[test]
fn endless_messages_are_cut_off() {
    let server = Server::start();
    let tab = server.tab();
    let idle = memory(&server);
    let mut stream = tab.socket.get_ref().try_clone().unwrap();
    // A text frame that announces a hundred million bytes, masked with zeros.
    stream.write_all(&[0x81, 0xff]).unwrap();
    stream.write_all(&100_000_000_u64.to_be_bytes()).unwrap();
    stream.write_all(&[0; 4]).unwrap();
    let chunk = vec![b' '; 1 << 16];
    let sent = (0..1600).take_while(|_| stream.write_all(&chunk).is_ok()).count();
    assert!(sent < 1600, "the server closes");
    // Endless fragments: a first one, then continuations.
    let tab = server.tab();
    let mut stream = tab.socket.get_ref().try_clone().unwrap();
    let fragment = |first: u8| [&[first, 0xfe, 0x0f, 0xff, 0, 0, 0, 0][..], &[b' '; 0x0fff]].concat();
    stream.write_all(&fragment(0x01)).unwrap();
    let sent = (0..10_000).take_while(|_| stream.write_all(&fragment(0x00)).is_ok()).count();
    assert!(sent < 10_000, "the server closes");
    assert!(memory(&server) < idle + 20);
}

#[test]
fn a_slow_reader_costs_little_and_holds_nobody_up() {
    let server = Server::start();
    let mut slow = server.tab();
    let idle = memory(&server);
    slow.send(json!({"type": "analyse", "on": true, "lines": 5}));
    thread::sleep(Duration::from_secs(3));
    assert!(memory(&server) < idle + 40, "{idle} MiB before, {} after", memory(&server));
    assert!(server.tab().is_alive());
    // When it reads again, it soon gets the latest state.
    slow.until(|it| it["type"] == "analysis" && it["time_ms"].as_u64() > Some(1_000));
}

/// For a client that reads no responses, little is buffered, and not for ever.
#[test]
fn answers_that_nobody_reads_are_not_kept() {
    let server = Server::start();
    let idle = memory(&server);
    let request = format!("GET /panels.css HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server.port);
    // Ten megabytes of responses on each of them.
    let mut readers: Vec<_> = (0..8).map(|_| server.connection()).collect();
    for reader in &mut readers {
        reader.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
        let _ = reader.write_all(request.repeat(1_000).as_bytes());
    }
    thread::sleep(Duration::from_secs(1));
    assert!(memory(&server) < idle + 20, "{idle} MiB before, {} after", memory(&server));
    let start = Instant::now();
    assert_eq!(server.get("/").status(), 200);
    assert!(start.elapsed() < Duration::from_secs(2), "others are not held up");
    // The write times out after twenty seconds, so less arrives than was requested.
    thread::sleep(Duration::from_secs(22));
    for reader in &mut readers {
        let mut rest = Vec::new();
        let _ = reader.read_to_end(&mut rest);
        assert!(!rest.is_empty() && rest.len() < 10_000_000, "{} bytes", rest.len());
    }
    assert!(start.elapsed() < Duration::from_secs(40), "{:?}", start.elapsed());
}

/// A thousand connections at once: they are limited, open tabs continue to work, and places become free again.
#[test]
fn there_is_an_end_to_the_number_of_connections() {
    let server = Server::start();
    let before = open_files(&server);
    let mut tab = server.tab();
    let crowd: Vec<_> =
        (0..1_000).map_while(|_| TcpStream::connect(("127.0.0.1", server.port)).ok()).collect();
    assert!(tab.is_alive());
    // Each of the two listeners may hold one more that it is about to close.
    assert!(open_files(&server) <= before + 802, "{} files open", open_files(&server));
    drop(crowd);
    let deadline = Instant::now() + super::PATIENCE;
    while open_files(&server) > before + 1 {
        assert!(Instant::now() < deadline, "{} files open, {before} before", open_files(&server));
        thread::sleep(Duration::from_millis(20));
    }
    assert!(tab.is_alive());
    assert_eq!(server.get("/").status(), 200);
}

/// Ten tabs analyse; how long moves take in one of them.
#[test]
fn moves_are_answered_quickly_while_all_engines_search() {
    let server = Server::start_with(&["--searches", "2"]);
    let mut tabs: Vec<_> = (0..10).map(|_| server.tab()).collect();
    for tab in &mut tabs {
        tab.do_it(json!({"type": "analyse", "on": true, "lines": 3}));
    }
    let mut times = Vec::new();
    for _ in 0..20 {
        for tab in &mut tabs {
            for san in ["Nf3", "Nf6"] {
                let start = Instant::now();
                tab.do_it(json!({"type": "move", "san": san}));
                times.push(start.elapsed());
            }
            tab.do_it(json!({"type": "step", "to": "start"}));
        }
    }
    times.sort();
    let (median, late) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    println!("{} moves: median {median:?}, p99 {late:?}, max {:?}", times.len(), times[times.len() - 1]);
    // The promise is 100 ms; a machine that runs other tests at the same time gets more.
    assert!(late < Duration::from_millis(500), "{late:?}");
}
