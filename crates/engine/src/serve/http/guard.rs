//! Access control.
//!
//! Any web page can make a browser send requests to this server, and with DNS rebinding it could even read the answers.
//! So every request must name this host, and requests that write or open a socket must come from our own page.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::App;

/// Where uploads into the library go.
pub(super) const IMPORT: &str = "/library/import";
/// Where downloads from the library come from.
pub(super) const EXPORT: &str = "/library/export";

/// The names of this server, with its port.
#[derive(Debug)]
pub(super) struct Hosts {
    hosts: Vec<String>,
}

impl Hosts {
    pub(super) fn new(port: u16) -> Hosts {
        let names = ["127.0.0.1", "localhost", "[::1]"];
        let mut hosts: Vec<_> = names.iter().map(|name| format!("{name}:{port}")).collect();
        if port == 80 {
            // Browsers leave the default port out.
            hosts.extend(names.map(str::to_owned));
        }
        Hosts { hosts }
    }

    /// Whether a `Host` header is one of the names, in any letter case. The fully qualified `localhost.` is not.
    fn contains(&self, host: &str) -> bool {
        self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
    }

    /// Whether an `Origin` header is one of the names. Browsers write it in lower case.
    fn is_own_origin(&self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|host| self.hosts.iter().any(|known| known == host))
    }
}

/// Why a request is rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Denial {
    Host,
    Origin,
    Method,
    Encoding,
    Body,
}

impl IntoResponse for Denial {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Denial::Host => (StatusCode::FORBIDDEN, "Wrong host name. Use the address that ferz printed."),
            Denial::Origin => (StatusCode::FORBIDDEN, "Requests from other pages are not allowed."),
            Denial::Method => (StatusCode::METHOD_NOT_ALLOWED, "Only GET and HEAD are allowed."),
            Denial::Encoding => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "Content encodings are not supported."),
            Denial::Body => (StatusCode::PAYLOAD_TOO_LARGE, "Request bodies are not allowed."),
        };
        // A body may follow, which is not read.
        (status, [(header::CONNECTION, "close")], text).into_response()
    }
}

/// Passes a request on, or rejects it.
pub(super) async fn check(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    match examine(&app.hosts, &request) {
        Ok(()) => next.run(request).await,
        Err(denial) => denial.into_response(),
    }
}

fn examine(hosts: &Hosts, request: &Request) -> Result<(), Denial> {
    let headers = request.headers();
    let host = single(headers, header::HOST).ok_or(Denial::Host)?;
    // An absolute URI, as sent to a proxy, must name this server, too.
    let authority = request.uri().authority();
    if !hosts.contains(host) || authority.is_some_and(|it| !hosts.contains(it.as_str())) {
        return Err(Denial::Host);
    }
    let is_reading =
        matches!(*request.method(), Method::GET | Method::HEAD) && request.version() == Version::HTTP_11;
    let is_socket = headers.contains_key(header::UPGRADE);
    if is_socket || !is_reading {
        let origin = single(headers, header::ORIGIN).ok_or(Denial::Origin)?;
        if !hosts.is_own_origin(origin) {
            return Err(Denial::Origin);
        }
    }
    let from = single(headers, HeaderName::from_static("sec-fetch-site"));
    let is_navigation = single(headers, HeaderName::from_static("sec-fetch-mode")) == Some("navigate");
    if from.is_some_and(|from| !["same-origin", "none"].contains(&from)) && !is_navigation {
        return Err(Denial::Origin);
    }
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(Denial::Encoding);
    }
    let is_transfer = request.method() == Method::POST
        && request.version() == Version::HTTP_11
        && matches!(request.uri().path(), IMPORT | EXPORT);
    if is_transfer {
        return Ok(());
    }
    if !is_reading {
        return Err(Denial::Method);
    }
    let length = single(headers, header::CONTENT_LENGTH);
    if headers.contains_key(header::TRANSFER_ENCODING) || length.is_some_and(|length| length != "0") {
        return Err(Denial::Body);
    }
    Ok(())
}

/// The value of a header that must not occur twice.
pub(super) fn single(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    /// The verdict on a request with these headers.
    fn verdict(method: &str, uri: &str, headers: &[(&str, &str)]) -> Result<(), Denial> {
        let mut request = Request::builder().method(method).uri(uri);
        for &(name, value) in headers {
            request = request.header(name, value);
        }
        examine(&Hosts::new(6464), &request.body(Body::empty()).expect("a request"))
    }

    const OURS: (&str, &str) = ("host", "127.0.0.1:6464");

    #[test]
    fn only_our_own_names_are_answered() {
        for host in ["127.0.0.1:6464", "localhost:6464", "[::1]:6464", "LOCALHOST:6464", "LocalHost:6464"] {
            assert_eq!(verdict("GET", "/", &[("host", host)]), Ok(()), "{host}");
        }
        for host in [
            "evil.example:6464",
            "127.0.0.1",
            "127.0.0.1:6465",
            "127.0.0.1:64640",
            "127.0.0.1.evil.example:6464",
            "127.0.0.1@evil",
            "evil@127.0.0.1:6464",
            "localhost.:6464",
            "0.0.0.0:6464",
            "192.168.1.5:6464",
            "",
        ] {
            assert_eq!(verdict("GET", "/", &[("host", host)]), Err(Denial::Host), "{host}");
        }
        assert_eq!(verdict("GET", "/", &[]), Err(Denial::Host));
        assert_eq!(verdict("GET", "/", &[OURS, OURS]), Err(Denial::Host));
        assert_eq!(verdict("GET", "http://evil.example/", &[OURS]), Err(Denial::Host));
    }

    #[test]
    fn port_80_is_left_out_by_browsers() {
        let hosts = Hosts::new(80);
        for host in ["127.0.0.1", "localhost", "[::1]", "127.0.0.1:80"] {
            assert!(hosts.contains(host) && hosts.is_own_origin(&format!("http://{host}")), "{host}");
        }
        assert!(!hosts.contains("evil.example") && !hosts.contains("127.0.0.1:81"));
        assert!(!hosts.is_own_origin("http://LOCALHOST"));
    }

    #[test]
    fn writes_and_sockets_come_from_our_page_alone() {
        for origin in ["https://evil.example", "null", "http://192.168.1.5:6464", "http://127.0.0.1:6465", ""]
        {
            assert_eq!(verdict("POST", "/x", &[OURS, ("origin", origin)]), Err(Denial::Origin), "{origin}");
            let socket = [OURS, ("origin", origin), ("upgrade", "websocket")];
            assert_eq!(verdict("GET", "/ws", &socket), Err(Denial::Origin), "{origin}");
            assert_eq!(
                verdict("OPTIONS", "/ws", &[OURS, ("origin", origin)]),
                Err(Denial::Origin),
                "{origin}"
            );
        }
        assert_eq!(verdict("GET", "/ws", &[OURS, ("upgrade", "websocket")]), Err(Denial::Origin));
        let own = ("origin", "http://127.0.0.1:6464");
        assert_eq!(verdict("GET", "/ws", &[OURS, own, ("upgrade", "websocket")]), Ok(()));
        assert_eq!(verdict("POST", "/x", &[OURS, own]), Err(Denial::Method));
        assert_eq!(verdict("DELETE", "/x", &[OURS, own]), Err(Denial::Method));
    }

    #[test]
    fn only_transfers_of_the_library_have_bodies() {
        let own = ("origin", "http://127.0.0.1:6464");
        let body = ("content-length", "5");
        for path in [IMPORT, EXPORT, "/library/import?name=x&tab=1"] {
            assert_eq!(verdict("POST", path, &[OURS, own, body]), Ok(()), "{path}");
            assert_eq!(verdict("POST", path, &[OURS, body]), Err(Denial::Origin), "{path}");
            assert_eq!(verdict("PUT", path, &[OURS, own, body]), Err(Denial::Method), "{path}");
            let foreign = ("origin", "https://evil.example");
            assert_eq!(verdict("POST", path, &[OURS, foreign, body]), Err(Denial::Origin), "{path}");
            let cross = ("sec-fetch-site", "cross-site");
            assert_eq!(verdict("POST", path, &[OURS, own, cross, body]), Err(Denial::Origin), "{path}");
            assert_eq!(verdict("GET", path, &[OURS, body]), Err(Denial::Body), "{path}");
        }
        for path in ["/library", "/library/import/", "/library/importx", "/", "//library/import"] {
            assert_eq!(verdict("POST", path, &[OURS, own, body]), Err(Denial::Method), "{path}");
        }
    }

    #[test]
    fn other_sites_embed_nothing() {
        let foreign = ("sec-fetch-site", "cross-site");
        assert_eq!(verdict("GET", "/session", &[OURS, foreign]), Err(Denial::Origin));
        assert_eq!(verdict("GET", "/", &[OURS, foreign, ("sec-fetch-mode", "navigate")]), Ok(()), "a link");
        assert_eq!(verdict("GET", "/", &[OURS, ("sec-fetch-site", "none")]), Ok(()));
    }

    #[test]
    fn bodies_are_not_read() {
        let own = ("origin", "http://127.0.0.1:6464");
        assert_eq!(verdict("GET", "/", &[OURS, ("content-length", "5")]), Err(Denial::Body));
        assert_eq!(verdict("GET", "/", &[OURS, ("transfer-encoding", "chunked")]), Err(Denial::Body));
        assert_eq!(verdict("POST", "/", &[OURS, own, ("content-encoding", "zstd")]), Err(Denial::Encoding));
    }
}
