//! The WebSocket of a tab: passes messages between the page and its session.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message as Frame, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::{Notify, OwnedSemaphorePermit};
use tokio::task::block_in_place;
use tokio::time::{sleep_until, timeout};

use super::App;
use super::pace::Pace;
use crate::explorers::Explorers;
use crate::serve::engines::{Busy, TabEngine};
use crate::serve::library::LibraryTab;
use ferz_search::monotonic_now;
use ferz_session::analysis::NEWS_INTERVAL;
use ferz_session::protocol::{Analysis, AnalysisStatus, Envelope, Intent, Message, OtherAnalysis, Outgoing};
use ferz_session::{MAX_MESSAGE, Outbox, SearchEvent, Session};

/// The WebSocket subprotocol. The page offers its token beside it.
const PROTOCOL: &str = "ferz";
/// How long a page may take to send `hello`.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);
/// The interval at which to poll whether an analysis runs or waits for its turn.
const TURN_INTERVAL: Duration = Duration::from_millis(500);
/// The interval of pings, and the longest silence of a page.
const PING_INTERVAL: Duration = Duration::from_secs(15);
const SILENCE: Duration = Duration::from_secs(45);

/// Close codes of RFC 6455: message too big,
const TOO_BIG: u16 = 1009;
/// policy violation,
const POLICY: u16 = 1008;
/// and unsupported data.
const UNSUPPORTED: u16 = 1003;

/// Opens a socket for a page with the right token.
pub(super) async fn connect(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    if !offered(&headers).any(|word| app.token.is(word)) {
        return (StatusCode::UNAUTHORIZED, "Missing or wrong token. Reload the page.").into_response();
    }
    let Ok(place) = Arc::clone(&app.sockets).try_acquire_owned() else {
        let retry = [(header::RETRY_AFTER, "10")];
        return (StatusCode::SERVICE_UNAVAILABLE, retry, "Too many tabs are open. Close one and reload.")
            .into_response();
    };
    upgrade
        .protocols([PROTOCOL])
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .write_buffer_size(0)
        .on_upgrade(move |socket| Tab::new(&app, socket, place).run())
}

/// The offered subprotocols.
fn offered(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).map(str::trim)
}

/// Why a socket is closed.
enum SocketEnd {
    /// The page is gone, or does not read.
    Gone,
    /// The page has sent a closing frame.
    ClosedByPage,
    /// The page gets a close code and a reason.
    Closed(u16, &'static str),
}

/// A tab with its session and its engine. Dropping it stops its searches.
struct Tab {
    socket: WebSocket,
    session: Session,
    engine: TabEngine,
    events: UnboundedReceiver<SearchEvent>,
    news: Arc<Notify>,
    /// The last update of the analysis, and when it was sent.
    last_news: Option<Analysis>,
    /// The last update of the other engine.
    last_other_news: Option<OtherAnalysis>,
    news_at: Instant,
    news_due: bool,
    pace: Pace,
    opened: Instant,
    heard: Instant,
    ping_at: Instant,
    explorers: Arc<Explorers>,
    library: Option<LibraryTab>,
    _place: OwnedSemaphorePermit,
}

impl Tab {
    fn new(app: &App, socket: WebSocket, place: OwnedSemaphorePermit) -> Tab {
        let (sender, events) = unbounded_channel();
        let news = Arc::new(Notify::new());
        let now = Instant::now();
        Tab {
            socket,
            session: Session::new(app.engines.network(), RandomState::new().hash_one(0))
                .with_engine_host(app.engines.host()),
            engine: app.engines.tab_engine(sender, Arc::clone(&news)),
            events,
            news,
            last_news: None,
            last_other_news: None,
            news_at: now,
            news_due: false,
            pace: Pace::new(now),
            opened: now,
            heard: now,
            ping_at: now + PING_INTERVAL,
            explorers: Arc::clone(&app.explorers),
            library: app.library.as_ref().map(LibraryTab::new),
            _place: place,
        }
    }

    async fn run(mut self) {
        let end = loop {
            if let Err(end) = self.step().await {
                break end;
            }
        };
        // A page that does not read gets no reason.
        let patience = Duration::from_secs(1);
        match end {
            SocketEnd::Closed(code, reason) => {
                let frame = CloseFrame { code, reason: reason.into() };
                let _ = timeout(patience, self.socket.send(Frame::Close(Some(frame)))).await;
            }
            // The answer to the closing frame is sent before the next one would be read.
            SocketEnd::ClosedByPage => drop(timeout(patience, self.socket.recv()).await),
            SocketEnd::Gone => {}
        }
    }

    /// Waits for the next event and handles it.
    async fn step(&mut self) -> Result<(), SocketEnd> {
        let wake = self.next_wake();
        tokio::select! {
            frame = self.socket.recv() => self.on_frame(frame).await,
            Some(event) = self.events.recv() => {
                let out = self.session.on_event(event, monotonic_now());
                self.deliver(out).await
            }
            Some(message) = library_news(&mut self.library) => {
                self.send_message(&Outgoing { message, re: None }).await
            }
            () = self.news.notified() => {
                self.news_due = true;
                Ok(())
            }
            () = sleep_until(wake.into()) => self.on_time().await,
        }
    }

    /// When to wake up even without an event.
    fn next_wake(&self) -> Instant {
        let greeting = (!self.session.is_greeted()).then_some(self.opened + GREETING_TIMEOUT);
        let is_open =
            |news: &Analysis| matches!(news.status, AnalysisStatus::Waiting | AnalysisStatus::Searching);
        let news = if self.news_due {
            Some(self.news_at + NEWS_INTERVAL)
        } else {
            self.last_news.as_ref().filter(|news| is_open(news)).map(|_| self.news_at + TURN_INTERVAL)
        };
        let now = Instant::now();
        let session = self.session.next_wake().map(|wake| now + wake.saturating_sub(monotonic_now()));
        let library = self.library.as_ref().and_then(LibraryTab::due);
        let times = [greeting, news, session, library];
        times.into_iter().flatten().fold(self.ping_at, Instant::min)
    }

    async fn on_time(&mut self) -> Result<(), SocketEnd> {
        let now = Instant::now();
        if !self.session.is_greeted() && now >= self.opened + GREETING_TIMEOUT {
            return Err(SocketEnd::Closed(POLICY, "no hello received"));
        }
        if now >= self.heard + SILENCE {
            return Err(SocketEnd::Gone);
        }
        if now >= self.ping_at {
            self.ping_at = now + PING_INTERVAL;
            self.send(Frame::Ping(Bytes::new())).await?;
        }
        if let Some(library) = self.library.as_mut().filter(|it| it.due().is_some_and(|due| due <= now)) {
            for message in block_in_place(|| library.try_to_write()) {
                self.send_message(&message).await?;
            }
        }
        let session_now = monotonic_now();
        if self.session.next_wake().is_some_and(|wake| wake <= session_now) {
            let out = self.session.wake(session_now);
            self.deliver(out).await?;
        }
        let interval = if self.news_due { NEWS_INTERVAL } else { TURN_INTERVAL };
        if now >= self.news_at + interval {
            self.send_analysis(now).await?;
        }
        Ok(())
    }

    async fn on_frame(&mut self, frame: Option<Result<Frame, axum::Error>>) -> Result<(), SocketEnd> {
        let now = Instant::now();
        self.heard = now;
        let mut work = Duration::ZERO;
        match frame {
            None => return Err(SocketEnd::Gone),
            Some(Err(error)) => return Err(receive_error(&error)),
            Some(Ok(Frame::Text(text))) => {
                let envelope = Envelope::parse(&text);
                let is_heavy = envelope.intent.as_ref().is_ok_and(|intent| self.session.is_heavy(intent));
                let handle = || handle(&mut self.session, self.library.as_mut(), envelope);
                // Lets the other tabs continue on a different thread.
                let out = if is_heavy { block_in_place(handle) } else { handle() };
                work = now.elapsed();
                self.deliver(out).await?;
            }
            Some(Ok(Frame::Binary(_))) => {
                return Err(SocketEnd::Closed(UNSUPPORTED, "only text messages are supported"));
            }
            Some(Ok(Frame::Close(_))) => return Err(SocketEnd::ClosedByPage),
            Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => {}
        }
        // Messages that come too fast wait in the network buffers.
        let delay = self.pace.take(now, work);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        Ok(())
    }

    /// Sends the messages of the session and carries out its orders.
    async fn deliver(&mut self, mut out: Outbox) -> Result<(), SocketEnd> {
        if let Some(library) = &mut self.library {
            library.observe(&self.session, &mut out.messages);
        }
        out.orders.into_iter().for_each(|order| self.engine.order(order));
        for mut message in out.messages {
            if let Message::Welcome(welcome) = &mut message.message {
                welcome.explorers.extend(self.explorers.entries());
            }
            self.send_message(&message).await?;
        }
        for task in out.explorations {
            let message = block_in_place(|| self.explorers.answer(&task));
            self.send_message(&Outgoing { message, re: task.re }).await?;
        }
        Ok(())
    }

    /// Sends an update of the analysis if it has changed.
    async fn send_analysis(&mut self, now: Instant) -> Result<(), SocketEnd> {
        self.news_at = now;
        let news = match self.engine.analysis(self.session.numbering()) {
            Ok(news) => {
                self.news_due = false;
                news
            }
            // Try again later.
            Err(Busy) => return Ok(()),
        };
        match self.engine.other_analysis(self.session.numbering()) {
            Ok(Some(analysis)) if self.last_other_news.as_ref() != Some(&analysis) => {
                self.last_other_news = Some(analysis.clone());
                let message = Message::OtherAnalysis(Box::new(analysis));
                self.send_message(&Outgoing { message, re: None }).await?;
            }
            Ok(_) => {}
            Err(Busy) => self.news_due = true,
        }
        if let Some(analysis) = news.filter(|news| self.last_news.as_ref() != Some(news)) {
            self.last_news = Some(analysis.clone());
            self.send_message(&Outgoing { message: Message::Analysis(Box::new(analysis)), re: None }).await?;
        }
        Ok(())
    }

    async fn send_message(&mut self, message: &Outgoing) -> Result<(), SocketEnd> {
        self.send(Frame::Text(message.to_text().into())).await
    }

    async fn send(&mut self, frame: Frame) -> Result<(), SocketEnd> {
        self.socket.send(frame).await.map_err(|_| SocketEnd::Gone)
    }
}

/// Carries out an intent.
fn handle(session: &mut Session, library: Option<&mut LibraryTab>, envelope: Envelope) -> Outbox {
    let now = monotonic_now();
    let Some(library) = library else { return session.handle(envelope, now) };
    match envelope.intent {
        Ok(intent) if session.is_greeted() && intent.is_for_library() => {
            library.carry_out(intent, envelope.id, session, now)
        }
        Ok(Intent::Hello(hello)) => {
            let mut messages = library.greet(hello.library);
            let mut out = session.handle(Envelope { id: envelope.id, intent: Ok(Intent::Hello(hello)) }, now);
            messages.append(&mut out.messages);
            Outbox { messages, ..out }
        }
        intent => session.handle(Envelope { id: envelope.id, intent }, now),
    }
}

/// The next message of the library; never without one.
async fn library_news(library: &mut Option<LibraryTab>) -> Option<Message> {
    match library {
        Some(library) => library.news().await,
        None => std::future::pending().await,
    }
}

/// The close code and reason for a message that could not be received.
fn receive_error(error: &axum::Error) -> SocketEnd {
    use std::error::Error;
    let cause = error.source().and_then(|source| source.downcast_ref::<tungstenite::Error>());
    match cause {
        Some(tungstenite::Error::Capacity(_)) => SocketEnd::Closed(TOO_BIG, "message too long"),
        Some(tungstenite::Error::Utf8(_)) => SocketEnd::Closed(1007, "message is not UTF-8"),
        Some(tungstenite::Error::Protocol(_)) => SocketEnd::Closed(1002, "WebSocket protocol error"),
        _ => SocketEnd::Gone,
    }
}
