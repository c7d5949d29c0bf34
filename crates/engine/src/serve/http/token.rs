//! The secret that the page must present to open a socket.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde_json::json;

use super::App;

/// 256 random bits, new at every start of the server.
pub(super) struct PageToken(String);

impl std::fmt::Debug for PageToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PageToken(…)")
    }
}

impl PageToken {
    pub(super) fn random() -> Result<PageToken> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| anyhow!("the system has no random numbers: {error}"))?;
        Ok(PageToken(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Compares in constant time.
    pub(super) fn is(&self, guess: &str) -> bool {
        let (own, guess) = (self.0.as_bytes(), guess.as_bytes());
        own.len() == guess.len() && own.iter().zip(guess).fold(0, |all, (a, b)| all | (a ^ b)) == 0
    }
}

/// Sends the token. Only our own page and programs on this machine can read the response.
pub(super) async fn hand_out(State(app): State<Arc<App>>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], json!({"token": app.token.0}).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_differ() {
        let (one, two) = (PageToken::random().unwrap(), PageToken::random().unwrap());
        assert_eq!(one.0.len(), 64);
        assert!(one.is(&one.0) && !one.is(&two.0) && !one.is("") && !one.is(&one.0[1..]));
        assert!(!format!("{one:?}").contains(&one.0));
    }
}
