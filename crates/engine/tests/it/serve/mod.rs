//! The server of the page: a real one on a free port, tested over real sockets.

mod attacks;
#[cfg(target_os = "linux")]
mod browser;
mod engines;
mod exhaustion;
mod intents;
mod library;
mod load;
mod openings;
mod other_engines;
mod tabs;

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

use crate::command;

/// The timeout on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server process, killed on drop.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start() -> Server {
        Server::start_with(&[])
    }

    fn start_with(args: &[&str]) -> Server {
        let usual = ["serve", "--port", "0", "--no-open", "--hash", "2", "--library", "none"];
        Server::launch(&[&usual, args].concat())
    }

    /// Restarts the server on the same port.
    fn start_at(port: u16) -> Server {
        Server::launch(&[
            "serve",
            "--port",
            &port.to_string(),
            "--no-open",
            "--hash",
            "2",
            "--library",
            "none",
        ])
    }

    /// The same with a cache folder of its own.
    fn start_with_cache(args: &[&str], cache: &Path) -> Server {
        let usual = ["serve", "--port", "0", "--no-open", "--hash", "2", "--library", "none"];
        let mut command = command([&usual, args].concat());
        for name in ["XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"] {
            command.env(name, cache);
        }
        Server::launch_command(command)
    }

    fn launch(args: &[&str]) -> Server {
        Server::launch_command(command(args))
    }

    fn launch_command(mut command: Command) -> Server {
        let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut child = started.expect("ferz starts");
        let mut line = String::new();
        let out = child.stdout.as_mut().expect("standard output is a pipe");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let port = line.trim().strip_prefix("http://127.0.0.1:").and_then(|rest| rest.strip_suffix('/'));
        let port = port.and_then(|port| port.parse().ok());
        Server { child, port: port.unwrap_or_else(|| panic!("no address: {line}")) }
    }

    fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn connection(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    /// Sends bytes and returns the whole response.
    fn raw(&self, request: &str) -> String {
        let mut stream = self.connection();
        // A server that rejects early may close before everything is written.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The response to a request with the right host and these further headers.
    fn request(&self, method: &str, path: &str, headers: &[&str]) -> Answer {
        let mut text = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", self.port);
        headers.iter().for_each(|line| text += &format!("{line}\r\n"));
        Answer(self.raw(&format!("{text}Connection: close\r\n\r\n")))
    }

    fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[])
    }

    fn token(&self) -> String {
        let answer: Value = serde_json::from_str(self.get("/session").body()).expect("an object");
        answer["token"].as_str().expect("a token").to_owned()
    }

    /// Opens a socket from this origin with these subprotocols; the error is the HTTP status.
    fn socket(&self, origin: &str, protocols: &str) -> Result<WebSocket<TcpStream>, u16> {
        let url = format!("ws://127.0.0.1:{}/ws", self.port);
        let mut request = url.into_client_request().expect("a request");
        let headers = request.headers_mut();
        headers.insert("Origin", origin.parse().expect("an origin"));
        headers.insert("Sec-WebSocket-Protocol", protocols.parse().expect("protocols"));
        match tungstenite::client(request, self.connection()) {
            Ok((socket, _)) => Ok(socket),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// A tab that has not sent `hello` yet.
    fn silent_tab(&self) -> Result<Tab, u16> {
        let socket = self.socket(&self.origin(), &format!("ferz, {}", self.token()))?;
        Ok(Tab { socket, next_id: 1 })
    }

    /// A tab with a new game.
    fn tab(&self) -> Tab {
        let mut tab = self.silent_tab().expect("a socket");
        tab.ask(json!({"type": "hello"}));
        tab
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The response to a request.
struct Answer(String);

impl Answer {
    fn status(&self) -> u16 {
        let status = self.0.split(' ').nth(1).and_then(|status| status.parse().ok());
        status.unwrap_or_else(|| panic!("no answer: {:?}", self.0))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let head = self.0.split("\r\n\r\n").next()?;
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    fn body(&self) -> &str {
        self.0.split_once("\r\n\r\n").map_or("", |(_, body)| body)
    }
}

/// The client side of a socket.
struct Tab {
    socket: WebSocket<TcpStream>,
    next_id: u64,
}

impl Tab {
    fn send_text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).expect("the socket is open");
    }

    fn send(&mut self, message: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let mut message = message;
        message["id"] = json!(id);
        self.send_text(&message.to_string());
        id
    }

    /// The next frame. Interrupted reads are repeated.
    fn read(&mut self) -> tungstenite::Result<Message> {
        loop {
            match self.socket.read() {
                Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    /// The next message.
    fn receive(&mut self) -> Value {
        loop {
            match self.read().expect("a message comes") {
                Message::Text(text) => return serde_json::from_str(&text).expect("an object"),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// All messages up to and including the first that matches.
    fn until(&mut self, is_last: impl Fn(&Value) -> bool) -> Vec<Value> {
        let deadline = Instant::now() + PATIENCE;
        let mut messages = Vec::new();
        loop {
            assert!(Instant::now() < deadline, "waited in vain after {:?}", messages.last());
            messages.push(self.receive());
            if is_last(messages.last().expect("just pushed")) {
                return messages;
            }
        }
    }

    /// The next message of a type.
    fn next(&mut self, kind: &str) -> Value {
        self.until(|message| message["type"] == kind).pop().expect("the last one")
    }

    /// The answer to a message.
    fn ask(&mut self, message: Value) -> Value {
        let id = self.send(message);
        self.until(|message| message["re"] == json!(id)).pop().expect("the last one")
    }

    /// The same; panics on an error.
    fn do_it(&mut self, message: Value) -> Value {
        let asked = message.to_string();
        let answer = self.ask(message);
        assert_ne!(answer["type"], "error", "{asked} {answer}");
        answer
    }

    /// The error message that rejects a request.
    fn refusal(&mut self, message: Value) -> String {
        let asked = message.to_string();
        let answer = self.ask(message);
        assert_eq!(answer["type"], "error", "{asked} {answer}");
        let sentence = answer["message"].as_str().expect("a sentence").to_owned();
        assert!(
            sentence.ends_with('.') && sentence.chars().next().is_some_and(|it| !it.is_lowercase()),
            "{sentence}"
        );
        sentence
    }

    /// Plays moves one after the other and returns the last state.
    fn play(&mut self, moves: &str) -> Value {
        let moves = moves.split_ascii_whitespace();
        moves.map(|san| self.do_it(json!({"type": "move", "san": san}))).last().expect("at least one move")
    }

    /// The close code of the server.
    fn close_code(&mut self) -> Option<u16> {
        loop {
            match self.read() {
                Ok(Message::Close(frame)) => return frame.map(|frame| frame.code.into()),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    /// Whether the server still answers.
    fn is_alive(&mut self) -> bool {
        self.ask(json!({"type": "step", "to": "start"}))["type"] == "state"
    }
}

/// Processor time that a server has used, in seconds.
#[cfg(target_os = "linux")]
fn processor_time(server: &Server) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.child.id())).expect("the server runs");
    let fields: Vec<_> = stat.rsplit_once(')').expect("a name").1.split_ascii_whitespace().collect();
    let ticks: f64 = fields[11..13].iter().map(|field| field.parse::<f64>().expect("a number")).sum();
    ticks / 100.0
}

/// Waits until a server is idle; false if that takes too long.
#[cfg(target_os = "linux")]
fn comes_to_rest(server: &Server, within: Duration) -> bool {
    let deadline = Instant::now() + within;
    while Instant::now() < deadline {
        let before = processor_time(server);
        std::thread::sleep(Duration::from_millis(300));
        if processor_time(server) - before < 0.05 {
            return true;
        }
    }
    false
}

/// Memory of a server in MiB.
#[cfg(target_os = "linux")]
fn memory(server: &Server) -> u64 {
    memory_line(server, "VmRSS:")
}

/// The most memory that a server has had, in MiB.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn peak_memory(server: &Server) -> u64 {
    memory_line(server, "VmHWM:")
}

#[cfg(target_os = "linux")]
fn memory_line(server: &Server, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("its memory");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") / 1024
}

/// Files that a server has open.
#[cfg(target_os = "linux")]
fn open_files(server: &Server) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", server.child.id())).expect("it runs").count()
}
