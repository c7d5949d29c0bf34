//! The opening explorer over a real socket.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Server, Tab};
use crate::Folder;

/// Asks until the games are read.
fn explore(tab: &mut Tab, source: &str) -> Value {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let answer = tab.ask(json!({"type": "explorer", "source": source}));
        assert_eq!(answer["type"], "explorer", "{answer}");
        if answer["building"].is_null() {
            return answer;
        }
        assert!(Instant::now() < deadline, "still reading: {answer}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn games_and_books_are_explored() {
    let folder = Folder::new("serve-openings");
    let file = folder.file("games.pgn");
    fs::write(&file, "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 1-0\n\n[White \"C\"]\n\n1. d4 1/2-1/2\n")
        .expect("written");
    let server = Server::start_with_cache(&["--openings", &file], &folder.0);
    let mut tab = server.silent_tab().unwrap();
    tab.send(json!({"type": "hello"}));
    let welcome = tab.next("welcome");
    let ids: Vec<&str> =
        welcome["explorers"].as_array().unwrap().iter().filter_map(|it| it["id"].as_str()).collect();
    assert!(ids.contains(&"book") && ids.contains(&"file-1"), "{ids:?}");
    tab.next("save");
    let answer = explore(&mut tab, "file-1");
    assert_eq!((&answer["total"], answer["moves"].as_array().unwrap().len()), (&json!(2), 2));
    assert_eq!(answer["games"].as_array().unwrap().len(), 2, "{answer}");
    assert_eq!(explore(&mut tab, "book")["kind"], "book");
    // A source is a name, never a path.
    for source in ["file-2", "", &file, "../../etc/passwd"] {
        let refusal = tab.refusal(json!({"type": "explorer", "source": source}));
        assert_eq!(refusal, "The server has no such source of openings. Reload the page.");
    }
}
