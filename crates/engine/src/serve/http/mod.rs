//! The HTTP server: access control, rate limits, files and sockets.

mod assets;
mod connection;
mod frames;
mod guard;
mod headers;
mod listener;
mod pace;
mod socket;
mod token;

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::sync::Semaphore;

use super::engines::Engines;
use super::library::{self, LibraryHost};
use crate::explorers::Explorers;
use guard::Hosts;
use token::PageToken;

pub(crate) use listener::bind;

/// The maximum number of open tabs.
const MAX_SOCKETS: usize = 64;

/// The state of the server.
#[derive(Debug)]
pub(crate) struct App {
    hosts: Hosts,
    token: PageToken,
    engines: Arc<Engines>,
    sockets: Arc<Semaphore>,
    library: Option<Arc<LibraryHost>>,
    /// The folder to serve the page from; `None` serves the files in the program.
    folder: Option<PathBuf>,
    explorers: Arc<Explorers>,
}

impl App {
    /// The state of a server on this port.
    pub(crate) fn new(
        port: u16,
        engines: Arc<Engines>,
        library: Option<Arc<LibraryHost>>,
        folder: Option<PathBuf>,
        explorers: Explorers,
    ) -> anyhow::Result<Arc<App>> {
        let sockets = Arc::new(Semaphore::new(MAX_SOCKETS));
        Ok(Arc::new(App {
            hosts: Hosts::new(port),
            token: PageToken::random()?,
            engines,
            sockets,
            library,
            folder,
            explorers: Arc::new(explorers),
        }))
    }
}

/// The routes. The guard checks every request first.
fn router(app: &Arc<App>) -> Router {
    Router::new()
        .route("/session", get(token::hand_out))
        .route("/ws", get(socket::connect))
        .route(guard::IMPORT, post(import))
        .route(guard::EXPORT, post(export))
        .fallback(get(assets::serve))
        .with_state(Arc::clone(app))
        .layer(middleware::from_fn_with_state(Arc::clone(app), guard::check))
        .layer(middleware::map_response(headers::protect))
        .layer(middleware::from_fn(close_after_a_body))
}

/// Closes the connection after a POST: what follows its head is not examined.
async fn close_after_a_body(request: Request, next: Next) -> Response {
    let may_have_body = request.method() == Method::POST;
    let mut response = next.run(request).await;
    if may_have_body {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Takes an upload into the library.
async fn import(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match library_for(&app, &parts.headers) {
        Ok(host) => library::import(host, &parts.uri, &parts.headers, body).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Sends games of the library.
async fn export(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Response {
    match library_for(&app, &headers) {
        Ok(host) => library::export(host, body).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Why the library is not available: a status and a sentence. A body may follow, which is not read.
type LibraryRefusal = (StatusCode, [(HeaderName, &'static str); 1], &'static str);

/// The library, for a page with the right token.
fn library_for(app: &App, headers: &HeaderMap) -> Result<Arc<LibraryHost>, LibraryRefusal> {
    let refuse = |status, text| (status, [(header::CONNECTION, "close")], text);
    let token = guard::single(headers, HeaderName::from_static("x-ferz-token"));
    if !token.is_some_and(|token| app.token.is(token)) {
        return Err(refuse(StatusCode::UNAUTHORIZED, "Missing or wrong token. Reload the page."));
    }
    app.library.clone().ok_or_else(|| {
        refuse(StatusCode::NOT_FOUND, "This server has no library. Start it with --library FILE.")
    })
}
