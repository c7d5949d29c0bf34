//! The library of a server: games are kept, listed and opened; uploads and downloads.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

use ferz_library::{GameFacts, GameId, GameSink, Import};
use serde_json::{Value, json};

use super::{Answer, PATIENCE, Server, Tab};

/// A folder for a library, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("ferz-serve-library-{}-{}", process::id(), COUNT.fetch_add(1, Relaxed));
        let folder = env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        Folder(folder)
    }

    fn file(&self) -> String {
        self.0.join("library.sqlite").to_str().expect("a plain path").to_owned()
    }

    fn serve(&self) -> Server {
        let file = self.file();
        Server::launch(&["serve", "--port", "0", "--no-open", "--hash", "2", "--library", &file])
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A tab with a new game, and its name.
fn named_tab(server: &Server) -> (Tab, String) {
    let mut tab = server.silent_tab().expect("a socket");
    let welcome = tab.do_it(json!({"type": "hello"}));
    let name = welcome["tab"].as_str().expect("a name").to_owned();
    (tab, name)
}

fn list(tab: &mut Tab, query: &Value) -> Value {
    tab.do_it(json!({"type": "library_list", "query": query}))
}

/// Sends a body with the usual headers.
fn post(server: &Server, path: &str, headers: &str, body: &[u8]) -> Answer {
    let mut stream = server.connection();
    let origin = server.origin();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nOrigin: {origin}\r\n{headers}Content-Length: {}\r\n\
         Connection: close\r\n\r\n",
        server.port,
        body.len()
    );
    // A server that refuses early may close before everything is written.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    Answer(String::from_utf8_lossy(&answer).into_owned())
}

fn token_header(server: &Server) -> String {
    format!("X-Ferz-Token: {}\r\n", server.token())
}

/// The text of a response, whose length may not be known at its start.
fn dechunked(answer: &Answer) -> String {
    let mut rest = answer.body();
    if answer.header("transfer-encoding").is_none() {
        return rest.to_owned();
    }
    let mut text = String::new();
    while let Some((size, behind)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("a size");
        if size == 0 {
            break;
        }
        text += &behind[..size];
        rest = &behind[size + 2..];
    }
    text
}

#[test]
fn a_played_game_is_kept_and_goes_on_after_a_restart() {
    let folder = Folder::new();
    let (game, pgn) = {
        let server = folder.serve();
        let (mut tab, _) = named_tab(&server);
        assert_eq!(list(&mut tab, &json!({}))["total"], 0, "a game without moves is not kept");
        tab.play("e4 e5 Nf3");
        let game =
            tab.until(|it| it["type"] == "library_current" && it["game"].is_u64()).pop().expect("the last");
        let game = game["game"].clone();
        let page = list(&mut tab, &json!({}));
        assert_eq!((&page["total"], &page["games"][0]["plies"]), (&json!(1), &json!(3)));
        assert_eq!(
            (&page["games"][0]["is_current"], &page["games"][0]["eco"]),
            (&json!(true), &json!("C40"))
        );
        // Further moves change the same game.
        tab.play("Nc6 Bb5");
        let page = list(&mut tab, &json!({}));
        assert_eq!((&page["total"], &page["games"][0]["plies"]), (&json!(1), &json!(5)));
        assert_eq!(page["games"][0]["game"], game);
        let pgn = tab.do_it(json!({"type": "export", "what": "pgn"}))["text"].clone();
        (game, pgn)
    };
    let server = folder.serve();
    let mut tab = server.silent_tab().expect("a socket");
    let welcome = tab.do_it(json!({"type": "hello", "pgn": pgn, "library": game}));
    assert_eq!(welcome["library"], json!({"games": 1, "writable": true}));
    tab.do_it(json!({"type": "step", "to": "end"}));
    tab.play("a6");
    let page = list(&mut tab, &json!({}));
    assert_eq!((&page["total"], &page["games"][0]["plies"]), (&json!(1), &json!(6)));
    // A new game is a new one.
    tab.do_it(json!({"type": "new"}));
    tab.play("d4");
    assert_eq!(list(&mut tab, &json!({}))["total"], 2);
}

#[test]
fn closing_a_tab_keeps_its_last_moves() {
    let folder = Folder::new();
    let server = folder.serve();
    let (mut tab, _) = named_tab(&server);
    tab.play("e4 e5");
    drop(tab);
    let (mut other, _) = named_tab(&server);
    let deadline = Instant::now() + PATIENCE;
    while list(&mut other, &json!({}))["games"][0]["plies"] != 2 {
        assert!(Instant::now() < deadline, "the game is lost");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_upload_is_imported_listed_opened_and_sent_back() {
    let folder = Folder::new();
    let server = folder.serve();
    let (mut tab, name) = named_tab(&server);
    let (mut other, _) = named_tab(&server);
    let text = "[White \"Tal\"]\n[Black \"M\u{fc}ller\"]\n\n1.e4   e5 {a comment} *\n\n\n[White \"Ding\"]\n\n1. d4 Zz *\n";
    let path = format!("/library/import?name=my%20games.pgn&tab={name}");
    let answer = post(&server, &path, &token_header(&server), text.as_bytes());
    assert_eq!(answer.status(), 200, "{}", answer.0);
    let import: Value = serde_json::from_str(answer.body()).expect("an object");
    let done =
        tab.until(|it| it["type"] == "library_import" && it["state"] == "done").pop().expect("the last");
    assert_eq!(
        (&done["import"], &done["name"], &done["games"]),
        (&import["import"], &json!("my games.pgn"), &json!(2))
    );
    assert_eq!(done["bytes"], text.len());
    assert!(done["message"].as_str().is_some_and(|it| it.starts_with("9:7: ")), "{done}");
    other.next("library_changed");
    let page = list(&mut other, &json!({"player": "tal", "color": "white"}));
    assert_eq!(page["total"], 1);
    let game = page["games"][0]["game"].clone();
    // Opened and not edited, it stays as it was; edited, it is saved to the same place.
    other.do_it(json!({"type": "library_open", "game": game}));
    assert_eq!(other.next("library_current")["game"], game);
    let wish = json!({"games": [game]}).to_string();
    let export = |wish: &str| post(&server, "/library/export", &token_header(&server), wish.as_bytes());
    assert_eq!(dechunked(&export(&wish)), &text[..text.find("[White \"Ding").expect("the second")]);
    other.do_it(json!({"type": "step", "to": "end"}));
    other.play("Nf3");
    assert_eq!(list(&mut other, &json!({"player": "tal"}))["games"][0]["plies"], 3);
    assert!(dechunked(&export(&wish)).contains("Nf3"));
    assert_eq!(export("{\"query\": {\"text\": \"ding\"}}").body().matches("[White").count(), 1);
    for bad in ["", "[]", "{\"query\": {\"fen\": \"x\"}}", "{\"path\": \"/etc/passwd\"}"] {
        assert_eq!(export(bad).status(), 400, "{bad}");
    }
}

#[test]
fn changes_are_answered_and_announced() {
    let folder = Folder::new();
    let server = folder.serve();
    let (mut tab, _) = named_tab(&server);
    let (mut other, _) = named_tab(&server);
    let text = "[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4 *\n";
    post(&server, "/library/import?name=x", &token_header(&server), text.as_bytes());
    let games: Vec<Value> = list(&mut tab, &json!({}))["games"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|game| game["game"].clone())
        .collect();
    let made = tab.do_it(json!({"type": "library_folder", "name": "Mine"}));
    other.next("library_changed");
    let id = made["folders"][0]["folder"].clone();
    tab.do_it(json!({"type": "library_move", "games": [games[0]], "folder": id}));
    let tagged =
        tab.do_it(json!({"type": "library_tag", "games": games, "add": ["x", "y"], "remove": ["z"]}));
    assert_eq!(tagged["tags"], json!([{"tag": "x", "games": 2}, {"tag": "y", "games": 2}]));
    assert_eq!(list(&mut other, &json!({"folder": id}))["total"], 1);
    let deleted = tab.do_it(json!({"type": "library_delete", "games": games}));
    assert_eq!((&deleted["games"], &deleted["deleted"]), (&json!(0), &json!(2)));
    assert_eq!(list(&mut other, &json!({"deleted": true}))["total"], 2);
    let restored = tab.do_it(json!({"type": "library_restore", "games": [games[0]]}));
    assert_eq!((&restored["games"], &restored["deleted"]), (&json!(1), &json!(1)));
    for bad in [
        json!({"type": "library_open", "game": 999}),
        json!({"type": "library_list", "count": 0}),
        json!({"type": "library_list", "count": 201}),
        json!({"type": "library_list", "query": {"fen": "x"}}),
        json!({"type": "library_list", "query": {"date_from": "'; DROP TABLE game; --"}}),
        json!({"type": "library_folder", "name": ""}),
        json!({"type": "library_folder", "folder": 99, "delete": true}),
        json!({"type": "library_tag", "games": [1], "add": ["a\nb"]}),
        json!({"type": "library_delete", "games": vec![1; 10_001]}),
    ] {
        tab.refusal(bad);
    }
    assert!(tab.is_alive());
}

#[test]
fn without_a_library_there_is_none() {
    let server = Server::start();
    let mut tab = server.silent_tab().expect("a socket");
    assert_eq!(tab.do_it(json!({"type": "hello"}))["library"], Value::Null);
    tab.refusal(json!({"type": "library_list"}));
    assert_eq!(post(&server, "/library/import", &token_header(&server), b"1. e4 *").status(), 404);
}

#[test]
fn transfers_need_our_page_and_its_token() {
    let folder = Folder::new();
    let server = folder.serve();
    let token = token_header(&server);
    for path in ["/library/import?name=x", "/library/export"] {
        assert_eq!(post(&server, path, "", b"1. e4 *").status(), 401);
        assert_eq!(post(&server, path, "X-Ferz-Token: 0123\r\n", b"1. e4 *").status(), 401);
        assert_eq!(post(&server, path, &format!("{token}{token}"), b"1. e4 *").status(), 401);
        assert_eq!(
            post(&server, path, &format!("{token}Sec-Fetch-Site: cross-site\r\n"), b"x").status(),
            403
        );
        assert_eq!(post(&server, path, &format!("{token}Content-Encoding: zstd\r\n"), b"x").status(), 415);
        let foreign = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nOrigin: https://evil.example\r\n{token}Content-Length: 0\r\n\r\n",
            server.port
        );
        assert_eq!(Answer(server.raw(&foreign)).status(), 403);
        assert_eq!(server.request("GET", path, &[token.trim()]).status(), 405);
    }
    assert_eq!(post(&server, "/library/elsewhere", &token, b"x").status(), 405);
    assert_eq!(post(&server, "/library/import", &token, b"no game at all").status(), 422);
    assert_eq!(post(&server, "/library/import?folder=7", &token, b"1. e4 *").status(), 422);
    assert_eq!(post(&server, "/library/import?folder=-1", &token, b"1. e4 *").status(), 400);
    let long = format!("{{\"games\": [{}1]}}", "1,".repeat(1 << 20));
    assert_eq!(post(&server, "/library/export", &token, long.as_bytes()).status(), 413);
    let (mut tab, _) = named_tab(&server);
    assert_eq!(list(&mut tab, &json!({}))["total"], 0, "nothing was imported");
}

/// What arrived of an upload that breaks off is kept, and the place of the import is free again.
#[test]
fn interrupted_and_huge_uploads_do_no_harm() {
    let folder = Folder::new();
    let server = folder.serve();
    let token = token_header(&server);
    let (mut tab, name) = named_tab(&server);
    for _ in 0..6 {
        let mut stream = server.connection();
        let head = format!(
            "POST /library/import?name=x&tab={name} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nOrigin: {}\r\n{token}\
             Content-Length: 999999999999\r\n\r\n",
            server.port,
            server.origin()
        );
        stream.write_all(head.as_bytes()).expect("written");
        stream.write_all("1. e4 e5 *\n\n".repeat(100).as_bytes()).expect("written");
        stream.shutdown(Shutdown::Both).expect("closed");
        let failed = tab.until(|it| it["type"] == "library_import" && it["state"] == "failed").pop();
        assert!(failed.is_some_and(|it| it["message"].is_string()));
    }
    assert_eq!(list(&mut tab, &json!({}))["total"], 600);
    // Some megabytes of games without an end of the game, and a game that never ends.
    let endless = format!("1. e4 {}", "{comment} ".repeat(2 << 20));
    assert_eq!(post(&server, "/library/import?name=y", &token, endless.as_bytes()).status(), 200);
    assert!(tab.is_alive());
    #[cfg(target_os = "linux")]
    assert!(super::memory(&server) < 400, "{} MiB", super::memory(&server));
}

/// A slow upload keeps its place for a while, and others work meanwhile.
#[test]
fn a_slow_upload_stops_nobody() {
    let folder = Folder::new();
    let server = folder.serve();
    let token = token_header(&server);
    let mut slow = server.connection();
    let head = format!(
        "POST /library/import?name=slow HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nOrigin: {}\r\n{token}\
         Transfer-Encoding: chunked\r\n\r\n",
        server.port,
        server.origin()
    );
    slow.write_all(head.as_bytes()).expect("written");
    slow.write_all(b"8\r\n1. e4 *\n\r\n").expect("written");
    assert_eq!(post(&server, "/library/import?name=quick", &token, b"1. d4 *").status(), 200);
    let (mut tab, _) = named_tab(&server);
    tab.play("c4");
    let page = list(&mut tab, &json!({}));
    assert_eq!(page["total"], 2);
    slow.write_all(b"0\r\n\r\n").expect("written");
    let mut answer = [0; 12];
    slow.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 200");
    assert_eq!(list(&mut tab, &json!({}))["total"], 3);
}

#[test]
fn a_library_that_cannot_be_used_is_reported() {
    let folder = Folder::new();
    fs::create_dir_all(&folder.0).expect("a folder");
    fs::write(folder.file(), "not a database, but a text that is long enough to look like one ".repeat(50))
        .expect("written");
    let run = crate::ferz(["serve", "--no-open", "--port", "0", "--library", &folder.file()]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("not a library of Ferz"), "{}", run.err);
}

/// Holds the lock of a library, in the middle of a transaction that adds a game.
struct Holder {
    locked: mpsc::Sender<()>,
    release: mpsc::Receiver<()>,
}

impl GameSink for Holder {
    fn game(&mut self, _: GameId, _: &GameFacts) {
        self.locked.send(()).expect("the test waits");
        let _ = self.release.recv_timeout(PATIENCE);
    }
}

/// A different program writes for a long time. Games wait until they can be written; tabs do not.
#[test]
fn a_locked_library_stops_no_tab_and_loses_no_game() {
    let folder = Folder::new();
    let server = folder.serve();
    let (mut tab, _) = named_tab(&server);
    let (mut closed, _) = named_tab(&server);
    let (told, locked) = mpsc::channel();
    let (unlock, release) = mpsc::channel();
    let file = folder.file();
    let holder = thread::spawn(move || {
        let mut import = Import::new(file).expect("a library");
        let mut sink = Holder { locked: told, release };
        import.read(&b"1. c4 *"[..], &mut sink, |_| ControlFlow::Continue(())).expect("imported");
    });
    locked.recv_timeout(PATIENCE).expect("locked");
    tab.play("e4 e5");
    closed.play("d4");
    tab.do_it(json!({"type": "new"}));
    tab.play("Nf3");
    drop(closed);
    let start = Instant::now();
    let mut longest = Duration::ZERO;
    while start.elapsed() < Duration::from_millis(1_400) {
        let asked = Instant::now();
        assert!(tab.is_alive());
        longest = longest.max(asked.elapsed());
        thread::sleep(Duration::from_millis(10));
    }
    assert!(longest < Duration::from_millis(500), "{longest:?}");
    unlock.send(()).expect("it waits");
    holder.join().expect("no panic");
    let deadline = Instant::now() + PATIENCE;
    while list(&mut tab, &json!({}))["total"] != 4 {
        assert!(Instant::now() < deadline, "a game is lost");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The same long game many times, for clients that do not read.
#[test]
fn a_huge_export_takes_little_memory() {
    let folder = Folder::new();
    let server = folder.serve();
    let token = token_header(&server);
    let game = format!("1. e4 {{{}}} *\n", "x".repeat(4 << 20));
    assert_eq!(post(&server, "/library/import?name=x", &token, game.as_bytes()).status(), 200);
    #[cfg(target_os = "linux")]
    let before = super::memory(&server);
    let wish = format!("{{\"games\": [{}1]}}", "1,".repeat(200));
    let clients: Vec<_> = (0..9)
        .map(|_| {
            let mut client = server.connection();
            let head = format!(
                "POST /library/export HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nOrigin: {}\r\n{token}Content-Length: {}\r\n\r\n",
                server.port,
                server.origin(),
                wish.len()
            );
            client.write_all(head.as_bytes()).and_then(|()| client.write_all(wish.as_bytes())).expect("written");
            let mut status = [0; 12];
            client.read_exact(&mut status).expect("an answer");
            (client, String::from_utf8_lossy(&status).into_owned())
        })
        .collect();
    let refused: Vec<_> = clients.iter().filter(|(_, status)| status == "HTTP/1.1 503").collect();
    assert_eq!(refused.len(), 1, "there is an end to the number of exports");
    thread::sleep(Duration::from_millis(500));
    #[cfg(target_os = "linux")]
    assert!(super::memory(&server) < before + 200, "{before} MiB before, {} after", super::memory(&server));
    drop(clients);
    let (mut tab, _) = named_tab(&server);
    assert!(tab.is_alive());
}
