//! A tab: user actions as real input events (mouse, keyboard, touch), and what is visible.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use data_encoding::BASE64;
use serde_json::{Value, json};

use crate::browser::DevTools;

/// How long something may take to appear on the page. Generous for busy machines; waiting ends early.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct BrowserTab {
    connection: Rc<RefCell<DevTools>>,
    session: String,
    target: String,
    context: String,
    /// Errors that appeared on the console.
    complaints: RefCell<Vec<String>>,
    /// The DevTools sessions of its running workers.
    workers: RefCell<Vec<Worker>>,
}

/// A Web Worker or service worker of a tab.
#[derive(Clone)]
struct Worker {
    session: String,
    kind: String,
}

/// The centre of an element on the screen.
#[derive(Clone, Copy)]
pub(crate) struct ScreenPoint {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl BrowserTab {
    pub(crate) fn new(
        connection: Rc<RefCell<DevTools>>,
        session: String,
        target: String,
        context: String,
    ) -> Result<BrowserTab> {
        let page = BrowserTab {
            connection,
            session,
            target,
            context,
            complaints: RefCell::default(),
            workers: RefCell::default(),
        };
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility", "DOM"] {
            page.call(&format!("{domain}.enable"), &json!({}))?;
        }
        let attach = json!({"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true});
        page.call("Target.setAutoAttach", &attach)?;
        page.resize(1366, 768)?;
        Ok(page)
    }

    /// The browser context, whose storage tabs share.
    pub(crate) fn context(&self) -> &str {
        &self.context
    }

    pub(crate) fn call(&self, method: &str, parameters: &Value) -> Result<Value> {
        self.connection.borrow_mut().call(Some(&self.session), method, parameters)
    }

    // ---- the window ----

    pub(crate) fn resize(&self, width: u32, height: u32) -> Result<()> {
        self.metrics(width, height, false)
    }

    /// A phone: narrow, high resolution, touch.
    pub(crate) fn become_phone(&self, width: u32, height: u32) -> Result<()> {
        self.metrics(width, height, true)?;
        self.call("Emulation.setTouchEmulationEnabled", &json!({"enabled": true, "maxTouchPoints": 1}))?;
        Ok(())
    }

    fn metrics(&self, width: u32, height: u32, mobile: bool) -> Result<()> {
        let scale = if mobile { 2 } else { 1 };
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile});
        self.call("Emulation.setDeviceMetricsOverride", &metrics)?;
        Ok(())
    }

    pub(crate) fn prefer(&self, feature: &str, value: &str) -> Result<()> {
        self.call("Emulation.setEmulatedMedia", &json!({"features": [{"name": feature, "value": value}]}))?;
        Ok(())
    }

    /// Runs a script in every document of the tab before the document's own.
    pub(crate) fn prepare(&self, script: &str) -> Result<()> {
        self.call("Page.addScriptToEvaluateOnNewDocument", &json!({"source": script}))?;
        Ok(())
    }

    /// Starts to open an address.
    pub(crate) fn navigate(&self, url: &str) -> Result<()> {
        self.call("Page.navigate", &json!({"url": url}))?;
        Ok(())
    }

    /// Opens an address and waits until the page is connected to the server.
    pub(crate) fn open(&self, url: &str) -> Result<()> {
        self.navigate(url)?;
        self.wait_until_ready()
    }

    pub(crate) fn reload(&self) -> Result<()> {
        self.evaluate("window.beforeReload = true")?;
        self.call("Page.reload", &json!({}))?;
        self.wait_until("window.beforeReload === undefined")?;
        self.wait_until_ready()
    }

    pub(crate) fn wait_until_ready(&self) -> Result<()> {
        self.wait_until("document.querySelectorAll('#board .men .piece').length > 0 && !document.querySelector('.is-away')")
    }

    /// Brings the tab to the front: browsers throttle background tabs.
    pub(crate) fn bring_to_front(&self) -> Result<()> {
        self.call("Page.bringToFront", &json!({}))?;
        Ok(())
    }

    pub(crate) fn close(self) -> Result<()> {
        self.connection.borrow_mut().call(None, "Target.closeTarget", &json!({"targetId": self.target}))?;
        Ok(())
    }

    // ---- looking ----

    /// The value of an expression in the page.
    pub(crate) fn evaluate(&self, expression: &str) -> Result<Value> {
        let question = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", &question)?;
        if let Some(exception) = answer.get("exceptionDetails") {
            bail!(
                "`{expression}`: {}",
                exception["exception"]["description"].as_str().unwrap_or("exception")
            );
        }
        Ok(answer["result"]["value"].clone())
    }

    pub(crate) fn is_true(&self, condition: &str) -> Result<bool> {
        Ok(self.evaluate(condition)? == Value::Bool(true))
    }

    pub(crate) fn wait_until(&self, condition: &str) -> Result<()> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            // There is no page while it is being replaced.
            if self.is_true(condition).unwrap_or(false) {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(30));
        }
        bail!("this did not become true within {} seconds: {condition}", PATIENCE.as_secs())
    }

    /// The visible text of an element.
    pub(crate) fn text(&self, selector: &str) -> Result<String> {
        let text = self.evaluate(&format!("document.querySelector({})?.innerText", json!(selector)))?;
        Ok(text.as_str().with_context(|| format!("there is no {selector}"))?.to_owned())
    }

    pub(crate) fn wait_for_text(&self, selector: &str, part: &str) -> Result<()> {
        let condition =
            format!("document.querySelector({})?.innerText.includes({})", json!(selector), json!(part));
        self.wait_until(&condition).with_context(|| {
            let said: String = self.text(selector).unwrap_or_default().chars().take(200).collect();
            format!("{selector} says {said:?} instead of {part:?}")
        })
    }

    /// The label of a square for screen readers.
    pub(crate) fn square(&self, name: &str) -> Result<String> {
        let label =
            self.evaluate(&format!("document.querySelector('{}').getAttribute('aria-label')", square(name)))?;
        Ok(label.as_str().unwrap_or_default().to_owned())
    }

    pub(crate) fn wait_for_square(&self, name: &str, part: &str) -> Result<()> {
        let condition = format!(
            "document.querySelector('{}').getAttribute('aria-label').includes({})",
            square(name),
            json!(part)
        );
        self.wait_until(&condition)
            .with_context(|| format!("the square is {:?}", self.square(name).unwrap_or_default()))
    }

    /// Waits until the main line is this: SAN separated by spaces.
    pub(crate) fn wait_for_line(&self, moves: &str) -> Result<()> {
        let line =
            "[...document.querySelectorAll('.moves .move.main .san')].map(san => san.textContent).join(' ')";
        self.wait_until(&format!("{line} === {}", json!(moves)))
            .with_context(|| format!("the main line is {}", self.evaluate(line).unwrap_or_default()))
    }

    pub(crate) fn screenshot(&self, file: &Path) -> Result<()> {
        // Pieces, arrows and bars have come to their places, and are drawn.
        self.evaluate(
            "Promise.allSettled(document.getAnimations().map(one => one.finished)).then(() => \
             new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done()))))",
        )?;
        let answer = self.call("Page.captureScreenshot", &json!({"format": "png"}))?;
        let data = answer["data"].as_str().context("no picture")?;
        fs::write(file, BASE64.decode(data.as_bytes())?)?;
        Ok(())
    }

    /// Errors on the console since the page was opened.
    pub(crate) fn complaints(&self) -> Result<Vec<String>> {
        self.take_events()?;
        Ok(self.complaints.borrow().clone())
    }

    /// Collects the errors and the workers in the tab's events. A worker repeats its older errors when it is asked.
    fn take_events(&self) -> Result<()> {
        let events = self.connection.borrow_mut().take_events(&self.session)?;
        for event in events {
            let parameters = &event["params"];
            let session = parameters["sessionId"].as_str().unwrap_or_default();
            match event["method"].as_str() {
                Some("Target.attachedToTarget") => {
                    let kind = parameters["targetInfo"]["type"].as_str().unwrap_or_default().to_owned();
                    self.workers.borrow_mut().push(Worker { session: session.to_owned(), kind });
                    for method in ["Runtime.enable", "Log.enable"] {
                        // The worker may be gone already.
                        let _ = self.connection.borrow_mut().call(Some(session), method, &json!({}));
                    }
                }
                Some("Target.detachedFromTarget") => {
                    self.workers.borrow_mut().retain(|worker| worker.session != session);
                }
                _ => self.complaints.borrow_mut().extend(complaint(&event)),
            }
        }
        for worker in self.workers.borrow().iter() {
            let events = self.connection.borrow_mut().take_events(&worker.session)?;
            self.complaints.borrow_mut().extend(events.iter().filter_map(complaint));
        }
        Ok(())
    }

    /// Calls a DevTools method in the tab's Web Worker, of which there must be one.
    pub(crate) fn call_worker(&self, method: &str, parameters: &Value) -> Result<Value> {
        self.take_events()?;
        let workers = self.workers.borrow();
        let workers: Vec<_> = workers.iter().filter(|worker| worker.kind == "worker").collect();
        ensure!(workers.len() == 1, "the tab has {} workers", workers.len());
        self.connection.borrow_mut().call(Some(&workers[0].session), method, parameters)
    }

    /// Forgets expected errors.
    pub(crate) fn forget_complaints(&self) -> Result<()> {
        self.complaints()?;
        self.complaints.borrow_mut().clear();
        Ok(())
    }

    // ---- doing ----

    /// Scrolls an element into view and returns its centre, once the element has stayed there for a frame: late answers
    /// move what is below them. `button: NAME` is the visible button of that name, everything else is a selector.
    pub(crate) fn find(&self, selector: &str) -> Result<ScreenPoint> {
        let script = format!(
            "(async () => {{ const what = {0}; const name = what.startsWith('button: ') ? what.slice(8) : null; \
             const isNamed = one => one.checkVisibility() && (one.getAttribute('aria-label') ?? one.textContent) === name; \
             const place = () => {{ \
               const element = name ? [...document.querySelectorAll('button')].find(isNamed) : document.querySelector(what); if (!element) return null; \
               element.scrollIntoView({{block: 'nearest'}}); const box = element.getBoundingClientRect(); \
               return [box.left + box.width / 2, box.top + box.height / 2, box.width, element.disabled === true]; }}; \
             const frame = () => new Promise(done => {{ requestAnimationFrame(done); setTimeout(done, 100); }}); \
             let before, now = place(); \
             for (let n = 0; n < 100 && String(now) !== String(before); n++) {{ before = now; await frame(); now = place(); }} \
             return now; }})()",
            json!(selector)
        );
        let place = self.evaluate(&script)?;
        let number = |index: usize| place[index].as_f64().with_context(|| format!("there is no {selector}"));
        let point = ScreenPoint { x: number(0)?, y: number(1)? };
        ensure!(number(2)? > 0.0, "{selector} is not visible");
        ensure!(place[3] != true, "{selector} is disabled");
        Ok(point)
    }

    fn mouse(&self, kind: &str, point: ScreenPoint, button: &str) -> Result<()> {
        let buttons = match (kind, button) {
            ("mouseReleased", _) => 0,
            (_, "left") => 1,
            (_, "right") => 2,
            _ => 0,
        };
        let count = i32::from(kind != "mouseMoved");
        let event = json!({"type": kind, "x": point.x, "y": point.y, "button": button, "buttons": buttons, "clickCount": count});
        self.call("Input.dispatchMouseEvent", &event)?;
        Ok(())
    }

    pub(crate) fn hover(&self, selector: &str) -> Result<()> {
        self.mouse("mouseMoved", self.find(selector)?, "none")
    }

    pub(crate) fn click(&self, selector: &str) -> Result<()> {
        let point = self.find(selector)?;
        self.mouse("mouseMoved", point, "none")?;
        self.mouse("mousePressed", point, "left")?;
        self.mouse("mouseReleased", point, "left")
    }

    pub(crate) fn drag(&self, from: &str, to: &str, button: &str) -> Result<()> {
        let (start, end) = (self.find(from)?, self.find(to)?);
        self.mouse("mouseMoved", start, "none")?;
        self.mouse("mousePressed", start, button)?;
        for step in 1..=4 {
            let share = f64::from(step) / 4.0;
            let point = ScreenPoint {
                x: start.x + share * (end.x - start.x),
                y: start.y + share * (end.y - start.y),
            };
            self.mouse("mouseMoved", point, button)?;
        }
        self.mouse("mouseReleased", end, button)
    }

    pub(crate) fn wheel(&self, selector: &str, down: i32) -> Result<()> {
        let ScreenPoint { x, y } = self.find(selector)?;
        let event = json!({"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": down});
        self.call("Input.dispatchMouseEvent", &event)?;
        Ok(())
    }

    /// Taps an element.
    pub(crate) fn tap(&self, selector: &str) -> Result<()> {
        let ScreenPoint { x, y } = self.find(selector)?;
        self.call(
            "Input.dispatchTouchEvent",
            &json!({"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}),
        )?;
        self.call("Input.dispatchTouchEvent", &json!({"type": "touchEnd", "touchPoints": []}))?;
        Ok(())
    }

    /// Drags with a finger.
    pub(crate) fn touch_drag(&self, from: &str, to: &str) -> Result<()> {
        let (start, end) = (self.find(from)?, self.find(to)?);
        let touch = |kind: &str, share: f64| {
            let (x, y) = (start.x + share * (end.x - start.x), start.y + share * (end.y - start.y));
            self.call("Input.dispatchTouchEvent", &json!({"type": kind, "touchPoints": [{"x": x, "y": y}]}))
        };
        touch("touchStart", 0.0)?;
        for step in 1..=8 {
            touch("touchMove", f64::from(step) / 8.0)?;
        }
        self.call("Input.dispatchTouchEvent", &json!({"type": "touchEnd", "touchPoints": []}))?;
        Ok(())
    }

    /// Presses a key: `Enter`, `ArrowLeft`, `f`.
    pub(crate) fn press(&self, key: &str) -> Result<()> {
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            "Escape" => 27,
            " " => 32,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Delete" => 46,
            _ => key.chars().next().map_or(0, |letter| letter.to_ascii_uppercase() as u32),
        };
        let written = match key {
            "Enter" => "\r",
            _ if key.chars().count() == 1 => key,
            _ => "",
        };
        let down = json!({"type": "keyDown", "key": key, "windowsVirtualKeyCode": code, "text": written});
        self.call("Input.dispatchKeyEvent", &down)?;
        self.call(
            "Input.dispatchKeyEvent",
            &json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code}),
        )?;
        Ok(())
    }

    /// Chooses an option by keyboard, in the list that has an option with this text.
    pub(crate) fn choose(&self, option: &str) -> Result<()> {
        let script = format!(
            "(() => {{ for (const list of document.querySelectorAll('select')) {{ \
             const index = [...list.options].findIndex(one => one.text === {0}); \
             if (index >= 0 && list.checkVisibility()) {{ list.focus(); return index; }} }} return null; }})()",
            json!(option)
        );
        let index =
            self.evaluate(&script)?.as_u64().with_context(|| format!("no list has an option {option}"))?;
        self.press("Home")?;
        for _ in 0..index {
            self.press("ArrowDown")?;
        }
        self.evaluate("document.activeElement.blur()")?;
        Ok(())
    }

    /// Types into the focused element.
    pub(crate) fn write(&self, words: &str) -> Result<()> {
        self.call("Input.insertText", &json!({"text": words}))?;
        Ok(())
    }

    /// Clicks two squares.
    pub(crate) fn click_move(&self, from: &str, to: &str) -> Result<()> {
        self.click(&square(from))?;
        self.click(&square(to))
    }

    /// Plays moves such as `e2e4` by two clicks each, and waits for each.
    pub(crate) fn click_moves(&self, moves: &str) -> Result<()> {
        for mv in moves.split_whitespace() {
            self.click_move(&mv[..2], &mv[2..4])?;
            self.wait_for_square(&mv[2..4], "last move").with_context(|| format!("after {mv}"))?;
        }
        Ok(())
    }

    /// Moves the board's cursor to a square with the arrow keys; the board must not be flipped.
    pub(crate) fn walk_to(&self, target: &str) -> Result<()> {
        for _ in 0..16 {
            let at = self.evaluate("document.activeElement.dataset.square")?;
            let at = at.as_str().context("no square has the focus")?.as_bytes().to_owned();
            let to = target.as_bytes();
            let key = match (at[0].cmp(&to[0]), at[1].cmp(&to[1])) {
                (std::cmp::Ordering::Less, _) => "ArrowRight",
                (std::cmp::Ordering::Greater, _) => "ArrowLeft",
                (_, std::cmp::Ordering::Less) => "ArrowUp",
                (_, std::cmp::Ordering::Greater) => "ArrowDown",
                _ => return Ok(()),
            };
            self.press(key)?;
        }
        bail!("the cursor did not get to {target}")
    }
}

/// The selector of a square of the board.
pub(crate) fn square(name: &str) -> String {
    format!("#board [data-square=\"{name}\"]")
}

/// The error in an event, if it has one.
fn complaint(event: &Value) -> Option<String> {
    let parameters = &event["params"];
    match event["method"].as_str()? {
        "Runtime.exceptionThrown" => {
            let details = &parameters["exceptionDetails"];
            let text = details["exception"]["description"].as_str().or(details["text"].as_str());
            Some(format!("exception: {}", text.unwrap_or("unknown")))
        }
        "Runtime.consoleAPICalled" if parameters["type"] == "error" || parameters["type"] == "warning" => {
            Some(format!("console: {}", parameters["args"]))
        }
        "Log.entryAdded"
            if parameters["entry"]["level"] == "error" || parameters["entry"]["level"] == "warning" =>
        {
            let entry = &parameters["entry"];
            Some(format!(
                "log: {} {}",
                entry["text"].as_str().unwrap_or_default(),
                entry["url"].as_str().unwrap_or_default()
            ))
        }
        _ => None,
    }
}
