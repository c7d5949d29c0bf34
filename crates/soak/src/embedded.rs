//! The net in the engine, as a file.

use ferz_eval::Network;

/// Where it is in a checkout of the project.
pub(crate) fn net() -> String {
    format!("{}/../eval/networks/{}.nnue", env!("CARGO_MANIFEST_DIR"), Network::EMBEDDED_NAME)
}
