//! One WebSocket: what comes in goes to the session, what the session says goes out.

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
use crate::serve::engines::{Busy, TabEngine};
use ferz_search::monotonic_now;
use ferz_session::protocol::{Analysis, AnalysisStatus, Envelope, Intent, Message, Outgoing};
use ferz_session::{Event, MAX_MESSAGE, Outbox, Session};

/// The name of what is spoken; the token is offered beside it.
const PROTOCOL: &str = "ferz";
/// How long a page may take to say hello.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);
/// An analysis has news no more often than this.
const NEWS_INTERVAL: Duration = Duration::from_millis(100);
/// How often to look whether an analysis has had its turn, or has to wait again: nobody tells.
const TURN_INTERVAL: Duration = Duration::from_millis(500);
/// How often a page is asked whether it is still there, and how long it may be silent.
const PING_INTERVAL: Duration = Duration::from_secs(15);
const SILENCE: Duration = Duration::from_secs(45);

/// Too long a message; see RFC 6455.
const TOO_BIG: u16 = 1009;
/// Against the rules of this server.
const POLICY: u16 = 1008;
/// Only text is understood.
const UNSUPPORTED: u16 = 1003;

/// Opens a socket for a page that knows the token.
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
        return (StatusCode::UNAUTHORIZED, "The token of this session is missing or wrong.").into_response();
    }
    let Ok(place) = Arc::clone(&app.sockets).try_acquire_owned() else {
        let retry = [(header::RETRY_AFTER, "10")];
        return (StatusCode::SERVICE_UNAVAILABLE, retry, "Too many tabs are open.").into_response();
    };
    upgrade
        .protocols([PROTOCOL])
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .write_buffer_size(0)
        .on_upgrade(move |socket| Tab::new(&app, socket, place).run())
}

/// The words of the protocol header.
fn offered(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).map(str::trim)
}

/// Why a socket is closed.
enum End {
    /// The page is gone, or does not listen.
    Gone,
    /// It is told why.
    Told(u16, &'static str),
}

/// A page and everything that is done for it. When it is dropped, its searches end.
struct Tab {
    socket: WebSocket,
    session: Session,
    engine: TabEngine,
    events: UnboundedReceiver<Event>,
    news: Arc<Notify>,
    /// What was last said about the analysis, and when.
    last_news: Option<Analysis>,
    news_at: Instant,
    news_due: bool,
    pace: Pace,
    opened: Instant,
    heard: Instant,
    ping_at: Instant,
    _place: OwnedSemaphorePermit,
}

impl Tab {
    fn new(app: &App, socket: WebSocket, place: OwnedSemaphorePermit) -> Tab {
        let (sender, events) = unbounded_channel();
        let news = Arc::new(Notify::new());
        let now = Instant::now();
        Tab {
            socket,
            session: Session::new(app.engines.network(), RandomState::new().hash_one(0)),
            engine: app.engines.tab_engine(sender, Arc::clone(&news)),
            events,
            news,
            last_news: None,
            news_at: now,
            news_due: false,
            pace: Pace::new(now),
            opened: now,
            heard: now,
            ping_at: now + PING_INTERVAL,
            _place: place,
        }
    }

    async fn run(mut self) {
        let end = loop {
            if let Err(end) = self.step().await {
                break end;
            }
        };
        if let End::Told(code, reason) = end {
            let frame = CloseFrame { code, reason: reason.into() };
            let closing = self.socket.send(Frame::Close(Some(frame)));
            // Whoever does not listen is not told.
            let _ = timeout(Duration::from_secs(1), closing).await;
        }
    }

    /// Waits for the next thing to happen and deals with it.
    async fn step(&mut self) -> Result<(), End> {
        let wake = self.next_wake();
        tokio::select! {
            frame = self.socket.recv() => self.on_frame(frame).await,
            Some(event) = self.events.recv() => {
                let out = self.session.on_event(event, monotonic_now());
                self.deliver(out).await
            }
            () = self.news.notified() => {
                self.news_due = true;
                Ok(())
            }
            () = sleep_until(wake.into()) => self.on_time().await,
        }
    }

    /// When something is to be done even if nothing happens.
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
        let times = [greeting, news, session];
        times.into_iter().flatten().fold(self.ping_at, Instant::min)
    }

    async fn on_time(&mut self) -> Result<(), End> {
        let now = Instant::now();
        if !self.session.is_greeted() && now >= self.opened + GREETING_TIMEOUT {
            return Err(End::Told(POLICY, "no hello came"));
        }
        if now >= self.heard + SILENCE {
            return Err(End::Gone);
        }
        if now >= self.ping_at {
            self.ping_at = now + PING_INTERVAL;
            self.send(Frame::Ping(Bytes::new())).await?;
        }
        let session_now = monotonic_now();
        if self.session.next_wake().is_some_and(|wake| wake <= session_now) {
            let out = self.session.wake(session_now);
            self.deliver(out).await?;
        }
        let interval = if self.news_due { NEWS_INTERVAL } else { TURN_INTERVAL };
        if now >= self.news_at + interval {
            self.tell_news(now).await?;
        }
        Ok(())
    }

    async fn on_frame(&mut self, frame: Option<Result<Frame, axum::Error>>) -> Result<(), End> {
        let now = Instant::now();
        self.heard = now;
        match frame {
            None => return Err(End::Gone),
            Some(Err(error)) => return Err(why(&error)),
            Some(Ok(Frame::Text(text))) => {
                let envelope = Envelope::parse(&text);
                let is_heavy = envelope.intent.as_ref().is_ok_and(Intent::is_heavy);
                let handle = || self.session.handle(envelope, monotonic_now());
                // Other tabs go on meanwhile on another thread.
                let out = if is_heavy { block_in_place(handle) } else { handle() };
                self.deliver(out).await?;
            }
            Some(Ok(Frame::Binary(_))) => return Err(End::Told(UNSUPPORTED, "messages are text")),
            Some(Ok(Frame::Close(_))) => return Err(End::Gone),
            Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => {}
        }
        // What comes too fast waits in the network, and costs the sender's memory.
        let delay = self.pace.take(now);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        Ok(())
    }

    /// Sends the messages of the session and carries out its orders.
    async fn deliver(&mut self, out: Outbox) -> Result<(), End> {
        out.orders.into_iter().for_each(|order| self.engine.order(order));
        for message in out.messages {
            self.say(&message).await?;
        }
        Ok(())
    }

    /// Says how the analysis goes, if that has changed.
    async fn tell_news(&mut self, now: Instant) -> Result<(), End> {
        self.news_at = now;
        let news = match self.engine.analysis(self.session.numbering()) {
            Ok(news) => {
                self.news_due = false;
                news
            }
            // Then the next time.
            Err(Busy) => return Ok(()),
        };
        if let Some(analysis) = news.filter(|news| self.last_news.as_ref() != Some(news)) {
            self.last_news = Some(analysis.clone());
            self.say(&Outgoing { message: Message::Analysis(Box::new(analysis)), re: None }).await?;
        }
        Ok(())
    }

    async fn say(&mut self, message: &Outgoing) -> Result<(), End> {
        self.send(Frame::Text(message.to_text().into())).await
    }

    async fn send(&mut self, frame: Frame) -> Result<(), End> {
        self.socket.send(frame).await.map_err(|_| End::Gone)
    }
}

/// What to tell somebody whose message could not be received.
fn why(error: &axum::Error) -> End {
    use std::error::Error;
    let cause = error.source().and_then(|source| source.downcast_ref::<tungstenite::Error>());
    match cause {
        Some(tungstenite::Error::Capacity(_)) => End::Told(TOO_BIG, "the message is too long"),
        Some(tungstenite::Error::Utf8(_)) => End::Told(1007, "the message is not UTF-8"),
        Some(tungstenite::Error::Protocol(_)) => End::Told(1002, "WebSocket protocol error"),
        _ => End::Gone,
    }
}
