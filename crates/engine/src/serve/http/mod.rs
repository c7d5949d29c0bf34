//! The HTTP server: access control, rate limits, files and sockets.

mod assets;
mod connection;
mod guard;
mod headers;
mod listener;
mod pace;
mod socket;
mod token;

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::middleware;
use axum::routing::get;
use tokio::sync::Semaphore;

use super::engines::Engines;
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
    /// The folder to serve the page from; `None` serves the files in the program.
    folder: Option<PathBuf>,
}

impl App {
    /// The state of a server on this port.
    pub(crate) fn new(port: u16, engines: Arc<Engines>, folder: Option<PathBuf>) -> anyhow::Result<Arc<App>> {
        let sockets = Arc::new(Semaphore::new(MAX_SOCKETS));
        Ok(Arc::new(App { hosts: Hosts::new(port), token: PageToken::random()?, engines, sockets, folder }))
    }
}

/// The routes. The guard checks every request first.
fn router(app: &Arc<App>) -> Router {
    Router::new()
        .route("/session", get(token::hand_out))
        .route("/ws", get(socket::connect))
        .fallback(get(assets::serve))
        .with_state(Arc::clone(app))
        .layer(middleware::from_fn_with_state(Arc::clone(app), guard::check))
        .layer(middleware::map_response(headers::protect))
}
