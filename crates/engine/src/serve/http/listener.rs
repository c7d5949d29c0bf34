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

use super::connection::ClientStream;
use super::{App, router};

/// The maximum number of connections, sockets included. More are closed at once.
const MAX_CONNECTIONS: usize = 800;
/// How long a request may take to arrive, and how long a connection may be idle.
const HEADER_TIMEOUT: Duration = Duration::from_secs(8);
/// The maximum size of the request headers, in bytes.
const MAX_HEADERS: usize = 16 << 10;

/// The listening sockets.
#[derive(Debug)]
pub(crate) struct PageServer {
    listeners: Vec<TcpListener>,
    pub(crate) port: u16,
}

/// The default ports. Browsers store settings by port, so it should stay the same.
const DEFAULT_PORTS: std::ops::Range<u16> = 6464..6474;

/// Listens on the loopback addresses of this machine only.
pub(crate) async fn bind(port: Option<u16>) -> Result<PageServer> {
    match port {
        Some(port) => {
            listen(port).await.with_context(|| format!("cannot listen on port {port} of 127.0.0.1"))
        }
        None => {
            for port in DEFAULT_PORTS {
                if let Ok(server) = listen(port).await {
                    return Ok(server);
                }
            }
            listen(0).await.context("no free port on 127.0.0.1")
        }
    }
}

async fn listen(port: u16) -> io::Result<PageServer> {
    let first = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    let port = first.local_addr()?.port();
    // Without IPv6, or if the port is taken there, IPv4 is enough.
    let second = TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await.ok();
    Ok(PageServer { listeners: [first].into_iter().chain(second).collect(), port })
}

impl PageServer {
    /// Serves until the program ends.
    pub(crate) async fn run(self, app: &Arc<App>) {
        let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let tasks: Vec<_> = self
            .listeners
            .into_iter()
            .map(|listener| tokio::spawn(accept(listener, Arc::clone(app), Arc::clone(&permits))))
            .collect();
        for task in tasks {
            // The tasks never end.
            let _ = task.await;
        }
    }
}

async fn accept(listener: TcpListener, app: Arc<App>, permits: Arc<Semaphore>) {
    let service = TowerToHyperService::new(router(&app));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files: wait until some are closed.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        // Without a permit the connection is dropped, which closes it.
        let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else { continue };
        let service = service.clone();
        tokio::spawn(async move {
            serve(stream, service).await;
            drop(permit);
        });
    }
}

async fn serve(stream: TcpStream, service: TowerToHyperService<axum::Router>) {
    // Responses are short: Nagle's algorithm would only delay them.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_HEADERS)
        .serve_connection(TokioIo::new(ClientStream::new(stream)), service)
        .with_upgrades();
    // Errors of one connection do not concern the others.
    let _ = connection.await;
}
