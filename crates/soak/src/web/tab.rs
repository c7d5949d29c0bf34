//! The page's side of a socket: sends intents and checks everything that comes back.

use std::collections::HashMap;
use std::io::Write as _;
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use shakmaty::Chess;
use tungstenite::{Message, WebSocket};

use super::page::{PageModel, check_line};
use super::wire::{self, PATIENCE, SocketError, is_timeout};
use super::{LOST, NO_ANSWER, WRONG_ANSWER, WRONG_STATE, WebRun};
use crate::figures::Breach;

/// How long an engine may take that shares two processors with many others.
const SEARCH_PATIENCE: Duration = Duration::from_secs(60);

/// Why a tab cannot go on.
#[derive(Debug)]
pub(super) enum TabError {
    /// The socket has ended.
    Gone(String),
    Broken(Breach),
}

impl From<tungstenite::Error> for TabError {
    fn from(error: tungstenite::Error) -> TabError {
        TabError::Gone(error.to_string())
    }
}

pub(super) fn broken(kind: &'static str, what: String) -> TabError {
    TabError::Broken(Breach { kind, what })
}

/// Good requests may be refused for these reasons: limits of the server, or a search that was interrupted.
const KNOWN_REFUSALS: &[&str] =
    &["engines are in use", "engine is busy", "broken off", "interrupted", "tree is full", "more than the"];

/// An intent that is not answered yet.
#[derive(Debug)]
struct OpenRequest {
    kind: String,
    /// The node and position it refers to, unless the engine was about to move.
    node: Option<u64>,
    position: Option<Chess>,
    sent: Instant,
    /// Whether an error would be wrong.
    must_succeed: bool,
}

#[derive(Debug)]
pub(super) struct TabClient<'a> {
    run: &'a WebRun,
    socket: WebSocket<TcpStream>,
    /// Restarts of the server before the socket was opened.
    restarts: u64,
    next_id: u64,
    open: HashMap<u64, OpenRequest>,
    /// Errors without number that are expected.
    errors_due: usize,
    pub(super) page: PageModel,
    /// Since when a first message of the analysis is expected.
    pub(super) analysis_due: Option<Instant>,
}

impl<'a> TabClient<'a> {
    /// Opens a socket as soon as there is a place; `None` when the run is over.
    pub(super) fn open(run: &'a WebRun) -> Option<TabClient<'a>> {
        let mut deadline = Instant::now() + PATIENCE;
        while run.is_on() {
            let before = run.disturbances();
            match wire::own_socket(run.port) {
                Ok(socket) => {
                    return Some(TabClient {
                        run,
                        socket,
                        restarts: before[0],
                        next_id: 1,
                        open: HashMap::new(),
                        errors_due: 0,
                        page: PageModel::default(),
                        analysis_due: None,
                    });
                }
                // All places are taken, or the token is that of the server before.
                Err(SocketError::Refused(503 | 401)) => run.figures.count("known refusals", 1),
                Err(SocketError::Failed(_)) if run.is_disturbed(before) => {}
                Err(error) => run.figures.note(LOST, format_args!("no socket: {error}")),
            }
            if run.is_disturbed(before) {
                deadline = Instant::now() + PATIENCE;
            } else if Instant::now() > deadline {
                run.figures.note(LOST, "no place for a tab");
                deadline = Instant::now() + PATIENCE;
            }
            thread::sleep(Duration::from_millis(50));
        }
        None
    }

    /// Whether the server was killed since the socket was opened.
    pub(super) fn is_excused(&self) -> bool {
        self.run.disturbances()[0] != self.restarts
    }

    /// Sends an intent. Returns its number.
    pub(super) fn send(&mut self, mut intent: Value, must_succeed: bool) -> Result<u64, TabError> {
        let id = self.next_id;
        self.next_id += 1;
        intent["id"] = json!(id);
        let kind = intent["type"].as_str().unwrap_or_default().to_owned();
        // A part is not answered unless it is refused.
        if kind != "part" {
            let is_still = !self.page.is_engine_to_move();
            let node = is_still.then(|| self.page.node());
            let position = self.page.position.clone().filter(|_| is_still);
            self.open.insert(id, OpenRequest { kind, node, position, sent: Instant::now(), must_succeed });
        }
        self.run.figures.count("intents", 1);
        self.socket.send(Message::text(intent.to_string()))?;
        Ok(id)
    }

    /// Sends an invalid message, which is answered by an error without number.
    pub(super) fn send_invalid(&mut self, text: &str) -> Result<(), TabError> {
        self.errors_due += 1;
        self.socket.send(Message::text(text))?;
        let deadline = Instant::now() + PATIENCE;
        while self.errors_due > 0 {
            self.expect(deadline, &shortened(text))?;
        }
        Ok(())
    }

    /// Sends an intent and returns the answer.
    pub(super) fn ask(&mut self, intent: Value, must_succeed: bool) -> Result<Value, TabError> {
        let id = self.send(intent, must_succeed)?;
        self.answer(id)
    }

    pub(super) fn answer(&mut self, id: u64) -> Result<Value, TabError> {
        let deadline = Instant::now() + SEARCH_PATIENCE;
        let kind = self.open.get(&id).map(|request| request.kind.clone()).unwrap_or_default();
        loop {
            let message = self.expect(deadline, &kind)?;
            if message["re"] == json!(id) {
                return Ok(message);
            }
        }
    }

    /// Waits until all intents are answered.
    pub(super) fn settle(&mut self) -> Result<(), TabError> {
        let deadline = Instant::now() + SEARCH_PATIENCE;
        while let Some(request) = self.open.values().next() {
            let kind = request.kind.clone();
            self.expect(deadline, &kind)?;
        }
        Ok(())
    }

    /// Receives whatever comes within some time.
    pub(super) fn listen(&mut self, time: Duration) -> Result<(), TabError> {
        let deadline = Instant::now() + time;
        while Instant::now() < deadline && self.receive(deadline)?.is_some() {}
        Ok(())
    }

    /// The next message, which must come in time.
    pub(super) fn expect(&mut self, deadline: Instant, after: &str) -> Result<Value, TabError> {
        self.receive(deadline)?.ok_or_else(|| broken(NO_ANSWER, format!("after {after}")))
    }

    /// The next message, if it comes in time. It has been checked.
    fn receive(&mut self, deadline: Instant) -> Result<Option<Value>, TabError> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            self.socket.get_ref().set_read_timeout(Some(left)).map_err(tungstenite::Error::Io)?;
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    let message: Value = serde_json::from_str(&text)
                        .map_err(|error| broken(WRONG_ANSWER, error.to_string()))?;
                    self.check(&message)?;
                    return Ok(Some(message));
                }
                Ok(Message::Close(frame)) => return Err(TabError::Gone(format!("closed: {frame:?}"))),
                Ok(_) => {}
                Err(tungstenite::Error::Io(error)) if is_timeout(&error) => {
                    if Instant::now() >= deadline {
                        return Ok(None);
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Compares a message with the intents and with the rules.
    fn check(&mut self, message: &Value) -> Result<(), TabError> {
        let kind = message["type"].as_str().unwrap_or_default();
        if kind == "state" {
            self.run.figures.count("states compared", 1);
        }
        self.check_answer(message, kind).map_err(|error| broken(WRONG_ANSWER, format!("{error:#}")))?;
        self.page.receive(message).map_err(|error| broken(WRONG_STATE, format!("{error:#}")))?;
        if kind == "analysis"
            && message["node"] == self.page.state["node"]
            && let Some(since) = self.analysis_due.take()
        {
            self.run.figures.time("first message of an analysis", since.elapsed());
        }
        Ok(())
    }

    fn check_answer(&mut self, message: &Value, kind: &str) -> Result<()> {
        let error = message["message"].as_str().unwrap_or_default();
        let is_error = kind == "error";
        let is_sentence = error.ends_with('.') && error.len() < 600;
        ensure!(!is_error || is_sentence, "an error that is not a sentence: {message}");
        let is_known_refusal = KNOWN_REFUSALS.iter().any(|known| error.contains(known));
        if is_known_refusal {
            self.run.figures.count("known refusals", 1);
        }
        let Some(id) = message["re"].as_u64() else {
            if is_error {
                let due = self.errors_due.checked_sub(1);
                self.errors_due = due.with_context(|| format!("an error without a reason: {message}"))?;
            }
            return Ok(());
        };
        let request = self.open.remove(&id).with_context(|| format!("an answer to nothing: {message}"))?;
        if is_error {
            ensure!(!request.must_succeed || is_known_refusal, "{} refused: {error}", request.kind);
            return Ok(());
        }
        let expected = match request.kind.as_str() {
            "hello" => "welcome",
            "load" if kind == "games" => "games",
            "load" | "choose" => "loaded",
            "explain" => "explanation",
            known @ ("preview" | "games" | "setup" | "export" | "magic" | "accumulators" | "perft"
            | "hint" | "threat" | "explorer") => known,
            _ => "state",
        };
        ensure!(kind == expected, "{} answered by {kind}", request.kind);
        // While the engine thinks about its own move, the request waits.
        if ["hint", "threat", "explanation"].contains(&kind)
            && let Some(node) = request.node
        {
            ensure!(
                message["node"] == json!(node),
                "{kind} for node {node} answered for {}",
                message["node"]
            );
            self.run.figures.time("hint, threat or explanation", request.sent.elapsed());
        }
        match &request.position {
            Some(position) if kind == "hint" => check_line(position, &message["line"]["uci"]),
            _ => Ok(()),
        }
    }

    /// Closes the socket as a browser does.
    pub(super) fn close(mut self) {
        // The server may be gone already.
        let _ = self.socket.close(None);
        let _ = self.socket.flush();
    }

    /// Ends in the middle of a message: ten bytes of a hundred.
    pub(super) fn break_off(mut self) {
        let stream = self.socket.get_mut();
        let _ = stream.write_all(&[&[0x81, 0x80 | 100, 1, 2, 3, 4][..], &[b'x'; 10]].concat());
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// The beginning of a text, for a message.
pub(super) fn shortened(text: &str) -> String {
    text.chars().take(300).collect()
}
