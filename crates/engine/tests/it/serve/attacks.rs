//! Attacks by hostile pages and programs.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use serde_json::json;

use super::Server;
use crate::ferz;

/// A hostile request and the acceptable statuses of the response.
struct Attempt {
    what: &'static str,
    /// `{port}` is the server's.
    request: &'static str,
    statuses: &'static [u16],
}

/// Requests after which the connection is closed.
const ATTEMPTS: &[Attempt] = &[
    // DNS rebinding makes a foreign page look like our own: only the host name gives it away.
    Attempt {
        what: "a foreign name",
        request: "GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n",
        statuses: &[403],
    },
    Attempt {
        what: "a foreign name for the token",
        request: "GET /session HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n",
        statuses: &[403],
    },
    Attempt { what: "no name", request: "GET / HTTP/1.1\r\n\r\n", statuses: &[400, 403] },
    Attempt { what: "no name, long ago", request: "GET / HTTP/1.0\r\n\r\n", statuses: &[400, 403] },
    Attempt {
        what: "two names",
        request: "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\n\r\n",
        statuses: &[400, 403],
    },
    Attempt {
        what: "another name in the address",
        request: "GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
        statuses: &[400, 403],
    },
    Attempt {
        what: "a name that begins like ours",
        request: "GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.example:{port}\r\n\r\n",
        statuses: &[403],
    },
    Attempt {
        what: "a name with ours as its user",
        request: "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}@evil.example\r\n\r\n",
        statuses: &[400, 403],
    },
    Attempt {
        what: "another port",
        request: "GET / HTTP/1.1\r\nHost: localhost:1\r\n\r\n",
        statuses: &[403],
    },
    Attempt { what: "no port", request: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", statuses: &[403] },
    // Forms and scripts of other pages can send requests without permission.
    Attempt {
        what: "a foreign form",
        request: "POST /api/analyse HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: https://evil.example\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}",
        statuses: &[403],
    },
    Attempt {
        what: "a sandboxed frame",
        request: "POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: null\r\nContent-Length: 0\r\n\r\n",
        statuses: &[403],
    },
    Attempt {
        what: "a write without origin",
        request: "POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 0\r\n\r\n",
        statuses: &[403],
    },
    Attempt {
        what: "a write of our own page",
        request: "POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nContent-Length: 0\r\n\r\n",
        statuses: &[405],
    },
    Attempt {
        what: "a preflight",
        request: "OPTIONS /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\n\r\n",
        statuses: &[403],
    },
    Attempt {
        what: "a foreign script that reads",
        request: "GET /session HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n\r\n",
        statuses: &[403],
    },
    Attempt {
        what: "a compressed body",
        request: "POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nContent-Encoding: zstd\r\nContent-Length: 9000000000\r\n\r\n(\u{b5}/",
        statuses: &[415],
    },
    Attempt {
        what: "a body where none belongs",
        request: "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 5\r\n\r\nhello",
        statuses: &[413],
    },
    Attempt {
        what: "a body without end",
        request: "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nTransfer-Encoding: chunked\r\n\r\n",
        statuses: &[413],
    },
    // Files outside the page.
    Attempt {
        what: "a path upwards",
        request: "GET /../Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n",
        statuses: &[400, 404],
    },
    Attempt {
        what: "an encoded path upwards",
        request: "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n",
        statuses: &[400, 404],
    },
    Attempt {
        what: "an absolute path",
        request: "GET //etc/passwd HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n",
        statuses: &[400, 403, 404],
    },
    Attempt {
        what: "a path with backslashes",
        request: "GET /..\\..\\etc\\passwd HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n",
        statuses: &[400, 404],
    },
    Attempt {
        what: "a folder",
        request: "GET /pieces HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n",
        statuses: &[404],
    },
    // Requests that are not HTTP.
    Attempt {
        what: "a smuggled line",
        request: "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX: a\nquit\r\n\r\n",
        statuses: &[400],
    },
    Attempt {
        what: "bare line feeds",
        request: "GET / HTTP/1.1\nHost: 127.0.0.1:{port}\n\n",
        statuses: &[400],
    },
    Attempt {
        what: "one bare line feed",
        request: "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\nX: a\r\n\r\n",
        statuses: &[400],
    },
    Attempt {
        what: "a bare line feed at the end",
        request: "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\n",
        statuses: &[400],
    },
    Attempt {
        what: "a qualified name",
        request: "GET / HTTP/1.1\r\nHost: localhost.:{port}\r\n\r\n",
        statuses: &[403],
    },
    Attempt { what: "another protocol", request: "uci\nquit\n\r\n\r\n", statuses: &[400] },
];

#[test]
fn every_attempt_is_turned_away() {
    let server = Server::start();
    for attempt in ATTEMPTS {
        let request = attempt.request.replace("{port}", &server.port.to_string());
        let answer = super::Answer(server.raw(&request));
        assert!(attempt.statuses.contains(&answer.status()), "{}: {}", attempt.what, answer.0);
        assert!(answer.header("Access-Control-Allow-Origin").is_none(), "{}", attempt.what);
        let said = answer.body();
        assert!(
            !said.contains("token") && !said.contains("<html") && said.len() < 200,
            "{}: {said}",
            attempt.what
        );
    }
    assert_eq!(server.get("/").status(), 200, "and the page is still there");
}

#[test]
fn host_names_have_no_letter_case() {
    let server = Server::start();
    for name in ["localhost", "LOCALHOST", "LocalHost"] {
        let request = format!("GET / HTTP/1.1\r\nHost: {name}:{}\r\nConnection: close\r\n\r\n", server.port);
        assert_eq!(super::Answer(server.raw(&request)).status(), 200, "{name}");
    }
}

#[test]
fn a_closing_frame_is_answered() {
    use tungstenite::protocol::{CloseFrame, frame::coding::CloseCode};
    let server = Server::start();
    let mut tab = server.tab();
    let frame = CloseFrame { code: CloseCode::Away, reason: "".into() };
    tab.socket.close(Some(frame)).unwrap();
    assert_eq!(tab.close_code(), Some(1001));
}

/// The page keeps a finished game and sends it back: its result must be one.
#[test]
fn a_saved_result_is_checked() {
    let server = Server::start();
    let play = |over| json!({"color": "white", "level": "club", "head_path": "", "over": over});
    for over in [
        json!({"result": "<b>", "reason": "checkmate", "text": ""}),
        json!({"result": "1-0", "reason": "<b>", "text": ""}),
    ] {
        let mut tab = server.silent_tab().unwrap();
        tab.refusal(json!({"type": "hello", "play": play(over)}));
    }
    let mut tab = server.silent_tab().unwrap();
    let over = json!({"result": "1/2-1/2", "reason": "agreement", "text": "<b>"});
    tab.send(json!({"type": "hello", "play": play(over)}));
    assert_eq!(tab.next("state")["play"]["over"]["text"], "Draw by agreement");
}

#[test]
fn everything_is_answered_with_protective_headers() {
    let server = Server::start();
    for path in ["/", "/session", "/nothing", "/?fen=%3Cscript%3Ealert(1)%3C/script%3E", "/index.html"] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").expect(path);
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert!(!answer.body().contains("alert(1)"), "what was asked is not repeated");
    }
    assert_eq!(server.get("/session").header("content-type"), Some("application/json"));
    assert_eq!(server.request("GET", "/", &["Origin: https://evil.example"]).header("vary"), None);
}

#[test]
fn sockets_are_for_our_page_alone() {
    let server = Server::start();
    let right = format!("ferz, {}", server.token());
    let port = server.port;
    for origin in [
        "https://evil.example".to_owned(),
        "null".to_owned(),
        format!("http://192.168.1.5:{port}"),
        format!("http://10.0.0.1:{port}"),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{}", port ^ 1),
        "http://127.0.0.1".to_owned(),
    ] {
        assert_eq!(server.socket(&origin, &right).err(), Some(403), "{origin}");
    }
    for protocols in ["ferz", "ferz, 0000", &right[..right.len() - 1], &format!("{right}0"), "ferz, null"] {
        assert_eq!(server.socket(&server.origin(), protocols).err(), Some(401), "{protocols}");
    }
    assert!(server.socket(&format!("http://localhost:{port}"), &right).is_ok());
    let plain = server.request("GET", "/ws", &[]);
    assert!((400..500).contains(&plain.status()), "{}", plain.0);
}

#[test]
fn the_token_is_long_and_nowhere_to_be_read_but_there() {
    let server = Server::start();
    let token = server.token();
    assert!(token.len() >= 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert!(!server.get("/").0.contains(&token));
    assert_ne!(Server::start().token(), token);
}

#[test]
fn messages_that_are_none_are_answered_with_a_sentence() {
    let server = Server::start();
    let mut tab = server.tab();
    let deep = format!(r#"{{"type":"go","node":{}1{}}}"#, "[".repeat(30_000), "]".repeat(30_000));
    let wide = format!(r#"{{"{}": 1}}"#, "k".repeat(60_000));
    for text in [
        "",
        "null",
        "uci\nquit",
        "{\"type\":\"go\",\"node\":1,\"node\":2}",
        r#"{"type":"move","san":"\ud800"}"#,
        r#"{"type":"analyse","on":true,"lines":1e9}"#,
        r#"{"type":"analyse","on":true,"lines":-1}"#,
        r#"{"type":"analyse","on":true,"lines":"1"}"#,
        r#"{"type":"analyse","on":true,"lines":NaN}"#,
        r#"{"type":"analyse","on":true,"lines":6}"#,
        r#"{"type":"analyse","on":true,"depth":1000000000}"#,
        r#"{"type":"analyse","on":true,"movetime":1e12}"#,
        r#"{"type":"analyse","on":true,"nodes":18446744073709551615}"#,
        r#"{"type":"analyse","on":true,"threads":64}"#,
        r#"{"type":"hello","net":"/etc/passwd"}"#,
        r#"{"type":"setoption","name":"EvalFile","value":"/proc/self/mem"}"#,
        r#"{"type":"load","file":"/dev/zero"}"#,
        r#"{"type":"load","text":"\u0000"}"#,
        r#"{"type":"export","what":"pgn","file":"/etc/passwd"}"#,
        r#"{"type":"play","color":"white","level":"club\nquit\n"}"#,
        r#"{"type":"new","fen":"4k3/8/8/8/8/8/8/4K3 w - - 0 1\nquit"}"#,
        r#"{"type":"new","fen":"4k3/8/8/8/8/8/8/4K3 w - - 0 1\ngo infinite"}"#,
        r#"{"type":"move","uci":"e2e4\nquit"}"#,
        &deep,
        &wide,
    ] {
        tab.send_text(text);
        let error = tab.next("error");
        let sentence = error["message"].as_str().unwrap();
        assert!(sentence.ends_with('.') && sentence.len() < 500, "{sentence}");
    }
    assert!(tab.is_alive());
}

#[test]
fn a_message_that_is_too_long_closes_the_socket() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.send_text(&format!(r#"{{"type":"load","text":"{}"}}"#, "x".repeat(65_600)));
    assert_eq!(tab.close_code(), Some(1009));
    let mut tab = server.tab();
    tab.socket.send(tungstenite::Message::binary(vec![0; 10])).unwrap();
    assert_eq!(tab.close_code(), Some(1003));
    assert!(server.tab().is_alive());
}

#[test]
fn a_page_that_says_nothing_is_sent_away() {
    let server = Server::start();
    let mut tab = server.silent_tab().unwrap();
    let start = Instant::now();
    assert_eq!(tab.close_code(), Some(1008));
    assert!(start.elapsed() >= Duration::from_secs(8));
}

#[test]
fn only_loopback_addresses_are_listened_on() {
    let server = Server::start();
    let own = std::net::UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        // Nothing is sent: this only asks which address would be used.
        socket.connect("192.0.2.1:9")?;
        socket.local_addr()
    });
    if let Ok(address) = own
        && !address.ip().is_loopback()
    {
        let outside = std::net::SocketAddr::new(address.ip(), server.port);
        let connected = std::net::TcpStream::connect_timeout(&outside, Duration::from_secs(2));
        assert!(connected.is_err(), "the server listens on {outside}");
    }
    for option in ["--listen", "--host", "--bind"] {
        let run = ferz(["serve", option, "0.0.0.0", "--no-open"]);
        assert_eq!(run.code, Some(2), "there is no such option: {option}");
    }
}

#[test]
fn bad_files_on_the_command_line_are_named() {
    for (name, bytes) in
        [("empty.nnue", &b""[..]), ("text.nnue", b"this is no net"), ("huge.nnue", &[0xff; 64])]
    {
        let path = crate::file_of(name, bytes);
        let run = ferz(["serve", "--no-open", "--port", "0", "--net", &path]);
        assert_eq!(run.code, Some(2));
        assert!(run.err.contains(name), "{}", run.err);
    }
    let run = ferz(["serve", "--no-open", "--net", "/dev/zero"]);
    assert!(run.code == Some(2) && run.err.contains("not a file"), "{}", run.err);
    let run = ferz(["serve", "--no-open", "--assets", "/nowhere"]);
    assert!(run.code == Some(2) && run.err.contains("/nowhere"), "{}", run.err);
}

#[test]
fn a_port_that_is_taken_is_told() {
    let server = Server::start();
    let run = ferz(["serve", "--no-open", "--library", "none", "--port", &server.port.to_string()]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains(&server.port.to_string()), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn links_in_a_folder_of_assets_are_not_followed() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("assets");
    std::fs::create_dir_all(folder.join("deep")).unwrap();
    std::fs::write(folder.join("index.html"), "<title>From a folder</title>").unwrap();
    std::fs::write(folder.join(".hidden"), "secret").unwrap();
    let link = folder.join("passwd.txt");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink("/etc/passwd", &link).unwrap();
    let outside = folder.join("deep/outside");
    let _ = std::fs::remove_file(&outside);
    std::os::unix::fs::symlink("/etc", &outside).unwrap();
    let server = Server::start_with(&["--assets", folder.to_str().unwrap()]);
    assert!(server.get("/").body().contains("From a folder"));
    for path in ["/passwd.txt", "/.hidden", "/deep/outside/passwd", "/deep", "/nothing.js"] {
        assert_eq!(server.get(path).status(), 404, "{path}");
    }
}

#[test]
fn slow_heads_and_bodies_are_not_waited_for() {
    let server = Server::start();
    // A hundred connections with unfinished headers, and one with an announced body.
    let mut slow: Vec<_> = (0..100).map(|_| server.connection()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: 127").unwrap();
    }
    let start = Instant::now();
    assert_eq!(server.get("/").status(), 200);
    assert!(start.elapsed() < Duration::from_secs(2), "others are served meanwhile");
    let mut body = server.connection();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: 127.0.0.1:{0}\r\nOrigin: http://127.0.0.1:{0}\r\nContent-Length: 1000000\r\n\r\n",
        server.port
    );
    body.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = body.read_to_end(&mut answer);
    assert!(answer.starts_with(b"HTTP/1.1 405"), "{}", String::from_utf8_lossy(&answer));
    assert!(start.elapsed() < Duration::from_secs(15));
    for stream in &mut slow {
        // An occasional byte does not extend the timeout.
        let _ = stream.write_all(b".");
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn html_in_games_stays_text() {
    let server = Server::start();
    let mut tab = server.tab();
    let script = "<script>alert(1)</script>";
    let text = format!("[White \"{script}\"]\n[Site \"javascript:alert(1)\"]\n\n1. e4 {{{script}}} e5 *");
    tab.do_it(json!({"type": "load", "text": text}));
    let tree = tab.next("tree");
    assert_eq!(tree["nodes"][1]["comment"], script);
    assert_eq!(tab.next("state")["headers"][0], json!(["White", script]));
    let svg = tab.do_it(json!({"type": "export", "what": "svg"}));
    assert!(!svg["text"].as_str().unwrap().contains("<script"));
    let refused = tab.refusal(json!({"type": "move", "san": script}));
    assert!(refused.len() < 200, "{refused}");
}
