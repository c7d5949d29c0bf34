//! Chromium, controlled by the DevTools protocol.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::page::BrowserTab;

/// A name for this machine that browsers do not trust as they trust `127.0.0.1`.
pub(crate) const INSECURE_HOST: &str = "insecure.test";
/// Run without a screen, as any user, and without network access of its own.
const FLAGS: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP insecure.test 127.0.0.1",
    "--remote-debugging-port=0",
    "about:blank",
];
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const START_LIMIT: Duration = Duration::from_secs(40);
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// The path in `CHROMIUM`, or the first usual name in `PATH`.
pub(crate) fn find() -> Option<PathBuf> {
    if let Some(path) = env::var_os("CHROMIUM").filter(|path| !path.is_empty()) {
        return Some(PathBuf::from(path));
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .find(|path| path.is_file())
}

/// A browser with its own profile, which is removed at the end.
pub(crate) struct Browser {
    process: BrowserProcess,
    connection: Rc<RefCell<DevTools>>,
}

/// The process, killed when dropped.
struct BrowserProcess {
    child: Child,
    profile: PathBuf,
}

impl Browser {
    pub(crate) fn start(program: &Path) -> Result<Browser> {
        let profile = env::temp_dir().join(format!("ferz-page-tests-{}", process::id()));
        fs::create_dir_all(&profile)?;
        let child = Command::new(program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let process = BrowserProcess { child, profile };
        let url = wait_for_port(&process.profile)?;
        let connection = Rc::new(RefCell::new(DevTools::open(&url)?));
        Ok(Browser { process, connection })
    }

    /// A new tab in a profile without history, cookies and storage.
    pub(crate) fn private_page(&self) -> Result<BrowserTab> {
        let context = self.call("Target.createBrowserContext", &json!({}))?;
        let context = text(&context, "browserContextId")?;
        self.page_in(&context)
    }

    /// A new tab that shares the storage of a context.
    pub(crate) fn page_in(&self, context: &str) -> Result<BrowserTab> {
        let target =
            self.call("Target.createTarget", &json!({"url": "about:blank", "browserContextId": context}))?;
        let target = text(&target, "targetId")?;
        let session = self.call("Target.attachToTarget", &json!({"targetId": target, "flatten": true}))?;
        let session = text(&session, "sessionId")?;
        BrowserTab::new(Rc::clone(&self.connection), session, target, context.to_owned())
    }

    fn call(&self, method: &str, parameters: &Value) -> Result<Value> {
        self.connection.borrow_mut().call(None, method, parameters)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // This also ends its child processes.
        let _ = self.call("Browser.close", &json!({}));
        let patience = Instant::now() + Duration::from_secs(5);
        while Instant::now() < patience && matches!(self.process.child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for BrowserProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.profile);
    }
}

/// The browser writes its port into a file as soon as it listens.
fn wait_for_port(profile: &Path) -> Result<String> {
    let file = profile.join("DevToolsActivePort");
    let start = Instant::now();
    while start.elapsed() < START_LIMIT {
        let content = fs::read_to_string(&file).unwrap_or_default();
        let mut lines = content.lines();
        if let (Some(port), Some(path)) = (lines.next(), lines.next()) {
            return Ok(format!("ws://127.0.0.1:{port}{path}"));
        }
        thread::sleep(Duration::from_millis(50));
    }
    bail!("the browser did not open its DevTools port within {} seconds", START_LIMIT.as_secs())
}

/// One socket for all tabs; messages carry the session of their tab.
pub(crate) struct DevTools {
    socket: WebSocket<TcpStream>,
    last_id: u64,
    /// Events that were not taken yet, by session.
    events: HashMap<String, Vec<Value>>,
}

impl DevTools {
    fn open(url: &str) -> Result<DevTools> {
        let address = url.trim_start_matches("ws://").split('/').next().unwrap_or_default();
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let (socket, _) =
            tungstenite::client(url, stream).map_err(|error| anyhow::anyhow!("DevTools: {error}"))?;
        // From now on, polling for a message must not take long.
        socket.get_ref().set_read_timeout(Some(Duration::from_millis(100)))?;
        Ok(DevTools { socket, last_id: 0, events: HashMap::new() })
    }

    /// Calls a method and waits for its result.
    pub(crate) fn call(&mut self, session: Option<&str>, method: &str, parameters: &Value) -> Result<Value> {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method, "params": parameters});
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(message.to_string()))?;
        let start = Instant::now();
        while start.elapsed() < ANSWER_LIMIT {
            let Some(answer) = self.receive()? else { continue };
            if answer["id"] != self.last_id {
                self.keep(answer);
            } else if let Some(error) = answer.get("error") {
                bail!("{method}: {}", error["message"].as_str().unwrap_or("refused"));
            } else {
                return Ok(answer["result"].clone());
            }
        }
        bail!("the browser did not answer {method} within {} seconds", ANSWER_LIMIT.as_secs())
    }

    /// The events of a session since they were last taken.
    pub(crate) fn take_events(&mut self, session: &str) -> Result<Vec<Value>> {
        while let Some(message) = self.receive()? {
            self.keep(message);
        }
        Ok(self.events.remove(session).unwrap_or_default())
    }

    fn keep(&mut self, event: Value) {
        let session = event["sessionId"].as_str().unwrap_or_default().to_owned();
        self.events.entry(session).or_default().push(event);
    }

    /// The next message, if there is one soon.
    fn receive(&mut self) -> Result<Option<Value>> {
        match self.socket.read() {
            Ok(Message::Text(text)) => Ok(Some(serde_json::from_str(&text)?)),
            Ok(_) => Ok(None),
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
            {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// A text field.
pub(crate) fn text(value: &Value, name: &str) -> Result<String> {
    Ok(value[name].as_str().with_context(|| format!("no {name} in the browser's answer"))?.to_owned())
}
