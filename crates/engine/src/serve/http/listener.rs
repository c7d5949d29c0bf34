//! Accepting connections.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::sleep;

use super::connection::Connection;
use super::{App, router};

/// Connections at a time, sockets among them; more are closed at once.
const MAX_CONNECTIONS: usize = 800;
/// How long a request may take to arrive, and how long a connection may be idle.
const HEADER_TIMEOUT: Duration = Duration::from_secs(8);
/// Bytes of a request's head.
const MAX_HEAD: usize = 16 << 10;

/// A place for connections to come in.
#[derive(Debug)]
pub(crate) struct Server {
    listeners: Vec<TcpListener>,
    pub(crate) port: u16,
}

/// Ports that are tried when nobody asks for one: settings in the browser are kept by port, so it should stay the same.
const USUAL_PORTS: std::ops::Range<u16> = 6464..6474;

/// Listens on this machine's loopback addresses, and on no other.
pub(crate) async fn bind(port: Option<u16>) -> Result<Server> {
    match port {
        Some(port) => listen(port).await.with_context(|| format!("port {port} of 127.0.0.1")),
        None => {
            for port in USUAL_PORTS {
                if let Ok(server) = listen(port).await {
                    return Ok(server);
                }
            }
            listen(0).await.context("no port of 127.0.0.1 is free")
        }
    }
}

async fn listen(port: u16) -> io::Result<Server> {
    let first = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    let port = first.local_addr()?.port();
    // Where there is no IPv6, or the port is taken there, one address will do.
    let second = TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await.ok();
    Ok(Server { listeners: [first].into_iter().chain(second).collect(), port })
}

impl Server {
    /// Serves until the program ends.
    pub(crate) async fn run(self, app: &Arc<App>) {
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let tasks: Vec<_> = self
            .listeners
            .into_iter()
            .map(|listener| tokio::spawn(accept(listener, Arc::clone(app), Arc::clone(&places))))
            .collect();
        for task in tasks {
            // They never end.
            let _ = task.await;
        }
    }
}

async fn accept(listener: TcpListener, app: Arc<App>, places: Arc<Semaphore>) {
    let service = TowerToHyperService::new(router(&app));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // No more files may be open: some will be closed.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        // Dropped, and so closed, when there is no place.
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
        let service = service.clone();
        tokio::spawn(async move {
            serve(stream, service).await;
            drop(place);
        });
    }
}

async fn serve(stream: TcpStream, service: TowerToHyperService<axum::Router>) {
    // Answers are short: waiting for more to send would only delay them.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(Connection::new(stream)), service)
        .with_upgrades();
    // What goes wrong with a connection concerns nobody else.
    let _ = connection.await;
}
