//! A page's side of one socket: it asks, and looks at everything that comes back.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shakmaty::Chess;
use tungstenite::{Message, WebSocket};

use super::World;
use super::figures::{Breach, count};
use super::page::{Page, check_line};
use super::wire::{self, NoSocket, PATIENCE};

/// How long an engine may take that has to share two processors with many others.
const SEARCH_PATIENCE: Duration = Duration::from_secs(60);

/// Why a tab cannot go on.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The socket has ended.
    Gone(String),
    /// A promise was broken.
    Broken(Breach, String),
}

/// Refusals of a good request that the protocol knows.
const KNOWN_REFUSALS: &[&str] =
    &["All engines are in use", "The engine is busy", "was broken off", "The tree is full", "more than the"];

/// A question that is not answered yet.
#[derive(Debug)]
struct Question {
    kind: String,
    /// Where it was asked, if the engine was not about to move, and what stood on the board.
    node: Option<u64>,
    position: Option<Chess>,
    asked: Instant,
    /// Whether there is no reason to refuse it.
    must_succeed: bool,
}

/// A tab.
#[derive(Debug)]
pub(super) struct Tab<'a> {
    world: &'a World,
    socket: WebSocket<TcpStream>,
    /// The server's life in which the socket was opened.
    life: u64,
    next_id: u64,
    open: HashMap<u64, Question>,
    /// Errors without number that are to come.
    errors_due: usize,
    pub(super) page: Page,
    /// Since when news about a position are waited for.
    pub(super) curious: Option<Instant>,
}

impl<'a> Tab<'a> {
    /// Opens a socket as soon as there is a place. `None` when the run is over.
    pub(super) fn open(world: &'a World) -> Option<Tab<'a>> {
        let mut deadline = Instant::now() + PATIENCE;
        while world.is_on() {
            let (life, floods) = (world.life.load(Relaxed), world.floods.load(Relaxed));
            match wire::own_socket(world.port) {
                Ok(socket) => {
                    return Some(Tab {
                        world,
                        socket,
                        life,
                        next_id: 1,
                        open: HashMap::new(),
                        errors_due: 0,
                        page: Page::default(),
                        curious: None,
                    });
                }
                // All places are taken, or the token is that of the server before.
                Err(NoSocket::Refused(503 | 401)) => count(&world.figures.refusals),
                Err(NoSocket::Refused(status)) => {
                    world.figures.note(Breach::Lost, &format!("a socket refused with {status}"));
                }
                Err(NoSocket::Failed(why)) if !world.is_disturbed(life, floods) => {
                    world.figures.note(Breach::Lost, &format!("no connection: {why}"));
                }
                Err(NoSocket::Failed(_)) => {}
            }
            if world.is_disturbed(life, floods) {
                deadline = Instant::now() + PATIENCE;
            } else if Instant::now() > deadline {
                world.figures.note(Breach::Lost, "no socket");
                deadline = Instant::now() + PATIENCE;
            }
            thread::sleep(Duration::from_millis(50));
        }
        None
    }

    /// Whether the end of this socket has been the doing of the run itself.
    pub(super) fn is_excused(&self) -> bool {
        self.world.life.load(Relaxed) != self.life
    }

    fn gone(error: &impl ToString) -> Trouble {
        Trouble::Gone(error.to_string())
    }

    /// Sends a question with a number, which is returned.
    pub(super) fn send(&mut self, mut intent: Value, must_succeed: bool) -> Result<u64, Trouble> {
        let id = self.next_id;
        self.next_id += 1;
        intent["id"] = json!(id);
        let kind = intent["type"].as_str().unwrap_or_default().to_owned();
        // A part is not answered unless it is refused.
        if kind != "part" {
            let is_still = !self.page.is_engine_to_move();
            let node = is_still.then(|| self.page.node());
            let position = self.page.position.clone().filter(|_| is_still);
            self.open.insert(id, Question { kind, node, position, asked: Instant::now(), must_succeed });
        }
        count(&self.world.figures.intents);
        self.socket.send(Message::text(intent.to_string())).map_err(|error| Self::gone(&error))?;
        Ok(id)
    }

    /// Sends something that is answered by an error without number.
    pub(super) fn send_nonsense(&mut self, text: &str) -> Result<(), Trouble> {
        self.errors_due += 1;
        self.socket.send(Message::text(text)).map_err(|error| Self::gone(&error))?;
        let deadline = Instant::now() + PATIENCE;
        while self.errors_due > 0 {
            self.receive_before(deadline, || format!("an error for {}", shortened(text)))?;
        }
        Ok(())
    }

    /// The answer to a question.
    pub(super) fn ask(&mut self, intent: Value, must_succeed: bool) -> Result<Value, Trouble> {
        let id = self.send(intent, must_succeed)?;
        self.answer(id)
    }

    pub(super) fn answer(&mut self, id: u64) -> Result<Value, Trouble> {
        let deadline = Instant::now() + SEARCH_PATIENCE;
        let kind = self.open.get(&id).map(|question| question.kind.clone()).unwrap_or_default();
        loop {
            let message = self.receive_before(deadline, || format!("an answer to {kind}"))?;
            if message["re"] == json!(id) {
                return Ok(message);
            }
        }
    }

    /// Waits until all questions are answered.
    pub(super) fn settle(&mut self) -> Result<(), Trouble> {
        let deadline = Instant::now() + SEARCH_PATIENCE;
        while let Some(question) = self.open.values().next() {
            let kind = question.kind.clone();
            self.receive_before(deadline, || format!("an answer to {kind}"))?;
        }
        Ok(())
    }

    /// Takes in whatever comes within some time.
    pub(super) fn listen(&mut self, time: Duration) -> Result<(), Trouble> {
        let deadline = Instant::now() + time;
        while Instant::now() < deadline && self.receive(deadline)?.is_some() {}
        Ok(())
    }

    fn receive_before(&mut self, deadline: Instant, what: impl Fn() -> String) -> Result<Value, Trouble> {
        match self.receive(deadline)? {
            Some(message) => Ok(message),
            None => Err(Trouble::Broken(Breach::Silence, what())),
        }
    }

    /// The next message, if one comes in time; it has been looked at.
    pub(super) fn receive(&mut self, deadline: Instant) -> Result<Option<Value>, Trouble> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            self.socket.get_ref().set_read_timeout(Some(left)).map_err(|error| Self::gone(&error))?;
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    let message: Value = serde_json::from_str(&text)
                        .map_err(|error| Trouble::Broken(Breach::WrongAnswer, error.to_string()))?;
                    self.hear(&message)?;
                    return Ok(Some(message));
                }
                Ok(Message::Close(frame)) => return Err(Trouble::Gone(format!("closed: {frame:?}"))),
                Ok(_) => {}
                Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::Interrupted => {}
                Err(tungstenite::Error::Io(error))
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    if Instant::now() >= deadline {
                        return Ok(None);
                    }
                }
                Err(error) => return Err(Self::gone(&error)),
            }
        }
    }

    /// Holds a message against what was asked, and against the rules.
    fn hear(&mut self, message: &Value) -> Result<(), Trouble> {
        let kind = message["type"].as_str().unwrap_or_default();
        if kind == "state" {
            count(&self.world.figures.states);
        }
        self.check_answer(message, kind).map_err(|what| Trouble::Broken(Breach::WrongAnswer, what))?;
        self.page.hear(message).map_err(|what| Trouble::Broken(Breach::WrongState, what))?;
        if kind == "analysis"
            && message["node"] == self.page.state["node"]
            && let Some(since) = self.curious.take()
        {
            self.world.figures.news.add(since.elapsed());
        }
        Ok(())
    }

    fn check_answer(&mut self, message: &Value, kind: &str) -> Result<(), String> {
        let sentence = message["message"].as_str().unwrap_or_default();
        if kind == "error" && !(sentence.ends_with('.') && sentence.len() < 600) {
            return Err(format!("no sentence: {message}"));
        }
        if KNOWN_REFUSALS.iter().any(|known| sentence.contains(known)) {
            count(&self.world.figures.refusals);
        }
        let Some(id) = message["re"].as_u64() else {
            if kind == "error" {
                self.errors_due =
                    self.errors_due.checked_sub(1).ok_or(format!("an error for nothing: {message}"))?;
            }
            return Ok(());
        };
        let asked =
            self.open.remove(&id).ok_or(format!("an answer to nothing, or a second one: {message}"))?;
        let expected = match asked.kind.as_str() {
            "hello" => "welcome",
            "load" | "choose" => "loaded",
            "explain" => "explanation",
            known @ ("preview" | "games" | "setup" | "export" | "magic" | "hint" | "threat") => known,
            _ => "state",
        };
        let is_known_refusal = || KNOWN_REFUSALS.iter().any(|known| sentence.contains(known));
        match kind {
            "error" if asked.must_succeed && !is_known_refusal() => {
                Err(format!("{} refused: {sentence}", asked.kind))
            }
            "error" => Ok(()),
            "games" if asked.kind == "load" => Ok(()),
            _ if kind != expected => Err(format!("{} answered by {kind}", asked.kind)),
            "hint" | "threat" | "explanation"
                if asked.node.is_some_and(|node| message["node"] != json!(node)) =>
            {
                Err(format!("{} of node {:?} answered for node {}", asked.kind, asked.node, message["node"]))
            }
            "hint" | "threat" | "explanation" => {
                // While the engine thinks about its own move, the question waits.
                if asked.node.is_some() {
                    self.world.figures.advice.add(asked.asked.elapsed());
                }
                match &asked.position {
                    Some(position) if kind == "hint" => check_line(position, &message["line"]["uci"]),
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Says goodbye as a browser does.
    pub(super) fn close(mut self) {
        // The server may be gone already.
        let _ = self.socket.close(None);
        let _ = self.socket.flush();
    }

    /// Ends in the middle of a message.
    pub(super) fn break_off(mut self) {
        use std::io::Write;
        let stream = self.socket.get_mut();
        // A text of a hundred bytes, of which ten come.
        let _ = stream.write_all(&[0x81, 0x80 | 100, 1, 2, 3, 4]);
        let _ = stream.write_all(&[b'x'; 10]);
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// The beginning of a text, to be told.
pub(super) fn shortened(text: &str) -> String {
    text.chars().take(300).collect()
}
